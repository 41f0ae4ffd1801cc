import pickle

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, LinearSVC
from strategies import problems

from kernlib import KernelSVM, Pegasos
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Gaussian, Polynomial, SquaredL1
from kernlib.learners import kernel_svm, svm_dual
from kernlib.learners.kernel_base import Reporter
from kernlib.learners.smo import _place, _smo_loop, extremes, subtract_rows, violating
from kernlib.learners.svm_dual import Dual


def noisy(n=120, seed=0, **options):
    X, y = make_classification(n, 5, n_informative=3, flip_y=0.15, random_state=seed, **options)
    return X, 2 * y - 1


def coefficients(learner, n):
    beta = np.zeros((len(learner.dual_coef_), n))
    beta[:, learner.support_] = learner.dual_coef_
    return beta


def tight(**options):
    return KernelSVM(tol=1e-9, **options)


def svc(**options):
    return SVC(tol=1e-9, **options)


# ---------------------------------------------------------------- the loop and its twin


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(
    problem=problems(max_rows=10),
    C=st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0, 3.0]), min_size=10, max_size=10),
    intercept=st.booleans(),
    tol=st.sampled_from([1e-6, 1e-6, 1.0, 2.0]),
    max_steps=st.integers(0, 40),
    lazily=st.booleans(),
)
def test_loop_equals_pseudocode(dtype, problem, C, intercept, tol, max_steps, lazily):
    X, y, _ = problem
    n, G = len(y), (X @ X.T).astype(dtype)
    C = np.array(C[:n])
    dual = Dual(y.astype(float), C, intercept)
    K, have = (np.full_like(G, np.nan), np.zeros(n, bool)) if lazily else (G, np.ones(n, bool))
    points = np.arange(n, dtype=np.uint64)
    diag = np.append(np.diagonal(G), 0.0).astype(float)
    box = (dual.E, dual.beta, dual.lower, dual.upper)
    steps = _smo_loop(K, have, G, points, diag, *box, tol, max_steps)
    expected = reference.smo((X @ X.T).tolist(), y.tolist(), C.tolist(), tol, max_steps, intercept)
    assert (dual.beta.tolist(), dual.E.tolist(), steps) == expected


@given(n=st.integers(1, 300), seed=st.integers(0, 99), rare=st.integers(2, 100))
def test_place_equals_its_definition(n, seed, rare):
    """The first value of the wanted size that is not barred; the last point if there is none."""
    rng = np.random.default_rng(seed)
    values, barred = rng.integers(0, rare, n), np.where(rng.random(n) < 0.3, np.inf, 0.0)
    found = np.flatnonzero((values == 1) & (barred == 0))
    assert _place(1.0, values.astype(float), barred) == (found[0] if len(found) else n - 1)


@pytest.mark.parametrize("side", [1, -1])
def test_a_clipped_step_ends_at_the_bound_by_definition(side):
    """Exactly there, also where beta + (C - beta) rounds to something else."""
    rng = np.random.default_rng(0)
    C, start = rng.uniform(0.8, 1.0, 1000), rng.uniform(0.25, 0.3, 1000)
    C, start = np.column_stack([C, start])[start + (C - start) != C][0]
    dual = Dual(np.array([side, -side]), np.array([C, 9.0]), fit_intercept=True)
    dual.beta[:2] = side * start, -side * start
    box = (dual.E, dual.beta, dual.lower, dual.upper)
    K, points = np.zeros((2, 2)), np.arange(2, dtype=np.uint64)
    assert _smo_loop(K, np.ones(2, bool), K, points, np.zeros(3), *box, 1e-3, 1) == 1
    assert dual.beta[0] == side * C


