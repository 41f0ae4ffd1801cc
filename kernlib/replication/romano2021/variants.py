r"""Document 4's slips, each re-enacted beside the way that was meant.

Overflow; two lists that hold one array; ``argmin`` for ``argmax`` in its equation 5; the cases of
the zero-one loss swapped in its equation 6; the cost of the explicit feature map.
Tests: ``tests/replication/test_romano2021.py``.
"""

from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from kernlib.replication.engine import experiment, tidy
from kernlib.replication.romano2021.common import (
    DEGREES,
    Epoch,
    Problem,
    counted,
    document_problem,
)
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

LARGEST = 2.0**63  # int64 holds less
EIGENVALUES_OF = 300  # training rows
SIDES = (98, 196, 392, 784)  # numbers of features that the growth is read off


def _line(variant: str, row: str, quantity: str, value: Any, **more: Any) -> dict[str, Any]:
    named = {"variant": variant, "row": row, "quantity": quantity, "value": float(value)}
    return named | more


def _smallest_eigenvalue(values: np.ndarray) -> float:
    """Return the smallest eigenvalue over the largest magnitude; below 0 it is no kernel."""
    found = np.linalg.eigvalsh(values[:EIGENVALUES_OF, :EIGENVALUES_OF])
    return float(found[0] / np.abs(found).max())


@experiment("anomaly 1", data="mnist", deterministic=True)
def overflow(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Whether the kernel's powers fit into 64 bits, and what is left where they do not."""
    problem = document_problem(data)
    rows = []
    for degree in DEGREES:
        exact, wrapped = problem.exact(degree), problem.wrapped(degree)
        row = f"degree {degree}"
        rows += [
            _line(CORRECTED, row, "bits_of_largest", np.log2(exact.max())),
            _line(CORRECTED, row, "share_beyond_int64", np.mean(exact >= LARGEST)),
            _line(CORRECTED, row, "smallest_eigenvalue", _smallest_eigenvalue(exact)),
            _line(AS_CODED, row, "share_negative", np.mean(wrapped < 0)),
            _line(AS_CODED, row, "smallest_eigenvalue", _smallest_eigenvalue(wrapped)),
        ]
    return tidy(rows)


def _made_of(problem: Problem, values: np.ndarray) -> dict[str, np.ndarray]:
    """Return the scores of every predictor that the text's two names may mean."""
    last = problem.epochs(values)
    scores = np.array([state.scores for state in last])
    fewest = np.argmin([state.mistakes for state in last], axis=0)
    return {
        "last": scores[-1],
        "mean after every example": problem.epochs(values, predictor="average")[-1].scores,
        "mean of the epochs": scores.mean(axis=0),
        "least training error": problem.epochs(values, predictor="best")[-1].scores,
        "fewest mistakes in an epoch": scores[fewest, np.arange(len(fewest))],
    }


@experiment("anomaly 2", data="mnist", deterministic=True)
def predictors(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors of a true average and of a true best epoch, after 10 epochs, by degree."""
    problem = document_problem(data)
    work = [
        (variant, degree, values)
        for variant, values in ((AS_CODED, problem.wrapped), (CORRECTED, problem.exact))
        for degree in DEGREES
    ]
    made = Parallel(n_jobs=-1, prefer="threads")(
        delayed(lambda degree, values: _made_of(problem, values(degree)))(degree, values)
        for _, degree, values in work
    )
    return tidy(
        line
        for (variant, degree, _), scores in zip(work, made, strict=True)
        for name, score in scores.items()
        for line in counted(
            f"{name} {degree}", problem.test_errors(score), problem.n_test,
            variant=variant, predictor=name, degree=degree,
        )
    )  # fmt: skip


def _accuracies(problem: Problem, states: list[Epoch]) -> Iterator[tuple[str, int, float]]:
    """Yield quantity, epoch and value of the ten classifiers' training accuracy."""
    y = np.where(np.arange(10)[:, np.newaxis] == problem.codes[: problem.n_train], 1, -1)
    for epoch, state in enumerate(states, start=1):
        online = 1 - state.mistakes / problem.n_train
        after = np.mean(y * state.scores[:, : problem.n_train] > 0, axis=1)
        yield "online_accuracy", epoch, float(online.mean())
        yield "worst_online_accuracy", epoch, float(online.min())
        yield "worst_accuracy_after", epoch, float(after.min())


@experiment("section 4.2", data="mnist", deterministic=True)
def training_accuracy(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Training accuracy of the ten classifiers by epoch: in the epoch (online), and after it."""
    problem = document_problem(data)
    return tidy(
        _line(variant, f"degree {degree} epoch {epoch}", quantity, value, epoch=epoch)
        for variant, values in ((AS_CODED, problem.wrapped), (CORRECTED, problem.exact))
        for degree in DEGREES
        for quantity, epoch, value in _accuracies(problem, problem.epochs(values(degree)))
    )


@experiment("equations 5 and 6", data="mnist", deterministic=True)
def rules(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors and loss at degree 2 by the printed rules, and by the rules that are meant."""
    problem = document_problem(data)
    scores = problem.epochs(problem.exact(2))[-1].scores
    rows = []
    for variant, sign in ((AS_PRINTED, -1), (CORRECTED, 1)):
        errors = problem.test_errors(sign * scores)
        rows.append(_line(variant, "equation 5", "test_errors", errors))
    loss = problem.test_errors(scores) / problem.n_test
    rows.append(_line(AS_PRINTED, "equation 6", "zero_one_loss", 1 - loss))
    rows.append(_line(CORRECTED, "equation 6", "zero_one_loss", loss))
    return tidy(rows)


@experiment("section 3", data=None, deterministic=True)
def kernel_trick(runs: int, seed: int) -> pd.DataFrame:
    """How the cost of an inner product grows with the features d: the exponent of d.

    The explicit map has a feature for each monomial of degree at most n: C(d + n, n) products.
    The kernel takes d products for the inner product and n - 1 for the power.
    """
    d = np.array(SIDES)
    rows = []
    for degree in DEGREES:
        explicit = [comb(int(side) + degree, degree) for side in d]
        for name, cost in (("explicit map", explicit), ("kernel", d + degree - 1)):
            exponent = np.polyfit(np.log(d), np.log(cost), 1)[0]
            rows.append({"row": f"{name} {degree}", "quantity": "exponent", "value": exponent})
    return tidy(rows)
