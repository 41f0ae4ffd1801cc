r"""Many fits on one Gram matrix: what differs between them are the rows and the parameters.

One X Xᵀ over all points serves every kernel, and the Gram matrix of a kernel serves every fold,
run, class and every parameter that is not the kernel's.  A fit is an index set into it.

At a time there are X Xᵀ and one Gram matrix: :math:`8 n^2` bytes in float32, :math:`16 n^2` in
float64, and at most :math:`20 n^2` if some kernels need float64 and others do not, which counts
for ``gram_dtype="auto"``.  If that is more than ``max_memory``, nothing is shared.

Parameters that depend on the data, such as ``gamma="scale"``, come from the training rows of each
fit.  ``"auto"`` looks at all points, since the matrix judges on all of them: a row outside a fold
may decide for float64 in it.  A fit alone predicts in the type of X unless float32 was given, so
with a float32 matrix and float64 rows the scores differ by the matrix's rounding.
Tests: ``tests/test_model_selection_shared.py``.
"""

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from kernlib.gram import Gram, Pairs
from kernlib.kernels import Kernel, Precomputed, as_kernel
from kernlib.learners.base import chosen, combined
from kernlib.learners.kernel_base import KernelLearner, Solution
from kernlib.model_selection.experiment import ERRORS, Experiment, Fit, Record, configured, total
from kernlib.model_selection.splits import Split

BYTES = {"float32": 8, "float64": 16}  # of X Xᵀ and a Gram matrix, for a pair of points
BYTES_BOTH = 20  # X Xᵀ in both, and a Gram matrix in float64


def why_not(experiment: Experiment, n_rows: int, max_memory: float) -> str:
    """Return why the fits cannot share a Gram matrix of ``n_rows``; nothing if they can."""
    estimator = experiment.estimator
    if not isinstance(estimator, KernelLearner):
        return f"{type(estimator).__name__} is no kernel learner"
    if getattr(estimator, "_skl_callbacks", ()):
        return "callbacks want to see every fit"
    needed = memory(experiment, n_rows)
    if needed > max_memory:
        return f"the matrices may take {needed:.0f} MiB, more than max_memory={max_memory:g}"
    return ""


def memory(experiment: Experiment, n_rows: int) -> float:
    """Return the most that the matrices over ``n_rows`` take, in MiB."""
    dtypes = {c.get("gram_dtype", experiment.estimator.gram_dtype) for c in experiment.candidates}
    per_pair = BYTES.get(next(iter(dtypes)), BYTES_BOTH) if len(dtypes) == 1 else BYTES_BOTH
    return per_pair * n_rows**2 / 2**20


@dataclass(frozen=True)
class Points:
    """All rows as the learners see them, with what a fit needs of them."""

    X: Any
    codes: np.ndarray
    classes: np.ndarray

    @classmethod
    def of(cls, experiment: Experiment) -> "Points":
        """Validate the rows as ``fit`` does, once for all fits."""
        probe = clone(experiment.estimator)
        X, _, codes = probe._validate(experiment.X, experiment.y)
        return cls(X, codes, probe.classes_)


def train_first(experiment: Experiment) -> Experiment:
    """Return an experiment of one split with its training rows in front.

    A training loop then reads the beginnings of the rows of the Gram matrix, not all of them.
    """
    usual = experiment.estimator.kernel
    kernels = [as_kernel(candidate.get("kernel", usual)) for candidate in experiment.candidates]
    given = any(isinstance(kernel, Precomputed) for kernel in kernels)
    if len(experiment.splits) != 1 or given:
        return experiment
    split, n = experiment.splits[0], len(experiment.codes)
    in_front = np.unique(split.train, return_index=True)[1]
    order = np.concatenate(
        [split.train[np.sort(in_front)], np.setdiff1d(np.arange(n), split.train)]
    )
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n)
    parts = {name: place[getattr(split, name)] for name in ERRORS.values()}
    return replace(
        experiment,
        X=_safe_indexing(experiment.X, order),
        y=_safe_indexing(experiment.y, order),
        codes=experiment.codes[order],
        splits=[replace(split, **parts)],
    )


