r"""Gram matrices: the values of a kernel on all pairs of rows, computed once and in tiles.

A kernel is an elementwise function of inner products (and norms), so one matrix X Xᵀ serves
every kernel, degree and width (``Pairs``); ``tiles.py`` computes half of it.

float32 halves the memory and doubles the speed.  It is used unless it would change the answer:
values too large for it, rounding that the kernel magnifies, or values that are not 0 but too
small for it (:math:`\exp(-d/0.01)` has many); then float64 is, and ``Gram.note`` says why.
Above ``max_memory`` no matrix is made: blocks are computed when a learner asks for them.
Chapter: ``book/kernels.md``.  Tests: ``tests/test_gram.py``.
"""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from kernlib._checks import check_option
from kernlib._memory import Room, aligned_empty
from kernlib.blocks import Block, as_rows, sq_norms
from kernlib.kernels import Kernel, Precomputed, as_kernel
from kernlib.tiles import Tally, all_finite, fill_symmetric

WORTH_KEEPING = 32  # features from which on X Xᵀ is kept for the next kernel
DTYPES = ("auto", "float32", "float64")
# |K(x, z)| <= sqrt(K(x, x) K(z, z)), and rounding in float32 moves it by about eps times that.  If
# all K(x, x) exceed this, whatever is too small for float32 is smaller than that rounding.
SMALLEST_VALUE = float(np.finfo(np.float32).tiny / np.finfo(np.float32).eps)
# Times this power of two, a value below the smallest normal number is a normal one, to the bit.
LIFT = {np.dtype(np.float32): 2.0**24, np.dtype(np.float64): 2.0**64}


