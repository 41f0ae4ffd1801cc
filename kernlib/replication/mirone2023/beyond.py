"""What document 2 left out: other kernels and widths, a finer grid, run times.

Tests: ``tests/replication/test_mirone2023.py``.
"""

import time
from typing import Any

import numpy as np
import pandas as pd

from kernlib.gram import Gram, Pairs
from kernlib.kernels import Gaussian, Kernel, Laplacian, Polynomial, SquaredL1
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.mirone2023.common import (
    CODE,
    FEW_RUNS,
    FOLDS,
    FORMULA,
    GAMMA,
    LAMBDAS,
    STEPS,
    as_variants,
    cross_validated,
    cuts,
    gram_of,
    joined,
    largest,
    pegasos_states,
    pixels,
)
from kernlib.replication.mirone2023.tables import VARIANTS
from kernlib.replication.verdicts import AS_CODED, CORRECTED

FINER_LAMBDAS = tuple(f"1e-{k}" for k in range(10, 2, -1))
FINER_STEPS = (3500, 4500, 5500, 6500, 7438)
TIMED_VALUES, REPEATS = 40, 5
COMPARED = 3000  # digits

LEFT_OUT = {
    "Other gammas": "other_kernels",
    "kernels": "other_kernels",
    "argmax over real-valued scores": "cv_errors",
    "averaging": "averages",
    "run times": "run_times",
    "finer grid in 3500<=T<=7438, 1e-10<=lambda<=1e-3": "finer_grid",
    "the original train/test split": (
        "The two parts are joined before anything is measured, and neither the document nor our "
        "copy of the data says which row came from which."
    ),
    "seeds and repeats": "cv_errors",
}

KERNELS: dict[str, Kernel] = {
    **{f"gaussian {g:g}": Gaussian.with_variance(g) for g in (1.0, 4.0, 16.0, 64.0)},
    **{f"squared L1 {g:g}": SquaredL1(gamma=g / 2) for g in (0.025, 0.0025, 0.00025)},
    "laplacian 0.05": Laplacian(gamma=0.05),
    "polynomial 3": Polynomial(degree=3),
}
OWN_KERNELS: dict[str, Kernel] = {f"gaussian {GAMMA:g}": FORMULA, f"squared L1 {GAMMA:g}": CODE}


@experiment("left out", data="usps", runs=1)
def other_kernels(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors with wider and other kernels, largest score, over the document's grid.

    Gaussian g is the formula with gamma = g, squared L1 g the program with gamma = g.
    """
    pairs, codes = Pairs(pixels(data)), np.asarray(data.target)  # most kernels need no X X'
    folds = cuts(len(pairs), runs, seed)
    parts = []
    for name, kernel in KERNELS.items():
        made = cross_validated(Gram(kernel, pairs), codes, folds)
        made["row"] = name + " " + made["row"]
        parts.append(as_variants(made, {"argmax": CORRECTED}).assign(kernel=name))
    return joined(parts)


@experiment("left out", data="usps", runs=FEW_RUNS)
def finer_grid(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors over the range that the document recommends, lambda by powers of 10, T by 1000."""
    pairs, codes = Pairs(pixels(data)), np.asarray(data.target)
    folds = cuts(len(pairs), runs, seed)
    parts = []
    for kernel, names in VARIANTS.items():
        # The matrix has no name here, so that it is gone before the next one is made.
        made = cross_validated(gram_of(kernel, pairs), codes, folds, FINER_LAMBDAS, FINER_STEPS)
        parts.append(as_variants(made, names))
    return joined(parts)


@experiment("arithmetic", data="usps", runs=1)
def precision(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Predictions of other_kernels that differ between float32 and float64 kernel values.

    One fold of 3000 digits, every lambda and number of steps.  The document's own kernels are
    in float64 everywhere.
    """
    rows = np.random.default_rng(seed).permutation(len(data.target))[:COMPARED]
    pairs, codes = Pairs(pixels(data)[rows]), np.asarray(data.target)[rows]
    cut = cuts(len(rows), 1, seed)[0]
    total = differ = 0
    for kernel in KERNELS.values():
        single, double = (
            [
                largest(state.scores[:, :, cut.test])
                for state in pegasos_states(Gram(kernel, pairs, dtype=dtype), codes, cut)
            ]
            for dtype in ("auto", "float64")
        )
        total += np.size(single)
        differ += int(np.count_nonzero(np.array(single) != np.array(double)))
    counts = {"comparisons": total, "differences": differ}
    return tidy(
        {"row": "other_kernels", "quantity": quantity, "value": float(value)}
        for quantity, value in counts.items()
    )


# ---------------------------------------------------------------- run times


def _value_seconds(X: np.ndarray) -> float:
    """Return the time of one kernel value as the program computes it, of rows of a data frame."""
    frame = pd.DataFrame(X[:2])
    a, b = frame.iloc[0, 0:256], frame.iloc[1, 0:256]
    best = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(TIMED_VALUES):
            np.exp((-1 / 2 * GAMMA) * (np.linalg.norm((a - b), ord=1) ** 2))
        best = min(best, time.perf_counter() - start)
    return best / TIMED_VALUES


def _program_values(stored: dict[int, np.ndarray], n_steps: int, n_points: int) -> np.ndarray:
    """Return the program's kernel values for one fold: at each step one for each stored point.

    Then one for each stored point and each point to predict.  ``stored`` are the numbers of
    stored points after some steps, digits by lambdas; in between they grow evenly.
    """
    at = [0, *[n for n in stored if n <= n_steps]]
    sizes = np.array([np.zeros_like(stored[n_steps]), *[stored[n] for n in at[1:]]])
    training = np.trapezoid(sizes, at, axis=0)
    return np.asarray(training + n_points * stored[n_steps]).sum(axis=0)


@experiment("left out", data="usps", runs=1)
def run_times(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Seconds of the cross validation at each T, and what the program's own way would take.

    Its kernel values, one at a time, are counted on the first fold and times the time of one;
    ours are measured on that fold, all lambdas, without the Gram matrix, which has its own row.
    """
    X, codes = pixels(data), np.asarray(data.target)
    rows: list[dict[str, Any]] = []
    unit = _value_seconds(X)
    start = time.perf_counter()
    gram = gram_of(CODE, Pairs(X))
    rows.append(_timed(CORRECTED, "gram matrix", time.perf_counter() - start))
    cut = cuts(len(X), 1, seed)[0]
    stored: dict[int, np.ndarray] = {}
    start = time.perf_counter()
    for state in pegasos_states(gram, codes, cut, LAMBDAS, STEPS):
        row = f"T = {state.n_steps}"
        rows.append(_timed(CORRECTED, row, FOLDS * (time.perf_counter() - start)))
        stored[state.n_steps] = state.violations
        values = FOLDS * float(_program_values(stored, state.n_steps, len(X)).sum())
        rows.append({"variant": AS_CODED, "row": row, "quantity": "kernel_values",
                     "value": values})  # fmt: skip
        rows.append(_timed(AS_CODED, row, values * unit))
    return tidy(rows)


def _timed(variant: str, row: str, seconds: float) -> dict[str, Any]:
    return {"variant": variant, "row": row, "quantity": "seconds", "value": seconds}
