import pickle
import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, make_classification
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from strategies import integer_matrices

from kernlib import BudgetPerceptron, KernelPerceptron
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Gaussian, Linear, Polynomial
from kernlib.learners import budget_run
from kernlib.learners.budget_policies import DAMAGE, OLDEST, POLICIES, new_cache, with_room
from kernlib.learners.budget_run import _budget_loop
from kernlib.learners.kernel_base import Reporter
from kernlib.learners.sampling import VisitingOrder, _uniform, streams

SQUARE = Polynomial(degree=2, coef0=1)  # of integers: integers
each_policy = pytest.mark.parametrize("policy", POLICIES)
# Their coefficients are integers on integer data; those of the others are real numbers.
each_exact_policy = pytest.mark.parametrize("policy", ["margin", "random"])
each_memory = pytest.mark.parametrize("max_memory", [2048, 0], ids=["matrix", "blocks"])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Make blocks so small that little data needs several."""
    monkeypatch.setattr(budget_run, "BLOCK", 3)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300], y[:300]


@st.composite
def streams_of_examples(draw, **limits):
    """Return integer X, the classes of its rows, their number, visits, uniforms, a budget."""
    X = draw(integer_matrices(**limits))
    n_classes = draw(st.integers(2, 4))
    codes = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(X), max_size=len(X)))
    visits = draw(st.lists(st.integers(0, len(X) - 1), min_size=1, max_size=25))
    n_problems = 1 if n_classes == 2 else n_classes
    target = np.array(codes) - (n_classes == 2)
    seed = draw(st.integers(0, 99))
    draws = np.random.default_rng(seed).random((len(visits), n_problems))
    budget = draw(st.integers(1, 7))
    return X, target, n_problems, np.array(visits), draws, budget


def loop_steps(K, target, n_problems, visits, draws, budget, policy):
    """Yield the cache and the scores after each visit of the compiled loop."""
    code = POLICIES.index(policy)
    cache, f, diag = new_cache(n_problems), np.zeros((n_problems, len(K))), np.diag(K).astype(float)
    for v in range(len(visits)):
        cache = with_room(cache, code, budget, 1)
        now = slice(v, v + 1)
        labels = target[visits[now]]
        _budget_loop(K, diag, visits[now], labels, draws[now], code, budget, 1e-10, f, cache)
        yield cache, f


def twin_steps(K, target, n_problems, visits, draws, budget, policy):
    """Yield the twin after each visit."""
    twin = reference.BudgetPerceptron(K, n_problems, budget, policy, draws)
    for t in visits.tolist():
        twin.visit(t, int(target[t]))
        yield twin


def entries(cache):
    s = slice(cache.size[0])
    return list(zip(cache.point[s].tolist(), cache.klass[s].tolist(), cache.alpha[s], strict=True))


def twin_entries(twin):
    listed = sorted((age, i, k, a) for k, cache in enumerate(twin.caches) for age, i, a in cache)
    return [(i, k, a) for _, i, k, a in listed]


def coefficients(learner, n):
    """Return the coefficients of all examples, (n_problems, n)."""
    full = np.zeros((len(learner.dual_coef_), n))
    full[:, learner.support_] = learner.dual_coef_
    return full


def same(one, other, rtol=0.0):
    """Assert that two fitted learners have the same coefficients and counts."""
    np.testing.assert_array_equal(one.support_, other.support_)
    np.testing.assert_array_equal(one.n_mistakes_, other.n_mistakes_)
    np.testing.assert_array_equal(one.n_evictions_, other.n_evictions_)
    np.testing.assert_array_equal(one.n_support_, other.n_support_)
    np.testing.assert_allclose(one.dual_coef_, other.dual_coef_, rtol=rtol, atol=rtol)


# ---------------------------------------------------------------- the loop and its twin


@each_exact_policy
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(stream=streams_of_examples())
def test_loop_equals_pseudocode(policy, dtype, stream):
    X, *rest, budget = stream
    K = X @ X.T
    exact = K.astype(int).tolist()
    pairs = zip(
        loop_steps(K.astype(dtype), *rest, budget, policy),
        twin_steps(exact, *rest, budget, policy),
        strict=True,
    )
    for (cache, f), twin in pairs:
        assert entries(cache) == twin_entries(twin)
        assert cache.size[0] == cache.held.sum() <= budget
        assert cache.held.tolist() == [len(c) for c in twin.caches]
        assert cache.mistakes.tolist() == twin.mistakes
        assert cache.evictions.tolist() == twin.evictions
        assert f.tolist() == [[twin.score(k, j) for j in range(len(K))] for k in range(len(f))]


@given(stream=streams_of_examples())
def test_forgetron_loop_equals_pseudocode(stream):
    X, *rest, budget = stream
    K = 1 / (1 + ((X[:, None] - X[None]) ** 2).sum(axis=2) / 20)  # K(x, x) = 1
    *_, twin = twin_steps(K.tolist(), *rest, budget, "oldest")
    assume(twin.closest > 1e-9)  # else rounding may decide what a mistake is
    pairs = zip(
        loop_steps(K, *rest, budget, "oldest"),
        twin_steps(K.tolist(), *rest, budget, "oldest"),
        strict=True,
    )
    for (cache, f), twin in pairs:
        ours, theirs = entries(cache), twin_entries(twin)
        assert [entry[:2] for entry in ours] == [entry[:2] for entry in theirs]
        np.testing.assert_allclose(
            [entry[2] for entry in ours], [entry[2] for entry in theirs], rtol=1e-9, atol=1e-12
        )
        expected = [[twin.score(k, j) for j in range(len(K))] for k in range(len(f))]
        np.testing.assert_allclose(f, expected, rtol=1e-9, atol=1e-12)
        assert cache.mistakes.tolist() == twin.mistakes
        assert cache.evictions.tolist() == twin.evictions
        assert cache.size[0] <= budget
        np.testing.assert_allclose(cache.tuned[DAMAGE], twin.damage, rtol=1e-9, atol=1e-12)
        assert cache.tuned[DAMAGE] <= 15 / 32 * cache.mistakes.sum() + 1e-9  # the invariant


@pytest.mark.parametrize("budget", [3, 8, 30])
def test_forgetron_over_epochs_equals_pseudocode(budget):
    """Random labels on points close together: stored examples err again, as new entries."""
    rng = np.random.default_rng(budget)
    K = Gaussian(gamma=0.1)(rng.standard_normal((12, 2)))
    visits, target = np.tile(np.arange(12), 5), rng.integers(0, 3, 12)
    rest = (target, 3, visits, np.empty((60, 3)), budget, "oldest")
    *_, (cache, _) = loop_steps(K, *rest)
    *_, twin = twin_steps(K.tolist(), *rest)
    ours, theirs = entries(cache), twin_entries(twin)
    assert [entry[:2] for entry in ours] == [entry[:2] for entry in theirs]
    np.testing.assert_allclose([e[2] for e in ours], [e[2] for e in theirs], rtol=1e-9)
    assert len({entry[:2] for entry in ours}) < len(ours) or budget < 30


def test_scale_that_would_underflow_equals_pseudocode():
    """So many removals that the product of their phi is below the smallest number."""
    rng, budget = np.random.default_rng(0), 2
    K = Gaussian(gamma=0.5)(rng.standard_normal((40, 2)))
    visits, target = rng.integers(0, 40, 3500), rng.integers(-1, 1, 40)
    cache, f = with_room(new_cache(1), OLDEST, budget, len(visits)), np.zeros((1, 40))
    draws = np.empty((0, 1))
    _budget_loop(K, np.ones(40), visits, target[visits], draws, OLDEST, budget, 0.0, f, cache)
    *_, twin = twin_steps(K.tolist(), target, 1, visits, None, budget, "oldest")
    assert np.log2(twin.shrunk).sum() < -1100
    assert [entry[:2] for entry in entries(cache)] == [entry[:2] for entry in twin_entries(twin)]
    assert entries(cache)[-1][2] == pytest.approx(twin_entries(twin)[-1][2], rel=1e-9)
    np.testing.assert_allclose(f[0], [twin.score(0, j) for j in range(40)], rtol=1e-6)


@given(stream=streams_of_examples(max_columns=3, low=-6, high=6))
def test_projectron_loop_equals_pseudocode(stream):
    X, target, n_problems, visits, draws, budget = stream
    budget = max(budget, n_problems)
    exact = [[Fraction(int(a)) for a in row] for row in X @ X.T]
    rest = (target, n_problems, visits, draws, budget, "project")
    *_, twin = twin_steps(exact, *rest)
    assume(twin.closest > 1e-6)
    for (cache, _), twin in zip(loop_steps(X @ X.T, *rest), twin_steps(exact, *rest), strict=True):
        ours, theirs = entries(cache), twin_entries(twin)
        assert [entry[:2] for entry in ours] == [entry[:2] for entry in theirs]
        np.testing.assert_allclose(
            [entry[2] for entry in ours],
            [float(entry[2]) for entry in theirs],
            rtol=1e-6,
            atol=1e-9,
        )
        assert cache.mistakes.tolist() == twin.mistakes
        assert cache.size[0] == cache.held.sum() <= budget


def fit_and_twin(X, codes, policy, max_iter=3, seed=0, **options):
    """Return a learner, and the twin on the same kernel values, orders and uniforms."""
    K = ((X @ X.T + 1) ** 2).astype(int).tolist()
    n_classes = int(codes.max()) + 1
    n_problems = 1 if n_classes == 2 else n_classes
    learner = BudgetPerceptron(
        kernel=SQUARE, policy=policy, max_iter=max_iter, random_state=seed, **options
    ).fit(X, codes)
    draws = np.empty((max_iter * len(X), n_problems))
    with np.errstate(over="ignore"):
        _uniform(streams(seed, 2)[1], draws.reshape(-1))
    twin = reference.BudgetPerceptron(K, n_problems, learner.budget, policy, draws)
    sampling = "reshuffle" if learner.shuffle else "cyclic"
    order = VisitingOrder(np.arange(len(X)), sampling, streams(seed, 1)[0])
    epochs = []
    for _ in range(max_iter):
        before = sum(twin.mistakes)
        for t in order.take(len(X)).tolist():
            twin.visit(t, int(codes[t]) - (n_classes == 2))
        epochs.append(sum(twin.mistakes) - before)
        if epochs[-1] == 0:
            break
    return learner, twin, epochs


@each_memory
@each_exact_policy
@settings(max_examples=50)
@given(
    X=integer_matrices(max_rows=10),
    n_classes=st.integers(2, 3),
    budget=st.integers(1, 6),
    shuffle=st.booleans(),
)
def test_fit_equals_its_definition(max_memory, policy, X, n_classes, budget, shuffle):
    codes = np.arange(len(X)) % n_classes
    assume(codes.max() + 1 == n_classes)
    learner, twin, epochs = fit_and_twin(
        X, codes, policy, budget=budget, shuffle=shuffle, max_memory=max_memory
    )
    expected = [twin.coefficients(k) for k in range(len(twin.caches))]
    assert coefficients(learner, len(X)).tolist() == expected
    assert learner.n_mistakes_.tolist() == twin.mistakes
    assert learner.n_evictions_.tolist() == twin.evictions
    assert learner.mistakes_per_epoch_.sum(axis=0).tolist() == epochs
    assert learner.n_iter_ == len(epochs)
    assert learner.n_support_.sum() == twin.size() <= budget


# ---------------------------------------------------------------- one fit in several ways


@each_exact_policy
@settings(max_examples=40)
@given(X=integer_matrices(max_rows=12), n_classes=st.integers(2, 3), budget=st.integers(1, 6))
def test_matrix_blocks_and_stream_agree_exactly(policy, X, n_classes, budget):
    y = np.arange(len(X)) % n_classes
    assume(len(set(y)) == n_classes)
    options = {"kernel": SQUARE, "budget": budget, "policy": policy, "random_state": 1}
    fitted = BudgetPerceptron(max_iter=1, **options).fit(X, y)
    same(BudgetPerceptron(max_iter=1, max_memory=0, **options).fit(X, y), fitted)
    streamed = BudgetPerceptron(**options)
    for start in range(0, len(X), 5):
        part = slice(start, start + 5)
        streamed.partial_fit(X[part], y[part], classes=range(n_classes))
    same(streamed, fitted)
    np.testing.assert_array_equal(streamed.support_vectors_, fitted.support_vectors_)
    np.testing.assert_array_equal(streamed.decision_function(X), fitted.decision_function(X))


@each_policy
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_matrix_blocks_and_stream_agree(digits, policy, form):
    X, y = digits
    options = {"kernel": Gaussian(gamma=0.001), "budget": 60, "policy": policy, "random_state": 1}
    options |= {"gram_dtype": "float64"}
    fitted = BudgetPerceptron(max_iter=1, **options).fit(form(X), y)
    same(BudgetPerceptron(max_iter=1, max_memory=0, **options).fit(form(X), y), fitted, 1e-9)
    streamed = BudgetPerceptron(**options)
    for start in range(0, len(X), 70):
        part = slice(start, start + 70)
        streamed.partial_fit(form(X[part]), y[part], classes=range(10))
    same(streamed, fitted, 1e-9)
    twice = BudgetPerceptron(max_iter=2, **options).fit(form(X), y)
    same(BudgetPerceptron(max_iter=2, max_memory=0, **options).fit(form(X), y), twice, 1e-9)
    assert twice.n_mistakes_.sum() > fitted.n_mistakes_.sum()


@each_policy
def test_partial_fit_goes_on_from_fit(digits, policy):
    X, y = digits
    options = {"kernel": Gaussian(gamma=0.001), "budget": 60, "policy": policy, "random_state": 1}
    options |= {"gram_dtype": "float64"}
    learner = BudgetPerceptron(max_iter=1, **options).fit(X[:150], y[:150])
    learner.partial_fit(X[150:], y[150:])
    same(learner, BudgetPerceptron(**options).partial_fit(X, y, classes=range(10)), 1e-9)
    assert (learner.support_.max() >= 150) == (policy != "project")  # which is full by then
    np.testing.assert_array_equal(learner.support_vectors_, X[learner.support_])
    assert not hasattr(learner, "n_iter_")
    assert not hasattr(learner, "mistakes_per_epoch_")


@each_policy
@each_memory
def test_solve_on_some_rows_is_a_fit_on_them(digits, policy, max_memory):
    X, y = digits
    rows = np.random.default_rng(0).permutation(300)[:200]
    learner = BudgetPerceptron(kernel=SQUARE, budget=50, policy=policy, max_iter=2, random_state=3)
    gram = Gram(SQUARE, Pairs(X / 16), dtype="float64", max_memory=max_memory)
    solution = learner._solve(gram, y, rows, Reporter())
    alone = clone(learner).set_params(gram_dtype="float64").fit(X[rows] / 16, y[rows])
    np.testing.assert_allclose(solution.coef[:, rows], coefficients(alone, 200), rtol=1e-6)
    assert np.count_nonzero(solution.coef) == np.count_nonzero(alone.dual_coef_)
    np.testing.assert_allclose(
        solution.scores_on(gram, np.arange(300)), alone.decision_function(X / 16), rtol=1e-6
    )


def test_no_matrix_is_made_where_blocks_are_less_work(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (1100, 5)).astype(float), rng.integers(0, 3, 1100)
    learner = BudgetPerceptron(kernel=SQUARE, budget=20, max_iter=1)
    gram = Gram(SQUARE, Pairs(X))
    assert gram.matrix is not None
    expected = learner._solve(gram, y, np.arange(1100), Reporter())
    monkeypatch.setattr(Pairs, "matrix", None)
    np.testing.assert_array_equal(coefficients(learner.fit(X, y), 1100), expected.coef)
    with pytest.raises(TypeError, match="not callable"):  # five epochs are more
        learner.set_params(max_iter=5).fit(X, y)


@each_exact_policy
@each_memory
@settings(max_examples=40)
@given(X=integer_matrices(max_rows=10), n_classes=st.integers(2, 3))
def test_unlimited_budget_is_the_kernel_perceptron(policy, max_memory, X, n_classes):
    y = np.arange(len(X)) % n_classes
    assume(len(set(y)) == n_classes)
    options = {"kernel": SQUARE, "max_iter": 4, "max_memory": max_memory}
    ours = BudgetPerceptron(budget=10**9, policy=policy, **options).fit(X, y)
    theirs = KernelPerceptron(**options).fit(X, y)
    np.testing.assert_array_equal(coefficients(ours, len(X)), coefficients(theirs, len(X)))
    np.testing.assert_array_equal(ours.n_mistakes_, theirs.n_mistakes_)
    for k, problem in enumerate(ours.mistakes_per_epoch_):  # a clean problem waits for the others
        counts = theirs.mistakes_per_epoch_[k]
        assert problem.tolist() == [*counts, *[0] * (ours.n_iter_ - len(counts))]
    assert ours.n_evictions_.sum() == 0


@each_policy
def test_unlimited_budget_is_the_kernel_perceptron_on_real_data(digits, policy):
    X, y = digits
    options = {"kernel": Gaussian(gamma=0.001), "max_iter": 3, "gram_dtype": "float64"}
    ours = BudgetPerceptron(budget=10**9, policy=policy, **options).fit(X, y)
    theirs = KernelPerceptron(**options).fit(X, y)
    np.testing.assert_allclose(coefficients(ours, 300), coefficients(theirs, 300), atol=1e-9)


# ---------------------------------------------------------------- theorems


def smallest_bound(K, y, n_epochs, budget):
    """Return 2||u||^2 + 4 sum of hinge losses at a good u with a norm that the theorem allows."""
    largest = np.sqrt((budget + 1) / np.log(budget + 1)) / 4
    c, best = np.zeros(y.shape), np.inf  # u_k = sum of c_ki K(x_i, .)
    for step in range(1, 120):  # sub-gradient steps, back into the ball after each
        norm = np.sqrt(np.sum((c @ K) * c))
        c *= min(1.0, largest / max(norm, 1e-300))
        f = c @ K
        losses = np.maximum(0, 1 - y * f)
        best = min(best, 2 * np.sum(f * c) + 4 * n_epochs * losses.sum())
        slope = c - n_epochs * y * (losses > 0)
        c -= largest / np.sqrt(step) * slope / np.sqrt(np.sum((slope @ K) * slope))
    return best


@pytest.mark.parametrize("noise", [0.1, 0.2, 0.4])
@pytest.mark.parametrize(
    ("n_classes", "n_clusters", "budget", "n"), [(2, 1, 83, 300), (2, 2, 120, 500), (3, 3, 83, 300)]
)
def test_forgetron_mistake_bound(n_classes, n_clusters, budget, n, noise):
    """M <= 2||u||^2 + 4 sum of hinge losses, over two epochs, for all classes together."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_clusters, n)
    X = 3.0 * np.eye(n_clusters)[codes] + 0.1 * rng.standard_normal((n, n_clusters))
    flipped = rng.random(n) < noise
    codes[flipped] = rng.integers(0, n_classes, flipped.sum())
    K, twice = Gaussian(gamma=0.2)(X), np.tile(np.arange(n), 2)
    target, n_problems = codes - (n_classes == 2), 1 if n_classes == 2 else n_classes
    cache, f = with_room(new_cache(n_problems), OLDEST, budget, 2 * n), np.zeros((n_problems, n))
    draws = np.empty((0, n_problems))
    _budget_loop(K, np.ones(n), twice, target[twice], draws, OLDEST, budget, 0.0, f, cache)
    y = np.where(target == np.arange(n_problems)[:, None], 1.0, -1.0)
    assert cache.mistakes.sum() <= smallest_bound(K, y, 2, budget)
    assert noise < 0.2 or cache.evictions.sum() > 0


