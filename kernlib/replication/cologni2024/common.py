"""How document 1 cuts and prepares its table, and the learners it runs on it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from kernlib.learners.pegasos import Pegasos
from kernlib.model_selection import error_rate
from kernlib.preprocessing import AddConstant, expansion, scaler
from kernlib.replication.engine import seeds
from kernlib.training import split_rows

SEED = 31415  # the document's, for the shuffle
RUNS = 20  # the document shows single unseeded runs; a verdict on one needs their spread
N_TRAIN, N_TEST, N_FIT, N_VAL = 8000, 2000, 6000, 2000
STEPS, EXPANDED_STEPS = 100_000, 1_000_000
GRID = (0.0001, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
CHOSEN = {"pegasos": 0.1, "logistic": 1.0, "expanded pegasos": 0.001, "expanded logistic": 0.1}

Rows = Iterator[dict[str, Any]]


class Parts(NamedTuple):
    """Rows to fit on and rows to judge by."""

    X: np.ndarray
    y: np.ndarray
    X_out: np.ndarray
    y_out: np.ndarray

    def mapped(self, transform: Any) -> "Parts":
        """Return the parts with another form of the features."""
        return Parts(transform(self.X), self.y, transform(self.X_out), self.y_out)


def raw_parts(data: Any) -> Parts:
    """Return the training and test rows: the shuffle, its first 80 % and the rest."""
    fit_rows, test_rows = split_rows(len(data.target), SEED)
    X, y = np.asarray(data.data), np.asarray(data.target)
    return Parts(X[fit_rows], y[fit_rows], X[test_rows], y[test_rows])


def train_and_test(data: Any, scaling: str = "standardize") -> Parts:
    """Return the scaled training and test rows with the constant feature, 11 columns."""
    parts = raw_parts(data)
    scale = scaler(scaling).fit(parts.X)
    return parts.mapped(lambda X: AddConstant().fit_transform(scale.transform(X)))


def fit_and_validate(data: Any, *, leak: bool = True) -> Parts:
    """Return the first 75 % and the last 25 % of the training rows, scaled, with the constant.

    The document's scaler had seen both (``leak``); else it sees the first part only.
    """
    X, y, _, _ = raw_parts(data)
    cut = int(0.75 * len(y))
    scale = scaler("standardize").fit(X if leak else X[:cut])
    parts = Parts(X[:cut], y[:cut], X[cut:], y[cut:])
    return parts.mapped(lambda rows: AddConstant().fit_transform(scale.transform(rows)))


def expanded(parts: Parts) -> Parts:
    """Return the degree-2 expansion with its constant twice: 77 columns, 66 of them distinct."""
    return parts.mapped(lambda X: expansion(2, double_constant=True).fit_transform(X[:, :-1]))


def pegasos(lam: float, seed: Any, *, loss: str = "hinge", n_steps: int = STEPS) -> Pegasos:
    """Return the document's Pegasos: the last iterate, the constant among the features."""
    state = int(seed.generate_state(1)[0])
    return Pegasos(lam=lam, loss=loss, n_steps=n_steps, fit_intercept=False, random_state=state)


def over_seeds(make: Any, parts: Parts, runs: int, seed: int) -> list[tuple[Any, float, float]]:
    """Fit ``make(stream)`` for each run; return (learner, training error, other error) of each."""

    def one(stream: Any) -> tuple[Any, float, float]:
        learner = make(stream).fit(parts.X, parts.y)
        train = error_rate(learner, parts.X, parts.y)
        return learner, train, error_rate(learner, parts.X_out, parts.y_out)

    streams = seeds(seed, runs)
    return list(Parallel(n_jobs=-1, prefer="threads")(delayed(one)(s) for s in streams))


def tuned(parts: Parts, seed: Any) -> Pegasos:
    """Return Pegasos, not fitted yet, with the lambda of the document's hold-out search."""
    cut = int(0.75 * len(parts.y))
    X, y = parts.X, parts.y

    def validation_error(lam: float) -> float:
        return error_rate(pegasos(lam, seed).fit(X[:cut], y[:cut]), X[cut:], y[cut:])

    return pegasos(min(GRID, key=validation_error), seed)
