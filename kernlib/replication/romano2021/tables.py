"""Document 4's figures: errors against the degree and the epochs, and its two times.

The text is right and the program is not, so the variant "as printed" is also the corrected one:
the kernel of the formula, the average of the predictors, the predictor of the best epoch.
Tests: ``tests/replication/test_romano2021.py``.
"""

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from kernlib.gram import Gram, Pairs
from kernlib.kernels import Polynomial
from kernlib.replication.engine import experiment, not_repeated, tidy
from kernlib.replication.published import numbers, table
from kernlib.replication.romano2021.common import (
    DEGREES,
    EPOCHS,
    GREY,
    PREDICTORS,
    SWEEP_EPOCHS,
    Problem,
    counted,
    document_problem,
    document_rows,
)
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

NO_OVERFLOW = "program without overflow"
SCALED = "scaled pixels"
TIMED_TRAIN, TIMED_TEST, REPEATS = 150, 3, 3

not_repeated(
    "romano2021",
    {
        "figure 1": "An illustration from a web page; nothing is measured.",
        "figure 3": "Pseudocode: kernlib.learners.perceptron runs it, and its tests compare both.",
    },
)

# Of each variant: the kernel's values, and the predictor that a name stands for.
Arithmetic = Callable[[Problem, int], np.ndarray]
VARIANTS: dict[str, tuple[Arithmetic, Callable[[str], str]]] = {
    AS_CODED: (Problem.wrapped, lambda name: "last"),  # both lists hold the same array
    CORRECTED: (Problem.exact, PREDICTORS.__getitem__),
    NO_OVERFLOW: (Problem.exact, lambda name: "last"),
    SCALED: (Problem.scaled, PREDICTORS.__getitem__),
}


def with_text(rows: Iterable[Any]) -> pd.DataFrame:
    """Return the rows, and those of the corrected variant as those of the text too."""
    ours = tidy(rows)
    text = ours[ours["variant"] == CORRECTED].assign(variant=AS_PRINTED)
    return pd.concat([text, ours], ignore_index=True)


def _curves(problem: Problem, degree: int) -> dict[tuple[str, str], list[int]]:
    """Return the test errors after each epoch, by variant and the predictor's name."""
    curves = {}
    for variant, (arithmetic, predictor) in VARIANTS.items():
        values = arithmetic(problem, degree)
        for name in {predictor(name): name for name in PREDICTORS}.values():
            states = problem.epochs(values, max(SWEEP_EPOCHS.values()), predictor(name))
            curves[variant, name] = [problem.test_errors(state.scores) for state in states]
        for name in PREDICTORS:  # two names may stand for the same predictor
            same = next(n for v, n in curves if v == variant and predictor(n) == predictor(name))
            curves[variant, name] = curves[variant, same]
    return curves


def _all_curves(data: Any, degrees: Iterable[int]) -> tuple[Problem, list[Any]]:
    problem = document_problem(data)
    work = (delayed(_curves)(problem, degree) for degree in degrees)
    return problem, list(Parallel(n_jobs=-1, prefer="threads")(work))


def _degree_numbers() -> pd.DataFrame:
    printed = table("romano2021_degree_errors")
    return pd.concat(
        [
            numbers(printed, ["predictor", "degree"], quantity, column, n_examples=n)
            for quantity, column, n in (
                ("test_errors", "printed", None),
                ("zero_one_loss", "printed_loss", 600),
                ("accuracy", "printed_accuracy", 600),
            )
        ],
        ignore_index=True,
    )


