"""What document 5 says in prose of the Forgetron and of the SVM, decided by the experiments.

Tests: ``tests/replication/test_dellaporta2020.py``.
"""

import numpy as np
import pandas as pd
from scipy import stats

from kernlib.replication import published
from kernlib.replication.claims import Finding, claim
from kernlib.replication.dellaporta2020.claims import means, runs_of, stated
from kernlib.replication.dellaporta2020.common import DEGREES, RUNS
from kernlib.replication.dellaporta2020.forgetron import (
    BUDGET,
    BUDGETS,
    FORGETRON,
    PERCEPTRON,
    forgetron_cv,
    forgetron_or_perceptron,
)
from kernlib.replication.dellaporta2020.perceptrons import ova_polynomial_cv
from kernlib.replication.dellaporta2020.reduced import granularity
from kernlib.replication.dellaporta2020.svm import CS, svm_c, svm_c_cv, svm_gamma, svm_kernels
from kernlib.replication.dellaporta2020.variants import ties_in_c
from kernlib.replication.verdicts import LEVEL

COMPARABLE = 0.04  # the largest excess that the document calls comparable, at degree 6
Z = float(stats.norm.ppf((1 + LEVEL) / 2))


# ---------------------------------------------------------------- Forgetron


def _decide_share(name: str, budget: int) -> None:
    def decide() -> Finding:
        """Holds if it is the share of the 800 digits that are left to train on, to 10 %."""
        top, bottom = (int(part) for part in stated(name).split("/"))
        share = budget / 800
        evidence = {"of 800": share, "of 1000": budget / 1000}
        return Finding(abs(share * bottom / top - 1) < 0.1, evidence)

    claim(name)(decide)


_decide_share("D32", BUDGETS[0])
_decide_share("D33", BUDGETS[-1])
_decide_share("D35", BUDGET)


@claim("D34", tables=(forgetron_or_perceptron,))
def comparable(table: pd.DataFrame) -> Finding:
    """Holds if budget 350 errs at most 4 points more at degrees 5 to 7, and more below 3."""
    found = means(table)
    excess = {d: found[f"{FORGETRON} {d}"] - found[f"{PERCEPTRON} {d}"] for d in DEGREES}
    holds = max(excess[d] for d in (5, 6, 7)) <= COMPARABLE < min(excess[d] for d in (1, 2))
    return Finding(holds, {f"excess at degree {d}": e for d, e in excess.items()})


@claim("D37", tables=(granularity,))
def twenty_runs(table: pd.DataFrame) -> Finding:
    """Holds unless all Forgetron means of figure 15 are on the grain of 5 runs."""
    found = table.set_index(["row", "quantity"])["value"]
    chance = float(found["figure 15(a)", "chance if 20 runs"])
    return Finding(chance > 1 - LEVEL, {"chance of such grain with 20 runs": chance})


def _printed_variances() -> list[float]:
    """Return the variances over runs that figures 17 and 4 print, as of a population."""
    spread = published.table("dellaporta2020_cv_summary").set_index("source_item")
    return [float(spread["test_error_std"][item]) ** 2 for item in ("figure 17", "figure 4")]


@claim("D43", tables=(forgetron_cv, ova_polynomial_cv))
def excess_mean(forgetron: pd.DataFrame, perceptron: pd.DataFrame) -> Finding:
    """Holds if our difference of the means is theirs, within both standard errors at 99 %."""
    ours = [runs_of(table, "mean") for table in (forgetron, perceptron)]
    gap = float(ours[0].mean() - ours[1].mean())
    theirs = sum(_printed_variances()) / (RUNS - 1)
    spread = sum(runs.var(ddof=1) / len(runs) for runs in ours) + theirs
    return Finding(abs(gap - float(stated("D43"))) <= Z * np.sqrt(spread), {"ours": gap})


@claim("D44", tables=(forgetron_cv, ova_polynomial_cv))
def excess_spread(forgetron: pd.DataFrame, perceptron: pd.DataFrame) -> Finding:
    """Holds if our difference of the standard deviations is theirs, within both standard errors."""
    ours = [runs_of(table, "mean") for table in (forgetron, perceptron)]
    gap = float(ours[0].std() - ours[1].std())
    # The square of a standard deviation's standard error is about its variance over 2 (n - 1).
    spread = sum(runs.var() / (2 * (len(runs) - 1)) for runs in ours)
    spread += sum(_printed_variances()) / (2 * (RUNS - 1))
    return Finding(abs(gap - float(stated("D44"))) <= Z * np.sqrt(spread), {"ours": gap})


# ---------------------------------------------------------------- SVM


@claim("D45")
def range_of_c() -> Finding:
    """Holds if the values of C that figure 20 has span the range that is announced."""
    low, high = (float(end) for end in stated("D45").split(".."))
    return Finding((low, high) == (CS[0], CS[-1]), {"smallest": CS[0], "largest": CS[-1]})


@claim("D49", tables=(svm_kernels,))
def best_coarse_gamma(table: pd.DataFrame) -> Finding:
    """Holds if this gamma errs least in ours too."""
    found = {row: e for row, e in means(table).items() if row.startswith("gaussian")}
    best = min(found, key=lambda row: found[row]).split(" ")[1]
    return Finding(float(best) == float(stated("D49")), {"best": float(best)})


@claim("D51", tables=(svm_gamma,))
def best_fine_gamma(table: pd.DataFrame) -> Finding:
    """Holds if no gamma of the finer grid errs less, beyond the noise of paired runs at 99 %."""
    found = means(table)
    best = min(found, key=lambda row: found[row])
    used_row = min(found, key=lambda row: abs(float(row) - float(stated("D51"))))
    gap = runs_of(table, used_row) - runs_of(table, best)
    error = float(gap.std(ddof=1) / np.sqrt(len(gap)))
    limit = float(stats.t.ppf((1 + LEVEL) / 2, max(len(gap) - 1, 1))) * error
    evidence: dict[str, float | str] = {"best": float(best), "excess": float(gap.mean())}
    return Finding(gap.mean() <= limit, evidence | {"s.e.": error})


@claim("D55", tables=(svm_c,))
def best_c_on_test(table: pd.DataFrame) -> Finding:
    """Holds if figure 20 as printed has its least error there; the evidence has ours too."""
    frame = published.table("dellaporta2020_fig20_svm_C")
    errors = frame["test_error"].astype(float)
    printed = float(frame["param_value"].iloc[int(errors.to_numpy().argmin())])
    found = means(table)
    ours = float(min(found, key=lambda row: found[row]))
    evidence = {"best as printed": printed, "best of ours": ours}
    return Finding(printed == float(stated("D55")), evidence)


@claim("D56", tables=(svm_c_cv, ties_in_c))
def chosen_c(table: pd.DataFrame, ties: pd.DataFrame) -> Finding:
    """Holds if cross validation chooses this C in all of our runs too."""
    chosen = runs_of(table, "mean", "C*")
    ten = float(stated("D56"))
    evidence = {
        "share of runs": float(np.mean(chosen == ten)),
        "runs with a tie": float(np.mean(runs_of(ties, "C*", "tied") > 1)),
    }
    return Finding(bool(np.all(chosen == ten)), evidence)
