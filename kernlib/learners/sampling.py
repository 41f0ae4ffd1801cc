"""Visiting orders: which example a stochastic learner looks at, and when.

A loop never draws a random number; it receives the order as data, so the same order can
drive the plain-Python twin, another library, or a figure.
Chapter: ``book/pegasos.md``.  Tests: ``tests/learners/test_sampling.py``.
"""

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from kernlib._jit import jit, jit_inline

SAMPLINGS = ("replacement", "permutation", "reshuffle", "cyclic")
ONE, THREE, ELEVEN, TWENTY_FOUR, FORTY = np.array([1, 3, 11, 24, 40], dtype=np.uint64)


@jit_inline
def _next(a, b, c, count):
    """Return the next state of an SFC64 generator, and its number, uniform in [0, 1).

    Number for number ``numpy.random.SFC64``, whose call for each takes twice as long.
    """
    bits = a + b + count
    a = b ^ (b >> ELEVEN)
    b = c + (c << THREE)
    c = ((c << TWENTY_FOUR) | (c >> FORTY)) + bits
    return a, b, c, count + ONE, np.int64(bits >> ELEVEN) * 2.0**-53


@jit
def _uniform(state, out):
    """Fill ``out`` with numbers uniform in [0, 1)."""
    a, b, c, count = state
    for p in range(len(out)):
        a, b, c, count, u = _next(a, b, c, count)
        out[p] = u
    state[0], state[1], state[2], state[3] = a, b, c, count


@jit
def _draw(state, n, out):
    """Fill ``out`` with independent draws from 0, ..., n - 1."""
    a, b, c, count = state
    for p in range(len(out)):
        a, b, c, count, u = _next(a, b, c, count)
        out[p] = int(u * n)
    state[0], state[1], state[2], state[3] = a, b, c, count


@jit
def _shuffle(state, out):
    """Fill ``out`` with a random order of 0, 1, ...: each goes to a random place so far."""
    a, b, c, count = state
    for p in range(len(out)):
        a, b, c, count, u = _next(a, b, c, count)
        place = int(u * (p + 1))
        out[p] = out[place]
        out[place] = p
    state[0], state[1], state[2], state[3] = a, b, c, count


def streams(random_state: Any, n_streams: int) -> list[np.ndarray]:
    """Return the states of ``n_streams`` independent generators that ``random_state`` decides."""
    entropy: Any = random_state
    if not isinstance(random_state, numbers.Integral):
        entropy = check_random_state(random_state).randint(2**31 - 1, size=4).tolist()
    seeds = [np.random.SeedSequence(entropy, spawn_key=(k,)) for k in range(n_streams)]
    return [np.random.SFC64(seed).state["state"]["state"] for seed in seeds]


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
    state : ndarray
        One of ``streams``: where the randomness comes from.
    weights : ndarray or None
        With ``"replacement"``, row i is drawn with probability proportional to
        ``weights[i]``, by looking a uniform number up in the cumulative weights.  Integer
        weights therefore draw what their duplicated rows would, number for number.
    """

    def __init__(
        self,
        rows: np.ndarray,
        sampling: str,
        state: np.ndarray,
        weights: np.ndarray | None = None,
    ) -> None:
        self._n = len(rows)
        visits = as_visits(rows)
        self._dtype = visits.dtype
        self._rows = None if rows[-1] == len(rows) - 1 else visits  # else 0, 1, 2, ...: no look-up
        self._sampling = sampling
        self._state = state
        self._cumulative = None if weights is None else np.cumsum(weights, dtype=np.float64)
        self._epoch = np.empty(0, dtype=self._dtype)
        self._position = 0

    def take(self, n_visits: int) -> np.ndarray:
        """Return the next ``n_visits`` row numbers."""
        with np.errstate(over="ignore"):  # the generator's sums wrap around; plain Python warns
            draws = self._sampling == "replacement"
            picks = self._draws(n_visits) if draws else self._walk(n_visits)
        return picks if self._rows is None else self._rows[picks]

    def _draws(self, n_visits: int) -> np.ndarray:
        if self._cumulative is None:
            picks = np.empty(n_visits, dtype=self._dtype)
            _draw(self._state, self._n, picks)
            return picks
        uniform = np.empty(n_visits)
        _uniform(self._state, uniform)
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
        if self._sampling == "cyclic" and len(self._epoch) == 0:
            return np.arange(self._n, dtype=self._dtype)
        if self._sampling == "reshuffle" or len(self._epoch) == 0:
            order = np.empty(self._n, dtype=self._dtype)
            _shuffle(self._state, order)
            return order
        return self._epoch
