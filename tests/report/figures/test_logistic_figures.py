"""Figures of the chapter on the logistic loss draw what they are given."""

import numpy as np
import pandas as pd
import pytest

from kernlib.learners.losses import loss_values
from kernlib.report.figures import logistic as figures

NUMBERS = pd.DataFrame(
    {"name": ["a", "a", "b"], "lam": [0.1, 1.0, 1.0], "mean": [0.2, 0.3, 0.1], "se": 0.01}
)


@pytest.mark.parametrize("name", [name for name in figures.LOSSES if name != "zero-one"])
def test_slope_is_minus_the_derivative(name):
    value, slope = figures.LOSSES[name]
    m = np.linspace(-2, 2, 41) + 0.013  # away from the corner of the hinge
    derivative = (value(m + 1e-6) - value(m - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope(m), -derivative, atol=1e-6)


@pytest.mark.parametrize("name", ["hinge", "logistic"])
def test_losses_are_those_of_the_learners(name):
    m = np.linspace(-3, 3, 13)
    drawn = figures.LOSSES["hinge" if name == "hinge" else "logistic, ln"][0](m)
    np.testing.assert_array_equal(drawn, loss_values(name, m))


def test_surrogates_lie_above_the_zero_one_loss_but_one():
    m = np.linspace(-3, 3, 601)
    step = figures.LOSSES["zero-one"][0](m)
    below = [name for name, (value, _) in figures.LOSSES.items() if (value(m) < step - 1e-12).any()]
    assert below == ["logistic, ln"]


def test_losses_and_slopes_are_drawn():
    left, right = figures.plot_losses_and_slopes().axes
    assert len(left.lines) == len(figures.LOSSES)
    assert len(right.lines) == len(figures.LOSSES) - 1  # the zero-one loss has no slope


def test_means_are_drawn_over_lambda():
    ax = figures.plot_over_lambda(NUMBERS, "error", line=0.25)
    means = [bars.lines[0].get_xydata().tolist() for bars in ax.containers]
    assert means == [[[0.1, 0.2], [1, 0.3]], [[1, 0.1]]]
    assert ax.lines[-1].get_ydata() == [0.25, 0.25]
    assert ax.get_xscale() == "log"
    assert figures.plot_over_lambda(NUMBERS, "x", log=True).get_yscale() == "log"


def test_what_lies_beyond_the_edge_is_shaded():
    numbers = pd.concat([NUMBERS.assign(learner="first"), NUMBERS.assign(learner="second")])
    figure = figures.plot_grid_edges(numbers, {"first": 1.0, "second": 0.1})
    assert [ax.get_title() for ax in figure.axes] == ["first", "second"]
    ends = [
        ax.patches[0].get_extents().transformed(ax.transData.inverted()).x1 for ax in figure.axes
    ]
    assert 0.1 < ends[0] < 1
    assert ends[1] < 0.1
    assert figure.axes[1].get_legend() is None


def test_reliability_is_drawn_with_the_diagonal():
    table = pd.DataFrame(
        {
            "predicted": [0.2, 0.5, 0.8],
            "observed": [0.1, 0.0, 0.9],
            "count": [20, 19, 50],
            "se": 0.1,
        }
    )
    ax = figures.plot_reliability({"a": table})
    assert ax.lines[0].get_xydata().tolist() == [[0, 0], [1, 1]]
    # The bin with 19 points is left out.
    assert ax.containers[0].lines[0].get_xydata().tolist() == [[0.2, 0.1], [0.8, 0.9]]
    assert len(figures.plot_reliability_panels({"l": {"a": table}, "r": {"a": table}}).axes) == 2
