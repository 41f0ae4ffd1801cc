"""Figures of the chapter ``book/pegasos.md``."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from kernlib.report.figures.common import N_POINTS, axes_or_new, looks
from kernlib.report.style import PUBLISHED, REFERENCE, SINGLE, SQUARE, VARIANTS, WIDE


def plot_margin(
    X: ArrayLike, y: ArrayLike, lines: Mapping[str, ArrayLike], ax: Axes | None = None
) -> Axes:
    """Plot points of two classes and hyperplanes through the origin; the first has its margin.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The points.
    y : array-like of shape (n,)
        -1 or +1.
    lines : mapping of str to array-like of shape (2,)
        Name and normal w of each hyperplane.  The band of the first reaches to the lines
        <w, x> = -1 and 1; the points on its edges, the support vectors, are ringed.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, SQUARE)
    X, y = np.asarray(X), np.asarray(y)
    reach = 1.08 * np.abs(X).max()
    ends = reach * np.array([-2.0, 2.0])
    for sign, look in zip((1, -1), VARIANTS, strict=False):
        points = X[y == sign]
        ax.plot(*points.T, linestyle="none", marker=look["marker"], color=look["color"],
                markersize=4, label=f"label {sign:+d}".replace("-", "−"))  # fmt: skip
    for (name, normal), look in zip(lines.items(), VARIANTS[2:], strict=False):
        w = np.asarray(normal, dtype=float)
        along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
        ax.plot(*np.outer(along, ends), label=name, color=look["color"], ls=look["linestyle"])
    w = np.asarray(next(iter(lines.values())), dtype=float)
    along, across = np.array([-w[1], w[0]]) / np.linalg.norm(w), w / (w @ w)
    for side in (-1, 1):
        ax.plot(*(np.outer(along, ends) + side * across[:, np.newaxis]), **REFERENCE)
    on_edge = np.abs(y * (X @ w) - 1) < 1e-3
    ax.plot(*X[on_edge].T, linestyle="none", marker="o", markersize=11, fillstyle="none",
            color="black", label="support vector")  # fmt: skip
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xlabel="feature 1", ylabel="feature 2")
    ax.set_aspect("equal")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return ax


def plot_regret(numbers: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot the mean regret of online gradient descent and the bounds on it, against T.

    Parameters
    ----------
    numbers : DataFrame
        Of the experiment ``mirone2023.bounds``: rows "equation 1, T = 250" and so on, with the
        quantities ``excess`` and ``bound``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    names = {"equation 1": "convex, projected", "equation 2": "strongly convex"}
    for (equation, name), look in zip(names.items(), VARIANTS, strict=False):
        part = numbers[numbers["row"].str.startswith(equation)]
        for quantity, style in (("excess", "-"), ("bound", ":")):
            of = part[part["quantity"] == quantity]
            T = [int(row.rpartition(" ")[2]) for row in of["row"]]
            label = f"{name}: {'measured' if quantity == 'excess' else 'bound'}"
            ax.errorbar(T, of["mean"], yerr=of["se"], label=label,
                        **(look | {"linestyle": style}))  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="rounds T", ylabel="regret per round")
    ticks = sorted({int(row.rpartition(" ")[2]) for row in numbers["row"]})
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.set_yticks([0.02, 0.05, 0.1, 0.2], ["0.02", "0.05", "0.1", "0.2"])
    ax.minorticks_off()
    ax.legend(fontsize="small")
    return ax


