r"""Document 5, figures 18 to 22: the support vector machine, pair by pair.

A solution that leaves every :math:`\alpha_i` below C solves the problem for every larger C too:
along C a pair of digits is solved anew only while some :math:`\alpha_i` is at the bound.
The polynomial kernel of the text is :math:`(p\cdot q)^d`; that of scikit-learn's ``SVC`` was
:math:`(p\cdot q/n)^d` by default until version 0.21, with n features (``gamma="auto"``), and has
had :math:`1/(n \operatorname{var} X)` for 1/n since ("scale").
Tests: ``tests/replication/test_dellaporta2020.py``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kernlib.gram import Gram
from kernlib.kernels import Gaussian, Kernel, Polynomial
from kernlib.learners.base import binary_problems
from kernlib.learners.kernel_base import Solution
from kernlib.learners.kernel_svm import KernelSVM
from kernlib.learners.svm_dual import Supply, points_of
from kernlib.replication.dellaporta2020.common import (
    DEGREES,
    RUNS,
    RUNS_NOT_STATED,
    Cut,
    Digits,
    Rows,
    chosen_rows,
    cuts,
    errors,
    line,
    majority,
    printed_runs,
    printed_summary,
    swept,
    with_std,
)
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.published import table
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED

COARSE_GAMMAS = np.linspace(0.0001, 0.1, 7)
FINE_GAMMAS = np.linspace(0.01, 0.02, 7)
GAMMA = 0.0117
CS = (1.0, 10.0, 100.0, 1000.0, 10000.0)
SCALED = 'gamma="scale"'
N_TEST = 1860


def along_c(
    gram: Gram, codes: np.ndarray, rows: np.ndarray, cs: Sequence[float], intercept: bool = True
) -> list[Solution]:
    """Return the machines for increasing C, one-vs-one; equal ones are found once."""
    weights = np.bincount(rows, minlength=len(gram)).astype(np.float64)
    problems = binary_problems(codes, int(codes.max()) + 1, "ovo")
    supply = Supply(gram, [points_of(y, weights) for y in problems], np.inf)
    made = [Solution(*_nothing(len(problems), len(gram))) for _ in cs]
    for k, y in enumerate(problems):
        last: Any = None
        for place, C in enumerate(cs):
            if last is None or np.abs(last.beta).max() >= cs[place - 1]:
                learner = KernelSVM(C=C, fit_intercept=intercept)
                last = learner._solve_binary(supply, y, weights)
            made[place].coef[k, last.points] = last.beta
            made[place].intercept[k] = last.intercept
    return made


def _nothing(n_problems: int, n_points: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((n_problems, n_points)), np.zeros(n_problems)


def scores_on(gram: Gram, solutions: Sequence[Solution], points: np.ndarray) -> list[np.ndarray]:
    """Return the scores (n_pairs, n_points) of each; they share the kernel's values."""
    support = np.unique(np.concatenate([solution.support() for solution in solutions]))
    values = gram.block(points, support)
    return [(values @ s.coef[:, support].T.astype(values.dtype) + s.intercept).T for s in solutions]


def machines(
    gram: Gram, codes: np.ndarray, rows: np.ndarray, points: np.ndarray, cs: Sequence[float]
) -> list[np.ndarray]:
    """Train machines; return the labels of the points for each C, ties to the smaller digit."""
    n_classes = int(codes.max()) + 1
    scores = scores_on(gram, along_c(gram, codes, rows, cs), points)
    return [majority(found, n_classes) for found in scores]


def _tested(digits: Digits, cut: Cut, gram: Gram, row: str, **more: Any) -> Rows:
    [labels] = machines(gram, digits.codes, cut.train, cut.test, CS[:1])
    error = errors(labels, digits.codes, cut.test)
    return [line(row, "test_error", error, run=cut.run, **more)]


def machine_errors(
    data: Any, kernels: Mapping[str, Kernel], runs: int, seed: int, variant: str = AS_PRINTED
) -> Rows:
    """Return the test errors with these kernels at C = 1."""
    digits = Digits.of(data)

    def work(gram: Gram, cut: Cut, row: str) -> Rows:
        return _tested(digits, cut, gram, row, variant=variant)

    # In float32 values below 1e-38 are 0: no vote can depend on them beside the intercept.
    return swept(digits, kernels, cuts(len(digits.codes), seed, runs), work, dtype="float32")


