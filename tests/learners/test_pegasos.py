from fractions import Fraction

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsOneClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from strategies import LAMBDAS, forms, problems, with_constant

from kernlib import Pegasos
from kernlib._memory import aligned_zeros
from kernlib.learners.pegasos_run import BinaryRun
from kernlib.learners.scaled import Rule

OUTPUTS = ["last", "average", "suffix"]


def weights(learner):
    return np.column_stack([learner.coef_, learner.intercept_])


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


def hinge_objective(w, X, y, lam, c=None):
    return lam / 2 * w @ w + np.average(np.maximum(0, 1 - y * (with_ones(X) @ w)), weights=c)


def make_run(X, y, lam, *, loss="hinge", first=0, c=None, prior=None, radius=np.inf, bias=1.0):
    run = BinaryRun((X.shape[1] + 1,), Rule(float(lam), bias, first), prior, loss)
    run.bind(X, y, c)
    run.radius = radius
    return run


def batches_of(order, size):
    return [order[k : k + size].tolist() for k in range(0, len(order), size)]


@pytest.fixture(scope="module")
def two_classes():
    X, y = make_classification(300, 8, flip_y=0.1, class_sep=0.7, random_state=3)
    return StandardScaler().fit_transform(X), np.where(y == 1, 1, -1)


@pytest.fixture(scope="module")
def three_classes():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


# ---------------------------------------------------------------- the loops and their twin


