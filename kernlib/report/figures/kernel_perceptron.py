"""Figures of the chapter ``book/kernel_perceptron.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter, PercentFormatter
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import PUBLISHED, WIDE

PERCENT = PercentFormatter(1, decimals=0)


def _by_parameter(frame: pd.DataFrame, kind: str, value: str) -> tuple[list[float], list[float]]:
    """Return the last word of the rows that start with ``kind`` as a number, and their values."""
    rows = frame[frame["row"].str.startswith(kind)]
    return [float(row.split()[-1]) for row in rows["row"]], rows[value].tolist()


def plot_kernel_choices(
    numbers: pd.DataFrame, card: pd.DataFrame, labels: Mapping[str, str], value: str = "mean"
) -> Figure:
    """Plot errors against the degree and against the width, by variant and as published.

    Parameters
    ----------
    numbers : DataFrame
        Of one quantity: ``row`` ("polynomial 3", "gaussian 0.1"), ``variant`` and the values.
    card : DataFrame
        The published values: ``row`` and ``published``.
    labels : mapping of str to str
        What the legend calls each variant; others are not drawn.
    value : str, default="mean"
        The column of ``numbers`` to draw.

    Returns
    -------
    matplotlib Figure
    """
    figure, axes = plt.subplots(1, 2, figsize=WIDE, sharey=True)
    for ax, kind in zip(axes, ("polynomial", "gaussian"), strict=True):
        for (variant, label), look in zip(labels.items(), looks(labels), strict=True):
            x, y = _by_parameter(numbers[numbers["variant"] == variant], kind, value)
            if x:
                ax.plot(x, y, label=label, **look)
        ax.plot(*_by_parameter(card, kind, "published"), label="published", **PUBLISHED)
    axes[0].set(xlabel="degree n", ylabel="validation error", yscale="log")
    axes[0].xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0].set_yticks([0.05, 0.1, 0.2, 0.4])
    axes[0].yaxis.set_major_formatter(PERCENT)
    axes[0].yaxis.set_minor_formatter(NullFormatter())
    axes[1].set(xlabel=r"width parameter $g$", xscale="log")
    axes[1].legend()  # has every variant; on the left two of them are the same kernel
    return figure


def plot_errors(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    published: tuple[ArrayLike, ArrayLike] | None = None,
    ax: Axes | None = None,
    *,
    xlabel: str = "epochs",
    ylabel: str = "errors on the 600 test digits",
    log: bool = False,
    percent: bool = False,
) -> Axes:
    """Plot errors against a whole number, such as the epochs, one line each.

    Parameters
    ----------
    curves : mapping of str to (array-like, array-like)
        Name of a run, what stands on the horizontal axis, and the errors.
    published : (array-like, array-like), optional
        The same of the published numbers, drawn as crosses.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    xlabel, ylabel : str
        What the axes are called.
    log : bool, default=False
        Whether the errors stand on a logarithmic axis.
    percent : bool, default=False
        Whether the errors are shares, to be written as percentages.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    for (name, (x, errors)), look in zip(curves.items(), looks(curves), strict=True):
        ax.plot(np.asarray(x), np.asarray(errors), label=name, **look)
    if published is not None:
        ax.plot(*(np.asarray(part) for part in published), label="published", **PUBLISHED)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if log:
        ax.set_yscale("log")
        ax.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
        ax.yaxis.set_minor_formatter(NullFormatter())
    else:
        ax.set_ylim(0, None)
    if percent:
        ax.yaxis.set_major_formatter(PERCENT)
    ax.legend()
    return ax


def plot_wrapping(exact: ArrayLike, wrapped: ArrayLike, names: Sequence[str]) -> Figure:
    """Draw two Gram matrices side by side, as signed cube roots in units of the largest.

    The root brings values that differ by orders of magnitude into one scale of colours.

    Parameters
    ----------
    exact, wrapped : array-like of shape (n, n)
        Their values on the same points.
    names : sequence of two str
        What stands above them.

    Returns
    -------
    matplotlib Figure
    """
    figure, axes = plt.subplots(1, 2, figsize=WIDE)
    image: Any = None
    for ax, values, name in zip(axes, (exact, wrapped), names, strict=True):
        root = np.cbrt(np.asarray(values, dtype=float))
        image = ax.imshow(
            root / np.abs(root).max(), cmap="RdBu", vmin=-1, vmax=1, interpolation="nearest"
        )
        ax.set(xticks=[], yticks=[], xlabel="training digit")
        ax.set_title(name)
        ax.grid(False)
    axes[0].set_ylabel("training digit")
    figure.colorbar(image, ax=axes, label="signed cube root / largest", shrink=0.85)
    return figure


def plot_prediction_cost(costs: Mapping[str, pd.DataFrame], ax: Axes | None = None) -> Axes:
    """Plot the seconds of a prediction against the kernel values that it takes.

    Parameters
    ----------
    costs : mapping of str to DataFrame
        Name of a way to compute, and ``kernel_values`` and ``seconds`` of its runs.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        A grey line through 0 is the time per value, by least squares.
    """
    ax = axes_or_new(ax)
    together = pd.concat(costs.values())
    values, seconds = together[["kernel_values", "seconds"]].to_numpy(dtype=float).T
    values = values / 1e6
    slope = float((values @ seconds) / (values @ values))
    ax.axline((0, 0), slope=slope, color="0.5", linestyle="-", linewidth=0.8)
    for (name, cost), look in zip(costs.items(), looks(costs), strict=True):
        points: dict[str, Any] = look | {"linestyle": "none"}
        ax.plot(cost["kernel_values"] / 1e6, cost["seconds"], label=name, **points)
    ax.set(xlabel="kernel values, millions", ylabel="processor seconds for the 600 digits")
    ax.set(xlim=(0, None), ylim=(0, None))
    ax.legend()
    return ax
