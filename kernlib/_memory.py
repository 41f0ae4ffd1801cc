"""Memory for arrays: beginning with a cache line, and used again instead of asked for anew.

Tests: ``tests/test_memory.py``.
"""

import math
import sys
from typing import Any

import numpy as np

CACHE_LINE = 64  # bytes


def aligned_empty(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Return an array that begins a cache line: no vector register is filled from two lines."""
    return _aligned(np.empty(_room_for(shape, dtype), dtype=np.uint8), shape, dtype)


def _room_for(shape: tuple[int, ...], dtype: Any) -> int:
    """Return the bytes in which an array and the beginning of a cache line fit."""
    return math.prod(shape) * np.dtype(dtype).itemsize + CACHE_LINE - 1


def _aligned(room: np.ndarray, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return an array in some bytes, from the first cache line that begins in them."""
    start = -room.__array_interface__["data"][0] % CACHE_LINE
    size = math.prod(shape) * np.dtype(dtype).itemsize
    return room[start : start + size].view(dtype).reshape(shape)


class Room:
    """Memory for one large array after another.

    New memory costs more than filling it again, by as much as computing what it is filled with.
    What is handed out stays untouched as long as it, or a part of it, is held somewhere.
    """

    def __init__(self) -> None:
        self._bytes: np.ndarray | None = None

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return an array of any values that begins a cache line."""
        # Room for float64 in any case: memory that is not touched costs nothing.
        size = _room_for(shape, max(np.dtype(dtype), np.dtype(np.float64)))
        spare = vars(self).pop("_bytes", None)  # in one step: of several threads one gets it
        # Each array in these bytes refers to them; 2 is this name and the call that asks.
        if spare is None or len(spare) < size or sys.getrefcount(spare) > 2:
            spare = None  # the old memory goes before the new comes
            spare = np.empty(size, dtype=np.uint8)
        array = _aligned(spare, shape, dtype)
        self._bytes = spare
        return array


def aligned_zeros(shape: tuple[int, ...]) -> np.ndarray:
    """Return float64 zeros that begin a cache line."""
    out = aligned_empty(shape)
    out[...] = 0.0
    return out
