r"""Document 1's logistic Pegasos: the printed update, overflow, and lambdas at the grid's edge.

Printed: :math:`w \leftarrow w + \frac{1}{\lambda t}\sigma(-m)\,y_i x_i`.  As its code:
:math:`(1 - 1/t)\,w` in place of w.  Its loss is :math:`\log_2(1 + e^{-m})`, whose slope has a
factor :math:`1/\ln 2`: with it, lambda becomes :math:`\lambda\ln 2` in the natural logarithm's
update.  Tests: ``tests/replication/test_cologni2024.py``.
"""

from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from kernlib._jit import jit
from kernlib.learners.losses import LOGISTIC, pull
from kernlib.learners.sampling import VisitingOrder, streams
from kernlib.replication.cologni2024.common import (
    EXPANDED_STEPS,
    RUNS,
    STEPS,
    Parts,
    Rows,
    expanded,
    fit_and_validate,
    over_seeds,
    pegasos,
    raw_parts,
)
from kernlib.replication.engine import experiment, seeds, tidy
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

LAMBDAS = (0.0001, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
SMALLER = (0.00001, 0.0001, 0.001, 0.01, 0.1, 1.0)
LARGEST_EXPONENT = float(np.log(np.finfo(np.float64).max))  # exp of more overflows
FEW_RUNS = 5


@jit
def _logistic_loop(X, y, order, lam, shrink):
    """Run logistic Pegasos, with the shrinkage or without; return w and the largest exponent."""
    w = np.zeros(X.shape[1])
    largest = 0.0
    for p in range(len(order)):
        i = order[p]
        t = p + 1
        score = 0.0
        for j in range(
            len(w)
        ):  # in this order on every processor, as a small lam magnifies rounding
            score += X[i, j] * w[j]
        margin = y[i] * score
        largest = max(largest, margin)  # of exp, in sigma(-m) = 1 / (1 + exp(m))
        if shrink:
            w *= 1.0 - 1.0 / t
        w += pull(LOGISTIC, y[i], y[i] * margin, 1.0) / (lam * t) * X[i]
    return w, largest


def run_logistic(parts: Parts, lam: float, stream: Any, *, shrink: bool) -> tuple[Any, float]:
    """Return the weights and the largest exponent of a run; its draws are those of Pegasos."""
    state = streams(int(stream.generate_state(1)[0]), 1)[0]
    order = VisitingOrder(np.arange(len(parts.y)), "replacement", state).take(STEPS)
    y = parts.y.astype(np.float64)
    return _logistic_loop(np.ascontiguousarray(parts.X), y, order, lam, shrink)


def _errors(parts: Parts, w: np.ndarray) -> tuple[float, float]:
    found = []
    for X, y in ((parts.X, parts.y), (parts.X_out, parts.y_out)):
        found.append(float(np.mean(np.where(X @ w > 0, 1, -1) != y)))
    return found[0], found[1]


def _lines(variant: str, row: str, run: int, values: dict[str, float]) -> Rows:
    for quantity, value in values.items():
        yield {"variant": variant, "row": row, "quantity": quantity, "run": run, "value": value}


def _several(parts: Parts, lam: float, runs: int, seed: int, *, shrink: bool) -> Any:
    tasks = (delayed(run_logistic)(parts, lam, s, shrink=shrink) for s in seeds(seed, runs))
    return enumerate(Parallel(n_jobs=-1, prefer="threads")(tasks))


@experiment("anomaly 8", data="milan", runs=RUNS)
def logistic_update(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The printed update, without shrinkage; the code's; and the one of the printed loss."""
    parts = fit_and_validate(data)
    names = ("training_error", "validation_error")

    def rows() -> Rows:
        for lam in LAMBDAS:
            row = f"{lam:g}"
            for variant, shrink in ((AS_PRINTED, False), (AS_CODED, True)):
                for run, (w, _) in _several(parts, lam, runs, seed, shrink=shrink):
                    found = dict(zip(names, _errors(parts, w), strict=True))
                    yield from _lines(variant, row, run, found)
            natural = lam * float(np.log(2))
            fits = over_seeds(
                lambda s, v=natural: pegasos(v, s, loss="logistic"), parts, runs, seed
            )
            for run, (_, *errors) in enumerate(fits):
                yield from _lines(CORRECTED, row, run, dict(zip(names, errors, strict=True)))

    return tidy(rows())


@experiment("anomaly 8", data="milan", runs=FEW_RUNS)
def overflow(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The largest exponent of a run, over what exp can take, and the errors without overflow."""
    linear = fit_and_validate(data)
    X, y, _, _ = raw_parts(data)
    cut = len(linear.y)
    raw = Parts(X[:cut], y[:cut], X[cut:], y[cut:])
    forms = {"linear": linear, "expanded": expanded(linear), "unscaled": raw}

    def rows() -> Rows:
        for name, parts in forms.items():
            for lam in LAMBDAS:
                for run, (w, largest) in _several(parts, lam, runs, seed, shrink=True):
                    train, validation = _errors(parts, w)
                    found = {
                        "exponent_over_limit": largest / LARGEST_EXPONENT,
                        "training_error": train,
                        "validation_error": validation,
                    }
                    yield from _lines(AS_CODED, f"{name} {lam:g}", run, found)

    return tidy(rows())


@experiment("anomaly 8", data="milan", runs=FEW_RUNS)
def grid_edges(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Validation errors below the smallest lambda of the grids whose edge was chosen."""
    parts = expanded(fit_and_validate(data))
    kinds = {
        "expanded pegasos": ("hinge", EXPANDED_STEPS),
        "expanded logistic": ("logistic", STEPS),
        f"expanded logistic, {EXPANDED_STEPS} steps": ("logistic", EXPANDED_STEPS),
    }

    def rows() -> Rows:
        for name, (loss, steps) in kinds.items():
            for lam in SMALLER:
                fits = over_seeds(
                    lambda s, v=lam, k=loss, n=steps: pegasos(v, s, loss=k, n_steps=n),
                    parts, runs, seed,
                )  # fmt: skip
                for run, (_, train, validation) in enumerate(fits):
                    found = {"training_error": train, "validation_error": validation}
                    yield from _lines(AS_PRINTED, f"{name} {lam:g}", run, found)

    return tidy(rows())
