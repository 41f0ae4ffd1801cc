"""Products of a float32 matrix with float64 weights, in float64 but without a float64 copy.

NumPy would convert the whole matrix first; here a block of rows at a time is.
Tests: ``tests/learners/test_products.py``.
"""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.extmath import safe_sparse_dot

BLOCK = 2**18  # numbers converted at a time


def _needs_blocks(X: Any) -> bool:
    return not sparse.issparse(X) and X.dtype != np.float64 and X.size > BLOCK


def _parts(X: Any) -> Any:
    return gen_batches(X.shape[0], max(1, BLOCK // X.shape[1]))


def scores(X: Any, w: np.ndarray) -> np.ndarray:
    """Return X w, for w (n_features,), or X wᵀ, for w (k, n_features)."""
    if not _needs_blocks(X):
        return np.asarray(safe_sparse_dot(X, w.T))
    out = np.empty((X.shape[0], *w.shape[:-1]))
    for part in _parts(X):
        out[part] = X[part].astype(np.float64) @ w.T
    return out


def combination(X: Any, a: np.ndarray) -> np.ndarray:
    """Return the sum of a_i x_i over the rows of ``X``."""
    if not _needs_blocks(X):
        return np.asarray(safe_sparse_dot(X.T, a))
    return sum((X[p].astype(np.float64).T @ a[p] for p in _parts(X)), np.zeros(X.shape[1]))
