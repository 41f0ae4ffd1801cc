"""What part I of document 5 says in prose, each statement decided by the experiments.

Tests: ``tests/replication/test_dellaporta2020.py``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from kernlib.replication import engine, published
from kernlib.replication.claims import Finding, claim, used
from kernlib.replication.dellaporta2020.common import RUNS
from kernlib.replication.dellaporta2020.epochs import (
    gaussian_epochs,
    gaussian_pilot,
    ova_epochs,
    ovo_epochs,
)
from kernlib.replication.dellaporta2020.forgetron import (
    FORGETRON,
    PERCEPTRON,
    forgetron_cv,
    forgetron_or_perceptron,
)
from kernlib.replication.dellaporta2020.perceptrons import ova_gaussian_cv
from kernlib.replication.dellaporta2020.svm import svm_kernels
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED, LEVEL

SETTLED = 0.005  # half a point above the mean of the last epochs, or less
LAST_EPOCHS = 10
AGREE = ("exact", "within noise", "as the code, not the text")

used(
    "dellaporta2020",
    {
        "D01": "The share of the digits that cuts trains on.",
        "D02": "The share of the digits that cuts sets aside.",
        "D03": "The epochs of ova_epochs, gaussian_epochs and ovo_epochs.",
        "D04": "The runs of these experiments.",
        "D06": "The epochs of ova_polynomial.",
        "D07": "The runs of ova_polynomial.",
        "D08": "The degrees of ova_polynomial.",
        "D09": "The shares of the digits in every experiment on all of them.",
        "D10": "The folds of every cross validation.",
        "D11": "The runs of ova_polynomial_cv.",
        "D12": "The folds of hardest_digits.",
        "D13": "The degrees of hardest_digits.",
        "D14": "The epochs of hardest_digits.",
        "D15": "The folds that hardest_digits trains on, of ten.",
        "D16": "The runs of hardest_digits.",
        "D17": "The number of digits that hardest_digits returns.",
        "D18": "The range of gaussian_pilot.",
        "D20": "The widths of ova_gaussian.",
        "D23": "The epochs of ova_gaussian; gaussian_15_epochs has more.",
        "D24": "The runs of ova_gaussian.",
        "D28": "The runs of ovo_polynomial.",
        "D29": "The number of problems that one_vs_one solves: 45 for ten digits.",
        "D30": "The size of the reduced set in the experiments of the Forgetron.",
        "D31": "The budgets of the experiment budgets.",
        "D36": "The epochs of forgetron_or_perceptron.",
        "D40": "The folds of forgetron_cv.",
        "D46": "The C of svm_kernels.",
        "D50": "The range of svm_gamma.",
        "D52": "The number of values of C in svm_c.",
        "D53": "The range of C in svm_c, equally spread on a logarithmic scale.",
        "D54": "The runs of svm_c.",
    },
)


def stated(name: str) -> str:
    """Return what a claim states."""
    lines = published.claims("dellaporta2020").set_index("id")
    return str(lines.loc[name, "value"])


def runs_of(table: pd.DataFrame, row: str, quantity: str = "test_error") -> np.ndarray:
    """Return the values of a row as printed, in the order of the runs."""
    ours = table[
        (table["row"] == row) & (table["quantity"] == quantity) & (table["variant"] == AS_PRINTED)
    ]
    return ours.sort_values("run")["value"].to_numpy()


def means(table: pd.DataFrame, variant: str = AS_PRINTED) -> dict[str, float]:
    """Return the mean test error of each row."""
    ours = table[(table["quantity"] == "test_error") & (table["variant"] == variant)]
    by_row = ours.groupby("row", sort=False)["value"].mean()
    return {str(row): float(mean) for row, mean in by_row.items()}


def _decide_number(name: str, made: Any, row: str) -> None:
    """Register a claim that repeats a test error of a table: its verdict there decides."""

    def decide(table: pd.DataFrame) -> Finding:
        """Holds if the table's verdict on this error is that it agrees with ours."""
        card = engine.scorecard(made, table)
        found = card[(card["row"] == row) & (card["quantity"] == "test_error")].iloc[0]
        evidence: dict[str, float | str] = {"ours": float(found["ours"])}
        evidence["verdict"] = str(found["tentative"])
        return Finding(found["tentative"] in AGREE, evidence)

    claim(name, tables=(made,))(decide)


