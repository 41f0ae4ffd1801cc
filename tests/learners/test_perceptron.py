import numpy as np
import pytest
import reference
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_digits, make_classification
from sklearn.linear_model import Perceptron as SklearnPerceptron
from strategies import forms, integer_matrices, problems, with_constant

from kernlib import Perceptron
from kernlib._jit import rows_of
from kernlib.learners.perceptron import _perceptron_loop
from kernlib.learners.sampling import VisitingOrder, streams


def weights(learner):
    return np.column_stack([learner.coef_, learner.intercept_])


def fitted_and_twin(problem, max_iter, **options):
    X, y, _ = problem
    learner = Perceptron(max_iter=max_iter, **options).fit(X, y)
    rows = with_constant(X)
    return learner, reference.perceptron(rows, y.tolist(), list(range(len(y))), max_iter), rows


# ---------------------------------------------------------------- the loop and its twin


@pytest.mark.parametrize("form", ["float64", "float32", "csr"])
@given(problem=problems())
def test_loop_equals_pseudocode(form, problem):
    X, y, order = problem
    w = np.zeros(X.shape[1] + 1)
    mistakes, times = np.empty((2, len(order)), dtype=np.intp)
    n = _perceptron_loop(rows_of(forms(X)[form]), y, order, 1.0, w, 10, mistakes, times)
    (epoch,) = reference.perceptron(with_constant(X), y.tolist(), order.tolist(), max_iter=1)
    assert w.tolist() == epoch[-1][0]
    wrong = [k for k, (_, mistake) in enumerate(epoch) if mistake]
    assert mistakes[:n].tolist() == order[wrong].tolist()
    assert (times[:n] - 11).tolist() == wrong


@given(problem=problems())
def test_loop_without_intercept(problem):
    X, y, order = problem
    w = np.zeros(X.shape[1] + 1)
    _perceptron_loop(X, y, order, 0.0, w, 0, *np.empty((2, len(order)), dtype=np.intp))
    rows = [[int(a) for a in row] for row in X]
    (epoch,) = reference.perceptron(rows, y.tolist(), order.tolist(), max_iter=1)
    assert w.tolist() == [*epoch[-1][0], 0]


@given(problem=problems(), max_iter=st.integers(1, 5))
def test_predictors_equal_their_definitions(problem, max_iter):
    _, y, _ = problem
    last, epochs, rows = fitted_and_twin(problem, max_iter)
    assert weights(last)[0].tolist() == epochs[-1][-1][0]
    assert last.mistakes_per_epoch_[0].tolist() == [sum(m for _, m in epoch) for epoch in epochs]
    assert last.n_iter_.tolist() == [len(epochs)]
    assert last.n_mistakes_.tolist() == [sum(m for epoch in epochs for _, m in epoch)]

    average, *_ = fitted_and_twin(problem, max_iter, predictor="average")
    expected = reference.mean([w for epoch in epochs for w, _ in epoch])
    np.testing.assert_allclose(weights(average)[0], expected, rtol=1e-13, atol=1e-13)

    best, *_ = fitted_and_twin(problem, max_iter, predictor="best")
    assert weights(best)[0].tolist() == reference.best_epoch(epochs, rows, y.tolist())


@given(problem=problems(), max_iter=st.integers(1, 4))
def test_vote_equals_its_definition(problem, max_iter):
    X, _, _ = problem
    voted, epochs, rows = fitted_and_twin(problem, max_iter, predictor="voted")
    expected = [reference.voted_score(epochs, x) for x in rows]
    np.testing.assert_allclose(voted.decision_function(X), expected, rtol=1e-14, atol=1e-14)


def test_vote_in_blocks_and_on_sparse_data(monkeypatch):
    X, y = load_digits(return_X_y=True)
    whole = Perceptron(predictor="voted", max_iter=2).fit(X, y)
    scores = whole.decision_function(X)
    sparse_scores = Perceptron(predictor="voted", max_iter=2).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(sparse_scores.decision_function(sparse.csr_array(X)), scores)
    one_by_one = np.concatenate([whole.decision_function(X[i : i + 1]) for i in range(50)])
    np.testing.assert_allclose(one_by_one, scores[:50])


# ---------------------------------------------------------------- theorems