@pytest.mark.parametrize("form", ["float64", "float32", "csr"])
@pytest.mark.parametrize("batch", [1, 2, 4])
@given(problem=problems(), lam=LAMBDAS)
def test_loop_equals_pseudocode(form, batch, problem, lam):
    """v = lam T w is a sum of integers: equal to the last bit."""
    X, y, order = problem
    order = order[: len(order) // batch * batch]
    run = make_run(forms(X)[form], y, lam)
    run.advance(order, batch)
    batches = batches_of(order, batch)
    w = reference.pegasos(with_constant(X), y.tolist(), batches, lam)[-1]
    assert run.t == len(batches)
    assert [Fraction(a) for a in run.v] == [lam * len(batches) * a for a in w]


@pytest.mark.parametrize("batch", [1, 4])
@given(problem=problems(), lam=LAMBDAS, data=st.data())
def test_loop_with_weights_and_prior_equals_pseudocode(batch, problem, lam, data):
    X, y, order = problem
    order = order[: len(order) // batch * batch]
    integers = st.integers(0, 3)
    c = data.draw(st.lists(integers, min_size=len(X), max_size=len(X)))
    prior = data.draw(st.lists(integers, min_size=X.shape[1] + 1, max_size=X.shape[1] + 1))
    run = make_run(X, y, lam, c=np.array(c, dtype=float), prior=np.array(prior, dtype=float))
    run.advance(order, batch)
    batches = batches_of(order, batch)
    w = reference.pegasos(with_constant(X), y.tolist(), batches, lam, c=c, prior=prior)[-1]
    expected = [lam * len(batches) * (a - b) for a, b in zip(w, prior, strict=True)]
    assert [Fraction(a) for a in run.v] == expected


@pytest.mark.parametrize("batch", [1, 3])
@given(problem=problems(), lam=LAMBDAS, bias=st.sampled_from([0.0, 1.0]))
def test_logistic_loop_equals_pseudocode(batch, problem, lam, bias):
    X, y, order = problem
    run = make_run(X, y, lam, loss="logistic", bias=bias)
    run.advance(order, batch)
    rows = [[*map(float, row), bias] for row in X]
    batches = batches_of(order, batch)
    w = reference.pegasos(rows, y.tolist(), batches, float(lam), reference.logistic_slope)[-1]
    np.testing.assert_allclose(run.weights(), w, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@given(problem=problems(), lam=LAMBDAS, radius=st.sampled_from([0.3, 1.0, 2.5]), data=st.data())
def test_projected_loop_equals_pseudocode(batch, loss, problem, lam, radius, data):
    X, y, order = problem
    values = st.lists(st.sampled_from([0.0, 0.37, -1.21]), min_size=X.shape[1] + 1, max_size=9)
    prior = np.array(data.draw(values)[: X.shape[1] + 1])
    run = make_run(X, y, lam, loss=loss, radius=radius, prior=prior, first=1)
    run.advance(order, batch)
    slope = reference.hinge_slope if loss == "hinge" else reference.logistic_slope
    iterates = reference.pegasos(
        with_constant(X), y.tolist(), batches_of(order, batch), float(lam), slope,
        prior=prior.tolist(), radius=radius,
    )  # fmt: skip
    average = reference.mean(iterates[:-1])
    np.testing.assert_allclose(run.weights(), average, rtol=1e-8, atol=1e-8)
    run.first = 0
    np.testing.assert_allclose(run.weights(), iterates[-1], rtol=1e-8, atol=1e-8)


@given(problem=problems(), lam=LAMBDAS, data=st.data())
def test_mean_is_the_mean_of_the_iterates_before_each_step(problem, lam, data):
    X, y, order = problem
    first = data.draw(st.integers(1, len(order)))
    run = make_run(X, y, lam, first=first)
    run.advance(order, 1)
    batches = [[i] for i in order.tolist()]
    iterates = reference.pegasos(with_constant(X), y.tolist(), batches, lam)
    expected = reference.mean([[float(a) for a in w] for w in iterates[first - 1 : -1]])
    np.testing.assert_allclose(run.weights(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [(1,), (67,), (3, 5)])
def test_the_weights_begin_a_cache_line_at_zero(shape):
    starts = [aligned_zeros(shape) for _ in range(20)]
    assert all(v.ctypes.data % 64 == 0 and v.flags.c_contiguous for v in starts)
    assert all(v.shape == shape and not v.any() for v in starts)


@given(problem=problems(), lam=LAMBDAS, cut=st.integers(0, 25))
def test_a_run_in_pieces_is_the_run_at_once(problem, lam, cut):
    X, y, order = problem
    whole, pieces = (make_run(X, y, lam, first=1, radius=2.0) for _ in range(2))
    whole.advance(order, 1)
    pieces.advance(order[:cut], 1)
    pieces.advance(order[cut:], 1)
    np.testing.assert_array_equal(whole.weights(), pieces.weights())


def test_fit_equals_the_pseudocode_along_its_order():
    """The whole way: labels, intercept, cyclic order, float results."""
    X, y = make_classification(40, 4, random_state=0)
    learner = Pegasos(lam=0.1, n_steps=100, sampling="cyclic").fit(X, y)
    batches = [[t % 40] for t in range(100)]
    w = reference.pegasos(with_ones(X).tolist(), (2 * y - 1).tolist(), batches, 0.1)[-1]
    np.testing.assert_allclose(weights(learner)[0], w, rtol=1e-10)


# ---------------------------------------------------------------- theorems


@settings(max_examples=60)
@given(
    problem=problems(max_visits=40),
    lam=st.sampled_from([0.05, 0.3, 1.0]),
    u=st.lists(st.integers(-8, 8), min_size=5, max_size=5),
    project=st.booleans(),
)
def test_regret_bound_for_every_sequence_and_every_u(problem, lam, u, project):
    """(1/T) sum f_t(w_t) <= (1/T) sum f_t(u) + G^2 (1 + ln T) / (2 lam T)."""
    X, y, order = problem
    rows, n_steps = with_ones(X), len(order)
    u = np.array(u[: rows.shape[1]]) / 4
    norms = np.linalg.norm(rows[order], axis=1)
    radius = 1 / np.sqrt(lam) if project else np.inf
    if project:  # the bound is for u in the ball
        u = u / max(1.0, np.linalg.norm(u) / radius)
    bound_on_gradient = norms.max() + (np.sqrt(lam) if project else norms.max())
    run = make_run(X, y, lam, radius=radius)
    ours, theirs = 0.0, 0.0
    for i in order:
        w = run.weights()
        ours += lam / 2 * w @ w + max(0, 1 - y[i] * (rows[i] @ w))
        theirs += lam / 2 * u @ u + max(0, 1 - y[i] * (rows[i] @ u))
        run.advance(np.array([i]), 1)
    allowed = bound_on_gradient**2 * (1 + np.log(n_steps)) / (2 * lam)
    assert ours <= theirs + allowed + 1e-9 * (1 + abs(theirs))


@given(problem=problems(), lam=st.sampled_from([0.05, 0.3, 1.0]), batch=st.integers(1, 3))
def test_projection_keeps_every_iterate_in_the_ball(problem, lam, batch):
    X, y, order = problem
    run = make_run(X, y, lam)
    run.set_radius(None)
    assert run.radius == pytest.approx(1 / np.sqrt(lam))
    for start in range(0, len(order), batch):
        run.advance(order[start : start + batch], batch)
        assert np.linalg.norm(run.weights()) <= run.radius * (1 + 1e-9)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_the_ball_around_a_prior_holds_the_minimiser_and_the_iterates(two_classes, loss):
    X, y = two_classes
    prior = np.random.default_rng(0).normal(size=(1, 9))
    learner = Pegasos(lam=0.05, loss=loss, prior=prior, project=True, output="suffix",
                      n_steps=200_000, record_objective=200, random_state=0).fit(X, y)  # fmt: skip
    (run,) = learner._runs
    margins = y * (with_ones(X) @ prior[0])
    at_prior = np.maximum(0, 1 - margins) if loss == "hinge" else np.log1p(np.exp(-margins))
    assert run.radius == pytest.approx(np.sqrt(at_prior.mean() / 0.05))
    free = Pegasos(lam=0.05, loss=loss, prior=prior, output="suffix", n_steps=200_000,
                   record_objective=200, random_state=0).fit(X, y)  # fmt: skip
    assert np.linalg.norm(weights(free) - prior) < run.radius
    assert learner.objective_path_[-1] == pytest.approx(free.objective_path_[-1], rel=1e-3)


def test_objective_gap_of_the_average_stays_below_its_bound():
    """Mean over seeds of f(average) - f(best) <= G^2 (1 + ln T) / (2 lam T)."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(200) < 0.5, 1, -1)
    X = y[:, np.newaxis] * np.array([[0.9, 0.0]]) + 0.3 * rng.normal(size=(200, 2))
    lam, n_steps = 0.05, 20_000
    best = hinge_objective(exact_svm(X, y, lam), X, y, lam)
    fits = [
        Pegasos(lam=lam, n_steps=n_steps, output="average", random_state=seed).fit(X, y)
        for seed in range(40)
    ]
    gaps = [hinge_objective(weights(fit)[0], X, y, lam) - best for fit in fits]
    steepest = 2 * np.linalg.norm(with_ones(X), axis=1).max()
    bound = steepest**2 * (1 + np.log(n_steps)) / (2 * lam * n_steps)
    assert 0 < np.mean(gaps) <= bound
    # The bound says something: learning nothing, or half as much, would break it.
    for wrong in (np.zeros(3), 0.5 * exact_svm(X, y, lam), -exact_svm(X, y, lam)):
        assert hinge_objective(wrong, X, y, lam) - best > bound


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_flipped_labels_flip_the_weights(two_classes, loss, output):
    X, y = two_classes
    options = {"lam": 0.01, "loss": loss, "output": output, "n_steps": 500, "random_state": 0}
    one, other = Pegasos(**options).fit(X, y), Pegasos(**options).fit(X, -y)
    np.testing.assert_array_equal(weights(one), -weights(other))


# ---------------------------------------------------------------- against other solvers


def exact_svm(X, y, lam, sample_weight=None):
    """liblinear's dual solution; its intercept is a regularised constant feature too."""
    total = len(y) if sample_weight is None else np.sum(sample_weight)
    solver = LinearSVC(loss="hinge", C=1 / (lam * total), tol=1e-10, max_iter=10**6)
    return weights(solver.fit(X, y, sample_weight))[0]


@pytest.mark.parametrize("lam", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("sampling", ["replacement", "permutation", "reshuffle", "cyclic"])
def test_objective_reaches_liblinear(two_classes, lam, sampling):
    X, y = two_classes
    learner = Pegasos(
        lam=lam, n_steps=400_000, output="suffix", sampling=sampling, random_state=0
    ).fit(X, y)
    best = hinge_objective(exact_svm(X, y, lam), X, y, lam)
    ours = hinge_objective(weights(learner)[0], X, y, lam)
    assert best - 1e-9 <= ours <= best * 1.0005


def test_objective_with_weights_reaches_liblinear(two_classes):
    X, y = two_classes
    c = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    best = hinge_objective(exact_svm(X, y, 0.1, c), X, y, 0.1, c)
    for sampling in ("replacement", "reshuffle"):
        learner = Pegasos(
            lam=0.1, n_steps=400_000, output="suffix", sampling=sampling, random_state=0
        ).fit(X, y, sample_weight=c)
        ours = hinge_objective(weights(learner)[0], X, y, 0.1, c)
        assert best - 1e-9 <= ours <= best * 1.0005


@pytest.mark.parametrize("lam", [0.01, 0.1, 1.0])
def test_logistic_objective_and_weights_reach_the_optimum(two_classes, lam):
    X, y = two_classes
    rows = with_ones(X)
    exact = LogisticRegression(C=1 / (lam * len(y)), fit_intercept=False, tol=1e-10).fit(rows, y)
    w = exact.coef_[0]
    best = lam / 2 * w @ w + np.mean(np.logaddexp(0, -y * (rows @ w)))
    learner = Pegasos(
        lam=lam, loss="logistic", n_steps=10**6, output="suffix", record_objective=10**6,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    gap = learner.objective_path_[0, 0] - best
    assert -1e-9 <= gap <= 1e-4 * best
    # Strong convexity turns the gap into a distance.
    assert np.linalg.norm(weights(learner)[0] - w) <= np.sqrt(2 * gap / lam) + 1e-6
    np.testing.assert_allclose(learner.predict_proba(X), exact.predict_proba(rows), atol=0.02)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize("sparse_input", [False, True])
def test_weights_equal_sgd_with_the_same_steps(two_classes, loss, sparse_input):
    """SGDClassifier with eta = 1/(lam t), no shuffling, and our constant feature."""
    X, y = two_classes
    lam, epochs = 0.05, 3
    ours = Pegasos(lam=lam, loss=loss, n_steps=epochs * len(y), sampling="cyclic").fit(
        sparse.csr_array(X) if sparse_input else X, y
    )
    theirs = SGDClassifier(
        loss="hinge" if loss == "hinge" else "log_loss", alpha=lam, learning_rate="invscaling",
        eta0=1 / lam, power_t=1.0, shuffle=False, max_iter=epochs, tol=None, fit_intercept=False,
    ).fit(with_ones(X), y)  # fmt: skip
    np.testing.assert_allclose(weights(ours), theirs.coef_, rtol=1e-9, atol=1e-12)


def test_one_vs_rest_and_one_vs_one_reach_liblinear(three_classes):
    X, y = three_classes
    lam = 0.02
    ovr = Pegasos(lam=lam, n_steps=300_000, output="suffix", random_state=0).fit(X, y)
    for k in range(3):
        target = np.where(y == k, 1, -1)
        best = hinge_objective(exact_svm(X, target, lam), X, target, lam)
        assert hinge_objective(weights(ovr)[k], X, target, lam) <= best * 1.001
    ovo = Pegasos(lam=lam, n_steps=300_000, output="suffix", multi_class="ovo", random_state=0).fit(
        X, y
    )
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        keep = (y == i) | (y == j)
        target = np.where(y[keep] == j, 1, -1)
        best = hinge_objective(exact_svm(X[keep], target, lam), X[keep], target, lam)
        assert hinge_objective(weights(ovo)[k], X[keep], target, lam) <= best * 1.001


def test_one_vs_one_votes_like_scikit_learn(three_classes):
    X, y = three_classes
    ours = Pegasos(lam=0.02, multi_class="ovo", random_state=0).fit(X, y)
    theirs = OneVsOneClassifier(LinearSVC()).fit(X, y)
    for k, estimator in enumerate(theirs.estimators_):
        estimator.coef_, estimator.intercept_ = ours.coef_[k : k + 1], ours.intercept_[k : k + 1]
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))


# ---------------------------------------------------------------- weights of examples


def test_integer_weights_equal_duplication(two_classes):
    """The draws are mapped through the cumulative weights: the same run, number for number."""
    X, y = two_classes
    c = np.random.default_rng(1).integers(0, 4, len(y))
    options = {"lam": 0.05, "n_steps": 3000, "output": "average", "random_state": 5}
    weighted = Pegasos(**options).fit(X, y, sample_weight=c)
    repeated = Pegasos(**options).fit(np.repeat(X, c, axis=0), np.repeat(y, c))
    np.testing.assert_allclose(weights(weighted), weights(repeated), rtol=1e-12)


@given(problem=problems(), data=st.data())
def test_objective_of_integer_weights_is_that_of_duplicates(problem, data):
    X, y, _ = problem
    n = len(y)
    c = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)), dtype=float)
    learner = Pegasos(lam=0.5, n_steps=20, record_objective=20, random_state=0)
    learner.fit(X, y, sample_weight=c)
    w = weights(learner)[0].tolist()
    repeats = c.astype(int)
    rows = with_constant(np.repeat(X, repeats, axis=0))
    labels = np.repeat(y, repeats).tolist()
    expected = reference.hinge_objective(w, rows, labels, 0.5, [1] * len(rows), [0.0] * len(w))
    assert learner.objective_path_[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize("sampling", ["replacement", "reshuffle"])
def test_balanced_is_the_weighting_of_the_lecture_note(two_classes, sampling):
    """C N / (2 N+) for the positive class, C N / (2 N-) for the negative one, C = 1."""
    X, y = two_classes
    keep = np.concatenate([np.flatnonzero(y == 1)[:30], np.flatnonzero(y == -1)])
    X, y = X[keep], y[keep]
    n, n_pos, n_neg = len(y), (y == 1).sum(), (y == -1).sum()
    options = {"lam": 0.1, "n_steps": 2000, "sampling": sampling, "random_state": 0}
    balanced = Pegasos(class_weight="balanced", **options).fit(X, y)
    by_hand = Pegasos(class_weight={1: n / (2 * n_pos), -1: n / (2 * n_neg)}, **options).fit(X, y)
    by_example = Pegasos(**options).fit(
        X, y, sample_weight=np.where(y == 1, n / (2 * n_pos), n / (2 * n_neg))
    )
    np.testing.assert_array_equal(weights(balanced), weights(by_hand))
    np.testing.assert_array_equal(weights(balanced), weights(by_example))


def test_weights_count_up_to_a_factor(two_classes):
    X, y = two_classes
    c = np.random.default_rng(0).random(len(y))
    for sampling in ("replacement", "permutation"):
        options = {"lam": 0.1, "n_steps": 500, "sampling": sampling, "random_state": 0}
        one = Pegasos(**options).fit(X, y, sample_weight=c)
        other = Pegasos(**options).fit(X, y, sample_weight=1024 * c)
        np.testing.assert_allclose(weights(one), weights(other), rtol=1e-10)


def test_balanced_counts_the_sample_weights(two_classes):
    """As if the rows were there that often, which is what duplicates do."""
    X, y = two_classes
    c = np.where(y == 1, 3, 1)
    options = {"lam": 0.1, "n_steps": 3000, "class_weight": "balanced", "random_state": 0}
    weighted = Pegasos(**options).fit(X, y, sample_weight=c)
    repeated = Pegasos(**options).fit(np.repeat(X, c, axis=0), np.repeat(y, c))
    np.testing.assert_allclose(weights(weighted), weights(repeated), rtol=1e-9)


def test_the_weights_of_a_pair_are_relative_to_the_pair(three_classes):
    """One-vs-one with weights is, pair by pair, a binary problem with weights."""
    X, y = three_classes
    c = np.select([y == 0, y == 1], [100.0, 2.0], default=1.0) * (1 + np.arange(len(y)) % 3)
    options = {"lam": 0.05, "n_steps": 400, "sampling": "cyclic"}
    ovo = Pegasos(multi_class="ovo", **options).fit(X, y, sample_weight=c)
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        keep = (y == i) | (y == j)
        alone = Pegasos(**options).fit(X[keep], y[keep], sample_weight=c[keep])
        np.testing.assert_allclose(weights(ovo)[k], weights(alone)[0], rtol=1e-10)


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_the_radius_counts_the_weights(two_classes, loss):
    X, y = two_classes
    c, prior = np.where(y == 1, 9.0, 1.0), np.full((1, 9), 0.7)
    learner = Pegasos(lam=0.1, loss=loss, prior=prior, project=True, n_steps=10)
    learner.fit(X, y, sample_weight=c)
    margins = y * (with_ones(X) @ prior[0])
    losses = np.maximum(0, 1 - margins) if loss == "hinge" else np.log1p(np.exp(-margins))
    expected = np.sqrt(np.average(losses, weights=c) / 0.1)
    assert learner._runs[0].radius == pytest.approx(expected)


def test_every_problem_draws_for_itself(three_classes):
    X, y = three_classes
    learner = Pegasos(lam=0.05, n_steps=50, multi_class="ovr", random_state=0).fit(X, y == 0)
    twice = np.where(y == 0, 0, 1)
    three = Pegasos(lam=0.05, n_steps=50, random_state=0).fit(X, y)
    again = Pegasos(lam=0.05, n_steps=50, random_state=0).fit(X, twice)
    np.testing.assert_array_equal(weights(learner), -weights(again))
    # The first problem is that of class 0; the same labels further on would see other draws.
    assert not np.array_equal(weights(three)[0], weights(three)[1])
    orders = three._bind(three._start(4, 0), X, y, None)
    draws = [order.take(20).tolist() for order in orders]
    assert draws[0] != draws[1] != draws[2] != draws[0]


@pytest.mark.parametrize("fit", ["fit", "partial_fit"])
def test_without_intercept_there_is_none(two_classes, fit):
    X, y = two_classes
    learner = Pegasos(lam=0.05, n_steps=len(y), sampling="cyclic", fit_intercept=False)
    options = {"classes": [-1, 1]} if fit == "partial_fit" else {}
    getattr(learner, fit)(X + 3.0, y, **options)
    w = reference.pegasos((X + 3.0).tolist(), y.tolist(), [[i] for i in range(len(y))], 0.05)[-1]
    assert learner.intercept_.tolist() == [0.0]
    np.testing.assert_allclose(learner.coef_[0], w, rtol=1e-9)


# ---------------------------------------------------------------- transfer


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "crammer_singer"])
@pytest.mark.parametrize("project", [False, True])
def test_infinite_regularisation_returns_the_prior(three_classes, multi_class, project):
    X, y = three_classes
    prior = np.random.default_rng(0).normal(size=(3, 5))
    learner = Pegasos(
        lam=1e12, prior=prior, multi_class=multi_class, project=project, n_steps=100
    ).fit(X, y)
    np.testing.assert_allclose(weights(learner), prior, atol=1e-9)


