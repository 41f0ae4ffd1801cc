"""What a reader of document 5 would doubt, each point re-enacted.

``ANOMALIES`` says which experiment is about which of them.
Tests: ``tests/replication/test_dellaporta2020.py``.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from kernlib._jit import add_row, jit
from kernlib.gram import Gram
from kernlib.kernels import Gaussian
from kernlib.replication.dellaporta2020.common import (
    EPOCHS,
    RUNS,
    RUNS_NOT_STATED,
    Cut,
    Digits,
    Rows,
    cuts,
    errors,
    line,
    majority,
    polynomials,
    swept,
    with_std,
)
from kernlib.replication.dellaporta2020.perceptrons import (
    one_vs_rest,
    ova_gaussian,
    ova_polynomial,
    ovo_polynomial,
)
from kernlib.replication.dellaporta2020.svm import (
    COARSE_GAMMAS,
    SCALED,
    along_c,
    scores_on,
    svm_c,
    svm_kernels,
)
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.published import table
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED, Published, match

ANOMALIES = {
    "1 sign(0)": "sign_of_zero",
    "2 not the Forgetron": "removal_rules",
    "3 better on fewer digits": "reduced_set",
    "4 granularity": "granularity",
    "5 C* = 10 in all runs": "ties_in_c",
    "6 SVC at gamma = 0.1": "wide_machines",
    "7 chosen on the test digits": "chosen_on_test",
    "7 alpha overwritten": "ovo_polynomial",
    "7 vectorisation": "vectorised",
}

# ---------------------------------------------------------------- 1: sign(0)


@jit
def _printed_loop(G, codes, rows, epochs, sign_of_zero, f):
    """Train by W_kt = W_kt - sign(s_k) where it errs, as printed; changes the scores f."""
    for _ in range(epochs):
        for t in rows:
            for k in range(len(f)):
                s = f[k, t]
                y = 1.0 if codes[t] == k else -1.0
                if y * s <= 0.0:
                    step = sign_of_zero if s == 0.0 else np.sign(s)
                    if step != 0.0:
                        add_row(G, t, -step, f[k])


@experiment("anomaly", data="usps", runs=RUNS)
def sign_of_zero(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error at degree 5 of the printed update W - sign(s), by what sign(0) is.

    As printed sign(0) = 0; corrected, the label is added, whatever the score.
    """
    digits = Digits.of(data)
    signs = {AS_PRINTED: 0.0, "sign(0) = 1": 1.0, "sign(0) = -1": -1.0}

    def work(gram: Gram, cut: Cut, row: str) -> Rows:
        found = {CORRECTED: one_vs_rest(gram, digits.codes, cut.train, cut.test)[AS_PRINTED]}
        for variant, sign in signs.items():
            f = np.zeros((int(digits.codes.max()) + 1, len(gram)))
            _printed_loop(gram.matrix, digits.codes, cut.train, EPOCHS, sign, f)
            found[variant] = f[:, cut.test].argmax(axis=0)
        return [
            line(row, "test_error", errors(labels, digits.codes, cut.test), run=cut.run,
                 variant=variant)
            for variant, labels in found.items()
        ]  # fmt: skip

    kernels = {"5": polynomials()["5"]}
    return tidy(swept(digits, kernels, cuts(len(digits.codes), seed, runs), work))


# ---------------------------------------------------------------- 5 and 6: machines