for _name, _made, _row in (
    ("D25", ova_gaussian_cv, "mean"),
    ("D38", forgetron_or_perceptron, f"{FORGETRON} 7"),
    ("D39", forgetron_or_perceptron, f"{PERCEPTRON} 7"),
    ("D41", forgetron_cv, "mean"),
    ("D47", svm_kernels, "gaussian 0.01675"),
    ("D48", svm_kernels, "polynomial 3.0"),
):
    _decide_number(_name, _made, _row)


def _decide_spread(name: str, made: Any) -> None:
    """Register a claim about the standard deviation of a chosen parameter's test error."""

    def decide(table: pd.DataFrame) -> Finding:
        """Holds if an F test at 99 % does not tell our variance over runs from theirs."""
        ours = runs_of(table, "mean")
        theirs = float(stated(name)) ** 2 * RUNS / (RUNS - 1)
        ratio = theirs / max(ours.var(ddof=1), 1e-12)
        tail = stats.f.cdf(ratio, RUNS - 1, len(ours) - 1)
        p_value = 2 * min(tail, 1 - tail)
        return Finding(p_value >= 1 - LEVEL, {"ours": float(ours.std()), "p": float(p_value)})

    claim(name, tables=(made,))(decide)


_decide_spread("D26", ova_gaussian_cv)
_decide_spread("D42", forgetron_cv)


# ---------------------------------------------------------------- epochs


def first_settled(table: pd.DataFrame, variant: str = AS_PRINTED) -> dict[float, int]:
    """Return after how many epochs the mean test error is settled, for each parameter.

    Settled: from then on at most half a point above its mean over the last ten epochs.
    """
    ours = table[table["variant"] == variant]
    curves = ours.groupby(["parameter", "epoch"])["value"].mean().unstack()
    excess = curves.to_numpy() - curves.iloc[:, -LAST_EPOCHS:].mean(axis=1).to_numpy()[:, None]
    above = excess > SETTLED
    n = above.shape[1]
    last = np.where(above.any(axis=1), n - above[:, ::-1].argmax(axis=1), 0)
    return {float(p): int(e) + 1 for p, e in zip(curves.index, last, strict=True)}


def _listed(settled: Mapping[float, int]) -> dict[str, float | str]:
    return {f"settled at {parameter:g}": epoch for parameter, epoch in settled.items()}


@claim("D05", "D57", tables=(ova_epochs,))
def ova_settles(table: pd.DataFrame) -> Finding:
    """Holds if the error is settled within 5 epochs for all degrees but 1 and 2."""
    settled = first_settled(table)
    high = [epoch for degree, epoch in settled.items() if degree > 2]
    return Finding(max(high) <= int(stated("D05")), _listed(settled))


@claim("D21", tables=(gaussian_epochs,))
def gaussian_settles(table: pd.DataFrame) -> Finding:
    """Holds if all widths are settled after 15 epochs and not all after 5."""
    settled = first_settled(table)
    few, many = int(stated("D22")), int(stated("D21"))
    return Finding(few < max(settled.values()) <= many, _listed(settled))


@claim("D22", tables=(gaussian_epochs,))
def gaussian_mostly_settles(table: pd.DataFrame) -> Finding:
    """Holds if more than half of the widths are settled after 5 epochs."""
    settled = first_settled(table)
    within = [epoch <= int(stated("D22")) for epoch in settled.values()]
    return Finding(bool(np.mean(within) > 0.5), _listed(settled))


@claim("D27", "D58", tables=(ovo_epochs,))
def ovo_settles(table: pd.DataFrame) -> Finding:
    """Holds if the error is settled after 3 epochs for all degrees."""
    settled = first_settled(table)
    evidence = _listed(settled)
    evidence["most, if alpha accumulates"] = max(first_settled(table, CORRECTED).values())
    return Finding(max(settled.values()) <= int(stated("D27")), evidence)


@claim("D19", tables=(gaussian_pilot,))
def best_widths(table: pd.DataFrame) -> Finding:
    """Holds if the least error of the pilot lies in the range, and the ends beyond do worse."""
    found = means(table)
    low, high = (float(end) for end in stated("D19").split(".."))
    inside = {c: e for c, e in found.items() if low <= float(c) <= high}
    outside = [e for c, e in found.items() if c not in inside]
    evidence: dict[str, float | str] = {f"c {c}": error for c, error in found.items()}
    return Finding(min(inside.values()) < min(outside), evidence)
