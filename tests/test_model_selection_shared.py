"""The shared Gram matrix changes nothing but the time: every fit is that of the learner alone."""

import gc
import threading
import time
import weakref

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from strategies import multiclass_problems

from kernlib import BudgetPerceptron, KernelPegasos, KernelPerceptron, KernelSVM, Perceptron
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Exponential, Gaussian, Linear, Polynomial, Precomputed
from kernlib.learners.kernel_base import Reporter
from kernlib.model_selection import GridSearch, evaluate, pipelines, repeated_splits, shared
from kernlib.model_selection.experiment import Experiment
from kernlib.model_selection.shared import train_first
from kernlib.model_selection.splits import Split

LEARNERS = [
    KernelPerceptron(),
    KernelPerceptron(predictor="average"),
    KernelPerceptron(predictor="voted"),
    KernelPerceptron(predictor="best"),
    KernelPerceptron(multi_class="ovo"),
    KernelPerceptron(shuffle=True, random_state=3),
    KernelPerceptron(shuffle=True, random_state=np.random.RandomState(3)),
    KernelPegasos(n_steps=500, random_state=0),
    KernelPegasos(n_steps=500, random_state=0, class_weight="balanced", output="average"),
    KernelPegasos(n_steps=500, random_state=np.random.RandomState(0), multi_class="ovo"),
    BudgetPerceptron(budget=20),
    BudgetPerceptron(budget=20, policy="random", shuffle=True, random_state=1),
    # Close to the optimum, and so to each other: rounding decides which way they come.
    KernelSVM(gram_dtype="float64", tol=1e-8),
    KernelSVM(lam=0.01, fit_intercept=False, multi_class="ovr", gram_dtype="float64", tol=1e-8),
]


def label(learner):
    """Return a name that is the same in every process; that of a RandomState is not."""
    return f"{type(learner).__name__}-{LEARNERS.index(learner)}"


def both(estimator, grid, X, y, splits):
    """Return the tables of the two paths, without the seconds."""
    tables = [evaluate(estimator, grid, X, y, splits, max_memory=memory) for memory in (2048, 0)]
    assert [table.attrs["path"] for table in tables] == ["shared", "generic"]
    return [table.drop(columns="seconds") for table in tables]


@pytest.fixture(scope="module")
def data():
    return make_classification(
        160, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.1, random_state=0
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=label)
def test_the_tables_are_equal(learner, data):
    X, y = data
    kernels = [Linear(), Polynomial(2), Gaussian(0.2), Exponential(0.5), Linear() + Gaussian(0.1)]
    splits = repeated_splits(y, cv=3, n_runs=2, test_size=0.2, random_state=0)
    pd.testing.assert_frame_equal(*both(learner, {"kernel": kernels}, X, y, splits))


@given(multiclass_problems(max_rows=12), st.data())
@pytest.mark.parametrize("learner", LEARNERS[:5], ids=label)
def test_scores_are_those_of_a_fit_alone(learner, problem, data):
    """On integers, to the bit: any rows in any order, on points among many others."""
    X, codes, _ = problem
    codes[:2] = 0, 1
    n_classes = int(codes.max()) + 1
    codes[2:n_classes] = np.arange(2, n_classes)[: max(0, len(codes) - 2)]
    present = [int(np.flatnonzero(codes == k)[0]) for k in np.unique(codes)]
    codes = np.unique(codes, return_inverse=True)[1]
    others = [row for row in range(len(X)) if row not in present]
    rows = np.array(data.draw(st.permutations(present + data.draw(st.sets(
        st.sampled_from(others)).map(list) if others else st.just([])))))  # fmt: skip
    learner.kernel = Polynomial(2)
    gram = Gram(learner.kernel, Pairs(X))
    (solution,) = learner._solve_many([learner], gram, codes, rows)
    alone = learner.fit(X[rows], codes[rows])
    points = np.arange(len(X))
    found, expected = solution.scores_on(gram, points), alone._binary_scores(X)
    if learner.predictor == "average":  # of thirds: its sums depend on their order
        assert np.allclose(found, expected, rtol=1e-12, atol=1e-12)
    else:
        assert np.array_equal(found, expected)


def test_lambdas_on_one_kernel(data):
    X, y = data
    grid = {"kernel": [Polynomial(2), Gaussian(0.2)], "lam": [0.001, 0.1, 1.0], "offset": [0, 1]}
    learner = KernelPegasos(n_steps=500, random_state=0)
    splits = repeated_splits(y, cv=3)
    pd.testing.assert_frame_equal(*both(learner, grid, X, y, splits))


