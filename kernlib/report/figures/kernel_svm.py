"""Figures of the chapter ``book/kernel_svm.md``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new
from kernlib.report.style import BLUE, LOOK, PUBLISHED, REFERENCE, VARIANTS, VERMILION, WIDE

N_GRID = 160


def plot_margins(machines: Mapping[str, Any], X: ArrayLike, y: ArrayLike) -> Figure:
    """Plot the boundary, the margins and the support vectors of fitted machines, side by side.

    Parameters
    ----------
    machines : mapping of str to KernelSVM
        Fitted on X, by what to write above each.
    X : array-like of shape (n_samples, 2)
        The examples.
    y : array-like of shape (n_samples,)
        Their labels, two values.

    Returns
    -------
    matplotlib Figure
        Rings mark the support vectors.
    """
    X, y = np.asarray(X), np.asarray(y)
    figure, axes = plt.subplots(1, len(machines), figsize=(WIDE[0], 3.0), sharey=True)
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    grid = np.meshgrid(*(np.linspace(low[j], high[j], N_GRID) for j in (0, 1)))
    points = np.column_stack([part.ravel() for part in grid])
    for ax, (name, machine) in zip(np.atleast_1d(axes), machines.items(), strict=True):
        scores = machine.decision_function(points).reshape(grid[0].shape)
        ax.contour(
            *grid, scores, levels=[-1, 0, 1], colors="0.3", linestyles=[":", "-", ":"],
            linewidths=[0.9, 1.4, 0.9],
        )  # fmt: skip
        for value, color, marker in zip(np.unique(y), (VERMILION, BLUE), "so", strict=True):
            ax.scatter(*X[y == value].T, s=14, color=color, marker=marker, linewidths=0)
        rings = X[machine.support_]
        ax.scatter(*rings.T, s=60, facecolors="none", edgecolors="black", linewidths=0.8)
        ax.set(xticks=[], yticks=[], xlabel=name)
        ax.grid(visible=False)
    return figure


def plot_closing_gap(steps: ArrayLike, dual: ArrayLike, gap: ArrayLike) -> Figure:
    """Plot primal and dual objective against the steps, and their difference.

    Parameters
    ----------
    steps : array-like of shape (n,)
        Steps made.
    dual : array-like of shape (n,)
        The dual objective after them.
    gap : array-like of shape (n,)
        The primal objective minus the dual.

    Returns
    -------
    matplotlib Figure
    """
    steps, dual, gap = (np.asarray(values, dtype=float) for values in (steps, dual, gap))
    figure, (left, right) = plt.subplots(1, 2, figsize=WIDE)
    left.semilogx(steps, dual + gap, label="primal", **VARIANTS[1])
    left.semilogx(steps, dual, label="dual", **VARIANTS[0])
    left.set(xlabel="steps", ylabel="objective", yscale="log")
    left.legend()
    right.loglog(steps, gap / dual, **LOOK["SVM"])
    right.set(xlabel="steps", ylabel="gap / dual objective")
    return figure


def plot_gap_of_pegasos(
    excess: Mapping[str, ArrayLike], steps: ArrayLike, ax: Axes | None = None
) -> Axes:
    """Plot how far kernel Pegasos is above the exact minimum, against its steps.

    Parameters
    ----------
    excess : mapping of str to array-like of shape (n,)
        By predictor: objective over the minimum, minus 1.
    steps : array-like of shape (n,)
        Steps made.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    t = np.asarray(steps, dtype=float)
    for (name, values), look in zip(excess.items(), VARIANTS, strict=False):
        ax.loglog(t, np.asarray(values), label=name, **look)
    first = max(float(np.asarray(values)[0]) for values in excess.values())
    ax.loglog(t, first * t[0] / t, label="proportional to 1/T", **REFERENCE)
    ax.set(xlabel="steps T", ylabel="objective above the minimum (share)")
    ax.legend()
    return ax


def plot_by_parameter(
    cards: Mapping[str, pd.DataFrame], xlabel: str, *, log: bool = False, ax: Axes | None = None
) -> Axes:
    """Plot our test errors with error bars and the published ones as crosses.

    Parameters
    ----------
    cards : mapping of str to DataFrame
        By name: ``parameter``, ``ours``, ``se``, ``published``.
    xlabel : str
        What the parameter is.
    log : bool, default=False
        Whether the parameter's axis is logarithmic.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        Error bars are two standard errors.
    """
    ax = axes_or_new(ax)
    label = "published"
    for (name, card), look in zip(cards.items(), VARIANTS, strict=False):
        x = card["parameter"].astype(float)
        ax.errorbar(x, card["ours"], yerr=2 * card["se"], label=name, capsize=2, **look)
        if "published" in card.columns:
            ax.plot(x, card["published"], label=label, **PUBLISHED)
            label = "_nolegend_"
    ax.set(xlabel=xlabel, ylabel="test error", xscale="log" if log else "linear")
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.legend()
    return ax
