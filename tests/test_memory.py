"""Memory: arrays begin a cache line, and what is held is never handed out again."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kernlib._memory import CACHE_LINE, Room, aligned_empty, aligned_zeros


def address(array):
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8])
@pytest.mark.parametrize("shape", [(0,), (1,), (7, 5), (3, 0), (64,)])
def test_arrays_begin_a_cache_line(shape, dtype):
    for array in (aligned_empty(shape, dtype), Room().empty(shape, dtype)):
        assert array.shape == shape
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        assert array.size == 0 or address(array) % CACHE_LINE == 0
    assert not aligned_zeros(shape).any()


def test_memory_that_nobody_holds_is_used_again():
    room = Room()
    first = room.empty((50, 50), np.float64)
    place = address(first)
    del first
    assert address(room.empty((50, 50), np.float64)) == place
    assert address(room.empty((50, 50), np.float32)) == place  # smaller ones fit in


def test_float32_is_followed_by_float64_in_the_same_memory():
    room = Room()
    place = address(room.empty((50, 50), np.float32))
    assert address(room.empty((50, 50), np.float64)) == place


@pytest.mark.parametrize(
    "part",
    [lambda a: a, lambda a: a[3:, 7], np.diagonal, lambda a: a.T[::2], lambda a: a.view(np.int8)],
    ids=["whole", "column", "diagonal", "turned", "bytes"],
)
def test_memory_of_which_a_part_is_held_is_left_alone(part):
    room = Room()
    array = room.empty((20, 20), np.float64)
    array[...] = 1.0
    held = part(array)
    expected = held.copy()
    del array
    other = room.empty((20, 20), np.float64)
    other[...] = 2.0
    assert np.array_equal(held, expected)


def test_a_larger_array_gets_new_memory():
    room = Room()
    assert room.empty((2, 2), np.float64).nbytes == 32
    large = room.empty((300, 300), np.float64)
    large[...] = 3.0
    assert np.all(large == 3.0)


def test_threads_never_get_the_same_memory():
    room = Room()

    def hold(number):
        for _ in range(300):
            array = room.empty((8, 8), np.float64)
            array[...] = number
            for _ in range(20):
                if not np.all(array == number):
                    return False
            del array
        return True

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(hold, range(4)))
    finally:
        sys.setswitchinterval(before)
