"""Figures of the chapter ``book/kernels.md``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import BLUE, VERMILION, WIDE

# Eigenvalues of a singular matrix come out as about this much of the largest.
ROUNDING = 1e-12


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
    ax.set(xlabel="γ", ylabel="smallest eigenvalue")
    ax.legend()
    return ax


def plot_costs(costs: Mapping[str, ArrayLike], d: ArrayLike, ax: Axes | None = None) -> Axes:
    """Plot the multiplications of an inner product against the number of features.

    Parameters
    ----------
    costs : mapping of str to array-like of shape (n_sizes,)
        Name of a way to compute it, and its multiplications for each number of features.
    d : array-like of shape (n_sizes,)
        The numbers of features.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        Both axes logarithmic.
    """
    ax = axes_or_new(ax)
    for (name, cost), look in zip(costs.items(), looks(costs), strict=True):
        # Python's whole numbers may be larger than NumPy's.
        ax.loglog(np.asarray(d), [float(c) for c in np.asarray(cost, dtype=object)],
                  label=name, **look)  # fmt: skip
    ax.set(xlabel="features d", ylabel="multiplications")
    ax.legend()
    return ax


def plot_validity(eigenvalues: Mapping[str, float], ax: Axes | None = None) -> Axes:
    """Plot the smallest eigenvalue of the Gram matrices of many functions, one line each.

    Parameters
    ----------
    eigenvalues : mapping of str to float
        Name of a function and its smallest eigenvalue over the largest magnitude.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        Crosses for the functions that are no kernels, discs for the others.
    """
    ax = axes_or_new(ax, (WIDE[0], 0.27 * len(eigenvalues) + 0.9))
    values = np.array(list(eigenvalues.values()))
    places = np.arange(len(values))[::-1]
    refuted = values < -ROUNDING
    ax.axvline(0, color="0.5", linestyle="-", linewidth=0.8)
    ax.hlines(places, np.minimum(values, 0), 0, color="0.7", linestyle="-", linewidth=1)
    for name, which, colour, marker in (
        ("no negative eigenvalue found", ~refuted, BLUE, "o"),
        ("no kernel", refuted, VERMILION, "X"),
    ):
        ax.plot(values[which], places[which], marker, color=colour, label=name)
    ax.set_yticks(places, list(eigenvalues))
    ax.set(xlabel="smallest eigenvalue / largest magnitude", ylim=(-0.7, len(values) - 0.3))
    ax.grid(False, axis="y")
    ax.legend(loc="upper left")
    return ax