@pytest.mark.parametrize("budget", [1, 3, 4, 30])
def test_projection_is_least_squares_in_feature_space(budget):
    rng = np.random.default_rng(budget)
    X = rng.standard_normal((200, 6))
    codes = rng.integers(0, 2, 200)
    w = np.zeros(6)
    steps = loop_steps(X @ X.T, codes - 1, 1, np.arange(200), np.empty((200, 1)), budget, "project")
    stored: list[int] = []
    n_projected = 0
    for t, (cache, _) in enumerate(steps):
        y = 2 * codes[t] - 1
        if y * (X[t] @ w) <= 0:
            if len(stored) < min(budget, 6):  # 6 examples span the space: later ones are dependent
                stored.append(t)
                w = w + y * X[t]
            else:
                d = np.linalg.lstsq(X[stored].T, X[t], rcond=None)[0]
                w = w + y * d @ X[stored]
                n_projected += 1
        s = slice(cache.size[0])
        np.testing.assert_array_equal(cache.point[s], stored)
        np.testing.assert_allclose(cache.alpha[s] @ X[cache.point[s]], w, rtol=1e-7, atol=1e-9)
    assert n_projected > 10
    assert len(stored) == min(budget, 6)


@given(stream=streams_of_examples())
def test_random_never_removes_the_newcomer(stream):
    X, target, n_problems, visits, draws, budget = stream
    before = np.zeros(n_problems, dtype=int)
    for v, (cache, _) in enumerate(
        loop_steps(X @ X.T, target, n_problems, visits, draws, budget, "random")
    ):
        erred = np.flatnonzero(cache.mistakes > before)
        before = cache.mistakes.copy()
        if len(erred) > 0:  # the last to err is there, whoever it replaced
            assert (visits[v], erred[-1]) in [entry[:2] for entry in entries(cache)]


