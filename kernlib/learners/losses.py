r"""Surrogate losses of the margin :math:`m = y\,f(x)`, their slopes, and the objective.

==========  ======================================  =====================================
loss        value :math:`\ell(m)`                   slope :math:`-\ell'(m)`
==========  ======================================  =====================================
hinge       :math:`\max(0, 1 - m)`                  1 if m < 1 else 0
logistic    :math:`\ln(1 + e^{-m})`                 :math:`1 / (1 + e^{m})`
==========  ======================================  =====================================

A text that writes :math:`\log_2(1 + e^{-m})` has the loss divided by :math:`\ln 2`: its
:math:`\lambda` gives the same minimiser as :math:`\lambda\ln 2` here.
Chapter: ``book/logistic.md``.  Tests: ``tests/learners/test_losses.py``.
"""

import numpy as np
from scipy.special import softmax

from kernlib._jit import jit_inline

LOSSES = ("hinge", "logistic")
HINGE, LOGISTIC = 0, 1  # a loop takes the loss as its place in LOSSES


@jit_inline
def pull(loss, y, s, q):
    """Return y times the slope at margin y s / q: how hard an example pulls.

    The score comes as a fraction because the hinge needs no division; nothing overflows.
    """
    if loss == HINGE:
        return y if y * s < q else 0.0
    m = y * s / q
    if m > 0.0:
        e = np.exp(-m)
        return y * e / (1.0 + e)
    return y / (1.0 + np.exp(m))


def loss_values(loss: str, margins: np.ndarray) -> np.ndarray:
    """Return the loss at each margin."""
    if loss == "hinge":
        return np.maximum(0.0, 1.0 - margins)
    return np.logaddexp(0.0, -margins)


def multiclass_hinge(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return Crammer and Singer's hinge: one slack per point, against the best rival."""
    own = np.take_along_axis(scores, codes[:, np.newaxis], axis=1)
    rivals = scores.copy()
    np.put_along_axis(rivals, codes[:, np.newaxis], -np.inf, axis=1)
    return np.maximum(0.0, 1.0 + rivals.max(axis=1) - own[:, 0])


def probabilities(scores: np.ndarray) -> np.ndarray:
    """Return class probabilities from log-odds; of several classes, divided by their sum."""
    if scores.ndim == 1:
        return np.asarray(softmax(np.column_stack([np.zeros_like(scores), scores]), axis=1))
    # In logarithms: a row whose probabilities all underflow still sums to one.
    return np.asarray(softmax(-np.logaddexp(0.0, -scores), axis=1))
