"""Document 1, sections 3 and 4: the linear learners and their tables.

Tests: ``tests/replication/test_cologni2024.py``.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from kernlib.learners.perceptron import Perceptron
from kernlib.replication.cologni2024.common import (
    CHOSEN,
    EXPANDED_STEPS,
    N_FIT,
    N_TEST,
    N_TRAIN,
    N_VAL,
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
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.published import numbers, table
from kernlib.replication.verdicts import CORRECTED


def _both(name: str, row: list[str], *, n_other: int, other: str) -> Callable[[], pd.DataFrame]:
    """Return the published training errors, and the other ones, of a table."""
    printed = "printed_val" if other == "validation_error" else "printed_test"

    def published() -> pd.DataFrame:
        frame = table(name)
        n_train = N_FIT if other == "validation_error" else N_TRAIN
        outer = numbers(frame, row, other, printed, n_examples=n_other)
        inner = numbers(frame, row, "training_error", "printed_train", n_examples=n_train)
        return pd.concat([outer, inner], ignore_index=True)

    return published


def _errors(row: str, run: int, train: float, other: float, name: str) -> Rows:
    yield {"row": row, "quantity": "training_error", "run": run, "value": train}
    yield {"row": row, "quantity": name, "run": run, "value": other}


# ---------------------------------------------------------------- section 3: the perceptron


def _weights_published(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: numbers(table(f"cologni2024_{name}"), ["feature_inferred"], "weight", "printed")


def _weights(name: str, coefficients: list[np.ndarray]) -> pd.DataFrame:
    features = table(f"cologni2024_{name}")["feature_inferred"]
    return tidy(
        {"row": feature, "quantity": "weight", "run": run, "value": float(w)}
        for run, row in enumerate(coefficients)
        for feature, w in zip(features, row, strict=True)
    )


@experiment(
    "vector sec 3.1",
    data="milan",
    deterministic=True,
    published=_weights_published("perceptron_weights"),
)
def perceptron_weights(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The 11 weights of the perceptron."""
    parts = train_and_test(data)
    learner = Perceptron(fit_intercept=False).fit(parts.X, parts.y)
    return _weights("perceptron_weights", [learner.coef_[0]])


@experiment(
    "vector sec 3.2",
    data="milan",
    deterministic=True,
    published=_weights_published("perceptron_poly2_weights"),
)
def perceptron_poly2_weights(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The 77 weights of the perceptron on the degree-2 expansion."""
    parts = expanded(train_and_test(data))
    learner = Perceptron(fit_intercept=False).fit(parts.X, parts.y)
    return _weights("perceptron_poly2_weights", [learner.coef_[0]])


# ---------------------------------------------------------------- section 4: Pegasos


@experiment(
    "vector sec 4.1.2", data="milan", runs=RUNS, published=_weights_published("pegasos_weights")
)
def pegasos_weights(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The 11 weights of Pegasos at the chosen lambda."""
    fits = over_seeds(lambda s: pegasos(CHOSEN["pegasos"], s), train_and_test(data), runs, seed)
    return _weights("pegasos_weights", [learner.coef_[0] for learner, _, _ in fits])


def _lambda_table(
    data: Any, name: str, runs: int, seed: int, *, loss: str, expand: bool, n_steps: int
) -> pd.DataFrame:
    """Validation and training error for each lambda; corrected: the scaler saw 6000 rows only."""
    grid = list(table(name)["lambda"])

    def rows(parts: Parts) -> Rows:
        parts = expanded(parts) if expand else parts
        for lam in grid:
            fits = over_seeds(
                lambda s, v=float(lam): pegasos(v, s, loss=loss, n_steps=n_steps), parts, runs, seed
            )
            for run, (_, train, validation) in enumerate(fits):
                yield from _errors(lam, run, train, validation, "validation_error")

    whole, without_leak = fit_and_validate(data), fit_and_validate(data, leak=False)
    return pd.concat([tidy(rows(whole)), tidy(rows(without_leak), CORRECTED)])


def _lambda_published(name: str) -> Callable[[], pd.DataFrame]:
    return _both(name, ["lambda"], n_other=N_VAL, other="validation_error")


@experiment(
    "table sec 4.1.2",
    data="milan",
    runs=RUNS,
    published=_lambda_published("cologni2024_pegasos_lambda"),
)
def pegasos_lambda(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Pegasos for each lambda."""
    name = "cologni2024_pegasos_lambda"
    return _lambda_table(data, name, runs, seed, loss="hinge", expand=False, n_steps=STEPS)


@experiment(
    "table sec 4.2",
    data="milan",
    runs=RUNS,
    published=_lambda_published("cologni2024_logistic_lambda"),
)
def logistic_lambda(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Logistic Pegasos for each lambda."""
    name = "cologni2024_logistic_lambda"
    return _lambda_table(data, name, runs, seed, loss="logistic", expand=False, n_steps=STEPS)


@experiment(
    "table sec 4.3.1",
    data="milan",
    runs=RUNS,
    published=_lambda_published("cologni2024_pegasos_poly2_lambda"),
)
def pegasos_poly2_lambda(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Pegasos on the degree-2 expansion for each lambda."""
    name = "cologni2024_pegasos_poly2_lambda"
    return _lambda_table(data, name, runs, seed, loss="hinge", expand=True, n_steps=EXPANDED_STEPS)


@experiment(
    "table sec 4.3.2",
    data="milan",
    runs=RUNS,
    published=_lambda_published("cologni2024_logistic_poly2_lambda"),
)
def logistic_poly2_lambda(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Logistic Pegasos on the degree-2 expansion for each lambda."""
    name = "cologni2024_logistic_poly2_lambda"
    return _lambda_table(data, name, runs, seed, loss="logistic", expand=True, n_steps=STEPS)


def _final_published() -> pd.DataFrame:
    frame = table("cologni2024_final_errors")
    frame = frame[frame["algorithm"].isin(["Perceptron", "Pegasos (hinge)", "Pegasos (logistic)"])]
    row = ["algorithm", "feature_map"]
    test = numbers(frame, row, "test_error", "printed_test", n_examples=N_TEST)
    train = numbers(frame, row, "training_error", "printed_train", n_examples=N_TRAIN)
    rows = pd.concat([test, train], ignore_index=True)
    return rows.assign(deterministic=rows["row"].str.startswith("Perceptron"))


@experiment(
    "vector sec 3.1",
    "vector sec 3.2",
    "table sec 4.1.2",
    "table sec 4.2",
    "table sec 4.3.1",
    "table sec 4.3.2",
    data="milan",
    runs=RUNS,
    published=_final_published,
)
def final_errors(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Each linear learner at its chosen parameters, on all training rows, tested once."""
    linear = train_and_test(data)
    forms = {
        "none (linear)": (linear, "", STEPS),
        "explicit degree-2 expansion": (expanded(linear), "expanded ", EXPANDED_STEPS),
    }

    def rows() -> Rows:
        for feature_map, (parts, prefix, steps) in forms.items():
            makers: dict[str, Callable[[Any], Any]] = {
                "Perceptron": lambda s: Perceptron(fit_intercept=False),
                "Pegasos (hinge)": partial(pegasos, CHOSEN[f"{prefix}pegasos"], n_steps=steps),
                "Pegasos (logistic)": partial(
                    pegasos, CHOSEN[f"{prefix}logistic"], loss="logistic"
                ),
            }
            for name, make in makers.items():
                for run, (_, train, test) in enumerate(over_seeds(make, parts, runs, seed)):
                    yield from _errors(f"{name} {feature_map}", run, train, test, "test_error")

    return tidy(rows())
