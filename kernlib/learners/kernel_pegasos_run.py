r"""The kernel Pegasos loop, and the run of binary problems along one order around it.

With :math:`v_t = \lambda(t-1) f_t = \sum_j a_j K(x_j, \cdot)`, step t on example i is
:math:`a_i \leftarrow a_i + (-\ell'(m))\,y_i` at the margin :math:`m = y_i f_t(x_i)`; the
pseudocode L1 to L9 is in the docstring of ``KernelPegasos``.
Tests: ``tests/learners/test_kernel_pegasos.py``.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from kernlib._jit import jit, jit_inline
from kernlib.gram import Gram
from kernlib.learners.base import refuse_overflow
from kernlib.learners.kernel_base import Solution
from kernlib.learners.losses import LOSSES, pull
from kernlib.learners.sampling import VisitingOrder
from kernlib.learners.scaled import scale

PENDING = 32  # steps whose rows are added to the running scores together
TILE = 1024  # columns at a time: the scores of a tile stay in the cache while rows are added
BLOCK = 2048  # steps at a time where there is no matrix: their kernel values are one
VALUES = 2**22  # kernel values at a time there


@jit_inline
def _add_rows(G, i, g, n_pending, F):
    """Add the pending rows g K(x_i, .) of each problem to its running scores, in their order.

    Four at a time: a score is loaded and stored once for them, not four times.  Rows times 0
    make up the last four.
    """
    for p in range(len(F)):
        while n_pending[p] % 4 > 0:
            i[p, n_pending[p]] = i[p, n_pending[p] - 1]
            g[p, n_pending[p]] = 0.0
            n_pending[p] += 1
    for left in range(0, F.shape[1], TILE):
        right = min(left + TILE, F.shape[1])
        for p in range(len(F)):
            f = F[p, left:right]
            for k in range(0, n_pending[p], 4):
                g0, g1, g2, g3 = g[p, k], g[p, k + 1], g[p, k + 2], g[p, k + 3]
                row0, row1 = G[i[p, k], left:right], G[i[p, k + 1], left:right]
                row2, row3 = G[i[p, k + 2], left:right], G[i[p, k + 3], left:right]
                for j in range(len(f)):
                    f[j] = f[j] + g0 * row0[j] + g1 * row1[j] + g2 * row2[j] + g3 * row3[j]


@jit
def _kernel_pegasos_loop(G, Y, c, order, loss, lam, offset, first, F, A, Z, mass, n_pulls, t):
    """Go on through ``order``, all problems (rows of Y, F, A, Z) at once; return t.

    ``A`` holds the coefficients a, ``F`` the running scores sum_j a_j K(x_j, .), ``Z`` and
    ``mass`` the mean (see ``scaled.py``).  ``c`` holds weights or is None.  A row of G is
    added to F up to PENDING steps late; until then its value is added where a score is read,
    in the same order, so that the delay changes no bit.
    """
    n_problems = len(lam)
    pending = np.empty((n_problems, PENDING), dtype=np.intp)
    pulls = np.empty((n_problems, PENDING))
    n_pending = np.zeros(n_problems, dtype=np.intp)
    for start in range(0, len(order), PENDING):
        n_pending[:] = 0
        for i in order[start : start + PENDING]:  # L2
            t += 1
            for p in range(n_problems):
                since = t - offset[p]
                if 0 < first <= t and since > 0:
                    mass[p] += 1.0 / since
                s = F[p, i]  # L3
                for k in range(n_pending[p]):
                    s += pulls[p, k] * G[pending[p, k], i]
                g = pull(loss, float(Y[p, i]), s, scale(lam[p], since + 1))  # L4
                if c is not None:
                    g *= c[i]
                if g != 0.0:  # L5
                    A[p, i] += g  # L6
                    if first > 0:
                        Z[p, i] += mass[p] * g  # L7
                    pending[p, n_pending[p]] = i
                    pulls[p, n_pending[p]] = g
                    n_pending[p] += 1
                    n_pulls[p] += 1
        _add_rows(G, pending, pulls, n_pending, F)  # L8
    return t  # L9


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
        self._matrix = gram.matrix
        # The points that the arrays below are about, and the place of each row among them.
        self._points: Any = slice(None)
        self._places = rows.astype(np.uint32)
        if gram.matrix is None or 2 * len(rows) <= len(gram):
            self._points, self._places = rows, np.arange(len(rows), dtype=np.uint32)
            if gram.matrix is not None:  # few of many points: a copy costs less than long rows
                self._matrix = np.ascontiguousarray(gram.block(rows, rows))
        n = len(rows) if self._points is rows else len(gram)
        self._Y = np.zeros((len(Y), n), dtype=np.int8)
        self._Y[:, self._places] = Y
        self._c = None if c is None else np.zeros(n)
        if c is not None and self._c is not None:
            self._c[self._places] = c
        self.A, self.Z = np.zeros((len(Y), n)), np.zeros((len(Y), n))
        self.F = np.zeros((len(Y), n if self._matrix is not None else 0))

    def advance(self, n_steps: int) -> None:
        """Make ``n_steps`` steps."""
        block = n_steps if self._matrix is not None else BLOCK
        for part in gen_batches(n_steps, block):
            visits = self._places[self._order.take(part.stop - part.start)]
            if self._matrix is not None:
                state = (self.F, self.A, self.Z, self.mass, self.n_pulls, self.t)
                self.t = self._loop(self._matrix, self._Y, self._c, visits, state)
            else:
                self._advance_on_a_block(visits)

    def _advance_on_a_block(self, visits: np.ndarray) -> None:
        """Do the same without a matrix: on the points of this block, with their own Gram."""
        points, visits = np.unique(visits, return_inverse=True)
        K = self.gram.block(self.rows[points], self.rows[points])
        A, Z = self.A[:, points], self.Z[:, points]
        state = (self._scores(points), A, Z, self.mass, self.n_pulls, self.t)
        c = None if self._c is None else self._c[points]
        self.t = self._loop(K, self._Y[:, points], c, visits.astype(np.uint32), state)
        self.A[:, points], self.Z[:, points] = A, Z

    def _loop(self, G: Any, Y: np.ndarray, c: Any, visits: np.ndarray, state: tuple) -> int:
        rule = self.rule
        loss = LOSSES.index(rule.loss)
        return _kernel_pegasos_loop(
            G, Y, c, visits, loss, rule.lam, rule.offset, rule.first, *state
        )

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
        refuse_overflow(self.F, "KernelPegasos")
        if self.F.shape[1] < len(self.gram) or 0 < self.rule.first <= self.t:
            return None
        return self._scaled(self.F, self.t)

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
