r"""How document 4 cuts MNIST, its kernel in three arithmetics, and its perceptron epoch by epoch.

Its kernel is :math:`(1 + \langle x, z\rangle)^n` on grey values 0 to 255.  Its program raised
int64 to the power, which wraps around from degree 3 on, and stored the result as float64.
Tests: ``tests/replication/test_romano2021.py``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from kernlib.gram import Gram, Pairs
from kernlib.kernels import Block, Gaussian, Polynomial, Precomputed
from kernlib.learners.kernel_base import Reporter, Solution
from kernlib.learners.kernel_perceptron import KernelPerceptron

SEED = 123  # the document's, for both samples and for the order
SHARE, TRAIN_SHARE = 0.2, 0.7
GREY = 255
DEGREES = (2, 3, 4, 5, 6)
EPOCHS = 10
# The program's sweep over degrees took its default for one predictor, 10 for the other.
SWEEP_EPOCHS = {"average": 11, "min_training_error": 10}
# What the text calls them, and what they are here.
PREDICTORS = {"average": "average", "min_training_error": "best"}


class Epoch(NamedTuple):
    """The state after an epoch: its mistakes, and the scores of the predictor on all points."""

    scores: np.ndarray  # (n_problems, n_points)
    coef: np.ndarray  # (n_problems, n_points)
    mistakes: np.ndarray  # (n_problems,), in this epoch


@dataclass(frozen=True)
class Problem:
    """Rows to fit on in the order of their visits, followed by rows to judge by."""

    X: np.ndarray  # grey values as they are, uint8
    codes: np.ndarray
    n_train: int
    products: np.ndarray  # int64, exact

    @classmethod
    def of(cls, data: Any, train: np.ndarray, test: np.ndarray) -> "Problem":
        """Put these rows of the data one after the other."""
        rows = np.concatenate([train, test])
        X = np.asarray(data.data)[rows]
        return cls(X, np.asarray(data.target)[rows], len(train), _products(X))

    def wrapped(self, degree: int) -> np.ndarray:
        """Return the program's kernel values: a power of int64, then float64."""
        return wrapped_power(self.products, degree)

    def exact(self, degree: int) -> np.ndarray:
        """Return the same kernel without overflow."""
        return self._values(Polynomial(degree=degree), self.products.astype(np.float64))

    def scaled(self, degree: int) -> np.ndarray:
        """Return the kernel on grey values between 0 and 1."""
        return self._values(Polynomial(degree=degree), self.products / GREY**2)

    def gaussian(self, gamma: float) -> np.ndarray:
        """Return the Gaussian kernel on grey values between 0 and 1."""
        products = self.products / GREY**2
        norms = np.diagonal(products).copy()
        return Gaussian(gamma=gamma).of(Block(self.X, self.X, (norms, norms), products))

    def _values(self, kernel: Polynomial, products: np.ndarray) -> np.ndarray:
        return kernel.of(Block(self.X, self.X, products=products))

    def epochs(
        self, values: np.ndarray, n_epochs: int = EPOCHS, predictor: str = "last"
    ) -> list[Epoch]:
        """Run the perceptron with these kernel values; return the state after each epoch."""
        return epochs(values, self.codes, np.arange(self.n_train), n_epochs, predictor)

    def test_errors(self, scores: np.ndarray) -> int:
        """Return the number of wrong labels on the rows to judge by."""
        found = scores[:, self.n_train :].argmax(axis=0)
        return int(np.count_nonzero(found != self.codes[self.n_train :]))

    @property
    def n_test(self) -> int:
        """The number of rows to judge by."""
        return len(self.codes) - self.n_train


def _products(X: np.ndarray) -> np.ndarray:
    # Whole numbers below 2^53: float64 computes them exactly, and fast.
    rows = X.astype(np.float64)
    return (rows @ rows.T).astype(np.int64)


def wrapped_power(products: np.ndarray, degree: int) -> np.ndarray:
    """Return (1 + products) ** degree modulo 2^64 as signed numbers, stored as float64."""
    return ((1 + products) ** degree).astype(np.float64)


class _EachEpoch(Reporter):
    """Keeps the state of a fit after each of its epochs."""

    def __init__(self, gram: Gram) -> None:
        super().__init__()
        self.gram: Any = gram  # has a matrix
        self.states: list[Epoch] = []

    def end(self, solution: Callable[[], Solution]) -> bool:
        """Copy the state; without the copy all would be the last, as in the document."""
        now = solution()
        support = now.support()
        scores = now.scores
        if scores is None:
            scores = now.coef[:, support] @ self.gram.matrix[support]
        counts = now.fitted["mistakes_per_epoch_"]
        epoch = len(self.states)
        mistakes = [int(c[epoch]) if epoch < len(c) else 0 for c in counts]
        self.states.append(Epoch(scores.copy(), now.coef.copy(), np.array(mistakes)))
        return False


def epochs(
    values: np.ndarray, codes: np.ndarray, rows: np.ndarray, n_epochs: int, predictor: str
) -> list[Epoch]:
    """Visit ``rows`` in their order, one class against the rest; return each epoch's state.

    ``values`` are the kernel's on all pairs.  After a clean epoch nothing changes.
    """
    gram = Gram(Precomputed(), Pairs(values))
    learner = KernelPerceptron(kernel="precomputed", max_iter=n_epochs, predictor=predictor)
    each = _EachEpoch(gram)
    learner._solve(gram, codes, rows, each)
    last = each.states[-1]
    clean = last._replace(mistakes=np.zeros_like(last.mistakes))
    return each.states + [clean] * (n_epochs - len(each.states))


def document_rows(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the training rows in the order of their visits, and the test rows."""
    used = pd.Series(np.arange(n_rows)).sample(frac=SHARE, random_state=SEED)
    train = used.sample(frac=TRAIN_SHARE, random_state=SEED)
    order = np.random.RandomState(SEED).permutation(len(train))
    return train.to_numpy()[order], used.drop(train.index).to_numpy()


def document_problem(data: Any) -> Problem:
    """Return the document's 1400 training and 600 test digits."""
    return Problem.of(data, *document_rows(len(data.target)))


def random_problem(data: Any, stream: np.random.SeedSequence, share: float = SHARE) -> Problem:
    """Return as many digits, drawn, cut and ordered by another seed."""
    rows = np.random.default_rng(stream).permutation(len(data.target))
    rows = rows[: round(share * len(rows))]
    cut = round(TRAIN_SHARE * len(rows))
    return Problem.of(data, rows[:cut], rows[cut:])


def counted(row: str, errors: int, n_test: int, **more: Any) -> Iterator[dict[str, Any]]:
    """Yield a count of errors in the three ways in which the document prints it."""
    yield {"row": row, "quantity": "test_errors", "value": float(errors), **more}
    yield {"row": row, "quantity": "zero_one_loss", "value": errors / n_test, **more}
    yield {"row": row, "quantity": "accuracy", "value": 1 - errors / n_test, **more}
