r"""An epoch of a kernel perceptron without a Gram matrix, in halves of halves of its visits.

Run the first half; add the kernel terms of its mistakes to the scores of the second half; run
the second half.  Each half is done the same way, down to a few visits that have a small Gram
matrix of their own.  So a kernel value is computed for pairs of a mistake and a visit, in products
of large matrices, and for no other pair; a part without a mistake costs nothing.
Tests: ``tests/learners/test_kernel_perceptron.py``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlib.gram import Gram

LEAF = 128  # visits that run on a Gram matrix of their own
BLOCK = 2**21  # kernel values at a time


@dataclass
class BlockedEpoch:
    """One epoch; its arrays are in the order of the visits.

    Parameters
    ----------
    loop : callable
        Runs some visits on a Gram matrix: ``kernel_perceptron_loop``.
    gram : Gram
        Computes blocks of kernel values.
    visits : ndarray of shape (n_visits,)
        The points to visit, each once.
    codes : ndarray of shape (n_visits,)
        Their classes.
    labels, seen
        As the loop takes them.
    f : ndarray of shape (n_problems, n_visits)
        The running scores, updated.
    full : bool
        Update the scores of earlier visits too, which the next epoch needs.
    """

    loop: Callable[..., Any]
    gram: Gram
    visits: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    f: np.ndarray
    seen: np.ndarray
    full: bool

    def run(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the changes of the coefficients, (n_problems, n_visits), and the loop's log."""
        self.change = np.zeros_like(self.f)
        self._logs = [np.empty((0, 3), dtype=np.int64)]
        self._run(0, len(self.visits))
        return self.change, np.concatenate(self._logs)

    def _run(self, start: int, stop: int) -> None:
        if stop - start <= LEAF:
            self._run_leaf(slice(start, stop))
            return
        middle = (start + stop) // 2
        first, second = slice(start, middle), slice(middle, stop)
        self._run(start, middle)
        self._add_mistakes(first, second)
        self._run(middle, stop)
        if self.full:
            self._add_mistakes(second, first)

    def _run_leaf(self, part: slice) -> None:
        G = self.gram.block(self.visits[part], self.visits[part])
        # Copies are contiguous, so that the loop is compiled once for both ways to run it.
        f, change = self.f[:, part].copy(), self.change[:, part].copy()
        log = np.empty((f.size, 3), dtype=np.int64)
        here = np.arange(len(G), dtype=self.visits.dtype)
        n = self.loop(G, self.codes[part], self.labels, here, f, change, self.seen, log)
        self.f[:, part], self.change[:, part] = f, change
        log[:n, 0] = self.visits[part][log[:n, 0]]
        self._logs.append(log[:n])

    def _add_mistakes(self, source: slice, target: slice) -> None:
        """Add the kernel terms of the mistakes in ``source`` to the scores in ``target``."""
        mistakes = np.flatnonzero(np.any(self.change[:, source] != 0, axis=0)) + source.start
        if len(mistakes) == 0:
            return
        a, points = self.change[:, mistakes], self.visits[mistakes]
        size = max(1, BLOCK // len(mistakes))
        for start in range(target.start, target.stop, size):
            part = slice(start, min(start + size, target.stop))
            values = self.gram.block(self.visits[part], points)
            with np.errstate(over="ignore", invalid="ignore"):  # the learner refuses infinite sums
                self.f[:, part] += a @ values.T  # in float64, as ``a`` is