def test_random_removes_each_entry_equally_often():
    X, n, budget = np.eye(6), 6, 5  # orthogonal: every example is a mistake
    counts = np.zeros(5)
    for seed in range(500):
        learner = BudgetPerceptron(
            kernel="linear", budget=budget, policy="random", max_iter=1, random_state=seed
        ).fit(X, [0, 1, 0, 1, 0, 1])
        (removed,) = set(range(n)) - set(learner.support_.tolist())
        counts[removed] += 1
    assert np.sum((counts - 100) ** 2 / 100) < 18.47  # chi-squared, 4 degrees, 0.1 %


@each_memory
def test_equal_margins_go_oldest_first(max_memory):
    X, y = np.eye(5), [0, 1, 1, 0, 1]  # orthogonal: all margins without itself are 0
    for n in range(3, 6):
        learner = BudgetPerceptron(kernel="linear", budget=2, max_iter=1, max_memory=max_memory)
        learner.fit(X[:n], y[:n])
        assert learner.support_.tolist() == [n - 2, n - 1]
        assert learner.n_evictions_.tolist() == [n - 2]


def test_equal_margins_go_oldest_first_over_all_classes():
    X, y = np.eye(4), [0, 1, 2, 0]
    learner = BudgetPerceptron(kernel="linear", budget=4, max_iter=1).fit(X, y)
    # Entries come example by example, class by class: the last four are those of examples 2, 3.
    expected = [[0, 0, 0, 1], [0, 0, 0, -1], [0, 0, 1, -1]]
    assert coefficients(learner, 4).tolist() == expected


