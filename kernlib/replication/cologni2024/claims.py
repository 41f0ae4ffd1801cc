"""What document 1 says in prose, each statement decided by the experiments.

Those about lambda and about the kernels are in ``lambda_claims.py`` and ``kernel_claims.py``.
A number that came from one random run holds if it lies in the 99 % prediction interval of ours.
Tests: ``tests/replication/test_cologni2024.py``.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from kernlib.preprocessing import SCALINGS
from kernlib.replication import published
from kernlib.replication.claims import Finding, claim, used
from kernlib.replication.cologni2024.beyond import kernel_perceptron_test
from kernlib.replication.cologni2024.description import correlations, outlier_counts, scaling
from kernlib.replication.cologni2024.facts import facts
from kernlib.replication.cologni2024.kernels import kernel_pegasos_final
from kernlib.replication.cologni2024.rates import odd_sizes, part_sizes
from kernlib.replication.cologni2024.tables import (
    final_errors,
    perceptron_poly2_weights,
    perceptron_weights,
)
from kernlib.replication.cologni2024.variants import single_runs
from kernlib.replication.engine import Experiment
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, LEVEL, Published, match

STRONG = 0.9  # a correlation that a plot shows as a line
LINEAR, EXPANDED = "none (linear)", "explicit degree-2 expansion"

used(
    "cologni2024",
    {
        "C16": f"The scalings that preprocessing has: {', '.join(SCALINGS)}.",
        "C18": "The threshold of find_outliers, in outliers and outlier_counts.",
        "C20": "Outliers are removed in the experiment outliers; the command line has the flag.",
        "C24": "The constant that train_and_test and fit_and_validate append.",
        "C25": "The epochs of Perceptron in every experiment of sections 2 and 3.",
        "C32": "The step of Pegasos in every experiment of section 4.",
        "C33": "The grid of pegasos_lambda.",
        "C46": "The degrees of kernel_perceptron.",
        "C47": "The widths of kernel_perceptron.",
        "C52": "The steps of kernel_pegasos.",
        "C53": "The degrees of kernel_pegasos.",
        "C54": "The widths of kernel_pegasos.",
        "C55": "The lambdas of kernel_pegasos.",
    },
)


def stated(name: str) -> str:
    """Return the value of a claim."""
    lines = published.claims("cologni2024").set_index("id")
    return str(lines.loc[name, "value"])


def means(
    ours: pd.DataFrame, quantity: str = "validation_error", variant: str = AS_PRINTED
) -> dict[str, float]:
    """Return the mean over runs of a variant's values, by row."""
    part = ours[(ours["variant"] == variant) & (ours["quantity"] == quantity)]
    return {
        str(row): float(v) for row, v in part.groupby("row", sort=False)["value"].mean().items()
    }


def by_run(ours: pd.DataFrame, row: str, quantity: str) -> np.ndarray:
    """Return the values of a row as printed, in the order of the runs."""
    wanted = (ours["row"] == row) & (ours["quantity"] == quantity) & (ours["variant"] == AS_PRINTED)
    return ours[wanted].sort_values("run")["value"].to_numpy()


def least(errors: dict[str, float]) -> str:
    """Return the row with the least error."""
    return min(errors, key=lambda row: errors[row])


def above(first: np.ndarray, second: np.ndarray) -> bool:
    """Tell whether paired runs are higher, beyond noise; of a single run, whether it is."""
    gap = first - second
    if len(gap) < 2 or np.ptp(gap) == 0:
        return bool(gap.mean() > 0)
    return float(stats.ttest_1samp(gap, 0, alternative="greater").pvalue) < 1 - LEVEL


# ---------------------------------------------------------------- the table and its parts


def _decide_fact(name: str, *quantities: str) -> None:
    """Register a claim about the data: the numbers in it are the values of ``quantities``."""

    def decide(table: pd.DataFrame) -> Finding:
        """Compares with the table, to 12 decimals."""
        ours = [means(table, quantity)["data"] for quantity in quantities]
        theirs = [float(n) for n in stated(name).replace("..", " ").replace(";", " ").split()]
        evidence = dict(zip(quantities, ours, strict=True))
        return Finding(bool(np.allclose(ours, theirs, rtol=0, atol=1e-12)), evidence)

    claim(name, tables=(facts,))(decide)


for _name, _quantities in {
    "C01": ("n_points",),
    "C02": ("n_features",),
    "C03": ("lowest_label", "highest_label"),
    "C04": ("n_missing",),
    "C05": ("n_duplicates",),
    "C12": ("largest_mean",),
    "C13": ("least_deviation",),
    "C14": ("lowest_normalised", "highest_normalised"),
}.items():
    _decide_fact(_name, *_quantities)


def _decide_size(name: str, part: str, odd: str = "") -> None:
    def decide(sizes: pd.DataFrame, exceptions: pd.DataFrame) -> Finding:
        """Holds if all printed rates but the odd one fit the size."""
        n_counts = means(exceptions, "counts")
        evidence: dict[str, float | str] = {
            "rates": means(sizes, "rates")[part],
            "sizes up to it that fit": means(sizes, "fitting_sizes")[part],
        }
        if odd:
            fits = [n for n in (2000, 6000, 8000, 10000) if n_counts[f"{odd} of {n}"]]
            evidence["the odd rate fits"] = ";".join(map(str, fits))
        return Finding(means(sizes, "fits")[part] == 1, evidence)

    claim(name, tables=(part_sizes, odd_sizes))(decide)


_decide_size("C06", "training part")
_decide_size("C07", "test part", "table 2.2")
_decide_size("C08", "part to fit")
_decide_size("C09", "validation part", "table sec 4.2")


