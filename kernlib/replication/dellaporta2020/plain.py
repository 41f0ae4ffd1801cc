"""The document's perceptron on a budget as it is written down: lists, no arrays of scores.

Tests: ``tests/replication/test_dellaporta2020.py``.
"""

from collections.abc import Sequence

import numpy as np


def plain_forgetron(
    K: np.ndarray, codes: np.ndarray, rows: Sequence[int] | np.ndarray, budget: int, epochs: int
) -> np.ndarray:
    """Return the coefficients (n_classes, n_points) after some epochs over ``rows``.

    Where the text subtracts sign(s), which is 0 in the beginning, the label is added.
    """
    values, labels = K.tolist(), [int(code) for code in codes]
    n_classes = max(labels) + 1
    caches: list[dict[int, float]] = [{} for _ in range(n_classes)]  # in order of arrival
    entries: list[tuple[int, int]] = []
    for _ in range(epochs):
        for t in (int(row) for row in rows):
            for k, cache in enumerate(caches):
                y = 1.0 if labels[t] == k else -1.0
                if y * _score(cache, values[t]) > 0:
                    continue
                if t not in cache:
                    entries.append((t, k))
                cache[t] = cache.get(t, 0.0) + y
                if len(entries) > budget:
                    i, c = max(entries, key=lambda e: _margin(e, caches, labels, values))
                    entries.remove((i, c))
                    del caches[c][i]
    coef = np.zeros((n_classes, len(K)))
    for k, cache in enumerate(caches):
        for i, alpha in cache.items():
            coef[k, i] = alpha
    return coef


def _score(cache: dict[int, float], row: list[float]) -> float:
    return sum(alpha * row[i] for i, alpha in cache.items())


def _margin(
    entry: tuple[int, int],
    caches: list[dict[int, float]],
    labels: list[int],
    values: list[list[float]],
) -> float:
    """Return the margin of an entry without itself."""
    i, k = entry
    without = _score(caches[k], values[i]) - caches[k][i] * values[i][i]
    return without if labels[i] == k else -without
