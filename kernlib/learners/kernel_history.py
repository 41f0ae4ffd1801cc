r"""What is made of a kernel perceptron's mistakes: their counts, the mean predictor, the vote.

The k-th predictor of a run is the sum of the first k mistakes' kernel terms, so one pass over the
mistakes gives the scores of all, and :math:`\sum_k c_k \operatorname{sgn} f_k(x) / \sum_k c_k`.
Tests: ``tests/learners/test_kernel_perceptron.py``.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from kernlib._jit import jit
from kernlib.gram import Gram
from kernlib.learners.kernel_base import PREDICTION_BLOCK, Solution


@jit
def _vote_loop(K, mistakes, signs, counts, out):
    """Write the vote of all predictors on each row of kernel values into ``out``."""
    for r in range(len(K)):
        s, vote = 0.0, 0
        for m in range(len(mistakes)):
            s += signs[m] * K[r, mistakes[m]]
            if s > 0.0:
                vote += counts[m]
            elif s < 0.0:
                vote -= counts[m]
        out[r] = vote


class KernelVotes(NamedTuple):
    """The sequence of predictors of a run: f_k = sum of signs[s] K(x_s, .) over s <= k."""

    mistakes: np.ndarray  # where the mistakes' examples are among the support vectors
    signs: np.ndarray  # their labels, +1 or -1
    counts: np.ndarray  # c_k, how many examples f_k survived

    def share(self, K: np.ndarray) -> np.ndarray:
        """Return the vote for each row of kernel values with the support vectors, in [-1, 1]."""
        out = np.empty(len(K))
        _vote_loop(K, *self, out)
        return out / max(1, self.counts.sum())


@dataclass
class VotedSolution(Solution):
    """A solution whose decision values are votes; its coefficients tell the support vectors."""

    votes: list[KernelVotes] = field(default_factory=list)

    def scores_on(self, gram: Gram, points: np.ndarray) -> np.ndarray:
        """Return the votes on some points, shape (n_points, n_problems)."""
        support = self.support()
        out = np.empty((len(points), len(self.votes)))
        for part in gen_batches(len(points), max(1, PREDICTION_BLOCK // max(1, len(support)))):
            K = gram.block(points[part], support)
            out[part] = np.column_stack([votes.share(K) for votes in self.votes])
        return out


class History:
    """The mistakes of all binary problems, in the order they were made.

    Parameters
    ----------
    codes : ndarray of shape (n_points,)
        The classes of the points.
    labels : ndarray of shape (n_classes, n_problems)
        The label of each class in each problem, +1, -1, or 0 for "not in it".
    """

    def __init__(self, codes: np.ndarray, labels: np.ndarray) -> None:
        self._codes, self._labels = codes, labels
        self._epochs: list[np.ndarray] = []
        self.n_problems = labels.shape[1]
        self.seen, self.n_iter = np.zeros((2, self.n_problems), dtype=np.int64)

    def add_epoch(self, log: np.ndarray, running: np.ndarray) -> np.ndarray:
        """Note an epoch of the ``running`` problems; return the mistakes of each problem.

        ``log`` has a row for each mistake: the point, the problem, and how many examples the
        problem had seen, this one included.
        """
        self._epochs.append(log)
        self.n_iter += running
        return np.bincount(log[:, 1], minlength=self.n_problems)

    def per_epoch(self) -> list[np.ndarray]:
        """Return for each problem the mistakes of each epoch that it ran."""
        counts = [np.bincount(log[:, 1], minlength=self.n_problems) for log in self._epochs]
        table = np.transpose(counts)
        return [table[k, : self.n_iter[k]].copy() for k in range(self.n_problems)]

    def _mistakes(self, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return points and labels of problem k's mistakes, and how many examples came after."""
        log = np.concatenate([log[log[:, 1] == k] for log in self._epochs])
        points, times = log[:, 0], log[:, 2]
        return points, self._labels[self._codes[points], k], self.seen[k] - times + 1

    def average(self) -> np.ndarray:
        """Return the mean of the coefficients after every example, (n_problems, n_points)."""
        mean = np.zeros((self.n_problems, len(self._codes)))
        for k in range(self.n_problems):
            points, signs, since = self._mistakes(k)  # each counts from its time on
            sums = np.bincount(points, signs * since, minlength=len(self._codes))
            mean[k] = sums / max(1, self.seen[k])
        return mean

    def votes(self, support: np.ndarray) -> list[KernelVotes]:
        """Return the votes of each problem; ``support`` are the support vectors, increasing."""
        votes = []
        for k in range(self.n_problems):
            points, signs, since = self._mistakes(k)
            survived = since - np.append(since[1:], 0)[: len(since)]
            votes.append(KernelVotes(np.searchsorted(support, points), signs, survived))
        return votes