def test_parameters_from_the_data_come_from_the_training_rows(data):
    """``gamma="scale"`` looks at the variance: rows outside the fold must not be in it."""
    X, y = data
    X = X.copy()
    splits = repeated_splits(y, cv=3)
    X[splits[0].validation] *= 50
    learner = KernelPerceptron(gram_dtype="float64")
    grid = {"kernel": ["rbf", Gaussian(), Gaussian(0.1)]}
    pd.testing.assert_frame_equal(*both(learner, grid, X, y, splits))
    experiment = shared.Experiment.checked(learner, {}, X, y, splits)
    points = shared.Points.of(experiment)
    groups = shared.grouped(experiment, points, experiment.fits(), 1)
    for group, split in zip(groups, splits, strict=True):
        alone = KernelPerceptron().fit(X[split.train], y[split.train])
        assert group.kernel == alone.kernel_


def test_auto_looks_at_the_rows_to_judge_too(data):
    """A row that float32 would lose decides for float64, though no fold trains on it."""
    X, y = data
    X = X.copy()
    (split,) = repeated_splits(y, cv="holdout")
    X[split.validation[0]] *= 1e3
    learner = KernelPerceptron(kernel=Gaussian(0.2))
    assert learner.fit(X[split.train], y[split.train]).gram_dtype_ == "float32"
    experiment = shared.Experiment.checked(learner, {}, X, y, [split])
    (group,) = shared.grouped(experiment, shared.Points.of(experiment), experiment.fits(), 1)
    assert group.gram(Pairs(X)).dtype == np.float64
    pd.testing.assert_frame_equal(*both(learner, {}, X, y, [split]))


@pytest.mark.parametrize("form", ["float32", "csr", "frame", "precomputed"])
def test_the_kinds_of_input(form, data):
    X, y = data
    grid = {"kernel": [Polynomial(2), Gaussian(0.2)]}
    if form == "float32":
        X = X.astype(np.float32)
    elif form == "csr":
        X = sparse.csr_array(np.where(np.abs(X) > 1, X, 0))
    elif form == "frame":
        X = pd.DataFrame(X, columns=list("abcde"))
    else:
        X, grid = Gaussian(0.2)(X), {"kernel": ["precomputed"], "max_iter": [1, 3]}
    splits = repeated_splits(y, cv=3)
    pd.testing.assert_frame_equal(*both(KernelPerceptron(), grid, X, y, splits))


class Counted(Gram):
    """Counts the matrices that were made, and those that live."""

    made: list = []
    most = 0

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.matrix is None:
            return
        gc.collect()
        Counted.made.append(weakref.ref(self))
        Counted.most = max(Counted.most, sum(ref() is not None for ref in Counted.made))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_one_gram_matrix_a_kernel_and_one_at_a_time(monkeypatch, data, n_jobs):
    X, y = data
    monkeypatch.setattr(shared, "Gram", Counted)
    monkeypatch.setattr(Counted, "made", [])
    monkeypatch.setattr(Counted, "most", 0)
    grid = {"kernel": [Polynomial(d) for d in (1, 2, 3)], "max_iter": [1, 2]}
    splits = repeated_splits(y, cv=3, n_runs=2, test_size=0.2, random_state=0)
    table = evaluate(KernelPerceptron(), grid, X, y, splits, n_jobs=n_jobs)
    assert len(table) == 3 * 2 * 2 * 4
    assert len(Counted.made) == 3
    assert Counted.most == 1


def test_one_product_matrix_serves_all_kernels(monkeypatch, data):
    X, y = data
    made = []

    class Watched(Pairs):
        def __init__(self, X, *, keep=False):
            made.append(keep)
            super().__init__(X, keep=keep)

    monkeypatch.setattr("kernlib.model_selection.schedule.Pairs", Watched)
    grid = {"kernel": [Polynomial(d) for d in (1, 2, 3)]}
    evaluate(KernelPerceptron(), grid, X, y, repeated_splits(y, cv=3))
    assert made == [True]