@experiment("anomaly", data="usps", runs=RUNS)
def ties_in_c(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Which C cross validation chooses if the first, or the last, of equals is taken."""
    ours = svm_c(data, runs=runs, seed=seed)
    rows: Rows = []
    for run, part in ours.groupby("run"):
        held = part[part["quantity"] == "validation_error"].set_index("row")["value"]
        tied = held[held == held.min()].index.astype(float)
        same = part[part["quantity"] == "equals the machine before"]["value"].sum()
        largest = part[part["quantity"] == "largest alpha"]["value"].max()
        rows += [
            line("C*", "first of equals", tied.min(), run=run),
            line("C*", "last of equals", tied.max(), run=run),
            line("C*", "tied", len(tied), run=run),
            line("machines", "equal to the one before", same, run=run),
            line("machines", "largest alpha of all C", largest, run=run),
        ]
        rows += [line(f"C = {C}", "validation_error", error, run=run) for C, error in held.items()]
    return tidy(rows)


@experiment("anomaly", data="usps", runs=RUNS_NOT_STATED)
def wide_machines(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Why the machine fails at large gamma and C = 1, where the perceptron does not.

    A vote is the intercept's if the intercept outweighs the sum of kernel values against it.
    """
    digits = Digits.of(data)
    cs = (1.0, 10.0)

    def work(gram: Gram, cut: Cut, row: str) -> Rows:
        codes, more = digits.codes, {"run": cut.run}
        n_classes = int(codes.max()) + 1
        perceptron = one_vs_rest(gram, codes, cut.train, cut.test)[AS_PRINTED]
        rows = [line(row, "perceptron, test_error", errors(perceptron, codes, cut.test), **more)]
        nearest = gram.block(cut.test, cut.train).max(axis=1)
        rows.append(line(row, "largest kernel value, median", float(np.median(nearest)), **more))
        for intercept in (True, False):
            machines = along_c(gram, codes, cut.train, cs, intercept)
            for C, machine, scores in zip(
                cs, machines, scores_on(gram, machines, cut.test), strict=True
            ):
                name = f"C = {C:g}{'' if intercept else ', no intercept'}"
                error = errors(majority(scores, n_classes), codes, cut.test)
                rows.append(line(row, f"{name}, test_error", error, **more))
                if intercept:
                    b = machine.intercept[:, np.newaxis]
                    decided = (scores * b > 0) & ((scores - b) * b < 0)
                    bound = np.abs(machine.coef) >= C
                    share = bound.sum() / np.count_nonzero(machine.coef)
                    rows += [
                        line(row, f"{name}, votes of the intercept", decided.mean(), **more),
                        line(row, f"{name}, alphas at the bound", share, **more),
                    ]
        return rows

    kernels = {f"{g:.5f}": Gaussian(gamma=float(g)) for g in COARSE_GAMMAS[[1, 6]]}
    splits = cuts(len(digits.codes), seed, runs)
    return tidy(swept(digits, kernels, splits, work, dtype="float32"))


@experiment("figure 18", data="usps", runs=RUNS_NOT_STATED)
def polynomial_scale(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Which factor of the inner product the seven polynomial errors of figure 18 fit together.

    The p-values of their Welch tests are combined by Fisher's method.
    """
    ours = svm_kernels(data, runs=runs, seed=seed).groupby(["variant", "row"])["value"]
    printed = with_std(
        table("dellaporta2020_fig18_svm_kernels"), ["kernel", "param_value"], "test_error",
        "printed_test", runs=RUNS_NOT_STATED,
    )  # fmt: skip
    printed = printed[printed["row"].str.startswith("polynomial")]
    rows: Rows = []
    for variant in (AS_PRINTED, AS_CODED, SCALED):
        found = [
            match(
                Published(p["printed"], p["std"], p["runs"]),
                ours.get_group((variant, p["row"])),
                deterministic=False,
            )
            for p in printed.to_dict("records")
        ]
        combined = stats.combine_pvalues([each.p_value for each in found]).pvalue
        rows.append(line("polynomial", "combined p", combined, variant=variant))
    return tidy(rows)


# ---------------------------------------------------------------- 7: chosen on the test digits


@experiment("anomaly", data="usps", runs=RUNS)
def chosen_on_test(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of a parameter chosen on the test digits, or by cross validation, in each run."""
    rows: Rows = []
    for name, made in (
        ("one-vs-all polynomial", ova_polynomial),
        ("one-vs-all gaussian", ova_gaussian),
        ("one-vs-one polynomial", ovo_polynomial),
        ("SVM", svm_c),
    ):
        ours = made(data, runs=runs, seed=seed)
        ours = ours[ours["variant"] == AS_PRINTED]
        by = {
            quantity: ours[ours["quantity"] == quantity].pivot(
                index="run", columns="row", values="value"
            )
            for quantity in ("validation_error", "test_error")
        }
        best = by["validation_error"].to_numpy().argmin(axis=1)
        tests = by["test_error"].to_numpy()
        for run in range(len(tests)):
            rows += [
                line(name, "test_error", tests[run, best[run]], run=run, variant=CORRECTED),
                line(name, "test_error", tests[run].min(), run=run, variant=AS_PRINTED),
            ]
    return tidy(rows)