@given(
    problem=problems(max_rows=7, max_columns=3),
    C=st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=7, max_size=7),
)
def test_optimum_without_intercept_equals_its_definition(problem, C):
    """The same dual value as one coordinate at a time, and the primal's value above it."""
    X, y, _ = problem
    X, C = np.column_stack([X, np.eye(len(y))]), C[: len(y)]  # K positive definite: fast passes
    K, labels = (X @ X.T).tolist(), y.tolist()
    learner = tight(kernel="linear", fit_intercept=False).fit(X, y, sample_weight=C)
    alpha = reference.dual_coordinate_ascent(K, labels, C, 150)
    best = reference.svm_dual(K, labels, alpha)
    assert learner.dual_objective_[0] == pytest.approx(best, abs=1e-7)
    mine = (coefficients(learner, len(y))[0] * y).tolist()
    assert learner.dual_objective_[0] == pytest.approx(reference.svm_dual(K, labels, mine))
    gap = reference.svm_primal(K, labels, C, mine, 0.0) - reference.svm_dual(K, labels, mine)
    assert learner.dual_gap_[0] == pytest.approx(gap, abs=1e-9)


@given(problem=problems(max_rows=8), tol=st.sampled_from([0.5, 0.1, 1e-4]))
def test_gap_equals_its_definition(problem, tol):
    """The primal's value minus the dual's, with b the mean of E strictly inside the box."""
    X, y, _ = problem
    learner = KernelSVM(kernel="linear", tol=tol, C=2.0).fit(X, y)
    alpha = (coefficients(learner, len(y))[0] * y).tolist()
    K, labels, b = (X @ X.T).tolist(), y.tolist(), learner.intercept_[0]
    value = reference.svm_dual(K, labels, alpha)
    primal = reference.svm_primal(K, labels, [2.0] * len(y), alpha, b)
    assert learner.dual_objective_[0] == pytest.approx(value, abs=1e-9)
    assert learner.dual_gap_[0] == pytest.approx(primal - value, abs=1e-8)
    E = y - X @ X.T @ (alpha * y)
    inside = [e for e, a in zip(E, alpha, strict=True) if 0 < a < 2.0]
    assert not inside or b == pytest.approx(sum(inside) / len(inside), abs=1e-8)


# ---------------------------------------------------------------- theorems


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_optimality_conditions(C, fit_intercept):
    X, y = noisy()
    learner = tight(C=C, fit_intercept=fit_intercept).fit(X, y)
    alpha = coefficients(learner, len(y))[0] * y
    margin = y * learner.decision_function(X)
    assert np.all((alpha >= 0) & (alpha <= C))
    assert np.all(margin[alpha == 0] >= 1 - 1e-8)
    assert np.all(margin[alpha == C] <= 1 + 1e-8)
    np.testing.assert_allclose(margin[(alpha > 0) & (alpha < C)], 1, atol=1e-8)
    assert not fit_intercept or abs(alpha @ y) < 1e-9 * C
    assert fit_intercept or learner.intercept_[0] == 0


def test_gap_vanishes_with_tol():
    X, y = noisy()
    fits = [KernelSVM(tol=tol, C=10).fit(X, y) for tol in (1e-1, 1e-3, 1e-5, 1e-7, 1e-9)]
    gaps = np.array([fit.dual_gap_[0] for fit in fits])
    assert np.all(gaps >= 0)
    assert np.all(np.diff(gaps) < 0)
    assert gaps[-1] < 1e-6 * fits[-1].dual_objective_[0]
    best = fits[-1].dual_objective_[0]
    for fit, gap in zip(fits, gaps, strict=True):
        assert fit.dual_objective_[0] <= best * (1 + 1e-7) <= fit.dual_objective_[0] + gap + 1e-4