@each_policy
def test_flipped_labels_flip_the_coefficients(policy):
    X, y = make_classification(n_samples=200, random_state=1, flip_y=0.1)
    one, other = (
        BudgetPerceptron(budget=30, policy=policy, random_state=0).fit(X, labels)
        for labels in (y, 1 - y)
    )
    np.testing.assert_array_equal(one.support_, other.support_)
    np.testing.assert_array_equal(one.dual_coef_, -other.dual_coef_)


@each_policy
@pytest.mark.parametrize("budget", [10, 37, 100])
def test_budget_holds_at_the_end_and_is_used(digits, policy, budget):
    X, y = digits
    learner = BudgetPerceptron(budget=budget, policy=policy, max_iter=2, random_state=0).fit(X, y)
    entered = learner._run.n_entries
    assert learner.n_support_.sum() <= entered == budget
    assert len(learner.support_) <= budget


def test_emptied_cache_scores_zero_by_definition(digits):
    X, y = digits
    learner = BudgetPerceptron(budget=3, policy="oldest", max_iter=1, gram_dtype="float64")
    learner.fit(X / 16, y)
    empty = learner.n_support_ == 0
    assert empty.sum() >= 7
    gram = Gram(Gaussian(), Pairs(X / 16), dtype="float64")
    scores = learner._solve(gram, y, np.arange(300), Reporter()).scores
    assert np.all(scores[empty] == 0.0)


