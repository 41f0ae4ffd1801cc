"""Figures of the chapter ``book/kernel_pegasos.md``."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import BLUE, REFERENCE, SINGLE, VERMILION, WIDE

CELL, MARGIN = 0.45, 0.9  # inches: a cell of a grid, and the labels around it
DARK = 0.55  # from here on a cell is dark enough for white digits
ROOM = 1.05  # of a square around points, in units of their largest coordinate
ROUNDING, SMALLEST = -16, -308  # powers of 10 of a double


def plot_grids(
    grids: Mapping[str, pd.DataFrame], xlabel: str, ylabel: str, width: float = WIDE[0]
) -> Figure:
    """Draw tables of error rates side by side, each cell with its value in per cent.

    Parameters
    ----------
    grids : mapping of str to DataFrame
        Heading of a panel and its error rates; all panels have the same rows.
    xlabel, ylabel : str
        What the columns and the rows are.
    width : float
        Of the figure, in inches.

    Returns
    -------
    matplotlib Figure
        All panels share one logarithmic scale of greys: darker errs more.  Missing rates are
        blank.
    """
    first = next(iter(grids.values()))
    size = (width, CELL * len(first) + MARGIN)
    fig, axes = plt.subplots(1, len(grids), figsize=size, sharey=True, squeeze=False)
    values = np.concatenate([100 * grid.to_numpy().ravel() for grid in grids.values()])
    lowest = float(np.nanmin(values))
    norm = LogNorm(lowest, max(float(np.nanmax(values)), 1.01 * lowest))
    for ax, (name, grid) in zip(axes[0], grids.items(), strict=True):
        per_cent = 100 * grid.to_numpy()
        ax.imshow(np.ma.masked_invalid(per_cent), cmap="Greys", norm=norm, aspect="auto")
        for (row, column), value in np.ndenumerate(per_cent):
            if np.isnan(value):
                continue
            shade = "white" if norm(value) > DARK else "black"
            text = f"{value:.1f}"
            ax.text(column, row, text, ha="center", va="center", color=shade, fontsize=8)
        ax.set_xticks(range(grid.shape[1]), [str(name) for name in grid.columns], fontsize=8)
        ax.set_yticks(range(len(grid)), [str(name) for name in grid.index], fontsize=9)
        ax.set(xlabel=xlabel)
        ax.set_title(name)
        ax.grid(False)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    axes[0, 0].set_ylabel(ylabel)
    return fig


def plot_violations(shares: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot the share of draws that violate the margin against lambda, a line for each kernel."""
    ax = axes_or_new(ax, WIDE)
    for name, look in zip(shares.columns, looks(shares.columns), strict=True):
        ax.semilogx(shares.index, shares[name], label=name, **look)
    ax.set(xlabel="$\\lambda$", ylabel="share of draws that are stored", ylim=(0, 1.03))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def plot_surfaces(
    grids: Mapping[str, ArrayLike], X: np.ndarray, y: np.ndarray, beta: Mapping[str, ArrayLike]
) -> Figure:
    """Draw the sign of scores over a square, with the examples in proportion to their counts.

    Parameters
    ----------
    grids : mapping of str to array-like of shape (n, n)
        Heading of a panel and scores on an even grid over the square around 0 whose half side is
        ``ROOM`` times the largest coordinate.
    X, y : ndarray
        Two features of the examples, and their labels, +1 and -1.
    beta : mapping of str to array-like of shape (n_examples,)
        Heading of a panel and the counts; examples with the count 0 are small crosses.
    """
    fig, axes = plt.subplots(1, len(grids), figsize=WIDE, sharex=True, sharey=True, squeeze=False)
    limit = ROOM * float(np.abs(X).max())
    extent = (-limit, limit, -limit, limit)
    for ax, (name, scores) in zip(axes[0], grids.items(), strict=True):
        signs = np.sign(np.asarray(scores))
        ax.imshow(signs, origin="lower", extent=extent, cmap="RdBu", vmin=-3.5, vmax=3.5)
        counts = np.asarray(beta[name], dtype=float)
        size = 8 + 60 * counts / counts.max()
        for label, color in ((1, BLUE), (-1, VERMILION)):
            stored, other = (y == label) & (counts > 0), (y == label) & (counts == 0)
            ax.scatter(*X[stored].T, s=size[stored], color=color, alpha=0.7, linewidths=0)
            ax.scatter(*X[other].T, s=10, color=color, marker="x", linewidths=0.8)
        ax.set(title=name, xticks=[], yticks=[], aspect="equal")
        ax.grid(False)
    return fig


