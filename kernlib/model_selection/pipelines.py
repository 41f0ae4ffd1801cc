"""A pipeline that ends in a kernel learner: its steps once a split, then one Gram matrix there.

The steps before the learner belong to the training rows of their split, so no matrix can serve
two splits; but the candidates of a split that differ in the learner only can share.  Threads work
on as many splits at a time as their matrices fit into ``max_memory`` together.
Tests: ``tests/test_model_selection_shared.py``.
"""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from kernlib.kernels import Precomputed
from kernlib.model_selection.experiment import Experiment
from kernlib.model_selection.splits import Split


def last_step(experiment: Experiment) -> Experiment | None:
    """Return the experiment of a pipeline's last step alone; None if the grid touches others."""
    pipeline = experiment.estimator
    if type(pipeline) is not Pipeline or len(pipeline.steps) < 2:
        return None
    if getattr(pipeline, "_skl_callbacks", ()):
        return None
    name, learner = pipeline.steps[-1]
    prefix = f"{name}__"
    if not all(key.startswith(prefix) for c in experiment.candidates for key in c):
        return None
    candidates = [
        {key.removeprefix(prefix): value for key, value in c.items()} for c in experiment.candidates
    ]
    kernels = [c.get("kernel", getattr(learner, "kernel", None)) for c in candidates]
    if any(kernel == "precomputed" or isinstance(kernel, Precomputed) for kernel in kernels):
        return None
    e = experiment
    return Experiment(learner, candidates, e.X, e.y, e.splits, e.codes)


def most_rows(experiment: Experiment) -> int:
    """Return the number of rows of the largest split."""
    return max(len(s.train) + len(s.validation) + len(s.test) for s in experiment.splits)


def inside(steps: Any, experiment: Experiment) -> Experiment:
    """Return the experiment on the rows of its one split, as the fitted ``steps`` leave them."""
    (split,) = experiment.splits
    steps = clone(steps)
    y = _safe_indexing(experiment.y, split.train)
    judged = [rows for rows in (split.validation, split.test) if len(rows)]
    parts = [steps.fit_transform(_safe_indexing(experiment.X, split.train), y)]
    parts += [steps.transform(_safe_indexing(experiment.X, rows)) for rows in judged]
    rows = np.concatenate([split.train, split.validation, split.test])
    stops = np.cumsum([len(split.train), len(split.validation)])
    local = Split(split.run, split.fold, *np.split(np.arange(len(rows)), stops))
    codes, y = experiment.codes[rows], _safe_indexing(experiment.y, rows)
    e = experiment
    return Experiment(e.estimator, e.candidates, _stacked(parts), y, [local], codes)


def _stacked(parts: list[Any]) -> Any:
    if any(sparse.issparse(part) for part in parts):
        return sparse.vstack(parts, format="csr")
    return np.concatenate([np.asarray(part) for part in parts])
