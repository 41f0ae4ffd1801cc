from fractions import Fraction

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from kernlib import Pegasos, Perceptron

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [1.0, 2.0]])
Y = np.array([0, 1, 1, 0])
THREE = np.array([0, 1, 2, 0])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"lam": 0}, ValueError, r"lam must be a number > 0 and <= 1e\+300, got lam=0\. .*typical"),
        ({"lam": -1.0}, ValueError, r"lam must be a number > 0 .*got lam=-1\.0"),
        ({"lam": np.nan}, ValueError, r"lam must be a number > 0 .*got lam=nan"),
        ({"lam": np.inf}, ValueError, r"got lam=inf"),
        ({"lam": "small"}, TypeError, r"got lam='small' of type str"),
        ({"n_steps": 0}, ValueError, r"n_steps must be an integer >= 1, got n_steps=0"),
        ({"n_steps": 1e5}, TypeError, r"n_steps must be an integer.*of type float"),
        ({"batch_size": 0}, ValueError, r"batch_size must be an integer >= 1"),
        ({"suffix": 0.0}, ValueError, r"suffix must be a number > 0 and <= 1, got suffix=0\.0"),
        ({"suffix": 1.5}, ValueError, r"suffix must be a number > 0 and <= 1"),
        ({"record_objective": -1}, ValueError, r"record_objective must be an integer >= 0"),
        ({"loss": "squared"}, ValueError, r"loss must be one of 'hinge', 'logistic'; got"),
        ({"sampling": "random"}, ValueError, r"sampling must be one of 'replacement', 'perm"),
        ({"output": "mean"}, ValueError, r"output must be one of 'last', 'average', 'suffix'"),
        ({"multi_class": "ovx"}, ValueError, r"one of 'ovr', 'ovo', 'crammer_singer'; got"),
        ({"project": 1}, TypeError, r"project must be True or False, got project=1"),
        ({"class_weight": "even"}, ValueError, r"class_weight must be one of 'balanced'; got"),
        ({"class_weight": {0: -1, 1: 1}}, ValueError, r"class_weight must give finite weights"),
        ({"multi_class": "crammer_singer", "loss": "logistic"}, ValueError, r"Use multi_class='o"),
        ({"prior": [[1.0, 2.0]]}, ValueError, r"prior must have shape \(1, 3\).*got \(1, 2\)"),
        ({"prior": [[1.0, np.nan, 0]]}, ValueError, r"prior must hold finite numbers"),
        ({"prior": LogisticRegression()}, TypeError, r"bare LogisticRegression.*FrozenEstimator"),
        ({"random_state": "x"}, ValueError, r"cannot be used to seed"),
    ],
)
def test_wrong_parameters_are_named(options, error, message):
    with pytest.raises(error, match=message):
        Pegasos(**options).fit(X, Y)


@pytest.mark.parametrize(
    ("data", "labels", "message"),
    [
        (np.array([[np.nan, 1.0]] * 4), Y, r"Input X contains NaN"),
        (np.array([[np.inf, 1.0]] * 4), Y, r"Input X contains infinity"),
        (X, [1, 1, 1, 1], r"needs at least 2 classes in y, got 1 class: \[1\]\. Check"),
        (X, Y[:3], r"inconsistent numbers of samples: \[4, 3\]"),
        (X[0], Y, r"Expected 2D array, got 1D array"),
        (X, [0.1, 0.5, 0.7, 0.9], r"Unknown label type"),
        (np.empty((0, 2)), [], r"0 sample"),
    ],
)
def test_wrong_data_is_named(data, labels, message):
    with pytest.raises(ValueError, match=message):
        Pegasos().fit(data, labels)


def test_prediction_before_fit_and_with_other_features():
    with pytest.raises(Exception, match=r"This Pegasos instance is not fitted yet"):
        Pegasos().predict(X)
    with pytest.raises(ValueError, match=r"X has 3 features, but Pegasos is expecting 2"):
        Pegasos(n_steps=10).fit(X, Y).predict(np.ones((1, 3)))


