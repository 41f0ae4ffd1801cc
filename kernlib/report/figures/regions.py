"""Decision regions in the plane, for the chapters on kernels.

A fitted model is asked for its scores on a grid; nothing is trained here.
Tests: ``tests/report/figures/test_regions_figures.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new
from kernlib.report.style import BLUE, VERMILION

N_GRID = 121  # points of a side
MARGIN = 0.08  # of the range of the data, left free around it
PANEL = (1.9, 1.85)  # inches
PICTURE = (3.6, 3.1)
PALE = ("#F9DCC4", "#CFE3F1")  # of the negative and of the positive region
MARKS: dict[int, dict[str, Any]] = {
    -1: {"marker": "s", "color": VERMILION},
    1: {"marker": "o", "color": BLUE},
}


def _grid(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sides of a grid that covers the points with a margin."""
    low, high = X.min(axis=0), X.max(axis=0)
    room = MARGIN * (high - low)
    first, second = (
        np.linspace(a, b, N_GRID) for a, b in zip(low - room, high + room, strict=True)
    )
    return first, second


def plot_regions(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    ax: Axes | None = None,
    *,
    margins: bool = False,
    support: bool = False,
) -> Axes:
    """Draw the two regions of a binary predictor and the examples.

    Parameters
    ----------
    model : fitted classifier
        Its ``decision_function`` is drawn; its larger class is the positive one.
    X : array-like of shape (n_samples, 2)
        The examples.
    y : array-like of shape (n_samples,)
        Their labels, -1 and +1 or 0 and 1.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    margins : bool, default=False
        Also draw, dashed, where the score is -1 and 1.
    support : bool, default=False
        Ring the support vectors of the model.

    Returns
    -------
    matplotlib Axes
        Without ticks: only the shape matters.
    """
    ax = axes_or_new(ax, PANEL)
    X, positive = np.asarray(X, dtype=float), np.asarray(y) > 0
    first, second = _grid(X)
    points = np.stack(np.meshgrid(first, second), axis=-1)
    scores = np.asarray(model.decision_function(points.reshape(-1, 2)))
    scores = scores.reshape(points.shape[:2])
    ax.contourf(first, second, scores > 0, levels=[-0.5, 0.5, 1.5], colors=PALE)
    if scores.min() < 0 < scores.max():
        ax.contour(first, second, scores, levels=[0.0], colors="black", linewidths=1.2)
    if margins:
        inside = [level for level in (-1.0, 1.0) if scores.min() < level < scores.max()]
        if inside:
            style: Any = {"colors": "0.4", "linewidths": 0.7, "linestyles": "--"}
            ax.contour(first, second, scores, levels=inside, **style)
    for sign, look in MARKS.items():
        first_axis, second_axis = X[positive == (sign > 0)].T
        ax.scatter(first_axis, second_axis, s=7, linewidths=0, **look)
    if support:
        ring: Any = {"facecolors": "none", "edgecolors": "black", "linewidths": 0.7}
        first_axis, second_axis = np.asarray(model.support_vectors_, dtype=float).T
        ax.scatter(first_axis, second_axis, s=28, **ring)
    ax.set(xticks=[], yticks=[], xlim=first[[0, -1]], ylim=second[[0, -1]])
    ax.grid(False)
    return ax


def region_figure(model: Any, X: ArrayLike, y: ArrayLike, **options: Any) -> Figure:
    """Return decision regions as a figure of their own, one of many for an explorer.

    Unlike those of pyplot, it is neither kept open nor shown at the end of a cell.
    """
    figure = Figure(figsize=PICTURE, layout="constrained")
    plot_regions(model, X, y, figure.add_subplot(), **options)
    return figure


def plot_region_panels(
    rows: Mapping[str, Mapping[str, Any]], X: ArrayLike, y: ArrayLike, **options: Any
) -> Figure:
    """Draw rows of decision regions, each panel below its text.

    Parameters
    ----------
    rows : mapping of str to mapping of str to fitted classifier
        For each row its name, and by text what is drawn; the text stands above the panel.
    X, y : array-like
        The examples, in every panel.
    options
        As ``plot_regions`` takes them.

    Returns
    -------
    matplotlib Figure
    """
    n_columns = max(map(len, rows.values()))
    size = (PANEL[0] * n_columns, PANEL[1] * len(rows) + 0.25 * len(rows))
    figure, axes = plt.subplots(len(rows), n_columns, figsize=size, squeeze=False)
    for line, (name, panels) in zip(axes, rows.items(), strict=True):
        line[0].set_ylabel(name)
        for ax in line[len(panels) :]:
            ax.set_visible(False)
        for ax, (text, model) in zip(line, panels.items(), strict=False):
            plot_regions(model, X, y, ax, **options)
            ax.set_title(text, fontsize=8)
    return figure
