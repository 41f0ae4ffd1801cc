r"""All pairs of rows of two matrices: inner products, Euclidean and L1 distances.

A kernel is an elementwise function of these.  Euclidean distances come from inner products,
:math:`\|x - z\|^2 = \|x\|^2 + \|z\|^2 - 2\langle x, z\rangle`, except where the difference would
lose more than half of the digits: there the rows are subtracted, so that equal rows have the
distance 0 and near ones an accurate one.
Chapter: ``book/kernels.md``.  Tests: ``tests/test_blocks.py``.
"""

from functools import cached_property
from typing import Any

import numba
import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils.extmath import row_norms

from kernlib._jit import jit

SEARCHED = 128  # pairs counted together: where none is near, none is looked for

# The terms of a sum may be added in any order; NaN and infinity keep their meaning.
_jit_any_order = numba.njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"}
)


@jit
def _expanded(P, a, b, near):
    """Return a_i + b_j - 2 P_ij, and how many of them are below ``near`` (a_i + b_j).

    They are counted in each row, for SEARCHED columns at a time.
    """
    n = P.shape[1]
    D = np.empty_like(P)
    n_near = np.zeros((len(P), -(-n // SEARCHED)), np.int32)
    for k in range(n_near.shape[1]):
        part = slice(k * SEARCHED, min((k + 1) * SEARCHED, n))
        b_part = b[part]
        for i in range(P.shape[0]):
            products, row = P[i, part], D[i, part]
            here = np.int32(0)  # as narrow as the numbers, for the vector registers
            for j in range(len(row)):
                norms = a[i] + b_part[j]  # added first, which makes it symmetric
                row[j] = norms - (products[j] + products[j])
                here += np.int32(row[j] < near * norms)
            n_near[i, k] = here
    return D, n_near


@_jit_any_order
def _subtract_near(D, X, Z, a, b, near, n_near):
    """Compute the distances below ``near`` (a_i + b_j) again, from the differences."""
    for i in range(D.shape[0]):
        row = D[i]
        for k in range(n_near.shape[1]):
            if n_near[i, k] == 0:
                continue
            for j in range(k * SEARCHED, min((k + 1) * SEARCHED, len(row))):
                if row[j] < near * (a[i] + b[j]):
                    total = 0.0
                    for c in range(X.shape[1]):
                        total += (X[i, c] - Z[j, c]) ** 2
                    row[j] = total


@_jit_any_order
def _l1(X, Z):
    D = np.empty((X.shape[0], Z.shape[0]), X.dtype)
    for i in range(X.shape[0]):
        x = X[i]
        for j in range(Z.shape[0]):
            z = Z[j]
            total = 0.0
            for k in range(x.shape[0]):
                total += abs(x[k] - z[k])
            D[i, j] = total
    return D


class Block:
    """All pairs of a row of ``X`` and a row of ``Z``: what a kernel is a function of.

    Each quantity is computed once, so the parts of a sum or product share it.

    Parameters
    ----------
    X, Z : array or CSR array of floats of one type
        The rows.
    sq_norms : pair of ndarrays, optional
        The squared norms of the rows, where they are known.
    products : ndarray of shape (rows of X, rows of Z), optional
        The inner products, where they are known.
    """

    def __init__(
        self,
        X: Any,
        Z: Any,
        sq_norms: tuple[np.ndarray, np.ndarray] | None = None,
        products: np.ndarray | None = None,
    ) -> None:
        self.X, self.Z = X, Z
        self._sq_norms = sq_norms
        if products is not None:
            # Compiled loops over a part of a matrix would not know that its rows are contiguous.
            self.products = np.ascontiguousarray(products)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows of X and of Z."""
        return self.X.shape[0], self.Z.shape[0]

    @cached_property
    def products(self) -> np.ndarray:
        """The inner products, shape (rows of X, rows of Z)."""
        products = self.X @ self.Z.T
        return np.asarray(products.toarray() if sparse.issparse(products) else products, order="C")

    @cached_property
    def sq_distances(self) -> np.ndarray:
        """The squared Euclidean distances."""
        a, b = self._sq_norms or (sq_norms(self.X), sq_norms(self.Z))
        near = self.products.dtype.type(np.sqrt(np.finfo(self.products.dtype).eps))
        D, n_near = _expanded(self.products, a, b, near)
        if not np.any(n_near):
            return D
        if sparse.issparse(self.X) or sparse.issparse(self.Z):
            i, j = np.nonzero(near * np.add.outer(a, b) > D)
            D[i, j] = sq_norms(sparse.csr_array(self.X)[i] - sparse.csr_array(self.Z)[j])
        else:
            _subtract_near(D, self.X, self.Z, a, b, near, n_near)
        return D

    @cached_property
    def l1_distances(self) -> np.ndarray:
        """The sums of absolute differences."""
        if sparse.issparse(self.X) or sparse.issparse(self.Z):
            distances = manhattan_distances(self.X, self.Z)
            return np.asarray(distances, dtype=self.X.dtype)
        return _l1(np.ascontiguousarray(self.X), np.ascontiguousarray(self.Z))


def sq_norms(X: Any) -> np.ndarray:
    """Return the squared norms of the rows."""
    return np.asarray(row_norms(X, squared=True))


def as_rows(X: Any) -> Any:
    """Return X as an array or CSR array of float32 or float64."""
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
