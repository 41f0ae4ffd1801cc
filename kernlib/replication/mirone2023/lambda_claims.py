"""What document 2 says about lambda: where errors are lowest, decided beyond noise.

On the same draws the errors of two lambdas are compared run by run, at 99 %.  How often a lambda
is lowest when each cell has draws of its own, as in the document, is in the evidence.
Tests: ``tests/replication/test_mirone2023.py``.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from kernlib.replication.claims import Finding, claim
from kernlib.replication.mirone2023.beyond import finer_grid
from kernlib.replication.mirone2023.claims import cells, stated
from kernlib.replication.mirone2023.common import LAMBDAS, STEPS
from kernlib.replication.mirone2023.tables import cv_errors
from kernlib.replication.mirone2023.variants import regularisation
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, LEVEL

TRAIN, TEST = "cv_train_error", "cv_test_error"
GOOD_STEPS = tuple(T for T in STEPS if T >= 3500)


def _lower(first: np.ndarray, second: np.ndarray) -> bool:
    """Tell whether the first errors are lower than the second beyond noise, run by run."""
    gaps = second - first
    if len(gaps) < 2:
        return False
    limit = stats.t.ppf((1 + LEVEL) / 2, len(gaps) - 1) * gaps.std(ddof=1) / np.sqrt(len(gaps))
    return bool(gaps.mean() > limit)


def lowest_beyond_noise(errors: np.ndarray, inside: Sequence[int]) -> bool:
    """Tell whether the best of some columns is lower than every other column, beyond noise."""
    best = min(inside, key=lambda k: errors[:, k].mean())
    others = [k for k in range(errors.shape[1]) if k not in inside]
    return all(_lower(errors[:, best], errors[:, k]) for k in others)


def _evidence(
    table: pd.DataFrame, spread: pd.DataFrame, quantity: str, T: int
) -> dict[str, float | str]:
    found: dict[str, float | str] = {}
    for variant in (AS_CODED, AS_PRINTED):
        means = cells(table, variant, quantity)[:, :, STEPS.index(T)].mean(axis=0)
        found[f"lowest on average, {variant}"] = LAMBDAS[int(np.argmin(means))]
        found[f"errors, {variant}"] = ";".join(f"{mean:.4f}" for mean in means)
    kept = spread[spread["variant"] == AS_CODED].set_index(["row", "quantity"])["value"]
    found["range over lambda"] = float(kept[str(T), f"{quantity}, range over lambda"])
    found["std over runs"] = float(kept[str(T), f"{quantity}, std over runs"])
    shares = [float(kept[f"{T} {name}", f"{quantity}, lowest"]) for name in LAMBDAS]
    found["how often lowest on own draws"] = ";".join(f"{share:.2f}" for share in shares)
    return found


def _decide(name: str, reason: str, quantity: str, T: int, inside: Sequence[str]) -> None:
    def decide(table: pd.DataFrame, spread: pd.DataFrame) -> Finding:
        errors = cells(table, AS_CODED, quantity)[:, :, STEPS.index(T)]
        holds = lowest_beyond_noise(errors, [LAMBDAS.index(n) for n in inside])
        return Finding(holds, _evidence(table, spread, quantity, T))

    decide.__doc__ = reason
    claim(name, tables=(cv_errors, regularisation))(decide)


_ONE = "Holds if this lambda errs less than every other at this T, beyond noise, as their code."
_decide("M28", _ONE, TRAIN, 250, [stated("M28")])
_decide("M29", _ONE, TRAIN, 1000, LAMBDAS[:1])
_decide("M32", _ONE, TRAIN, 3500, [stated("M32")])
_decide("M35", _ONE, TEST, 3500, [stated("M35")])
_decide("M38", _ONE, TEST, 7438, [stated("M38")])
_decide(
    "M30",
    "Holds if at this T a lambda below the largest has the least test error, beyond noise.",
    TEST,
    int(stated("M30")),
    LAMBDAS[:-1],
)


@claim("M40", tables=(cv_errors, regularisation, finer_grid))
def recommended_range(table: pd.DataFrame, spread: pd.DataFrame, finer: pd.DataFrame) -> Finding:
    """Holds if a lambda in the range errs less than all outside, beyond noise, at both best T."""
    low, high = (float(bound) for bound in stated("M40").split(".."))
    inside = [k for k, name in enumerate(LAMBDAS) if low <= float(name) <= high]
    errors = cells(table, AS_CODED)
    holds = [lowest_beyond_noise(errors[:, :, STEPS.index(T)], inside) for T in GOOD_STEPS]
    means = finer[(finer["variant"] == AS_CODED) & (finer["quantity"] == TEST)]
    by_cell = means.groupby("row", sort=False)["value"].mean()
    at_most = by_cell[[row for row in by_cell.index if row.endswith(f" {GOOD_STEPS[-1]}")]]
    evidence = _evidence(table, spread, TEST, GOOD_STEPS[-1])
    evidence["best of the finer grid"] = str(by_cell.idxmin())
    evidence["its error"] = float(by_cell.min())
    evidence["finer lambdas at the largest T, from"] = float(at_most.min())
    evidence["to"] = float(at_most.max())
    return Finding(all(holds), evidence)
