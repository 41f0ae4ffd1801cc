"""What the experiments of document 5 share: its splits, one Gram matrix a kernel, sweeps, votes.

The digits are cut at random, 80 % to train on and 20 % to test on; the training rows are visited in
the order drawn, in every epoch.  A parameter is chosen by 5 folds of the training rows.  One
Gram matrix over all digits serves every run and fold of a kernel.
Tests: ``tests/replication/test_dellaporta2020.py``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.model_selection import KFold

from kernlib._jit import add_row, jit
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Gaussian, Kernel, Polynomial
from kernlib.learners.base import label_codes
from kernlib.learners.kernel_base import Reporter, Solution
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.replication.engine import seeds, tidy
from kernlib.replication.published import numbers, table

RUNS = 20
RUNS_NOT_STATED = 5
FOLDS = 5
TEST_SHARE = 0.2
DEGREES = range(1, 8)
WIDTHS = np.linspace(0.001, 0.08, 7)
EPOCHS, OVO_EPOCHS, PILOT_EPOCHS, PILOT_RUNS = 5, 3, 30, 5

Rows = list[dict[str, Any]]


def polynomials() -> dict[str, Kernel]:
    """Return the kernels (p.q)^d by the name of their line."""
    return {str(d): Polynomial(degree=d, coef0=0) for d in DEGREES}


def gaussians() -> dict[str, Kernel]:
    """Return the kernels exp(-c |p - q|^2) by the name of their line."""
    return {f"{c:.6f}": Gaussian(gamma=float(c)) for c in WIDTHS}


# ---------------------------------------------------------------- digits and splits


@dataclass(frozen=True)
class Digits:
    """All digits, their classes as codes, and their inner products."""

    codes: np.ndarray
    pairs: Pairs

    @classmethod
    def of(cls, data: Any, rows: Any = slice(None), *, keep: bool = True) -> "Digits":
        """Take the digits of a data set, or some of them; ``keep`` their inner products."""
        X = np.asarray(data.data)[rows]
        _, codes = label_codes(np.asarray(data.target)[rows])
        return cls(codes, Pairs(X, keep=keep))

    def gram(self, kernel: Kernel, dtype: str = "auto") -> Gram:
        """Return the kernel's values on all pairs."""
        return Gram(kernel, self.pairs, dtype=dtype)


@dataclass(frozen=True)
class Cut:
    """The rows of a run: to train on, in the order of the visits, and to test on."""

    run: int
    train: np.ndarray
    test: np.ndarray

    def folds(self, n_folds: int = FOLDS) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows to train on and to judge by, of each fold of the training rows."""
        for train, held in KFold(n_folds).split(self.train):
            yield self.train[train], self.train[held]


def cuts(n_rows: int, seed: int, runs: int) -> list[Cut]:
    """Return the random splits of the runs, independent of each other."""
    n_train = n_rows - int(np.ceil(TEST_SHARE * n_rows))
    orders = [np.random.default_rng(stream).permutation(n_rows) for stream in seeds(seed, runs)]
    return [Cut(run, rows[:n_train], rows[n_train:]) for run, rows in enumerate(orders)]


def in_threads(work: Callable[..., Any], items: Iterable[Any]) -> list[Any]:
    """Return ``work`` of each item, in order; the compiled loops run side by side."""
    return list(Parallel(n_jobs=-1, prefer="threads")(delayed(work)(item) for item in items))


# ---------------------------------------------------------------- a fit and its labels

# Fits on rows of a Gram matrix; returns the labels of some points, by the name of a variant.
Trainer = Callable[[Gram, np.ndarray, np.ndarray, np.ndarray], Mapping[str, np.ndarray]]


@jit
def _majority(scores, pairs, n_classes):
    """Return the class with the most votes, the first of equals; +1 is for the second of a pair."""
    n_points = scores.shape[1]
    votes = np.zeros((n_points, n_classes), dtype=np.int64)
    for k in range(len(scores)):
        for j in range(n_points):
            votes[j, pairs[k, 1] if scores[k, j] > 0.0 else pairs[k, 0]] += 1
    labels = np.zeros(n_points, dtype=np.int64)
    for j in range(n_points):
        labels[j] = np.argmax(votes[j])
    return labels


def majority(scores: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the labels that pairs of classes vote for; ``scores`` is (n_pairs, n_points)."""
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    return np.asarray(_majority(scores, np.array(pairs), n_classes))


@jit
def _online_mistakes(G, codes, rows, f):
    """Go once through ``rows`` with one perceptron a class; count the wrong labels on the way."""
    wrong = 0
    for t in rows:
        best = 0
        for k in range(len(f)):
            if f[k, t] > f[best, t]:
                best = k
        wrong += best != codes[t]
        for k in range(len(f)):
            y = 1.0 if codes[t] == k else -1.0
            if y * f[k, t] <= 0.0:
                add_row(G, t, y, f[k])
    return wrong


class EachEpoch(Reporter):
    """Hands the scores at the end of each epoch of a fit to a function."""

    def __init__(self, seen: Callable[[np.ndarray], None]) -> None:
        super().__init__()
        self.seen = seen

    def end(self, solution: Callable[[], Solution]) -> bool:
        """Show the scores on all points, which the next epoch changes."""
        scores = solution().scores
        assert scores is not None  # there is a matrix
        self.seen(scores)
        return False


