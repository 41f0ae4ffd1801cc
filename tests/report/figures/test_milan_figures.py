"""Figures of the chapter on the Milan table: bins and lines, never a point for a row."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection

from kernlib.datasets import make_milan_twin
from kernlib.report.figures import milan as figures

TWIN = make_milan_twin(500, seed=0)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: figures.plot_distributions(TWIN.data, TWIN.feature_names, TWIN.data),
        lambda: figures.plot_pairs(TWIN.data[:, :3], TWIN.target, TWIN.feature_names[:3]),
        lambda: figures.plot_named_pairs(TWIN.data, [("a", 2, 5), ("b", 5, 9)]),
    ],
)
def test_no_row_is_drawn(draw):
    figure = draw()
    for ax in figure.axes:
        assert not ax.lines
        assert not any(isinstance(c, PathCollection) for c in ax.collections)


def test_distributions_are_densities():
    figure = figures.plot_distributions(TWIN.data, TWIN.feature_names)
    for ax, column in zip(figure.axes, TWIN.data.T, strict=True):
        area = sum(bar.get_height() * bar.get_width() for bar in ax.patches)
        assert area == pytest.approx(1)
        assert ax.patches[0].get_x() == pytest.approx(column.min())


def test_pairs_show_counts_below_and_labels_above():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(4000, 2))
    figure = figures.plot_pairs(X, np.where(X[:, 1] > 0, 1, -1), ["a", "b"])
    above, below = figure.axes[1].collections[0], figure.axes[2].collections[0]
    share = np.ma.filled(above.get_array(), np.nan)
    # Above the diagonal the first feature is on the vertical axis, the second on the other.
    assert np.nanmin(share[:, -5:]) == 1
    assert np.nanmax(share[:, :5]) == 0
    # Counts are drawn as their roots.
    assert np.sum(below.get_array() ** 2) == pytest.approx(4000, rel=0.02)
    assert above.get_rasterized()
    assert below.get_rasterized()


def test_named_pairs_say_their_correlation():
    figure = figures.plot_named_pairs(TWIN.data, [("copies", 2, 5)])
    r = np.corrcoef(TWIN.data[:, 2], TWIN.data[:, 5])[0, 1]
    assert figure.axes[0].get_title() == f"copies\nr = {r:.2f}".replace("-", "−")
    assert figure.axes[0].get_xlabel() == "x3"
    assert figure.axes[0].get_ylabel() == "x6"


def test_scaling_boxes_reach_from_least_to_largest():
    errors = pd.DataFrame(
        [(s, k, e) for s in ("none", "all") for k in "abc" for e in (0.1, 0.2, 0.4)],
        columns=["scaling", "learner", "error"],
    )
    ax = figures.plot_scaling_spread(errors, {"none": 0.5, "all": 0.3})
    reached = np.concatenate([line.get_xdata() for line in ax.lines if len(line.get_xdata()) > 1])
    assert (reached.min(), reached.max()) == (10, pytest.approx(40))
    marked = [line for line in ax.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert [line.get_xdata()[0] for line in marked] == [50, 30]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["none", "all"]


def test_path_leaves_zeros_out():
    paths = pd.DataFrame({"a": [0.0, -2.0], "b": [1.0, 0.0]}, index=[0.1, 1.0])
    ax = figures.plot_shrinkage_path(paths, ["a"])
    lines = {line.get_label(): line.get_ydata() for line in ax.lines}
    np.testing.assert_array_equal(lines["a"], [np.nan, 2.0])
    assert "all others" in lines


def test_convergence_marks_a_clean_epoch():
    ax = figures.plot_convergence({"ends": [5, 2, 0], "goes on": [5, 5, 5]})
    bars = [line for line in ax.lines if line.get_marker() == "|"]
    assert [tuple(bar.get_xydata()[0]) for bar in bars] == [(3, 1)]
    assert ax.lines[0].get_ydata().tolist() == [5, 2]


def test_degrees_have_two_lines_each():
    errors = pd.DataFrame(
        {"degree": [1, 1, 2, 2], "n": [1, 2] * 2, "train": [0, 0.1, 0.2, 0.3], "test": 0.5}
    )
    ax = figures.plot_degrees(errors)
    assert len(ax.lines) == 4
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), [np.nan, 0.1])


def test_fidelity_in_per_cent():
    errors = pd.DataFrame({"row": ["a"], "mean": [0.1], "se": 0.01, "recorded": [0.2]})
    _, ax = plt.subplots()
    assert figures.plot_fidelity(errors.assign(recorded_se=0.02), ax=ax) is ax
    assert ax.lines[0].get_xdata()[0] == pytest.approx(20)