def test_a_failed_fit_leaves_nothing_half_done():
    learner = Pegasos(n_steps=10, random_state=0).fit(X, Y)
    before = learner.coef_.copy()
    with pytest.raises(ValueError, match="overflow"):
        learner.fit(1e200 * X, Y)
    np.testing.assert_array_equal(learner.coef_, before)
    learner.partial_fit(X, Y)
    assert learner.n_steps_.tolist() == [14]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, 1.0], r"sample_weight\.shape"),
        ([-1.0, 1, 1, 1], r"[Nn]egative values"),
        ([0.0, 0, 0, 0], r"at least one non-zero|all zero"),
        ([0.0, 1, 1, 0], r"Every class in y needs a positive total weight, got 0 for class \[0\]"),
    ],
)
def test_wrong_weights_are_named(weight, message):
    with pytest.raises(ValueError, match=message):
        Pegasos().fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (LogisticRegression(), {}, r"freeze a fitted linear classifier.*without coef_. Fit it"),
        (DecisionTreeClassifier().fit(X, Y), {}, r"got DecisionTreeClassifier without coef_"),
        (LogisticRegression().fit(X, THREE), {}, r"same classes, \[0, 1\], got \[0, 1, 2\]"),
        (LogisticRegression().fit(X, Y), {"fit_intercept": False}, r"prior has an intercept"),
    ],
)
def test_wrong_frozen_priors_are_named(source, options, message):
    with pytest.raises(ValueError, match=message):
        Pegasos(prior=FrozenEstimator(source), **options).fit(X, Y)


@pytest.mark.parametrize(
    ("source", "multi_class", "allowed"),
    [
        (LogisticRegression(), "ovr", True),
        (LogisticRegression(), "crammer_singer", True),
        (LogisticRegression(), "ovo", False),
        (SVC(kernel="linear"), "ovr", False),
        (SVC(kernel="linear"), "ovo", False),
        (Pegasos(multi_class="ovo", n_steps=10), "ovr", False),
        (Pegasos(multi_class="ovo", n_steps=10), "ovo", True),
        (Pegasos(n_steps=10), "ovo", False),
        (Perceptron(multi_class="ovo"), "ovo", True),
    ],
    ids=str,
)
def test_rows_of_three_classes_must_mean_the_same(source, multi_class, allowed):
    """Three classes make three pairs: the shape alone would not tell."""
    prior = FrozenEstimator(source.fit(X, THREE))
    learner = Pegasos(prior=prior, multi_class=multi_class, lam=1e12, n_steps=10)
    if not allowed:
        with pytest.raises(ValueError, match=r"whose rows stand for other problems\. Pass an arr"):
            learner.fit(X, THREE)
        return
    learner.fit(X, THREE)
    np.testing.assert_allclose(learner.coef_, prior.coef_, atol=1e-9)
    if multi_class != "ovo":
        np.testing.assert_array_equal(learner.predict(X), source.predict(X))


@pytest.mark.parametrize(
    "options",
    [
        {"lam": Fraction(1, 10)},
        {"lam": np.float16(0.125)},
        {"n_steps": np.uint8(30), "batch_size": np.uint8(20)},
        {"n_steps": np.int16(30), "record_objective": np.uint8(10)},
    ],
    ids=str,
)
def test_numbers_of_any_kind(options):
    plain = {k: float(v) if k == "lam" else int(v) for k, v in options.items()}
    one = Pegasos(**{"n_steps": 100, "random_state": 0, **options}).fit(X, Y)
    other = Pegasos(**{"n_steps": 100, "random_state": 0, **plain}).fit(X, Y)
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_weights_with_an_infinite_sum_are_refused():
    with pytest.raises(ValueError, match=r"must have a finite sum.*only their proportions count"):
        Pegasos().fit(X, Y, sample_weight=np.full(4, 1e308))


def test_probabilities_are_there_for_the_logistic_loss_only():
    assert not hasattr(Pegasos(), "predict_proba")
    with pytest.raises(AttributeError) as caught:
        _ = Pegasos().fit(X, Y).predict_proba
    assert "predict_proba needs loss='logistic'" in str(caught.value.__cause__)
    ovo = Pegasos(loss="logistic", multi_class="ovo", n_steps=10)
    assert hasattr(ovo.fit(X, Y), "predict_proba")
    assert not hasattr(ovo.fit(X, THREE), "predict_proba")
