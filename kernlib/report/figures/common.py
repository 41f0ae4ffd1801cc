"""What the figures of several chapters share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from kernlib.report.style import SINGLE, VARIANTS

# Points of a line on a logarithmic axis.
N_POINTS = 24


def axes_or_new(ax: Axes | None, size: tuple[float, float] = SINGLE) -> Axes:
    """Return ``ax``, or the axes of a new figure of this size."""
    return plt.subplots(figsize=size)[1] if ax is None else ax


def looks(names: Iterable[str]) -> list[dict[str, Any]]:
    """Return a look for each line of a figure; they do not differ in colour alone."""
    names = list(names)
    if len(names) > len(VARIANTS):
        raise ValueError(
            f"a figure tells {len(VARIANTS)} lines apart, got {len(names)}: {', '.join(names)}. "
            "Draw two figures."
        )
    return VARIANTS[: len(names)]
