"""Figures of the chapter on variants draw what they are given."""

import numpy as np
import pandas as pd
import pytest

from kernlib.report.figures import variants as figures


def drawn(ax):
    """Return the data lines of error bars, by label."""
    return {
        bars.get_label(): bars.lines[0].get_xydata().tolist()
        for bars in ax.containers
        if hasattr(bars, "lines")
    }


def test_rare_class_draws_means_in_per_cent():
    errors = pd.DataFrame({"ratio": [1, 1, 10, 10], "missed": [0.8, 1.0, 0.2, 0.2]})
    ax = figures.plot_rare_class(errors, balanced=5)
    assert drawn(ax) == {"missed": [[1, 90], [10, 20]]}
    assert 5 in [line.get_xdata()[0] for line in ax.lines if line.get_label() == "balanced"]
    assert ax.get_title() == ""


def test_transfer_draws_the_curve_and_the_other_ways_across():
    rows = ["source alone", "transfer C=0.1", "transfer C=10"]
    numbers = pd.DataFrame(
        {"row": rows, "quantity": "test_error", "mean": [0.3, 0.2, 0.25], "se": 0.01}
    )
    ax = figures.plot_transfer(numbers)
    assert drawn(ax) == {"transfer": [[0.1, 20], [10, 25]]}
    across = [line for line in ax.lines if line.get_label() == "source alone"]
    assert across[0].get_ydata()[0] == 30


def test_transfer_panels_one_for_each_size():
    errors = pd.DataFrame(
        {
            "n": [20, 20, 100, 100],
            "C": [1.0, 1.0, 1.0, 1.0],
            "way": ["a", "b", "a", "b"],
            "error": [0.1, 0.2, 0.3, 0.4],
        }
    )
    figure = figures.plot_transfer_panels(errors, source=0.5)
    assert [ax.get_xlabel() for ax in figure.axes] == ["C (20 examples)", "C (100 examples)"]
    assert drawn(figure.axes[1]) == {"a": [[1, 30]], "b": [[1, 40]]}


def test_digit_rows_have_an_image_each():
    images = np.arange(12.0).reshape(3, 2, 2)
    figure = figures.plot_digit_rows({"upper": images, "lower": images + 1})
    assert len(figure.axes) == 6
    np.testing.assert_array_equal(figure.axes[5].images[0].get_array(), images[2] + 1)
    assert figure.axes[3].get_ylabel() == "lower"


def test_digit_rows_of_different_length_are_refused():
    with pytest.raises(ValueError, match=r"as many images, got \[1, 2\]. Cut"):
        figures.plot_digit_rows({"a": np.zeros((1, 2, 2)), "b": np.zeros((2, 2, 2))})


def test_claims_are_shaded_by_their_number():
    claims = np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2]])
    ax = figures.plot_claims([[0, 0], [1, 1]], [0, 1], claims, reach=2.0)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "claimed by no class",
        "by several",
    ]
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[0, 0]], [[1, 1]]]


def test_multiclass_draws_a_line_for_each_way():
    errors = pd.DataFrame(
        {"lam": [0.1, 0.1, 1.0], "way": ["a", "a", "a"], "error": [0.1, 0.3, 0.4]}
    )
    ax = figures.plot_multiclass(errors)
    assert drawn(ax) == {"a": [[0.1, 20], [1.0, 40]]}
    assert ax.get_xscale() == "log"
