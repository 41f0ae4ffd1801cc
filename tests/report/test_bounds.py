"""The evaluated bounds are those of the theorems, and no run of the perceptron exceeds them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlib import Perceptron
from kernlib.datasets import make_separable
from kernlib.report import bounds


@given(seed=st.integers(0, 10_000), epochs=st.integers(1, 6), scale=st.floats(0.01, 3))
def test_no_run_exceeds_a_bound(seed, epochs, scale):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(12, 3)).astype(float)
    y = rng.choice([-1, 1], size=12)
    if len(set(y.tolist())) < 2:
        y[0] = -y[0]
    learner = Perceptron(max_iter=epochs, fit_intercept=False).fit(X, y)
    vectors = bounds.comparison(X, y, scale * rng.standard_normal((5, 3)))
    least = bounds.least_bounds(vectors, [epochs]).iloc[0]
    assert learner.n_mistakes_[0] <= least["hinge"] + 1e-9
    assert learner.n_mistakes_[0] <= least["squared"] + 1e-9


def test_zero_vector_gives_the_number_of_examples():
    X, y = make_separable(20, 3)
    least = bounds.least_bounds(bounds.comparison(X, y, [np.zeros(3)]), [1, 4])
    for name in ("hinge", "squared", "examples"):
        assert least[name].tolist() == pytest.approx([20, 80])
    assert least["separable"].isna().all()


def test_separating_vector_gives_radius_over_margin_squared():
    X, y = make_separable(60, 2, margin=0.25, seed=3)
    facing = np.argsort(np.linalg.norm(X, axis=1))[:2]  # the two rows at distance of the margin
    u = X[facing[0]] * y[facing[0]]
    expected = np.linalg.norm(X, axis=1).max() ** 2 / 0.25**2
    for factor in (1, 7):  # the length of u does not matter
        least = bounds.least_bounds(bounds.comparison(X, y, [factor * u]), [5]).iloc[0]
        for name in ("separable", "hinge", "squared"):
            assert least[name] == pytest.approx(expected)


def test_hinge_bound_is_the_root_of_its_inequality():
    M = bounds.hinge_bound([0.0, 4.0, 9.0], [5.0, 0.0, 7.0])
    np.testing.assert_allclose(M, np.array([5.0, 0.0, 7.0]) + np.sqrt([0.0, 4.0, 9.0] * M))


def test_bounds_do_not_depend_on_the_unit():
    rng = np.random.default_rng(0)
    X, y, u = rng.standard_normal((30, 4)), rng.choice([-1, 1], 30), rng.standard_normal(4)
    first = bounds.least_bounds(bounds.comparison(X, y, [u]), [3])
    second = bounds.least_bounds(bounds.comparison(100 * X, y, [u / 100]), [3])
    np.testing.assert_allclose(first, second)
