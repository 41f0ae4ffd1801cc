import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from kernlib.datasets import make_first_coordinate, make_rings, make_separable, make_xor

MAKERS = [make_separable, make_xor, make_rings, make_first_coordinate]


@pytest.mark.parametrize("make", MAKERS)
def test_seed_decides_and_both_classes_occur(make):
    (X, y), (again, labels), (other, _) = make(seed=1), make(seed=1), make(seed=2)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, labels)
    assert not np.array_equal(X, other)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert set(y.tolist()) == {-1, 1}
    assert len(X) == len(y)


@pytest.mark.parametrize(("n", "d", "margin"), [(2, 1, 3.0), (40, 2, 0.5), (60, 5, 0.1)])
def test_separable_has_exactly_the_margin(n, d, margin):
    X, y = make_separable(n, d, margin=margin, seed=n)
    assert X.shape == (n, d)
    svm = SVC(kernel="linear", C=1e6, tol=1e-6).fit(X, y)
    w = svm.coef_[0]
    assert 1 / np.linalg.norm(w) == pytest.approx(margin, rel=1e-3)
    u = w / np.linalg.norm(w)  # the best hyperplane goes through the origin
    assert (y * (X @ u)).min() == pytest.approx(margin, rel=1e-3)


@given(st.integers(1, 60), st.floats(0, 0.9), st.integers(0, 5))
def test_xor(n, gap, seed):
    X, y = make_xor(n, gap=gap, seed=seed)
    assert X.shape == (n, 2)
    np.testing.assert_array_equal(np.sign(X[:, 0] * X[:, 1]), y)
    assert gap <= np.abs(X).min() * (1 + 1e-12)
    assert np.abs(X).max() <= 1


def test_rings():
    X, y = make_rings(301, radii=(1, 3), noise=0)
    radius = np.hypot(*X.T)
    np.testing.assert_allclose(radius, np.where(y == 1, 1, 3))
    assert abs(y.sum()) == 1
    noisy, y = make_rings(2000, radii=(1, 3), noise=0.2)
    spread = np.hypot(*noisy.T) - np.where(y == 1, 1, 3)
    assert abs(spread.std() - 0.2) < 0.02


@given(st.integers(1, 40), st.integers(1, 30), st.integers(0, 5))
def test_first_coordinate(m, n, seed):
    X, y = make_first_coordinate(m, n, seed=seed)
    assert X.shape == (m, n)
    assert set(X.ravel().tolist()) <= {-1.0, 1.0}
    np.testing.assert_array_equal(X[:, 0], y)


def test_first_coordinate_is_uniform():
    X, _ = make_first_coordinate(4000, 10)
    assert np.abs(X.mean(axis=0)).max() < 0.06
    assert np.abs(np.corrcoef(X.T) - np.eye(10)).max() < 0.08


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (make_separable, {"n": 1}, r"n must be an integer >= 2, got 1"),
        (make_separable, {"d": 0}, r"d must be an integer >= 1, got 0"),
        (make_separable, {"n": 2.0}, r"n must be an integer >= 2, got 2\.0"),
        (make_separable, {"margin": 0}, r"margin must be a finite number > 0, got 0"),
        (make_separable, {"margin": np.nan}, r"margin must be a finite number > 0, got nan"),
        (make_xor, {"n": 0}, r"n must be an integer >= 1"),
        (make_xor, {"gap": 1}, r"gap must be >= 0 and < 1 .* got 1"),
        (make_rings, {"n": True}, r"n must be an integer >= 1, got True"),
        (make_rings, {"radii": (2, 1)}, r"radii must be \(inner, outer\)"),
        (make_rings, {"radii": (1, 2, 3)}, r"radii must be \(inner, outer\)"),
        (make_rings, {"noise": -1}, r"noise must be >= 0 .* got -1"),
        (make_first_coordinate, {"m": 0}, r"m must be an integer >= 1"),
        (make_first_coordinate, {"n": 0}, r"n must be an integer >= 1"),
    ],
)
def test_errors(make, options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)
