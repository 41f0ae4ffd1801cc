r"""The Pegasos loop, and the run of one binary problem around it.

Update: :math:`w \leftarrow (1 - 1/t)\,w + \frac{1}{\lambda t}\,(-\ell'(m))\,y_i x_i` with the
margin :math:`m = y_i\langle w, x_i\rangle`; the pseudocode L1 to L9 is in the docstring of
``Pegasos``.  Chapter: ``book/pegasos.md``.  Tests: ``tests/learners/test_pegasos.py``.
"""

from typing import Any

import numpy as np

from kernlib._jit import AHEAD, jit, jit_inline, prefetch_row
from kernlib.learners.losses import HINGE, LOSSES, loss_values, pull
from kernlib.learners.minibatch import _minibatch_loop
from kernlib.learners.scaled import (
    PegasosRun,
    Rule,
    add_example,
    into_ball,
    mean_weight,
    scale,
    scaled_score,
)


@jit_inline
def _steps(X, y, c, r, order, loss, lam, radius, first, bias, v, z, t, mass, sq):
    """Go on through ``order``, one example a step; return t, mass and ||v||^2.

    ``v`` = lam t (w - w_0) and ``z`` are changed in place (see ``scaled.py``).  ``c`` holds
    weights or is None, ``r`` holds the scores of w_0 or is None.
    """
    n = len(order)
    for p in range(n):  # L2
        if p + AHEAD < n:
            prefetch_row(X, order[p + AHEAD])
        i = order[p]
        t += 1  # L3, L5: v = q w grows, w shrinks
        q = scale(lam, t)
        mass += mean_weight(t, first)
        s = scaled_score(X, i, bias, v)
        if r is not None:
            s += q * r[i]
        g = pull(loss, float(y[i]), s, q)  # L4
        if c is not None:
            g *= c[i]
        if g != 0.0:  # L6
            sq += add_example(X, i, g, bias, radius, first, mass, v, z)  # L7
        if radius < np.inf:
            sq = into_ball(lam * t * radius, sq, mass, v, z)  # L8
    return t, mass, sq  # L9


@jit
def _pegasos_loop(X, y, c, r, order, loss, lam, radius, first, bias, v, z, t, mass, sq):
    """Make the steps: the plain algorithm from a loop that has lost the tests for the rest."""
    if loss == HINGE and radius == np.inf and first == 0:
        return _steps(X, y, c, r, order, HINGE, lam, np.inf, 0, bias, v, z, t, mass, sq)
    return _steps(X, y, c, r, order, loss, lam, radius, first, bias, v, z, t, mass, sq)


class BinaryRun(PegasosRun):
    """One binary problem; ``y`` is +1, -1, or 0 for a row that is not part of it."""

    def __init__(self, shape: Any, rule: Rule, prior: np.ndarray | None, loss: str) -> None:
        super().__init__(shape, rule, prior)
        self.loss = loss

    @property
    def zero_loss(self) -> float:
        """The loss at score 0: 1 for the hinge, ln 2 for the logistic loss."""
        return float(loss_values(self.loss, np.zeros(1))[0])

    def _loop(self, data: tuple, batch: int, rule: tuple, state: tuple) -> tuple:
        loss = LOSSES.index(self.loss)
        if batch == 1:
            return _pegasos_loop(*data, loss, *rule, *state)
        return _minibatch_loop(*data, batch, loss, *rule, *state)

    def _losses(self, scores: np.ndarray) -> np.ndarray:
        return loss_values(self.loss, (self._y * scores)[self._y != 0])

    def rows_in(self, y: np.ndarray) -> np.ndarray:
        """Return the rows that are part of the problem."""
        return np.flatnonzero(y)

    def coefficients(self) -> np.ndarray:
        """Return the weights as one row."""
        return self.weights()[np.newaxis]
