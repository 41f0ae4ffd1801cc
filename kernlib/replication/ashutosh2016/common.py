"""Generated problems for document 3, and the objective of its algorithms."""

from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from kernlib.replication.engine import seeds

RUNS = 20
Rows = list[dict[str, Any]]


def over_runs(one: Callable[[np.random.SeedSequence], Rows], runs: int, seed: int) -> Rows:
    """Call ``one`` with the stream of each run; return all rows, with their run."""
    made = Parallel(n_jobs=-1, prefer="threads")(delayed(one)(s) for s in seeds(seed, runs))
    return [{**row, "run": run} for run, rows in enumerate(made) for row in rows]


def two_clouds(
    rng: np.random.Generator, n: int, direction: np.ndarray, gap: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return points of two normal clouds, +1 and -1 in turn, ``gap`` apart along a direction."""
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    X = rng.standard_normal((n, len(direction)))
    return X + np.outer(y, gap / 2 * direction / np.linalg.norm(direction)), y


def hinge(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    """Return the mean hinge loss."""
    return float(np.mean(np.maximum(0.0, 1.0 - y * (X @ w))))


def objective(w: np.ndarray, X: np.ndarray, y: np.ndarray, lam: float) -> float:
    """Return lam/2 ||w||^2 plus the mean hinge loss."""
    return float(lam / 2 * w @ w) + hinge(w, X, y)


def error(w: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    """Return the share of wrong signs."""
    return float(np.mean(y * (X @ w) <= 0))


def state_of(stream: np.random.SeedSequence) -> int:
    """Return a number for a learner's ``random_state``."""
    return int(stream.generate_state(1)[0])
