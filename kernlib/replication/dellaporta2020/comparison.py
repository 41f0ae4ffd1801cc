"""Document 5, section 1.10: its four algorithms side by side, in errors and in seconds.

Seconds on another machine get no verdict: the table has the document's, ours, and its own way of
computing on this machine, step by step.  Tests: ``tests/replication/test_dellaporta2020.py``.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.svm import SVC

from kernlib.kernels import Gaussian, Polynomial
from kernlib.learners.budget import BudgetPerceptron
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.learners.kernel_svm import KernelSVM
from kernlib.replication.dellaporta2020.common import (
    EPOCHS,
    OVO_EPOCHS,
    RUNS,
    Cut,
    Rows,
    cuts,
    line,
)
from kernlib.replication.dellaporta2020.forgetron import BUDGET, balanced, forgetron_cv
from kernlib.replication.dellaporta2020.perceptrons import ova_polynomial_cv, ovo_polynomial_cv
from kernlib.replication.dellaporta2020.plain import plain_forgetron
from kernlib.replication.dellaporta2020.svm import GAMMA, svm_c_cv
from kernlib.replication.engine import experiment, seeds, tidy
from kernlib.replication.published import numbers, table
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED

OVA, OVO, SVM, FORGETRON = (
    "One vs All Perceptron",
    "One vs One Perceptron",
    "SVM",
    "Forgetron",
)
CHOSEN = {OVA: ova_polynomial_cv, OVO: ovo_polynomial_cv, SVM: svm_c_cv, FORGETRON: forgetron_cv}
DEGREE = 5
TIMED_STEPS = 100
TIMED_RUNS = 1
THEIR_MACHINE = "printed"


def _error_numbers() -> pd.DataFrame:
    frame = table("dellaporta2020_comparison_error")
    frame["printed"] = frame["printed_mean"].str.partition(" ")[0]
    return numbers(frame, ["algorithm"], "test_error", "printed", std="printed_std", runs=RUNS)


@experiment("table sec 1.10.1", data="usps", runs=RUNS, published=_error_numbers)
def compared_errors(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of the four algorithms, each with the parameter that it chooses."""
    parts = []
    for name, made in CHOSEN.items():
        ours = made(data, runs=runs, seed=seed)
        ours = ours[(ours["row"] == "mean") & (ours["quantity"] == "test_error")]
        parts.append(ours.assign(row=name))
    return pd.concat(parts, ignore_index=True)


# ---------------------------------------------------------------- seconds


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _fitted(learner: Any, X: np.ndarray, y: np.ndarray, cut: Cut) -> Callable[[], Any]:
    return lambda: learner.fit(X[cut.train], y[cut.train]).predict(X[cut.test])


def _by_step(n_rows: int, n_problems: int, n_steps: int) -> float:
    """Return the seconds of steps that compute W G_t, counted up from some of them."""
    timed = min(TIMED_STEPS, n_steps)
    G, W = np.ones((n_rows, timed)), np.ones((n_problems, n_rows))

    def steps() -> None:
        for t in range(timed):
            W @ G[:, t]

    return _seconds(steps) / timed * n_steps


def _their_way(X: np.ndarray, y: np.ndarray, cut: Cut, reduced: Cut) -> dict[str, float]:
    """Return the seconds of the document's way of computing: matrix, steps, test."""
    rows = X[cut.train]

    def matrix() -> Any:
        return (rows @ rows.T) ** DEGREE, (rows @ X[cut.test].T) ** DEGREE

    built = _seconds(matrix)
    counts = np.bincount(y[cut.train])
    pairs = [int(counts[i] + counts[j]) for j in range(len(counts)) for i in range(j)]
    few, labels = X[reduced.train], y[reduced.train]
    K = (few @ few.T) ** DEGREE
    order = np.arange(len(few))
    return {
        OVA: built + _by_step(len(rows), len(counts), EPOCHS * len(rows)),
        OVO: built + sum(_by_step(n, 1, OVO_EPOCHS * n) for n in pairs),
        SVM: _seconds(_fitted(SVC(C=10, gamma=GAMMA), X, y, cut)),
        FORGETRON: _seconds(lambda: plain_forgetron(K, labels, order, BUDGET, EPOCHS)),
    }


@experiment("table sec 1.10.2", data="usps", runs=TIMED_RUNS)
def compared_seconds(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Seconds for one training and test of the four algorithms.

    The variant "as their code" is the document's way of computing on this machine: the products
    W G_t step by step, of which some are timed and counted up to all; scikit-learn's SVC.
    """
    X, y = np.asarray(data.data), np.asarray(data.target)
    kernel, wide = Polynomial(degree=DEGREE, coef0=0), Gaussian(gamma=GAMMA)
    learners = {
        OVA: KernelPerceptron(kernel=kernel, max_iter=EPOCHS),
        OVO: KernelPerceptron(kernel=kernel, max_iter=OVO_EPOCHS, multi_class="ovo"),
        SVM: KernelSVM(kernel=wide, C=10),
        FORGETRON: BudgetPerceptron(kernel=kernel, budget=BUDGET, max_iter=EPOCHS),
    }
    rows: Rows = [
        line(found["algorithm"], "seconds", float(found["train_and_test_time"]),
             variant=THEIR_MACHINE)
        for found in table("dellaporta2020_comparison_time").to_dict("records")
    ]  # fmt: skip
    for cut, stream in zip(cuts(len(y), seed, runs), seeds(seed, runs), strict=True):
        few = balanced(y, np.random.default_rng(stream))
        reduced = Cut(cut.run, few[: len(few) * 4 // 5], few[len(few) * 4 // 5 :])
        for name, learner in learners.items():
            work = _fitted(learner, X, y, reduced if name == FORGETRON else cut)
            if cut.run == 0:
                work()  # compiles
            rows.append(line(name, "seconds", _seconds(work), variant=AS_PRINTED, run=cut.run))
        for name, seconds in _their_way(X, y, cut, reduced).items():
            rows.append(line(name, "seconds", seconds, variant=AS_CODED, run=cut.run))
    return tidy(rows).fillna({"run": 0}).astype({"run": int})