def test_a_prior_of_zero_is_no_prior(two_classes):
    X, y = two_classes
    options = {"lam": 0.05, "n_steps": 1000, "random_state": 0, "output": "average"}
    plain = Pegasos(**options).fit(X, y)
    zero = Pegasos(prior=np.zeros((1, 9)), **options).fit(X, y)
    np.testing.assert_allclose(weights(plain), weights(zero), rtol=1e-12)


def test_transfer_minimises_its_objective(two_classes):
    """C/|D| sum of hinge + 1/2 ||w - w_r||^2 with C = 1/lam, against a shifted exact solver."""
    X, y = two_classes
    lam, rows = 0.05, with_ones(X)
    prior = np.random.default_rng(2).normal(size=9)
    learner = Pegasos(
        lam=lam, prior=prior, n_steps=500_000, output="suffix", record_objective=500_000,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    best = exact_transfer(rows, y, lam, prior)
    ours = lam / 2 * np.sum((weights(learner)[0] - prior) ** 2) + np.mean(
        np.maximum(0, 1 - y * (rows @ weights(learner)[0]))
    )
    assert learner.objective_path_[0, 0] == pytest.approx(ours)
    assert best - 1e-8 <= ours <= best * 1.0005


def exact_transfer(rows, y, lam, prior, sweeps=3000):
    """Return the optimal value by coordinate ascent on the dual (the box is [0, 1/(lam n)])."""
    n = len(y)
    alpha, w = np.zeros(n), prior.copy()
    norms = (rows**2).sum(axis=1)
    for _ in range(sweeps):
        for i in range(n):
            new = np.clip(alpha[i] + (1 - y[i] * rows[i] @ w) / norms[i], 0, 1 / (lam * n))
            w = w + (new - alpha[i]) * y[i] * rows[i]
            alpha[i] = new
        gap = lam * alpha @ (y * (rows @ w) - 1) + np.mean(np.maximum(0, 1 - y * (rows @ w)))
        if gap < 1e-9:
            break
    assert gap < 1e-7
    away = w - prior
    return lam / 2 * away @ away + np.mean(np.maximum(0, 1 - y * (rows @ w)))


def test_a_frozen_model_is_a_prior_that_clone_keeps(two_classes):
    X, y = two_classes
    source = LinearSVC().fit(X[:100], y[:100])
    learner = clone(Pegasos(lam=1e12, prior=FrozenEstimator(source), n_steps=50))
    np.testing.assert_allclose(weights(learner.fit(X, y)), weights(source), atol=1e-9)
    as_array = Pegasos(lam=0.1, prior=weights(source), random_state=0).fit(X, y)
    as_model = Pegasos(lam=0.1, prior=FrozenEstimator(source), random_state=0).fit(X, y)
    np.testing.assert_array_equal(weights(as_array), weights(as_model))


# ---------------------------------------------------------------- streams


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "crammer_singer"])
@pytest.mark.parametrize("output", ["last", "average"])
def test_a_stream_in_pieces_is_one_pass(three_classes, multi_class, output):
    X, y = three_classes
    options = {"lam": 0.05, "multi_class": multi_class, "output": output, "project": True}
    mixed = np.random.default_rng(0).permutation(len(y))
    X, y = X[mixed], y[mixed]
    streamed = Pegasos(**options)
    for start in range(0, len(y), 40):
        streamed.partial_fit(X[start : start + 40], y[start : start + 40], classes=[0, 1, 2])
    at_once = Pegasos(**options).partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_allclose(weights(streamed), weights(at_once), rtol=1e-12)
    np.testing.assert_array_equal(streamed.n_steps_, at_once.n_steps_)
    if multi_class != "ovo":
        fitted = Pegasos(sampling="cyclic", n_steps=len(y), **options).fit(X, y)
        np.testing.assert_allclose(weights(fitted), weights(at_once), rtol=1e-12)