class Pairs:
    """All pairs of rows of ``X``, for many kernels; keeps X Xᵀ if ``keep`` is true.

    Not for few features: then computing it again takes less time than reading it.  The memory of
    a matrix that nobody holds any more serves the next one.  ``norms`` are the squared norms of
    the rows, where they are known.
    """

    def __init__(self, X: Any, *, keep: bool = False, norms: np.ndarray | None = None) -> None:
        self.X = as_rows(X)
        self._keep = keep and self.X.shape[1] >= WORTH_KEEPING
        self._rows: dict[Any, Any] = {self.X.dtype: self.X}
        self._norms: dict[Any, np.ndarray] = {} if norms is None else {self.X.dtype: norms}
        self._products: dict[Any, np.ndarray] = {}
        self._room = Room()
        self.largest_sq_norm = float(np.max(self._sq_norms(self.X.dtype), initial=0.0))

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def rows(self, dtype: Any) -> Any:
        """Return X as ``dtype``."""
        if dtype not in self._rows:
            self._rows[dtype] = self.X.astype(dtype)
        return self._rows[dtype]

    def among(self, points: np.ndarray, dtype: Any) -> "Pairs":
        """Return the pairs of some rows, as ``dtype``."""
        return Pairs(self.rows(dtype)[points], norms=self._sq_norms(dtype)[points])

    def smallest_value(self, kernel: Kernel) -> float:
        """Return the smallest K(x, x) that is not 0, of a kernel that grows with the norm."""
        norms = self._sq_norms(self.X.dtype)
        shortest = [np.argmin(norms), np.argmin(np.where(norms > 0, norms, np.inf))]
        values = kernel.diag(self.X[shortest].astype(np.float64))
        return float(np.min(values[values != 0], initial=np.inf))

    def _sq_norms(self, dtype: Any) -> np.ndarray:
        if dtype not in self._norms:
            self._norms[dtype] = sq_norms(self.rows(dtype))
        return self._norms[dtype]

    def products(self, dtype: Any) -> np.ndarray:
        """Return X Xᵀ, kept for the next kernel."""
        if dtype not in self._products:
            X = self.rows(dtype)
            P = aligned_empty((len(self), len(self)), dtype)
            with np.errstate(over="ignore", invalid="ignore"):  # infinite values are refused
                fill_symmetric(P, lambda r, c: Block(X[r], X[c]).products)
            self._products[dtype] = P
        return self._products[dtype]

    def block(self, rows: Any, columns: Any, dtype: Any) -> Block:
        """Return the pairs of these rows and columns (slices or index arrays)."""
        X, norms, kept = self.rows(dtype), self._sq_norms(dtype), self._products.get(dtype)
        products = None if kept is None else _part(kept, rows, columns)
        return Block(X[rows], X[columns], (norms[rows], norms[columns]), products)

    def matrix(self, kernel: Kernel, dtype: Any) -> tuple[np.ndarray, Tally]:
        """Return all values, symmetric to the bit, and their tally; OverflowError if infinite."""
        if self._keep:
            self.products(dtype)
        K = self._room.empty((len(self), len(self)), dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            tally = fill_symmetric(K, lambda r, c: kernel.of(self.block(r, c, dtype)))
        K[np.diag_indices_from(K)] = kernel.diag(self.rows(dtype))
        return K, tally


def _part(K: np.ndarray, rows: Any, columns: Any) -> np.ndarray:
    """Return the rows and columns of a matrix; no copy if both are slices."""
    if isinstance(rows, slice) or isinstance(columns, slice):
        return K[rows, columns]
    return K[np.ix_(rows, columns)]


class Gram:
    """The values of a kernel on all pairs of rows of X.

    Parameters
    ----------
    kernel : Kernel
        The kernel; its parameters may depend on the data (``gamma="scale"``).
    pairs : Pairs
        The pairs of rows of X, which kernels can share.
    dtype : {"auto", "float32", "float64"}, default="auto"
        The numbers of the matrix; "auto" takes float32 where it does not change the answer.
    max_memory : float, default=2048
        The largest matrix to make, in MiB.

    Attributes
    ----------
    kernel : Kernel
        With all its parameters resolved.
    matrix : ndarray of shape (n, n), or None
        The values; None if they would take more than ``max_memory``.
    dtype : dtype
        float32 or float64.
    note : str
        Why it is not float32, or an empty string.
    zeros, subnormals : float
        Shares of the off-diagonal values that are 0, or so small that digits are lost; NaN
        without a matrix, and for one that was given.
    """

    def __init__(
        self, kernel: Kernel, pairs: Pairs, *, dtype: str = "auto", max_memory: float = 2048
    ) -> None:
        check_option("dtype", dtype, DTYPES)
        self.pairs = pairs
        self.matrix: np.ndarray | None = None
        self.zeros = self.subnormals = np.nan
        if isinstance(kernel, Precomputed):
            self.kernel, self.matrix = kernel, _checked_square(pairs.X)
            self.dtype, self.note = self.matrix.dtype, "the values were given"
            return
        self.kernel = kernel.resolved(pairs.X)
        self.dtype, self.note = self._choice(dtype)
        if len(self) ** 2 * self.dtype.itemsize <= max_memory * 2**20:
            self._fill()

    def __len__(self) -> int:
        return len(self.pairs)

    def _fill(self) -> None:
        try:
            self.matrix, tally = self.pairs.matrix(self.kernel, self.dtype)
        except OverflowError:
            raise _overflow(self.kernel, self.dtype) from None
        _finite(self.kernel, np.diagonal(self.matrix))
        off_diagonal = max(1, len(self) * (len(self) - 1))
        self.zeros, self.subnormals = (count / off_diagonal for count in tally)

    def _choice(self, dtype: str) -> tuple[np.dtype[Any], str]:
        """Return the type of the numbers, and why it is not float32."""
        if dtype != "auto":
            return np.dtype(dtype), f"{dtype} was asked for"
        if not self.kernel.suits_float32(self.pairs.largest_sq_norm):
            return np.dtype(np.float64), f"float32 is not accurate enough for {self.kernel}"
        smallest = self.pairs.smallest_value(self.kernel)
        if smallest < SMALLEST_VALUE:
            why = f"K(x, x) = {smallest:.0e} is too near to the smallest float32 for {self.kernel}"
            return np.dtype(np.float64), why
        return np.dtype(np.float32), ""

    @cached_property
    def lifted(self) -> tuple[np.ndarray | None, float]:
        """The matrix times a power of two with which no value is subnormal, and that power.

        A multiplication by a subnormal number takes a hundred times as long on some processors.
        """
        if self.matrix is None or not self.subnormals > 0:
            return self.matrix, 1.0
        unit = LIFT[self.dtype]
        with np.errstate(over="ignore"):
            matrix = self.matrix * self.dtype.type(unit)
            return (matrix, unit) if np.isfinite(matrix.sum()) else (self.matrix, 1.0)

    def block(self, rows: Any, columns: Any) -> np.ndarray:
        """Return the values for these rows and columns (slices or index arrays)."""
        if self.matrix is not None:
            return _part(self.matrix, rows, columns)
        return checked_values(self.kernel, self.pairs.block(rows, columns, self.dtype))

    def among(self, points: np.ndarray) -> "Gram":
        """Return the same kernel on some of the points, increasing, without a matrix."""
        if len(points) == len(self):
            return self
        pairs = self.pairs.among(points, self.dtype)
        return Gram(self.kernel, pairs, dtype=str(self.dtype), max_memory=0)

    def diag(self) -> np.ndarray:
        """Return K(x_i, x_i)."""
        if self.matrix is not None:
            return np.diagonal(self.matrix)
        with np.errstate(over="ignore", invalid="ignore"):
            return _finite(self.kernel, self.kernel.diag(self.pairs.rows(self.dtype)))


def checked_values(kernel: Kernel, block: Block) -> np.ndarray:
    """Return the values of a resolved kernel on the pairs of a block; raise if one is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _finite(kernel, kernel.of(block))


def _finite(kernel: Kernel, values: np.ndarray) -> np.ndarray:
    if not all_finite(values):
        raise _overflow(kernel, values.dtype)
    return values


def _overflow(kernel: Kernel, dtype: Any) -> ValueError:
    return ValueError(
        f"The values of {kernel} must fit into {dtype}, but some are infinite: "
        "the features are too large. Scale the data, for example with "
        "sklearn.preprocessing.StandardScaler, or lower the degree."
    )


def _checked_square(K: Any) -> np.ndarray:
    if sparse.issparse(K):
        K = K.toarray()
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"kernel='precomputed' needs a square matrix K(x_i, x_j) to fit, got shape {K.shape}. "
            "Pass the kernel's values on all pairs of training rows."
        )
    return K


def gram(X: Any, kernel: Any, *, dtype: str = "auto", max_memory: float = 2048) -> Gram:
    """Return the values of ``kernel`` (an object, a name, a function) on all pairs of rows."""
    return Gram(as_kernel(kernel), Pairs(X), dtype=dtype, max_memory=max_memory)
