"""Figures of the chapter ``book/digits.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import BLUE, SQUARE, VARIANTS, VERMILION, WIDE

BINS = 60


def plot_gallery(
    images: ArrayLike, labels: Sequence[object] | None = None, *, columns: int = 10
) -> Figure:
    """Draw images row by row, dark ink on a light ground.

    Parameters
    ----------
    images : array-like of shape (n_images, side * side)
        Grey values; the lowest of each is drawn white, the highest black.
    labels : sequence, optional
        What stands above each image.
    columns : int, default=10
        Images in a row.
    """
    pictures = np.asarray(images, dtype=float)
    side = round(np.sqrt(pictures.shape[1]))
    rows = -(-len(pictures) // columns)
    size = WIDE[0] / columns
    height = rows * size * (1.0 if labels is None else 1.28)
    figure, axes = plt.subplots(rows, columns, figsize=(WIDE[0], height), squeeze=False)
    figure.set_layout_engine("constrained", w_pad=0.02, h_pad=0.02, wspace=0, hspace=0)
    for ax in axes.flat:
        ax.set_axis_off()
    for k, (ax, picture) in enumerate(zip(axes.flat, pictures, strict=False)):
        ax.imshow(picture.reshape(side, side), cmap="Greys", interpolation="nearest")
        if labels is not None:
            ax.set_title(str(labels[k]), fontsize=9, pad=2)
    return figure


def plot_balance(shares: Mapping[str, ArrayLike], ax: Axes | None = None) -> Axes:
    """Draw the share of each digit, a bar a data set.

    Parameters
    ----------
    shares : mapping of str to array-like of shape (10,)
        Name of a data set and the shares of its digits.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        With a thin line where all digits would be equally frequent.
    """
    ax = axes_or_new(ax, (WIDE[0], 2.6))
    width = 0.8 / len(shares)
    hatches = ("", "//", "..")
    for k, ((name, values), look) in enumerate(zip(shares.items(), looks(shares), strict=True)):
        heights = 100 * np.asarray(values)
        places = np.arange(len(heights)) + (k - (len(shares) - 1) / 2) * width
        fill = {"color": look["color"], "alpha": 0.75, "hatch": hatches[k], "edgecolor": "white"}
        ax.bar(places, heights, width, label=name, linewidth=0, **fill)
    ax.axhline(100 / len(heights), color="0.35", linewidth=0.9, linestyle="-")
    ax.set(xticks=np.arange(len(heights)), xlabel="digit", ylabel="share in per cent")
    ax.grid(axis="x", visible=False)
    ax.legend()
    return ax


def plot_distance_matrix(distances: Mapping[str, ArrayLike]) -> Figure:
    """Draw the mean distance between digits as a matrix, one a data set.

    Parameters
    ----------
    distances : mapping of str to array-like of shape (10, 10)
        Name of a data set and the mean distances between its classes, on the diagonal within.
    """
    figure, axes = plt.subplots(1, len(distances), figsize=(WIDE[0], 4.1))
    for ax, (name, values) in zip(np.atleast_1d(axes), distances.items(), strict=True):
        table = np.asarray(values)
        middle = (table.min() + table.max()) / 2
        ax.imshow(table, cmap="viridis")
        for (i, j), value in np.ndenumerate(table):
            color = "black" if value > middle else "white"
            text = f"{value:.1f}"
            ax.text(j, i, text, ha="center", va="center", fontsize=7, color=color)
        digits = np.arange(len(table))
        ax.set(xticks=digits, yticks=digits, xlabel=f"digit, {name}", ylabel="digit")
        ax.grid(False)
    return figure


def plot_neighbours(distances: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Figure:
    """Draw how far the nearest image of the same digit is, and the nearest of another.

    Parameters
    ----------
    distances : mapping of str to (array-like, array-like)
        Name of a data set; of each image, the distance to the nearest of its digit, and to the
        nearest of any other digit.
    """
    figure, axes = plt.subplots(1, len(distances), figsize=(WIDE[0], 2.7))
    for ax, (name, (same, other)) in zip(np.atleast_1d(axes), distances.items(), strict=True):
        edges = np.histogram_bin_edges(np.concatenate([same, other]), BINS)
        ax.hist(same, edges, color=BLUE, alpha=0.5, label="same digit")
        ax.hist(other, edges, color=VERMILION, histtype="step", label="another digit")
        ax.set(xlabel=f"distance to the nearest, {name}", ylabel="images")
    handles, names = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names))
    return figure


def plot_map(points: ArrayLike, labels: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw images as their digits at two coordinates.

    Parameters
    ----------
    points : array-like of shape (n_images, 2)
        Where they are.
    labels : array-like of shape (n_images,)
        Their digits, which are also the markers.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, SQUARE)
    place, digit = np.asarray(points), np.asarray(labels)
    for k in np.unique(digit):
        color = VARIANTS[int(k) % len(VARIANTS)]["color"]
        here = place[digit == k]
        ax.plot(
            *here.T, linestyle="none", marker=f"${k}$", markersize=5, markeredgewidth=0.2,
            color=color, alpha=0.7, rasterized=True,
        )  # fmt: skip
    ax.set(xticks=[], yticks=[], xlabel="first direction", ylabel="second direction")
    ax.grid(False)
    return ax


def plot_maps(maps: Mapping[str, ArrayLike], labels: ArrayLike) -> Figure:
    """Draw several maps of the same images side by side; the name is the label of the axes.

    Parameters
    ----------
    maps : mapping of str to array-like of shape (n_images, 2)
        Name of a map and its points.
    labels : array-like of shape (n_images,)
        Their digits.
    """
    figure, axes = plt.subplots(1, len(maps), figsize=(WIDE[0], WIDE[0] / len(maps)))
    for ax, (name, points) in zip(np.atleast_1d(axes), maps.items(), strict=True):
        plot_map(points, labels, ax=ax)
        ax.set(xlabel=f"{name}, first direction", ylabel="second direction")
    return figure


def plot_variance(shares: Mapping[str, ArrayLike], ax: Axes | None = None) -> Axes:
    """Draw the share of the variance that the first k principal directions hold.

    Parameters
    ----------
    shares : mapping of str to array-like
        Name of a data set and the share of each direction, in falling order.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    for (name, values), look in zip(shares.items(), looks(shares), strict=True):
        held = 100 * np.cumsum(values)
        line = {"color": look["color"], "linestyle": look["linestyle"]}
        ax.semilogx(np.arange(1, len(held) + 1), held, label=name, **line)
    ax.set(xlabel="directions", ylabel="variance held, per cent", ylim=(0, 102))
    ax.legend(loc="lower right")
    return ax