def with_online_error(
    gram: Gram, codes: np.ndarray, rows: np.ndarray, epochs: int = EPOCHS
) -> tuple[np.ndarray, float]:
    """Fit one class against the rest; return the scores, and the online error of the last epoch.

    The document counts the wrong labels that it gives just before each update.
    """
    before: list[np.ndarray] = []

    def keep(scores: np.ndarray) -> None:
        if len(before) < epochs - 1:
            before.append(scores.copy() if len(before) == epochs - 2 else scores)

    learner = KernelPerceptron(max_iter=epochs)
    solution = learner._solve(gram, codes, rows, EachEpoch(keep))
    assert solution.scores is not None
    if len(before) < epochs - 1:  # an epoch without a mistake ended it
        return solution.scores, 0.0
    return solution.scores, _online_mistakes(gram.matrix, codes, rows, before[-1]) / len(rows)


# ---------------------------------------------------------------- sweeps over a parameter


def errors(labels: np.ndarray, codes: np.ndarray, rows: np.ndarray) -> float:
    """Return the share of wrong labels."""
    return float(np.mean(labels != codes[rows]))


def line(row: str, quantity: str, value: Any, **more: Any) -> dict[str, Any]:
    """Return a line of a table."""
    return {"row": row, "quantity": quantity, "value": float(value), **more}


def validated(
    gram: Gram, codes: np.ndarray, cut: Cut, train: Trainer, row: str, n_folds: int = FOLDS
) -> Rows:
    """Return the mean error over the folds of a run's training rows, for each variant."""
    found: dict[str, list[float]] = {}
    for rows, held in cut.folds(n_folds):
        for variant, labels in train(gram, codes, rows, held).items():
            found.setdefault(variant, []).append(errors(labels, codes, held))
    return [
        line(row, "validation_error", float(np.mean(values)), variant=variant, run=cut.run)
        for variant, values in found.items()
    ]


def swept(
    digits: Digits,
    kernels: Mapping[str, Kernel],
    splits: Sequence[Cut],
    work: Callable[[Gram, Cut, str], Rows],
    dtype: str = "auto",
) -> Rows:
    """Do ``work(gram, split, row)`` for every kernel and run; one matrix is there at a time."""
    rows: Rows = []
    for row, kernel in kernels.items():
        gram = digits.gram(kernel, dtype)
        done = in_threads(lambda cut, g=gram, r=row: work(g, cut, r), splits)
        rows += [found for part in done for found in part]
        del gram
    return rows


def chosen_rows(ours: pd.DataFrame, parameter: str, n_printed: int = RUNS) -> pd.DataFrame:
    """Return what each run chooses by its validation error, and the test error it then has.

    The first of equals is chosen.  Row "mean" is for the mean over runs.  A printed run "run k" is
    one draw of the same lottery as each of ours, so each is compared with all of ours.
    """
    rows: Rows = []
    judged = ours[ours["quantity"] == "validation_error"]
    tested = ours[ours["quantity"] == "test_error"]
    tests: Any = tested.set_index(["variant", "run", "row"])["value"]
    groups: Any = judged.groupby(["variant", "run"], sort=False)
    for (variant, run), part in groups:
        best = str(part["row"].iloc[int(part["value"].to_numpy().argmin())])
        error = float(tests[variant, run, best])
        for row in ["mean", *(f"run {k}" for k in range(1, n_printed + 1))]:
            more = {"variant": variant, "run": int(run)}
            rows += [line(row, parameter, float(best), **more)]
            rows += [line(row, "test_error", error, **more)]
    return tidy(rows)


# ---------------------------------------------------------------- what is printed


def with_std(
    frame: pd.DataFrame, row: Sequence[str], quantity: str, column: str, **about: Any
) -> pd.DataFrame:
    r"""Return a column of cells like ``7.96\% \pm 0.27\%`` as numbers to be judged."""
    plain = frame[column].str.replace(r"[$\\ ]", "", regex=True)
    parts = plain.str.partition("pm")
    frame = frame.assign(mean=parts[0], std=parts[2])
    return numbers(frame, row, quantity, "mean", std="std", **about)


def printed_runs(name: str, parameter: str, n_examples: int) -> pd.DataFrame:
    """Return the choice and the test error of each printed run as numbers to be judged."""
    frame = table(name)
    frame["line"] = "run " + frame["run"]
    return pd.concat(
        [
            numbers(frame, ["line"], parameter, "printed_param"),
            numbers(frame, ["line"], "test_error", "printed_test", n_examples=n_examples),
        ],
        ignore_index=True,
    )


def printed_summary(item: str, parameter: str) -> pd.DataFrame:
    """Return the printed mean choice and mean test error of cross validation."""
    frame = table("dellaporta2020_cv_summary")
    frame = frame[frame["source_item"] == item].assign(line="mean")
    return pd.concat(
        [
            with_std(frame, ["line"], parameter, "printed_param", runs=RUNS),
            with_std(frame, ["line"], "test_error", "printed_test", runs=RUNS),
        ],
        ignore_index=True,
    )
