"""Symmetric matrices a tile at a time: half of it is computed, and what it holds is counted.

While a tile is in the cache, its values are computed, checked and counted, and it is written
twice, as it is and transposed.
Chapter: ``book/kernels.md``.  Tests: ``tests/test_tiles.py`` and ``tests/test_gram.py``.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kernlib._jit import jit

# Rows of a square tile.  Two tiles fit into a second-level cache; an odd number of cache lines
# to a row spreads a column over the whole first-level cache, which transposing needs.
TILE = 496


@jit
def _transpose(T, out):
    """Write the transpose of T to ``out``, in squares of 8 that fit the vector registers."""
    n_rows, n_columns = T.shape
    rows, columns = n_rows // 8 * 8, n_columns // 8 * 8
    for b in range(0, columns, 8):
        for a in range(0, rows, 8):
            for j in range(8):
                for i in range(8):
                    out[b + j, a + i] = T[a + i, b + j]
    for j in range(n_columns):
        for i in range(rows if j < columns else 0, n_rows):
            out[j, i] = T[i, j]


@jit
def _count_normal(T, lower, tiny, largest):
    """Count the values between ``tiny`` and ``largest``; if ``lower``, below the diagonal only."""
    total = 0
    for i in range(T.shape[0]):
        row = T[i]
        in_row = np.int32(0)  # as narrow as the numbers, for the vector registers
        for j in range(i if lower else T.shape[1]):
            size = abs(row[j])
            in_row += np.int32((size >= tiny) & (size <= largest))
        total += int(in_row)
    return total


@jit
def _count_small(T, lower, tiny):
    """Count the values that are 0 and those below ``tiny`` that are not, in the same half."""
    zeros = subnormals = 0
    for i in range(T.shape[0]):
        row = T[i]
        n_zeros = n_small = np.int32(0)
        for j in range(i if lower else T.shape[1]):
            n_zeros += np.int32(row[j] == 0.0)
            n_small += np.int32(abs(row[j]) < tiny)
        zeros += int(n_zeros)
        subnormals += int(n_small) - int(n_zeros)
    return zeros, subnormals


@jit
def _all_finite(T, largest):
    """Tell whether all rows hold values up to ``largest`` alone; NaN is none."""
    for i in range(T.shape[0]):
        row = T[i]
        n_finite = np.int32(0)
        for j in range(T.shape[1]):
            n_finite += np.int32(abs(row[j]) <= largest)
        if n_finite < T.shape[1]:
            return False
    return True


def all_finite(values: np.ndarray) -> bool:
    """Tell whether no value is infinite or NaN."""
    if values.ndim == 2 and values.flags.c_contiguous and values.dtype.kind == "f":
        return bool(_all_finite(values, np.finfo(values.dtype).max))
    return bool(np.all(np.isfinite(values)))


class Tally(NamedTuple):
    """How many off-diagonal values are 0, and how many are too small to have all digits."""

    zeros: int
    subnormals: int


def _tally(T: np.ndarray, lower: bool) -> Tally:
    """Count the values of a tile; raise if one is infinite or NaN."""
    limits = np.finfo(T.dtype)
    size = len(T) * (len(T) - 1) // 2 if lower else T.size
    n_normal = _count_normal(T, lower, limits.tiny, limits.max)
    if n_normal == size:
        return Tally(0, 0)
    tally = Tally(*_count_small(T, lower, limits.tiny))
    if n_normal + sum(tally) < size:
        raise OverflowError
    return tally


def fill_symmetric(K: np.ndarray, values: Callable[[slice, slice], np.ndarray]) -> Tally:
    """Fill the matrix whose lower half ``values(rows, columns)`` computes; return its tally."""
    n = len(K)
    transposed = np.empty(TILE * TILE, dtype=K.dtype)
    zeros = subnormals = 0
    tiles = [slice(start, min(start + TILE, n)) for start in range(0, n, TILE)]
    for number, rows in enumerate(tiles):
        for columns in tiles[: number + 1]:
            T = values(rows, columns)
            on_diagonal = rows.start == columns.start
            tally = _tally(T, on_diagonal)
            zeros, subnormals = zeros + 2 * tally.zeros, subnormals + 2 * tally.subnormals
            turned = transposed[: T.size].reshape(T.shape[::-1])
            _transpose(T, turned)
            if on_diagonal:
                K[rows, columns] = np.where(np.tri(len(T), dtype=bool), T, turned)
            else:
                K[rows, columns], K[columns, rows] = T, turned
    return Tally(zeros, subnormals)
