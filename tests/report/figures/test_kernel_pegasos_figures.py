"""Figures of the chapter on kernel Pegasos draw what they are given."""

import numpy as np
import pandas as pd
import pytest

from kernlib.report.figures import kernel_pegasos as figures


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_grids_show_every_rate_in_per_cent_and_leave_missing_ones_blank():
    grid = pd.DataFrame([[0.5, 0.054], [0.25, np.nan]], index=["a", "b"], columns=["1", "2"])
    fig = figures.plot_grids({"first": grid, "second": 2 * grid}, "steps", "lambda")
    first, second = fig.axes
    assert texts(first) == ["50.0", "5.4", "25.0"]
    assert texts(second) == ["100.0", "10.8", "50.0"]
    assert [tick.get_text() for tick in first.get_xticklabels()] == ["1", "2"]
    assert [tick.get_text() for tick in first.get_yticklabels()] == ["a", "b"]
    assert (first.get_xlabel(), first.get_ylabel(), first.get_title()) == (
        "steps",
        "lambda",
        "first",
    )


def test_grids_share_their_greys_and_write_on_dark_cells_in_white():
    low, high = (pd.DataFrame([[rate]]) for rate in (0.01, 0.5))
    fig = figures.plot_grids({"low": low, "high": high}, "x", "y")
    limits = {image.get_clim() for ax in fig.axes for image in ax.images}
    assert limits == {(1.0, 50.0)}
    assert [ax.texts[0].get_color() for ax in fig.axes] == ["black", "white"]


def test_a_grid_of_equal_rates_can_be_drawn():
    fig = figures.plot_grids({"a": pd.DataFrame([[0.1, 0.1]])}, "x", "y")
    assert texts(fig.axes[0]) == ["10.0", "10.0"]


def test_violations_are_drawn_by_kernel():
    ax = figures.plot_violations(pd.DataFrame({"a": [0.1, 1.0], "b": [0.5, 0.6]}, index=[0.1, 10]))
    assert [line.get_xydata().tolist() for line in ax.lines] == [
        [[0.1, 0.1], [10, 1.0]],
        [[0.1, 0.5], [10, 0.6]],
    ]
    assert ax.get_xscale() == "log"


def test_surfaces_tell_stored_examples_from_others():
    X, y = np.array([[1.0, 0], [0, 1], [-1, 0]]), np.array([1, -1, 1])
    fig = figures.plot_surfaces({"a": np.ones((4, 4))}, X, y, {"a": [2, 0, 4]})
    stored, other = fig.axes[0].collections[0], fig.axes[0].collections[3]
    assert stored.get_offsets().tolist() == [[1, 0], [-1, 0]]
    assert stored.get_sizes().tolist() == [38, 68]
    assert other.get_offsets().tolist() == [[0, 1]]


def test_excess_is_relative_to_the_optimum():
    fig = figures.plot_excess({"p": {"last": [4.0, 3.0]}}, [10, 100], {"p": 2.0})
    assert fig.axes[0].lines[0].get_xydata().tolist() == [[10, 1.0], [100, 0.5]]


def test_losses_have_their_standard_errors():
    frame = pd.DataFrame({"line": ["a", "a"], "lam": [0.1, 1], "mean": [0.2, 0.4], "se": [0.1, 0]})
    ax = figures.plot_losses(frame)
    (bars,) = ax.containers
    ends = [segment[:, 1].tolist() for segment in bars[2][0].get_segments()]
    np.testing.assert_allclose(ends, [[0.1, 0.3], [0.4, 0.4]])


def test_kernel_values_have_the_limits_of_doubles():
    ax = figures.plot_kernel_values({"a": [-400.0, -1.0], "b": [-20.0]})
    assert [line.get_xdata()[0] for line in ax.lines] == [-16, -308]
    assert [text.get_text().strip() for text in ax.texts] == ["lost beside 1", "0 in a double"]
    shares = [patch.get_xy()[:, 1].max() for patch in ax.patches]
    assert shares == [0.5, 1.0]


def test_ranges_have_a_panel_for_each_version():
    frame = pd.DataFrame(
        {"panel": ["p", "p", "q"], "line": ["a", "b", "a"], "T": [1, 1, 1], "value": [1, 2, 3]}
    )
    fig = figures.plot_ranges(frame)
    assert [ax.get_title() for ax in fig.axes] == ["p", "q"]
    assert [len(ax.lines) for ax in fig.axes] == [2, 1]


def test_by_kernel_marks_the_least_error():
    frame = pd.DataFrame({"kernel": ["a", "a", "b"], "value": [0.3, 0.1, 0.2]})
    ax = figures.plot_by_kernel(frame, {"limit": 0.15})
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [dot.get_xdata()[0] for dot in dots] == [0.1, 0.2]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b"]
    assert ax.get_legend_handles_labels()[1] == ["limit"]


@pytest.fixture
def two_numbers():
    numbers = pd.DataFrame(
        {
            "variant": ["as printed", "as printed", "as their code", "as printed"],
            "row": ["0.1 polynomial 3", "0.1 gaussian 10", "0.1 gaussian 10", "0.1 polynomial 3"],
            "quantity": [*["validation_error"] * 3, "training_error"],
            "mean": [0.3, 0.2, 0.1, 9.0],
        }
    )
    published = pd.DataFrame(
        {
            "lambda": ["0.1", "0.1"],
            "kernel": ["polynomial", "gaussian"],
            "degree": ["3", ""],
            "gamma": ["", "10"],
            "printed_val": ["0.31", "0.11"],
        }
    )
    return numbers, published


def test_milan_grids_put_the_program_beside_what_was_published(two_numbers):
    grids = figures.milan_grids(*two_numbers)
    assert list(grids) == ["published", "the original"]
    assert list(grids["published"].index) == ["degree 3", "exponential 10", "Gaussian 10"]
    np.testing.assert_array_equal(grids["published"]["0.1"], [0.31, 0.11, np.nan])
    assert grids["the original"]["0.1"].tolist() == [0.3, 0.1, 0.2]


def test_milan_grids_of_the_twin_have_the_recorded_ones_too(two_numbers):
    numbers, published = two_numbers
    grids = figures.milan_grids(numbers.assign(recorded=numbers["mean"] + 1), published)
    assert list(grids) == ["published", "the original", "the twin"]
    assert grids["the original"]["0.1"].tolist() == [1.3, 1.1, 1.2]
    assert grids["the twin"]["0.1"].tolist() == [0.3, 0.1, 0.2]