@given(X=integer_matrices(max_rows=10), u=st.lists(st.integers(-3, 3), min_size=5, max_size=5))
def test_mistake_bound_on_separable_data(X, u):
    """Novikoff: at most ||u||^2 max||x||^2 mistakes, for the u of least norm with margin 1."""
    rows = np.column_stack([X, np.ones(len(X))])
    scores = rows @ np.array(u[: rows.shape[1]], dtype=float)
    y = np.where(scores > 0, 1, -1)
    assume(np.all(scores != 0) and len(set(y)) == 2)
    optimum = minimize(
        lambda w: w @ w,
        np.array(u[: rows.shape[1]], dtype=float) / np.abs(scores).min(),
        jac=lambda w: 2 * w,
        constraints={
            "type": "ineq",
            "fun": lambda w: y * (rows @ w) - 1,
            "jac": lambda w: rows * y[:, None],
        },
        method="SLSQP",
    )
    shortest = optimum.x / min(1.0, (y * (rows @ optimum.x)).min())  # feasible for certain
    bound = shortest @ shortest * (rows**2).sum(axis=1).max()
    learner = Perceptron(max_iter=10_000).fit(X, y)
    assert learner.n_mistakes_[0] <= bound * (1 + 1e-9)
    assert learner.mistakes_per_epoch_[0][-1] == 0
    assert learner.score(X, y) == 1.0


@given(
    problem=problems(),
    u=st.lists(st.integers(-8, 8), min_size=5, max_size=5),
    max_iter=st.integers(1, 4),
)
def test_mistake_bound_for_every_u(problem, u, max_iter):
    """M <= H + (||u|| R)^2 + ||u|| R sqrt(H), H the hinge losses of u over all visits."""
    X, y, _ = problem
    rows = np.column_stack([X, np.ones(len(X))])
    u = np.array(u[: rows.shape[1]]) / 4
    learner = Perceptron(max_iter=max_iter).fit(X, y)
    hinge = learner.n_iter_[0] * np.maximum(0, 1 - y * (rows @ u)).sum()
    size = np.linalg.norm(u) * np.linalg.norm(rows, axis=1).max()
    assert learner.n_mistakes_[0] <= hinge + size**2 + size * np.sqrt(hinge) + 1e-9


@pytest.mark.parametrize("predictor", ["last", "average", "best"])
def test_flipped_labels_flip_the_weights(predictor):
    X, y = make_classification(n_samples=200, random_state=1, flip_y=0.1)
    one = Perceptron(predictor=predictor, max_iter=5).fit(X, y)
    other = Perceptron(predictor=predictor, max_iter=5).fit(X, 1 - y)
    np.testing.assert_array_equal(weights(one), -weights(other))


# ---------------------------------------------------------------- against scikit-learn


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weights_equal_scikit_learn(fit_intercept):
    X, y = load_digits(return_X_y=True)
    ours = Perceptron(max_iter=7, fit_intercept=fit_intercept).fit(X, y)
    theirs = SklearnPerceptron(
        max_iter=7, tol=None, shuffle=False, fit_intercept=fit_intercept
    ).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    np.testing.assert_array_equal(ours.intercept_, theirs.intercept_ * np.ones(10))


# ---------------------------------------------------------------- many classes


def test_one_vs_one_is_a_perceptron_per_pair():
    X, y = load_digits(n_class=4, return_X_y=True)
    learner = Perceptron(multi_class="ovo", max_iter=3).fit(X, y)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for k, (i, j) in enumerate(pairs):
        keep = (y == i) | (y == j)
        alone = Perceptron(max_iter=3).fit(X[keep], y[keep])
        np.testing.assert_array_equal(learner.coef_[k], alone.coef_[0])
        assert learner.n_mistakes_[k] == alone.n_mistakes_[0]


def test_each_problem_stops_and_picks_its_best_epoch_by_itself():
    X, y = load_digits(return_X_y=True)
    learner = Perceptron(predictor="best", max_iter=15).fit(X, y)
    assert len(set(learner.n_iter_)) > 1
    for k in range(10):
        alone = Perceptron(predictor="best", max_iter=15).fit(X, y == k)
        np.testing.assert_array_equal(learner.coef_[k], alone.coef_[0])
        assert learner.n_iter_[k] == alone.n_iter_[0]


def test_best_is_a_copy_and_not_the_last_iterate():
    X, y = make_classification(n_samples=300, flip_y=0.3, random_state=0)
    best = Perceptron(predictor="best", max_iter=20).fit(X, y)
    last = Perceptron(max_iter=20).fit(X, y)
    assert not np.array_equal(best.coef_, last.coef_)
    ends = [Perceptron(max_iter=k).fit(X, y).score(X, y) for k in range(1, 21)]
    assert best.score(X, y) == max(ends)


