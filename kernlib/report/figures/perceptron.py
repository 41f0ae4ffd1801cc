"""Figures of the chapter ``book/perceptron.md``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks


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
