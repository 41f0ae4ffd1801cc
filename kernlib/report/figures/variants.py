"""Figures of the chapter ``book/variants.md``."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import REFERENCE, SQUARE, VARIANTS, WIDE


def plot_rare_class(errors: pd.DataFrame, balanced: float, ax: Axes | None = None) -> Axes:
    """Plot error rates against the weight of the rare class.

    Parameters
    ----------
    errors : DataFrame
        ``ratio``, the weight of the rare class over that of the other, and a column for each
        rate; the mean of rows with the same ratio is drawn, with its standard error.
    balanced : float
        The ratio that balances the classes, marked by a line.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    groups = errors.groupby("ratio")
    names = [name for name in errors.columns if name != "ratio"]
    for name, look in zip(names, looks(names), strict=True):
        mean, se = groups[name].mean(), groups[name].sem()
        ax.errorbar(mean.index, 100 * mean, yerr=100 * se, label=name, **look)
    ax.axvline(balanced, label="balanced", **REFERENCE)
    ax.set(xscale="log", xlabel="weight of a rare example over that of another",
           ylabel="rate in %", ylim=(0, None))  # fmt: skip
    ax.legend()
    return ax


def plot_transfer(numbers: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot the test error of transfer against C, and those of other ways as lines across.

    Parameters
    ----------
    numbers : DataFrame
        Of the experiment ``ashutosh2016.transfer``: rows "transfer C=1" and so on, and others.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, WIDE)
    of = numbers[numbers["quantity"] == "test_error"].set_index("row")
    curve = of[of.index.str.startswith("transfer")]
    C = [float(row.partition("=")[2]) for row in curve.index]
    ax.errorbar(C, 100 * curve["mean"], yerr=100 * curve["se"], label="transfer", **VARIANTS[0])
    others = of[~of.index.str.startswith("transfer")]
    for row, look in zip(others.index, VARIANTS[1:], strict=False):
        ax.axhline(100 * others.loc[row, "mean"], color=look["color"], ls=look["linestyle"],
                   label=row)  # fmt: skip
    ax.set(xscale="log", xlabel="C", ylabel="test error in %")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, fontsize="small")
    return ax


def plot_transfer_panels(errors: pd.DataFrame, source: float) -> Figure:
    """Plot error against C with and without the source's weights, a panel a number of examples.

    Parameters
    ----------
    errors : DataFrame
        ``n``, ``C``, ``way`` and ``error``; the mean over equal rows is drawn, with its standard
        error.
    source : float
        The error of the source's weights as they are.
    """
    sizes = list(dict.fromkeys(errors["n"]))
    figure, panels = plt.subplots(1, len(sizes), figsize=WIDE, sharey=True)
    for ax, n in zip(np.atleast_1d(panels), sizes, strict=True):
        part = errors[errors["n"] == n]
        ways = list(dict.fromkeys(part["way"]))
        for way, look in zip(ways, looks(ways), strict=True):
            groups = part[part["way"] == way].groupby("C")["error"]
            mean, se = groups.mean(), groups.sem()
            ax.errorbar(mean.index, 100 * mean, yerr=100 * se, label=way, **look)
        ax.axhline(100 * source, label="source as it is", **REFERENCE)
        ax.set(xscale="log", xlabel=f"C ({n} examples)")
    np.atleast_1d(panels)[0].set_ylabel("balanced error in %")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def plot_digit_rows(rows: Mapping[str, ArrayLike]) -> Figure:
    """Draw small images in rows, a name beside each.

    Parameters
    ----------
    rows : mapping of str to array-like of shape (n_images, height, width)
        Name and images of a row; all rows have as many.
    """
    n_images = {len(np.asarray(images)) for images in rows.values()}
    if len(n_images) != 1:
        raise ValueError(f"all rows must have as many images, got {sorted(n_images)}. Cut them.")
    (n,) = n_images
    size = (WIDE[0], WIDE[0] * len(rows) / (n + 1))
    figure, axes = plt.subplots(len(rows), n, figsize=size, squeeze=False)
    for line, (name, images) in zip(axes, rows.items(), strict=True):
        for ax, image in zip(line, np.asarray(images), strict=True):
            ax.imshow(image, cmap="gray_r")
            ax.set(xticks=[], yticks=[])
            ax.grid(False)
            ax.spines[:].set_visible(False)
        line[0].set_ylabel(name)
    return figure


def plot_claims(
    X: ArrayLike, y: ArrayLike, claims: ArrayLike, reach: float, ax: Axes | None = None
) -> Axes:
    """Draw by how many one-vs-rest predictors each point of the plane is claimed.

    Parameters
    ----------
    X, y : array-like of shape (n, 2) and (n,)
        Examples and their classes 0, 1, ...
    claims : array-like of shape (m, m)
        Number of positive scores on a grid over the square of half-side ``reach``.
    reach : float
        Half the side of the square.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, SQUARE)
    counts, X, y = np.asarray(claims), np.asarray(X), np.asarray(y)
    side = np.linspace(-reach, reach, counts.shape[0])
    shades = ax.contourf(side, side, counts, levels=[-0.5, 0.5, 1.5, 9.5],
                         colors=["0.55", "white", "0.85"])  # fmt: skip
    shades.set_rasterized(True)
    for k, look in zip(np.unique(y), VARIANTS, strict=False):
        ax.plot(*X[y == k].T, linestyle="none", marker=look["marker"], color=look["color"],
                markersize=4)  # fmt: skip
    ax.fill([], [], color="0.55", label="claimed by no class")
    ax.fill([], [], color="0.85", label="by several")
    ax.set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return ax


def plot_multiclass(errors: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot test error against lambda, one line a way to many classes.

    Parameters
    ----------
    errors : DataFrame
        ``lam``, ``way`` and ``error``; the mean over equal rows is drawn, with its standard error.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    ways = list(dict.fromkeys(errors["way"]))
    for way, look in zip(ways, looks(ways), strict=True):
        groups = errors[errors["way"] == way].groupby("lam")["error"]
        mean, se = groups.mean(), groups.sem()
        ax.errorbar(mean.index, 100 * mean, yerr=100 * se, label=way, **look)
    ax.set(xscale="log", xlabel="λ", ylabel="test error in %", ylim=(0, None))
    ax.legend()
    return ax
