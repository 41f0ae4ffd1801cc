r"""How far a score can be read as log-odds: reliability, and the factor that would mend it.

A learner is calibrated if among the points with predicted probability p a share p is positive.
Tests: ``tests/report/test_calibration.py``.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit

N_BINS = 10


def reliability(scores: ArrayLike, y: ArrayLike, n_bins: int = N_BINS) -> pd.DataFrame:
    """Return predicted and observed shares of the positive class, by bins of the prediction.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Log-odds; the predicted probability is their sigmoid.
    y : array-like of shape (n,)
        Labels -1 and +1.
    n_bins : int, default=10
        Bins of equal width in [0, 1]; empty ones are left out.

    Returns
    -------
    DataFrame
        ``predicted``, the mean prediction in the bin; ``observed``, the share of positives;
        ``count``; ``se``, the standard error of ``observed`` if the predictions were right.
    """
    p, positive = expit(np.asarray(scores, dtype=float)), np.asarray(y) > 0
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    count = np.bincount(bins, minlength=n_bins)
    kept = count > 0
    sums = [np.bincount(bins, weights=w, minlength=n_bins) for w in (p, positive, p * (1 - p))]
    predicted, observed, variance = (total[kept] / count[kept] for total in sums)
    return pd.DataFrame(
        {
            "predicted": predicted,
            "observed": observed,
            "count": count[kept],
            "se": np.sqrt(variance / count[kept]),
        }
    )


def log_loss(scores: ArrayLike, y: ArrayLike) -> float:
    """Return the mean of ln(1 + exp(-y f))."""
    return float(np.logaddexp(0.0, -np.asarray(y) * np.asarray(scores)).mean())


def slope(scores: ArrayLike, y: ArrayLike) -> float:
    """Return the factor s for which the log loss of s f is least.

    It is 1 for scores that are right as they are, above 1 for scores that are too small.  If the
    scores separate the classes there is no such factor, and it is infinite; 0 if they are no
    better than none.
    """
    margins = np.asarray(y) * np.asarray(scores, dtype=float)
    if margins.min() >= 0:
        return np.inf
    if margins.mean() <= 0:
        return 0.0

    def pull(s: float) -> float:
        return float(np.mean(margins * expit(-s * margins)))

    high = 1.0
    while pull(high) > 0:
        high *= 2
    return float(brentq(pull, 0.0, high, xtol=1e-12))


def summary(scores: ArrayLike, y: ArrayLike) -> dict[str, float]:
    """Return error, log loss, slope and calibration error of some scores.

    The calibration error is the mean distance between predicted and observed shares over the
    bins of ``reliability``, each with its share of the points.
    """
    table = reliability(scores, y)
    gaps = np.abs(table["predicted"] - table["observed"])
    wrong = (np.asarray(scores) > 0) != (np.asarray(y) > 0)
    return {
        "error": float(wrong.mean()),
        "log_loss": log_loss(scores, y),
        "slope": slope(scores, y),
        "calibration_error": float(np.average(gaps, weights=table["count"])),
    }