def test_hard_margin():
    """C large on separable data: no loss, and the support vectors lie on the margin."""
    X, y = make_moons(60, noise=0.05, random_state=0)
    y = 2 * y - 1
    learner = tight(kernel=Gaussian(gamma=2.0), C=1e6).fit(X, y)
    margin = y * learner.decision_function(X)
    assert margin.min() > 1 - 1e-7
    np.testing.assert_allclose(margin[learner.support_], 1, atol=1e-7)
    # ||f||^2 = sum of alpha, where no point is at the bound.
    assert learner.dual_objective_[0] == pytest.approx(np.abs(learner.dual_coef_).sum() / 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_lam_is_one_over_C_m(weighted):
    X, y = noisy(n_classes=2)
    c = np.random.default_rng(0).random(len(y)) if weighted else np.ones(len(y))
    lam = 0.02
    one = tight(lam=lam).fit(X, y, sample_weight=c)
    other = tight(C=1 / (lam * c.sum())).fit(X, y, sample_weight=c)
    np.testing.assert_allclose(one.dual_coef_, other.dual_coef_, atol=1e-8)


def test_pegasos_comes_near_and_never_below():
    """Both minimise lam/2 ||w||^2 + mean hinge; the exact one is a lower bound."""
    X, y = noisy(300)
    lam, c = 0.05, 1 + np.arange(300) % 3
    for weights in (None, c):
        exact = tight(kernel="linear", lam=lam, fit_intercept=False).fit(X, y, weights)
        share = np.full(300, 1 / 300) if weights is None else c / c.sum()

        def objective(w, share=share):
            return lam / 2 * w @ w + share @ np.maximum(0, 1 - y * (X @ w))

        w = exact.dual_coef_[0] @ exact.support_vectors_
        best = objective(w)
        assert best == pytest.approx(lam * exact.dual_objective_[0], rel=1e-6)
        options = {"lam": lam, "fit_intercept": False, "random_state": 0, "output": "average"}
        for n_steps in (10, 1000, 100_000):
            w = Pegasos(n_steps=n_steps, **options).fit(X, y, sample_weight=weights).coef_[0]
            largest = np.linalg.norm(X, axis=1).max()
            bound = (largest + np.sqrt(lam)) ** 2 * (1 + np.log(n_steps)) / (2 * lam * n_steps)
            assert best * (1 - 1e-7) <= objective(w) <= best + 8 * bound


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_integer_weights_are_repeated_rows(fit_intercept):
    X, y = noisy(60)
    c = np.random.default_rng(1).integers(0, 4, 60)
    options = {"kernel": Gaussian(gamma=0.3), "fit_intercept": fit_intercept}
    for more in ({"C": 2.0}, {"lam": 0.01}):
        weighted = tight(**options, **more).fit(X, y, sample_weight=c)
        repeated = tight(**options, **more).fit(X.repeat(c, axis=0), y.repeat(c))
        np.testing.assert_allclose(
            weighted.decision_function(X), repeated.decision_function(X), atol=1e-7
        )
        np.testing.assert_allclose(weighted.dual_objective_, repeated.dual_objective_, rtol=1e-9)


def test_weights_count_in_the_width():
    X, y = noisy(60)
    c = np.random.default_rng(1).integers(0, 4, 60)
    repeated = KernelSVM().fit(X.repeat(c, axis=0), y.repeat(c)).kernel_.gamma
    for form in (X, sparse.csr_array(X)):
        gamma = KernelSVM().fit(form, y, sample_weight=c).kernel_.gamma
        assert gamma == pytest.approx(repeated, rel=1e-12)


def test_flipped_labels_flip_the_scores():
    X, y = noisy()
    one, other = tight().fit(X, y), tight().fit(X, -y)
    np.testing.assert_allclose(one.decision_function(X), -other.decision_function(X), atol=1e-8)


# ---------------------------------------------------------------- against scikit-learn

KERNELS = {
    "rbf": ({"kernel": Gaussian(gamma=0.2)}, {"gamma": 0.2}),
    "poly": (
        {"kernel": Polynomial(degree=2, coef0=1, scale=0.25)},
        {"kernel": "poly", "degree": 2, "coef0": 1, "gamma": 0.25},
    ),
    "linear": ({"kernel": "linear"}, {"kernel": "linear"}),
}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_binary_equals_svc(kernel, C):
    """SVC rounds kernel values to float32; on quarters linear and quadratic ones are exact."""
    X, y = noisy()
    X = np.round(4 * X) / 4
    ours, theirs = KERNELS[kernel]
    mine, svm = tight(C=C, **ours).fit(X, y), svc(C=C, **theirs).fit(X, y)
    scores = svm.decision_function(X)
    atol = 1e-6 * C if kernel == "rbf" else 1e-7
    np.testing.assert_allclose(mine.decision_function(X), scores, rtol=1e-6, atol=atol)
    beta = svm.dual_coef_[0]
    their_dual = np.abs(beta).sum() - (scores[svm.support_] - svm.intercept_) @ beta / 2
    assert mine.dual_objective_[0] == pytest.approx(their_dual, rel=1e-7)


def test_one_vs_one_equals_svc():
    X, y = load_digits(n_class=5, return_X_y=True)
    X, y = X[:400] / 16, y[:400]
    mine = tight(kernel=Gaussian(gamma=0.1)).fit(X, y)
    svm = svc(gamma=0.1, decision_function_shape="ovo").fit(X, y)
    # SVC's pair (i, j) is positive for i.
    np.testing.assert_allclose(mine._binary_scores(X), -svm.decision_function(X), atol=1e-6)
    assert mine.n_support_.sum() == np.count_nonzero(mine.dual_coef_)


def test_one_vs_rest_is_a_binary_problem_per_class():
    X, y = load_digits(n_class=4, return_X_y=True)
    X, y = X[:200] / 16, y[:200]
    mine = tight(kernel=Gaussian(gamma=0.1), multi_class="ovr").fit(X, y)
    for k in range(4):
        svm = svc(gamma=0.1).fit(X, y == k)
        np.testing.assert_allclose(
            mine.decision_function(X)[:, k], svm.decision_function(X), atol=1e-6
        )


@pytest.mark.parametrize("class_weight", [None, "balanced", {-1: 3.0, 1: 0.5}])
def test_weights_equal_svc(class_weight):
    X, y = noisy(weights=[0.8])
    c = np.random.default_rng(0).random(len(y))
    options = {"C": 2.0, "class_weight": class_weight}
    if class_weight == "balanced":
        c = np.ones(len(y))  # theirs counts rows, ours counts their weights
    mine = tight(kernel=Gaussian(gamma=0.2), **options).fit(X, y, sample_weight=c)
    svm = svc(gamma=0.2, **options).fit(X, y, sample_weight=c)
    np.testing.assert_allclose(mine.decision_function(X), svm.decision_function(X), atol=1e-6)


def test_precomputed_equals_svc():
    X, y = noisy()
    K = Gaussian(gamma=0.2)(X)
    mine, svm = tight(kernel="precomputed").fit(K, y), svc(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(mine.decision_function(K), svm.decision_function(K), atol=1e-6)


def test_without_intercept_equals_liblinear():
    X, y = noisy()
    mine = tight(kernel="linear", C=0.5, fit_intercept=False).fit(X, y)
    other = LinearSVC(
        loss="hinge", C=0.5, fit_intercept=False, dual=True, tol=1e-9, max_iter=1_000_000
    ).fit(X, y)
    w = other.coef_[0]
    objective = w @ w / 2 + 0.5 * np.maximum(0, 1 - y * (X @ w)).sum()
    assert mine.dual_objective_[0] == pytest.approx(objective, rel=1e-7)
    np.testing.assert_allclose(mine.dual_coef_[0] @ mine.support_vectors_, w, atol=1e-5)


# ---------------------------------------------------------------- memory, subsets, long runs


@pytest.mark.parametrize("max_memory", [0.001, 1.0, 2048])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_without_a_matrix_the_same_optimum(multi_class, fit_intercept, max_memory, monkeypatch):
    X, y = load_digits(n_class=3, return_X_y=True)
    options = {"kernel": Gaussian(gamma=1e-3), "C": 5.0, "tol": 1e-6}
    options |= {"multi_class": multi_class, "fit_intercept": fit_intercept}
    whole = KernelSVM(**options).fit(X, y)
    monkeypatch.setattr(kernel_svm, "FEWEST", 0)
    blocks = KernelSVM(**options, max_memory=max_memory).fit(X, y)
    np.testing.assert_allclose(blocks.dual_objective_, whole.dual_objective_, rtol=1e-9)
    np.testing.assert_allclose(blocks._binary_scores(X), whole._binary_scores(X), atol=1e-5)


def test_rows_are_computed_once_and_for_few_points(monkeypatch):
    """Of many points, for those that violate; problems with the same points share them."""
    monkeypatch.setattr(kernel_svm, "FEWEST", 0)
    X, y = load_digits(return_X_y=True)
    asked, block = [], Gram.block
    monkeypatch.setattr(
        Gram, "block", lambda self, rows, columns: asked.extend(rows) or block(self, rows, columns)
    )
    learner = KernelSVM(kernel=Gaussian(gamma=5e-4), multi_class="ovr").fit(X, y)
    assert set(learner.support_) <= set(asked)
    assert len(asked) == len(set(asked))
    asked.clear()
    KernelSVM(kernel=Gaussian(gamma=5e-4)).fit(X, y == 0)
    assert len(asked) == len(set(asked)) < len(X) / 4
    asked.clear()
    KernelSVM(kernel=Gaussian(gamma=5e-4), multi_class="ovr", max_memory=1.0).fit(X, y)
    assert len(asked) > len(set(asked))  # where they do not fit, some are computed again


def test_few_points_have_a_matrix():
    X, _ = noisy(50)
    learner = KernelSVM()
    assert learner._weighted_gram(X, None).matrix is not None
    assert KernelSVM(max_memory=0)._weighted_gram(X, None).matrix is None
    many = np.zeros((kernel_svm.FEWEST, 1))
    assert learner._weighted_gram(many, None).matrix is None


def test_rows_kept_are_few_and_the_right_ones(monkeypatch):
    """More points than the rows kept: they change owners, and stay what the kernel says."""
    X, y = noisy(500)
    monkeypatch.setattr(svm_dual, "FIRST_SET", 32)
    gram = Gram(Gaussian(gamma=1.0), Pairs(X), dtype="float64", max_memory=0)
    values = svm_dual.Supply(gram, [np.arange(500)], 0.0).of(np.arange(500))
    assert values.kept.shape == (32, 500)
    K, rng = Gaussian(gamma=1.0)(X), np.random.default_rng(0)
    for size in (32, 5, 20, 32, 1):
        W = np.sort(rng.choice(500, size, replace=False))
        np.testing.assert_allclose(values.square(W), K[np.ix_(W, W)], rtol=1e-12)
        E, t = np.zeros(501), rng.standard_normal(size)
        values.subtract(W, t, E)
        np.testing.assert_allclose(E[:-1], -(t @ K[W]), rtol=1e-9, atol=1e-12)
    dual = Dual(y.astype(float), np.full(500, 10.0), True)
    dual.solve(values, 1e-6, 10**9)
    exact = KernelSVM(kernel=Gaussian(gamma=1.0), C=10.0, tol=1e-6).fit(X, y)
    assert dual.objective() == pytest.approx(exact.dual_objective_[0], rel=1e-8)


@given(st.integers(1, 11), st.integers(0, 2**32 - 1))
def test_scans_equal_their_definitions(n, seed):
    rng = np.random.default_rng(seed)
    E = rng.integers(-3, 4, n + 1).astype(np.float64)
    beta = rng.integers(0, 3, n + 1).astype(np.float64)
    lower, upper = np.zeros(n + 1), np.full(n + 1, 2.0)
    grow, shrink = beta < 2, beta > 0
    highest = max((e for e, may in zip(E, grow, strict=True) if may), default=-np.inf)
    lowest = min((e for e, may in zip(E, shrink, strict=True) if may), default=np.inf)
    assert extremes(E, beta, lower, upper) == (highest, lowest)
    growing, shrinking = violating(E, beta, lower, upper)
    assert growing.tolist() == [k for k in range(n) if grow[k] and E[k] > lowest]
    assert shrinking.tolist() == [k for k in range(n) if shrink[k] and E[k] < highest]


@given(st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_rows_are_subtracted_each_times_its_step(n_rows, seed):
    rng = np.random.default_rng(seed)
    K = rng.integers(-4, 5, (9, 9)).astype(np.float64)
    W, t = rng.permutation(9)[:n_rows], rng.integers(-3, 4, n_rows).astype(np.float64)
    E = np.arange(10.0)
    points = np.arange(9, dtype=np.uint64)
    subtract_rows(K, np.ones(9, dtype=bool), K, points, W, t, E)
    assert E[:9].tolist() == (np.arange(9.0) - t @ K[W]).tolist()
    assert E[9] == 9  # the last point has no row


def test_long_runs_go_on_among_the_violating():
    """The gap certifies the optimum; here it is computed from the scores, outside the solver."""
    X, y = noisy(400)
    learner = KernelSVM(kernel=Gaussian(gamma=0.2), C=1e3, tol=1e-6).fit(X, y)
    assert learner.n_iter_[0] > 3000  # all points have had their turn, and the violating theirs
    beta, scores = coefficients(learner, 400)[0], learner.decision_function(X)
    norm = beta @ (scores - learner.intercept_[0])
    dual = np.abs(beta).sum() - norm / 2
    primal = norm / 2 + 1e3 * np.maximum(0, 1 - y * scores).sum()
    assert -1e-9 * dual < primal - dual < 1e-6 * dual
    assert learner.dual_gap_[0] == pytest.approx(primal - dual, abs=1e-6)
    assert learner.dual_objective_[0] == pytest.approx(dual)


@pytest.mark.parametrize("n_rows", [60, 250])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_rows_of_a_larger_matrix(multi_class, n_rows):
    """Rows that are few are copied, rows that are many are not; the same solution."""
    X, y = load_digits(n_class=3, return_X_y=True)
    X, y = X[:300], y[:300]
    rows = np.random.default_rng(0).permutation(300)[:n_rows]
    learner = tight(kernel=Gaussian(gamma=1e-3), multi_class=multi_class)
    gram = Gram(learner.kernel, Pairs(X), dtype="float64")
    solution = learner._solve(gram, y, rows, Reporter())
    alone = tight(kernel=Gaussian(gamma=1e-3), multi_class=multi_class).fit(X[rows], y[rows])
    everywhere = np.arange(300)
    scores = solution.scores_on(gram, everywhere)
    np.testing.assert_allclose(scores, alone._binary_scores(X), atol=1e-7)
    assert np.all(solution.coef[:, np.setdiff1d(everywhere, rows)] == 0)
    assert (solution.scores is not None) == (n_rows == 250)


def test_a_row_that_comes_twice_is_one_of_weight_two():
    X, y = noisy(40)
    rows = np.concatenate([np.arange(40), np.arange(10)])
    learner = tight(kernel=Gaussian(gamma=0.2))
    gram = Gram(learner.kernel, Pairs(X), dtype="float64")
    codes = (y > 0).astype(int)
    twice = learner._solve(gram, codes, rows, Reporter())
    weighted = learner.fit(X, y, sample_weight=np.bincount(rows))
    np.testing.assert_allclose(
        twice.scores_on(gram, np.arange(40))[:, 0], weighted.decision_function(X), atol=1e-7
    )


# ---------------------------------------------------------------- degenerate inputs


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("max_memory", [0, 2048])
def test_equal_points_of_both_classes(fit_intercept, max_memory):
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 4, axis=0)
    y = np.tile([1, -1], 4)
    learner = KernelSVM(fit_intercept=fit_intercept, max_memory=max_memory).fit(X, y)
    np.testing.assert_allclose(learner.decision_function(X), 0, atol=1e-12)
    assert learner.dual_objective_[0] == pytest.approx(8.0)
    assert learner.dual_gap_[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_points_without_a_kernel(fit_intercept):
    """K(x, x) = 0: such a point gains C, whatever f is; it has no other effect without b."""
    X, y = np.array([[0.0], [0.0], [2.0], [-2.0]]), np.array([1, 1, 1, -1])
    learner = tight(kernel="linear", C=3.0, fit_intercept=fit_intercept).fit(X, y)
    value = 6 + 1 / 8 if not fit_intercept else learner.dual_objective_[0]
    assert learner.dual_objective_[0] == pytest.approx(value)
    assert learner.dual_gap_[0] == pytest.approx(0, abs=1e-9)


@given(problem=problems(max_rows=8), fit_intercept=st.booleans())
def test_all_kinds_of_small_data_come_to_an_end(problem, fit_intercept):
    X, y, _ = problem
    for kernel in ("linear", SquaredL1(gamma=0.5)):
        learner = KernelSVM(kernel=kernel, fit_intercept=fit_intercept, C=10.0).fit(X, y)
        assert np.isfinite(learner.decision_function(X)).all()
        assert learner.dual_gap_[0] >= 0
        assert learner.n_iter_[0] < 100_000


def test_indefinite_kernel_ends_at_a_point_that_no_pair_improves():
    X, y = noisy(100)
    K = SquaredL1(gamma=0.05)(X)
    assert np.linalg.eigvalsh(K)[0] < -1e-3
    learner = KernelSVM(kernel=SquaredL1(gamma=0.05), C=10.0).fit(X, y)
    beta, C = coefficients(learner, 100)[0], 10.0
    E = y - K @ beta
    up, low = beta < np.maximum(y * C, 0), beta > np.minimum(y * C, 0)
    assert E[up].max() - E[low].min() < 1.1e-3


def test_tol_below_rounding_comes_to_an_end():
    X, y = noisy(60)
    learner = KernelSVM(C=1e3, tol=1e-300).fit(X, y)
    assert learner.dual_gap_[0] < 1e-7 * learner.dual_objective_[0]


# ---------------------------------------------------------------- interface


def test_forms_of_the_data_and_pickle():
    X, y = noisy(80)
    names = np.where(y > 0, "yes", "no")
    dense = tight().fit(X, names)
    for form in (sparse.csr_array(X), sparse.csr_matrix(X)):
        other = tight().fit(form, names)
        np.testing.assert_allclose(other.decision_function(form), dense.decision_function(X))
    single = KernelSVM().fit(X.astype(np.float32), names)
    np.testing.assert_allclose(
        single.decision_function(X.astype(np.float32)), dense.decision_function(X), atol=1e-2
    )
    again = pickle.loads(pickle.dumps(dense))
    np.testing.assert_array_equal(again.predict(X), dense.predict(X))
    assert set(dense.predict(X)) == {"yes", "no"}


def test_float64_where_tol_asks_for_it():
    X, y = noisy(50)
    assert KernelSVM().fit(X, y).gram_dtype_ == "float32"
    assert tight().fit(X, y).gram_dtype_ == "float64"
    asked = KernelSVM(gram_dtype="float32", tol=1e-6, max_iter=10_000).fit(X, y)
    assert asked.gram_dtype_ == "float32"


def test_grid_search_over_the_kernel():
    X, y = noisy(100)
    grid = {"kernel__gamma": [0.01, 0.3], "C": [0.1, 10.0]}
    search = GridSearchCV(KernelSVM(kernel=Gaussian()), grid, cv=3).fit(X, y)
    assert search.best_params_["kernel__gamma"] in grid["kernel__gamma"]


class Recorder:
    """A callback that writes down what it is told, and may ask to stop."""

    def __init__(self, stop_after=None):
        self.stop_after, self.ended, self.fits = stop_after, [], []

    def setup(self, estimator, context):
        self.max_subtasks = context.max_subtasks

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.ended.append(context.task_name)
        self.fits.append(fitted_estimator)
        return self.stop_after is not None and len(self.ended) >= self.stop_after


@pytest.mark.parametrize(("multi_class", "n_problems"), [("ovo", 6), ("ovr", 4)])
def test_callbacks_hear_of_every_problem(multi_class, n_problems):
    X, y = load_digits(n_class=4, return_X_y=True)
    X, y, recorder = X[:100], y[:100], Recorder()
    plain = KernelSVM(multi_class=multi_class).fit(X, y)
    KernelSVM(multi_class=multi_class).set_callbacks(recorder).fit(X, y)
    assert recorder.max_subtasks == n_problems
    names = [f"problem {k + 1} of {n_problems}" for k in range(n_problems)]
    assert recorder.ended == [*names, "fit"]
    for k, fit in enumerate(recorder.fits[:-1]):  # solved so far, and the rest is 0
        np.testing.assert_array_equal(fit.n_iter_, plain.n_iter_ * (np.arange(n_problems) <= k))
        np.testing.assert_array_equal(fit._binary_scores(X)[:, k + 1 :], 0)
    early = KernelSVM(multi_class=multi_class).set_callbacks(Recorder(stop_after=2)).fit(X, y)
    assert np.flatnonzero(early.n_iter_).tolist() == [0, 1]


def test_stopped_by_max_iter_warns_and_says_what_to_do():
    X, y = noisy()
    with pytest.warns(ConvergenceWarning, match=r"stopped 1 of 1 .* max_iter=5 steps.*Raise"):
        learner = KernelSVM(max_iter=5).fit(X, y)
    assert learner.n_iter_.tolist() == [5]
    with pytest.warns(ConvergenceWarning, match="max_iter=300"):
        blocks = KernelSVM(max_iter=300, tol=1e-12, max_memory=0, C=1000.0).fit(X, y)
    assert blocks.n_iter_.tolist() == [300]
    assert KernelSVM(max_iter=100_000).fit(X, y).dual_gap_[0] < 1  # and no warning


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"C": 0}, ValueError, r"C must be a number > 0.*got C=0\. It weighs the losses"),
        ({"C": "1"}, TypeError, r"C must be a number.*of type str"),
        ({"lam": -1.0}, ValueError, r"lam must be a number > 0.*None means: use C"),
        ({"fit_intercept": 1}, TypeError, r"fit_intercept must be True or False"),
        ({"multi_class": "all"}, ValueError, r"one of 'ovo', 'ovr'; got"),
        ({"class_weight": "even"}, ValueError, r"class_weight must be one of 'balanced'"),
        ({"tol": 0.0}, ValueError, r"tol must be a number > 0"),
        ({"max_iter": -2}, ValueError, r"max_iter must be an integer >= -1.*as many steps"),
        ({"kernel": "cubic"}, ValueError, r"kernel must be one of"),
        ({"max_memory": -1}, ValueError, r"max_memory must be a number >= 0"),
    ],
)
def test_wrong_parameters_are_named(options, error, message):
    with pytest.raises(error, match=message):
        KernelSVM(**options).fit([[0.0], [1.0]], [0, 1])


def test_values_too_large_for_their_sums_are_refused():
    X = np.array([[1e140, 0.0], [0.0, 1e140]])
    with pytest.raises(ValueError, match=r"overflow.*StandardScaler"):
        KernelSVM(kernel="linear").fit(X, [0, 1])
