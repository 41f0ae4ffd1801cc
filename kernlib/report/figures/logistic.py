"""Figures of the chapter ``book/logistic.md``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import REFERENCE, SQUARE, WIDE

MIN_COUNT = 20  # a bin with fewer points says nothing
Curve = Callable[[np.ndarray], np.ndarray]

# Value and slope -l'(m) of each loss of the margin.
LOSSES: dict[str, tuple[Curve, Curve]] = {
    "zero-one": (lambda m: (m <= 0).astype(float), lambda m: np.full_like(m, np.nan)),
    "hinge": (lambda m: np.maximum(0, 1 - m), lambda m: (m < 1).astype(float)),
    "logistic, ln": (lambda m: np.logaddexp(0, -m), lambda m: 1 / (1 + np.exp(m))),
    "logistic, log2": (
        lambda m: np.logaddexp(0, -m) / np.log(2),
        lambda m: 1 / (1 + np.exp(m)) / np.log(2),
    ),
    "exponential": (lambda m: np.exp(-m), lambda m: np.exp(-m)),
    "squared hinge": (lambda m: np.maximum(0, 1 - m) ** 2, lambda m: 2 * np.maximum(0, 1 - m)),
}
NAMES = {"logistic, ln": r"logistic, $\ln$", "logistic, log2": r"logistic, $\log_2$"}


def plot_losses(ax: Axes | None = None, *, slopes: bool = False, top: float = 4.0) -> Axes:
    """Plot the losses of the margin, or how hard an example pulls at each margin.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    slopes : bool, default=False
        Draw the slopes instead of the values.
    top : float, default=4
        End of the vertical axis.
    """
    ax = axes_or_new(ax)
    m = np.linspace(-2.5, 2.5, 501)
    for (name, curves), look in zip(LOSSES.items(), looks(LOSSES), strict=True):
        if slopes and name == "zero-one":
            continue
        drawn = {**look, "marker": None, "label": NAMES.get(name, name)}
        if name == "zero-one":
            drawn |= {"color": "black", "linestyle": "-", "linewidth": 1.2}
        ax.plot(m, curves[slopes](m), **drawn)
    what = r"pull $-\ell'(m)$" if slopes else r"loss $\ell(m)$"
    ax.set(xlabel=r"margin $m = y f(x)$", ylabel=what, ylim=(0, top), xlim=(-2.5, 2.5))
    return ax


def plot_losses_and_slopes() -> Figure:
    """Draw the losses and their slopes side by side."""
    figure, axes = plt.subplots(1, 2, figsize=(WIDE[0], WIDE[1] + 0.4))
    for slopes, ax in zip((False, True), axes, strict=True):
        plot_losses(ax, slopes=slopes)
    lines, labels = axes[0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside lower center", ncols=3)
    return figure


def plot_over_lambda(
    numbers: pd.DataFrame,
    ylabel: str,
    ax: Axes | None = None,
    *,
    line: float | None = None,
    log: bool = False,
) -> Axes:
    """Plot a quantity against lambda, one line per name, with standard errors.

    Parameters
    ----------
    numbers : DataFrame
        ``name``, ``lam``, ``mean`` and ``se``.
    ylabel : str
        What it is.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    line : float, optional
        A value to mark by a thin line.
    log : bool, default=False
        A logarithmic axis; otherwise the quantity is an error rate, in per cent.
    """
    ax = axes_or_new(ax)
    names = list(dict.fromkeys(numbers["name"]))
    for name, look in zip(names, looks(names), strict=True):
        part = numbers[numbers["name"] == name]
        ax.errorbar(part["lam"], part["mean"], part["se"], label=name, capsize=2, **look)
    ax.set(xlabel=r"$\lambda$", ylabel=ylabel, xscale="log")
    if line is not None:
        ax.axhline(line, **REFERENCE)
    if log:
        ax.set_yscale("log")
    else:
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.legend()
    return ax


def plot_grid_edges(numbers: pd.DataFrame, edges: Mapping[str, float]) -> Figure:
    """Draw validation and training errors against lambda, a panel a learner.

    Parameters
    ----------
    numbers : DataFrame
        ``learner``, ``name`` (which error), ``lam``, ``mean`` and ``se``.
    edges : mapping of str to float
        The smallest lambda of each learner's printed grid; what lies below is shaded.
    """
    size = (WIDE[0], WIDE[1])
    figure, axes = plt.subplots(1, len(edges), figsize=size, sharey=True)
    for number, ((learner, edge), ax) in enumerate(
        zip(edges.items(), np.atleast_1d(axes), strict=True)
    ):
        part = numbers[numbers["learner"] == learner]
        plot_over_lambda(part, "error" if number == 0 else "", ax)
        ax.axvspan(part["lam"].min() / 2, edge / 10**0.5, color="0.9", zorder=0)
        ax.set(title=learner, xlim=(part["lam"].min() / 2, part["lam"].max() * 2))
        if number:
            ax.get_legend().remove()
    np.atleast_1d(axes)[0].set_ylim(0, None)
    return figure


def plot_reliability(tables: Mapping[str, pd.DataFrame], ax: Axes | None = None) -> Axes:
    """Plot observed against predicted shares, one line per learner.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Name of a learner and its ``kernlib.report.calibration.reliability``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        With the diagonal of perfect calibration; bars are two standard errors, and bins with
        fewer than 20 points are left out.
    """
    ax = axes_or_new(ax, SQUARE)
    ax.plot([0, 1], [0, 1], **REFERENCE)
    for (name, table), look in zip(tables.items(), looks(tables), strict=True):
        table = table[table["count"] >= MIN_COUNT]
        bars: Any = 2 * table["se"]
        ax.errorbar(
            table["predicted"], table["observed"], bars, label=name, capsize=2,
            **look | {"linewidth": 1.2},
        )  # fmt: skip
    ax.set(xlabel="predicted probability of +1", ylabel="observed share of +1")
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    ax.set_aspect("equal")
    ax.legend(loc="upper left")
    return ax


def plot_reliability_panels(panels: Mapping[str, Mapping[str, pd.DataFrame]]) -> Figure:
    """Draw ``plot_reliability`` for several forms of the data side by side."""
    figure, axes = plt.subplots(1, len(panels), figsize=(WIDE[0], WIDE[0] / 2), sharey=True)
    for number, ((name, tables), ax) in enumerate(
        zip(panels.items(), np.atleast_1d(axes), strict=True)
    ):
        plot_reliability(tables, ax).set_title(name)
        if number:
            ax.set_ylabel("")
    return figure
