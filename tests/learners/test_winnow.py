from fractions import Fraction

import numpy as np
import pytest
import reference
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from strategies import forms, problems

from kernlib import Winnow
from kernlib._jit import rows_of
from kernlib.learners.sampling import VisitingOrder, streams
from kernlib.learners.winnow import _winnow_loop

BITS = {"low": 0, "high": 1, "max_rows": 10, "max_columns": 6}


def as_ints(X):
    return [[int(a) for a in row] for row in X]


@pytest.mark.parametrize("form", ["float64", "float32", "csr"])
@given(problem=problems(**BITS), theta=st.integers(1, 6))
def test_loop_equals_pseudocode(form, problem, theta):
    X, y, order = problem
    w = np.ones(X.shape[1])
    n = _winnow_loop(rows_of(forms(X)[form]), y, order, 2.0, float(theta), w)
    expected, mistakes = reference.winnow(
        as_ints(X), y.tolist(), order.tolist(), Fraction(2), theta, max_iter=1
    )
    assert [Fraction(a) for a in w] == expected
    assert n == mistakes[0]


@given(problem=problems(**BITS), max_iter=st.integers(1, 5))
def test_fit_equals_pseudocode(problem, max_iter):
    X, y, _ = problem
    learner = Winnow(max_iter=max_iter, encoding="binary").fit(X, y)
    expected, mistakes = reference.winnow(
        as_ints(X), y.tolist(), list(range(len(y))), Fraction(2), X.shape[1], max_iter
    )
    assert [Fraction(a) for a in learner.coef_[0]] == expected
    assert learner.mistakes_per_epoch_[0].tolist() == mistakes
    assert learner.n_mistakes_.tolist() == [sum(mistakes)]
    assert learner.n_iter_.tolist() == [len(mistakes)]
    assert learner.intercept_.tolist() == [-X.shape[1]]


def test_many_classes_are_by_definition_one_run_each():
    X = np.random.default_rng(3).integers(0, 2, (60, 8)).astype(float)
    y = np.select([X[:, 0] == 1, X[:, 1:4].sum(axis=1) > 1], [0, 1], default=2)
    learner = Winnow().fit(X, y)
    assert len(set(learner.n_iter_)) > 1
    for k in range(3):
        alone = Winnow().fit(X, y == k)
        np.testing.assert_array_equal(learner.coef_[k], alone.coef_[0])
        assert learner.mistakes_per_epoch_[k].tolist() == alone.mistakes_per_epoch_[0].tolist()


@given(
    n=st.integers(2, 30),
    k=st.integers(1, 4),
    alpha=st.sampled_from([1.5, 2.0, 3.0]),
    threshold=st.sampled_from([None, 1.0, 7.0]),
    density=st.sampled_from([0.1, 0.5, 0.9]),
    seed=st.integers(0, 1000),
)
def test_mistake_bound_for_disjunctions(n, k, alpha, threshold, density, seed):
    rng = np.random.default_rng(seed)
    relevant = rng.choice(n, size=min(k, n), replace=False)
    X = (rng.random((60, n)) < density).astype(float)
    y = X[:, relevant].any(axis=1)
    assume(len(set(y)) == 2)
    learner = Winnow(alpha=alpha, threshold=threshold, max_iter=500).fit(X, y)
    theta = n if threshold is None else threshold
    promotions = len(relevant) * (np.floor(np.log(theta) / np.log(alpha) + 1e-12) + 1)
    bound = (1 + alpha) * promotions + alpha * n / ((alpha - 1) * theta)
    assert learner.n_mistakes_[0] <= bound
    assert learner.mistakes_per_epoch_[0][-1] == 0
    assert learner.score(X, y) == 1.0


def test_mistakes_grow_with_the_logarithm_of_the_features():
    """The label is one feature of n; sixteen times the features: a few mistakes more."""
    counts = []
    for n in (16, 256, 4096):
        X = np.random.default_rng(0).integers(0, 2, (400, n)).astype(float)
        counts.append(Winnow().fit(X, X[:, 0]).n_mistakes_[0])
    assert counts[0] < counts[2] <= 3 * (np.log2(4096) + 1) + 2


