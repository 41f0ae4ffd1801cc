import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import integer_matrices

from kernlib import Pegasos, Perceptron
from kernlib.preprocessing import (
    AddConstant,
    DropOutliers,
    NoScaling,
    expansion,
    find_outliers,
    prepare,
    scaler,
)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([NoScaling(), AddConstant(), DropOutliers(LogisticRegression())])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@given(X=integer_matrices(max_rows=8))
def test_scalings_are_their_formulas(X):
    spread, width = X.std(axis=0), np.ptp(X, axis=0)
    varies = spread > 0
    standardized = scaler("standardize").fit_transform(X)
    expected = (X - X.mean(axis=0))[:, varies] / spread[varies]
    np.testing.assert_allclose(standardized[:, varies], expected, atol=1e-12)
    normalized = scaler("normalize").fit_transform(X)
    expected = (X - X.min(axis=0))[:, varies] / width[varies]
    np.testing.assert_allclose(normalized[:, varies], expected, atol=1e-12)
    np.testing.assert_array_equal(scaler("none").fit_transform(X), X)


def test_scaling_is_fitted_on_the_training_rows_alone():
    X, y = make_classification(100, random_state=0)
    moved = np.vstack([X[:80], X[80:] + 1000.0])
    for scaling in ("normalize", "standardize"):
        model = prepare(Perceptron(), scaling=scaling).fit(X[:80], y[:80])
        again = prepare(Perceptron(), scaling=scaling).fit(moved[:80], y[:80])
        np.testing.assert_array_equal(
            model.named_steps["learn"].coef_, again.named_steps["learn"].coef_
        )


def test_constant_is_the_last_feature():
    X = np.arange(6.0).reshape(3, 2)
    expected = [[0, 1, 1], [2, 3, 1], [4, 5, 1]]
    assert AddConstant().fit_transform(X).tolist() == expected
    csr = AddConstant().fit_transform(sparse.csr_array(X))
    assert sparse.issparse(csr)
    assert csr.toarray().tolist() == expected
    assert AddConstant().fit_transform(X.astype(np.float32)).dtype == np.float32
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert AddConstant().fit(frame).get_feature_names_out().tolist() == ["a", "b", "constant"]


def test_the_documents_expansion_repeats_eleven_columns():
    X = np.random.default_rng(0).normal(size=(50, 10))
    double = expansion(2, double_constant=True).fit_transform(X)
    plain = expansion(2).fit_transform(X)
    assert (plain.shape[1], double.shape[1]) == (66, 77)
    assert len(np.unique(double.round(12), axis=1).T) == 66
    rows = np.column_stack([X, np.ones(50)])
    np.testing.assert_array_equal(double[:, :11], rows)
    products = [rows[:, i] * rows[:, j] for i in range(11) for j in range(i, 11)]
    np.testing.assert_allclose(double[:, 11:], np.column_stack(products))
    assert {tuple(c) for c in plain.round(9).T} == {tuple(c) for c in double.round(9).T}


# ---------------------------------------------------------------- outliers


@given(X=integer_matrices(max_rows=8), threshold=st.sampled_from([0.5, 1.0, 2.0]))
def test_outliers_by_definition(X, threshold):
    means, spreads = X.mean(axis=0), X.std(axis=0)
    for rule, quantifier in (("any", any), ("all", all)):
        expected = [
            quantifier(
                s > 0 and abs(a - m) >= threshold * s
                for a, m, s in zip(row, means, spreads, strict=True)
            )
            for row in X
        ]
        assert find_outliers(X, threshold=threshold, rule=rule).tolist() == expected


def test_outliers_against_a_reference():
    train = np.array([[0.0], [1.0], [2.0], [3.0]])
    test = np.array([[1.5], [100.0]])
    assert find_outliers(test, reference=train).tolist() == [False, True]
    assert find_outliers(test).tolist() == [False, False]


def test_a_constant_feature_makes_no_outlier():
    X = np.column_stack([np.ones(20), np.arange(20.0)])
    assert not find_outliers(X).any()


def test_the_filter_that_keeps_almost_all():
    X = np.random.default_rng(0).normal(size=(10_000, 10))
    assert 200 < find_outliers(X).sum() < 350
    assert find_outliers(X, rule="all").sum() == 0


def test_outliers_are_dropped_in_fit_only():
    X, y = make_classification(300, 5, random_state=0)
    X[7] = 50.0
    out = find_outliers(X)
    model = DropOutliers(make_pipeline(StandardScaler(), Perceptron())).fit(X, y)
    alone = make_pipeline(StandardScaler(), Perceptron()).fit(X[~out], y[~out])
    assert out[7]
    assert model.n_dropped_ == out.sum() > 0
    np.testing.assert_array_equal(model.estimator_[-1].coef_, alone[-1].coef_)
    assert len(model.predict(X)) == 300
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_meta_estimator_shows_what_its_classifier_can():
    assert not hasattr(DropOutliers(Pegasos()), "predict_proba")
    logistic = DropOutliers(Pegasos(loss="logistic", n_steps=50))
    X, y = make_classification(50, random_state=0)
    assert logistic.fit(X, y).predict_proba(X).shape == (50, 2)


def test_grid_search_reaches_the_learner_through_everything():
    X, y = make_classification(120, 5, random_state=0)
    model = prepare(Pegasos(n_steps=200, random_state=0), expand=expansion(2), remove_outliers=True)
    search = GridSearchCV(model, {"estimator__learn__lam": [0.01, 1.0]}, cv=2).fit(X, y)
    assert search.best_params_["estimator__learn__lam"] in (0.01, 1.0)
    assert clone(model).get_params()["estimator__expand__degree"] == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scaler("zscore"), r"scaling must be one of none, normalize, standardize; got"),
        (lambda: find_outliers([[1.0]], rule="some"), r"rule must be 'any' or 'all', got 'some'"),
        (lambda: find_outliers([[1.0]], threshold=0), r"threshold must be a number > 0, got 0"),
        (lambda: find_outliers([[1.0]], reference=[[1.0, 2.0]]), r"the 1 features of X, got 2"),
        (
            lambda: DropOutliers(Perceptron(), threshold=1.2).fit([[0.0], [0.1], [9.0]], [0, 0, 1]),
            r"must leave rows of every class, but none is left of \[1\].*Raise the threshold",
        ),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
