"""Figures of the chapter ``book/perceptron.md``: mistakes, bounds, errors and weights.

Those of the plane are in ``perceptron_geometry.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import BLACK, BLUE, GREEN, GREY, VERMILION, WIDE

BOUNDS: dict[str, tuple[str, dict[str, Any]]] = {
    "separable": ("separable", {"color": BLACK, "linestyle": ":"}),
    "hinge": ("hinge", {"color": VERMILION, "linestyle": "--"}),
    "squared": ("squared hinge", {"color": GREEN, "linestyle": "-."}),
    "examples": ("every example", {"color": GREY, "linestyle": "-", "linewidth": 0.9}),
}


def plot_mistakes_per_epoch(mistakes: Mapping[str, ArrayLike], ax: Axes | None = None) -> Axes:
    """Plot the mistakes of each epoch, one line per run.

    Parameters
    ----------
    mistakes : mapping of str to array-like of shape (n_epochs,)
        Name of a run and its mistakes epoch by epoch; the runs may differ in length.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    for (name, counts), look in zip(mistakes.items(), looks(mistakes), strict=True):
        counts = np.asarray(counts)
        ax.plot(np.arange(1, len(counts) + 1), counts, label=name, **look)
    ax.set(xlabel="epoch", ylabel="mistakes in the epoch", ylim=(0, None))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend()
    return ax


def plot_mistakes_and_bounds(
    mistakes: ArrayLike, least: pd.DataFrame, ax: Axes | None = None
) -> Axes:
    """Plot the mistakes made so far beside the bounds, epoch by epoch.

    Parameters
    ----------
    mistakes : array-like of shape (n_epochs,)
        The mistakes of each epoch.
    least : DataFrame
        From ``kernlib.report.bounds.least_bounds``, a line an epoch.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    for column, (name, look) in BOUNDS.items():
        if least[column].notna().all():
            ax.plot(least["epoch"], least[column], label=f"bound: {name}", **look)
    made = np.cumsum(np.asarray(mistakes))
    epochs = np.arange(1, len(made) + 1)
    ax.plot(epochs, made, color=BLUE, marker="o", markersize=3.5, label="mistakes made")
    ax.set(xlabel="epochs", ylabel="mistakes so far", yscale="log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def plot_mistakes_and_bounds_panels(
    runs: Mapping[str, tuple[ArrayLike, pd.DataFrame]],
) -> Figure:
    """Draw ``plot_mistakes_and_bounds`` for several data sets, with one legend."""
    size = (WIDE[0], WIDE[1] + 0.3)
    figure, axes = plt.subplots(1, len(runs), figsize=size)
    known: dict[str, Any] = {}
    for number, ((name, (mistakes, least)), ax) in enumerate(
        zip(runs.items(), np.atleast_1d(axes), strict=True)
    ):
        plot_mistakes_and_bounds(mistakes, least, ax)
        ax.set(title=name, ylabel="mistakes so far" if number == 0 else "")
        lines, labels = ax.get_legend_handles_labels()
        known |= dict(zip(labels, lines, strict=True))
    figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=3)
    return figure


def plot_mistakes_by_margin(runs: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot mistakes until convergence, and their bound, against the margin of the data.

    Parameters
    ----------
    runs : DataFrame
        ``margin``, ``mistakes`` and ``bound``, a line a data set.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    means = runs.groupby("margin")["bound"].mean()
    ax.loglog(means.index, means, label=r"bound $(R/\gamma)^2$", **BOUNDS["separable"][1])
    ax.loglog(
        runs["margin"], runs["mistakes"], "o", color=BLUE, alpha=0.6, label="mistakes, one data set"
    )
    ax.set(xlabel=r"margin $\gamma$", ylabel="mistakes until convergence")
    ax.legend()
    return ax


def plot_frontier(paths: Mapping[str, pd.DataFrame], ax: Axes | None = None) -> Axes:
    """Plot the mean hinge loss against (R ||u||)^2, the two things that a bound trades.

    Parameters
    ----------
    paths : mapping of str to DataFrame
        Name of a form of the data and its ``kernlib.report.bounds.comparison``, the vectors in
        the order of their length.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    for (name, path), look in zip(paths.items(), looks(paths), strict=True):
        ax.semilogx(path["complexity"], path["hinge"] / path["rows"], label=name, **look)
    ax.set(xlabel=r"$(R\,\Vert u\Vert)^2$", ylabel="mean hinge loss of $u$", xlim=(0.03, None))
    ax.legend()
    return ax


def plot_errors_by_epoch(errors: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot test errors against epochs, one line per predictor, with the range over the orders.

    Parameters
    ----------
    errors : DataFrame
        ``predictor``, ``epochs`` and ``error``, a line a run.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    names = list(dict.fromkeys(errors["predictor"]))
    for name, look in zip(names, looks(names), strict=True):
        found = errors[errors["predictor"] == name].groupby("epochs")["error"]
        mean, low, high = found.mean(), found.min(), found.max()
        ax.plot(mean.index, mean, label=name, **look)
        ax.fill_between(mean.index, low, high, color=look["color"], alpha=0.12, linewidth=0)
    ax.set(xlabel="epochs", ylabel="test error", ylim=(0, None))
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def plot_errors_by_epoch_panels(errors: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw ``plot_errors_by_epoch`` for several data sets, with one legend."""
    figure, axes = plt.subplots(1, len(errors), figsize=WIDE)
    for (name, found), ax in zip(errors.items(), np.atleast_1d(axes), strict=True):
        plot_errors_by_epoch(found, ax).set_title(name)
    np.atleast_1d(axes)[-1].legend()
    return figure


def weight_matrix(weights: Mapping[str, float], names: Sequence[str]) -> np.ndarray:
    """Return weights of products such as ``x2*x9`` or ``x2^2`` as a symmetric matrix of pairs."""
    matrix = np.full((len(names), len(names)), np.nan)
    for (i, first), (j, second) in product(enumerate(names), repeat=2):
        for key in (f"{first}*{second}", f"{first}^2" if i == j else ""):
            if key in weights:
                matrix[i, j] = matrix[j, i] = weights[key]
    return matrix


def plot_weights(matrices: Mapping[str, np.ndarray], names: Sequence[str]) -> Figure:
    """Draw matrices of weights side by side, in the same colours."""
    figure, axes = plt.subplots(1, len(matrices), figsize=WIDE, sharey=True)
    limit = max(float(np.nanmax(np.abs(matrix))) for matrix in matrices.values())
    norm = SymLogNorm(linthresh=limit / 30, vmin=-limit, vmax=limit)
    for (name, matrix), ax in zip(matrices.items(), np.atleast_1d(axes), strict=True):
        image = ax.imshow(matrix, cmap="RdBu", norm=norm)
        ax.set_title(name)
        ax.set_xticks(range(len(names)), names, rotation=90)
        ax.set_yticks(range(len(names)), names)
        ax.grid(False)
    bar = figure.colorbar(image, ax=axes, label="weight of the product", shrink=0.85)
    powers = [10.0**k for k in range(1, 9) if limit / 30 < 10.0**k <= limit]
    bar.set_ticks([*(-p for p in reversed(powers)), 0.0, *powers])
    bar.minorticks_off()
    return figure
