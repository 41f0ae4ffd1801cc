"""Figures of the chapter ``book/budget.md``."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import BLACK, BLUE, PUBLISHED, REFERENCE, VARIANTS, VERMILION, WIDE

# One rule of removal keeps one look through the chapter, whatever it is called in a table.
RULES = {
    "largest margin": VARIANTS[1],
    "Forgetron": VARIANTS[0],
    "random": VARIANTS[2],
    "Projectron": VARIANTS[3],
    "no budget": VARIANTS[7],
}


def plot_mistakes(
    panels: Mapping[str, Mapping[str, ArrayLike]],
    seen: ArrayLike,
    bound: Mapping[str, ArrayLike] | None = None,
) -> Figure:
    """Plot mistakes so far against examples seen, a line for each rule of removal.

    Parameters
    ----------
    panels : mapping of str to mapping of str to array-like of shape (n_records,)
        For the heading of each panel: name of a rule, and mistakes at each record.
    seen : array-like of shape (n_records,)
        Examples seen at each record.
    bound : mapping of str to array-like, optional
        The Forgetron's bound in each panel, a thick grey line.
    """
    fig, axes = plt.subplots(1, len(panels), figsize=WIDE, sharey=True, squeeze=False)
    t = np.asarray(seen)
    every = max(1, len(t) // 8)
    for ax, (panel, lines) in zip(axes[0], panels.items(), strict=True):
        for name, mistakes in lines.items():
            ax.plot(t, np.asarray(mistakes), label=name, markevery=every, **RULES[name])
        if bound is not None:
            look = REFERENCE | {"linewidth": 2.5, "color": "0.6"}
            ax.plot(t, np.asarray(bound[panel]), label="Forgetron's bound", **look)
        ax.set(title=panel, xlabel="examples seen")
    axes[0, 0].set_ylabel("mistakes so far")
    axes[0, 0].legend()
    return fig


def plot_kept(
    panels: Mapping[str, ArrayLike], X: np.ndarray, y: np.ndarray, flipped: np.ndarray
) -> Figure:
    """Draw which examples of the plane are stored; those with a flipped label have a ring.

    Parameters
    ----------
    panels : mapping of str to array-like of int
        Heading of a panel, and the rows that are stored.
    X : ndarray of shape (n_samples, 2)
        All examples; those not stored are faint dots.
    y : ndarray of shape (n_samples,)
        The labels as the learner sees them, +1 and -1.
    flipped : ndarray of bool
        Whose label is wrong.
    """
    fig, axes = plt.subplots(1, len(panels), figsize=WIDE, sharex=True, sharey=True, squeeze=False)
    for ax, (name, rows) in zip(axes[0], panels.items(), strict=True):
        stored = np.zeros(len(X), dtype=bool)
        stored[np.asarray(rows)] = True
        ax.plot(*X[~stored].T, ".", color="0.8", markersize=2, rasterized=True)
        for label, color, marker in ((1, BLUE, "o"), (-1, VERMILION, "s")):
            ax.plot(*X[stored & (y == label)].T, marker, color=color, markersize=4)
        ring = {"fillstyle": "none", "color": BLACK, "markersize": 7, "markeredgewidth": 0.9}
        ax.plot(*X[stored & flipped].T, "o", **ring)
        ax.set(title=name, xticks=[], yticks=[])
        ax.grid(False)
    return fig


def plot_budgets(errors: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot test errors against the budget, a line for each degree.

    Parameters
    ----------
    errors : DataFrame
        Error rates with budgets as index and degrees as columns.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    names = [f"degree {degree}" for degree in errors.columns]
    for degree, name, look in zip(errors.columns, names, looks(names), strict=True):
        ax.semilogy(errors.index, errors[degree], label=name, **look)
    ax.set(xlabel="budget B", ylabel="test error", xticks=list(errors.index))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def plot_rules(errors: pd.DataFrame, free: Mapping[str, float]) -> Figure:
    """Plot test errors against the budget by rule of removal, a panel for each degree.

    Parameters
    ----------
    errors : DataFrame
        Columns ``panel``, ``rule``, ``budget``, ``mean`` and ``se``.
    free : mapping of str to float
        The error without a budget in each panel, a grey line.
    """
    fig, axes = plt.subplots(1, len(free), figsize=WIDE, sharey=True, squeeze=False)
    for ax, (panel, level) in zip(axes[0], free.items(), strict=True):
        part = errors[errors["panel"] == panel]
        for rule in dict.fromkeys(part["rule"]):
            line = part[part["rule"] == rule]
            ax.errorbar(line["budget"], line["mean"], yerr=line["se"], label=rule, capsize=2,
                        **RULES[rule])  # fmt: skip
        ax.axhline(level, label="no budget", **REFERENCE)
        ax.set_yscale("log")
        ax.set(title=panel, xlabel="budget B", xticks=[200, 350, 500])
    axes[0, 0].set_ylabel("test error")
    axes[0, -1].legend()
    return fig


def plot_published(errors: pd.DataFrame) -> Figure:
    """Plot our test errors by degree with the published ones.

    Parameters
    ----------
    errors : DataFrame
        Columns ``panel``, ``degree``, ``ours``, ``std`` (over our runs), ``published`` and
        ``published_std``.
    """
    panels = list(dict.fromkeys(errors["panel"]))
    fig, axes = plt.subplots(1, len(panels), figsize=WIDE, sharey=True, squeeze=False)
    for ax, panel in zip(axes[0], panels, strict=True):
        part = errors[errors["panel"] == panel]
        degrees = part["degree"].to_numpy(dtype=float)
        look = VARIANTS[0] | {"linestyle": "none"}
        ax.errorbar(degrees - 0.1, part["ours"], yerr=part["std"], label="ours", capsize=2, **look)
        ax.errorbar(degrees + 0.1, part["published"], yerr=part["published_std"],
                    label="published", capsize=2, **PUBLISHED)  # fmt: skip
        ax.set_yscale("log")
        ax.set(title=panel, xlabel="degree", xticks=degrees)
    axes[0, 0].set_ylabel("test error")
    axes[0, -1].legend()
    return fig
