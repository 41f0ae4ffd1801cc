"""What document 3 says, each statement decided by the experiments.

Tests: ``tests/replication/test_ashutosh2016.py``.
"""

import pandas as pd

from kernlib.replication import published
from kernlib.replication.ashutosh2016.algorithms import cyclic, kernel_pegasos
from kernlib.replication.ashutosh2016.objectives import imbalance, multiclass
from kernlib.replication.claims import Finding, claim, not_testable, used
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED

CLOSE = 0.05  # of the least objective
SAME = 1e-6  # relative, what the exact solver leaves open
ROUNDING = 1e-9

used(
    "ashutosh2016",
    {
        "A04": "The red point of the experiment imbalance.",
        "A05": "The blue points of the experiment imbalance.",
    },
)
not_testable("ashutosh2016", {"A11": "A reference; the learners' docstrings cite the same paper."})


def _stated(name: str) -> str:
    return str(published.claims("ashutosh2016").set_index("id").loc[name, "value"])


def _largest(table: pd.DataFrame, variant: str, row: str, quantity: str) -> float:
    return float(_part(table, variant, row, quantity).max())


def _mean(table: pd.DataFrame, variant: str, row: str, quantity: str) -> float:
    return float(_part(table, variant, row, quantity).mean())


def _part(table: pd.DataFrame, variant: str, row: str, quantity: str) -> pd.Series:
    chosen = (table["variant"] == variant) & (table["row"] == row) & (table["quantity"] == quantity)
    if not chosen.any():
        raise KeyError(f"no {quantity} of {row!r}, {variant!r}")
    return table.loc[chosen, "value"]


def _excess(table: pd.DataFrame, row: str) -> float:
    return _mean(table, CORRECTED, row, "excess_objective")


@claim("A01", tables=(cyclic,))
def twenty_passes(table: pd.DataFrame) -> Finding:
    """Holds if 20 passes in order end on average within 5 % of the least objective."""
    evidence = {
        "excess objective": _excess(table, "algorithm 1"),
        "random draws": _excess(table, "random draws"),
        "sorted by class": _excess(table, "sorted by class"),
        "printed index": _mean(table, AS_PRINTED, "algorithm 1", "excess_objective"),
        "its test error": _mean(table, AS_PRINTED, "algorithm 1", "test_error"),
    }
    return Finding(_excess(table, "algorithm 1") < CLOSE, evidence)


@claim("A02", tables=(cyclic,))
def threshold(table: pd.DataFrame) -> Finding:
    """Holds if the threshold 1 comes nearer to the SVM than the perceptron's 0."""
    ours, other = (_excess(table, row) for row in ("algorithm 1", "threshold 0"))
    return Finding(ours < other, {"excess objective": ours, "with threshold 0": other})


@claim("A03", tables=(cyclic,))
def learning_rate(table: pd.DataFrame) -> Finding:
    """Holds if so the algorithm is kernlib's to rounding and ends within 5 % of the optimum."""
    apart = _largest(table, CORRECTED, "algorithm 1", "distance_to_kernlib")
    excess = _excess(table, "algorithm 1")
    evidence = {
        "distance to kernlib": apart,
        "excess objective": excess,
        "with its last value all the time": _excess(table, "constant step"),
    }
    return Finding(apart < ROUNDING and excess < CLOSE, evidence)


@claim("A06", tables=(imbalance,))
def duplication(table: pd.DataFrame) -> Finding:
    """Holds if 10 copies at the same C give the weighted solution; they do at another C."""
    same = _largest(table, AS_PRINTED, "10 copies, the same C", "distance")
    rescaled = _largest(table, CORRECTED, "10 copies, C rescaled", "distance")
    evidence = {
        "distance at the same C": same,
        "at C rescaled": rescaled,
        "by": _mean(table, CORRECTED, "balanced weights", "factor_of_C"),
        "Pegasos at the same lambda": _largest(
            table, CORRECTED, "10 copies, Pegasos with the same lambda", "distance"
        ),
    }
    return Finding(same < SAME, evidence)


@claim("A07", tables=(imbalance,))
def class_weights(table: pd.DataFrame) -> Finding:
    """Holds if the weights' ratio is the number of copies, and rescaled copies agree."""
    ratio = _mean(table, CORRECTED, "balanced weights", "weight_ratio")
    rescaled = _largest(table, CORRECTED, "10 copies, C rescaled", "distance")
    evidence = {
        "ratio": ratio,
        "distance of the copies": rescaled,
        "of the form without 1/2": _largest(table, AS_PRINTED, "without the 1/2", "distance"),
    }
    return Finding(abs(ratio - float(_stated("A06"))) < ROUNDING and rescaled < SAME, evidence)


@claim("A08", tables=(multiclass,))
def multiclass_margin(table: pd.DataFrame) -> Finding:
    """Holds if on separable classes the smallest margin comes within 5 % of 1."""
    smallest = _part(table, AS_PRINTED, "multiclass SVM, separable", "smallest_margin")
    evidence = {
        "smallest margin, from": float(smallest.min()),
        "to": float(smallest.max()),
        "excess objective": _mean(table, AS_PRINTED, "multiclass SVM", "excess_objective"),
    }
    return Finding(bool((smallest - float(_stated("A08"))).abs().max() < CLOSE), evidence)


@claim("A09", tables=(kernel_pegasos,))
def recovered_alpha(table: pd.DataFrame) -> Finding:
    """Holds if beta / (lam T) are the coefficients of kernlib, and of linear Pegasos' weights."""
    names = ("distance_to_kernlib", "alpha_of_kernlib_not_whole", "distance_to_linear_pegasos")
    evidence = {name: _largest(table, CORRECTED, "algorithm 2", name) for name in names}
    return Finding(max(evidence.values()) < ROUNDING, evidence)


@claim("A10", tables=(kernel_pegasos,))
def division_by_zero(table: pd.DataFrame) -> Finding:
    """Holds if 0/0 at the first step changes the run: its draw is not counted."""
    evidence = {
        "violations with 0/0": _mean(table, AS_PRINTED, "algorithm 2", "violations"),
        "with score 0": _mean(table, CORRECTED, "algorithm 2", "violations"),
        "training error with 0/0": _mean(table, AS_PRINTED, "algorithm 2", "training_error"),
        "training error with score 0": _mean(table, CORRECTED, "algorithm 2", "training_error"),
        "with the factor 1/(lam t)": _mean(
            table, "factor 1/(lam t)", "algorithm 2", "training_error"
        ),
    }
    counted = _part(table, AS_PRINTED, "algorithm 2", "first_draw_counted")
    return Finding(bool((counted == 0).all()), evidence)
