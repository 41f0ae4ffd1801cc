"""Figures of the chapter ``book/perceptron.md``: hyperplanes of the plane, and how they turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from kernlib.report.figures.common import axes_or_new
from kernlib.report.style import BLACK, BLUE, GREEN, GREY, REFERENCE, SQUARE, VERMILION

CLASSES: dict[int, dict[str, Any]] = {
    1: {"c": BLUE, "marker": "o"},
    -1: {"c": VERMILION, "marker": "s"},
}


def _points(ax: Axes, X: np.ndarray, y: np.ndarray, alpha: float = 0.8) -> None:
    for label, look in CLASSES.items():
        rows = X[y == label]
        name = "+1" if label == 1 else "\N{MINUS SIGN}1"
        ax.scatter(rows[:, 0], rows[:, 1], s=18, alpha=alpha, label=f"label {name}", **look)


def _hyperplane(ax: Axes, w: np.ndarray, b: float, reach: float, **look: Any) -> None:
    """Draw the line <w, x> + b = 0, long enough to leave the axes."""
    norm = np.linalg.norm(w)
    foot, along = -b * w / norm**2, np.array([-w[1], w[0]]) / norm
    ends = np.array([foot - 3 * reach * along, foot + 3 * reach * along])
    ax.plot(ends[:, 0], ends[:, 1], **look)


def _arrow(ax: Axes, tip: np.ndarray, start: np.ndarray, colour: str, style: str = "-") -> None:
    look: dict[str, Any] = {"arrowstyle": "-|>", "color": colour, "lw": 1.8, "linestyle": style}
    ax.annotate("", xy=tuple(tip), xytext=tuple(start), arrowprops={**look, "shrinkA": 0})


def _square(ax: Axes, reach: float) -> None:
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xlabel="$x_1$", ylabel="$x_2$")
    ax.set_aspect("equal")
    ax.grid(False)


def plot_halfspaces(
    X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float = 0.0, ax: Axes | None = None
) -> Axes:
    """Draw a hyperplane of the plane, its normal, its two halfspaces and its margin.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The examples.
    y : array-like of shape (n,)
        Labels -1 and +1.
    w : array-like of shape (2,)
        The normal; drawn with unit length from the foot of the hyperplane.
    b : float, default=0
        The intercept.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, SQUARE)
    X, y, w = np.asarray(X), np.asarray(y), np.asarray(w, dtype=float)
    reach, norm = 1.05 * float(np.abs(X).max()), float(np.linalg.norm(w))
    side = np.linspace(-reach, reach, 200)
    grid = np.stack(np.meshgrid(side, side), axis=-1) @ w + b
    ax.contourf(side, side, grid, levels=[-np.inf, 0, np.inf], colors=[VERMILION, BLUE], alpha=0.1)
    _points(ax, X, y)
    gamma = float((y * (X @ w + b)).min()) / norm
    _hyperplane(ax, w, b, reach, color=BLACK)
    if gamma > 0:
        for shift in (-gamma, gamma):
            _hyperplane(ax, w, float(b + shift * norm), reach, **REFERENCE | {"linestyle": ":"})
    foot = -b * w / norm**2
    _arrow(ax, foot + w / norm, foot, BLACK)
    name = foot + 1.25 * w / norm
    ax.text(name[0], name[1], "$w$", ha="center", va="center", fontsize=12)
    _square(ax, reach)
    ax.legend(loc="upper left", bbox_to_anchor=(0, 1.12), ncols=2, borderaxespad=0)
    return ax


def plot_turn(
    X: ArrayLike, y: ArrayLike, path: ArrayLike, k: int, row: ArrayLike, ax: Axes | None = None
) -> Axes:
    """Draw mistake k of a perceptron in the plane: the hyperplane before and after it.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The examples; no constant feature.
    y : array-like of shape (n,)
        Labels -1 and +1.
    path : array-like of shape (n_mistakes + 1, 2)
        The weights: zero, and those after each mistake.
    k : int
        The mistake, counted from 1.
    row : array-like of shape (2,)
        Its example, ringed in the figure.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax, SQUARE)
    X, path, row = np.asarray(X), np.asarray(path), np.asarray(row)
    reach = 1.05 * max(np.abs(X).max(), np.abs(path).max())
    _points(ax, X, np.asarray(y), alpha=0.55)
    if path[k - 1].any():
        _hyperplane(ax, path[k - 1], 0.0, reach, color=GREY, linestyle="--", linewidth=1.2)
        _arrow(ax, path[k - 1], np.zeros(2), GREY, "--")
    _hyperplane(ax, path[k], 0.0, reach, color=BLACK)
    _arrow(ax, path[k], path[k - 1], GREEN)
    _arrow(ax, path[k], np.zeros(2), BLACK)
    ax.scatter(row[0], row[1], s=130, facecolor="none", edgecolor=BLACK, linewidth=1.5, zorder=3)
    _square(ax, reach)
    return ax


def turns(X: ArrayLike, y: ArrayLike, rows: ArrayLike, signs: ArrayLike) -> Iterator[tuple]:
    """Yield label and figure of every mistake of a run, the frames of an animation.

    Parameters
    ----------
    X, y : array-like
        Examples in the plane and their labels.
    rows, signs : array-like of shape (n_mistakes, 2) and (n_mistakes,)
        The examples of the mistakes and their labels, in order: the votes of a perceptron.
    """
    rows, signs, y = np.asarray(rows), np.asarray(signs), np.asarray(y)
    path = np.vstack([np.zeros(2), np.cumsum(signs[:, np.newaxis] * rows, axis=0)])
    for k in range(1, len(path)):
        figure, ax = plt.subplots(figsize=SQUARE)
        plot_turn(X, y, path, k, rows[k - 1], ax)
        wrong = int(np.sum(y * (np.asarray(X) @ path[k]) <= 0))
        yield f"mistake {k} of {len(signs)}; after it {wrong} of {len(y)} are wrong", figure
        plt.close(figure)
