"""Figures of the chapter ``book/budget.md``."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import BLUE, PUBLISHED, REFERENCE, VARIANTS, VERMILION, WIDE

# One rule of removal keeps one look through the chapter, whatever it is called in a table.
RULES = {
    "largest margin": VARIANTS[1],
    "Forgetron": VARIANTS[0],
    "random": VARIANTS[2],
    "Projectron": VARIANTS[3],
    "no budget": VARIANTS[7],
}


def _in_per_cent(ax: Axes, ticks: list[float]) -> None:
    """Label a logarithmic axis of error rates at these ticks, in per cent."""
    ax.set_yscale("log")
    ax.set_yticks(ticks)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{100 * rate:g} %"))
    ax.yaxis.set_minor_formatter(NullFormatter())


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


def plot_kept(stored: Mapping[str, ArrayLike], flipped: np.ndarray, ax: Axes | None = None) -> Axes:
    """Draw where in the stream the stored examples came, a row for each rule of removal.

    Parameters
    ----------
    stored : mapping of str to array-like of int
        Name of a rule, and the numbers in the stream of the examples that it has stored.
    flipped : ndarray of bool
        Whose label is wrong, over the whole stream: they are crosses.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, (WIDE[0], 0.8 * WIDE[1]))
    spread = np.random.default_rng(0).uniform(-0.25, 0.25, len(flipped))  # they would hide another
    for place, rows in enumerate(np.asarray(rows) for rows in stored.values()):
        for wrong, color, marker in ((False, BLUE, "o"), (True, VERMILION, "x")):
            shown = rows[flipped[rows] == wrong]
            label = ("label right", "label flipped")[wrong] if place == 0 else None
            ax.plot(shown, place + spread[shown], marker, color=color, markersize=4, alpha=0.8,
                    linestyle="none", label=label)  # fmt: skip
    ax.set_yticks(range(len(stored)), list(stored))
    ax.invert_yaxis()
    ax.set(xlabel="place in the stream", xlim=(-0.02 * len(flipped), 1.02 * len(flipped)))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return ax


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
        ax.plot(errors.index, errors[degree], label=name, **look)
    _in_per_cent(ax, [0.1, 0.2, 0.3, 0.5])
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
        _in_per_cent(ax, [0.1, 0.15, 0.2, 0.3, 0.5])
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
        _in_per_cent(ax, [0.02, 0.05, 0.1, 0.2, 0.5])
        ax.set(title=panel, xlabel="degree", xticks=degrees)
    axes[0, 0].set_ylabel("test error")
    axes[0, -1].legend()
    return fig
