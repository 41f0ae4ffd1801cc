"""Choosing parameters: what is fitted on what, what is chosen, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlib import KernelPerceptron, Pegasos, Perceptron
from kernlib.kernels import Gaussian, Polynomial
from kernlib.model_selection import (
    WHOLE,
    GridSearch,
    error_rate,
    evaluate,
    holdout_table,
    repeated_splits,
    summary,
)
from kernlib.preprocessing import prepare


@pytest.fixture(scope="module")
def data():
    return make_classification(200, 6, flip_y=0.2, random_state=0)


@pytest.fixture(scope="module")
def three_classes():
    return make_classification(
        150, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.1, random_state=0
    )


PEGASOS = Pegasos(n_steps=200, random_state=0)
LAMBDAS = {"lam": [0.01, 0.1, 1.0]}

# ---------------------------------------------------------------- one part held out


def test_every_combination_is_fitted_on_the_first_rows(data):
    X, y = data
    grid = {"lam": [0.01, 1.0], "n_steps": [10, 100]}
    table = holdout_table(Pegasos(random_state=0), grid, X, y)
    assert len(table) == 4
    for _, row in table.iterrows():
        alone = Pegasos(lam=row.lam, n_steps=int(row.n_steps), random_state=0)
        alone.fit(X[:150], y[:150])
        assert row.validation_error == error_rate(alone, X[150:], y[150:])
        assert row.training_error == error_rate(alone, X[:150], y[:150])
    best = table.loc[table.validation_error.idxmin()]
    assert table.attrs["best"] == {"lam": best.lam, "n_steps": best.n_steps}


def test_the_first_of_equals_is_best(data):
    X, y = data
    table = holdout_table(Perceptron(), {"max_iter": [3, 3, 2]}, X, y)
    first = int(np.argmin(table.validation_error))
    assert table.attrs["best"]["max_iter"] == table.max_iter[first]


def test_nothing_of_the_validation_rows_enters_the_fit(data):
    X, y = data
    poisoned = X.copy()
    poisoned[150:] = 1e6
    model = prepare(Perceptron(), scaling="standardize")
    one = holdout_table(model, {"learn__max_iter": [5]}, X, y)
    other = holdout_table(model, {"learn__max_iter": [5]}, poisoned, y)
    assert one.training_error.tolist() == other.training_error.tolist()


def test_the_share_is_checked(data):
    with pytest.raises(ValueError, match=r"share must lie between 0 and 1, got 1.5"):
        holdout_table(Perceptron(), {"max_iter": [1]}, *data, share=1.5)


# ---------------------------------------------------------------- the table


def test_every_row_is_what_a_fit_alone_gives(three_classes):
    X, y = three_classes
    splits = repeated_splits(y, cv=3, n_runs=2, test_size=0.2, random_state=0)
    table = evaluate(Perceptron(), {"max_iter": [1, 4]}, X, y, splits)
    assert len(table) == 2 * 2 * 4
    named = {(split.run, split.fold): split for split in splits}
    for row in table.itertuples():
        split = named[row.run, row.fold]
        alone = Perceptron(max_iter=row.max_iter).fit(X[split.train], y[split.train])
        parts = {"training": split.train, "validation": split.validation, "test": split.test}
        for part, rows in parts.items():
            found = getattr(row, f"{part}_error")
            expected = error_rate(alone, X[rows], y[rows]) if len(rows) else np.nan
            assert found == expected or (np.isnan(found) and np.isnan(expected))
        assert row.mistakes == alone.n_mistakes_.sum()
        assert row.n_train == len(split.train)
        assert row.seconds > 0
    assert table.support_vectors.isna().all()


def test_support_vectors_are_counted(three_classes):
    X, y = three_classes
    (split,) = repeated_splits(y, cv="holdout")
    table = evaluate(KernelPerceptron(), {}, X, y, [split])
    alone = KernelPerceptron().fit(X[split.train], y[split.train])
    assert table.support_vectors.tolist() == [len(alone.support_)]
    assert table.mistakes.tolist() == [alone.n_mistakes_.sum()]


def test_a_list_of_grids_leaves_gaps(data):
    X, y = data
    grid = [{"kernel__degree": [1, 2]}, {"kernel": [Gaussian(0.5)]}]
    estimator = KernelPerceptron(kernel=Polynomial())
    table = evaluate(estimator, grid, X, y, repeated_splits(y, cv=2))
    assert table.kernel__degree.isna().tolist() == [False] * 4 + [True] * 2
    assert table.candidate.tolist() == [0, 0, 1, 1, 2, 2]
    assert estimator.kernel == Polynomial()


def test_values_of_a_grid_are_not_changed(data):
    """One kernel object for three degrees: each fit has its own copy."""
    X, y = data
    kernel, degrees = Polynomial(), [1, 2, 3]
    splits = repeated_splits(y, cv=2)
    grid = {"kernel": [kernel], "kernel__degree": degrees}
    table = evaluate(KernelPerceptron(), grid, X, y, splits)
    assert kernel == Polynomial()
    apart = evaluate(KernelPerceptron(), {"kernel": [Polynomial(d) for d in degrees]}, X, y, splits)
    assert table.mistakes.tolist() == apart.mistakes.tolist()
    assert table.mistakes.nunique() > 3


def test_summary_takes_means_over_folds_and_runs(data):
    X, y = data
    search = GridSearch(PEGASOS, LAMBDAS, cv=3, n_runs=2, test_size=0.25, retrain="all",
                        random_state=0).fit(X, y)  # fmt: skip
    table, means = search.table_, summary(search.table_)
    assert means.lam.tolist() == LAMBDAS["lam"]
    for row in means.itertuples():
        fits = table[table.lam == row.lam]
        folds, whole = fits[fits.fold != WHOLE], fits[fits.fold == WHOLE]
        assert (len(folds), len(whole), row.fits) == (6, 2, 8)
        assert row.validation_error == pytest.approx(folds.validation_error.mean())
        assert row.validation_error_spread == pytest.approx(np.std(folds.validation_error))
        assert row.training_error == pytest.approx(folds.training_error.mean())
        assert row.test_error == pytest.approx(whole.test_error.mean())
    assert "test_error" not in summary(search.set_params(retrain="best").fit(X, y).table_)


# ---------------------------------------------------------------- the search


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (PEGASOS, LAMBDAS),
        (KernelPerceptron(kernel=Polynomial()), {"kernel__degree": [1, 2, 3], "max_iter": [2, 5]}),
        (KernelPerceptron(), {"kernel": [Gaussian(0.1), Polynomial(2), "rbf"]}),
        (make_pipeline(StandardScaler(), Perceptron()), {"perceptron__max_iter": [1, 5]}),
        (KNeighborsClassifier(), {"n_neighbors": [1, 3, 5]}),
    ],
    ids=["linear", "kernel__degree", "kernels", "pipeline", "foreign"],
)
def test_one_run_chooses_what_scikit_learn_chooses(three_classes, estimator, grid):
    X, y = three_classes
    ours = GridSearch(estimator, grid).fit(X, y)
    theirs = GridSearchCV(estimator, grid, return_train_score=True).fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    means = summary(ours.table_)
    assert np.allclose(1 - means.validation_error, theirs.cv_results_["mean_test_score"])
    assert np.allclose(1 - means.training_error, theirs.cv_results_["mean_train_score"])
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, y) == theirs.score(X, y)
    assert ours.classes_.tolist() == [0, 1, 2]


def test_nested_protocol_by_hand(three_classes):
    """Random splits; inside each the folds choose; what they chose is fitted anew and tested."""
    X, y = three_classes
    degrees = [1, 2, 3]
    kernels = [Polynomial(d, coef0=0) for d in degrees]
    search = GridSearch(
        KernelPerceptron(), {"kernel": kernels}, cv=KFold(4), n_runs=5, test_size=0.2,
        random_state=7,
    ).fit(X, y)  # fmt: skip
    rng = np.random.RandomState(7)
    for run in search.runs_.itertuples():
        order = rng.permutation(150)
        train, test = order[:120], order[120:]
        errors = np.zeros((3, 4))
        for k, kernel in enumerate(kernels):
            for f, (a, b) in enumerate(KFold(4).split(train)):
                learner = KernelPerceptron(kernel=kernel).fit(X[train[a]], y[train[a]])
                errors[k, f] = error_rate(learner, X[train[b]], y[train[b]])
        chosen = kernels[int(np.argmin(errors.mean(axis=1)))]
        assert run.kernel == chosen
        assert run.validation_error == pytest.approx(errors.mean(axis=1).min())
        final = KernelPerceptron(kernel=chosen).fit(X[train], y[train])
        assert run.test_error == error_rate(final, X[test], y[test])
        assert run.training_error == error_rate(final, X[train], y[train])
    assert len(search.table_) == 5 * (3 * 4 + 1)


def test_retraining_all_gives_the_same_choice_and_the_whole_curve(data):
    X, y = data
    best = GridSearch(PEGASOS, LAMBDAS, cv=3, n_runs=3, test_size=0.2, random_state=0).fit(X, y)
    every = clone(best).set_params(retrain="all").fit(X, y)
    pd.testing.assert_frame_equal(best.runs_, every.runs_)
    assert (len(best.table_), len(every.table_)) == (3 * (9 + 1), 3 * (9 + 3))


def test_the_table_is_not_that_of_another_seed(data):
    tables = [
        GridSearch(PEGASOS, LAMBDAS, n_runs=2, random_state=seed).fit(*data).table_
        for seed in (0, 0, 1)
    ]
    errors = [table.validation_error.tolist() for table in tables]
    assert errors[0] == errors[1] != errors[2]


def test_the_kinds_of_input(three_classes):
    X, y = three_classes
    names = np.array(["red", "green", "blue"])[y]
    frame = pd.DataFrame(X, columns=list("abcde"))
    grid = {"kernel": [Polynomial(2), Gaussian(0.2)]}
    plain = GridSearch(KernelPerceptron(), grid).fit(X, y)
    named = GridSearch(KernelPerceptron(), grid).fit(frame, pd.Series(names))
    errors = ["training_error", "validation_error"]
    assert named.best_estimator_.feature_names_in_.tolist() == list("abcde")
    assert set(named.predict(frame)) <= set(names)
    # Sorted otherwise, the classes are other problems' numbers, but the same problems.
    assert np.array_equal(plain.table_[errors], named.table_[errors])


def test_progress_is_shown_if_asked_for(data, capsys):
    for progress, shown in ((True, True), (False, False), (None, False)):
        GridSearch(PEGASOS, LAMBDAS, progress=progress).fit(*data)
        assert ("15/15" in capsys.readouterr().err) == shown


def test_it_is_an_estimator(data):
    search = GridSearch(PEGASOS, LAMBDAS, cv=3)
    assert clone(search).get_params()["estimator__n_steps"] == 200
    search.fit(*data)
    assert search.n_features_in_ == 6
    assert search.decision_function(data[0]).shape == (200,)
    assert (search.path_, search.path_note_) == ("generic", "Pegasos is no kernel learner")


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("estimator", "grid", "options", "error", "message"),
    [
        (PEGASOS, {"lambda": [1]}, {}, ValueError, "must name parameters of Pegasos, got lambda"),
        (PEGASOS, [], {}, ValueError, "at least one combination"),
        (PEGASOS, {"lam": []}, {}, ValueError, "non-empty"),
        (PEGASOS, {"lam": 1.0}, {}, TypeError, "needs to be a list"),
        (PEGASOS, {"lam": [-1.0]}, {}, ValueError, "lam must be"),
        (KernelPerceptron(), {"max_iter": [0]}, {}, ValueError, "max_iter must be"),
        (KernelPerceptron(), {"kernel__degree": [2]}, {}, ValueError, "needs an object"),
        (KernelPerceptron(), {"kernel": ["cubic"]}, {}, ValueError, "kernel must be one of"),
        (PEGASOS, LAMBDAS, {"retrain": "some"}, ValueError, "retrain must be one of"),
        (PEGASOS, LAMBDAS, {"cv": None, "test_size": 0.2}, ValueError, "cv must cut the rows"),
        (PEGASOS, LAMBDAS, {"cv": 1}, ValueError, "cv must be an integer >= 2"),
        (PEGASOS, LAMBDAS, {"max_memory": -1}, ValueError, "max_memory must be a number >= 0"),
    ],
)
def test_what_makes_no_search_is_refused(data, estimator, grid, options, error, message):
    with pytest.raises(error, match=message):
        GridSearch(estimator, grid, **options).fit(*data)


def test_labels_and_rows_must_fit_together(data):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        GridSearch(PEGASOS, LAMBDAS).fit(data[0][:-1], data[1])


def test_without_refit_there_is_nothing_to_predict_with(data):
    search = GridSearch(SGDClassifier(random_state=0), {"alpha": [0.1, 1.0]}, refit=False)
    with pytest.raises(ValueError, match="not fitted yet"):
        search.predict(data[0])
    search.fit(*data)
    with pytest.raises(AttributeError, match="needs refit=True to predict"):
        search.predict(data[0])