def test_partial_fit_goes_on_from_fit(two_classes):
    X, y = two_classes
    options = {"lam": 0.05, "sampling": "cyclic", "output": "average"}
    learner = Pegasos(n_steps=len(y), **options).fit(X, y)
    learner.partial_fit(X, y)
    twice = Pegasos(n_steps=2 * len(y), **options).fit(X, y)
    np.testing.assert_allclose(weights(learner), weights(twice), rtol=1e-12)
    assert learner.n_steps_.tolist() == [2 * len(y)]


def test_partial_fit_survives_a_piece_without_a_class(three_classes):
    X, y = three_classes
    learner = Pegasos(lam=0.05, multi_class="ovo", project=True)
    learner.partial_fit(X[:50], y[:50], classes=[0, 1, 2])
    assert learner.n_steps_.tolist() == [50, 50, 0]
    assert np.all(learner.coef_[2] == 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"output": "suffix"}, r"cannot do output='suffix' \(the length.*use 'average'"),
        ({"class_weight": "balanced"}, r"cannot do class_weight='balanced'.*pass a dict"),
        ({"project": True, "prior": [[0, 0]]}, r"cannot do project=True with a prior"),
        ({"project": True, "class_weight": {0: 9, 1: 1}}, r"cannot do project=True with weights"),
    ],
)
def test_partial_fit_refuses_what_needs_all_data(options, message):
    with pytest.raises(ValueError, match=message):
        Pegasos(**options).partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])


