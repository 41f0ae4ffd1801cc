"""Figures of the chapter ``book/pegasos.md``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from kernlib.report.figures.common import N_POINTS, axes_or_new, looks


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
    ax = axes_or_new(ax)
    t = np.asarray(steps, dtype=float)
    # Evenly spaced on the logarithmic axis: the many late records would only blacken the figure.
    shown = np.unique(np.geomspace(1, len(t), N_POINTS).round().astype(int)) - 1
    t = t[shown]
    for (name, values), look in zip(excess.items(), looks(excess), strict=True):
        ax.loglog(t, np.asarray(values)[shown], label=name, **look)
    start = max(float(np.asarray(values)[0]) for values in excess.values())
    guide = start * t[0] / t
    ax.loglog(t, guide, color="0.5", linestyle="-", linewidth=0.8, label="proportional to 1/t")
    ax.set(xlabel="steps t", ylabel="objective above the optimum")
    ax.legend()
    return ax
