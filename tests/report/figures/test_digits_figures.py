"""Figures of the chapter on the digits draw what they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from kernlib.report.figures import digits as figures


def test_gallery_has_every_image_and_label():
    images = np.arange(3 * 16).reshape(3, 16)
    figure = figures.plot_gallery(images, ["a", "b", "c"], columns=2)
    drawn = [ax for ax in figure.axes if ax.images]
    assert [ax.get_title() for ax in drawn] == ["a", "b", "c"]
    for ax, image in zip(drawn, images, strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), image.reshape(4, 4))
    assert not any(ax.axison for ax in figure.axes)


def test_balance_in_per_cent():
    ax = figures.plot_balance({"a": [0.25, 0.75], "b": [0.5, 0.5]})
    assert [bar.get_height() for bar in ax.patches] == [25, 75, 50, 50]
    assert ax.lines[0].get_ydata()[0] == 50


def test_matrix_writes_its_numbers():
    figure = figures.plot_distance_matrix({"a": np.array([[1.0, 2.0], [2.0, 1.5]])})
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["1.0", "2.0", "2.0", "1.5"]


def test_neighbours_count_every_image():
    same, other = np.array([1.0, 2.0]), np.array([2.0, 3.0])
    figure = figures.plot_neighbours({"a": (same, other)})
    assert sum(bar.get_height() for bar in figure.axes[0].patches[: figures.BINS]) == 2


def test_map_has_a_numeral_for_each_digit():
    points = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]])
    figure = figures.plot_maps({"m": points}, [3, 8, 3])
    lines = figure.axes[0].lines
    assert [line.get_marker() for line in lines] == ["$3$", "$8$"]
    np.testing.assert_array_equal(lines[0].get_xydata(), points[[0, 2]])


def test_variance_is_cumulated():
    _, ax = plt.subplots()
    assert figures.plot_variance({"a": [0.5, 0.25, 0.25]}, ax=ax) is ax
    assert ax.lines[0].get_ydata().tolist() == [50, 75, 100]
    assert ax.get_title() == ""


@pytest.mark.parametrize("draw", [figures.plot_map])
def test_draws_where_told(draw):
    _, ax = plt.subplots()
    assert draw(np.zeros((2, 2)), [0, 1], ax=ax) is ax