def test_partial_fit_counts_weights_and_batches(two_classes):
    X, y = two_classes
    c = (1 + np.arange(len(y)) % 4).astype(float)
    learner = Pegasos(lam=0.05, batch_size=7, class_weight={-1: 2.0, 1: 0.5})
    learner.partial_fit(X, y, classes=[-1, 1], sample_weight=c)
    both = (c * np.where(y == 1, 0.5, 2.0)).tolist()
    batches = batches_of(np.arange(len(y)), 7)
    w = reference.pegasos(with_ones(X).tolist(), y.tolist(), batches, 0.05, c=both)[-1]
    np.testing.assert_allclose(weights(learner)[0], w, rtol=1e-9)
    assert learner.n_steps_.tolist() == [len(batches)]


@pytest.mark.parametrize(
    "change",
    [
        {"lam": 0.5},
        {"loss": "logistic"},
        {"fit_intercept": False},
        {"output": "last"},
        {"multi_class": "ovo"},
        {"multi_class": "crammer_singer"},
    ],
    ids=str,
)
def test_partial_fit_goes_on_only_as_it_was_begun(three_classes, change):
    X, y = three_classes
    learner = Pegasos(lam=0.1, output="average").partial_fit(X, y, classes=[0, 1, 2])
    before = weights(learner).copy()
    name = next(iter(change))
    with pytest.raises(ValueError, match=rf"goes on with {name}=.*got {name}=.*clone"):
        learner.set_params(**change).partial_fit(X, y)
    np.testing.assert_array_equal(weights(learner), before)


