"""Figures of the chapter ``book/speed.md``."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import REFERENCE, WIDE

AXES = {
    "m": "examples m",
    "d": "features d",
    "classes": "classes",
    "T": "steps T",
}


def exponents(growth: pd.DataFrame, of: str = "seconds") -> pd.DataFrame:
    """Return the exponent of growth of each learner along each axis.

    Parameters
    ----------
    growth : DataFrame
        ``learner``, ``axis``, ``size`` and the column ``of``.
    of : str, default="seconds"
        What grows.

    Returns
    -------
    DataFrame
        ``learner``, ``axis``, ``exponent``: the slope of a line through the logarithms.
    """
    lines = []
    for (learner, axis), part in growth.groupby(["learner", "axis"], sort=False):
        slope = np.polyfit(np.log(part["size"]), np.log(part[of]), 1)[0]
        lines.append((learner, axis, float(slope)))
    return pd.DataFrame(lines, columns=["learner", "axis", "exponent"])


def plot_growth(growth: pd.DataFrame) -> Figure:
    """Plot seconds against the size, a panel for each thing that grows, with exponents.

    Parameters
    ----------
    growth : DataFrame
        ``learner``, ``axis``, ``size``, ``seconds``.

    Returns
    -------
    matplotlib Figure
        The exponent is in the legend.
    """
    kinds = [axis for axis in AXES if axis in set(growth["axis"])]
    figure, panels = plt.subplots(2, (len(kinds) + 1) // 2, figsize=(WIDE[0], 5.6), squeeze=False)
    slopes = exponents(growth).set_index(["learner", "axis"])["exponent"]
    for ax, kind in zip(panels.flat, kinds, strict=False):
        part = growth[growth["axis"] == kind]
        names = list(dict.fromkeys(part["learner"]))
        for name, look in zip(names, looks(names), strict=True):
            line = part[part["learner"] == name].sort_values("size")
            label = f"{name}: {slopes[name, kind]:.2f}"
            ax.loglog(line["size"], line["seconds"], label=label, **look)
        ax.set(xlabel=AXES[kind], ylabel="seconds of a fit")
        ax.legend()
    for ax in panels.flat[len(kinds) :]:
        ax.set_visible(False)
    return figure


def plot_ratios(summary: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot how many times faster than each peer, with intervals, and the goals.

    Parameters
    ----------
    summary : DataFrame
        ``case``, ``ratio``, ``low``, ``high``, ``goal``; one line a comparison.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        On a logarithmic axis; a bar marks the goal.
    """
    ax = axes_or_new(ax, (WIDE[0], 0.32 * len(summary) + 1.0))
    rows = summary.iloc[::-1].reset_index(drop=True)
    place = np.arange(len(rows))
    spread = np.clip([rows["ratio"] - rows["low"], rows["high"] - rows["ratio"]], 0, None)
    ax.axvline(1, **REFERENCE)
    ax.errorbar(rows["ratio"], place, xerr=spread, fmt="o", color="C0", capsize=2, label="measured")
    ax.plot(rows["goal"], place, "|", color="C1", markersize=12, markeredgewidth=2, label="goal")
    ax.set_yticks(place, rows["case"], fontsize=8)
    ax.set(xscale="log", xlabel="times faster than the peer")
    ax.legend(loc="lower right")
    return ax
