"""Document 5, figures 2 to 5 and 8 to 13: perceptrons, one class against the rest and pair by pair.

"Training error" is not defined in the document.  The small spread that it prints beside that of
the test error fits the mistakes made on the way through the last epoch ("as printed"), not the
error of the final predictor on its training rows ("after training").
Tests: ``tests/replication/test_dellaporta2020.py``.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from kernlib._jit import add_row, jit
from kernlib.gram import Gram
from kernlib.kernels import Kernel
from kernlib.learners.base import binary_problems, chosen, combined
from kernlib.learners.kernel_base import Reporter
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.replication.dellaporta2020.common import (
    EPOCHS,
    OVO_EPOCHS,
    RUNS,
    Cut,
    Digits,
    Rows,
    chosen_rows,
    cuts,
    errors,
    gaussians,
    line,
    majority,
    polynomials,
    printed_runs,
    printed_summary,
    swept,
    validated,
    with_online_error,
    with_std,
)
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.published import table
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED

AFTER = "after training"
TIES = "corrected, ties by score"
N_TEST = 1860  # of 9298 digits


# ---------------------------------------------------------------- one class against the rest


def one_vs_rest(
    gram: Gram, codes: np.ndarray, rows: np.ndarray, points: np.ndarray, epochs: int = EPOCHS
) -> dict[str, np.ndarray]:
    """Train one perceptron a class; return the labels of the points."""
    solution = KernelPerceptron(max_iter=epochs)._solve(gram, codes, rows, Reporter())
    assert solution.scores is not None
    return {AS_PRINTED: solution.scores[:, points].argmax(axis=0)}


def _one_vs_rest_run(
    gram: Gram, cut: Cut, row: str, *, codes: np.ndarray, epochs: int = EPOCHS
) -> Rows:
    scores, online = with_online_error(gram, codes, cut.train, epochs)
    labels = scores.argmax(axis=0)
    run = cut.run
    return [
        line(row, "train_error", online, run=run),
        line(row, "train_error", errors(labels[cut.train], codes, cut.train), run=run,
             variant=AFTER),
        line(row, "test_error", errors(labels[cut.test], codes, cut.test), run=run),
        *validated(gram, codes, cut, partial(one_vs_rest, epochs=epochs), row),
        *_confusions(labels[cut.test], codes[cut.test], row, run),
    ]  # fmt: skip


def _confusions(labels: np.ndarray, truth: np.ndarray, row: str, run: int) -> Rows:
    """Return how often each digit was taken for another, where it was."""
    n = int(truth.max()) + 1
    counts = np.bincount(truth * n + labels, minlength=n * n).reshape(n, -1)
    return [
        line(row, f"{i} {j}", counts[i, j], run=run) for i, j in np.argwhere(counts > 0) if i != j
    ]


def one_vs_rest_table(
    data: Any, kernels: Mapping[str, Kernel], runs: int, seed: int, epochs: int = EPOCHS
) -> pd.DataFrame:
    """Return the errors of perceptrons with these kernels, and what each took for what."""
    digits = Digits.of(data)
    work = partial(_one_vs_rest_run, codes=digits.codes, epochs=epochs)
    return tidy(swept(digits, kernels, cuts(len(digits.codes), seed, runs), work)).fillna(
        {"variant": AS_PRINTED}
    )


def _printed_errors(name: str) -> pd.DataFrame:
    frame = table(name)
    parts = [
        with_std(frame, ["param_value"], quantity, column, runs=RUNS)
        for quantity, column in (("train_error", "printed_train"), ("test_error", "printed_test"))
        if np.all(frame[column] != "")
    ]
    return pd.concat(parts, ignore_index=True)


@experiment(
    "figure 2",
    data="usps",
    runs=RUNS,
    published=lambda: _printed_errors("dellaporta2020_fig02_ova_poly"),
)
def ova_polynomial(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors of the one-vs-all perceptron against the degree of the polynomial kernel."""
    return one_vs_rest_table(data, polynomials(), runs, seed)


def _ova_polynomial_numbers() -> pd.DataFrame:
    runs = printed_runs("dellaporta2020_fig03_ova_poly_cv_runs", "d*", N_TEST)
    return pd.concat([runs, printed_summary("figure 4", "d*")], ignore_index=True)


