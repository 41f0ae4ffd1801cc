"""Figures of the chapter ``book/scorecard.md``."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from kernlib.report.figures.common import axes_or_new
from kernlib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    REFERENCE,
    SKY,
    SQUARE,
    VERMILION,
    WIDE,
)

# Colour and marker by verdict; what agrees is cool, what does not is warm.
MARKS = {
    "exact": (BLUE, "o"),
    "within noise": (SKY, "s"),
    "as the code, not the text": (GREEN, "^"),
    "uninformative": (GREY, "P"),
    "not reproduced": (VERMILION, "X"),
    "impossible": (BLACK, "D"),
    "reduced": (ORANGE, "v"),
    "twin": (PURPLE, "*"),
}


def plot_theirs_and_ours(card: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot our error rates against the published ones, on logarithmic axes.

    Parameters
    ----------
    card : DataFrame
        Columns ``published``, ``ours`` and ``verdict``; lines where either is 0 are left out.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        With the diagonal on which they are equal.
    """
    ax = axes_or_new(ax, (SQUARE[0] * 1.3, SQUARE[1] * 1.1))
    shown = card[(card["published"] > 0) & (card["ours"] > 0)]
    ends = [shown[["published", "ours"]].min().min(), shown[["published", "ours"]].max().max()]
    ax.plot(ends, ends, **REFERENCE)
    for place, (verdict, (color, marker)) in enumerate(MARKS.items()):
        part = shown[shown["verdict"] == verdict]
        if len(part):
            ax.scatter(
                part["published"], part["ours"], s=18, color=color, marker=marker, alpha=0.75,
                label=f"{verdict} ({len(part)})", linewidths=0,
                zorder=2 if place else 3,  # the few exact ones above those within noise
            )  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="published error", ylabel="our error")
    ax.legend(loc="upper left")
    return ax


def plot_counts(counts: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Plot how many numbers of each document have each verdict, as stacked bars.

    Parameters
    ----------
    counts : DataFrame
        From ``kernlib.report.scorecard.counts``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    ax = axes_or_new(ax, WIDE)
    rows = counts.iloc[:-1][::-1]
    left = pd.Series(0, index=rows.index)
    for verdict in (name for name in MARKS if name in counts.columns):
        ax.barh(rows["document"], rows[verdict], left=left, color=MARKS[verdict][0], label=verdict)
        left = left + rows[verdict]
    ax.set(xlabel="published numbers")
    ax.grid(axis="y", visible=False)
    ax.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return ax
