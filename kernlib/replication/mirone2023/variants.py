"""Document 2's slips, each beside the way that was meant.

The kernel that is next to nothing but at the nearest point; a lambda that changes nothing; ten
signs of which none or several are positive; nine slots for 25 results; the averaged predictor.
Tests: ``tests/replication/test_mirone2023.py``.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from kernlib.gram import Gram, Pairs
from kernlib.kernels import Kernel
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.mirone2023.common import (
    CODE,
    DIGITS,
    FEW_RUNS,
    FORMULA,
    LAMBDAS,
    STEPS,
    Cut,
    State,
    as_variants,
    cross_validated,
    cuts,
    first_positive,
    gram_of,
    joined,
    largest,
    pegasos_states,
    pixels,
)
from kernlib.replication.mirone2023.tables import RUNS, VARIANTS, cv_errors
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

SLOTS = 9
EIGENVALUES_OF = 1000  # points
BEST = "1e-5"  # the lambda of the only printed cell
KERNELS: dict[str, Kernel] = {AS_CODED: CODE, AS_PRINTED: FORMULA}


def _line(variant: str, row: str, quantity: str, value: Any, **more: Any) -> dict[str, Any]:
    named = {"variant": variant, "row": row, "quantity": quantity, "value": float(value)}
    return named | more


# ---------------------------------------------------------------- the kernel's values


def _value_shares(gram: Gram) -> Iterator[tuple[str, float]]:
    """Yield what is left of the kernel off the diagonal."""
    K: Any = gram.matrix
    n = len(K)
    yield "zeros", gram.zeros
    yield "subnormals", gram.subnormals
    # A sum with K(x, x) = 1 in it does not see values below the rounding of 1.
    small = sum(int(np.count_nonzero(row < np.finfo(np.float64).eps / 2)) for row in K)
    yield "below_rounding", small / (n * (n - 1))
    nearest = np.array([np.partition(row, -2)[-2] for row in K])  # the largest is K(x, x)
    yield "median_of_nearest", float(np.median(nearest))
    some = np.linspace(0, n - 1, min(n, EIGENVALUES_OF)).astype(int)
    found = np.linalg.eigvalsh(K[np.ix_(some, some)])
    yield "smallest_eigenvalue", float(found[0])


@experiment("anomaly 1", data="usps", deterministic=True)
def kernel_values(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Shares of the kernel's values that are 0, subnormal, or lost in a sum with K(x, x)."""
    pairs = Pairs(pixels(data))
    return tidy(
        _line(variant, "kernel", quantity, value)
        for variant, kernel in KERNELS.items()
        for quantity, value in _value_shares(gram_of(kernel, pairs))
    )


def _of_nearest(gram: Gram, codes: np.ndarray, cut: Cut, state: State) -> dict[str, float]:
    """Compare the predictors of one lambda with the label of the nearest point, at test points."""
    matrix: Any = gram.matrix
    K = matrix[cut.test]
    said, same = np.sign(state.scores[:, 0, cut.test]), []
    for digit in range(DIGITS):
        stored = np.flatnonzero(state.coef[digit, 0])
        nearest = codes[stored[np.take(K, stored, axis=1).argmax(axis=1)]]
        same.append(np.mean(said[digit] == np.where(nearest == digit, 1, -1)))
    nearest = codes[cut.train[np.take(K, cut.train, axis=1).argmax(axis=1)]]
    labels = {
        "first_positive": first_positive(state.scores[:, :1])[0, cut.test],
        "argmax": largest(state.scores[:, :1])[0, cut.test],
    }
    found = {"same_as_nearest_stored": float(np.mean(same))}
    found |= {f"{rule}_same_as_1nn": float(np.mean(a == nearest)) for rule, a in labels.items()}
    found |= {f"{rule}_error": float(np.mean(a != codes[cut.test])) for rule, a in labels.items()}
    return found | {"1nn_error": float(np.mean(nearest != codes[cut.test]))}


def _nearest_lines(gram: Gram, codes: np.ndarray, cut: Cut, variant: str) -> list[dict[str, Any]]:
    return [
        _line(variant, f"{BEST} {state.n_steps}", quantity, value, run=cut.run)
        for state in pegasos_states(gram, codes, cut, [BEST], (STEPS[0], STEPS[-1]))
        for quantity, value in _of_nearest(gram, codes, cut, state).items()
    ]