def test_partial_fit_may_begin_to_project(two_classes):
    X, y = two_classes
    learner = Pegasos(lam=1e-4).partial_fit(100 * X[:5], y[:5], classes=[-1, 1])
    assert np.linalg.norm(weights(learner)) > 1 / np.sqrt(1e-4)
    learner.set_params(project=True).partial_fit(X[5:], y[5:])
    assert np.linalg.norm(weights(learner)) <= (1 + 1e-9) / np.sqrt(1e-4)


def test_a_refused_piece_leaves_the_stream_where_it_was(two_classes):
    X, y = two_classes
    learner = Pegasos(lam=0.1).partial_fit(X, y, classes=[-1, 1])
    twin = Pegasos(lam=0.1).partial_fit(X, y, classes=[-1, 1])
    with pytest.raises(ValueError, match="overflow"):
        learner.partial_fit(1e200 * X, y)
    np.testing.assert_array_equal(
        weights(learner.partial_fit(X, y)), weights(twin.partial_fit(X, y))
    )


def test_a_prior_is_copied(two_classes):
    X, y = two_classes
    prior = np.ones((1, 9))
    learner = Pegasos(lam=0.1, prior=prior, n_steps=50, random_state=0).fit(X, y)
    twin = Pegasos(lam=0.1, prior=np.ones((1, 9)), n_steps=50, random_state=0).fit(X, y)
    prior[:] = 7.0
    np.testing.assert_array_equal(
        weights(learner.partial_fit(X, y)), weights(twin.partial_fit(X, y))
    )