# ---------------------------------------------------------------- memory


def peak_of_stream(X, y, learner):
    """Return the largest memory during partial_fit over chunks, in bytes."""
    tracemalloc.start()
    for start in range(0, len(X), 250):
        learner.partial_fit(X[start : start + 250], y[start : start + 250], classes=[0, 1, 2])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@each_policy
def test_memory_does_not_grow_with_the_stream(policy, tmp_path, monkeypatch):
    monkeypatch.setattr(budget_run, "BLOCK", 100)
    n, rng = 5000, np.random.default_rng(0)
    data = np.memmap(tmp_path / "stream", dtype=np.float64, mode="w+", shape=(n, 100))
    data[:] = rng.standard_normal((n, 100))
    y = rng.integers(0, 3, n)
    options = {"budget": 30, "policy": policy, "random_state": 0}
    peak_of_stream(data[:500], y, BudgetPerceptron(**options))  # compiles
    short = peak_of_stream(data[:1000], y, BudgetPerceptron(**options))
    learner = BudgetPerceptron(**options)
    long = peak_of_stream(data, y, learner)
    assert learner.n_mistakes_.sum() > n
    assert long < 1.1 * short
    assert long < data.nbytes / 4


# ---------------------------------------------------------------- scikit-learn's ways


@each_policy
def test_kinds_of_input_agree(digits, policy):
    X, y = digits
    names = np.array([f"digit {k}" for k in range(10)])
    options = {"kernel": SQUARE, "budget": 40, "policy": policy, "random_state": 0, "max_iter": 2}
    plain = BudgetPerceptron(**options).fit(X, y)
    frame = BudgetPerceptron(**options).fit(pd.DataFrame(X).rename(columns=str), names[y])
    same(frame, plain)
    assert frame.predict(pd.DataFrame(X).rename(columns=str))[0] in names
    same(BudgetPerceptron(**options).fit(sparse.csr_array(X), y), plain, 1e-6)
    same(BudgetPerceptron(**options).fit(X.astype(np.float32), y), plain, 1e-6)


