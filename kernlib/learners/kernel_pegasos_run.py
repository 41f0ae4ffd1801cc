r"""Runs of binary problems along one order, around the kernel Pegasos loop.

Problems that share their order share each row of the Gram matrix; without a matrix a block of
steps has one of its own.
Tests: ``tests/learners/test_kernel_pegasos.py``.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from kernlib._memory import aligned_zeros
from kernlib.gram import Gram
from kernlib.learners.base import refuse_overflow
from kernlib.learners.kernel_base import Solution
from kernlib.learners.kernel_pegasos_loop import complete, kernel_pegasos_loop
from kernlib.learners.losses import LOSSES
from kernlib.learners.sampling import VisitingOrder

BLOCK = 2048  # steps at a time where there is no matrix: their kernel values are one
VALUES = 2**22  # kernel values at a time there


class Rule(NamedTuple):
    """What does not change during a run: arrays have an entry a problem."""

    loss: str
    lam: np.ndarray  # the regularisation
    offset: np.ndarray  # f_t is the sum over lam (t - offset)
    first: int  # the step from which on the mean is kept; 0 for none


class KernelRun:
    """Binary problems that share their order, and so each row of the Gram matrix.

    Parameters
    ----------
    gram : Gram
        The kernel's values on all points.
    rows : ndarray of int
        The points to train on.
    Y : ndarray of shape (n_problems, n_rows)
        Their labels, +1 and -1, in each problem.
    c : ndarray of shape (n_rows,), or None
        The weight of a step on each of them; None for 1.
    order : VisitingOrder
        Over the places 0, 1, ... in ``rows``.
    rule : Rule
        The settings of the run.
    """

    def __init__(
        self,
        gram: Gram,
        rows: np.ndarray,
        Y: np.ndarray,
        c: np.ndarray | None,
        order: VisitingOrder,
        rule: Rule,
    ) -> None:
        self.gram, self.rows, self.rule = gram, rows, rule
        self._order = order
        self.t = 0
        self.mass = np.zeros(len(Y))
        self.n_pulls = np.zeros(len(Y), dtype=np.int64)
        # With the sums in the same units, and lam t with them, no step depends on the unit.
        self._matrix, self._unit = gram.lifted
        # The points that the arrays below are about, and the place of each row among them.
        self._points: Any = slice(None)
        self._places = rows.astype(np.uint32)
        if gram.matrix is None or 2 * len(rows) <= len(gram):
            self._points, self._places = rows, np.arange(len(rows), dtype=np.uint32)
            if self._matrix is not None:  # few of many points: a copy costs less than long rows
                self._matrix = np.ascontiguousarray(self._matrix[np.ix_(rows, rows)])
        n = len(rows) if self._points is rows else len(gram)
        self._Y = np.zeros((len(Y), n), dtype=np.int8)
        self._Y[:, self._places] = Y
        self._c = None if c is None else np.zeros(n)
        if c is not None and self._c is not None:
            self._c[self._places] = c
        self.A, self.Z = np.zeros((len(Y), n)), np.zeros((len(Y), n))
        # Steps need the scores of the rows alone: those after the last row can wait.
        self._width = int(self._places.max()) + 1
        self._F = aligned_zeros((len(Y), n if self._matrix is not None else 0))

    def advance(self, n_steps: int) -> None:
        """Make ``n_steps`` steps."""
        block = n_steps if self._matrix is not None else BLOCK
        for part in gen_batches(n_steps, block):
            visits = self._places[self._order.take(part.stop - part.start)]
            if self._matrix is not None:
                state = (self._width, self._F, self.A, self.Z, self.mass, self.n_pulls, self.t)
                self.t = self._loop(self._matrix, self._Y, self._c, visits, state)
            else:
                self._advance_on_a_block(visits)

    def _advance_on_a_block(self, visits: np.ndarray) -> None:
        """Do the same without a matrix: on the points of this block, with their own Gram."""
        points, visits = np.unique(visits, return_inverse=True)
        K = self.gram.block(self.rows[points], self.rows[points])
        A, Z = self.A[:, points], self.Z[:, points]
        f = self._scores(points)
        state = (f.shape[1], f, A, Z, self.mass, self.n_pulls, self.t)
        c = None if self._c is None else self._c[points]
        self.t = self._loop(K, self._Y[:, points], c, visits.astype(np.uint32), state)
        self.A[:, points], self.Z[:, points] = A, Z

    def _loop(self, G: Any, Y: np.ndarray, c: Any, visits: np.ndarray, state: tuple) -> int:
        rule = self.rule
        loss = LOSSES.index(rule.loss)
        with np.errstate(over="ignore"):  # infinite, it asks for a pull at every step, as before
            lam = self._unit * rule.lam
        return kernel_pegasos_loop(G, Y, c, visits, loss, lam, rule.offset, rule.first, *state)

    def _scores(self, places: np.ndarray) -> np.ndarray:
        """Return the sums over all support vectors at some of the rows, a part at a time."""
        support = np.flatnonzero(np.any(self.A != 0, axis=0))
        out = np.zeros((len(self.A), len(places)))
        length = max(1, VALUES // len(places))
        for start in range(0, len(support), length):
            part = support[start : start + length]
            out += self.A[:, part] @ self.gram.block(self.rows[part], self.rows[places])
        refuse_overflow(out, "KernelPegasos")
        return out

    @property
    def F(self) -> np.ndarray:
        """The sums that the last iterate is a multiple of, at the points that have a column."""
        if self._width < self._F.shape[1]:
            complete(self._matrix, self.A, self._F, self._width)
        return self._F / self._unit

    def coefficients(self) -> np.ndarray:
        """Return the mean since ``first``, or the last if there is none, on all points."""
        out = np.zeros((len(self.A), len(self.gram)))
        n_mean = self.t - self.rule.first + 1
        if self.rule.first == 0 or n_mean <= 0:
            out[:, self._points] = self._scaled(self.A, self.t)
        else:
            mass = self.mass[:, np.newaxis]
            out[:, self._points] = self._scaled(mass * self.A - self.Z, n_mean)
        return out

    def scores(self) -> np.ndarray | None:
        """Return the scores of the last iterate on all points, if they were kept."""
        refuse_overflow(self._F[:, : self._width] / self._unit, "KernelPegasos")
        if self._F.shape[1] < len(self.gram) or 0 < self.rule.first <= self.t:
            return None
        sums = self.F
        refuse_overflow(sums, "KernelPegasos")
        return self._scaled(sums, self.t)

    def _scaled(self, sums: np.ndarray, n_steps: int) -> np.ndarray:
        with np.errstate(over="ignore"):  # the learner refuses infinite coefficients
            return sums / max(n_steps, 1) / self.rule.lam[:, np.newaxis]


def solutions(runs: list[KernelRun], n_learners: int) -> list[Solution]:
    """Return the state of the runs, a learner at a time."""
    coef = [np.split(run.coefficients(), n_learners) for run in runs]
    scores = [run.scores() for run in runs]
    kept = [np.split(f, n_learners) for f in scores if f is not None]
    pulls = [np.split(run.n_pulls, n_learners) for run in runs]
    out = []
    for k in range(n_learners):
        a = np.concatenate([run_coef[k] for run_coef in coef])
        if not np.all(np.isfinite(a)):
            raise ValueError(
                "KernelPegasos expected coefficients that fit into floating point, but they "
                "overflow: the regularisation is too small. Raise lam."
            )
        f = (
            np.concatenate([run_scores[k] for run_scores in kept])
            if len(kept) == len(runs)
            else None
        )
        steps = np.repeat([run.t for run in runs], [len(run_pulls[k]) for run_pulls in pulls])
        fitted = {"n_steps_": steps, "n_violations_": np.concatenate([n[k] for n in pulls])}
        out.append(Solution(a, np.zeros(len(a)), f, fitted))
    return out
