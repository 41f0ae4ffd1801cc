"""What document 4 says in prose, each statement decided by the experiments.

Its numbers are compared with its own way of computing; the evidence has the corrected ones.
Tests: ``tests/replication/test_romano2021.py``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from kernlib.replication import published
from kernlib.replication.claims import Finding, claim, used
from kernlib.replication.romano2021.beyond import repeats
from kernlib.replication.romano2021.common import DEGREES, EPOCHS, PREDICTORS
from kernlib.replication.romano2021.tables import (
    degrees,
    epochs,
    facts,
    matrix_seconds,
    prediction_seconds,
)
from kernlib.replication.romano2021.variants import kernel_trick, rules, training_accuracy
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

WRONG_DEGREES = DEGREES[1:]
ALMOST_CONSTANT = 1.5  # the slowest over the fastest
FAR_LESS = 0.5
ALREADY_GOOD = 6  # errors, 1 % of the test digits

used(
    "romano2021",
    {
        "R07": "The share of the file that document_rows draws.",
        "R09": "The share of the draw that document_rows trains on.",
        "R10": "The share of the draw that is left to judge by.",
        "R23": "The degrees of the experiment degrees; degree 1 is in other_kernels.",
    },
)


def _stated(name: str) -> Any:
    lines = published.claims("romano2021").set_index("id")
    return lines.loc[name, "value"]


def _values(table: pd.DataFrame, variant: str, quantity: str = "test_errors") -> dict[str, float]:
    """Return the mean over runs of a variant's values, by row."""
    ours = table[(table["variant"] == variant) & (table["quantity"] == quantity)]
    means = ours.groupby("row", sort=False)["value"].mean()
    return {str(row): float(mean) for row, mean in means.items()}


def _listed(counts: Sequence[float]) -> str:
    return ";".join(f"{count:g}" for count in counts)


def _runs(table: pd.DataFrame, row: str) -> np.ndarray:
    """Return the test errors of a row, in the order of the runs."""
    ours = table[(table["row"] == row) & (table["quantity"] == "test_error")]
    return ours.sort_values("run")["value"].to_numpy()


def _decide_fact(name: str, *quantities: str) -> None:
    """Register a claim about the data: the numbers in it are the values of ``quantities``."""

    def decide(table: pd.DataFrame) -> Finding:
        """Compares with the data and the document's split."""
        ours = [_values(table, AS_PRINTED, quantity)["data"] for quantity in quantities]
        stated = [float(n) for n in _stated(name).replace("..", " ").replace("x", " ").split()]
        return Finding(ours == stated, dict(zip(quantities, ours, strict=True)))

    claim(name, tables=(facts,))(decide)


for _name, _quantities in {
    "R01": ("n_columns",),
    "R02": ("n_pixels",),
    "R03": ("side", "side"),
    "R04": ("lowest_grey", "highest_grey"),
    "R05": ("lowest_label", "highest_label"),
    "R06": ("n_total",),
    "R08": ("n_used",),
    "R11": ("n_train",),
    "R12": ("n_test",),
    "R19": ("n_classes",),
}.items():
    _decide_fact(_name, *_quantities)


# ---------------------------------------------------------------- degrees


@claim("R13", tables=(degrees, repeats))
def best_degree(table: pd.DataFrame, repeated: pd.DataFrame) -> Finding:
    """Holds if degree 2 errs least without overflow, on the document's split or over others."""
    ours = _values(table, CORRECTED)
    errors = _values(repeated, CORRECTED, "test_error")
    best = {name: min(DEGREES, key=lambda d: ours[f"{name} {d}"]) for name in PREDICTORS}
    over_runs = min(DEGREES, key=lambda d: errors[f"degree {d}"])
    evidence: dict[str, float | str] = {f"best, {name}": d for name, d in best.items()}
    evidence["best over other splits"] = over_runs
    for degree in (2, 3):
        evidence[f"mean error of degree {degree}"] = errors[f"degree {degree}"]
    gap = _runs(repeated, "degree 2") - _runs(repeated, "degree 3")
    evidence["s.e. of their difference"] = float(gap.std(ddof=1) / np.sqrt(len(gap)))
    stated = int(_stated("R13"))
    return Finding(over_runs == stated or set(best.values()) == {stated}, evidence)


def _decide_counts(name: str, table: Any, rows: list[str], copies: int = 1) -> None:
    """Register a claim that lists counts of errors; printed once for ``copies`` predictors."""

    def decide(made: pd.DataFrame) -> Finding:
        """Compares the counts with their way of computing."""
        theirs, corrected = (
            _listed([_values(made, variant)[row] for row in rows])
            for variant in (AS_CODED, CORRECTED)
        )
        evidence = {"their way": theirs, "corrected": corrected}
        return Finding(theirs == ";".join([_stated(name)] * copies), evidence)

    claim(name, tables=(table,))(decide)