def test_learners_with_one_kernel_are_solved_together(monkeypatch, data):
    X, y = data
    sizes = []

    def together(self, learners, gram, codes, rows):
        sizes.append(len(learners))
        return [learner._solve(gram, codes, rows, Reporter()) for learner in learners]

    monkeypatch.setattr(KernelPerceptron, "_solve_many", together)
    grid = {"kernel": [Linear(), Polynomial(2)], "max_iter": [1, 2, 3]}
    splits = repeated_splits(y, cv="holdout")
    one = evaluate(KernelPerceptron(), grid, X, y, splits, n_jobs=1)
    assert sizes == [3, 3]
    sizes.clear()
    two = evaluate(KernelPerceptron(), grid, X, y, splits, n_jobs=2)
    assert sorted(sizes) == [1, 1, 2, 2]  # one split only: cut, so that both workers have some
    pd.testing.assert_frame_equal(one.drop(columns="seconds"), two.drop(columns="seconds"))


@pytest.mark.parametrize(("dtype", "bytes_a_pair"), [("float32", 8), ("float64", 16), ("auto", 20)])
def test_max_memory_decides_on_the_path(data, dtype, bytes_a_pair):
    X, y = data
    needed = bytes_a_pair * 160**2 / 2**20
    splits = repeated_splits(y, cv="holdout")
    learner = KernelPerceptron(gram_dtype=dtype)
    for memory, path in ((needed, "shared"), (needed - 1e-6, "generic")):
        table = evaluate(learner, {}, X, y, splits, max_memory=memory)
        assert table.attrs["path"] == path
        assert ("more than max_memory" in table.attrs["note"]) == (path == "generic")
    mixed = evaluate(learner, {"gram_dtype": ["float32", "float64"]}, X, y, splits, max_memory=0.45)
    assert mixed.attrs["path"] == "generic"


def test_the_dtype_is_that_of_each_candidate(data):
    X, y = data
    X = X * 1000
    grid = {"gram_dtype": ["float32", "float64"]}
    learner = KernelPerceptron(kernel=Polynomial(6, coef0=0, scale=1e-6))
    splits = repeated_splits(y, cv=3)
    experiment = shared.Experiment.checked(learner, grid, X, y, splits)
    groups = shared.grouped(experiment, shared.Points.of(experiment), experiment.fits(), 1)
    assert [str(group.gram(Pairs(X)).dtype) for group in groups] == ["float32", "float64"]


def pipeline(learner=None):
    learner = learner or KernelPerceptron(kernel=Polynomial(), gram_dtype="float64")
    return Pipeline([("scale", StandardScaler()), ("learn", learner)])


def test_a_pipeline_shares_within_every_split(data):
    X, y = data
    splits = repeated_splits(y, cv=3, n_runs=2, test_size=0.2, random_state=0)
    grid = {"learn__kernel__degree": [1, 2], "learn__max_iter": [1, 3]}
    inside, alone = (
        evaluate(pipeline(), grid, X, y, splits, max_memory=memory) for memory in (2048, 0)
    )
    assert (inside.attrs["path"], alone.attrs["path"]) == ("per split", "generic")
    pd.testing.assert_frame_equal(inside.drop(columns="seconds"), alone.drop(columns="seconds"))


@pytest.mark.parametrize("form", ["frame", "csr", "words"])
def test_a_pipeline_takes_what_it_takes_alone(form, data):
    X, y = data
    model = pipeline()
    if form == "frame":
        X = pd.DataFrame(X, columns=list("abcde"))
    elif form == "csr":
        X = sparse.csr_array(np.where(np.abs(X) > 1, X, 0))
        model.set_params(scale__with_mean=False)
    else:
        y = pd.Series(np.array(["a", "b", "c"])[y])
    splits = repeated_splits(y, cv=3)
    inside, alone = (evaluate(model, {}, X, y, splits, max_memory=memory) for memory in (2048, 0))
    assert (inside.attrs["path"], alone.attrs["path"]) == ("per split", "generic")
    pd.testing.assert_frame_equal(inside.drop(columns="seconds"), alone.drop(columns="seconds"))


