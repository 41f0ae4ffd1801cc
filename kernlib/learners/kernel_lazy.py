r"""Epochs of a kernel perceptron with the Gram rows of its support vectors alone.

Only a mistake's row of the Gram matrix is ever read, and mistakes are made on a few of the
examples.  So the visits are cut into blocks that keep their own small Gram matrix, and a block
learns of the mistakes made elsewhere when its turn comes: the kernel values of support vectors new
to it are one product of matrices, which it keeps, and the mistakes since its last turn are added to
its scores in the order they were made, as the loop on a whole matrix would add them.
Tests: ``tests/learners/test_kernel_perceptron.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from kernlib._jit import add_row, jit
from kernlib._memory import aligned_empty
from kernlib.gram import Gram

LENGTH = 256  # visits of a block
FEWEST = 2048  # visits for which blocks pay


@jit
def _add_mistakes(K, places, problems, signs, f):
    """Add each mistake's row of kernel values to the scores of its problem, in their order."""
    for m in range(len(places)):
        add_row(K, places[m], signs[m], f[problems[m]])


class _Block:
    """Some visits: their Gram matrix, their scores, and the values of others that they know."""

    def __init__(self, gram: Gram, points: np.ndarray, codes: np.ndarray, shape: tuple) -> None:
        self.gram, self.points, self.codes = gram, points, codes
        consecutive = np.all(np.diff(points) == 1)  # then no copy of their rows is needed
        self._columns = slice(points[0], points[-1] + 1) if consecutive else points
        self.G = gram.block(self._columns, self._columns)
        self.f = np.zeros((shape[0], len(points)))
        # As large as it can get, but only what is written takes memory.
        self.values = aligned_empty((shape[1], len(points)), gram.dtype)
        self.n_values = self.n_added = 0

    def catch_up(self, support: np.ndarray, mistakes: np.ndarray) -> None:
        """Add the mistakes made elsewhere since the last turn; rows: place, problem, sign."""
        new = slice(self.n_values, len(support))
        if new.stop > new.start:
            self.values[new] = self.gram.block(support[new], self._columns)
            self.n_values = new.stop
        _add_mistakes(self.values, *mistakes[self.n_added :].T, self.f)
        self.n_added = len(mistakes)


class LazyEpochs:
    """All epochs along the same visits.

    Parameters
    ----------
    loop : callable
        Runs some visits on a Gram matrix: ``kernel_perceptron_loop``.
    gram : Gram
        Computes blocks of kernel values.
    visits : ndarray of shape (n_visits,)
        The points to visit, each once.
    codes : ndarray of shape (n_points,)
        The classes of all points.
    labels : ndarray of shape (n_classes, n_problems)
        The label of each class in each problem.
    """

    def __init__(
        self,
        loop: Callable[..., Any],
        gram: Gram,
        visits: np.ndarray,
        codes: np.ndarray,
        labels: np.ndarray,
    ) -> None:
        self._loop, self._codes, self._labels = loop, codes, labels
        shape = labels.shape[1], len(visits)
        parts = [visits[start : start + LENGTH] for start in range(0, len(visits), LENGTH)]
        self._blocks = [_Block(gram, part, codes[part], shape) for part in parts]
        self._visits = visits
        self._place = np.full(len(gram), -1)  # of a point among the support vectors
        self._support = np.empty(len(visits), dtype=visits.dtype)
        self._n_support = 0
        self._mistakes = np.empty((0, 3), dtype=np.int64)

    def run(self, active: np.ndarray, seen: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Run an epoch of the ``active`` labels, updating ``a``; return the loop's log."""
        logs = []
        for block in self._blocks:
            block.catch_up(self._support[: self._n_support], self._mistakes)
            change = np.zeros_like(block.f)
            log = np.empty((change.size, 3), dtype=np.int64)
            here = np.arange(len(block.points), dtype=self._visits.dtype)
            n = self._loop(block.G, block.codes, active, here, block.f, change, seen, log)
            a[:, block.points] += change
            log = log[:n].copy()
            log[:, 0] = block.points[log[:, 0]]
            self._note(log)
            block.n_added = len(self._mistakes)  # its own are in its scores already
            logs.append(log)
        return np.concatenate(logs)

    def _note(self, log: np.ndarray) -> None:
        """Give new support vectors a place, and remember the mistakes."""
        points = log[:, 0]
        new = np.unique(points[self._place[points] < 0])
        self._place[new] = self._n_support + np.arange(len(new))
        self._support[self._n_support : self._n_support + len(new)] = new
        self._n_support += len(new)
        signs = self._labels[self._codes[points], log[:, 1]]
        mistakes = np.column_stack([self._place[points], log[:, 1], signs])
        self._mistakes = np.concatenate([self._mistakes, mistakes])

    def catch_up(self) -> None:
        """Add all mistakes so far to the scores of all visits."""
        for block in self._blocks:
            block.catch_up(self._support[: self._n_support], self._mistakes)

    def scores(self) -> np.ndarray:
        """Return the scores at the visits, (n_problems, n_visits), each as it was last needed."""
        return np.concatenate([block.f for block in self._blocks], axis=1)