def plot_iterates(
    excess: Mapping[str, ArrayLike], steps: ArrayLike, bound: ArrayLike, ax: Axes | None = None
) -> Axes:
    """Plot the objective above the optimum against T, for each output, under the bound.

    Parameters
    ----------
    excess : mapping of str to array-like of shape (n_steps, n_runs)
        Name of an output and, for each T, its excess in each run; the mean is drawn.
    steps : array-like of shape (n_steps,)
        The numbers of steps T.
    bound : array-like of shape (n_steps,)
        The bound on the expected excess of the mean of all iterates.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    for (name, values), look in zip(excess.items(), looks(excess), strict=True):
        ax.loglog(steps, np.asarray(values).mean(axis=1), label=name, **look)
    ax.loglog(steps, bound, label="bound for the mean", **REFERENCE)
    ax.set(xlabel="steps T", ylabel="objective above the optimum")
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


def plot_small_lambda(
    numbers: pd.DataFrame, published: pd.DataFrame, source: str = "mean"
) -> Figure:
    """Plot training and validation error against lambda: after T steps, and of the exact minimum.

    Parameters
    ----------
    numbers : DataFrame
        Of the experiment ``cologni2024.small_lambda``: a variant for each T and for the exact
        minimum, a row for each lambda.
    published : DataFrame
        The scorecard of ``cologni2024.pegasos_lambda``, for the document's own points.
    source : {"mean", "recorded"}, default="mean"
        The data that is here, or what was recorded on the original table.
    """
    figure, panels = plt.subplots(1, 2, figsize=WIDE, sharey=True)
    variants = list(dict.fromkeys(numbers["variant"]))
    variants = variants[1:] + variants[:1]  # the exact minimum last, on top
    error = "se" if source == "mean" else "recorded_se"
    for ax, quantity in zip(panels, ("training_error", "validation_error"), strict=True):
        of = numbers[numbers["quantity"] == quantity]
        for variant, look in zip(variants, looks(variants), strict=True):
            part = of[of["variant"] == variant]
            ax.errorbar(part["row"].astype(float), part[source], yerr=part[error],
                        label=_power(variant), **look)  # fmt: skip
        theirs = published[published["quantity"] == quantity]
        theirs = theirs[theirs["row"].isin(of["row"])]
        ax.plot(theirs["row"].astype(float), theirs["published"], label="published", **PUBLISHED)
        ax.set(xscale="log", xlabel="λ", ylabel=quantity.replace("_", " "))
    panels[1].legend(fontsize="small")
    return figure


def _power(variant: str) -> str:
    """Return "T = 1000" with a power of ten in place of the number."""
    name, _, number = variant.partition(" = ")
    return f"{name} = $10^{{{len(number) - 1}}}$" if number else variant


def plot_single_runs(
    errors: ArrayLike, published: Mapping[str, float], centre: float, ax: Axes | None = None
) -> Axes:
    """Plot a histogram of single runs around their mean, with the published numbers.

    Parameters
    ----------
    errors : array-like of shape (n_runs,)
        Test error of each run.
    published : mapping of str to float
        Where a number stands in the document, and the number.
    centre : float
        The mean error on the document's own data: the published numbers are drawn relative to
        it, the runs relative to their own mean.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, SINGLE)
    values = 100 * np.asarray(errors, dtype=float)
    # A bar for each count of mistakes: other bins would hold now one count, now two.
    counts = np.unique(values.round(9))
    width = np.diff(counts).min()
    edges = np.arange(counts[0] - width / 2, counts[-1] + width, width)
    ax.hist(values - values.mean(), bins=edges - values.mean(), color=VARIANTS[1]["color"],
            alpha=0.6, label=f"{len(values)} runs")  # fmt: skip
    for (place, value), dashes in zip(published.items(), ("-", "--", ":"), strict=False):
        ax.axvline(100 * (value - centre), color="black", linestyle=dashes, label=place)
    ax.set(xlabel="test error minus the mean, in percentage points", ylabel="runs")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=4, fontsize="small")
    return ax


def plot_collapse(numbers: pd.DataFrame, source: str = "mean", ax: Axes | None = None) -> Axes:
    """Plot how far above the least objective the last iterate is, against lambda times T.

    Parameters
    ----------
    numbers : DataFrame
        Of the experiment ``cologni2024.small_lambda``, as in ``plot_small_lambda``.
    source : {"mean", "recorded"}, default="mean"
        The data that is here, or what was recorded on the original table.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    of = numbers[numbers["quantity"] == "objective"].pivot(
        index="row", columns="variant", values=source
    )
    exact = next(name for name in of.columns if not name.startswith("T = "))
    steps = sorted((name for name in of.columns if name != exact), key=len)
    products = []
    for lam, look in zip(of.index, looks(of.index), strict=True):
        product = float(lam) * np.array([float(name.partition(" = ")[2]) for name in steps])
        ax.loglog(product, of.loc[lam, steps] - of.loc[lam, exact], label=f"λ = {lam}", **look)
        products.append(product)
    ends = np.array([np.min(products), np.max(products)])
    top = float((of[steps[0]] - of[exact]).max())
    ax.loglog(ends, top * ends[0] / ends, color="0.5", linestyle="-", linewidth=0.8,
              label="proportional to 1/(λT)")  # fmt: skip
    ax.set(xlabel="λT", ylabel="objective above the optimum")
    ax.legend(fontsize="small")
    return ax