def _epoch_rows(name: str, degree: int) -> list[str]:
    return [f"{name} {degree} {epoch}" for epoch in range(1, EPOCHS + 1)]


_decide_counts("R20", degrees, [f"{name} 2" for name in PREDICTORS], copies=2)
_decide_counts("R24", degrees, [f"average {d}" for d in WRONG_DEGREES])
_decide_counts("R25", degrees, [f"min_training_error {d}" for d in WRONG_DEGREES])
_decide_counts("R28", epochs, [r for name in PREDICTORS for r in _epoch_rows(name, 2)], copies=2)
_decide_counts("R32", epochs, _epoch_rows("average", 6))


@claim("R21", "R22", tables=(degrees,))
def rates_of_degree_2(table: pd.DataFrame) -> Finding:
    """Compares accuracy and loss with their way of computing."""
    rates = {q: _values(table, AS_CODED, q)["average 2"] for q in ("accuracy", "zero_one_loss")}
    printed = {"accuracy": _stated("R21"), "zero_one_loss": _stated("R22")}
    return Finding(all(f"{rates[q]:.3f}" == printed[q] for q in rates), rates)


@claim("R26", tables=(degrees,))
def below_ten_percent(table: pd.DataFrame) -> Finding:
    """Holds if exactly two of degrees 3 to 6 have an accuracy below 0.1, in their way."""
    accuracy = _values(table, AS_CODED, "accuracy")
    low = [d for d in WRONG_DEGREES if accuracy[f"average {d}"] < 0.1]
    corrected = _values(table, CORRECTED, "accuracy")
    least = min(corrected[f"average {d}"] for d in WRONG_DEGREES)
    return Finding(len(low) == 2, {"degrees": _listed(low), "least corrected accuracy": least})


@claim("R27", tables=(degrees,))
def worst_degree(table: pd.DataFrame) -> Finding:
    """Holds if the loss of degree 3 is above 0.98 in their way."""
    theirs = _values(table, AS_CODED, "zero_one_loss")["average 3"]
    corrected = _values(table, CORRECTED, "zero_one_loss")["average 3"]
    return Finding(theirs > 0.98, {"their way": theirs, "corrected": corrected})


# ---------------------------------------------------------------- epochs


def _best_epoch(name: str, table: pd.DataFrame, repeated: pd.DataFrame) -> Finding:
    counts = [_values(table, AS_CODED)[row] for row in _epoch_rows("average", 2)]
    first = int(np.argmin(counts)) + 1
    spread = repeated.loc[repeated["quantity"] == "best_epoch", "value"]
    evidence = {
        "first epoch with the fewest errors": first,
        "their number": min(counts),
        "over other splits, from": spread.min(),
        "to": spread.max(),
    }
    return Finding(first == int(_stated(name)), evidence)


@claim("R14", tables=(epochs, repeats))
def best_epoch_of_the_abstract(table: pd.DataFrame, repeated: pd.DataFrame) -> Finding:
    """Holds if no other epoch before has as few errors, in their way of computing."""
    return _best_epoch("R14", table, repeated)


@claim("R30", tables=(epochs, repeats))
def best_epoch_of_the_text(table: pd.DataFrame, repeated: pd.DataFrame) -> Finding:
    """Holds if no other epoch before has as few errors, in their way of computing."""
    return _best_epoch("R30", table, repeated)


@claim("R31", tables=(epochs, repeats))
def already_good(table: pd.DataFrame, repeated: pd.DataFrame) -> Finding:
    """Holds if epoch 6 is the first within 1 % of the test digits of the best."""
    counts = np.array([_values(table, AS_CODED)[row] for row in _epoch_rows("average", 2)])
    near = int(np.argmax(counts <= counts.min() + ALREADY_GOOD)) + 1
    errors = _values(repeated, CORRECTED, "test_error")
    evidence = {
        "first within 1 %": near,
        "mean error after 6 on other splits": errors["degree 2 epoch 6"],
        "after 10": errors["degree 2 epoch 10"],
    }
    return Finding(near == int(_stated("R31")), evidence)


@claim("R29", tables=(training_accuracy,))
def separated(table: pd.DataFrame) -> Finding:
    """Holds if after epochs 9 and 10, not 8, all ten classifiers make no training error."""
    worst = _values(table, AS_CODED, "worst_accuracy_after")
    after = {epoch: worst[f"degree 2 epoch {epoch}"] for epoch in (8, 9, 10)}
    evidence = {f"worst accuracy after epoch {e}": value for e, value in after.items()}
    return Finding(after[9] == after[10] == 1 > after[8], evidence)


