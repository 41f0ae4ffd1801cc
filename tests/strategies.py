"""Random small problems for hypothesis; integers, so that float64 is exact."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

LAMBDAS = st.sampled_from([Fraction(1, 16), Fraction(1, 4), Fraction(1), Fraction(2)])


@st.composite
def integer_matrices(draw, max_rows=8, max_columns=4, low=-3, high=3):
    n = draw(st.integers(2, max_rows))
    d = draw(st.integers(1, max_columns))
    cells = st.lists(st.integers(low, high), min_size=n * d, max_size=n * d)
    return np.array(draw(cells), dtype=np.float64).reshape(n, d)


@st.composite
def problems(draw, max_visits=25, **limits):
    """Return integer X, labels -1 and +1 of which both occur, and an order of visits."""
    X = draw(integer_matrices(**limits))
    n = len(X)
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)), dtype=np.int8)
    y[0], y[1] = 1, -1
    order = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=max_visits))
    return X, y, np.array(order)


@st.composite
def multiclass_problems(draw, n_classes=3, max_visits=20, **limits):
    """Return integer X, codes 0, 1, 2 and an order of visits."""
    X = draw(integer_matrices(**limits))
    n = len(X)
    codes = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    order = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=max_visits))
    return X, np.array(codes), np.array(order)


def with_constant(X):
    """Return the rows with a last feature 1, as plain integers."""
    return [[int(a) for a in row] + [1] for row in X]


def forms(X):
    """Return X as each kind of matrix that a loop reads."""
    return {
        "float64": X,
        "float32": X.astype(np.float32),
        "csr": sparse.csr_array(X),
    }