def test_prediction_follows_the_fit_and_not_a_later_parameter(three_classes):
    X, y = three_classes
    learner = Pegasos(lam=0.05, random_state=0).fit(X, y)
    before = learner.predict(X)
    assert np.array_equal(learner.set_params(multi_class="ovo").predict(X), before)


def test_partial_fit_wants_its_classes():
    with pytest.raises(ValueError, match=r"first call of partial_fit needs classes.*got None"):
        Pegasos().partial_fit([[0.0]], [0])
    learner = Pegasos().partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match=r"classes must stay \[0, 1\].*got \[0, 1, 2\]"):
        learner.partial_fit([[0.0]], [0], classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"labels among classes \[0, 1\], got also \[7\]"):
        learner.partial_fit([[0.0]], [7])


# ---------------------------------------------------------------- what is recorded and returned


@pytest.mark.parametrize("output", OUTPUTS)
def test_objective_path_is_the_objective_on_the_way(two_classes, output):
    X, y = two_classes
    options = {"lam": 0.05, "output": output, "sampling": "reshuffle", "random_state": 0}
    learner = Pegasos(n_steps=1050, record_objective=100, **options).fit(X, y)
    assert learner.objective_path_.shape == (10, 1)
    plain = Pegasos(n_steps=1050, **options).fit(X, y)
    np.testing.assert_allclose(weights(learner), weights(plain), rtol=1e-12)
    if output != "suffix":  # the suffix of a shorter run starts elsewhere
        shorter = Pegasos(n_steps=700, **options).fit(X, y)
        expected = hinge_objective(weights(shorter)[0], X, y, 0.05)
        assert learner.objective_path_[6, 0] == pytest.approx(expected)


def test_objective_path_of_one_vs_one_counts_its_own_rows(three_classes):
    X, y = three_classes
    learner = Pegasos(lam=0.05, n_steps=500, multi_class="ovo", record_objective=500,
                      random_state=0).fit(X, y)  # fmt: skip
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        keep = (y == i) | (y == j)
        target = np.where(y[keep] == j, 1, -1)
        expected = hinge_objective(weights(learner)[k], X[keep], target, 0.05)
        assert learner.objective_path_[0, k] == pytest.approx(expected)


