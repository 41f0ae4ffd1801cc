"""Sizes and looks: one learner keeps one colour, line and marker through the whole book."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

import matplotlib.style

SINGLE = (5.2, 3.4)
WIDE = (7.6, 3.4)
SQUARE = (4.4, 4.4)

# Okabe and Ito's palette, told apart with the common colour deficiencies too.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, YELLOW = "#E69F00", "#56B4E9", "#000000", "#F0E442"

# Colour, line and marker go together: nothing depends on colour alone.
LOOK: dict[str, dict[str, Any]] = {
    "Perceptron": {"color": BLUE, "linestyle": "-", "marker": "o"},
    "Pegasos": {"color": VERMILION, "linestyle": "--", "marker": "s"},
    "Winnow": {"color": GREEN, "linestyle": "-.", "marker": "^"},
}

# For several runs of one learner in one figure, in the order in which they are given.
VARIANTS: list[dict[str, Any]] = [
    {"color": BLUE, "linestyle": "-", "marker": "o"},
    {"color": VERMILION, "linestyle": "--", "marker": "s"},
    {"color": GREEN, "linestyle": "-.", "marker": "^"},
    {"color": PURPLE, "linestyle": ":", "marker": "D"},
]


def use_style() -> None:
    """Set the book's matplotlib style; a chapter's setup cell calls it once."""
    with as_file(files("kernlib.report") / "kernlib.mplstyle") as path:
        matplotlib.style.use(path)
