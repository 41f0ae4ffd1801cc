"""Tiles of symmetric matrices: transposed, counted and checked."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from kernlib.tiles import _tally, _transpose, all_finite

SEEDS = st.integers(0, 2**32 - 1)


def test_a_triangle_is_turned_into_a_square():
    for shape in [(1, 1), (8, 8), (7, 9), (16, 24), (17, 5), (23, 40)]:
        T = np.arange(shape[0] * shape[1], dtype=np.float64).reshape(shape)
        turned = np.empty(shape[::-1])
        _transpose(T, turned)
        assert np.array_equal(turned, T.T)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=36, max_size=36), SEEDS)
def test_tally_equals_a_count(dtype, kinds, seed):
    tiny = float(np.finfo(dtype).tiny)
    sizes = np.array([0, tiny / 4, tiny, 1.0])[kinds]
    K = (sizes * np.random.default_rng(seed).choice([-1, 1], 36)).reshape(6, 6).astype(dtype)
    K = np.tril(K) + np.tril(K, -1).T
    expected = reference.off_diagonal_tally(K.tolist(), tiny)
    lower, corner = _tally(K, True), _tally(np.ascontiguousarray(K[3:, :3]), False)
    assert tuple(2 * count for count in lower) == expected
    sizes = np.abs(K[3:, :3])
    assert corner == (np.sum(sizes == 0), np.sum((sizes > 0) & (sizes < tiny)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_a_value_that_is_not_finite_is_found_anywhere(dtype, value):
    largest = np.finfo(dtype).max
    for place in [(0, 0), (1, 70), (2, 69)]:
        K = np.full((3, 71), largest, dtype)
        K[0, 1] = -largest
        assert all_finite(K)
        K[place] = value
        for seen in (K, np.asfortranarray(K), K[place[0]]):
            assert not all_finite(seen)