@experiment("figure 5", data="mnist", deterministic=True, published=_degree_numbers)
def degrees(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors on 600 digits against the degree of the kernel."""
    problem, curves = _all_curves(data, DEGREES)
    rows: list[Any] = []
    for degree, curve in zip(DEGREES, curves, strict=True):
        for (variant, name), errors in curve.items():
            count = errors[SWEEP_EPOCHS[name] - 1]
            rows.extend(counted(f"{name} {degree}", count, problem.n_test, variant=variant))
    return with_text(rows)


def _epoch_numbers() -> pd.DataFrame:
    printed = table("romano2021_epoch_errors")
    return numbers(printed, ["predictor", "degree", "epochs"], "test_errors", "printed")


@experiment("figure 6", data="mnist", deterministic=True, published=_epoch_numbers)
def epochs(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors on 600 digits against the number of epochs."""
    problem, curves = _all_curves(data, (2, 6))
    rows: list[Any] = []
    for degree, curve in zip((2, 6), curves, strict=True):
        for (variant, name), errors in curve.items():
            for epoch, count in enumerate(errors[:EPOCHS], start=1):
                row = f"{name} {degree} {epoch}"
                rows.extend(counted(row, count, problem.n_test, variant=variant, epoch=epoch))
    return with_text(rows)


@experiment("figure 2", data="mnist", deterministic=True)
def first_images(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The first ten training digits: their labels and where they are in the file."""
    train, _ = document_rows(len(data.target))
    labels = np.asarray(data.target)[train[:10]]
    return tidy(
        {"row": f"image {k}", "quantity": quantity, "value": float(value)}
        for k in range(10)
        for quantity, value in (("label", labels[k]), ("file_row", train[k]))
    )


@experiment("section 2", data="mnist", deterministic=True)
def facts(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """What section 2 says of the data."""
    problem = document_problem(data)
    values = {
        "n_columns": data.data.shape[1] + 1,
        "n_pixels": data.data.shape[1],
        "side": np.sqrt(data.data.shape[1]),
        "lowest_grey": data.data.min(),
        "highest_grey": data.data.max(),
        "n_classes": len(np.unique(data.target)),
        "lowest_label": np.min(data.target),
        "highest_label": np.max(data.target),
        "n_total": len(data.target),
        "n_used": len(problem.codes),
        "n_train": problem.n_train,
        "n_test": problem.n_test,
    }
    return tidy({"row": "data", "quantity": q, "value": float(v)} for q, v in values.items())


# ---------------------------------------------------------------- times


def _seconds(works: Iterable[Callable[[], Any]]) -> list[float]:
    """Return the least of a few processor times of each; they take turns, so all see one load."""
    turns = []
    for _ in range(REPEATS):
        taken = []
        for work in works:
            start = time.thread_time()
            work()
            taken.append(time.thread_time() - start)
        turns.append(taken)
    return [float(least) for least in np.min(turns, axis=0)]


def _pair_by_pair(X: np.ndarray, degree: int) -> None:
    """Fill the upper half of the matrix, one pair at a time, and reflect it."""
    K = np.zeros((len(X), len(X)))
    with np.errstate(over="ignore"):
        for i in range(len(X)):
            for j in range(i, len(X)):
                K[i, j] = K[j, i] = (1 + np.dot(X[i], X[j])) ** degree


@experiment("figure 4(a)", data="mnist")
def matrix_seconds(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Seconds to build the training Gram matrix, by degree.

    The document's way, pair by pair, is timed on some of the rows and counted up to all pairs.
    """
    problem = document_problem(data)
    X = problem.X[: problem.n_train]
    few = X[:TIMED_TRAIN].astype(np.int64)
    pairs = Pairs(X.astype(np.float64) / GREY)
    share = len(few) * (len(few) + 1) / (len(X) * (len(X) + 1))
    kernels = [Polynomial(degree=degree) for degree in DEGREES]
    seconds = {
        AS_CODED: _seconds([partial(_pair_by_pair, few, d) for d in DEGREES]),
        CORRECTED: _seconds([partial(Gram, k, pairs, dtype="float64") for k in kernels]),
    }
    seconds[AS_CODED] = [spent / share for spent in seconds[AS_CODED]]
    return tidy(
        {"variant": variant, "row": f"degree {degree}", "quantity": "seconds", "value": spent}
        for variant, times in seconds.items()
        for degree, spent in zip(DEGREES, times, strict=True)
    )


def _predict_one_by_one(X: np.ndarray, train: np.ndarray, coef: np.ndarray, degree: int) -> None:
    """Label the rows; each classifier goes through its own support vectors."""
    with np.errstate(over="ignore"):
        for x in X:
            np.argmax([
                sum(a[i] * (1 + np.dot(train[i], x)) ** degree for i in np.flatnonzero(a))
                for a in coef
            ])  # fmt: skip


@experiment("figure 4(b)", data="mnist")
def prediction_seconds(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Seconds to predict the test digits by degree, beside the kernel values that they take.

    The document's way, value by value, is timed on some of the digits and counted up to all.
    """
    problem = document_problem(data)
    rows = []
    for variant, values, dtype in (
        (AS_CODED, problem.wrapped, np.int64),
        (CORRECTED, problem.exact, np.float64),
    ):
        X = problem.X.astype(dtype)
        train, few = X[: problem.n_train], X[problem.n_train :][:TIMED_TEST]
        coefs = [problem.epochs(values(d))[-1].coef[:, : problem.n_train] for d in DEGREES]
        seconds = _seconds(
            [
                partial(_predict_one_by_one, few, train, c, d)
                for d, c in zip(DEGREES, coefs, strict=True)
            ]
        )
        for degree, coef, spent in zip(DEGREES, coefs, seconds, strict=True):
            measured: dict[str, Any] = {
                "kernel_values": np.count_nonzero(coef) * problem.n_test,
                "support_vectors": np.count_nonzero(np.any(coef != 0, axis=0)),
                "seconds": spent * problem.n_test / len(few),
            }
            rows += [
                {"variant": variant, "row": f"degree {degree}", "quantity": q, "value": float(v)}
                for q, v in measured.items()
            ]
    return tidy(rows)
