"""What document 1 left out: other steps of Pegasos, kernel logistic, repeats, cross validation.

Tests: ``tests/replication/test_cologni2024.py``.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations_with_replacement
from math import factorial, prod, sqrt
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.model_selection import KFold

from kernlib.learners.pegasos import Pegasos
from kernlib.learners.perceptron import Perceptron
from kernlib.model_selection import GridSearch, error_rate
from kernlib.preprocessing import AddConstant, scaler
from kernlib.replication.cologni2024.common import (
    CHOSEN,
    EXPANDED_STEPS,
    GRID,
    RUNS,
    STEPS,
    Parts,
    Rows,
    expanded,
    fit_and_validate,
    over_seeds,
    pegasos,
    train_and_test,
)
from kernlib.replication.cologni2024.kernels import (
    EPOCHS,
    KERNEL,
    Problem,
    code_kernel,
    pegasos_errors,
    perceptron_errors,
    text_kernel,
)
from kernlib.replication.cologni2024.variants import objective
from kernlib.replication.engine import experiment, seeds, tidy
from kernlib.replication.published import table
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED
from kernlib.training import TRAIN_SHARE

FEW_RUNS = 5
FOLDS = 5
LAMBDAS = (0.001, 0.01, 0.1)
SAMPLINGS = ("replacement", "permutation", "reshuffle", "cyclic")
CORRELATED = {"all": (), "without x3": (2,), "without x6": (5,), "without x3, x6": (2, 5)}

LEFT_OUT = {
    "mini-batch Pegasos": "mini_batches",
    "sampling without replacement": "samplings",
    "projection step": "projection",
    "averaging of the iterates": "averaging",
    "dropping correlated features": "fewer_features",
    "kernel logistic": "kernel_logistic",
    "test error of the kernel perceptron": "kernel_perceptron_test",
    "repeated runs": "other_shuffles",
    "cross validation": "cross_validation",
}


def _line(row: str, run: int, quantity: str, value: float, **more: Any) -> dict[str, Any]:
    return {"row": row, "run": run, "quantity": quantity, "value": float(value)} | more


# ---------------------------------------------------------------- other steps of Pegasos


def _with(options: dict[str, Any], lam: float, stream: Any) -> Pegasos:
    return pegasos(lam, stream).set_params(**options)


def _compared(data: Any, ways: dict[str, dict[str, Any]], runs: int, seed: int) -> pd.DataFrame:
    """Test error and objective of Pegasos done in each way, for three lambdas."""
    parts = train_and_test(data)

    def rows() -> Rows:
        for lam in LAMBDAS:
            for name, options in ways.items():
                fits = over_seeds(partial(_with, options, lam), parts, runs, seed)
                for run, (learner, _, test) in enumerate(fits):
                    value = objective(learner.coef_[0], parts.X, parts.y, lam)
                    yield _line(f"{name} {lam:g}", run, "test_error", test)
                    yield _line(f"{name} {lam:g}", run, "objective", value)

    return tidy(rows(), CORRECTED)


@experiment("left out", data="milan", runs=RUNS)
def mini_batches(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Pegasos with batches of 1, 10 and 100: as many examples seen, and as many steps."""
    ways = {
        f"batch {k}, {steps} steps": {"batch_size": k, "n_steps": steps}
        for k, steps in ((1, STEPS), (10, STEPS // 10), (100, STEPS // 100), (100, STEPS))
    }
    return _compared(data, ways, runs, seed)


@experiment("left out", data="milan", runs=RUNS)
def samplings(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Pegasos with independent draws, one permutation, a new one each epoch, the given order."""
    return _compared(data, {name: {"sampling": name} for name in SAMPLINGS}, runs, seed)


@experiment("left out", data="milan", runs=RUNS)
def projection(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Pegasos with the projection step and without."""
    ways = {"without": {"project": False}, "with": {"project": True}}
    return _compared(data, ways, runs, seed)


@experiment("left out", data="milan", runs=RUNS)
def averaging(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Pegasos' last iterate, the mean of all, and the mean of the second half."""
    outputs = ("last", "average", "suffix")
    return _compared(data, {name: {"output": name} for name in outputs}, runs, seed)


# ---------------------------------------------------------------- other features, other kernels


@experiment("left out", data="milan", runs=RUNS)
def fewer_features(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test errors when some of the correlated features x3, x6 and x10 are dropped."""
    whole = train_and_test(data)

    def rows() -> Rows:
        for name, dropped in CORRELATED.items():
            parts = whole.mapped(lambda X, d=dropped: np.delete(X, d, axis=1))
            makers: dict[str, tuple[Parts, Callable[[Any], Any]]] = {
                "Perceptron": (parts, lambda s: Perceptron(fit_intercept=False)),
                "Feature expanded Perceptron": (
                    expanded(parts),
                    lambda s: Perceptron(fit_intercept=False),
                ),
                "Pegasos": (parts, lambda s: pegasos(CHOSEN["pegasos"], s)),
                "Feature expanded Pegasos": (
                    expanded(parts),
                    lambda s: pegasos(CHOSEN["expanded pegasos"], s, n_steps=EXPANDED_STEPS),
                ),
            }
            for learner, (form, make) in makers.items():
                for run, (_, _, test) in enumerate(over_seeds(make, form, runs, seed)):
                    yield _line(f"{learner}, {name}", run, "test_error", test)

    return tidy(rows(), CORRECTED)


@experiment("left out", data="milan", runs=FEW_RUNS)
def kernel_logistic(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Validation error of kernel Pegasos with the logistic loss, and with the hinge, degree 3."""
    problem = Problem.of(fit_and_validate(data))
    kernel = text_kernel("polynomial", "3", "")
    lams = (0.0001, 0.001, 0.01, 0.1, 1.0)

    def rows() -> Rows:
        for loss in ("hinge", "logistic"):
            found = pegasos_errors(problem, kernel, lams, runs, seed, loss=loss, offset=1)
            for run, lam, (train, validation) in found:
                yield _line(f"{loss} {lam:g}", run, "training_error", train)
                yield _line(f"{loss} {lam:g}", run, "validation_error", validation)

    return tidy(rows(), CORRECTED)


@experiment("left out", data="milan", deterministic=True)
def kernel_perceptron_test(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of the kernel perceptron, trained on all training rows."""
    problem = Problem.of(train_and_test(data))
    cells = list(
        dict.fromkeys(map(tuple, table("cologni2024_kernel_perceptron")[KERNEL].to_numpy()))
    )

    def rows() -> Rows:
        for cell in cells:
            row = " ".join(c for c in cell if c)
            makers = {AS_PRINTED: text_kernel, AS_CODED: code_kernel}
            if cell[0] == "polynomial":
                del makers[AS_CODED]  # the same kernel
            for variant, kernel_of in makers.items():
                errors = perceptron_errors(problem, kernel_of(*cell))
                yield _line(row, 0, "training_error", errors[0], variant=variant)
                yield _line(row, 0, "test_error", errors[1], variant=variant)

    return tidy(rows())


# ---------------------------------------------------------------- other shuffles, other folds


def monomials(X: np.ndarray, degree: int = 3) -> np.ndarray:
    r"""Return features whose products are the kernel :math:`(1 + x\cdot x')^n`.

    A monomial :math:`x^a` of :math:`(1, x)` has the weight :math:`\sqrt{n!/a!}`.
    """
    Z = AddConstant().fit_transform(X)
    columns = []
    for places in combinations_with_replacement(range(Z.shape[1]), degree):
        repeats = prod(factorial(places.count(j)) for j in set(places))
        columns.append(sqrt(factorial(degree) / repeats) * np.prod(Z[:, places], axis=1))
    return np.column_stack(columns)


def _shuffled(data: Any, stream: np.random.SeedSequence) -> Parts:
    """Return training and test rows of another shuffle, scaled, with the constant."""
    X, y = np.asarray(data.data), np.asarray(data.target)
    order = np.random.default_rng(stream).permutation(len(y))
    cut = int(TRAIN_SHARE * len(y))
    fit_rows, test_rows = order[:cut], order[cut:]
    scale = scaler("standardize").fit(X[fit_rows])
    parts = Parts(X[fit_rows], y[fit_rows], X[test_rows], y[test_rows])
    return parts.mapped(lambda rows: AddConstant().fit_transform(scale.transform(rows)))


def _one_shuffle(data: Any, run: int, stream: np.random.SeedSequence) -> list[dict[str, Any]]:
    linear = _shuffled(data, stream)
    squares, cubes = expanded(linear), linear.mapped(monomials)
    learners: dict[str, tuple[Parts, Any]] = {
        "Perceptron": (linear, Perceptron(fit_intercept=False)),
        "Feature expanded Perceptron": (squares, Perceptron(fit_intercept=False)),
        "Kernel Perceptron": (cubes, Perceptron(max_iter=EPOCHS, fit_intercept=False)),
        "Pegasos": (linear, pegasos(CHOSEN["pegasos"], stream)),
        "Pegasos (logistic)": (linear, pegasos(CHOSEN["logistic"], stream, loss="logistic")),
        "Feature expanded Pegasos": (
            squares,
            pegasos(CHOSEN["expanded pegasos"], stream, n_steps=EXPANDED_STEPS),
        ),
        "Kernel Pegasos": (cubes, pegasos(CHOSEN["pegasos"], stream)),
    }
    rows = []
    for name, (parts, learner) in learners.items():
        error = error_rate(learner.fit(parts.X, parts.y), parts.X_out, parts.y_out)
        rows.append(_line(name, run, "test_error", error))
    return rows


@experiment("left out", data="milan", runs=RUNS)
def other_shuffles(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test errors over other shuffles of the table, the chosen parameters kept.

    The kernel learners, of degree 3, run on the features whose products are the kernel.
    """
    tasks = (delayed(_one_shuffle)(data, run, s) for run, s in enumerate(seeds(seed, runs)))
    made = Parallel(n_jobs=-1, prefer="threads")(tasks)
    return tidy((row for rows in made for row in rows), CORRECTED)


def _searches(linear: Parts, stream: Any) -> Iterator[tuple[str, Parts, Any, list[Any]]]:
    """Yield name, data, learner and values of each parameter to be chosen."""
    squares = expanded(linear)
    yield "pegasos", linear, pegasos(1.0, stream), list(GRID)
    yield "logistic", linear, pegasos(1.0, stream, loss="logistic"), list(GRID)
    yield "expanded pegasos", squares, pegasos(1.0, stream), list(GRID)
    yield "expanded logistic", squares, pegasos(1.0, stream, loss="logistic"), list(GRID)


@experiment("left out", data="milan", runs=FEW_RUNS)
def cross_validation(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Lambda chosen by 5 folds in place of one held-out part, and the test error of each choice.

    All with 100 000 steps and the grid 0.0001, ..., 100.
    """
    linear = train_and_test(data)

    def rows() -> Rows:
        for run, stream in enumerate(seeds(seed, runs)):
            for name, parts, learner, values in _searches(linear, stream):
                for way, cv in (("hold-out", "holdout"), ("5 folds", KFold(FOLDS))):
                    search = GridSearch(learner, {"lam": values}, cv=cv, n_jobs=-1)
                    search.fit(parts.X, parts.y)
                    test = error_rate(search, parts.X_out, parts.y_out)
                    row = f"{name}, {way}"
                    yield _line(row, run, "chosen_lambda", search.best_params_["lam"])
                    yield _line(row, run, "validation_error", 1 - search.best_score_)
                    yield _line(row, run, "test_error", test)

    return tidy(rows(), CORRECTED)