def plot_excess(
    excess: Mapping[str, Mapping[str, ArrayLike]], steps: ArrayLike, optimum: Mapping[str, float]
) -> Figure:
    """Plot how far objectives are above the optimum, relative to it, against the steps.

    Parameters
    ----------
    excess : mapping of str to mapping of str to array-like of shape (n_steps,)
        For the heading of each panel: name of an output and its objectives.
    steps : array-like of shape (n_steps,)
        The numbers of steps.
    optimum : mapping of str to float
        The least objective, for each panel.
    """
    fig, axes = plt.subplots(1, len(excess), figsize=WIDE, sharey=True, squeeze=False)
    for ax, (panel, lines) in zip(axes[0], excess.items(), strict=True):
        for (name, values), look in zip(lines.items(), looks(lines), strict=True):
            above = np.asarray(values) / optimum[panel] - 1
            ax.loglog(np.asarray(steps), above, label=name, **look)
        ax.set(title=panel, xlabel="steps T")
    axes[0, 0].set_ylabel("excess over the optimum,\nrelative")
    axes[0, -1].legend()
    return fig


def plot_losses(errors: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot error rates with their standard errors against lambda.

    Parameters
    ----------
    errors : DataFrame
        Columns ``line``, ``lam``, ``mean`` and ``se``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    names = list(dict.fromkeys(errors["line"]))
    for name, look in zip(names, looks(names), strict=True):
        part = errors[errors["line"] == name]
        ax.errorbar(part["lam"], part["mean"], yerr=part["se"], label=name, capsize=2, **look)
    ax.set_xscale("log")
    ax.set(xlabel="$\\lambda$", ylabel="error rate", ylim=(0, None))
    ax.legend()
    return ax


def plot_kernel_values(values: Mapping[str, ArrayLike], ax: Axes | None = None) -> Axes:
    """Draw how a kernel's values are spread over the powers of 10.

    Parameters
    ----------
    values : mapping of str to array-like
        Name of a kernel and the powers of 10 of its values at pairs of points.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        With lines where a value is lost in a sum with 1, and where a double is 0.
    """
    ax = axes_or_new(ax, WIDE)
    lowest = min(float(np.min(np.asarray(powers))) for powers in values.values())
    bins = np.linspace(1.02 * lowest, 0, 120).tolist()
    for (name, powers), look in zip(values.items(), looks(values), strict=True):
        color, line = look["color"], look["linestyle"]
        weights = np.full(np.size(powers), 1 / np.size(powers))
        ax.hist(np.asarray(powers), bins=bins, weights=weights, histtype="step", label=name,
                color=color, linestyle=line, linewidth=1.6)  # fmt: skip
    for power, what in ((ROUNDING, "lost beside 1"), (SMALLEST, "0 in a double")):
        ax.axvline(power, **REFERENCE)
        ax.annotate(f"{what} ", (power, 1.0), xycoords=("data", "axes fraction"), ha="right",
                    va="top", fontsize=8)  # fmt: skip
    ax.set(xlabel="power of 10 of $K(x, x')$", ylabel="share of the pairs")
    ax.legend(loc="center left")
    return ax


def plot_ranges(ranges: pd.DataFrame) -> Figure:
    """Plot what lambda moves and what other draws move, against the number of steps.

    Parameters
    ----------
    ranges : DataFrame
        Columns ``panel``, ``line``, ``T`` and ``value``.
    """
    panels = list(dict.fromkeys(ranges["panel"]))
    fig, axes = plt.subplots(1, len(panels), figsize=WIDE, sharey=True, squeeze=False)
    for ax, panel in zip(axes[0], panels, strict=True):
        part = ranges[ranges["panel"] == panel]
        names = list(dict.fromkeys(part["line"]))
        for name, look in zip(names, looks(names), strict=True):
            line = part[part["line"] == name]
            ax.loglog(line["T"], line["value"], label=name, **look)
        steps = sorted(set(part["T"]))
        ax.set_xticks(steps, [str(count) for count in steps], fontsize=8)
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=1))
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 4)))
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.set(title=panel, xlabel="steps T")
    axes[0, 0].set_ylabel("test error, spread")
    axes[0, -1].legend()
    return fig


