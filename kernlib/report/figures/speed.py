"""Figures of the chapter ``book/speed.md``."""

from __future__ import annotations

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from kernlib.report.figures.common import axes_or_new, looks
from kernlib.report.style import BLUE, REFERENCE, VERMILION, WIDE

AXES = {
    "m": "examples $m$",
    "d": "features $d$",
    "classes": "classes",
    "T": "steps $T$",
}
UNITS = {"seconds": "time [s]", "megabytes": "memory [MiB]"}
FEW = 64  # the largest size whose ticks are the sizes themselves
LABEL = 60  # characters in a line of a label


def plot_growth(growth: pd.DataFrame, quantity: str = "seconds") -> Figure:
    """Plot time or memory against each size on logarithmic axes, with fitted lines.

    Parameters
    ----------
    growth : DataFrame
        Columns ``learner``, ``axis``, ``size`` and ``quantity``.
    quantity : {"seconds", "megabytes"}, default="seconds"
        What to plot.

    Returns
    -------
    matplotlib Figure
        A panel for each axis, of at least a decade; the legend above it gives the exponents, the
        slopes of the lines.
    """
    axes = [axis for axis in AXES if axis in set(growth["axis"])]
    names = list(dict.fromkeys(growth["learner"]))
    look = dict(zip(names, looks(names), strict=True))
    columns = 2
    rows = -(-len(axes) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(WIDE[0], 3.4 * rows), squeeze=False)
    for ax in grid.flat[len(axes) :]:
        ax.set_visible(False)
    for ax, axis in zip(grid.flat, axes, strict=False):
        for name, part in growth[growth["axis"] == axis].groupby("learner", sort=False):
            x, y = part["size"].to_numpy(float), part[quantity].to_numpy(float)
            slope, start = np.polyfit(np.log(x), np.log(y), 1)
            style = look[str(name)]
            ax.plot(x, y, color=style["color"], marker=style["marker"], linestyle="none")
            ax.plot(
                x, np.exp(start) * x**slope, color=style["color"], linestyle=style["linestyle"],
                label=f"{name}: {round(slope, 2) + 0.0:.2f}",  # + 0.0: no minus at zero
            )  # fmt: skip
        ax.set(xscale="log", yscale="log", xlabel=AXES[axis], ylabel=UNITS[quantity])
        _ticks(ax, growth[growth["axis"] == axis], quantity)
        ax.legend(
            fontsize="x-small", title="exponent", title_fontsize="x-small", alignment="left",
            loc="lower left", bbox_to_anchor=(0, 1),
        )  # fmt: skip
    return figure


def _ticks(ax: Axes, part: pd.DataFrame, quantity: str) -> None:
    """Show at least a decade upwards, and few sizes as they are."""
    low, high = ax.get_ylim()
    if high < 10 * low:
        ends = np.log10(part[quantity].to_numpy(float))
        bottom = np.floor(ends.min())
        ax.set_ylim(10.0**bottom, 10.0 ** max(np.ceil(ends.max()), bottom + 1))
        ax.yaxis.set_minor_formatter(NullFormatter())
    sizes = np.unique(part["size"])
    if sizes.max() <= FEW:
        ax.set_xticks(sizes, [f"{size:g}" for size in sizes])
        ax.xaxis.set_minor_locator(NullLocator())


def plot_ratios(contests: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot how many times longer each peer takes, with intervals and goals.

    Parameters
    ----------
    contests : DataFrame
        Columns ``case``, ``unit`` ("x <peer>"), ``ratio``, ``low``, ``high``, ``goal``.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        A line for each contest; bars mark the goals, a line the peer's own time.
    """
    labels = [
        fill(f"{case}: {unit.removeprefix('x ')}", LABEL, break_on_hyphens=False)
        for case, unit in zip(contests["case"], contests["unit"], strict=True)
    ]
    # A line of a label, and a gap between two labels.
    heights = np.array([0.14 * (label.count("\n") + 1) + 0.08 for label in labels])
    ax = axes_or_new(ax, (WIDE[0], 0.8 + heights.sum()))
    places = heights.sum() - np.cumsum(heights) + heights / 2
    ratio = contests["ratio"].to_numpy(float)
    ends = contests[["low", "high"]].to_numpy(float)
    aims = pd.to_numeric(contests["goal"]).to_numpy(float)
    ax.axvline(1, **REFERENCE)
    spread = np.abs(ends - ratio[:, None]).T
    ax.errorbar(ratio, places, xerr=spread, fmt="o", color=BLUE, capsize=2, label="measured")
    known = ~np.isnan(aims)
    ax.plot(
        aims[known], places[known], linestyle="none", marker="|", markersize=12, color=VERMILION,
        markeredgewidth=2, label="goal",
    )  # fmt: skip
    ax.set_yticks(places, labels, fontsize="small")
    ax.set(
        xscale="log", xlabel="time of the peer / time of kernlib", ylim=(0, heights.sum()),
    )  # fmt: skip
    ax.legend(loc="best", fontsize="small")
    return ax


def plot_shares(limits: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot how much of the machine's limit each stage reaches.

    Parameters
    ----------
    limits : DataFrame
        Columns ``stage``, ``limit`` (empty for the limits themselves) and ``share``.
    ax : Axes, optional
        Where to draw.
    """
    part = limits[limits["limit"].notna() & (limits["limit"] != "")]
    ax = axes_or_new(ax, (WIDE[0], 0.8 + 0.45 * len(part)))
    places = np.arange(len(part))[::-1]
    bars = ax.barh(places, part["share"], color=BLUE, height=0.55)
    ax.bar_label(bars, [f"{share:.0%}" for share in part["share"]], padding=3, fontsize="small")
    names = [f"{s}\nof {limit}" for s, limit in zip(part["stage"], part["limit"], strict=True)]
    ax.set_yticks(places, names, fontsize="small")
    ax.axvline(1, **REFERENCE)
    ax.set(xlabel="share of the limit", xlim=(0, max(1.15, 1.15 * part["share"].max())))
    ax.grid(visible=False, axis="y")
    return ax
