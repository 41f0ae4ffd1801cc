"""Figures of the perceptron's chapter draw what they are given."""

import matplotlib.pyplot as plt
import pytest

from kernlib.report.figures import perceptron as figures


def test_mistakes_are_drawn_epoch_by_epoch():
    ax = figures.plot_mistakes_per_epoch({"a": [5, 2, 0], "b": [4, 4]})
    assert [line.get_xydata().tolist() for line in ax.lines] == [
        [[1, 5], [2, 2], [3, 0]],
        [[1, 4], [2, 4]],
    ]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_draws_where_told_and_without_title():
    _, ax = plt.subplots()
    assert figures.plot_mistakes_per_epoch({"a": [2, 1]}, ax=ax) is ax
    assert ax.get_title() == ""
    assert ax.get_xlabel()
    assert ax.get_ylabel()


def test_too_many_lines_are_refused():
    with pytest.raises(ValueError, match=r"8 lines apart, got 9: a, b, .*, i\. Draw two"):
        figures.plot_mistakes_per_epoch({name: [1] for name in "abcdefghi"})
