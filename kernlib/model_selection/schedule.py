"""The order of the work, over threads, processes or a cluster; results do not depend on it.

joblib carries the work out.  Threads are preferred: the compiled loops let go of the
interpreter, and share one Gram matrix.  Inside ``joblib.parallel_config(backend="dask")``, or
another backend of processes, every job makes the matrix that it needs on its worker.
Tests: ``tests/test_model_selection_parallel.py``.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import joblib
from joblib.parallel import get_active_backend

from kernlib.gram import Pairs
from kernlib.model_selection import pipelines, shared
from kernlib.model_selection.experiment import Experiment, Fit, Record, fit_alone
from kernlib.model_selection.splits import Split

SHARED, PER_SPLIT, GENERIC = "shared", "per split", "generic"
JOBS_PER_WORKER = 2  # for processes: more jobs make more matrices, fewer leave workers idle


def finished(
    experiment: Experiment, fits: Sequence[Fit], *, n_jobs: int | None, path: str, at_once: int = 1
) -> Iterator[dict[Fit, Record]]:
    """Do the fits; yield what was measured, in the order in which they finish.

    ``at_once`` is how many splits of a pipeline may have matrices at a time in this process.
    """
    if not fits:
        return
    backend, _ = get_active_backend(prefer="threads")
    n_workers = joblib.effective_n_jobs(n_jobs)
    if path == PER_SPLIT and getattr(backend, "supports_sharedmem", False):
        n_jobs = min(n_workers, at_once)
    one_by_one = getattr(backend, "supports_return_generator", False)
    parallel = joblib.Parallel(
        n_jobs=n_jobs, prefer="threads", return_as="generator_unordered" if one_by_one else "list"
    )
    if path == GENERIC:
        e = experiment
        # X and y by themselves: so a cluster sends them to a worker once, not with every job.
        yield from parallel(
            joblib.delayed(_alone)((c, s), e.estimator, e.candidates[c], e.X, e.y, e.splits[s])
            for c, s in fits
        )
        return
    if path == PER_SPLIT:
        yield from _split_by_split(experiment, fits, parallel)
        return
    experiment = shared.train_first(experiment)
    points = shared.Points.of(experiment)
    groups = shared.grouped(experiment, points, fits, n_workers)
    if getattr(backend, "supports_sharedmem", False):
        yield from _on_one_matrix(groups, points, parallel)
        return
    n_parts = -(-JOBS_PER_WORKER * n_workers // len(groups))
    jobs = [part for group in groups for part in group.cut(n_parts)]
    X, codes, classes = points.X, points.codes, points.classes
    yield from parallel(joblib.delayed(job.solved)(X, codes, classes) for job in jobs)


def _alone(
    fit: Fit, estimator: Any, candidate: dict[str, Any], X: Any, y: Any, split: Split
) -> dict[Fit, Record]:
    return {fit: fit_alone(estimator, candidate, X, y, split)}


def _split_by_split(
    experiment: Experiment, fits: Sequence[Fit], parallel: Any
) -> Iterator[dict[Fit, Record]]:
    """Do each split of a pipeline's experiment as one job."""
    last = pipelines.last_step(experiment)
    assert last is not None
    e = experiment
    yield from parallel(
        joblib.delayed(_one_split)(
            e.estimator[:-1], last.estimator, last.candidates, e.X, e.y, e.codes, e.splits[place],
            place, [c for c, s in fits if s == place],
        )
        for place in sorted({s for _, s in fits})
    )  # fmt: skip


def _one_split(
    steps: Any, learner: Any, candidates: Any, X: Any, y: Any, codes: Any, split: Split,
    place: int, chosen: Sequence[int],
) -> dict[Fit, Record]:  # fmt: skip
    part = pipelines.inside(steps, Experiment(learner, candidates, X, y, [split], codes))
    records = shared.solved_here(part, [(c, 0) for c in chosen])
    return {(c, place): record for (c, _), record in records.items()}


def _on_one_matrix(
    groups: Sequence[shared.Group], points: shared.Points, parallel: Any
) -> Iterator[dict[Fit, Record]]:
    """Do group after group, so that no two Gram matrices live at a time."""
    pairs = Pairs(points.X, keep=len(groups) > 1)
    for group in groups:
        gram = group.gram(pairs)
        yield from parallel(joblib.delayed(task.solved)(gram, points) for task in group.tasks)
        del gram
