"""Figures of the chapter ``book/multiclass.md``."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import PUBLISHED, SQUARE, VARIANTS, WIDE

ONE_PERCENT = 0.01


def plot_epochs(curves: pd.DataFrame, parameter: str, ax: Axes | None = None) -> Axes:
    """Plot the mean test error after each epoch, one line per parameter.

    Parameters
    ----------
    curves : DataFrame
        A line a run: ``parameter``, ``epoch``, ``value``.
    parameter : str
        What the parameter is called.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The error axis is logarithmic.
    """
    ax = axes_or_new(ax, WIDE)
    wide = curves.pivot_table(index="epoch", columns="parameter", values="value")
    for name, look in zip(wide.columns, looks(map(str, wide.columns)), strict=True):
        ax.plot(wide.index, wide[name], label=f"{parameter} = {name:g}", markevery=3, **look)
    ax.set(xlabel="epochs", ylabel="test error", yscale="log")
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.yaxis.set_minor_formatter(PercentFormatter(1, decimals=0))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def plot_errors(card: pd.DataFrame, xlabel: str, ax: Axes | None = None) -> Axes:
    """Plot our errors with their standard deviations, and the published ones, by parameter.

    Parameters
    ----------
    card : DataFrame
        A scorecard: ``row`` (the parameter), ``quantity``, ``ours``, ``se``, ``runs``,
        ``published``.
    xlabel : str
        What the parameter is called.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    published = "published"
    for (quantity, part), look in zip(card.groupby("quantity", sort=False), VARIANTS, strict=False):
        x = part["row"].astype(float)
        spread = part["se"] * np.sqrt(part["runs"])
        name = str(quantity).replace("_", " ")
        ax.errorbar(x, part["ours"], yerr=spread, label=f"{name}, ours ± s.d.", capsize=2, **look)
        ax.plot(x, part["published"], label=published, **PUBLISHED)
        published = "_nolegend_"
    ax.set(xlabel=xlabel, ylabel="error", ylim=(0, None))
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.legend()
    return ax


def plot_confusion(counts: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot how often each digit was taken for another.

    Parameters
    ----------
    counts : DataFrame
        Mean counts; rows are the true digits, columns the predicted ones, the diagonal is left
        out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax, SQUARE)
    shown = counts.to_numpy(dtype=float).copy()
    np.fill_diagonal(shown, np.nan)
    ax.imshow(shown, cmap="Blues")
    for i, j in np.argwhere(shown >= ONE_PERCENT):
        ink = "white" if shown[i, j] > 0.6 * np.nanmax(shown) else "black"
        ax.text(j, i, f"{shown[i, j]:.1f}", ha="center", va="center", fontsize=7, color=ink)
    ax.set(xlabel="predicted digit", ylabel="true digit")
    ax.set_xticks(range(len(counts)), [str(c) for c in counts.columns])
    ax.set_yticks(range(len(counts)), [str(c) for c in counts.index])
    ax.grid(visible=False)
    return ax


def plot_digits(images: np.ndarray, captions: Sequence[str]) -> Figure:
    """Plot images of digits in a row, each with its caption.

    Parameters
    ----------
    images : ndarray of shape (n, height, width)
        Grey values.
    captions : sequence of str
        What stands below each.

    Returns
    -------
    matplotlib Figure
    """
    figure, axes = plt.subplots(1, len(images), figsize=(WIDE[0], WIDE[0] / len(images) + 0.5))
    for ax, image, caption in zip(np.atleast_1d(axes), images, captions, strict=True):
        ax.imshow(image, cmap="gray_r")
        ax.set(xticks=[], yticks=[])
        ax.set_xlabel(caption, fontsize=9)
        ax.grid(visible=False)
    return figure
