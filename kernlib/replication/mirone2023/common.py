r"""How document 2 cuts USPS, its two kernels, and its ten predictors at every number of steps.

Its formula is :math:`\exp(-\|x-z\|^2/(2\gamma))` with :math:`\gamma = 0.25`; its program
computes :math:`\exp(-(\gamma/2)\|x-z\|_1^2)`.  Each of the ten digits has draws of its own, as in
the program.  All :math:`\lambda` share them, and T steps are the first of 7438: the program drew
anew for each, so cells of ours that differ in :math:`\lambda` or T only are compared on the same
draws, and are not independent.
Tests: ``tests/replication/test_mirone2023.py``.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from kernlib.gram import Gram, Pairs
from kernlib.kernels import Gaussian, Kernel, SquaredL1
from kernlib.learners.kernel_pegasos_run import KernelRun, Rule
from kernlib.learners.sampling import VisitingOrder, streams
from kernlib.replication.engine import OURS, seeds

DIGITS, FOLDS = 10, 5
FEW_RUNS = 2  # where the document has no number of its own
GAMMA = 0.25
LAMBDAS = ("1e-10", "1e-5", "1e-3", "1e-1", "1e5")
STEPS = (250, 500, 1000, 3500, 7438)
CODE, FORMULA = SquaredL1(gamma=GAMMA / 2), Gaussian.with_variance(GAMMA)


def pixels(data: Any) -> np.ndarray:
    """Return the grey values as the document has them, 0 to 1."""
    return (np.asarray(data.data) + 1) / 2


def gram_of(kernel: Kernel, pairs: Pairs) -> Gram:
    """Return all values in double precision: the document's are as small as 1e-300."""
    return Gram(kernel, pairs, dtype="float64")


@dataclass(frozen=True)
class Cut:
    """One fold of a shuffle: who trains, who is judged, and where each digit's draws start."""

    run: int
    train: np.ndarray
    test: np.ndarray
    draws: list[np.ndarray]

    def shared(self) -> "Cut":
        """Return the same fold, with the same draws for all digits."""
        return replace(self, draws=[self.draws[0]] * DIGITS)


def cuts(n_points: int, runs: int, seed: int) -> list[Cut]:
    """Shuffle once per run and cut into five folds, each of which is judged once."""
    made = []
    for run, stream in enumerate(seeds(seed, runs)):
        parts = np.array_split(np.random.default_rng(stream).permutation(n_points), FOLDS)
        entropy = int(stream.generate_state(1, np.uint64)[0])
        draws = streams(entropy, FOLDS * DIGITS)
        for fold, test in enumerate(parts):
            train = np.concatenate(parts[fold + 1 :] + parts[:fold])  # the fold goes to the end
            made.append(Cut(run, train, test, draws[fold * DIGITS : (fold + 1) * DIGITS]))
    return made


class State(NamedTuple):
    """The ten predictors after some steps; scores on all points, but for a positive factor."""

    n_steps: int
    scores: np.ndarray  # (digits, lambdas, points)
    coef: np.ndarray  # (digits, lambdas, points)
    violations: np.ndarray  # (digits, lambdas)


def pegasos_states(
    gram: Gram,
    codes: np.ndarray,
    cut: Cut,
    lambdas: Sequence[str] = LAMBDAS,
    steps: Sequence[int] = STEPS,
    output: str = "last",
) -> Iterator[State]:
    """Run the ten predictors; yield their state at each number of steps.

    The score that step t looks at is the sum over lambda t, as in the program.
    ``output="average"`` is the mean of the iterates, as in the text.
    """
    lam = np.array([float(name) for name in lambdas])
    rule = Rule("hinge", lam, np.zeros(len(lam), dtype=np.int64), int(output == "average"))
    runs = []
    for digit in range(DIGITS):
        Y = np.tile(np.where(codes[cut.train] == digit, 1, -1), (len(lam), 1))
        # The order moves the state on: another kernel is to start at the same place.
        order = VisitingOrder(np.arange(len(cut.train)), "replacement", cut.draws[digit].copy())
        runs.append(KernelRun(gram, cut.train, Y, None, order, rule))
    done = 0
    for n_steps in steps:
        for run in runs:
            run.advance(n_steps - done)
        done = n_steps
        coef = np.array([run.coefficients() for run in runs])
        scores = np.array([run.F for run in runs])
        if output == "average":
            matrix: Any = gram.matrix
            scores = (coef.reshape(-1, len(gram)) @ matrix).reshape(scores.shape)
        yield State(n_steps, scores, coef, np.array([run.n_pulls for run in runs]))