@experiment("anomaly 1", data="usps", runs=FEW_RUNS)
def nearest_neighbour(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Whether the predictors say what the nearest stored point says, and the nearest of all.

    The nearest in the kernel's own distance: the largest kernel value.
    """
    pairs, codes = Pairs(pixels(data)), np.asarray(data.target)
    lines: list[dict[str, Any]] = []
    for variant, kernel in KERNELS.items():
        gram = gram_of(kernel, pairs)
        made = Parallel(n_jobs=-1, prefer="threads")(
            delayed(_nearest_lines)(gram, codes, cut, variant)
            for cut in cuts(len(codes), runs, seed)
        )
        lines += [line for part in made for line in part]
        del gram  # before the next one: they are large
    return _fold_means(lines)


def _fold_means(lines: Sequence[dict[str, Any]]) -> pd.DataFrame:
    keys = ["variant", "row", "quantity", "run"]
    means = pd.DataFrame(lines).groupby(keys, sort=False)["value"].mean().reset_index()
    return joined([means])


# ---------------------------------------------------------------- lambda


@experiment("anomaly 2", data="usps", runs=RUNS)
def regularisation(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """How much lambda moves the errors on the same draws, and how much other draws do.

    ``lowest``: how often each lambda errs least in a column when each cell has draws of its own,
    as in the document; for that, the cells of a column are taken from runs after one another.
    """
    ours = cv_errors(data, runs=runs, seed=seed)
    rows: list[dict[str, Any]] = []
    errors = ours[ours["quantity"].str.endswith("error")]
    for key, part in errors.groupby(["variant", "T", "quantity"]):
        variant, row, quantity = (str(k) for k in key)
        cells = part.pivot(index="run", columns="lambda", values="value")[list(LAMBDAS)].to_numpy()
        ranges = np.ptp(cells, axis=1)
        rows += [_line(variant, row, f"{quantity}, range over lambda", ranges.mean())]
        spread = cells.std(axis=0, ddof=1).mean() if len(cells) > 1 else 0.0
        rows += [_line(variant, row, f"{quantity}, std over runs", spread)]
        rows += [
            _line(variant, f"{row} {name}", f"{quantity}, lowest", share)
            for name, share in zip(LAMBDAS, _lowest(cells), strict=True)
        ]
    return tidy(rows)


def _lowest(cells: np.ndarray) -> np.ndarray:
    """Return how often each column is lowest, column k taken from run r + k."""
    shifted = np.array([np.roll(column, -k) for k, column in enumerate(cells.T)]).T
    lowest = shifted == shifted.min(axis=1, keepdims=True)
    return np.mean(lowest / lowest.sum(axis=1, keepdims=True), axis=0)


# ---------------------------------------------------------------- draws, slots, averages


@experiment("anomaly 3", data="usps", runs=FEW_RUNS)
def shared_draws(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors, and points with no or several positive signs, if the ten digits share their draws.

    ``cv_errors`` has them with the program's draws, one sequence for each digit.
    """
    pairs, codes = Pairs(pixels(data)), np.asarray(data.target)
    folds = [cut.shared() for cut in cuts(len(pairs), runs, seed)]
    parts = [
        as_variants(cross_validated(gram_of(kernel, pairs), codes, folds, [BEST]), names)
        for kernel, names in VARIANTS.items()
    ]
    return joined(parts)


@experiment("anomaly 4", data=None, deterministic=True)
def slots(runs: int, seed: int) -> pd.DataFrame:
    """How many of the 25 results the program's list takes before it fails."""
    results: list[Any] = list(np.repeat(0, SLOTS))
    written = 0
    try:
        for n in range(len(LAMBDAS) * len(STEPS)):
            results[n] = (0.0, 0.0)
            written += 1
    except IndexError:
        pass
    needed = len(LAMBDAS) * len(STEPS)
    return tidy([
        _line(AS_CODED, "cv_results", "results_written", written),
        _line(CORRECTED, "cv_results", "results_written", needed),
    ])  # fmt: skip


@experiment("anomaly 4", data="usps", runs=FEW_RUNS)
def averages(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors of the mean of all iterates, which the text promises, over the document's grid."""
    pairs, codes = Pairs(pixels(data)), np.asarray(data.target)
    folds = cuts(len(pairs), runs, seed)
    parts = []
    for kernel, named in VARIANTS.items():
        # One thread a product: how it is cut into parts must not move its last digits.
        with threadpool_limits(1):
            made = cross_validated(gram_of(kernel, pairs), codes, folds, output="average")
        parts.append(as_variants(made, named))
    return joined(parts)