def test_suffix_is_the_mean_of_the_last_share(two_classes):
    X, y = two_classes
    options = {"lam": 0.1, "sampling": "cyclic"}
    fit = Pegasos(output="suffix", suffix=0.25, n_steps=8, **options).fit(X, y)
    iterates = [weights(Pegasos(n_steps=t, **options).fit(X, y))[0] for t in (6, 7)]
    np.testing.assert_allclose(weights(fit)[0], np.mean(iterates, axis=0), rtol=1e-12)
    whole = Pegasos(output="suffix", suffix=1.0, n_steps=50, **options).fit(X, y)
    average = Pegasos(output="average", n_steps=50, **options).fit(X, y)
    np.testing.assert_array_equal(weights(whole), weights(average))


def test_sparse_equals_dense_with_every_option(three_classes):
    X, y = three_classes
    for options in (
        {"output": "average", "project": True},
        {"batch_size": 3, "loss": "logistic"},
        {"multi_class": "crammer_singer", "output": "suffix", "project": True},
        {"prior": np.ones((3, 5)), "class_weight": "balanced", "sampling": "reshuffle"},
    ):
        dense = Pegasos(lam=0.05, n_steps=500, random_state=0, **options).fit(X, y)
        csr = Pegasos(lam=0.05, n_steps=500, random_state=0, **options).fit(sparse.csr_array(X), y)
        np.testing.assert_allclose(weights(dense), weights(csr), rtol=1e-9)


def test_repeated_entries_of_a_sparse_row_add_up():
    """(2 + 3)^2 is not 2^2 + 3^2: the projection would notice."""
    single = sparse.csr_array(np.array([[5.0, 1.0], [-1.0, 2.0]]))
    double = sparse.csr_array(([2.0, 3.0, 1.0, -1.0, 2.0], [0, 0, 1, 0, 1], [0, 3, 5]), (2, 2))
    options = {"lam": 0.5, "project": True, "n_steps": 50, "random_state": 0}
    one, other = (Pegasos(**options).fit(X, [0, 1]) for X in (single, double))
    np.testing.assert_array_equal(weights(one), weights(other))
    assert double.nnz == 5, "the caller's matrix stays as it was"


def test_float32_is_not_copied_and_stays_float32():
    import tracemalloc

    X = np.random.default_rng(0).normal(size=(20_000, 50)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    learner = Pegasos(lam=0.01, n_steps=1000, random_state=0).fit(X, y)  # compiles
    tracemalloc.start()
    learner.fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.nbytes / 2
    assert (learner.coef_.dtype, learner.intercept_.dtype) == (np.float32, np.float32)
    double = Pegasos(lam=0.01, n_steps=1000, random_state=0).fit(X.astype(np.float64), y)
    np.testing.assert_array_equal(learner.coef_, double.coef_.astype(np.float32))


def test_sparse_input_is_not_densified():
    import tracemalloc

    X = sparse.random_array((2000, 20_000), density=1e-3, format="csr", rng=0)
    y = np.arange(2000) % 2
    tracemalloc.start()
    Pegasos(n_steps=2000, random_state=0).fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.1 * 2000 * 20_000 * 8


@pytest.mark.parametrize("lam", [1e-300, 1e-8, 1.0, 1e8, 1e300])
@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_the_logistic_loss_overflows_for_no_lambda_and_no_scale(two_classes, lam, scale):
    X, y = two_classes
    learner = Pegasos(lam=lam, loss="logistic", n_steps=300, fit_intercept=False,
                      record_objective=100, random_state=0)  # fmt: skip
    if scale / lam > 1e308:
        with pytest.raises(ValueError, match="overflow"):
            learner.fit(scale * X, y)
        return
    learner.fit(scale * X, y)
    assert np.all(np.isfinite(learner.coef_))
    assert np.all(np.isfinite(learner.predict_proba(scale * X)))


def test_probabilities_of_hopeless_rows_sum_to_one(three_classes):
    X, y = three_classes
    learner = Pegasos(lam=1e-3, loss="logistic", random_state=0).fit(X, y)
    p = learner.predict_proba(1e6 * X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


def test_scores_of_zero_predict_the_first_class():
    learner = Pegasos(lam=1e12, n_steps=1, prior=[[0.0]], fit_intercept=False)
    learner.fit([[1.0], [-1.0]], ["b", "a"])
    assert learner.predict([[0.0]]).tolist() == ["a"]


def test_same_seed_same_weights_for_any_piece_size(two_classes, monkeypatch):
    X, y = two_classes
    options = {"lam": 0.05, "batch_size": 3, "output": "average", "random_state": 0}
    whole = Pegasos(n_steps=500, **options).fit(X, y)
    monkeypatch.setattr("kernlib.learners.scaled.MOST_VISITS", 7)
    np.testing.assert_allclose(
        weights(whole), weights(Pegasos(n_steps=500, **options).fit(X, y)), rtol=1e-12
    )


def test_digits_with_defaults():
    X, y = load_digits(return_X_y=True)
    assert Pegasos(random_state=0).fit(X / 16, y).score(X / 16, y) > 0.95
