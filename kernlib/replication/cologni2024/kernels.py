"""Document 1, section 5: the kernel perceptron's 8 rows and kernel Pegasos' 48.

The text's "Gaussian" is exp(-||x - x'||^2 / (2 gamma)); its code computes exp(-||x - x'|| / gamma).
All in float64, as the document.  Tests: ``tests/replication/test_cologni2024.py``.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from kernlib.gram import Gram, Pairs
from kernlib.kernels import Exponential, Gaussian, Kernel, Polynomial
from kernlib.learners.base import chosen, combined
from kernlib.learners.kernel_base import Reporter
from kernlib.learners.kernel_pegasos import KernelPegasos
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.replication.cologni2024.common import (
    N_FIT,
    N_TEST,
    N_TRAIN,
    N_VAL,
    RUNS,
    STEPS,
    Parts,
    fit_and_validate,
    train_and_test,
)
from kernlib.replication.engine import experiment, seeds, tidy
from kernlib.replication.published import numbers, table
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

EPOCHS = 10
DECIMALS = 15  # further ones are those of a float, not of the rate
Errors = tuple[float, float]  # of the rows to fit on, and of the others


def text_kernel(kernel: str, degree: str, gamma: str) -> Kernel:
    """Return the kernel of the document's formula."""
    if kernel == "polynomial":
        return Polynomial(degree=int(degree))
    return Gaussian.with_variance(float(gamma))


def code_kernel(kernel: str, degree: str, gamma: str) -> Kernel:
    """Return the kernel of the document's program."""
    if kernel == "polynomial":
        return Polynomial(degree=int(degree))
    return Exponential.with_length(float(gamma))


class Problem(NamedTuple):
    """Rows to fit on, followed by rows to judge by, as the points of Gram matrices."""

    pairs: Pairs
    codes: np.ndarray
    n_fit: int

    @classmethod
    def of(cls, parts: Parts) -> "Problem":
        """Put the two parts one after the other."""
        X = np.concatenate([parts.X, parts.X_out])
        y = np.concatenate([parts.y, parts.y_out])
        # With eleven features X X' is not worth keeping: it is as large as the Gram matrix.
        return cls(Pairs(X), np.searchsorted(np.unique(y), y), len(parts.y))

    def gram(self, kernel: Kernel) -> Gram:
        """Return the kernel's values on all pairs."""
        return Gram(kernel, self.pairs, dtype="float64")

    def errors(self, scores: np.ndarray) -> Errors:
        """Return the error on the fitted rows and on the others."""
        wrong = chosen(combined(scores, 2, "ovr")) != self.codes
        return float(wrong[: self.n_fit].mean()), float(wrong[self.n_fit :].mean())


def perceptron_errors(problem: Problem, kernel: Kernel, **options: Any) -> Errors:
    """Run the document's kernel perceptron."""
    gram = problem.gram(kernel)
    learner = KernelPerceptron(kernel=kernel, max_iter=EPOCHS, **options)
    solution = learner._solve(gram, problem.codes, np.arange(problem.n_fit), Reporter())
    return problem.errors(solution.scores_on(gram, np.arange(len(gram))))


def pegasos_errors(
    problem: Problem, kernel: Kernel, lams: Iterable[float], runs: int, seed: int, **options: Any
) -> Iterator[tuple[int, float, Errors]]:
    """Run kernel Pegasos for each lambda and run; yield run, lambda and errors.

    The lambdas of a run see the same draws, and so share each row of the Gram matrix.
    """
    gram, rows = problem.gram(kernel), np.arange(problem.n_fit)
    given = {"n_steps": STEPS, "offset": 0} | options
    lams = list(lams)

    def one(stream: Any) -> list[Errors]:
        state = int(stream.generate_state(1)[0])
        learners = [KernelPegasos(kernel=kernel, lam=v, random_state=state, **given) for v in lams]
        solutions = learners[0]._solve_many(learners, gram, problem.codes, rows)
        points = np.arange(len(gram))
        return [problem.errors(solution.scores_on(gram, points)) for solution in solutions]

    tasks = (delayed(one)(stream) for stream in seeds(seed, runs))
    for run, found in enumerate(Parallel(n_jobs=-1, prefer="threads")(tasks)):
        for lam, errors in zip(lams, found, strict=True):
            yield run, lam, errors


