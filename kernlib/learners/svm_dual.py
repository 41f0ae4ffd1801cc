r"""A binary SVM's dual problem: its coefficients, errors and gap, and whose rows it needs.

Maximises :math:`\sum_i y_i\beta_i - \frac12\sum_{ij}\beta_i\beta_j K_{ij}` over a box, and over
:math:`\sum_i\beta_i = 0` if there is an intercept; the steps are those of ``smo``.
Tests: ``tests/learners/test_kernel_svm.py``.
"""

from typing import Any

import numpy as np

from kernlib._memory import aligned_empty
from kernlib.gram import Gram
from kernlib.learners.smo import (
    _smo_loop,
    extremes,
    picked,
    subtract_rows,
    values_between,
    violating,
)

# Points in a working set, where there is no matrix: those that violate most, at first and at most,
# and with the support vectors.
FIRST_SET, MOST_VIOLATING, LARGEST_SET = 24, 256, 2048


def points_of(y: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return the points that a problem works on.

    They are the ones with a label and a weight or, if those are more than half, all of them:
    the rest may not move, no row is copied, and the scores on the rest come for free.
    """
    points = np.flatnonzero((y != 0) & (c > 0))
    return np.arange(len(y)) if 2 * len(points) > len(y) else points


class InMemory:
    """The values between some points of a Gram matrix; rows are copied when first used."""

    def __init__(self, G: np.ndarray, points: np.ndarray, room: np.ndarray) -> None:
        m, everything = len(points), len(points) == len(G)
        self.K = G if everything else room[: m * m].reshape(m, m)
        self.source = (self.K, np.full(m, everything), G, points.astype(np.uint64))
        self.diag = np.append(np.diagonal(G)[points], 0.0).astype(np.float64)
        self.first_set = self.most_violating = self.largest_set = 2 * m

    def square(self, W: np.ndarray) -> np.ndarray:
        """Return the values between the points W."""
        return values_between(*self.source, W)

    def subtract(self, W: np.ndarray, t: np.ndarray, E: np.ndarray) -> None:
        """Subtract the rows of the points W, each times its t, from E."""
        subtract_rows(*self.source, W, t, E)


class InBlocks:
    """The same without a matrix: rows are computed, and as many as fit are kept.

    Parameters
    ----------
    gram : Gram
        Computes the values of all points.
    points : ndarray of int
        The points of the problem, increasing.
    room : ndarray
        The memory for the rows.
    """

    def __init__(self, gram: Gram, points: np.ndarray, room: np.ndarray) -> None:
        m = len(points)
        self.gram = gram.among(points)
        self.diag = np.append(self.gram.diag(), 0.0).astype(np.float64)
        n_kept = min(m, room.size // max(m, 1))
        self.kept = room[: n_kept * m].reshape(n_kept, m)
        self.owner = np.full(n_kept, m)  # the point whose row is kept there; m: nobody
        self.place = np.full(m + 1, -1)  # where the row of a point is kept
        self.first_set, self.most_violating = FIRST_SET, min(MOST_VIOLATING, n_kept)
        self.largest_set = min(LARGEST_SET, n_kept)

    def _places(self, W: np.ndarray) -> np.ndarray:
        missing = W[self.place[W] < 0]
        if len(missing) > 0:
            free = self._free(W)[: len(missing)]
            self.place[self.owner[free]] = -1
            self.owner[free], self.place[missing] = missing, free
            self.kept[free] = self.gram.block(missing, slice(None))
        return self.place[W]

    def _free(self, W: np.ndarray) -> np.ndarray:
        """Return the places that no point of W has."""
        in_use = np.zeros(len(self.owner), dtype=bool)
        places = self.place[W]
        in_use[places[places >= 0]] = True
        empty = ~in_use & (self.owner == len(self.diag) - 1)
        return np.flatnonzero(empty if np.count_nonzero(empty) >= len(W) else ~in_use)

    def square(self, W: np.ndarray) -> np.ndarray:
        """Return the values between the points W."""
        return picked(self.kept, self._places(W).astype(np.uint64), W.astype(np.uint64))

    def subtract(self, W: np.ndarray, t: np.ndarray, E: np.ndarray) -> None:
        """Subtract the rows of the points W, each times its t, from E."""
        have, anywhere = np.ones(len(self.kept), dtype=bool), np.empty(0, dtype=np.uint64)
        subtract_rows(self.kept, have, self.kept, anywhere, self._places(W), t, E)


class Supply:
    """The values that problems need, one problem after the other, in the same memory.

    Parameters
    ----------
    gram : Gram
        The kernel's values on all points.
    problems : list of ndarrays
        The points of each problem.
    max_memory : float
        The most that rows which are computed may take, in MiB.
    """

    def __init__(self, gram: Gram, problems: list[np.ndarray], max_memory: float) -> None:
        self.gram = gram
        self._points: np.ndarray | None = None
        self._values: Any = None
        sizes = np.array([len(points) for points in problems])
        if gram.matrix is not None:
            sizes = sizes[sizes < len(gram)]
        most = int(np.max(sizes, initial=0))
        numbers = most**2
        if gram.matrix is None:
            # Only what is written takes memory.
            numbers = min(numbers, int(max_memory * 2**20) // gram.dtype.itemsize)
            numbers = max(numbers, FIRST_SET * most)
        self._room = aligned_empty((numbers,), gram.dtype)

    def of(self, points: np.ndarray) -> Any:
        """Return the values of a problem; the same object if its points are those of the last."""
        if self._points is None or not np.array_equal(points, self._points):
            G = self.gram.matrix
            self._points, self._values = (
                points,
                (
                    InBlocks(self.gram, points, self._room)
                    if G is None
                    else InMemory(G, points, self._room)
                ),
            )
        return self._values


# ---------------------------------------------------------------- a binary problem


class Dual:
    """A binary problem with labels y, and its solution on the way.

    The box is from 0 to C_i if y_i = 1, from -C_i to 0 if y_i = -1.  Without an intercept the
    sum may be anything: the same as one more point, without a label or limits and with a kernel
    row of zeros, that takes up the rest.  With an intercept that point may not move.
    """

    def __init__(self, y: np.ndarray, C: np.ndarray, fit_intercept: bool) -> None:
        limit = 0.0 if fit_intercept else np.inf
        self.y, self.C = y, C
        self.lower = np.append(np.where(y < 0, -C, 0.0), -limit)
        self.upper = np.append(np.where(y > 0, C, 0.0), limit)
        self.E = np.append(y, 0.0).astype(np.float64)  # L1
        self.beta = np.zeros(len(self.E))
        self.n_iter = 0

    def extremes(self) -> tuple[float, float]:
        """Return the largest E of a point that may grow, the least of one that may shrink."""
        highest, lowest = extremes(self.E, self.beta, self.lower, self.upper)
        return float(highest), float(lowest)

    def violation(self) -> float:
        """Return by how much the optimality conditions are violated; 0 or less if they hold."""
        highest, lowest = self.extremes()
        return highest - lowest

    def solve(self, values: Any, tol: float, max_iter: int) -> None:
        """Make steps until the violation is below ``tol``.

        With a matrix: among all points, and in a long run, by turns, among those that violate.
        """
        size, everywhere = values.first_set, isinstance(values, InMemory)
        while (violation := self.violation()) >= tol and self.n_iter < max_iter:
            if everywhere:
                limit = min(max(len(self.y), 1000), max_iter - self.n_iter)
                box = (self.E, self.beta, self.lower, self.upper)
                steps = _smo_loop(*values.source, values.diag, *box, tol, limit)
            else:
                enough = max(tol / 2, violation / 30)
                steps = self._steps_among(self._working(size, values), values, enough, max_iter)
            if steps == 0:
                break
            self.n_iter += steps
            everywhere = isinstance(values, InMemory) and not everywhere
            size = min(size * 5 // 4, values.most_violating)

    def _working(self, size: int, values: Any) -> np.ndarray:
        """Return the points that violate most, and the support vectors if they are not too many.

        Together they come near the optimum among the rows at hand, before more are computed.
        """
        together = self.beta[:-1] != 0
        together[self._violating(size)] = True
        W = np.flatnonzero(together)
        return W if len(W) <= values.largest_set else self._violating(values.largest_set)

    def _violating(self, size: int) -> np.ndarray:
        """Return the points that violate most, from both sides, ``size`` at most."""
        E, half = self.E[:-1], size // 2
        growing, shrinking = violating(self.E, self.beta, self.lower, self.upper)
        if len(growing) > half:
            growing = growing[np.argpartition(-E[growing], half)[:half]]
        if len(shrinking) > half:
            shrinking = shrinking[np.argpartition(E[shrinking], half)[:half]]
        most = np.zeros(len(E), dtype=bool)
        most[growing] = most[shrinking] = True
        return np.flatnonzero(most)

    def _steps_among(self, W: np.ndarray, values: Any, tol: float, max_iter: int) -> int:
        """Solve the problem of the points W alone, then tell all points; return the steps."""
        K, own = values.square(W), np.append(W, len(self.y))
        have, beta = np.ones(len(W), dtype=bool), self.beta[own]
        box = (self.E[own], beta, self.lower[own], self.upper[own])
        source = (K, have, K, W.astype(np.uint64))
        steps = _smo_loop(*source, values.diag[own], *box, tol, max_iter - self.n_iter)
        t = (beta - self.beta[own])[:-1]
        self.beta[own] = beta
        values.subtract(W[t != 0], t[t != 0], self.E)
        return int(steps)

    def intercept(self) -> float:
        """Return b: the mean E of the points inside the box, or the middle of what is optimal."""
        if self.upper[-1] > 0:
            return 0.0
        inside = (self.lower < self.beta) & (self.beta < self.upper)
        if np.any(inside):
            return float(self.E[inside].mean())
        bounds = [bound for bound in self.extremes() if np.isfinite(bound)]
        return float(np.mean(bounds)) if bounds else 0.0

    def objective(self) -> float:
        """Return the value of the dual."""
        return float(self.beta[:-1] @ (self.y + self.E[:-1]) / 2)

    def gap(self, b: float) -> float:
        """Return the primal's value minus the dual's: a sum of terms that are not negative."""
        lacking = self.y * (self.E[:-1] - b)  # 1 - y (f + b)
        alpha = self.y * self.beta[:-1]
        return float(np.sum(self.C * np.maximum(lacking, 0.0) - alpha * lacking))
