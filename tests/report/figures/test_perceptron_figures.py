"""Figures of the perceptron's chapter draw what they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from kernlib.report import bounds
from kernlib.report.figures import perceptron as figures
from kernlib.report.figures import perceptron_geometry as geometry

X = np.array([[2.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])
y = np.array([1, 1, -1])


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


def test_mistakes_add_up_beside_the_bounds():
    least = bounds.least_bounds(bounds.comparison(X, y, [np.array([1.0, 0.2])]), [1, 2])
    ax = figures.plot_mistakes_and_bounds([2, 1], least)
    drawn = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert drawn["mistakes made"] == [2, 3]
    assert drawn["bound: hinge"] == least["hinge"].tolist()
    assert drawn["bound: every example"] == [3, 6]
    assert "bound: separable" in drawn


def test_bound_that_does_not_apply_is_not_drawn():
    least = bounds.least_bounds(bounds.comparison(X, y, [np.array([-1.0, 0.0])]), [1])
    ax = figures.plot_mistakes_and_bounds([2], least)
    assert "bound: separable" not in [line.get_label() for line in ax.lines]


def test_panels_share_one_legend():
    least = bounds.least_bounds(bounds.comparison(X, y, [np.array([1.0, 0.2])]), [1, 2])
    figure = figures.plot_mistakes_and_bounds_panels({"a": ([1, 0], least), "b": ([1, 1], least)})
    assert [ax.get_title() for ax in figure.axes] == ["a", "b"]
    assert len(figure.legends) == 1
    assert len(figure.legends[0].get_texts()) == 5


def test_margins_are_drawn_with_the_bound():
    runs = pd.DataFrame({"margin": [0.1, 0.1, 1], "mistakes": [3, 5, 1], "bound": [40, 60, 2]})
    bound, dots = (
        line.get_xydata().tolist() for line in figures.plot_mistakes_by_margin(runs).lines
    )
    assert bound == [[0.1, 50], [1, 2]]
    assert dots == [[0.1, 3], [0.1, 5], [1, 1]]


def test_frontier_has_the_mean_loss():
    path = pd.DataFrame({"complexity": [1.0, 4.0], "hinge": [6.0, 3.0], "rows": [12, 12]})
    ax = figures.plot_frontier({"a": path})
    assert ax.lines[0].get_xydata().tolist() == [[1, 0.5], [4, 0.25]]


def test_errors_by_epoch_are_means_with_their_range():
    errors = pd.DataFrame(
        {"predictor": "last", "epochs": [1, 1, 2, 2], "error": [0.1, 0.3, 0.2, 0.2]}
    )
    ax = figures.plot_errors_by_epoch(errors)
    assert ax.lines[0].get_xydata().tolist() == [[1, 0.2], [2, 0.2]]
    band = ax.collections[0].get_paths()[0].vertices
    assert band[band[:, 0] == 1, 1].min() == 0.1
    assert band[band[:, 0] == 1, 1].max() == 0.3
    assert len(figures.plot_errors_by_epoch_panels({"a": errors, "b": errors}).axes) == 2


def test_weights_become_a_symmetric_matrix():
    matrix = figures.weight_matrix(
        {"x1*x2": 3.0, "x1*x1": 1.0, "x2": 7.0, "x2^2": 2.0}, ["x1", "x2"]
    )
    assert matrix.tolist() == [[1, 3], [3, 2]]
    figure = figures.plot_weights({"a": matrix, "b": -matrix}, ["x1", "x2"])
    first, second = (ax.images[0] for ax in figure.axes[:2])
    assert first.get_array().tolist() == matrix.tolist()
    assert first.norm.vmax == second.norm.vmax == 3


def test_halfspaces_have_the_hyperplane_and_its_margin():
    ax = geometry.plot_halfspaces(X, y, [2.0, 0.0], b=-0.5)
    plane, *sides = (line.get_xydata() for line in ax.lines)
    np.testing.assert_allclose(plane[:, 0], 0.25)  # x1 = 1/4
    assert sides == []  # the second point is on the wrong side: no margin
    ax = geometry.plot_halfspaces(X, y, [1.0, 1.0])
    gamma = 0.5 / np.sqrt(2)
    for line, side in zip(ax.lines[1:], (gamma, -gamma), strict=True):
        np.testing.assert_allclose(line.get_xydata() @ [1, 1] / np.sqrt(2), side)


def test_a_turn_shows_both_hyperplanes_and_the_example():
    path = np.array([[0.0, 0.0], [2.0, 0.0], [3.0, -0.5]])
    ax = geometry.plot_turn(X, y, path, 2, X[2])
    before, after = (line.get_xydata() for line in ax.lines)
    np.testing.assert_allclose(before @ path[1], 0, atol=1e-12)
    np.testing.assert_allclose(after @ path[2], 0, atol=1e-12)
    assert ax.collections[-1].get_offsets().tolist() == [X[2].tolist()]
    assert len(geometry.plot_turn(X, y, path, 1, X[0]).lines) == 1  # nothing before the first


def test_frames_follow_the_votes():
    labels = [label for label, _ in geometry.turns(X, y, X[[0, 2]], y[[0, 2]])]
    # (2, 0) leaves the second point on the hyperplane, (3, -1/2) on the wrong side.
    assert labels == [
        "mistake 1 of 2; after it 1 of 3 are wrong",
        "mistake 2 of 2; after it 1 of 3 are wrong",
    ]
