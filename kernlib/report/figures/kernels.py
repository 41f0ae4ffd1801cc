"""Figures of the chapter ``book/kernels.md``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks


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
    ax = axes_or_new(ax)
    ax.axhline(0, color="0.5", linestyle="-", linewidth=0.8)
    for (name, eigenvalues), look in zip(values.items(), looks(values), strict=True):
        ax.semilogx(np.asarray(gammas), np.asarray(eigenvalues), label=name, **look)
    ax.set(xlabel="gamma", ylabel="smallest eigenvalue")
    ax.legend()
    return ax
