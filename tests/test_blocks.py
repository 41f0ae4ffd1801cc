"""Inner products and distances of pairs of rows: exact where float64 is, and for near rows."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from strategies import forms, integer_matrices

from kernlib.blocks import SEARCHED, Block, as_rows, sq_norms

QUANTITIES = ["products", "sq_distances", "l1_distances"]


@pytest.mark.parametrize("quantity", QUANTITIES)
@given(integer_matrices(max_rows=12, max_columns=9))
def test_quantities_equal_their_definitions(quantity, X):
    Z = X[::-1][: len(X) - 1] + 1
    expected = [[getattr(reference, quantity[:-1])(x, z) for z in Z] for x in X]
    for name, rows in forms(X).items():
        other = forms(Z)[name]
        found = getattr(Block(rows, other), quantity)
        assert found.dtype == rows.dtype
        assert found.tolist() == expected, name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(st.integers(0, 2**32 - 1))
def test_equal_rows_have_the_distance_0(form, dtype, seed):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((7, 31)) + 10).astype(dtype)
    rows = form(X)
    D = Block(rows, rows[[6, 5, 4, 3, 2, 1, 0]]).sq_distances
    assert np.all(D[np.arange(7), np.arange(7)[::-1]] == 0)
    assert np.all(D >= 0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_near_rows_have_accurate_distances(form):
    # By inner products alone nothing would be left of these distances: 1e-12 against norms of 1e6.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5, 10)) + 1000
    step = 1e-6 * rng.standard_normal((5, 10))
    D = Block(form(X), form(X + step)).sq_distances
    exact = [np.sum((x - z) ** 2) for x, z in zip(X, X + step, strict=True)]
    np.testing.assert_allclose(np.diagonal(D), exact, rtol=1e-12)
    a, b = sq_norms(X), sq_norms(X + step)
    naive = a + b - 2 * np.sum(X * (X + step), axis=1)
    assert np.max(np.abs(naive / exact - 1)) > 0.01  # the test would notice


@pytest.mark.parametrize("n", [SEARCHED - 1, SEARCHED, 3 * SEARCHED + 5])
def test_near_rows_are_found_wherever_they_stand(n):
    rng = np.random.default_rng(n)
    Z = rng.standard_normal((n, 6)) + 1000
    places = [0, n // 2, n - 2, n - 1]  # at the ends and inside of what is counted together
    X = Z[places] + 1e-6 * rng.standard_normal((4, 6))
    D = Block(X, Z).sq_distances
    exact = np.sum((X - Z[places]) ** 2, axis=1)
    np.testing.assert_allclose(D[np.arange(4), places], exact, rtol=1e-12)
    np.testing.assert_allclose(D, np.sum((X[:, None] - Z) ** 2, axis=2), rtol=1e-6)


@given(integer_matrices(max_rows=6))
def test_given_products_and_norms_are_used(X):
    known = X @ X.T
    block = Block(X, X, (sq_norms(X), sq_norms(X)), known)
    assert block.products is known
    doubled = Block(X, X, (sq_norms(X), sq_norms(X)), np.zeros_like(known))
    expected = np.add.outer(sq_norms(X), sq_norms(X))
    assert np.array_equal(doubled.sq_distances, expected)


def test_distances_are_symmetric_to_the_bit_if_the_products_are():
    X = np.random.default_rng(1).standard_normal((40, 7)).astype(np.float32)
    D = Block(X, X, products=X @ X.T).sq_distances
    assert np.array_equal(D, D.T)


def test_quantities_are_computed_once():
    X = np.eye(3)
    block = Block(X, X)
    assert block.sq_distances is block.sq_distances
    assert block.l1_distances is block.l1_distances
    assert block.shape == (3, 3)


@pytest.mark.parametrize(
    ("given_rows", "dtype"),
    [
        ([[1, 2]], np.float64),
        (np.ones((2, 2), dtype=np.float32), np.float32),
        (np.ones((2, 2), dtype=np.int8), np.float64),
        (sparse.csc_array(np.eye(2, dtype=np.float32)), np.float32),
        (sparse.coo_array(np.eye(2, dtype=np.int64)), np.float64),
    ],
)
def test_rows_become_floats(given_rows, dtype):
    rows = as_rows(given_rows)
    assert rows.dtype == dtype
    assert isinstance(rows, np.ndarray) or rows.format == "csr"


@given(integer_matrices(max_rows=6))
def test_dense_rows_pair_with_sparse_ones(X):
    Z = X[::-1].copy()
    for quantity in QUANTITIES:
        expected = getattr(Block(X, Z), quantity).tolist()
        assert getattr(Block(X, sparse.csr_array(Z)), quantity).tolist() == expected
        assert getattr(Block(sparse.csr_array(X), Z), quantity).tolist() == expected
