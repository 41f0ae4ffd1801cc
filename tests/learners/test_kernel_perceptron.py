import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_digits, make_classification
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.preprocessing import StandardScaler
from strategies import integer_matrices, multiclass_problems, problems

from kernlib import KernelPerceptron, Perceptron
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Exponential, Gaussian, Linear, Polynomial
from kernlib.learners import kernel_blocks, kernel_lazy, kernel_perceptron
from kernlib.learners.base import binary_problems
from kernlib.learners.kernel_base import Reporter
from kernlib.learners.kernel_perceptron_run import kernel_perceptron_loop
from kernlib.learners.perceptron import PREDICTORS
from kernlib.learners.sampling import VisitingOrder, streams
from kernlib.replication import published
from kernlib.training import split_rows

SQUARE = Polynomial(degree=2, coef0=1)  # of integers: integers
ROWS = 1024  # with this memory, little data goes the way of much: rows of support vectors alone
each_memory = pytest.mark.parametrize(
    "max_memory", [2048, ROWS, 0], ids=["matrix", "rows", "blocks"]
)


@pytest.fixture(autouse=True)
def small_blocks(request, monkeypatch):
    """Make blocks so small that little data needs several."""
    monkeypatch.setattr(kernel_blocks, "LEAF", 3)
    monkeypatch.setattr(kernel_blocks, "BLOCK", 40)
    monkeypatch.setattr(kernel_lazy, "LENGTH", 3)
    case = getattr(request.node, "callspec", None)
    if case is not None and case.params.get("max_memory") == ROWS:
        monkeypatch.setattr(kernel_perceptron, "FEWEST", 0)


@pytest.fixture(scope="module")
def digits():
    """Return digits of few grey values: the integers of SQUARE stay exact in float32."""
    X, y = load_digits(return_X_y=True)
    return X[:300] // 4, y[:300]


def squares(X):
    """Return (1 + <x, z>)^2 for all pairs of rows, as plain integers."""
    return ((X @ X.T + 1) ** 2).astype(int).tolist()


def fitted_and_twin(problem, max_iter, **options):
    X, y, _ = problem
    learner = KernelPerceptron(kernel=SQUARE, max_iter=max_iter, **options).fit(X, y)
    order = list(range(len(y)))
    return learner, reference.kernel_perceptron(squares(X), y.tolist(), order, max_iter)


def coefficients(learner, n):
    """Return the coefficients of all examples, (n_problems, n)."""
    full = np.zeros((len(learner.dual_coef_), n))
    full[:, learner.support_] = learner.dual_coef_
    return full


