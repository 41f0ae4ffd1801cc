"""Figures of the chapter ``book/milan.md``: the table only in bins, never point by point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import BLACK, BLUE, PUBLISHED, VERMILION, WIDE

BINS = 40
PAIR_BINS = 24
SMALLEST = 0.002  # weights below are not drawn
TAIL = 0.002  # share of the rows left out at each end of a pair's axes


def plot_distributions(
    X: ArrayLike, names: Sequence[str], model: ArrayLike | None = None
) -> Figure:
    """Draw a histogram of each feature, ten to a figure.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The table.
    names : sequence of str
        The features' names.
    model : array-like of shape (n_others, n_features), optional
        Rows drawn from a model of the table, shown as a line.

    Returns
    -------
    matplotlib Figure
        Densities; each panel has its own axes.
    """
    table = np.asarray(X)
    figure, axes = plt.subplots(2, -(-len(names) // 2), figsize=(WIDE[0], 3.6))
    for ax, name, column in zip(axes.flat, names, range(table.shape[1]), strict=True):
        edges = np.histogram_bin_edges(table[:, column], BINS)
        ax.hist(table[:, column], edges, density=True, color=BLUE, alpha=0.45, linewidth=0)
        if model is not None:
            heights, _ = np.histogram(np.asarray(model)[:, column], edges, density=True)
            ax.stairs(heights, edges, color=BLACK, linewidth=0.9)
        ax.set(xlabel=name, yticks=[])
        ax.grid(False)
    figure.supylabel("density", fontsize=10)
    return figure


def _limits(column: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(column, [TAIL, 1 - TAIL])
    return float(low), float(high)


def _share_positive(
    x: np.ndarray, z: np.ndarray, y: np.ndarray, limits: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the share of the label +1 in each bin, and the edges; a bin of few rows has none."""
    count, first, second = np.histogram2d(x, z, PAIR_BINS, range=limits)
    positive, _, _ = np.histogram2d(x[y > 0], z[y > 0], (first, second))
    share = np.full(count.shape, np.nan)
    np.divide(positive, count, out=share, where=count >= 3)
    return share, first, second


def plot_pairs(X: ArrayLike, y: ArrayLike, names: Sequence[str]) -> Figure:
    """Draw every pair of features in bins: how many rows below the diagonal, which label above.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The table.
    y : array-like of shape (n_samples,)
        Labels -1 and +1.
    names : sequence of str
        The features' names.

    Returns
    -------
    matplotlib Figure
        Below the diagonal darker is more; above it blue is -1, red +1 and white an even mixture.
    """
    table, labels = np.asarray(X), np.asarray(y)
    d = len(names)
    figure, axes = plt.subplots(d, d, figsize=(WIDE[0], WIDE[0]))
    figure.set_layout_engine("constrained", w_pad=0.01, h_pad=0.01, wspace=0, hspace=0)
    limits = [_limits(column) for column in table.T]
    for i in range(d):
        for j in range(d):
            ax = axes[i, j]
            ax.set(xticks=[], yticks=[])
            ax.grid(False)
            if i == j:
                ax.text(0.5, 0.5, names[i], ha="center", va="center", transform=ax.transAxes)
                ax.set_axis_off()
                continue
            both = (limits[j], limits[i])
            if i > j:
                count, first, second = np.histogram2d(
                    table[:, j], table[:, i], PAIR_BINS, range=both
                )
                ax.pcolormesh(first, second, np.sqrt(count.T), cmap="Greys", rasterized=True)
            else:
                share, first, second = _share_positive(table[:, j], table[:, i], labels, both)
                ax.pcolormesh(
                    first, second, share.T, cmap="RdBu_r", vmin=0, vmax=1, rasterized=True
                )
    return figure


def plot_named_pairs(X: ArrayLike, pairs: Sequence[tuple[str, int, int]]) -> Figure:
    """Draw some pairs of features in bins, side by side.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The table.
    pairs : sequence of (str, int, int)
        What the panel shows, and the two columns, counted from 0.

    Returns
    -------
    matplotlib Figure
        The correlation stands in each panel.
    """
    table = np.asarray(X)
    figure, axes = plt.subplots(1, len(pairs), figsize=(WIDE[0], 2.5))
    figure.set_layout_engine("constrained", wspace=0.08)
    for ax, (what, i, j) in zip(np.atleast_1d(axes), pairs, strict=True):
        first, second = table[:, i], table[:, j]
        limits = (_limits(first), _limits(second))
        ax.hist2d(first, second, BINS, range=limits, cmap="Greys", rasterized=True)
        r = np.corrcoef(first, second)[0, 1]
        ax.set(xlabel=f"x{i + 1}", ylabel=f"x{j + 1}")
        ax.set_title(f"{what}\nr = {r:.2f}".replace("-", "−"), fontsize=9)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(nbins=3, steps=[1, 5, 10], min_n_ticks=2))
        ax.tick_params(labelsize=8)
        ax.grid(False)
    return figure