@each_policy
def test_given_values_are_as_good_as_the_kernel(digits, policy):
    X, y = digits
    options = {"budget": 40, "policy": policy, "random_state": 0, "gram_dtype": "float64"}
    K = Gaussian(gamma=0.001)(X)
    given_values = BudgetPerceptron(kernel="precomputed", **options).fit(K, y)
    computed = BudgetPerceptron(kernel=Gaussian(gamma=0.001), **options).fit(X, y)
    same(given_values, computed, 1e-9)
    np.testing.assert_array_equal(given_values.predict(K), computed.predict(X))


def test_dense_and_sparse_pieces_mix(digits):
    X, y = digits
    options = {"kernel": SQUARE, "budget": 40}
    plain = BudgetPerceptron(**options).partial_fit(X, y, classes=range(10))
    for first, second in [(np.asarray, sparse.csr_array), (sparse.csr_array, np.asarray)]:
        mixed = BudgetPerceptron(**options).partial_fit(first(X[:150]), y[:150], classes=range(10))
        same(mixed.partial_fit(second(X[150:]), y[150:]), plain)


@each_policy
def test_pickle_clone_pipeline_and_search(digits, policy):
    X, y = digits
    learner = BudgetPerceptron(
        kernel=Gaussian(gamma=0.01), budget=40, policy=policy, random_state=0
    )
    learner.partial_fit(X[:150], y[:150], classes=range(10))
    again = pickle.loads(pickle.dumps(learner))
    same(again.partial_fit(X[150:], y[150:]), learner.partial_fit(X[150:], y[150:]))
    pipeline = make_pipeline(StandardScaler(), clone(learner))
    gammas = [0.001, 0.01, 1.0]
    search = GridSearchCV(pipeline, {"budgetperceptron__kernel__gamma": gammas}, cv=2).fit(X, y)
    expected = [
        cross_val_score(
            pipeline.set_params(budgetperceptron__kernel__gamma=gamma), X, y, cv=2
        ).mean()
        for gamma in gammas
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected)


