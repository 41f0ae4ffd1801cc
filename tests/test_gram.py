"""Gram matrices: equal to the kernel's values, symmetric to the bit, never silently wrong."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import pairwise
from strategies import forms, integer_matrices

import kernlib.tiles
from kernlib.gram import WORTH_KEEPING, Gram, Pairs, gram
from kernlib.kernels import (
    Exponential,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    SquaredL1,
    as_kernel,
)
from kernlib.tiles import TILE

KERNELS = [
    Linear(),
    Polynomial(degree=5, coef0=0),
    Polynomial(degree=2, scale=0.1),
    Gaussian(),
    Exponential(gamma=0.2),
    Laplacian(gamma=0.1),
    SquaredL1(gamma=0.01),
    Linear() + 0.5 * Gaussian(gamma=0.1) * Polynomial(degree=2),
    as_kernel(pairwise.rbf_kernel),
]
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture
def small_tiles(monkeypatch):
    """Make matrices of a few rows have several tiles, with edges of every size."""
    monkeypatch.setattr(kernlib.tiles, "TILE", 11)


def rows(seed=0, n=40, d=6, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal((n, d)).astype(dtype)


# ---------------------------------------------------------------- values


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("n", [1, 2, 10, 11, 12, 22, 40])
def test_matrix_has_the_values_and_is_symmetric_to_the_bit(kernel, n):
    for name, X in forms(rows(n=n)).items():
        found = gram(X, kernel, dtype="float64").matrix
        assert np.array_equal(found, found.T), name
        exact = kernel(X.astype(np.float64))
        np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.usefixtures("small_tiles")
@given(integer_matrices(max_rows=20, max_columns=3))
def test_integers_are_exact(X):
    plain = X.astype(int).tolist()
    expected = [[reference.polynomial_value(x, z, 3, 1, 1) for z in plain] for x in plain]
    for name, values in forms(X).items():
        for keep in (False, True):
            found = Gram(Polynomial(degree=3), Pairs(values, keep=keep))
            assert found.dtype == np.float32  # exact, for so small integers
            assert found.matrix.tolist() == expected, name


def test_real_tiles():
    X = rows(n=2 * TILE + 5, d=3, dtype=np.float32)
    for kernel in (Polynomial(degree=3), Gaussian(gamma=0.2)):
        found = gram(X, kernel)
        assert found.dtype == np.float32
        assert np.array_equal(found.matrix, found.matrix.T)
        np.testing.assert_allclose(found.matrix, kernel(X.astype(float)), rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_blocks_equal_the_matrix(kernel, dtype):
    X = rows()
    whole = gram(X, kernel, dtype=dtype)
    parts = gram(X, kernel, dtype=dtype, max_memory=0)
    assert parts.matrix is None
    assert parts.dtype == whole.dtype == dtype
    some, others = np.array([3, 0, 39, 3]), np.array([7, 3, 0])
    tolerance = {"rtol": 1e-9 if dtype == "float64" else 2e-5, "atol": 1e-6}
    for i, j in [(some, others), (slice(5, 30), slice(0, 40)), (some, slice(None))]:
        block = parts.block(i, j)
        assert block.dtype == dtype
        assert np.array_equal(whole.block(i, j), whole.matrix[i][:, j])
        np.testing.assert_allclose(block, whole.block(i, j), **tolerance)
    np.testing.assert_allclose(parts.diag(), whole.diag(), **tolerance)
    assert np.array_equal(whole.diag(), np.diagonal(whole.matrix))
    assert len(parts) == len(whole) == 40


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kept_products_give_the_same_matrix(dtype):
    X = rows(d=WORTH_KEEPING)
    pairs, few = Pairs(X, keep=True), Pairs(X[:, 1:], keep=True)
    for kernel in KERNELS:
        kept = Gram(kernel, pairs, dtype=dtype).matrix
        np.testing.assert_allclose(kept, gram(X, kernel, dtype=dtype).matrix, rtol=1e-6)
        Gram(kernel, few, dtype=dtype)
    assert list(pairs._products) == [np.dtype(dtype)]
    assert not few._products
    assert pairs.products(np.dtype(dtype)) is pairs.products(np.dtype(dtype))


def test_kept_products_are_used_and_never_made_for_blocks():
    pairs = Pairs(np.eye(3), keep=True)
    Gram(Linear(), pairs, max_memory=0).block(slice(0, 2), slice(0, 2))
    assert not pairs._products
    pairs._products[np.dtype(np.float32)] = np.full((3, 3), 2, dtype=np.float32)
    found = Gram(Polynomial(degree=2, coef0=0), pairs)
    assert found.matrix[1, 0] == 4.0
    assert found.matrix[1, 1] == 1.0  # K(x, x) comes from the rows


@pytest.mark.usefixtures("small_tiles")
@given(SEEDS)
def test_equal_rows_have_the_value_of_the_diagonal(seed):
    X = np.repeat(rows(seed, n=12) + 5, 3, axis=0)
    for dtype in ("float32", "float64"):
        for kernel in (Gaussian(gamma=2.0), Exponential(gamma=100.0), Laplacian(gamma=3.0)):
            K = gram(X, kernel, dtype=dtype).matrix
            equal = np.kron(np.eye(12), np.ones((3, 3))) == 1
            assert np.all(K[equal] == 1.0)
            assert np.all(K[~equal] < 1.0)


# ---------------------------------------------------------------- precomputed


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_precomputed_values_are_taken_as_they_are(form):
    K = Gaussian()(rows(dtype=np.float32))
    found = Gram(as_kernel("precomputed"), Pairs(form(K)))
    assert np.array_equal(found.matrix, K)
    assert found.dtype == np.float32
    assert found.note == "the values were given"
    assert np.array_equal(found.block([1, 2], [3]), K[[1, 2]][:, [3]])


def test_precomputed_must_be_square():
    with pytest.raises(ValueError, match=r"needs a square matrix.*got shape \(3, 2\)\. Pass"):
        gram(np.ones((3, 2)), "precomputed")


def test_dtype_is_checked():
    with pytest.raises(ValueError, match="dtype must be one of 'auto', 'float32', 'float64'; got"):
        gram(np.eye(2), "rbf", dtype="float16")


# ---------------------------------------------------------------- overflow


@pytest.mark.parametrize("max_memory", [0, 2048])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    ("kernel", "size", "dtype"),
    [
        (Polynomial(degree=5), 1e4, "float32"),
        (Polynomial(degree=9), 1e20, "auto"),
        (Polynomial(degree=3) * Polynomial(degree=9), 1e20, "auto"),
        (Polynomial(degree=9) + Linear(), 1e20, "auto"),
        (1e300 * Linear(), 1e5, "auto"),
        (Linear(), 1e30, "float32"),
        (Gaussian(gamma=0.1), 1e30, "float32"),
        (as_kernel(lambda X, Z: np.full((len(X), len(Z)), np.nan)), 1, "auto"),
    ],
    ids=str,
)
def test_overflow_is_refused_with_a_remedy(kernel, size, dtype, keep, max_memory):
    X = size * rows(n=5)
    match = "must fit into float(32|64), but some are infinite.*Scale the data.*StandardScaler"
    with pytest.raises(ValueError, match=match):
        Gram(kernel, Pairs(X, keep=keep), dtype=dtype, max_memory=max_memory).block(
            slice(0, 5), slice(0, 5)
        )


def test_overflow_off_the_diagonal_and_on_it():
    # Only the last tile, or only K(x, x), is infinite.
    X = np.ones((TILE + 2, 1), dtype=np.float32)
    X[[-2, -1]] = 1e12
    kernel = Polynomial(degree=2, coef0=0)
    with pytest.raises(ValueError, match="must fit into float32"):
        gram(X, kernel, dtype="float32")
    X[-2] = 1
    with pytest.raises(ValueError, match="must fit into float32"):
        gram(X, kernel, dtype="float32")
    with pytest.raises(ValueError, match="must fit into float32"):
        gram(X, kernel, dtype="float32", max_memory=0).diag()
    assert np.isfinite(gram(X, kernel).matrix).all()  # float64 by itself


def test_large_values_take_float64():
    found = gram(1e3 * rows(), Polynomial(degree=7))
    assert found.dtype == np.float64
    assert "float32 is not accurate enough for Polynomial(degree=7, " in found.note


# ---------------------------------------------------------------- underflow


@pytest.mark.usefixtures("small_tiles")
@given(SEEDS)
def test_shares_are_those_of_the_matrix(seed):
    for kernel in (Gaussian(gamma=30.0), Linear()):
        X = np.round(rows(seed, n=25, d=2))
        found = gram(X, kernel, dtype="float32")
        tiny = float(np.finfo(np.float32).tiny)
        zeros, subnormals = reference.off_diagonal_tally(found.matrix.tolist(), tiny)
        assert (found.zeros, found.subnormals) == (zeros / (25 * 24), subnormals / (25 * 24))


def test_narrow_kernels_take_float64_and_say_so():
    X = rows()  # standardised
    kernel = Exponential.with_length(0.01)
    found = gram(X, kernel)
    assert found.dtype == np.float64
    assert found.note == f"float32 is not accurate enough for {kernel}"
    assert found.zeros == found.subnormals == 0
    forced = gram(X, kernel, dtype="float32")
    assert forced.note == "float32 was asked for"
    assert forced.zeros > 0.9
    unmeasured = gram(X, kernel, max_memory=0)
    assert unmeasured.dtype == np.float64
    assert np.isnan([unmeasured.zeros, unmeasured.subnormals]).all()


def test_float32_would_change_the_predictions():
    """Predict each point by the others: in float32 many are too far from all to have a score."""
    X = rows(n=200)
    y = np.sign(X[:, 0])
    signs = {}
    for dtype in ("auto", "float32"):
        K = gram(X, Exponential.with_length(0.01), dtype=dtype).matrix
        scores = (K - np.eye(200)) @ y
        signs[dtype] = np.sign(scores)
    assert np.all(signs["auto"] != 0)
    assert np.mean(signs["float32"] != signs["auto"]) > 0.5


@pytest.mark.parametrize(("size", "dtype"), [(1e-2, np.float32), (1e-5, np.float64)])
def test_tiny_rows_take_float64(size, dtype):
    found = gram(size * rows(n=20), Polynomial(degree=7, coef0=0))
    assert found.dtype == dtype
    assert ("too near to the smallest float32" in found.note) == (dtype == np.float64)
    assert found.subnormals == 0 or dtype == np.float32


@given(SEEDS)
def test_values_too_small_for_float32_are_smaller_than_its_rounding(seed):
    # The promise behind float32 for polynomials, whose values pass through 0.
    X = rows(seed, n=30, d=2)
    kernel = Polynomial(degree=9, coef0=0)
    exact, found = kernel(X), gram(X, kernel)
    assert found.dtype == np.float32
    scale = np.sqrt(np.outer(np.diagonal(exact), np.diagonal(exact)))
    assert np.max(np.abs(found.matrix - exact) / scale) < 9 * 2.0**-22


def test_zero_rows_are_no_reason_for_float64():
    X = rows(n=5)
    X[2] = 0
    found = gram(X, Polynomial(degree=3, coef0=0))
    assert found.dtype == np.float32
    assert found.zeros == 8 / 20


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_among_some_points_the_same_values(dtype):
    X = np.random.default_rng(0).standard_normal((30, 4))
    whole = Gram(Gaussian(), Pairs(X), dtype=dtype)
    points = np.array([2, 3, 11, 29])
    some = whole.among(points)
    assert some.matrix is None
    assert (len(some), some.dtype) == (4, whole.dtype)
    expected = whole.matrix[np.ix_(points, points)]
    np.testing.assert_allclose(some.block(slice(None), slice(None)), expected, rtol=1e-5)
    assert np.array_equal(some.diag(), whole.diag()[points])
    assert whole.among(np.arange(30)) is whole


# ---------------------------------------------------------------- subnormal values, memory


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_lifted_values_are_normal_and_the_same_to_the_bit(dtype):
    found = gram(
        rows(n=60, d=2), Gaussian(gamma=30.0 if dtype == "float32" else 300.0), dtype=dtype
    )
    assert found.subnormals > 0
    matrix, unit = found.lifted
    assert matrix.dtype == dtype
    assert np.log2(unit) == round(np.log2(unit))
    assert np.array_equal(matrix.astype(np.longdouble), np.longdouble(unit) * found.matrix)
    assert np.abs(matrix[matrix != 0]).min() >= np.finfo(dtype).tiny


def test_nothing_is_lifted_without_need_or_out_of_range():
    wide = gram(rows(), Gaussian(gamma=0.1))
    assert wide.lifted == (wide.matrix, 1.0)
    without = gram(rows(), Gaussian(gamma=0.1), max_memory=0)
    assert without.lifted == (None, 1.0)
    # A kernel that has both, values near the largest number and subnormal ones.
    both = gram(np.array([[1e19], [1e-20], [1e-19]]), Linear(), dtype="float32")
    assert both.subnormals > 0
    assert both.lifted[0] is both.matrix


def test_the_next_matrix_takes_the_memory_of_one_that_is_gone():
    pairs = Pairs(rows())
    first = Gram(Linear(), pairs, dtype="float64")
    kept = first.matrix.copy()
    second = Gram(Gaussian(gamma=0.1), pairs, dtype="float64")
    assert np.array_equal(first.matrix, kept)  # still held, so still there
    place = second.matrix.__array_interface__["data"][0]
    del second
    third = Gram(Linear(), pairs, dtype="float64")
    assert third.matrix.__array_interface__["data"][0] == place
    assert np.array_equal(third.matrix, kept)