@claim("C17", tables=(scaling,))
def best_scaling(table: pd.DataFrame) -> Finding:
    """Holds if standardisation errs least for both learners, which is the reason given."""
    errors = means(table, "test_error")
    best = [
        least({row: value for row, value in errors.items() if row.startswith(learner)})
        for learner in ("Perceptron", "Pegasos")
    ]
    return Finding(all(row.endswith("Standardization") for row in best), errors)


@claim("C19", tables=(outlier_counts,))
def found_and_removed(table: pd.DataFrame) -> Finding:
    """Holds if so many are found, and the filter removes them."""
    rows = means(table, "rows")
    holds = rows["whole table"] == rows["their filter"] == float(stated("C19"))
    return Finding(holds, {f"found, {name}": value for name, value in rows.items()})


def _decide_pair(name: str, first: int, second: int) -> None:
    def decide(table: pd.DataFrame) -> Finding:
        """Holds if the correlation of the named pair, counted from 1, is strong and signed so."""
        r = means(table, "correlation")
        named = r[f"x{second} x{first}"]
        meant = r[f"x{second + 1} x{first + 1}"]
        signs = {"negative": -1, "positive": 1}
        evidence = {f"x{first}, x{second}": named, "counted from 0": meant}
        return Finding(named * signs[stated(name)] > STRONG, evidence)

    claim(name, tables=(correlations,))(decide)


_decide_pair("C21", 2, 5)
_decide_pair("C22", 5, 9)
_decide_pair("C23", 5, 9)


def _decide_length(name: str, table: Experiment) -> None:
    def decide(weights: pd.DataFrame, values: pd.DataFrame) -> Finding:
        """Counts the weights that the learner returns."""
        n = len(weights[weights["run"] == 0])
        distinct = means(values, "n_distinct")["data"]
        evidence = {"weights": n, "distinct columns of the expansion": distinct}
        return Finding(n == int(stated(name)), evidence)

    claim(name, tables=(table, facts))(decide)


_decide_length("C28", perceptron_weights)
_decide_length("C31", perceptron_poly2_weights)


# ---------------------------------------------------------------- errors of one run


def _within(name: str, values: np.ndarray) -> Finding:
    """Compare a number of one run with ours; without spread it has to be the same."""
    got = match(Published(stated(name)), values, deterministic=bool(np.ptp(values) == 0))
    evidence: dict[str, float | str] = {"ours": got.mean, "runs": got.n}
    if np.ptp(values) == 0:
        return Finding(got.verdict == "exact", evidence)
    evidence |= {"deviation": float(values.std(ddof=1)), "p": got.p_value}
    return Finding(got.p_value >= 1 - LEVEL, evidence)


def _decide_error(names: Sequence[str], row: str, quantity: str, table: Experiment) -> None:
    for name in names:

        def decide(made: pd.DataFrame, name: str = name) -> Finding:
            """Compares with our runs."""
            return _within(name, by_run(made, row, quantity))

        claim(name, tables=(table,))(decide)


_decide_error(("C10", "C26"), f"Perceptron {LINEAR}", "training_error", final_errors)
_decide_error(("C11", "C27"), f"Perceptron {LINEAR}", "test_error", final_errors)
_decide_error(("C29",), f"Perceptron {EXPANDED}", "training_error", final_errors)
_decide_error(("C30",), f"Perceptron {EXPANDED}", "test_error", final_errors)
_decide_error(("C38",), f"Pegasos (logistic) {LINEAR}", "test_error", final_errors)
_decide_error(("C40",), f"Pegasos (hinge) {EXPANDED}", "test_error", final_errors)
_decide_error(("C41",), f"Pegasos (hinge) {EXPANDED}", "training_error", final_errors)
_decide_error(("C43",), f"Pegasos (logistic) {EXPANDED}", "test_error", final_errors)
_decide_error(("C44",), f"Pegasos (logistic) {EXPANDED}", "training_error", final_errors)
_decide_error(("C58",), "Kernel Pegasos", "training_error", kernel_pegasos_final)


@claim("C35", tables=(single_runs,))
def the_same_error_three_times(table: pd.DataFrame) -> Finding:
    """Compares with many seeds; the other two numbers printed for it stand beside."""
    values = by_run(table, "lambda 0.1", "test_error")
    found = _within("C35", values)
    evidence = dict(found.evidence) | {
        "share of seeds at it or above": float(np.mean(values >= float(stated("C35"))))
    }
    kept = published.table("cologni2024_outliers").set_index(["algorithm", "outliers"])
    scaled = published.table("cologni2024_scaling").set_index(["algorithm", "scaling"])
    for cell in (
        kept.loc[("Pegasos", "kept"), "printed"],
        scaled.loc[("Pegasos", "Standardization"), "test_error"],
    ):
        other = str(cell)
        evidence[f"p of {other}"] = match(Published(other), values, deterministic=False).p_value
    return Finding(found.holds, evidence)


@claim("C59", tables=(kernel_pegasos_final, final_errors, kernel_perceptron_test))
def best_method(made: pd.DataFrame, linear: pd.DataFrame, perceptron: pd.DataFrame) -> Finding:
    """Holds if the number is within noise, and no learner that it tested has a lower mean.

    The kernel perceptron, which it did not test, stands beside.
    """
    values = by_run(made, "Kernel Pegasos", "test_error")
    found = _within("C59", values)
    others = means(linear, "test_error")
    next_best = least(others)
    kernels = means(perceptron, "test_error") | means(perceptron, "test_error", AS_CODED)
    best = least(kernels)
    evidence = dict(found.evidence) | {f"next, {next_best}": others[next_best]}
    evidence |= {f"Kernel Perceptron, {best}": kernels[best]}
    return Finding(found.holds and values.mean() < others[next_best], evidence)
