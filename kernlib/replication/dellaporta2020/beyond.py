"""What document 5 leaves out or names as future work, part I.

Tests: ``tests/replication/test_dellaporta2020.py``.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from kernlib.gram import Gram
from kernlib.kernels import Gaussian
from kernlib.learners.budget import BudgetPerceptron
from kernlib.learners.budget_policies import POLICIES
from kernlib.learners.kernel_base import Reporter
from kernlib.replication.dellaporta2020.common import (
    EPOCHS,
    RUNS,
    RUNS_NOT_STATED,
    Cut,
    Digits,
    Rows,
    chosen_rows,
    cuts,
    errors,
    gaussians,
    in_threads,
    line,
    polynomials,
    swept,
)
from kernlib.replication.dellaporta2020.forgetron import BUDGET, budgeted, reduced_run
from kernlib.replication.dellaporta2020.perceptrons import one_vs_rest, one_vs_rest_table
from kernlib.replication.dellaporta2020.plain import plain_forgetron
from kernlib.replication.dellaporta2020.svm import machine_rows
from kernlib.replication.engine import experiment, seeds, tidy
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

GRID_GAMMAS = (0.006, 0.009, 0.0117, 0.0167)
GRID_CS = (1.0, 10.0, 100.0)
LONGER = 15
ALL_BUDGETS = (350, 1000, 3000)
DEGREE = "5"

LEFT_OUT = {
    "vectorised Forgetron": "vectorised",
    "joint grid over gamma and C": "joint_grid",
    "15 epochs for the Gaussian kernel": "gaussian_15_epochs",
    "other removal criteria": "removal_rules",
}


@experiment("left out", data="usps", runs=RUNS_NOT_STATED)
def joint_grid(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors of the machine over gamma and C together; what cross validation chooses of all."""
    digits = Digits.of(data)

    def work(gram: Gram, cut: Cut, row: str) -> Rows:
        return machine_rows(digits, cut, gram, GRID_CS, prefix=f"{row} ")

    kernels = {f"{g:g}": Gaussian(gamma=g) for g in GRID_GAMMAS}
    ours = tidy(swept(digits, kernels, cuts(len(digits.codes), seed, runs), work))
    held = ours[ours["quantity"] == "validation_error"]
    best = held.loc[held.groupby("run")["value"].idxmin(), ["run", "row"]]
    rows: Rows = []
    tests = ours[ours["quantity"] == "test_error"].set_index(["run", "row"])["value"]
    for run, row in best.to_numpy():
        gamma, C = row.split(" ")
        for quantity, value in (("gamma*", gamma), ("C*", C), ("test_error", tests[run, row])):
            rows.append(line("chosen", quantity, float(value), run=run, variant=AS_PRINTED))
    kept = ours[ours["quantity"].isin(["validation_error", "test_error"])]
    return pd.concat([kept, tidy(rows)], ignore_index=True)


@experiment("left out", data="usps", runs=RUNS)
def gaussian_15_epochs(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors of the Gaussian perceptron after the 15 epochs that its authors called ideal."""
    ours = one_vs_rest_table(data, gaussians(), runs, seed, epochs=LONGER)
    kept = ours[ours["quantity"].str.endswith("error")]
    return pd.concat([kept, chosen_rows(ours, "c*", n_printed=0)], ignore_index=True)


@experiment("left out", data="usps", runs=RUNS)
def removal_rules(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error with budget 350 on the reduced set, by rule of removal and degree."""

    def work(item: tuple[int, np.random.SeedSequence]) -> Rows:
        digits, cut = reduced_run(data, *item)
        rows: Rows = []
        for row, kernel in polynomials().items():
            gram = digits.gram(kernel, "float64")
            found = budgeted(
                gram, digits.codes, cut.train, cut.test, POLICIES, BUDGET, random_state=cut.run
            )
            found["no budget"] = one_vs_rest(gram, digits.codes, cut.train, cut.test)[AS_PRINTED]
            rows += [
                line(row, "test_error", errors(labels, digits.codes, cut.test), run=cut.run,
                     variant=variant)
                for variant, labels in found.items()
            ]  # fmt: skip
        return rows

    return tidy(row for part in in_threads(work, enumerate(seeds(seed, runs))) for row in part)


# ---------------------------------------------------------------- the budget, in arrays


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


@experiment("left out", data="usps", runs=RUNS_NOT_STATED)
def vectorised(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The budget perceptron in arrays: the same coefficients as step by step, and how much faster.

    It is said to be infeasible.  Then on all digits, which its authors did not try.
    """
    digits, cut = reduced_run(data, 0, seeds(seed, 1)[0])
    gram = digits.gram(polynomials()[DEGREE], "float64")
    K: Any = gram.matrix
    learner = BudgetPerceptron(budget=BUDGET, max_iter=EPOCHS)

    def fit() -> Any:
        return learner._solve(gram, digits.codes, cut.train, Reporter())

    fit()  # compiles
    fast, seconds = _timed(fit)
    slow, plain = _timed(lambda: plain_forgetron(K, digits.codes, cut.train, BUDGET, EPOCHS))
    rows = [
        line("reduced set", "equal coefficients", np.mean(fast.coef == slow), variant=CORRECTED),
        line("reduced set", "seconds", seconds, variant=CORRECTED),
        line("reduced set", "seconds", plain, variant=AS_CODED),
    ]
    rows = [row | {"run": 0} for row in rows]
    return tidy(rows + _on_all_digits(data, runs, seed))


def _on_all_digits(data: Any, runs: int, seed: int) -> Rows:
    digits = Digits.of(data)

    def work(gram: Gram, cut: Cut, row: str) -> Rows:
        found = {
            f"budget {budget}": budgeted(gram, digits.codes, cut.train, cut.test, budget=budget)[
                AS_PRINTED
            ]
            for budget in ALL_BUDGETS
        }
        found["no budget"] = one_vs_rest(gram, digits.codes, cut.train, cut.test)[AS_PRINTED]
        return [
            line(f"all digits, {name}", "test_error", errors(labels, digits.codes, cut.test),
                 run=cut.run, variant=CORRECTED)
            for name, labels in found.items()
        ]  # fmt: skip

    kernels = {DEGREE: polynomials()[DEGREE]}
    return swept(digits, kernels, cuts(len(digits.codes), seed, runs), work)
