"""Figures of the book: ``plot_*(data, ax=None) -> Axes``; no training, no title, no saving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from kernlib.report.style import SINGLE, VARIANTS

# Points of a line on a logarithmic axis.
N_POINTS = 24


def _axes(ax: Axes | None) -> Axes:
    return plt.subplots(figsize=SINGLE)[1] if ax is None else ax


def _looks(names: Mapping[str, Any]) -> list[dict[str, Any]]:
    if len(names) > len(VARIANTS):
        raise ValueError(
            f"a figure tells {len(VARIANTS)} lines apart, got {len(names)}: {', '.join(names)}. "
            "Draw two figures."
        )
    return VARIANTS[: len(names)]


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
    ax = _axes(ax)
    for (name, counts), look in zip(mistakes.items(), _looks(mistakes), strict=True):
        counts = np.asarray(counts)
        ax.plot(np.arange(1, len(counts) + 1), counts, label=name, **look)
    ax.set(xlabel="epoch", ylabel="mistakes in the epoch", ylim=(0, None))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend()
    return ax


def plot_excess_objective(
    excess: Mapping[str, ArrayLike], steps: ArrayLike, ax: Axes | None = None
) -> Axes:
    """Plot the distance to the best objective against the steps, on logarithmic axes.

    Parameters
    ----------
    excess : mapping of str to array-like of shape (n_records,)
        Name of a run and its objective minus the best objective.
    steps : array-like of shape (n_records,)
        Number of steps at each record.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        With a thin grey guide that falls as 1/t.
    """
    ax = _axes(ax)
    t = np.asarray(steps, dtype=float)
    # Evenly spaced on the logarithmic axis: the many late records would only blacken the figure.
    shown = np.unique(np.geomspace(1, len(t), N_POINTS).round().astype(int)) - 1
    t = t[shown]
    for (name, values), look in zip(excess.items(), _looks(excess), strict=True):
        ax.loglog(t, np.asarray(values)[shown], label=name, **look)
    start = max(float(np.asarray(values)[0]) for values in excess.values())
    guide = start * t[0] / t
    ax.loglog(t, guide, color="0.5", linestyle="-", linewidth=0.8, label="proportional to 1/t")
    ax.set(xlabel="steps t", ylabel="objective above the optimum")
    ax.legend()
    return ax


def plot_smallest_eigenvalue(
    values: Mapping[str, ArrayLike], gammas: ArrayLike, ax: Axes | None = None
) -> Axes:
    """Plot the smallest eigenvalue of a Gram matrix against a kernel's parameter.

    Parameters
    ----------
    values : mapping of str to array-like of shape (n_gammas,)
        Name of a kernel and the smallest eigenvalue for each parameter.
    gammas : array-like of shape (n_gammas,)
        The parameters, drawn on a logarithmic axis.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        With a thin grey line at 0.
    """
    ax = _axes(ax)
    ax.axhline(0, color="0.5", linestyle="-", linewidth=0.8)
    for (name, eigenvalues), look in zip(values.items(), _looks(values), strict=True):
        ax.semilogx(np.asarray(gammas), np.asarray(eigenvalues), label=name, **look)
    ax.set(xlabel="gamma", ylabel="smallest eigenvalue")
    ax.legend()
    return ax