def test_score_zero_predicts_the_first_class():
    learner = Perceptron(fit_intercept=False).fit([[1.0], [-1.0]], ["b", "a"])
    assert learner.predict([[0.0]]).tolist() == ["a"]


# ---------------------------------------------------------------- shuffling, options, errors


def test_shuffle_is_seeded_and_new_each_epoch():
    X, y = make_classification(n_samples=100, flip_y=0.2, random_state=0)
    first, again, other = (
        Perceptron(shuffle=True, max_iter=5, random_state=seed).fit(X, y) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.coef_, again.coef_)
    assert not np.array_equal(first.coef_, other.coef_)
    assert not np.array_equal(first.coef_, Perceptron(max_iter=5).fit(X, y).coef_)


@pytest.mark.parametrize("seed", [0, 1])
def test_shuffle_is_a_reshuffled_visiting_order(seed):
    X, y = make_classification(60, flip_y=0.2, random_state=0)
    learner = Perceptron(shuffle=True, max_iter=4, random_state=seed).fit(X, y)
    order = VisitingOrder(np.arange(60), "reshuffle", streams(seed, 1)[0])
    epochs = [order.take(60).tolist() for _ in range(4)]
    assert len({tuple(epoch) for epoch in epochs}) == 4
    rows = np.column_stack([X, np.ones(60)])
    w = np.zeros(rows.shape[1])
    for epoch in epochs:
        for i in epoch:
            if (2 * y[i] - 1) * (rows[i] @ w) <= 0:
                w = w + (2 * y[i] - 1) * rows[i]
    np.testing.assert_allclose(weights(learner)[0], w, rtol=1e-12)


def test_best_of_a_pair_counts_the_rows_of_the_pair():
    X, y = load_digits(n_class=5, return_X_y=True)
    X = X[:, 20:40]  # too little to separate the classes
    learner = Perceptron(predictor="best", multi_class="ovo", max_iter=8).fit(X, y)
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    for k, (i, j) in enumerate(pairs):
        keep = (y == i) | (y == j)
        alone = Perceptron(predictor="best", max_iter=8).fit(X[keep], y[keep])
        np.testing.assert_array_equal(learner.coef_[k], alone.coef_[0])


def test_float32_stays_float32_and_sums_run_in_float64():
    X, y = load_digits(return_X_y=True)
    single = Perceptron(max_iter=3).fit(X.astype(np.float32), y)
    double = Perceptron(max_iter=3).fit(X, y)
    assert single.coef_.dtype == np.float32
    np.testing.assert_array_equal(single.coef_, double.coef_.astype(np.float32))


def test_voted_has_no_coef_and_says_why():
    X, y = load_digits(n_class=2, return_X_y=True)
    learner = Perceptron().fit(X, y).set_params(predictor="voted").fit(X, y)
    with pytest.raises(AttributeError, match=r"no coef_: its vote over \d+ weight.*average"):
        _ = learner.coef_
    assert not hasattr(learner, "intercept_")
    assert hasattr(learner.set_params(predictor="last").fit(X, y), "coef_")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_iter": 0}, ValueError, r"max_iter must be an integer >= 1, got max_iter=0\. Typ"),
        ({"max_iter": 2.5}, TypeError, r"max_iter must be an integer.*2\.5 of type float"),
        ({"max_iter": True}, TypeError, r"max_iter must be an integer.*of type bool"),
        ({"predictor": "mean"}, ValueError, r"one of 'last', 'average', 'voted', 'best'; got"),
        ({"shuffle": 1}, TypeError, r"shuffle must be True or False, got shuffle=1"),
        ({"fit_intercept": "no"}, TypeError, r"fit_intercept must be True or False"),
        ({"multi_class": "all"}, ValueError, r"multi_class must be one of 'ovr', 'ovo'; got"),
    ],
)
def test_wrong_parameters_are_named(options, error, message):
    with pytest.raises(error, match=message):
        Perceptron(**options).fit([[0.0], [1.0]], [0, 1])


def test_features_too_large_for_their_products_are_refused():
    X = np.array([[1e200, -1e200], [1e200, 1e200], [-1e200, 1e200]])
    with pytest.raises(ValueError, match=r"products fit.*overflow.*StandardScaler"):
        Perceptron().fit(X, [1, 1, 0])