@experiment("figure 3", "figure 4", data="usps", runs=RUNS, published=_ova_polynomial_numbers)
def ova_polynomial_cv(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The degree that 5-fold cross validation chooses, and its test error, one-vs-all."""
    return chosen_rows(ova_polynomial(data, runs=runs, seed=seed), "d*")


def _confusion_numbers() -> pd.DataFrame:
    frame = table("dellaporta2020_fig05_confusion")
    return with_std(frame, ["true_digit", "predicted_digit"], "count", "printed", runs=RUNS)


@experiment("figure 5", data="usps", runs=RUNS, published=_confusion_numbers)
def confusion(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """How often the chosen perceptron takes a test digit for another, a run."""
    ours = ova_polynomial(data, runs=runs, seed=seed)
    choices = chosen_rows(ours, "d*", n_printed=0)
    best = choices[choices["quantity"] == "d*"].set_index("run")["value"]
    counts = ours.set_index(["run", "row", "quantity"])["value"]
    n = int(np.max(data.target)) + 1
    return tidy(
        line(f"{i} {j}", "count", counts.get((run, f"{d:.0f}", f"{i} {j}"), 0.0), run=run)
        for run, d in best.items()
        for i in range(n)
        for j in range(n)
    )


# ---------------------------------------------------------------- Gaussian


@experiment(
    "figure 8",
    data="usps",
    runs=RUNS,
    published=lambda: _printed_errors("dellaporta2020_fig08_ova_gauss"),
)
def ova_gaussian(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors of the one-vs-all perceptron against the parameter c of the Gaussian kernel."""
    return one_vs_rest_table(data, gaussians(), runs, seed)


def _ova_gaussian_numbers() -> pd.DataFrame:
    runs = printed_runs("dellaporta2020_fig09_ova_gauss_cv_runs", "c*", N_TEST)
    return pd.concat([runs, printed_summary("figure 9(b)", "c*")], ignore_index=True)


@experiment("figure 9(a)", "figure 9(b)", data="usps", runs=RUNS, published=_ova_gaussian_numbers)
def ova_gaussian_cv(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The c that 5-fold cross validation chooses, and its test error, one-vs-all."""
    return chosen_rows(ova_gaussian(data, runs=runs, seed=seed), "c*")


# ---------------------------------------------------------------- each pair of classes


@jit
def _overwriting_loop(G, codes, labels, rows, f, a):
    """Go once through ``rows``; a mistake sets the example's coefficient, whatever it was."""
    for i in rows:
        for k in range(len(f)):
            y = labels[codes[i], k]
            if y != 0 and y * f[k, i] <= 0.0 and a[k, i] != y:
                add_row(G, i, y - a[k, i], f[k])
                a[k, i] = y


def overwriting_scores(
    gram: Gram,
    codes: np.ndarray,
    rows: np.ndarray,
    epochs: int = OVO_EPOCHS,
    seen: Callable[[np.ndarray], None] = lambda scores: None,
) -> np.ndarray:
    """Return the scores of all pairs of classes, trained by the rule as printed: alpha = y.

    ``seen`` is shown the scores after each epoch.
    """
    n_classes = int(codes.max()) + 1
    labels = np.array(binary_problems(np.arange(n_classes), n_classes, "ovo"), dtype=np.float64).T
    f, a = np.zeros((2, labels.shape[1], len(gram)))
    for _ in range(epochs):
        _overwriting_loop(gram.matrix, codes, labels, rows, f, a)
        seen(f)
    return f


def one_vs_one(
    gram: Gram, codes: np.ndarray, rows: np.ndarray, points: np.ndarray
) -> dict[str, np.ndarray]:
    """Train one perceptron a pair of classes; return the labels of the points, by variant."""
    n_classes = int(codes.max()) + 1
    learner = KernelPerceptron(max_iter=OVO_EPOCHS, multi_class="ovo")
    solution = learner._solve(gram, codes, rows, Reporter())
    assert solution.scores is not None
    added = solution.scores[:, points]
    return {
        AS_PRINTED: majority(overwriting_scores(gram, codes, rows)[:, points], n_classes),
        CORRECTED: majority(added, n_classes),
        TIES: chosen(combined(added.T, n_classes, "ovo")),
    }


@experiment(
    "figure 11",
    data="usps",
    runs=RUNS,
    published=lambda: _printed_errors("dellaporta2020_fig11_ovo_poly"),
)
def ovo_polynomial(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of the one-vs-one perceptron against the degree.

    As printed a mistake sets alpha to y; corrected it adds y.  Votes that tie go to the smaller
    digit, as by argmax; or, in the last variant, to the larger sum of scores.
    """
    digits = Digits.of(data)

    def work(gram: Gram, cut: Cut, row: str) -> Rows:
        found = one_vs_one(gram, digits.codes, cut.train, cut.test)
        return [
            line(row, "test_error", errors(labels, digits.codes, cut.test), run=cut.run,
                 variant=variant)
            for variant, labels in found.items()
        ] + validated(gram, digits.codes, cut, one_vs_one, row)  # fmt: skip

    return tidy(swept(digits, polynomials(), cuts(len(digits.codes), seed, runs), work))


def _ovo_polynomial_numbers() -> pd.DataFrame:
    runs = printed_runs("dellaporta2020_fig12_ovo_poly_cv_runs", "d*", N_TEST)
    return pd.concat([runs, printed_summary("figure 13", "d*")], ignore_index=True)


@experiment("figure 12", "figure 13", data="usps", runs=RUNS, published=_ovo_polynomial_numbers)
def ovo_polynomial_cv(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The degree that 5-fold cross validation chooses, and its test error, one-vs-one."""
    return chosen_rows(ovo_polynomial(data, runs=runs, seed=seed), "d*")
