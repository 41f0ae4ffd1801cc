"""Visiting orders: which example a stochastic learner looks at, and when.

A loop never draws a random number; it receives the order as data, so the same order can
drive the plain-Python twin, another library, or a figure.
Chapter: ``book/pegasos.md``.  Tests: ``tests/learners/test_sampling.py``.
"""

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

SAMPLINGS = ("replacement", "permutation", "reshuffle", "cyclic")


def streams(random_state: Any, n_streams: int) -> list[np.random.Generator]:
    """Return ``n_streams`` independent generators that ``random_state`` decides."""
    entropy: Any = random_state
    if not isinstance(random_state, numbers.Integral):
        entropy = check_random_state(random_state).randint(2**31 - 1, size=4).tolist()
    seeds = [np.random.SeedSequence(entropy, spawn_key=(k,)) for k in range(n_streams)]
    return [np.random.Generator(np.random.SFC64(seed)) for seed in seeds]


def as_visits(rows: np.ndarray) -> np.ndarray:
    """Return increasing row numbers as what compiled code indexes with fastest."""
    return rows.astype(np.uint32 if len(rows) == 0 or rows[-1] < 2**32 else np.intp)


class VisitingOrder:
    """An endless order over ``rows``, handed out piece by piece.

    The pieces do not matter: ``take(3)`` then ``take(5)`` is ``take(8)``.

    Parameters
    ----------
    rows : ndarray of int
        The rows to visit, increasing.
    sampling : {"replacement", "permutation", "reshuffle", "cyclic"}
        Independent draws; one permutation kept for all epochs; a new one each epoch;
        the given order.
    rng : numpy.random.Generator
        Where the randomness comes from.
    weights : ndarray or None
        With ``"replacement"``, row i is drawn with probability proportional to
        ``weights[i]``, by looking a uniform number up in the cumulative weights.  Integer
        weights therefore draw what their duplicated rows would, number for number.
    """

    def __init__(
        self,
        rows: np.ndarray,
        sampling: str,
        rng: np.random.Generator,
        weights: np.ndarray | None = None,
    ) -> None:
        self._n = len(rows)
        visits = as_visits(rows)
        self._dtype = visits.dtype
        self._rows = None if rows[-1] == len(rows) - 1 else visits  # else 0, 1, 2, ...: no look-up
        self._sampling = sampling
        self._rng = rng
        self._cumulative = None if weights is None else np.cumsum(weights, dtype=np.float64)
        self._epoch = np.empty(0, dtype=self._dtype)
        self._position = 0

    def take(self, n_visits: int) -> np.ndarray:
        """Return the next ``n_visits`` row numbers."""
        picks = self._draw(n_visits) if self._sampling == "replacement" else self._walk(n_visits)
        return picks if self._rows is None else self._rows[picks]

    def _draw(self, n_visits: int) -> np.ndarray:
        uniform = self._rng.random(n_visits)
        if self._cumulative is None:
            uniform *= self._n
            return uniform.astype(self._dtype)
        uniform *= self._cumulative[-1]
        # uniform * total may round up to the total itself: the last row of positive weight.
        last = np.searchsorted(self._cumulative, self._cumulative[-1], side="left")
        picks = np.searchsorted(self._cumulative, uniform, side="right")
        return np.minimum(picks, last).astype(self._dtype)

    def _walk(self, n_visits: int) -> np.ndarray:
        pieces: list[np.ndarray] = []
        while n_visits > 0 or not pieces:
            if self._position == len(self._epoch):
                self._epoch, self._position = self._next_epoch(), 0
            piece = self._epoch[self._position : self._position + n_visits]
            pieces.append(piece)
            self._position += len(piece)
            n_visits -= len(piece)
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def _next_epoch(self) -> np.ndarray:
        if self._sampling == "reshuffle" or len(self._epoch) == 0:
            order = np.arange(self._n, dtype=self._dtype)
            return order if self._sampling == "cyclic" else self._rng.permutation(order)
        return self._epoch
