r"""Pegasos weights kept as :math:`v = \lambda t\,(w - w_0)`, with their mean and their ball.

The step :math:`w \leftarrow (1 - 1/t)\,w + g x/(\lambda t)` is :math:`v \leftarrow v + g x`:
the shrinkage costs nothing, and an example with g = 0 costs no write at all.

The mean over steps :math:`t \ge t_0` costs a second write only when v changes.  With
:math:`C_t = \sum_{s=t_0}^{t} 1/(s-1)` (``mass``) and :math:`z` the sum of all changes of v,
each times the C of its step, :math:`\lambda\sum_{s=t_0}^{t} w_s = C_t v_{t+1} - z`.
Tests: ``tests/learners/test_pegasos.py``.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from kernlib._jit import add_row, jit_inline, row_dot, row_sq_norm, rows_of
from kernlib._memory import aligned_zeros
from kernlib.learners import products
from kernlib.learners.sampling import VisitingOrder

MOST_VISITS = 2**14  # of an order at a time: it stays in the cache


@jit_inline
def scale(lam, t):
    """Return q with w_t - w_0 = v / q.  At the first step v = 0, and any q but 0 will do."""
    return lam * (t - 1) if t > 1 else 1.0


@jit_inline
def scaled_score(X, i, bias, v):
    """Return q <w_t - w_0, x_i>."""
    return row_dot(X, i, v) + bias * v[-1]


@jit_inline
def mean_weight(t, first):
    """Return what step ``t`` adds to ``mass``; ``first`` = 0 means that no mean is kept."""
    return 1.0 / (t - 1) if 0 < first <= t and t > 1 else 0.0


@jit_inline
def add_example(X, i, g, bias, radius, first, mass, v, z):
    """Add g x_i to ``v`` (and ``z``); return the change of ||v||^2, if a radius needs it."""
    change = 0.0
    if radius < np.inf:
        change = 2.0 * g * scaled_score(X, i, bias, v)
        change += g * g * (row_sq_norm(X, i) + bias * bias)
    add_row(X, i, g, v)
    v[-1] += bias * g
    if first > 0:
        add_row(X, i, mass * g, z)
        z[-1] += bias * mass * g
    return change


@jit_inline
def into_ball(limit, sq_norm, mass, v, z):
    """Scale ``v`` back to norm ``limit`` if it is longer; return its squared norm."""
    if sq_norm <= limit * limit:
        return sq_norm
    shrink = limit / np.sqrt(sq_norm)
    for j in range(len(v)):
        z[j] -= mass * (1.0 - shrink) * v[j]
        v[j] *= shrink
    return limit * limit


class Rule(NamedTuple):
    """What does not change during a run."""

    lam: float  # the regularisation
    bias: float  # the constant feature: 1.0, or 0.0 for no intercept
    first: int  # the step from which on the mean is kept; 0 for none


class PegasosRun(ABC):
    """A Pegasos run that can stop and go on: ``bind`` data, ``advance``, ``release`` the data.

    Parameters
    ----------
    shape : tuple of int
        (n_features + 1,) or (n_classes, n_features + 1); the last column is the intercept.
    rule : Rule
        The settings of the run.
    prior : ndarray of that shape, or None
        The weights w_0 that the regulariser pulls towards; None for 0.
    """

    def __init__(self, shape: tuple[int, ...], rule: Rule, prior: np.ndarray | None) -> None:
        self.lam, self.bias, self.first = rule
        self.prior = prior
        self.radius = np.inf
        self.v, self.z = aligned_zeros(shape), np.zeros(shape)
        self.t, self.mass, self.sq_norm = 0, 0.0, 0.0

    @property
    @abstractmethod
    def zero_loss(self) -> float:
        """The loss of every example at score 0."""

    @abstractmethod
    def _loop(self, data: tuple, batch: int, rule: tuple, state: tuple) -> tuple:
        """Run the compiled loop; return the new t, mass and ||v||^2."""

    @abstractmethod
    def _losses(self, scores: np.ndarray) -> np.ndarray:
        """Return the losses at these scores, of the rows of this problem."""

    @abstractmethod
    def rows_in(self, y: np.ndarray) -> np.ndarray:
        """Return which rows are part of the problem, in order."""

    @abstractmethod
    def coefficients(self) -> np.ndarray:
        """Return ``weights()`` as rows, one a score of the learner."""

    def bind(self, X: Any, y: np.ndarray, c: np.ndarray | None) -> None:
        """Take the data for the coming steps, and the weight c_i of each step (None: 1)."""
        self._X, self._rows, self._y, self._c = X, rows_of(X), y, c
        self._r = None if self.prior is None else self._scores(self.prior)

    def release(self) -> None:
        """Drop the data, so that neither the model nor its copies hold it."""
        del self._X, self._rows, self._y, self._c, self._r

    def advance_along(self, order: VisitingOrder, n_steps: int, batch: int) -> None:
        """Make ``n_steps`` steps along ``order``, without ever holding all of it."""
        block = max(1, MOST_VISITS // batch)
        while n_steps > 0:
            self.advance(order.take(min(block, n_steps) * batch), batch)
            n_steps -= block

    def advance(self, visits: np.ndarray, batch: int) -> None:
        """Make a step for each ``batch`` of ``visits``."""
        if len(visits) == 0:
            return
        self.t, self.mass, self.sq_norm = self._loop(
            (self._rows, self._y, self._c, self._r, visits),
            batch,
            (self.lam, self.radius, self.first, self.bias),
            (self.v, self.z, self.t, self.mass, self.sq_norm),
        )

    def _scores(self, w: np.ndarray) -> np.ndarray:
        return products.scores(self._X, w[..., :-1]) + self.bias * w[..., -1]

    def weights(self) -> np.ndarray:
        """Return the mean of the iterates since ``first``, or the last if there is none."""
        n_mean = self.t - self.first + 1
        with np.errstate(over="ignore"):  # the learner refuses infinite weights, with advice
            if self.first == 0 or n_mean <= 0:
                w = self.v / max(self.t, 1) / self.lam
            else:
                w = (self.mass * self.v - self.z) / n_mean / self.lam
        return w if self.prior is None else self.prior + w

    def mean_loss(self, w: np.ndarray, c: np.ndarray | None) -> float:
        """Return sum of c_i l_i over sum of c_i at ``w``, over the rows of this problem."""
        weights = None if c is None else c[self.rows_in(self._y)]
        return float(np.average(self._losses(self._scores(w)), weights=weights))

    def objective(self, c: np.ndarray | None) -> float:
        """Return lam/2 ||w - w_0||^2 plus the mean loss, at ``weights()``."""
        w = self.weights()
        # The root of lam first: a tiny lam allows weights whose squares alone would overflow.
        away = np.sqrt(self.lam) * (w if self.prior is None else w - self.prior)
        with np.errstate(over="ignore", invalid="ignore"):
            return 0.5 * float(np.sum(away * away)) + self.mean_loss(w, c)

    def set_radius(self, c: np.ndarray | None) -> None:
        r"""Project from now on, to the ball around w_0 that holds the minimiser w.

        By strong convexity :math:`f(w_0) \ge f(w) + \frac\lambda2\|w - w_0\|^2`, and the
        loss in f(w) is not negative, so :math:`\lambda\|w - w_0\|^2 \le f(w_0)`, the mean
        loss at w_0.  For the hinge and w_0 = 0 it is 1: the radius is 1/sqrt(lam).
        """
        start = self.zero_loss if self.prior is None else self.mean_loss(self.prior, c)
        self.radius = float(np.sqrt(start / self.lam))
        self.sq_norm = float(np.sum(self.v * self.v))  # not kept before there was a radius
