"""Choosing parameters: every combination of a grid, on rows that were not trained on.

Tests: ``tests/test_model_selection.py``.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid


def error_rate(estimator: Any, X: Any, y: Any) -> float:
    """Return the share of wrong predictions (the zero-one loss)."""
    return float(np.mean(estimator.predict(X) != y))


def holdout_table(
    estimator: Any,
    grid: Mapping[str, Iterable[Any]],
    X: Any,
    y: Any,
    *,
    share: float = 0.75,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> pd.DataFrame:
    """Fit every combination on the first ``share`` of the rows, judge it on the rest.

    Parameters
    ----------
    estimator : classifier
        Cloned for every combination; scaling inside it sees its own training rows only.
    grid : mapping of str to iterable
        Names as for ``set_params`` (``learn__lam``), and the values to try.
    X, y : array-like
        The rows, in an order in which the first ones are as good as any.
    share : float, default=0.75
        The part to fit on.
    progress : callable, default=iter
        Wraps the list of combinations, like ``tqdm.tqdm``.

    Returns
    -------
    DataFrame
        One row a combination: its parameters, ``validation_error``, ``training_error`` and
        ``seconds``; ``attrs["best"]`` holds the parameters with the smallest validation error,
        the first of equals.
    """
    if not 0 < share < 1:
        raise ValueError(f"share must lie between 0 and 1, got {share!r}. 0.75 is usual.")
    cut = int(share * len(y))
    rows = []
    for parameters in progress(list(ParameterGrid({k: list(v) for k, v in grid.items()}))):
        start = time.perf_counter()
        fitted = clone(estimator).set_params(**parameters).fit(X[:cut], y[:cut])
        rows.append(
            {
                **parameters,
                "validation_error": error_rate(fitted, X[cut:], y[cut:]),
                "training_error": error_rate(fitted, X[:cut], y[:cut]),
                "seconds": time.perf_counter() - start,
            }
        )
    table = pd.DataFrame(rows)
    best = rows[int(table["validation_error"].to_numpy().argmin())]
    table.attrs["best"] = {name: best[name] for name in grid}
    return table