# ---------------------------------------------------------------- from ten scores to a digit


def first_positive(scores: np.ndarray) -> np.ndarray:
    """Return the first of the largest signs: the lowest digit that says yes, if one does."""
    return np.argmax(np.sign(scores), axis=0)


def largest(scores: np.ndarray) -> np.ndarray:
    """Return the digit of the largest score."""
    return np.argmax(scores, axis=0)


Labels = Callable[[np.ndarray], np.ndarray]
RULES: dict[str, Labels] = {"first positive": first_positive, "argmax": largest}


def error_rates(
    codes: np.ndarray, cut: Cut, state: State, labels: Labels
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the errors of a fold, by lambda."""
    wrong = labels(state.scores) != codes
    yield "cv_train_error", wrong[:, cut.train].mean(axis=1)
    yield "cv_test_error", wrong[:, cut.test].mean(axis=1)


def answers(cut: Cut, state: State) -> Iterator[tuple[str, np.ndarray]]:
    """Yield how many of the ten say yes to a test point, and how many steps changed them."""
    positive = np.count_nonzero(state.scores[:, :, cut.test] > 0, axis=0)
    yield "no_positive", np.mean(positive == 0, axis=1)
    yield "several_positive", np.mean(positive > 1, axis=1)
    yield "violations", state.violations.mean(axis=0) / state.n_steps


def _measured(
    gram: Gram,
    codes: np.ndarray,
    cut: Cut,
    lambdas: Sequence[str],
    steps: Sequence[int],
    output: str,
) -> list[tuple[Any, ...]]:
    lines = []
    for state in pegasos_states(gram, codes, cut, lambdas, steps, output):
        for rule, labels in RULES.items():
            found = list(error_rates(codes, cut, state, labels))
            found += answers(cut, state) if labels is first_positive else []
            lines += [
                (cut.run, rule, name, state.n_steps, quantity, float(value))
                for quantity, values in found
                for name, value in zip(lambdas, values, strict=True)
            ]
    return lines


def cross_validated(
    gram: Gram,
    codes: np.ndarray,
    folds: Iterable[Cut],
    lambdas: Sequence[str] = LAMBDAS,
    steps: Sequence[int] = STEPS,
    output: str = "last",
) -> pd.DataFrame:
    """Return means over the folds of a run: run, rule, lambda, T, quantity and value."""
    made = Parallel(n_jobs=-1, prefer="threads")(
        delayed(_measured)(gram, codes, cut, lambdas, steps, output) for cut in folds
    )
    columns = ["run", "rule", "lambda", "T", "quantity"]
    table = pd.DataFrame([line for lines in made for line in lines], columns=[*columns, "value"])
    means = table.groupby(columns, sort=False)["value"].mean().reset_index()
    means["row"] = means["lambda"] + " " + means["T"].astype(str)
    return means


def as_variants(table: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """Return the lines of the rules that have a name, under that name."""
    kept = table[table["rule"].isin(names)]
    return kept.assign(variant=kept["rule"].map(names)).drop(columns="rule")


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return tables that have the columns of ours, one after the other."""
    whole = pd.concat(parts, ignore_index=True)
    return whole[OURS + [name for name in whole.columns if name not in OURS]]
