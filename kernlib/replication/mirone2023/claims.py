"""What document 2 says in prose about its data, its theory and T, decided by the experiments.

Claims about results are decided as its code computes them; the evidence has its formula too.
What it says about lambda is in ``lambda_claims.py``.
Tests: ``tests/replication/test_mirone2023.py``.
"""

from typing import Any

import numpy as np
import pandas as pd

from kernlib.replication import published
from kernlib.replication.claims import Finding, claim, not_testable, used
from kernlib.replication.mirone2023.beyond import other_kernels
from kernlib.replication.mirone2023.common import LAMBDAS, STEPS
from kernlib.replication.mirone2023.tables import cv_errors, facts, grid
from kernlib.replication.mirone2023.theory import bounds, feature_map, slips
from kernlib.replication.mirone2023.variants import slots
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED, Published, match

used(
    "mirone2023",
    {
        "M09": "The folds of cuts.",
        "M10": "The grid of cv_errors: 5 lambdas by 5 numbers of steps.",
        "M11": "pegasos_states runs one predictor for each digit.",
        "M17": "The gamma of CODE and FORMULA, in training.",
        "M18": "The same kernel predicts: pegasos_states has the scores on all points.",
        "M19": (
            "Their tasks: labels of one digit against the rest and the sign in pegasos_states and "
            "first_positive, the kernel in CODE, the digit in RULES, the error in error_rates."
        ),
        "M20": "CODE is the kernel of the L1 norm.",
        "M21": "The lambdas of cv_errors.",
        "M22": "The numbers of steps of cv_errors.",
        "M24": "The folds of cuts.",
    },
)
not_testable("mirone2023", {"M03": "A remark on colour images; the data has none."})


def stated(name: str) -> str:
    """Return the value of a claim."""
    lines = published.claims("mirone2023").set_index("id")
    return str(lines.loc[name, "value"])


def cells(table: pd.DataFrame, variant: str, quantity: str = "cv_test_error") -> np.ndarray:
    """Return the values of the grid, runs by lambdas by numbers of steps."""
    kept = table[(table["variant"] == variant) & (table["quantity"] == quantity)]
    wide = kept.pivot(index="run", columns=["lambda", "T"], values="value")
    return np.array([[wide[name, T].to_numpy() for T in STEPS] for name in LAMBDAS]).T.swapaxes(
        1, 2
    )


def _values(table: pd.DataFrame, quantity: str, variant: str = AS_PRINTED) -> dict[str, float]:
    kept = table[(table["variant"] == variant) & (table["quantity"] == quantity)]
    return {str(k): float(v) for k, v in kept.groupby("row", sort=False)["value"].mean().items()}


# ---------------------------------------------------------------- the data


def _decide_fact(name: str, *quantities: str) -> None:
    """Register a claim about the data: the numbers in it are the values of ``quantities``."""

    def decide(table: pd.DataFrame) -> Finding:
        """Compares with the data and its folds."""
        ours = [_values(table, quantity)["data"] for quantity in quantities]
        numbers = [float(n) for n in stated(name).replace("..", " ").replace("x", " ").split()]
        return Finding(ours == numbers, dict(zip(quantities, ours, strict=True)))

    claim(name, tables=(facts,))(decide)


for _name, _quantities in {
    "M01": ("n_pixels",),
    "M04": ("pixel_min",),
    "M05": ("pixel_max",),
    "M06": ("lowest_label", "highest_label"),
    "M07": ("n_examples", "n_columns"),
    "M08": ("n_examples",),
    "M25": ("smallest_train_part",),
}.items():
    _decide_fact(_name, *_quantities)


@claim("M02", tables=(facts,))
def bits_of_a_pixel(table: pd.DataFrame) -> Finding:
    """Holds if eight bits can tell all grey values of the data apart."""
    greys = _values(table, "grey_values")["data"]
    return Finding(greys <= 2 ** int(stated("M02")), {"different grey values": greys})


# ---------------------------------------------------------------- theory and program


def _within(table: pd.DataFrame, equation: str) -> Finding:
    kept = table[table["row"].str.startswith(equation)]
    wide = kept.pivot(index=["run", "row"], columns="quantity", values="value")
    largest = float((wide["excess"] / wide["bound"]).max())
    return Finding(largest <= 1, {"largest excess over bound": largest})


@claim("M12", tables=(bounds,))
def bound_with_projection(table: pd.DataFrame) -> Finding:
    """Holds if the excess of projected online gradient descent never passes the bound."""
    return _within(table, "equation 1")


@claim("M13", tables=(bounds,))
def bound_of_strong_convexity(table: pd.DataFrame) -> Finding:
    """Holds if the excess on strongly convex losses, without projection, never passes the bound."""
    return _within(table, "equation 2")


@claim("M14", tables=(slips, cv_errors))
def range_of_lambda(theory: pd.DataFrame, table: pd.DataFrame) -> Finding:
    """Holds if all lambdas of the grid are above 1."""
    above = {v: _values(theory, "lambdas_above_1", v)["theory"] for v in (AS_PRINTED, CORRECTED)}
    error = grid(table, AS_CODED)[STEPS[-1]]
    evidence = {
        "lambdas above 1": above[CORRECTED],
        "of": above[AS_PRINTED],
        "least error above 1": float(error[[n for n in LAMBDAS if float(n) > 1]].min()),
        "least error below 1": float(error[[n for n in LAMBDAS if float(n) < 1]].min()),
    }
    return Finding(above[CORRECTED] == above[AS_PRINTED], evidence)