# ---------------------------------------------------------------- figures 18 and 19


def _kernel_numbers() -> pd.DataFrame:
    frame = table("dellaporta2020_fig18_svm_kernels")
    row = ["kernel", "param_value"]
    return with_std(frame, row, "test_error", "printed_test", runs=RUNS_NOT_STATED)


def _polynomials(scale: float) -> dict[str, Kernel]:
    return {
        f"polynomial {d:.1f}": Polynomial(degree=d, coef0=0, scale=float(scale)) for d in DEGREES
    }


@experiment("figure 18", data="usps", runs=RUNS_NOT_STATED, published=_kernel_numbers)
def svm_kernels(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of the machine at C = 1, by gamma of the Gaussian and degree of the polynomial.

    For the polynomial, as printed is (p.q)^d; as their code is SVC's default of the time.
    """
    n, variance = data.data.shape[1], float(np.var(data.data))
    gaussians = {f"gaussian {g:.5f}": Gaussian(gamma=float(g)) for g in COARSE_GAMMAS}
    rows = machine_errors(data, gaussians, runs, seed)
    for variant, scale in ((AS_PRINTED, 1.0), (AS_CODED, 1 / n), (SCALED, 1 / (n * variance))):
        rows += machine_errors(data, _polynomials(scale), runs, seed, variant)
    return tidy(rows)


def _gamma_numbers() -> pd.DataFrame:
    frame = table("dellaporta2020_fig19_svm_gamma")
    return with_std(frame, ["param_value"], "test_error", "printed_test", runs=RUNS_NOT_STATED)


@experiment("figure 19", data="usps", runs=RUNS_NOT_STATED, published=_gamma_numbers)
def svm_gamma(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of the machine at C = 1 for gamma between 0.01 and 0.02."""
    kernels = {f"{g:.6f}": Gaussian(gamma=float(g)) for g in FINE_GAMMAS}
    return tidy(machine_errors(data, kernels, runs, seed))


# ---------------------------------------------------------------- figures 20 to 22


def machine_rows(
    digits: Digits, cut: Cut, gram: Gram, cs: Sequence[float], prefix: str = ""
) -> Rows:
    """Return the test and the mean validation error of a run, for each C."""
    codes, more = digits.codes, {"run": cut.run, "variant": AS_PRINTED}
    names = [f"{prefix}{C:.1f}" for C in cs]
    whole = along_c(gram, codes, cut.train, cs)
    n_classes = int(codes.max()) + 1
    labels = [majority(s, n_classes) for s in scores_on(gram, whole, cut.test)]
    held = [
        [errors(found, codes, points) for found in machines(gram, codes, rows, points, cs)]
        for rows, points in cut.folds()
    ]
    rows: Rows = []
    for place, name in enumerate(names):
        same = place > 0 and np.array_equal(whole[place].coef, whole[place - 1].coef)
        largest = float(np.abs(whole[place].coef).max())
        rows += [
            line(name, "test_error", errors(labels[place], codes, cut.test), **more),
            line(name, "validation_error", float(np.mean(held, axis=0)[place]), **more),
            line(name, "largest alpha", largest, **more),
            line(name, "equals the machine before", float(same), **more),
        ]
    return rows


def _c_numbers() -> pd.DataFrame:
    frame = table("dellaporta2020_fig20_svm_C")
    return with_std(frame, ["param_value"], "test_error", "printed_test", runs=RUNS)


@experiment("figure 20", data="usps", runs=RUNS, published=_c_numbers)
def svm_c(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of the machine against C, with gamma 0.0117."""
    digits = Digits.of(data)

    def work(gram: Gram, cut: Cut, row: str) -> Rows:
        return machine_rows(digits, cut, gram, CS)

    kernels = {"": Gaussian(gamma=GAMMA)}
    return tidy(swept(digits, kernels, cuts(len(digits.codes), seed, runs), work))


def _c_cv_numbers() -> pd.DataFrame:
    runs = printed_runs("dellaporta2020_fig21_svm_cv_runs", "C*", N_TEST)
    return pd.concat([runs, printed_summary("figure 22", "C*")], ignore_index=True)


@experiment("figure 21", "figure 22", data="usps", runs=RUNS, published=_c_cv_numbers)
def svm_c_cv(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The C that 5-fold cross validation chooses, and its test error; the first of equals."""
    return chosen_rows(svm_c(data, runs=runs, seed=seed), "C*")
