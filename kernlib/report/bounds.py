r"""The perceptron's mistake bounds, evaluated: numbers to draw beside the mistakes really made.

For any u, with hinge losses :math:`h_t = [1 - y_t\langle u, x_t\rangle]_+`,
:math:`H = \sum_t h_t`, :math:`Q = \sum_t h_t^2` and :math:`a = R\,\|u\|`, the number of mistakes M
satisfies :math:`M \le H + a^2/2 + a\sqrt{a^2/4 + H}` and :math:`M \le (a + \sqrt{Q})^2`.
Tests: ``tests/report/test_bounds.py``.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike


def comparison(X: ArrayLike, y: ArrayLike, vectors: Iterable[ArrayLike]) -> pd.DataFrame:
    """Return what the bounds need to know of each vector u on one pass through the data.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The examples, with the constant feature if there is one.
    y : array-like of shape (n,)
        Labels -1 and +1.
    vectors : iterable of array-like of shape (d,)
        The vectors u to compare with; none of them needs to separate the data.

    Returns
    -------
    DataFrame
        A line a vector: ``complexity`` (R ||u||)^2, ``hinge`` and ``squares``, the sums of its
        hinge losses and of their squares, ``margin``, its least y <u, x>, and ``rows``.  A
        vector that separates the data is scaled to the margin 1.
    """
    X, y = np.asarray(X), np.asarray(y)
    R2 = float(np.einsum("ij,ij->i", X, X).max())
    lines = []
    for vector in vectors:
        u = np.asarray(vector, dtype=float)
        margins = y * (X @ u)
        if margins.min() > 0:
            u, margins = u / margins.min(), margins / margins.min()
        losses = np.maximum(0.0, 1.0 - margins)
        lines.append(
            {
                "complexity": R2 * float(u @ u),
                "hinge": float(losses.sum()),
                "squares": float((losses**2).sum()),
                "margin": float(margins.min()),
                "rows": len(y),
            }
        )
    return pd.DataFrame(lines)


def hinge_bound(complexity: ArrayLike, hinge: ArrayLike) -> np.ndarray:
    """Return the bound with the sum of the hinge losses, solved for the mistakes."""
    a2, H = np.asarray(complexity, dtype=float), np.asarray(hinge, dtype=float)
    return H + a2 / 2 + np.sqrt(a2 * (a2 / 4 + H))


def squared_bound(complexity: ArrayLike, squares: ArrayLike) -> np.ndarray:
    """Return the bound with the sum of the squared hinge losses."""
    a2, Q = np.asarray(complexity, dtype=float), np.asarray(squares, dtype=float)
    return (np.sqrt(a2) + np.sqrt(Q)) ** 2


def least_bounds(vectors: pd.DataFrame, epochs: ArrayLike) -> pd.DataFrame:
    """Return the least bounds over some vectors after each number of epochs.

    Parameters
    ----------
    vectors : DataFrame
        From ``comparison``.
    epochs : array-like of int
        Numbers of epochs; the losses of an epoch come again in the next one.

    Returns
    -------
    DataFrame
        ``epoch``, ``hinge``, ``squared``, ``separable`` (NaN if none of the vectors separates the
        data) and ``examples``, the bound that needs no theorem.
    """
    passes = np.asarray(epochs)[:, np.newaxis]
    a2 = vectors["complexity"].to_numpy()
    separating = a2[vectors["margin"].to_numpy() >= 1 - 1e-9]
    return pd.DataFrame(
        {
            "epoch": passes[:, 0],
            "hinge": hinge_bound(a2, passes * vectors["hinge"].to_numpy()).min(axis=1),
            "squared": squared_bound(a2, passes * vectors["squares"].to_numpy()).min(axis=1),
            "separable": separating.min() if len(separating) else np.nan,
            "examples": passes[:, 0] * int(vectors["rows"].iloc[0]),
        }
    )