def test_signs_are_read_as_on_and_off():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (100, 8)).astype(float)
    y = X[:, 0]
    plain = Winnow().fit(X, y)
    signs = Winnow().fit(2 * X - 1, y)
    assert (plain.encoding_, signs.encoding_) == ("binary", "sign")
    np.testing.assert_array_equal(plain.coef_, signs.coef_)
    np.testing.assert_array_equal(plain.decision_function(X), signs.decision_function(2 * X - 1))


def test_encoding_of_the_training_data_holds_for_new_data():
    signs = Winnow().fit([[1, -1], [-1, 1]], [1, 0])
    with pytest.raises(ValueError, match=r"'sign' encoding expected features in \{-1, 1\}, got"):
        signs.predict([[0, 1]])


def test_sparse_equals_dense():
    rng = np.random.default_rng(0)
    X = (rng.random((80, 40)) < 0.1).astype(float)
    y = X[:, 3] + 2 * X[:, 4]
    dense, csr = Winnow().fit(X, y), Winnow().fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.coef_, csr.coef_)


def test_binarize_thresholds_numbers():
    X = np.array([[0.2, 3.0], [0.9, -1.0], [0.4, 0.0], [0.8, 7.0]])
    y = [0, 1, 0, 1]
    by_number = Winnow(binarize=0.5).fit(X, y)
    by_hand = Winnow().fit((X > 0.5).astype(float), y)
    np.testing.assert_array_equal(by_number.coef_, by_hand.coef_)
    np.testing.assert_array_equal(
        by_number.decision_function(X), by_hand.decision_function((X > 0.5).astype(float))
    )


def test_shuffle_is_a_reshuffled_visiting_order():
    X = np.random.default_rng(0).integers(0, 2, (60, 10)).astype(float)
    y = np.where(X[:, :3].sum(axis=1) > 1, 1, -1)
    learner = Winnow(shuffle=True, random_state=4, max_iter=3).fit(X, y)
    order = VisitingOrder(np.arange(60), "reshuffle", streams(4, 1)[0])
    w = np.ones(10)
    for _ in range(3):
        _winnow_loop(X, y.astype(np.int8), order.take(60), 2.0, 10.0, w)
    np.testing.assert_array_equal(learner.coef_[0], w)


def test_explicit_zeros_of_a_sparse_row_are_off():
    X = sparse.csr_array(np.eye(3)[[0, 1, 2, 0, 1, 2]])
    zeros = X.copy()
    zeros.data[1::3] = 0.0
    y = [1, 0, 0, 1, 0, 1]
    dense = Winnow().fit(zeros.toarray(), y)
    np.testing.assert_array_equal(Winnow().fit(zeros, y).coef_, dense.coef_)


def test_shuffle_is_seeded():
    X = np.random.default_rng(0).integers(0, 2, (60, 10)).astype(float)
    y = X[:, :3].sum(axis=1) > 1
    fits = [Winnow(shuffle=True, random_state=s, max_iter=2).fit(X, y).coef_ for s in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])


@pytest.mark.parametrize(
    ("options", "X", "message"),
    [
        ({}, [[0.5], [1.0]], r"expected features in \{0, 1\}, got also 0\.5\. Pass binarize=0\.0"),
        ({"encoding": "binary"}, [[-1], [1]], r"features in \{0, 1\}, got also -1"),
        (
            {"encoding": "sign"},
            sparse.csr_array([[1.0], [0.0]]),
            r"got a sparse matrix",
        ),
        (
            {"encoding": "bits"},
            [[0], [1]],
            r"one of 'auto', 'binary', 'sign'; got",
        ),
        ({"alpha": 1.0}, [[0], [1]], r"alpha must be a number > 1, got alpha=1\.0\. 2 is"),
        ({"threshold": 0}, [[0], [1]], r"threshold must be a number > 0, got threshold=0"),
        ({"binarize": np.nan}, [[0], [1]], r"binarize must be a number, got binarize=nan"),
        ({"max_iter": 0}, [[0], [1]], r"max_iter must be an integer >= 1"),
    ],
)
def test_wrong_input_is_named(options, X, message):
    with pytest.raises(ValueError, match=message):
        Winnow(**options).fit(X, [0, 1])