def test_shuffle_is_seeded():
    X, y = make_classification(n_samples=100, flip_y=0.2, random_state=0)
    first, again, other = (
        BudgetPerceptron(shuffle=True, budget=10, random_state=seed).fit(X, y) for seed in (0, 0, 1)
    )
    same(first, again)
    assert not np.array_equal(first.support_, other.support_)


def test_a_clean_epoch_is_the_last():
    X, y = [[1.0, 0.0], [-1.0, 0.0]], [1, 0]
    learner = BudgetPerceptron(kernel="linear").fit(X, y)
    assert learner.mistakes_per_epoch_.tolist() == [[1, 0]]
    assert learner.n_iter_ == 2


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
        self.fits.append(fitted_estimator.decision_function(X))
        return self.stop_after is not None and len(self.ended) >= self.stop_after


@each_policy
@each_memory
def test_what_a_callback_sees_is_a_fit_that_stopped_there(digits, policy, max_memory):
    X, y = digits
    options = {"budget": 40, "policy": policy, "random_state": 0, "max_memory": max_memory}
    recorder = Recorder()
    watched = BudgetPerceptron(max_iter=3, **options).set_callbacks(recorder).fit(X, y)
    assert recorder.ended == ["epoch 1", "epoch 2", "epoch 3", "fit"]
    assert recorder.max_subtasks == 3
    for epochs in (1, 2, 3):
        stopped = BudgetPerceptron(max_iter=epochs, **options).fit(X, y)
        np.testing.assert_array_equal(recorder.fits[epochs - 1], stopped.decision_function(X))
    same(watched, stopped)
    ended = BudgetPerceptron(max_iter=3, **options).set_callbacks(Recorder(stop_after=2))
    assert ended.fit(X, y).n_iter_ == 2


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"budget": 0}, ValueError, r"budget must be an integer >= 1, got budget=0\. So many"),
        ({"budget": 2.5}, TypeError, r"budget must be an integer >= 1.*2\.5 of type float"),
        ({"policy": "newest"}, ValueError, r"'margin', 'oldest', 'random', 'project'; got"),
        ({"max_iter": 0}, ValueError, r"max_iter must be an integer >= 1, got max_iter=0"),
        ({"shuffle": 1}, TypeError, r"shuffle must be True or False, got shuffle=1"),
        ({"kernel": "cubic"}, ValueError, r"kernel must be one of .*got kernel='cubic'"),
        ({"gram_dtype": "half"}, ValueError, r"gram_dtype must be one of"),
        ({"max_memory": -1}, ValueError, r"max_memory must be a number >= 0"),
        ({"policy": "project", "budget": 2}, ValueError, r"1 for each of the 3 classes.*budget=2"),
    ],
)
@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_wrong_parameters_are_named(options, error, message, way):
    arguments = {} if way == "fit" else {"classes": [0, 1, 2]}
    with pytest.raises(error, match=message):
        getattr(BudgetPerceptron(**options), way)([[0.0], [1.0], [2.0]], [0, 1, 2], **arguments)