def plot_scaling_spread(
    errors: pd.DataFrame, published: Mapping[str, float], ax: Axes | None = None
) -> Axes:
    """Draw the test errors over shuffles as boxes, one for each scaling and learner.

    Parameters
    ----------
    errors : DataFrame
        Columns ``scaling``, ``learner`` and ``error``; a line for each shuffle.
    published : mapping of str to float
        Scaling and the published error of the first learner.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, WIDE)
    learners = list(errors["learner"].unique())
    for group, (scaling, part) in enumerate(errors.groupby("scaling", sort=False)):
        for k, (learner, look) in enumerate(zip(learners, looks(learners), strict=True)):
            place = -group - (k - 1) * 0.25
            values = 100 * part.loc[part["learner"] == learner, "error"]
            drawn = ax.boxplot(
                values, positions=[place], widths=0.18, orientation="horizontal", whis=(0, 100),
                patch_artist=True, manage_ticks=False, medianprops={"color": BLACK},
                boxprops={"facecolor": look["color"], "alpha": 0.6},
            )  # fmt: skip
            if group == 0:
                drawn["boxes"][0].set_label(learner)
        ax.plot(100 * published[str(scaling)], -group + 0.25, zorder=3, **PUBLISHED)
    ax.plot([], [], label="published", **PUBLISHED)
    names = list(errors["scaling"].unique())
    ax.set_yticks(-np.arange(len(names)), names)
    ax.set(xlabel="test error in per cent", ylabel="scaling")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def plot_shrinkage_path(paths: pd.DataFrame, found: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw the weights of an L1 fit against its parameter C; those that were found by name.

    Parameters
    ----------
    paths : DataFrame
        A line for each C (the index), a column for each monomial.
    found : sequence of str
        The columns to name; the others are thin grey lines.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        Absolute weights of standardised monomials, both axes logarithmic.
    """
    ax = axes_or_new(ax, WIDE)
    size = paths.abs().where(paths != 0)
    for name in size.columns.difference(list(found)):
        ax.plot(size.index, size[name], color="0.6", linewidth=0.8, marker=".", linestyle="-")
    for name, look in zip(found, looks(found), strict=True):
        ax.plot(size.index, size[name], label=name.replace(" ", "·"), **look)
    ax.plot([], [], color="0.6", linewidth=0.8, marker=".", linestyle="-", label="all others")
    ax.set(xscale="log", yscale="log", xlabel="C: the larger, the weaker the penalty")
    ax.set_ylabel("absolute weight")
    ax.set_ylim(bottom=SMALLEST)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def plot_convergence(mistakes: Mapping[str, ArrayLike], ax: Axes | None = None) -> Axes:
    """Draw the mistakes of each epoch; a line that ends above the axis has not converged.

    Parameters
    ----------
    mistakes : mapping of str to array-like
        Name of a feature map and the mistakes in each epoch; zeros are not drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, WIDE)
    for (name, counts), look in zip(mistakes.items(), looks(mistakes), strict=True):
        counts = np.asarray(counts, dtype=float)
        # Evenly spaced on the logarithmic axis, and the end of the run.
        shown = np.unique(np.geomspace(1, len(counts), 24).round().astype(int))
        shown = shown[counts[shown - 1] > 0]
        ax.plot(shown, counts[shown - 1], label=name, **look)
        if counts[-1] == 0:
            ax.plot(len(counts), 1, marker="|", markersize=14, color=look["color"])
    ax.set(xscale="log", yscale="log", xlabel="epoch", ylabel="mistakes in the epoch")
    ax.legend()
    return ax


def plot_degrees(errors: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw training and test error against the number of examples, two lines a degree.

    A training error of 0 has no place on the logarithmic axis and is not drawn.

    Parameters
    ----------
    errors : DataFrame
        Columns ``degree``, ``n``, ``train`` and ``test``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, WIDE)
    names = [f"degree {degree}" for degree in errors["degree"].unique()]
    for (_, part), name, look in zip(errors.groupby("degree"), names, looks(names), strict=True):
        ax.plot(part["n"], part["test"], label=name, **look)
        faint = {"color": look["color"], "linewidth": 1.6, "linestyle": ":"}
        ax.plot(part["n"], part["train"].where(part["train"] > 0), **faint)
    ax.set(xscale="log", yscale="log", xlabel="rows trained on", ylabel="error")
    handles, _ = ax.get_legend_handles_labels()
    handles.append(
        Line2D([], [], color="0.3", linewidth=1.6, linestyle=":", label="on its own rows")
    )
    ax.legend(handles=handles, ncols=len(handles), loc="lower center", bbox_to_anchor=(0.5, 1))
    return ax


def plot_fidelity(errors: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the test errors on two tables side by side, with their standard errors.

    Parameters
    ----------
    errors : DataFrame
        Columns ``row``, ``mean``, ``se``, ``recorded`` and ``recorded_se``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, (WIDE[0], 3.0))
    places = np.arange(len(errors))[::-1]
    for shift, name, mean, se, color, marker in (
        (0.12, "original", "recorded", "recorded_se", BLACK, "s"),
        (-0.12, "twin", "mean", "se", VERMILION, "o"),
    ):
        ax.errorbar(
            100 * errors[mean], places + shift, xerr=200 * errors[se], color=color, marker=marker,
            linestyle="none", label=name, capsize=2,
        )  # fmt: skip
    ax.set_yticks(places, list(errors["row"]))
    ax.set_xlabel("test error in per cent, ± 2 s.e. over shuffles")
    ax.set_xlim(left=0)
    ax.legend()
    return ax