@claim("R35", tables=(training_accuracy,))
def training_accuracy_by_epoch(table: pd.DataFrame) -> Finding:
    """Holds if it ends at 1 for degree 2 and below its start for the others, in their way."""
    theirs = _values(table, AS_CODED, "online_accuracy")
    corrected = _values(table, CORRECTED, "online_accuracy")
    ends = {d: (theirs[f"degree {d} epoch 1"], theirs[f"degree {d} epoch 10"]) for d in DEGREES}
    falls = all(ends[d][1] < ends[d][0] for d in WRONG_DEGREES)
    evidence = {
        "degree 2, first": ends[2][0],
        "degree 2, last": ends[2][1],
        "degree 6, first": ends[6][0],
        "degree 6, last": ends[6][1],
        "degree 6 corrected, last": corrected["degree 6 epoch 10"],
    }
    return Finding(ends[2][0] < ends[2][1] == 1 and falls, evidence)


@claim("R33", "R34", tables=(epochs,))
def degree_6_fails(table: pd.DataFrame) -> Finding:
    """Holds if at every epoch the accuracy is below 0.1 and the loss above 0.9, in their way."""
    rows = _epoch_rows("average", 6)
    accuracy = [_values(table, AS_CODED, "accuracy")[row] for row in rows]
    corrected = [_values(table, CORRECTED, "accuracy")[row] for row in rows]
    evidence = {"highest accuracy": max(accuracy), "corrected, last": corrected[-1]}
    return Finding(max(accuracy) < 0.1, evidence)


# ---------------------------------------------------------------- rules, costs and times


@claim("R15", tables=(kernel_trick,))
def explicit_cost(table: pd.DataFrame) -> Finding:
    """Holds if the explicit product's cost grows as the square of the features, at each degree."""
    exponents = {d: _values(table, AS_PRINTED, "exponent")[f"explicit map {d}"] for d in DEGREES}
    evidence = {f"exponent at degree {d}": value for d, value in exponents.items()}
    return Finding(all(round(value) == 2 for value in exponents.values()), evidence)


@claim("R16", tables=(kernel_trick,))
def kernel_cost(table: pd.DataFrame) -> Finding:
    """Holds if the kernel's cost grows as the number of features, at each degree."""
    exponents = [_values(table, AS_PRINTED, "exponent")[f"kernel {d}"] for d in DEGREES]
    return Finding(all(round(e) == 1 for e in exponents), {"least exponent": min(exponents)})


@claim("R17", tables=(rules,))
def smallest_score_wins(table: pd.DataFrame) -> Finding:
    """Holds if argmin, as printed, errs less than argmax."""
    errors = {v: _values(table, v)["equation 5"] for v in (AS_PRINTED, CORRECTED)}
    evidence = {"errors with argmin": errors[AS_PRINTED], "with argmax": errors[CORRECTED]}
    return Finding(errors[AS_PRINTED] < errors[CORRECTED], evidence)


@claim("R18", tables=(rules,))
def loss_of_a_hit(table: pd.DataFrame) -> Finding:
    """Holds if the printed loss gives the loss that the document reports for degree 2."""
    loss = {v: _values(table, v, "zero_one_loss")["equation 6"] for v in (AS_PRINTED, CORRECTED)}
    evidence = {"by equation 6": loss[AS_PRINTED], "the cases exchanged": loss[CORRECTED]}
    return Finding(f"{loss[AS_PRINTED]:.3f}" == _stated("R22"), evidence)


@claim("R36", tables=(matrix_seconds,))
def time_of_the_matrix(table: pd.DataFrame) -> Finding:
    """Holds if the slowest degree takes less than 1.5 times the fastest, pair by pair."""
    seconds = list(_values(table, AS_CODED, "seconds").values())
    at_once = list(_values(table, CORRECTED, "seconds").values())
    ratio = max(seconds) / min(seconds)
    evidence = {"slowest over fastest": ratio, "with kernlib": max(at_once) / min(at_once)}
    return Finding(ratio < ALMOST_CONSTANT, evidence)


@claim("R37", tables=(prediction_seconds,))
def time_of_prediction(table: pd.DataFrame) -> Finding:
    """Holds if degree 2 takes less than half of any other; it does so by its support vectors."""
    seconds = _values(table, AS_CODED, "seconds")
    values = _values(table, AS_CODED, "kernel_values")
    corrected = _values(table, CORRECTED, "kernel_values")
    others = [f"degree {d}" for d in WRONG_DEGREES]
    ratio = seconds["degree 2"] / min(seconds[row] for row in others)
    evidence = {
        "seconds over the next": ratio,
        "kernel values over the next": values["degree 2"] / min(values[row] for row in others),
        "corrected": corrected["degree 2"] / min(corrected[row] for row in others),
        "correlation": float(np.corrcoef(list(seconds.values()), list(values.values()))[0, 1]),
    }
    return Finding(ratio < FAR_LESS, evidence)
