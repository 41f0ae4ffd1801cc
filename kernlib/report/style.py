"""Sizes and looks: one learner keeps one colour, line and marker through the whole book."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

import matplotlib.style

SINGLE = (5.2, 3.4)
WIDE = (7.6, 3.4)
SQUARE = (4.4, 4.4)

# Okabe and Ito's palette, told apart with the common colour deficiencies too; its yellow is too
# pale for a line on white, a grey stands in for it.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, GREY = "#E69F00", "#56B4E9", "#000000", "#777777"

# For several runs of one learner in one figure, in the order in which they are given.  Colour,
# line and marker go together: nothing depends on colour alone.
VARIANTS: list[dict[str, Any]] = [
    {"color": BLUE, "linestyle": "-", "marker": "o"},
    {"color": VERMILION, "linestyle": "--", "marker": "s"},
    {"color": GREEN, "linestyle": "-.", "marker": "^"},
    {"color": PURPLE, "linestyle": ":", "marker": "D"},
    {"color": ORANGE, "linestyle": (0, (6, 1)), "marker": "v"},
    {"color": SKY, "linestyle": (0, (3, 1, 1, 1)), "marker": "P"},
    {"color": BLACK, "linestyle": (0, (1, 3)), "marker": "X"},
    {"color": GREY, "linestyle": (0, (8, 3)), "marker": "*"},
]

# One learner, one look.  Kernel learners look as their linear forms do: they never share a figure.
LOOK: dict[str, dict[str, Any]] = {
    "Perceptron": VARIANTS[0],
    "Pegasos": VARIANTS[1],
    "Winnow": VARIANTS[2],
    "Logistic": VARIANTS[3],
    "Least squares": VARIANTS[4],
    "1-NN": VARIANTS[5],
    "SVM": VARIANTS[6],
    "Budget": VARIANTS[7],
}
# What a figure compares with: a bound, an optimum, a published number.
REFERENCE: dict[str, Any] = {"color": "0.35", "linestyle": "-", "linewidth": 0.9}
PUBLISHED: dict[str, Any] = {"color": BLACK, "marker": "x", "linestyle": "none", "markersize": 7}


def use_style() -> None:
    """Set the book's matplotlib style; a chapter's setup cell calls it once."""
    with as_file(files("kernlib.report") / "kernlib.mplstyle") as path:
        matplotlib.style.use(path)