def plot_by_kernel(errors: pd.DataFrame, reference: Mapping[str, float]) -> Axes:
    """Plot the test errors of kernels over a grid of parameters, the least one marked.

    Parameters
    ----------
    errors : DataFrame
        Columns ``kernel`` and ``value``, one line for each cell of the grid; kernels are drawn
        in the order in which they come, from the top.  If there is a column ``T``, the ticks at
        the largest are black, the others grey.
    reference : mapping of str to float
        Name and height of vertical lines.
    """
    names = list(dict.fromkeys(errors["kernel"]))
    ax = plt.subplots(figsize=(SINGLE[0] * 1.2, 0.32 * len(names) + MARGIN))[1]
    for place, name in enumerate(names):
        part = errors[errors["kernel"] == name]
        values = part["value"]
        longest = part["T"] == part["T"].max() if "T" in part else values > np.inf
        for which, color in ((~longest, "0.65"), (longest, "black")):
            ticks = values[which]
            ax.plot(ticks, np.full(len(ticks), place), "|", color=color, markersize=9)
        ax.plot(values.min(), place, "o", color=BLUE, markersize=7)
    for name, value in reference.items():
        ax.axvline(value, color=VERMILION, linestyle="--", linewidth=1.2, label=name)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.set_xticks([0.03, 0.05, 0.1, 0.2, 0.5])
    ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set(xlabel="test error of cross validation")
    if reference:
        ax.legend(loc="lower right", bbox_to_anchor=(1, 1))  # above: ticks reach every corner
    return ax


def milan_grids(numbers: pd.DataFrame, published: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return document 1's 48 validation errors and ours, kernels by lambdas.

    Parameters
    ----------
    numbers : DataFrame
        From ``catalogue.numbers("cologni2024.kernel_pegasos")``.
    published : DataFrame
        The shipped table ``cologni2024_kernel_pegasos``.

    Returns
    -------
    dict of str to DataFrame
        Those published, ours on the original, and ours on the twin if it served here.
    """
    ours = numbers[numbers["quantity"] == "validation_error"].copy()
    words = ours["row"].str.split(" ", expand=True)
    ours["lambda"], named = words[0], words[1].where(words[1] == "polynomial", ours["variant"])
    names = {"polynomial": "degree ", "as their code": "exponential ", "as printed": "Gaussian "}
    ours["kernel"] = named.map(names) + words[2]
    theirs = published.copy()
    polynomial = theirs["kernel"] == "polynomial"
    kind = polynomial.map({True: "degree ", False: "exponential "})
    theirs["kernel"] = kind + theirs["degree"].where(polynomial, theirs["gamma"])
    theirs["printed"] = theirs["printed_val"].astype(float)
    columns = list(dict.fromkeys(theirs["lambda"]))
    rows = [name for start in names.values() for name in dict.fromkeys(ours["kernel"])
            if name.startswith(start)]  # fmt: skip
    shown = {"published": (theirs, "printed")}
    if "recorded" in ours.columns:
        shown |= {"the original": (ours, "recorded"), "the twin": (ours, "mean")}
    else:
        shown |= {"the original": (ours, "mean")}
    return {
        name: frame.pivot(index="kernel", columns="lambda", values=value).reindex(
            index=rows, columns=columns
        )
        for name, (frame, value) in shown.items()
    }