def same_fit(one, other):
    np.testing.assert_array_equal(one.support_, other.support_)
    np.testing.assert_array_equal(one.n_iter_, other.n_iter_)
    for ours, theirs in zip(one.mistakes_per_epoch_, other.mistakes_per_epoch_, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    if "votes_" not in vars(one):
        np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
        return
    for ours, theirs in zip(one.votes_, other.votes_, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


# ---------------------------------------------------------------- the loop and its twin


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(problem=problems())
def test_loop_equals_pseudocode(dtype, problem):
    X, y, order = problem
    G = np.array(squares(X), dtype=dtype)
    f, a = np.zeros((2, 1, len(y)))
    seen, log = np.array([10]), np.zeros((len(order), 3), dtype=np.int64)
    labels = np.array([[-1], [1]], dtype=np.int8)
    n = kernel_perceptron_loop(G, (y > 0).astype(np.intp), labels, order, f, a, seen, log)
    (epoch,) = reference.kernel_perceptron(squares(X), y.tolist(), order.tolist(), max_iter=1)
    assert a[0].tolist() == epoch[-1][0]
    assert f[0].tolist() == [reference.dot(epoch[-1][0], row) for row in squares(X)]
    wrong = [p for p, (_, mistake) in enumerate(epoch) if mistake]
    assert log[:n].tolist() == [[order[p], 0, 11 + p] for p in wrong]
    assert seen.tolist() == [10 + len(order)]


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@given(problem=multiclass_problems())
def test_loop_of_many_problems_equals_pseudocode_of_each(multi_class, problem):
    X, codes, order = problem
    G = squares(X)
    labels = np.array(binary_problems(np.arange(3), 3, multi_class)).T.copy()
    f, a = np.zeros((2, 3, len(codes)))
    seen, log = np.zeros(3, dtype=np.int64), np.zeros((3 * len(order), 3), dtype=np.int64)
    G_array = np.array(G, dtype=float)
    n = kernel_perceptron_loop(G_array, codes, labels, order, f, a, seen, log)
    for k, y in enumerate(binary_problems(codes, 3, multi_class)):
        own = [i for i in order.tolist() if y[i] != 0]
        (epoch,) = reference.kernel_perceptron(G, y.tolist(), own, max_iter=1)
        assert a[k].tolist() == (epoch[-1][0] if own else [0] * len(codes))
        assert seen[k] == len(own)
        wrong = [t for t, (_, mistake) in enumerate(epoch) if mistake]
        mine = log[:n][log[:n, 1] == k]
        assert mine[:, [0, 2]].tolist() == [[own[t], t + 1] for t in wrong]


@each_memory
@given(problem=problems(max_rows=10), max_iter=st.integers(1, 5))
def test_predictors_equal_their_definitions(max_memory, problem, max_iter):
    X, y, _ = problem
    last, epochs = fitted_and_twin(problem, max_iter, max_memory=max_memory)
    assert coefficients(last, len(y))[0].tolist() == epochs[-1][-1][0]
    assert last.mistakes_per_epoch_[0].tolist() == [sum(m for _, m in epoch) for epoch in epochs]
    assert last.n_iter_.tolist() == [len(epochs)]
    assert last.n_mistakes_.tolist() == [sum(m for epoch in epochs for _, m in epoch)]

    average, _ = fitted_and_twin(problem, max_iter, predictor="average", max_memory=max_memory)
    expected = reference.mean([a for epoch in epochs for a, _ in epoch])
    np.testing.assert_allclose(coefficients(average, len(y))[0], expected, rtol=1e-14)

    best, _ = fitted_and_twin(problem, max_iter, predictor="best", max_memory=max_memory)
    expected = reference.best_epoch(epochs, squares(X), y.tolist())
    assert coefficients(best, len(y))[0].tolist() == expected


@each_memory
@given(problem=problems(max_rows=10), max_iter=st.integers(1, 4))
def test_vote_equals_its_definition(max_memory, problem, max_iter):
    X, _, _ = problem
    voted, epochs = fitted_and_twin(problem, max_iter, predictor="voted", max_memory=max_memory)
    expected = [reference.voted_score(epochs, row) for row in squares(X)]
    np.testing.assert_allclose(voted.decision_function(X), expected, rtol=1e-14, atol=1e-14)


# ---------------------------------------------------------------- without a matrix


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("predictor", PREDICTORS)
def test_blocks_give_what_the_matrix_gives(digits, monkeypatch, predictor, multi_class, shuffle):
    monkeypatch.setattr(kernel_blocks, "LEAF", 17)
    monkeypatch.setattr(kernel_blocks, "BLOCK", 1000)
    options = {"predictor": predictor, "multi_class": multi_class, "shuffle": shuffle}
    learners = [
        KernelPerceptron(kernel=SQUARE, max_iter=3, random_state=0, max_memory=memory, **options)
        for memory in (2048, 0)
    ]
    same_fit(*(learner.fit(*digits) for learner in learners))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("predictor", PREDICTORS)
def test_rows_give_what_the_matrix_gives(digits, monkeypatch, predictor, multi_class):
    """Of the kernel's values, those of support vectors and of pairs in a block are made."""
    X, y = digits
    sizes, plain = [], Gram.block

    def watched(gram, rows, columns):
        values = plain(gram, rows, columns)
        sizes.append(values.size)
        return values

    learners = []
    for fewest in (10**6, 0):
        monkeypatch.setattr(kernel_perceptron, "FEWEST", fewest)
        monkeypatch.setattr(kernel_lazy, "LENGTH", 17)
        monkeypatch.setattr(Gram, "block", watched)
        options = {"predictor": predictor, "multi_class": multi_class, "max_iter": 3}
        learners.append(KernelPerceptron(kernel=SQUARE, **options).fit(X, y))
        assert (len(sizes) == 0) == (fewest > 0)
    same_fit(*learners)
    support = len(learners[1].support_)
    if predictor != "best":  # whose support vectors are those of an epoch
        assert sum(sizes) <= (support + 17) * len(y)


def test_a_matrix_is_not_made_where_rows_are_enough(digits):
    X, _ = digits
    for options, whole in (({}, False), ({"shuffle": True}, True), ({"max_memory": 0}, False)):
        gram = KernelPerceptron(kernel=SQUARE, **options)._gram(np.resize(X, (2100, X.shape[1])))
        assert (gram.matrix is not None) == whole
    assert KernelPerceptron(kernel=SQUARE)._gram(X).matrix is not None  # too few to be worth it


def test_blocks_stay_small_and_a_clean_epoch_needs_only_its_leaves(digits, monkeypatch):
    X, y = digits
    sizes = []
    plain = Gram.block

    def watched(gram, rows, columns):
        sizes.append(len(rows) * len(columns))
        return plain(gram, rows, columns)

    monkeypatch.setattr(kernel_blocks, "BLOCK", 500)
    monkeypatch.setattr(Gram, "block", watched)
    learner = KernelPerceptron(kernel=SQUARE, max_iter=50, max_memory=0).fit(X, y == 3)
    assert learner.mistakes_per_epoch_[0][-1] == 0
    assert max(sizes) <= 500
    n_leaves = 2**7  # halves of 300 rows, until there are at most LEAF = 3
    clean = sizes[-n_leaves:]
    assert sum(clean) == sum(size for size in clean if size <= 9) <= 3 * len(y)
    assert sizes[-n_leaves - 1] > 9  # before it, the last mistake reached the other half


# ---------------------------------------------------------------- theorems


@given(X=integer_matrices(max_rows=10), labels=st.lists(st.booleans(), min_size=10, max_size=10))
def test_mistake_bound_on_separable_data(X, labels):
    """Novikoff: at most ||u||^2 max K(x, x) mistakes, for the u of least norm with margin 1."""
    X = np.unique(X, axis=0)  # a Gaussian separates distinct points, whatever their labels
    y = np.where(labels[: len(X)], 1, -1)
    y[0] = -y[-1]
    if len(X) < 2:
        return
    G = Gaussian(gamma=0.5)(X)
    optimum = minimize(
        lambda c: c @ G @ c,
        np.linalg.solve(G, y),
        jac=lambda c: 2 * G @ c,
        constraints={
            "type": "ineq",
            "fun": lambda c: y * (G @ c) - 1,
            "jac": lambda c: G * y[:, None],
        },
        method="SLSQP",
    )
    shortest = optimum.x / min(1.0, (y * (G @ optimum.x)).min())  # feasible for certain
    bound = (shortest @ G @ shortest) * G.diagonal().max()
    learner = KernelPerceptron(kernel=Gaussian(gamma=0.5), max_iter=10_000).fit(X, y)
    assert learner.n_mistakes_[0] <= bound * (1 + 1e-9)
    assert learner.mistakes_per_epoch_[0][-1] == 0
    assert learner.score(X, y) == 1.0


@given(
    problem=problems(),
    c=st.lists(st.integers(-8, 8), min_size=8, max_size=8),
    max_iter=st.integers(1, 4),
)
def test_mistake_bound_for_every_u_in_the_span(problem, c, max_iter):
    """M <= H + (||u|| R)^2 + ||u|| R sqrt(H), H the hinge losses of u over all visits."""
    X, y, _ = problem
    G = np.array(squares(X), dtype=float)
    c = np.array(c[: len(y)]) / 256
    learner = KernelPerceptron(kernel=SQUARE, max_iter=max_iter).fit(X, y)
    hinge = learner.n_iter_[0] * np.maximum(0, 1 - y * (G @ c)).sum()
    size = np.sqrt(max(0.0, c @ G @ c) * G.diagonal().max())
    assert learner.n_mistakes_[0] <= hinge + size**2 + size * np.sqrt(hinge) + 1e-9


@pytest.mark.parametrize("predictor", PREDICTORS)
def test_flipped_labels_flip_the_scores(predictor):
    X, y = make_classification(n_samples=200, random_state=1, flip_y=0.1)
    one = KernelPerceptron(predictor=predictor).fit(X, y)
    other = KernelPerceptron(predictor=predictor).fit(X, 1 - y)
    np.testing.assert_array_equal(one.decision_function(X), -other.decision_function(X))


@pytest.mark.parametrize("predictor", PREDICTORS)
@given(problem=multiclass_problems(max_rows=8), factor=st.sampled_from([0.25, 3, 1024]))
def test_a_multiple_of_the_kernel_changes_no_mistake(predictor, problem, factor):
    X, codes, _ = problem
    codes[:2] = 0, 1
    same_fit(
        *(
            KernelPerceptron(kernel=k, predictor=predictor).fit(X, codes)
            for k in (SQUARE, factor * SQUARE)
        )
    )


# ---------------------------------------------------------------- against the linear learners


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("predictor", PREDICTORS)
def test_linear_kernel_is_the_linear_perceptron(
    digits, predictor, fit_intercept, shuffle, multi_class
):
    X, y = digits
    kernel = Polynomial(degree=1, coef0=1) if fit_intercept else Linear()
    options = {"predictor": predictor, "shuffle": shuffle, "multi_class": multi_class}
    options |= {"max_iter": 4, "random_state": 0}
    ours = KernelPerceptron(kernel=kernel, **options).fit(X, y)
    linear = Perceptron(fit_intercept=fit_intercept, **options).fit(X, y)
    for mine, theirs in zip(ours.mistakes_per_epoch_, linear.mistakes_per_epoch_, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    if predictor == "voted":
        np.testing.assert_array_equal(ours.decision_function(X), linear.decision_function(X))
        return
    w, b = ours.dual_coef_ @ ours.support_vectors_, ours.dual_coef_.sum(axis=1)
    if predictor == "average":  # a mean is rounded
        np.testing.assert_allclose(w, linear.coef_, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(b * fit_intercept, linear.intercept_, rtol=1e-12, atol=1e-12)
    else:
        np.testing.assert_array_equal(w, linear.coef_)
        np.testing.assert_array_equal(b * fit_intercept, linear.intercept_)


def test_weights_equal_scikit_learn_on_the_expansion(digits):
    """All products of two of (1, x) have the inner products (1 + <x, z>)^2, in integers."""
    X, y = digits
    with_one = np.column_stack([X[:, 20:40], np.ones(len(X))])
    expanded = (with_one[:, :, None] * with_one[:, None, :]).reshape(len(X), -1)
    ours = KernelPerceptron(kernel=SQUARE, max_iter=4).fit(X[:, 20:40], y)
    theirs = SklearnPerceptron(max_iter=4, tol=None, shuffle=False, fit_intercept=False)
    theirs.fit(expanded, y)
    np.testing.assert_array_equal(ours.dual_coef_ @ expanded[ours.support_], theirs.coef_)


# ---------------------------------------------------------------- many classes


@pytest.mark.parametrize("predictor", PREDICTORS)
def test_one_vs_one_is_a_perceptron_per_pair(digits, predictor):
    X, y = digits[0][:, 20:40], digits[1] % 4  # too little to separate the classes at once
    options = {"kernel": SQUARE, "predictor": predictor, "max_iter": 6}
    scores = KernelPerceptron(multi_class="ovo", **options).fit(X, y)._binary_scores(X)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for k, (i, j) in enumerate(pairs):
        keep = (y == i) | (y == j)
        alone = KernelPerceptron(**options).fit(X[keep], y[keep])
        rounding = 1e-13 * np.abs(scores[:, k]).max()
        np.testing.assert_allclose(scores[:, k], alone.decision_function(X), atol=rounding)


def test_each_problem_stops_and_picks_its_best_epoch_by_itself(digits):
    X, y = digits[0][:, 20:40], digits[1]
    options = {"kernel": SQUARE, "predictor": "best", "max_iter": 12}
    learner = KernelPerceptron(**options).fit(X, y)
    assert len(set(learner.n_iter_)) > 1
    for k in range(10):
        alone = KernelPerceptron(**options).fit(X, y == k)
        np.testing.assert_array_equal(coefficients(learner, 300)[k], coefficients(alone, 300)[0])
        assert learner.n_iter_[k] == alone.n_iter_[0]
        assert learner.n_support_[k] == len(alone.support_)


@each_memory
def test_best_is_a_copy_and_not_the_last_iterate(max_memory):
    X, y = make_classification(n_samples=100, flip_y=0.3, random_state=0)
    options = {"kernel": Linear(), "max_memory": max_memory}
    best = KernelPerceptron(predictor="best", max_iter=6, **options).fit(X, y)
    ends = [KernelPerceptron(max_iter=k, **options).fit(X, y) for k in range(1, 7)]
    errors = [np.mean(end.predict(X) != y) for end in ends]
    first = int(np.argmin(errors))
    assert errors[first] < errors[-1]
    same = ends[first]
    np.testing.assert_array_equal(coefficients(best, 100), coefficients(same, 100))


def test_score_zero_predicts_the_first_class():
    learner = KernelPerceptron(kernel="linear").fit([[1.0], [-1.0]], ["b", "a"])
    assert learner.predict([[0.0]]).tolist() == ["a"]


# ---------------------------------------------------------------- some rows of a shared matrix


@each_memory
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("predictor", PREDICTORS)
def test_solving_on_some_rows_is_fitting_on_them(
    digits, predictor, shuffle, multi_class, max_memory
):
    X, y = digits
    rows = np.random.default_rng(0).permutation(300)[:120]
    rest = np.setdiff1d(np.arange(300), rows)
    learner = KernelPerceptron(
        kernel=SQUARE, predictor=predictor, shuffle=shuffle, multi_class=multi_class,
        max_iter=3, random_state=1,
    )  # fmt: skip
    gram = Gram(SQUARE, Pairs(X), max_memory=max_memory)
    solution = learner._solve(gram, y, rows, Reporter())
    alone = learner.fit(X[rows], y[rows])
    assert solution.fitted["n_mistakes_"].tolist() == alone.n_mistakes_.tolist()
    if predictor != "voted":
        np.testing.assert_array_equal(solution.coef[:, rows], coefficients(alone, 120))
    assert not np.any(solution.coef[:, rest])
    for points in (rest, rows):
        scores = solution.scores_on(gram, points)
        np.testing.assert_allclose(scores, alone._binary_scores(X[points]), rtol=1e-12, atol=1e-12)


def test_rows_without_some_class(digits):
    """A problem none of whose classes occurs makes no mistake, and scores 0."""
    X, y = digits
    rows = np.flatnonzero(y > 2)
    for predictor in PREDICTORS:
        learner = KernelPerceptron(predictor=predictor, multi_class="ovo")
        gram = Gram(SQUARE, Pairs(X))
        solution = learner._solve(gram, y, rows, Reporter())
        assert solution.fitted["n_mistakes_"][0] == 0
        assert solution.fitted["n_iter_"][0] == 1
        assert not np.any(solution.scores_on(gram, np.arange(300))[:, 0])


# ---------------------------------------------------------------- shuffling, options, errors


@each_memory
@pytest.mark.parametrize("seed", [0, 1])
def test_shuffle_is_a_reshuffled_visiting_order(seed, max_memory):
    X, y = make_classification(60, flip_y=0.2, random_state=0)
    learner = KernelPerceptron(
        kernel=Linear(), shuffle=True, max_iter=4, random_state=seed, max_memory=max_memory
    ).fit(X, y)
    order = VisitingOrder(np.arange(60), "reshuffle", streams(seed, 1)[0])
    epochs = [order.take(60).tolist() for _ in range(4)]
    assert len({tuple(epoch) for epoch in epochs}) == 4
    G, a = X @ X.T, np.zeros(60)
    for epoch in epochs:
        for i in epoch:
            if (2 * y[i] - 1) * (a @ G[i]) <= 0:
                a[i] += 2 * y[i] - 1
    np.testing.assert_array_equal(coefficients(learner, 60)[0], a)


@pytest.mark.parametrize("predictor", PREDICTORS)
def test_float32_and_sparse_data_give_the_same(digits, predictor):
    X, y = digits
    options = {"kernel": SQUARE, "predictor": predictor}
    dense, single, csr = (
        KernelPerceptron(**options).fit(form, y)
        for form in (X, X.astype(np.float32), sparse.csr_array(X))
    )
    same_fit(dense, single)
    same_fit(dense, csr)
    assert sparse.issparse(csr.support_vectors_)
    np.testing.assert_array_equal(
        csr.decision_function(sparse.csr_array(X)), dense.decision_function(X)
    )


def test_voted_has_no_dual_coef_and_says_why(digits):
    learner = KernelPerceptron().fit(*digits).set_params(predictor="voted").fit(*digits)
    with pytest.raises(AttributeError, match=r"no dual_coef_: its vote over \d+ pred.*average"):
        _ = learner.dual_coef_
    assert not hasattr(learner, "no_such_thing")
    learner.set_params(predictor="last").fit(*digits)
    assert learner.dual_coef_.shape == (10, len(learner.support_))
    assert not hasattr(learner, "votes_")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_iter": 0}, ValueError, r"max_iter must be an integer >= 1, got max_iter=0\. Typ"),
        ({"max_iter": 2.5}, TypeError, r"max_iter must be an integer.*2\.5 of type float"),
        ({"predictor": "mean"}, ValueError, r"one of 'last', 'average', 'voted', 'best'; got"),
        ({"shuffle": 1}, TypeError, r"shuffle must be True or False, got shuffle=1"),
        ({"multi_class": "all"}, ValueError, r"multi_class must be one of 'ovr', 'ovo'; got"),
        ({"kernel": "gauss"}, ValueError, r"kernel must be one of 'linear'.*got kernel='gauss'"),
        ({"gram_dtype": "half"}, ValueError, r"gram_dtype must be one of 'auto', 'float32'"),
        ({"max_memory": -1}, ValueError, r"max_memory must be a number >= 0, got.*MiB"),
    ],
)
def test_wrong_parameters_are_named(options, error, message):
    with pytest.raises(error, match=message):
        KernelPerceptron(**options).fit([[0.0], [1.0]], [0, 1])


@each_memory
def test_sums_too_large_are_refused(max_memory):
    X = 1.3e154 * np.array([[1, 0], [0, 1], [0.7, 0.7], [0, -0.1]])  # each K(x, z) is finite
    with pytest.raises(ValueError, match=r"sums of kernel values.*overflow.*StandardScaler"):
        KernelPerceptron(kernel="linear", max_memory=max_memory).fit(X, [1, 1, 1, 0])


# ---------------------------------------------------------------- Cologni (2024), the real table


def rows_of_the_document(milan, n_scaled):
    """Return (kernel, validation error, training error) of each row of the document's table.

    The scaler is fitted on the first ``n_scaled`` of the 8000 training rows, of which 6000 train
    and 2000 validate: on all of them in the document's program.
    """
    X, y = milan
    rows, _ = split_rows(len(y), 31415)
    X = np.column_stack(
        [StandardScaler().fit(X[rows[:n_scaled]]).transform(X[rows]), np.ones(8000)]
    )
    y = y[rows]
    result = []
    for row in published.table("cologni2024_kernel_perceptron").itertuples():
        kernel = (
            Polynomial(degree=int(row.degree))
            if row.kernel == "polynomial"
            else Exponential.with_length(float(row.gamma))
        )
        learner = KernelPerceptron(kernel=kernel, max_iter=10, gram_dtype="float64")
        wrong = learner.fit(X[:6000], y[:6000]).predict(X) != y
        result.append(
            (f"{row.kernel} {row.degree}{row.gamma}", wrong[6000:].mean(), wrong[:6000].mean())
        )
    return pd.DataFrame(result, columns=["kernel", "validation", "training"])


@pytest.fixture(scope="module")
def document_errors(milan):
    """Return the errors as the document's program had them."""
    return rows_of_the_document(milan, n_scaled=8000)


@pytest.mark.slow
def test_table_of_the_document(document_errors):
    """All eight rows, to the printed digits; long fractions are cut there, not rounded."""
    expected = published.table("cologni2024_kernel_perceptron")
    for errors, printed in (
        (document_errors.validation, expected.printed_val),
        (document_errors.training, expected.printed_train),
    ):
        texts = [repr(float(error)) for error in errors]
        cut = [text[: max(7, len(p))] for text, p in zip(texts, printed, strict=True)]
        assert cut == printed.tolist()


@pytest.mark.slow
def test_the_leak_of_the_document_changes_errors_but_not_the_choice(milan, document_errors):
    """A scaler fitted on the 6000 training rows alone moves the errors by less than noise."""
    clean = rows_of_the_document(milan, n_scaled=6000)
    assert not np.array_equal(document_errors.validation, clean.validation)
    chosen = [table.kernel[table.validation.idxmin()] for table in (document_errors, clean)]
    assert chosen[0] == chosen[1]
    p = document_errors.validation
    standard_error = np.sqrt(p * (1 - p) / 2000)
    assert np.all(np.abs(clean.validation - p) <= 2 * standard_error)
