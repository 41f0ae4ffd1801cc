"""Figures of the chapter on the kernel perceptron draw what they are given."""

import numpy as np
import pandas as pd

from kernlib.report.figures import kernel_perceptron as figures


def drawn(ax):
    return {line.get_label(): line.get_xydata().tolist() for line in ax.lines}


def test_kernel_choices_put_degrees_left_and_widths_right():
    rows = ["polynomial 1", "polynomial 2", "gaussian 0.1", "gaussian 10"]
    numbers = pd.DataFrame(
        {
            "row": [*rows, "gaussian 10", "polynomial 1"],
            "variant": ["text"] * 4 + ["code", "other"],
            "mean": [0.4, 0.2, 0.3, 0.1, 0.15, 0.9],
        }
    )
    card = pd.DataFrame({"row": rows[::2], "published": [0.5, 0.6]})
    left, right = figures.plot_kernel_choices(numbers, card, {"text": "t", "code": "c"}).axes
    assert drawn(left) == {"t": [[1, 0.4], [2, 0.2]], "published": [[1, 0.5]]}
    assert drawn(right) == {
        "t": [[0.1, 0.3], [10, 0.1]],
        "c": [[10, 0.15]],
        "published": [[0.1, 0.6]],
    }
    assert right.get_xscale() == "log"


def test_kernel_choices_draw_the_column_asked_for():
    numbers = pd.DataFrame(
        {"row": ["polynomial 1"], "variant": ["v"], "mean": [0.1], "recorded": [0.2]}
    )
    card = pd.DataFrame({"row": ["polynomial 1"], "published": [0.3]})
    left, _ = figures.plot_kernel_choices(numbers, card, {"v": "v"}, "recorded").axes
    assert drawn(left)["v"] == [[1, 0.2]]


def test_errors_and_published_crosses():
    ax = figures.plot_errors({"a": ([1, 2], [5, 4])}, ([1], [6]), xlabel="x", ylabel="y")
    assert drawn(ax) == {"a": [[1, 5], [2, 4]], "published": [[1, 6]]}
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_ylim()[0]) == ("x", "y", 0)


def test_errors_on_a_logarithmic_axis_and_as_percentages():
    assert figures.plot_errors({"a": ([1], [5])}, log=True).get_yscale() == "log"
    ax = figures.plot_errors({"a": ([1], [0.5])}, percent=True)
    assert ax.yaxis.get_major_formatter()(0.5) == "50%"


def test_wrapping_shows_signed_roots_in_units_of_the_largest():
    exact, wrapped = [[8.0, 1.0], [1.0, 8.0]], [[-27.0, 0.0], [0.0, 1.0]]
    first, second, _ = figures.plot_wrapping(exact, wrapped, ["a", "b"]).axes
    assert np.allclose(first.images[0].get_array(), [[1, 0.5], [0.5, 1]])
    assert np.allclose(second.images[0].get_array(), [[-1, 0], [0, 1 / 3]])
    assert [first.get_title(), second.get_title()] == ["a", "b"]


def test_prediction_cost_has_the_time_per_value():
    costs = {
        "a": pd.DataFrame({"kernel_values": [1e6, 2e6], "seconds": [3.0, 6.0]}),
        "b": pd.DataFrame({"kernel_values": [4e6], "seconds": [12.0]}),
    }
    ax = figures.plot_prediction_cost(costs)
    lines = drawn(ax)
    assert lines["a"] == [[1, 3], [2, 6]]
    assert lines["b"] == [[4, 12]]
    assert ax.lines[0].get_slope() == 3