@pytest.mark.parametrize(("memory", "most"), [(0.25, 1), (0.5, 2), (2048, 2)])
def test_splits_of_a_pipeline_hold_matrices_as_memory_allows(data, monkeypatch, memory, most):
    X, y = data
    running, seen, lock = [], [], threading.Lock()
    solved = shared.Task.solved

    def watched(self, gram, points):
        with lock:
            running.append(self)
            seen.append(len(running))
        time.sleep(0.02)
        try:
            return solved(self, gram, points)
        finally:
            with lock:
                running.pop()

    monkeypatch.setattr(shared.Task, "solved", watched)
    model = pipeline(KernelPerceptron(gram_dtype="float32"))
    splits = repeated_splits(y, cv=4)
    table = evaluate(model, {}, X, y, splits, n_jobs=2, max_memory=memory)
    assert table.attrs["path"] == "per split"
    assert max(seen) == most


def test_a_pipeline_on_a_precomputed_matrix(data):
    X, y = data
    model = Pipeline([("same", FunctionTransformer()), ("learn", KernelPerceptron())])
    assert pipelines.last_step(_experiment(model, X, y)) is not None
    grid = {"learn__kernel": ["rbf", "precomputed"]}
    experiment = shared.Experiment.checked(model, grid, X, y, repeated_splits(y, cv=2))
    assert pipelines.last_step(experiment) is None


def test_the_steps_of_a_pipeline_see_their_training_rows_only(data):
    X, y = data
    split = repeated_splits(y, cv=3)[0]
    poisoned = X.copy()
    poisoned[split.validation] = 1e3
    one, other = (evaluate(pipeline(), {}, A, y, [split]) for A in (X, poisoned))
    assert one.training_error.tolist() == other.training_error.tolist()
    assert one.attrs["path"] == "per split"


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (pipeline(), {"scale__with_mean": [True, False]}),
        (pipeline(), {"learn": [KernelPerceptron(), KernelPegasos(n_steps=10)]}),
        (pipeline(Perceptron()), {"learn__max_iter": [1]}),
        (make_pipeline(KernelPerceptron()), {}),
    ],
    ids=["another step", "another learner", "no kernel", "one step"],
)
def test_other_pipelines_are_fitted_alone(data, model, grid):
    assert GridSearch(model, grid, cv=2).fit(*data).path_ == "generic"


def test_callbacks_see_every_fit(data):
    X, y = data
    learner = KernelPerceptron()
    assert shared.why_not(_experiment(learner, X, y), 160, 2048) == ""
    learner._skl_callbacks = [object()]
    assert "callbacks" in shared.why_not(_experiment(learner, X, y), 160, 2048)
    model = pipeline()
    assert pipelines.last_step(_experiment(model, X, y)) is not None
    model._skl_callbacks = [object()]
    assert pipelines.last_step(_experiment(model, X, y)) is None


def _experiment(learner, X, y):
    return shared.Experiment(learner, [{}], X, y, repeated_splits(y, cv=2), y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_one_split_has_its_training_rows_in_front(data, form):
    """The order of the rows in the matrix is nobody's business: the same errors as without."""
    X, y = data
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(y))
    split = Split(0, 0, rows[:40], rows[40:60], rows[60:])
    again = Split(0, 1, rows[:40], rows[40:60], rows[60:])
    grid = {"kernel": [Polynomial(2), Gaussian(0.1)], "lam": [0.01, 1.0]}
    learner = KernelPegasos(n_steps=200, random_state=0)
    one = evaluate(learner, grid, form(X), y, [split])
    two = evaluate(learner, grid, form(X), y, [split, again])
    different = ["fold", "seconds"]
    first = two[two.fold == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(one.drop(columns=different), first.drop(columns=different))
    experiment = Experiment.checked(learner, grid, form(X), y, [split])
    moved = train_first(experiment)
    assert moved.splits[0].train.tolist() == list(range(40))
    assert np.array_equal(moved.codes[moved.splits[0].test], experiment.codes[split.test])


def test_a_training_row_may_come_twice(data):
    X, y = data
    rows = np.array([5, 3, 5, *range(10, 60)])
    split = Split(0, 0, rows, np.arange(60, 70), np.arange(0))
    moved = train_first(Experiment.checked(KernelPegasos(), {}, X, y, [split]))
    assert moved.splits[0].train[:4].tolist() == [0, 1, 0, 2]
    assert np.array_equal(moved.X[moved.splits[0].train], X[rows])


def test_given_values_stay_where_they_are(data):
    X, y = data
    split = repeated_splits(y, cv="holdout")
    for grid in ({"kernel": ["precomputed"]}, {"kernel": [Precomputed()]}):
        experiment = Experiment.checked(KernelPegasos(), grid, X @ X.T, y, split)
        assert train_first(experiment) is experiment
