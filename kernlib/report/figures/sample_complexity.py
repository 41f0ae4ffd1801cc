"""Figures of the chapter ``book/sample_complexity.md``."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kernlib.report.figures.common import axes_or_new
from kernlib.report.style import LOOK, REFERENCE, VARIANTS, WIDE

LOOKS = {
    "perceptron": LOOK["Perceptron"],
    "winnow": LOOK["Winnow"],
    "least squares": LOOK["Least squares"],
    "1-NN": LOOK["1-NN"],
    "perceptron to convergence": LOOK["SVM"],
}
NAMES = {"winnow": "Winnow"}  # on the page
TYPESET = {
    "a n": r"$a\,n$",
    "a + b n": r"$a + b\,n$",
    "a ln n": r"$a\,\ln n$",
    "a + b ln n": r"$a + b\,\ln n$",
    "a n^b": r"$a\,n^b$",
    "a n^2": r"$a\,n^2$",
    "a 2^(b n)": r"$a\,2^{b n}$",
}


def plot_examples_needed(
    passages: pd.DataFrame, crossings: pd.DataFrame, ax: Axes | None = None
) -> Axes:
    """Plot the examples needed against the dimension, a band for the document's way.

    Parameters
    ----------
    passages : DataFrame
        First passages, a line a run: ``algorithm``, ``n``, ``value``.
    crossings : DataFrame
        Careful crossings: ``algorithm``, ``n``, ``value``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The band is the mean of the first passages ± one standard deviation; the line is the
        crossing.
    """
    ax = axes_or_new(ax, WIDE)
    for name, part in crossings.groupby("algorithm", sort=False):
        look = LOOKS[str(name)]
        runs = passages[passages["algorithm"] == name].groupby("n")["value"]
        mean, spread = runs.mean(), runs.std()
        ax.fill_between(
            mean.index, mean - spread, mean + spread, color=look["color"], alpha=0.25, linewidth=0
        )
        line = part.sort_values("n")
        ax.plot(line["n"], line["value"], label=NAMES.get(str(name), name), **look)
    ax.set(xlabel="dimension n", ylabel="examples needed m", xlim=(0, None), ylim=(0, None))
    ax.legend()
    return ax


def plot_neighbour(
    passages: pd.DataFrame,
    crossings: pd.DataFrame,
    exact: pd.Series,
    bound: pd.Series,
    ax: Axes | None = None,
) -> Axes:
    """Plot what 1-NN needs on a logarithmic axis, measured and by theory.

    Parameters
    ----------
    passages, crossings : DataFrame
        As in ``plot_examples_needed``, of 1-NN alone.
    exact, bound : Series
        By dimension: the m at which the exact error is the threshold, and the lower bound.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    ax.plot(exact.index, exact, label="exact", color="0.35", linestyle="-")
    ax.plot(bound.index, bound, label="lower bound", color="0.35", linestyle=":")
    runs = passages.groupby("n")["value"]
    ax.errorbar(
        runs.mean().index, runs.mean(), yerr=runs.std(), label="first passage (± s.d.)",
        capsize=2, **(VARIANTS[1] | {"linestyle": "none"}),
    )  # fmt: skip
    line = crossings.sort_values("n")
    ax.plot(line["n"], line["value"], label="crossing", **(LOOK["1-NN"] | {"linestyle": "none"}))
    ax.set(xlabel="dimension n", ylabel="examples needed m", yscale="log")
    ax.legend()
    return ax


def plot_retest(errors: pd.DataFrame, threshold: float, ax: Axes | None = None) -> Axes:
    """Plot the true error at the m that first passage found, against the dimension.

    Parameters
    ----------
    errors : DataFrame
        ``algorithm``, ``n``, ``value``.
    threshold : float
        The error that the m was chosen for.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    ax.axhline(threshold, **REFERENCE)
    for name, part in errors.groupby("algorithm", sort=False):
        line = part.sort_values("n")
        label = NAMES.get(str(name), name)
        ax.plot(line["n"], line["value"], label=label, **LOOKS[str(name)])
    ax.set(xlabel="dimension n", ylabel="error at the m found", ylim=(0, None))
    ax.legend()
    return ax


def plot_laws(
    needed: pd.Series, fitted: Mapping[str, tuple[np.ndarray, np.ndarray]], ax: Axes | None = None
) -> Axes:
    """Plot measured m(n) and fitted growth laws.

    Parameters
    ----------
    needed : Series
        Examples needed, by dimension.
    fitted : mapping of str to pair of ndarray
        By law: dimensions and the m that it gives there.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax)
    ax.plot(needed.index, needed, label="measured", **(VARIANTS[0] | {"linestyle": "none"}))
    for (name, (n, m)), look in zip(fitted.items(), VARIANTS[1:], strict=False):
        ax.plot(n, m, label=TYPESET[name], color=look["color"], linestyle=look["linestyle"])
    ax.set(xlabel="dimension n", ylabel="examples needed m", ylim=(0, None))
    ax.legend()
    return ax


def plot_bounds(mistakes: pd.DataFrame, probability: pd.DataFrame) -> Figure:
    """Plot mistakes against Novikoff's bound, and the probability of a mistake against n / m.

    Parameters
    ----------
    mistakes : DataFrame
        By ``n``: columns ``mistakes`` and ``bound``.
    probability : DataFrame
        Columns ``n``, ``m``, ``test_error`` and ``bound``.

    Returns
    -------
    matplotlib Figure
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=WIDE)
    left.plot(mistakes.index, mistakes["bound"], label="bound n", **REFERENCE)
    most = LOOK["Perceptron"] | {"linestyle": "none"}
    left.plot(mistakes.index, mistakes["mistakes"], label="most mistakes made", **most)
    left.set(xlabel="dimension n", ylabel="mistakes until convergence", ylim=(0, None))
    left.legend()
    ends = np.array([0.1, 1.0])
    right.loglog(ends, ends, label="bound n / m", **REFERENCE)
    for (n, part), look in zip(probability.groupby("n"), VARIANTS, strict=False):
        right.loglog(part["bound"], part["test_error"], label=f"n = {n:.0f}", **look)
    right.set(xlabel="n / m", ylabel="probability of a mistake")
    right.legend()
    return figure