def _lines(row: str, run: int, errors: Errors) -> Iterator[dict[str, Any]]:
    yield {"row": row, "quantity": "training_error", "run": run, "value": errors[0]}
    yield {"row": row, "quantity": "validation_error", "run": run, "value": errors[1]}


def certain(printed: str) -> str:
    """Return a printed rate without the decimals that are none of its own."""
    return printed[: len("0.") + DECIMALS]


def _published(name: str, row: list[str]) -> Callable[[], pd.DataFrame]:
    def both() -> pd.DataFrame:
        frame = table(name)
        frame["printed_train"] = frame["printed_train"].map(certain)
        outer = numbers(frame, row, "validation_error", "printed_val", n_examples=N_VAL)
        inner = numbers(frame, row, "training_error", "printed_train", n_examples=N_FIT)
        return pd.concat([outer, inner], ignore_index=True)

    return both


KERNEL = ["kernel", "degree", "gamma"]


@experiment(
    "table sec 5.2 ('table 8')",
    data="milan",
    deterministic=True,
    published=_published("cologni2024_kernel_perceptron", KERNEL),
)
def kernel_perceptron(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Kernel perceptron: 4 degrees and 4 widths; corrected: the text's kernel, no leak."""
    cells = list(
        dict.fromkeys(map(tuple, table("cologni2024_kernel_perceptron")[KERNEL].to_numpy()))
    )

    gaussian = [cell for cell in cells if cell[0] != "polynomial"]

    def rows(
        problem: Problem, kernel_of: Callable[..., Kernel], which: list[Any]
    ) -> Iterator[dict[str, Any]]:
        for cell in which:
            row = " ".join(c for c in cell if c)
            yield from _lines(row, 0, perceptron_errors(problem, kernel_of(*cell)))

    leaky = Problem.of(fit_and_validate(data))
    clean = Problem.of(fit_and_validate(data, leak=False))
    return pd.concat(
        [
            tidy(rows(leaky, text_kernel, cells), AS_PRINTED),
            tidy(rows(leaky, code_kernel, gaussian), AS_CODED),
            tidy(rows(clean, text_kernel, cells), CORRECTED),
        ]
    )


@experiment(
    "table sec 5.3 ('table 13')",
    data="milan",
    runs=RUNS,
    published=_published("cologni2024_kernel_pegasos", ["lambda", *KERNEL]),
)
def kernel_pegasos(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Kernel Pegasos: 6 lambdas, 4 degrees and 4 widths; 100 000 steps each."""
    frame = table("cologni2024_kernel_pegasos")
    cells = list(dict.fromkeys(map(tuple, frame[KERNEL].to_numpy())))
    lams = {float(text): text for text in frame["lambda"]}
    problem = Problem.of(fit_and_validate(data))

    def rows(kernel_of: Callable[..., Kernel], which: list[Any]) -> Iterator[dict[str, Any]]:
        for cell in which:
            for run, lam, errors in pegasos_errors(problem, kernel_of(*cell), lams, runs, seed):
                yield from _lines(" ".join([lams[lam], *(c for c in cell if c)]), run, errors)

    gaussian = [cell for cell in cells if cell[0] != "polynomial"]
    return pd.concat([tidy(rows(text_kernel, cells)), tidy(rows(code_kernel, gaussian), AS_CODED)])


def _final_published() -> pd.DataFrame:
    frame = table("cologni2024_final_errors")
    frame = frame[frame["algorithm"] == "Kernel Pegasos"]
    test = numbers(frame, ["algorithm"], "test_error", "printed_test", n_examples=N_TEST)
    train = numbers(frame, ["algorithm"], "training_error", "printed_train", n_examples=N_TRAIN)
    return pd.concat([test, train], ignore_index=True)


@experiment("table sec 5.3 ('table 13')", data="milan", runs=RUNS, published=_final_published)
def kernel_pegasos_final(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Kernel Pegasos at its chosen kernel and lambda, on all training rows, tested once."""
    problem = Problem.of(train_and_test(data))
    found = pegasos_errors(problem, Polynomial(degree=3), [0.1], runs, seed)
    return tidy(
        {"row": "Kernel Pegasos", "quantity": quantity, "run": run, "value": value}
        for run, _, errors in found
        for quantity, value in zip(("training_error", "test_error"), errors, strict=True)
    )