def test_partial_fit_wants_its_classes():
    with pytest.raises(ValueError, match=r"first call of partial_fit needs classes.*got None"):
        BudgetPerceptron().partial_fit([[0.0]], [0])
    learner = BudgetPerceptron().partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match=r"classes must stay \[0, 1\].*got \[0, 1, 2\]"):
        learner.partial_fit([[0.0]], [0], classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"labels among classes \[0, 1\], got also \[7\]"):
        learner.partial_fit([[0.0]], [7])


@pytest.mark.parametrize(
    "change",
    [{"budget": 9}, {"policy": "random"}, {"kernel__gamma": 2.0}, {"gram_dtype": "float32"}],
    ids=str,
)
def test_partial_fit_goes_on_only_as_it_was_begun(digits, change):
    X, y = digits
    learner = BudgetPerceptron(kernel=Gaussian(gamma=1.0)).partial_fit(X, y, classes=range(10))
    before = learner.dual_coef_.copy()
    name = next(iter(change)).split("__")[0]
    with pytest.raises(ValueError, match=rf"goes on with {name}=.*got {name}=.*clone"):
        learner.set_params(**change).partial_fit(X, y)
    np.testing.assert_array_equal(learner.dual_coef_, before)


def test_another_name_for_the_kernel_is_no_change():
    learner = BudgetPerceptron(kernel="linear").partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])
    learner.set_params(kernel=Linear()).partial_fit([[2.0]], [1])
    assert learner.n_mistakes_.tolist() == [2]


@each_policy
def test_a_refused_piece_leaves_the_stream_where_it_was(digits, policy):
    X, y = digits
    learner, twin = (
        BudgetPerceptron(kernel="poly", budget=40, policy=policy, random_state=0).partial_fit(
            X[:99], y[:99], classes=range(10)
        )
        for _ in range(2)
    )
    with pytest.raises(ValueError, match=r"fit into float64.*overflow.*StandardScaler"):
        learner.partial_fit(np.vstack([X[99:199], 1e150 * X[:1]]), y[99:200])
    same(learner.partial_fit(X[99:], y[99:]), twin.partial_fit(X[99:], y[99:]))


def test_given_values_cannot_be_streamed():
    with pytest.raises(ValueError, match=r"partial_fit cannot do kernel='precomputed'.*Pass"):
        BudgetPerceptron(kernel="precomputed").partial_fit(np.eye(2), [0, 1], classes=[0, 1])


def test_sums_that_overflow_are_refused():
    K = np.diag([1e308, 1e308, 1e308])
    K[0, 2] = K[2, 0] = K[1, 2] = K[2, 1] = -9e307
    with pytest.raises(ValueError, match=r"fit into float64.*overflow.*StandardScaler"):
        BudgetPerceptron(kernel="precomputed").fit(K, [1, 1, 0])