@claim("M15", tables=(feature_map,))
def number_of_features(table: pd.DataFrame) -> Finding:
    """Holds if the formula counts the features of the map as it is defined, repetitions too."""
    found = {q: _values(table, q) for q in ("features", "formula", "distinct_features")}
    row = "d = 4, n = 4"
    evidence = {q: values[row] for q, values in found.items()}
    return Finding(found["features"] == found["formula"], {"for": row, **evidence})


@claim("M16", tables=(cv_errors, other_kernels))
def width_by_theory(table: pd.DataFrame, others: pd.DataFrame) -> Finding:
    """Holds if no other width of the formula's kernel errs less, largest score, best cell."""
    own = float(grid(table, CORRECTED).to_numpy().min())
    errors = others[others["quantity"] == "cv_test_error"]
    best = errors.groupby("kernel", sort=False)["value"].min()
    widths = {str(k): float(v) for k, v in best.items() if str(k).startswith("gaussian")}
    evidence: dict[str, float | str] = {f"least error, gaussian {stated('M16')}": own}
    evidence |= {f"least error, {name}": value for name, value in best.items()}
    return Finding(own <= min(widths.values()), evidence)


@claim("M23", tables=(slots,))
def slots_for_results(table: pd.DataFrame) -> Finding:
    """Holds if that many slots take all results of the grid: the program cannot have finished."""
    written = _values(table, "results_written", AS_CODED)["cv_results"]
    needed = _values(table, "results_written", CORRECTED)["cv_results"]
    evidence = {"results written": written, "results of the grid": needed}
    return Finding(written == needed, evidence)


# ---------------------------------------------------------------- T


def _by_steps(table: pd.DataFrame, variant: str, quantity: str = "cv_test_error") -> np.ndarray:
    """Return the mean over runs and lambdas, by T."""
    return np.asarray(cells(table, variant, quantity).mean(axis=(0, 1)))


def _errors_by_steps(table: pd.DataFrame) -> dict[str, float | str]:
    return {
        f"test error by T, {variant}": ";".join(f"{e:.4f}" for e in _by_steps(table, variant))
        for variant in (AS_CODED, AS_PRINTED)
    }


def _best_steps(table: pd.DataFrame) -> int:
    return STEPS[int(np.argmin(_by_steps(table, AS_CODED)))]


def _decide_steps(name: str, reason: str, holds: Any) -> None:
    def decide(table: pd.DataFrame) -> Finding:
        best = _best_steps(table)
        evidence = {"T of the least test error": best, **_errors_by_steps(table)}
        return Finding(bool(holds(best, stated(name))), evidence)

    decide.__doc__ = reason
    claim(name, tables=(cv_errors,))(decide)


def _in_range(best: int, text: str) -> bool:
    low, high = text.split("..")
    return int(low) <= best <= int(high)


for _name, _reason, _holds in (
    ("M26", "Holds if another T errs less than these.", lambda b, s: str(b) not in s.split(";")),
    ("M27", "Holds if the best T is one of these.", lambda b, s: str(b) in s.split(";")),
    ("M34", "Holds if the T of the least test error is in the range.", _in_range),
    ("M37", "Holds if it is the T of the least test error.", lambda b, s: b == int(s)),
    ("M39", "Holds if the T of the least test error is in the range.", _in_range),
):
    _decide_steps(_name, _reason, _holds)


@claim("M31", tables=(cv_errors,))
def steep_fall(table: pd.DataFrame) -> Finding:
    """Holds if from no T to the next do both errors fall by more than to this one."""
    evidence: dict[str, float | str] = {}
    steepest = []
    for quantity in ("cv_train_error", "cv_test_error"):
        falls = -np.diff(_by_steps(table, AS_CODED, quantity))
        steepest.append(STEPS[int(np.argmax(falls)) + 1])
        evidence[f"falls of {quantity}"] = ";".join(f"{fall:.4f}" for fall in falls)
        doublings = falls / np.diff(np.log2(STEPS))
        evidence[f"per doubling of T, {quantity}"] = ";".join(f"{fall:.4f}" for fall in doublings)
    return Finding(set(steepest) == {int(stated("M31"))}, evidence)


def _gain_ratios(table: pd.DataFrame, variant: str) -> np.ndarray:
    """Return the gain of the last step over the one before it, by run."""
    errors = cells(table, variant).mean(axis=1)
    gains = -np.diff(errors, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # no gain, no ratio: not within noise
        return np.asarray(gains[:, -1] / gains[:, -2])


@claim("M33", tables=(cv_errors,))
def half_the_gain(table: pd.DataFrame) -> Finding:
    """Holds if a run with this ratio of the gains in test error is within noise of ours."""
    ratios = _gain_ratios(table, AS_CODED)
    got = match(Published(stated("M33")), ratios, deterministic=False, widest=np.inf)
    evidence = {
        "mean ratio": got.mean,
        "s.e.": got.se,
        "p-value": got.p_value,
        "with the formula": float(_gain_ratios(table, AS_PRINTED).mean()),
    }
    return Finding(got.verdict == "within noise", evidence)


@claim("M36", tables=(cv_errors,))
def lowest_error(table: pd.DataFrame) -> Finding:
    """Holds if a run with this error is within noise of ours, as their code computes."""
    printed = str(published.claims("mirone2023").set_index("id").loc["M36", "printed"])
    place = (slice(None), LAMBDAS.index(stated("M38")), STEPS.index(int(stated("M37"))))
    got = match(Published(printed), cells(table, AS_CODED)[place], deterministic=False)
    evidence = {"mean": got.mean, "s.e.": got.se, "p-value": got.p_value}
    for variant, name in ((AS_PRINTED, "with the formula"), (CORRECTED, "and argmax")):
        evidence[name] = float(cells(table, variant)[place].mean())
    return Finding(got.verdict == "within noise", evidence)
