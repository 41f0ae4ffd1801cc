r"""The Pegasos step for Crammer and Singer's multiclass SVM: one slack per point.

Minimises :math:`\frac{\lambda}{2}\sum_k\|w_k\|^2 + \frac1n\sum_i
\max(0,\ 1 + \max_{k\ne y_i}\langle w_k, x_i\rangle - \langle w_{y_i}, x_i\rangle)`.
The loss of point i is a maximum of functions linear in w; a sub-gradient is that of one that
attains it.  If the best rival r of class :math:`y_i` comes closer than 1, that is
:math:`+x_i` for :math:`w_r` and :math:`-x_i` for :math:`w_{y_i}`, and 0 for all other
classes; else 0 for all.  Hence the step::

    L1  w_k = 0 for all k
    L2  for t = 1, 2, ... with i = order[t]:
    L3      r = argmax over k != y_i of <w_k, x_i>           (the first of equals)
    L4      closer = <w_{y_i}, x_i> - <w_r, x_i> < 1
    L5      w_k = (1 - 1/t) w_k for all k
    L6      if closer:
    L7          w_{y_i} = w_{y_i} + x_i / (lam t)
    L8          w_r     = w_r     - x_i / (lam t)
    L9  return w

Run by ``Pegasos(multi_class="crammer_singer")``.  K. Crammer, Y. Singer (2001). On the
algorithmic implementation of multiclass kernel-based vector machines. JMLR 2.
Chapter: ``book/variants.md``.  Tests: ``tests/learners/test_crammer_singer.py``.
"""

import numpy as np

from kernlib._jit import jit
from kernlib.learners.losses import multiclass_hinge
from kernlib.learners.scaled import (
    PegasosRun,
    add_example,
    into_ball,
    mean_weight,
    scale,
    scaled_score,
)


@jit
def _crammer_singer_loop(X, y, c, r, order, batch, lam, radius, first, bias, v, z, t, mass, sq):
    """Go on through ``order``, ``batch`` examples a step; return t, mass and ||v||^2.

    ``v`` = lam t (w - w_0) and ``z`` are changed in place.  ``y`` holds class codes,
    ``c`` weights or None, ``r`` the scores of w_0 (n_samples, n_classes) or None.
    """
    rivals = np.empty(batch, dtype=np.intp)
    steps = np.empty(batch)
    for start in range(0, len(order), batch):  # L2
        visits = order[start : start + batch]
        t += 1  # L5: v = q w grows, w shrinks
        q = scale(lam, t)
        mass += mean_weight(t, first)
        for b, i in enumerate(visits):
            own, best = 0.0, -np.inf
            for k in range(v.shape[0]):  # L3
                s = scaled_score(X, i, bias, v[k])
                if r is not None:
                    s += q * r[i, k]
                if k == y[i]:
                    own = s
                elif s > best:
                    best, rivals[b] = s, k
            steps[b] = 1.0 / len(visits) if own - best < q else 0.0  # L4
            if c is not None:
                steps[b] *= c[i]
        for b, i in enumerate(visits):
            if steps[b] != 0.0:  # L6
                k = y[i]
                sq += add_example(X, i, steps[b], bias, radius, first, mass, v[k], z[k])  # L7
                k = rivals[b]
                sq += add_example(X, i, -steps[b], bias, radius, first, mass, v[k], z[k])  # L8
        if radius < np.inf:
            sq = into_ball(lam * t * radius, sq, mass, v.ravel(), z.ravel())
    return t, mass, sq  # L9


class MulticlassRun(PegasosRun):
    """All classes at once; ``y`` are codes 0, 1, ..."""

    @property
    def zero_loss(self) -> float:
        """The loss of every example at score 0."""
        return 1.0

    def _loop(self, data: tuple, batch: int, rule: tuple, state: tuple) -> tuple:
        return _crammer_singer_loop(*data, batch, *rule, *state)

    def _losses(self, scores: np.ndarray) -> np.ndarray:
        return multiclass_hinge(scores, self._y)

    def rows_in(self, y: np.ndarray) -> np.ndarray:
        """Return the rows that are part of the problem: all."""
        return np.arange(len(y))

    def coefficients(self) -> np.ndarray:
        """Return one row of weights a class; of two classes, their difference alone."""
        w = self.weights()
        return w if len(w) > 2 else w[1:] - w[:1]