@dataclass(frozen=True)
class Task:
    """Candidates with the same kernel, on one split."""

    place: int  # of the split
    split: Split
    learners: Mapping[int, Any]  # by the number of their candidate

    def solved(self, gram: Gram, points: Points) -> dict[Fit, Record]:
        """Fit the learners on rows of ``gram``, and judge them."""
        start = time.perf_counter()
        learners = [_fresh(learner, points.classes) for learner in self.learners.values()]
        rows = self.split.train
        solutions = learners[0]._solve_many(learners, gram, points.codes, rows)
        each = (time.perf_counter() - start) / len(learners)
        records = {}
        for c, learner, solution in zip(self.learners, learners, solutions, strict=True):
            start = time.perf_counter()
            record = self._judged(learner, solution, gram, points)
            record["seconds"] = each + time.perf_counter() - start
            records[c, self.place] = record
        return records

    def _judged(self, learner: Any, solution: Solution, gram: Gram, points: Points) -> Record:
        record: Record = {"n_train": len(self.split.train)}
        multi_class = getattr(learner, "multi_class", "ovr")
        for name, part in ERRORS.items():
            rows = getattr(self.split, part)
            record[name] = None
            if len(rows):
                scores = solution.scores_on(gram, rows)
                found = chosen(combined(scores, len(points.classes), multi_class))
                record[name] = float(np.mean(found != points.codes[rows]))
        record["mistakes"] = total(solution.fitted.get("n_mistakes_"))
        record["support_vectors"] = len(solution.support())
        return record


@dataclass(frozen=True)
class Group:
    """The tasks that need the same Gram matrix."""

    kernel: Kernel
    dtype: str
    tasks: Sequence[Task]

    def gram(self, pairs: Pairs) -> Gram:
        """Return the matrix; that it fits was found out before."""
        return Gram(self.kernel, pairs, dtype=self.dtype, max_memory=np.inf)

    def solved(self, X: Any, codes: np.ndarray, classes: np.ndarray) -> dict[Fit, Record]:
        """Do all tasks, on a matrix of their own: for a process that shares no memory."""
        gram, points = self.gram(Pairs(X)), Points(X, codes, classes)
        return {fit: r for task in self.tasks for fit, r in task.solved(gram, points).items()}

    def cut(self, n_parts: int) -> list["Group"]:
        """Return groups with some of the tasks each."""
        parts = [self.tasks[k::n_parts] for k in range(n_parts)]
        return [Group(self.kernel, self.dtype, tasks) for tasks in parts if tasks]


def grouped(
    experiment: Experiment, points: Points, fits: Sequence[Fit], n_workers: int
) -> list[Group]:
    """Order the work by Gram matrix; few splits are cut into tasks enough for all workers."""
    learners = {c: _checked(experiment, c) for c in {c for c, _ in fits}}
    resolved = _Resolved(points.X)
    groups: dict[tuple[Kernel, str], dict[int, list[int]]] = {}
    for c, s in fits:
        kernel = resolved(as_kernel(learners[c].kernel), s, experiment.splits[s])
        groups.setdefault((kernel, learners[c].gram_dtype), {}).setdefault(s, []).append(c)
    return [
        Group(kernel, dtype, [
            Task(s, experiment.splits[s], {c: learners[c] for c in part})
            for s, members in by_split.items()
            for part in _parts(members, -(-n_workers // len(by_split)))
        ])
        for (kernel, dtype), by_split in groups.items()
    ]  # fmt: skip


def solved_here(experiment: Experiment, fits: Sequence[Fit]) -> dict[Fit, Record]:
    """Do the fits one after the other."""
    experiment = train_first(experiment)
    points = Points.of(experiment)
    groups = grouped(experiment, points, fits, 1)
    pairs = Pairs(points.X, keep=len(groups) > 1)
    records: dict[Fit, Record] = {}
    for group in groups:
        gram = group.gram(pairs)
        for task in group.tasks:
            records |= task.solved(gram, points)
        del gram
    return records


def _fresh(learner: Any, classes: np.ndarray) -> Any:
    """Return a copy for one fit, as ``clone`` does in a tenth of its time."""
    learner = copy.copy(learner)
    if hasattr(learner, "random_state"):  # a RandomState would go on from fit to fit
        learner.random_state = copy.deepcopy(learner.random_state)
    learner.classes_ = classes
    return learner


def _checked(experiment: Experiment, c: int) -> Any:
    learner = configured(experiment.estimator, experiment.candidates[c])
    learner._check_parameters()
    return learner


class _Resolved:
    """Replaces parameters that depend on the data, from the training rows of a split."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._known: dict[tuple[Kernel, int | None], Kernel] = {}

    def __call__(self, kernel: Kernel, place: int, split: Split) -> Kernel:
        if (kernel, None) not in self._known:
            self._known[kernel, None] = kernel.resolved(self._X)
        if self._known[kernel, None] == kernel:
            return kernel
        if (kernel, place) not in self._known:
            self._known[kernel, place] = kernel.resolved(self._X[split.train])
        return self._known[kernel, place]


def _parts(members: list[int], n_parts: int) -> list[list[int]]:
    return [part.tolist() for part in np.array_split(members, n_parts) if len(part)]
