r"""The kernel Pegasos loop: running scores that Gram rows are added to, many rows at a time.

With :math:`v_t = \lambda(t-1) f_t = \sum_j a_j K(x_j, \cdot)`, step t on example i is
:math:`a_i \leftarrow a_i + (-\ell'(m))\,y_i` at the margin :math:`m = y_i f_t(x_i)`; the
pseudocode L1 to L9 is in the docstring of ``KernelPegasos``.
Tests: ``tests/learners/test_kernel_pegasos.py``.
"""

import numpy as np

from kernlib._jit import jit, jit_inline
from kernlib.learners.losses import pull
from kernlib.learners.scaled import scale

PENDING = 32  # steps whose rows are added to the running scores together
TILE = 1024  # columns at a time: the rows of a tile stay in the cache for all problems


@jit_inline
def _pick(pulls, p, picked):
    """Write the places where problem p or p + 1 pulls, in order; return how many.

    The place after the last, which pulls nothing, makes them a multiple of four.
    """
    n = 0
    for v in range(pulls.shape[1] - 1):
        if pulls[p, v] != 0.0 or pulls[min(p + 1, len(pulls) - 1), v] != 0.0:
            picked[n] = v
            n += 1
    while n % 4 > 0:
        picked[n] = pulls.shape[1] - 1
        n += 1
    return n


@jit_inline
def _add_rows(G, i, pulls, F, start, stop):
    """Add ``pulls[p, v]`` times row ``i[v]`` of G to row p of F, v in order, in some columns.

    Four rows to two problems at a time: a score is loaded and stored once for four rows, and a
    kernel value once for two problems.  Adding 0 changes no bit, so neither does the company.
    """
    n_picked = np.empty(len(F), dtype=np.intp)
    picked = np.empty((len(F), pulls.shape[1] + 3), dtype=np.intp)
    for p in range(0, len(F), 2):
        n_picked[p] = _pick(pulls, p, picked[p])
    for left in range(start, stop, TILE):
        right = min(left + TILE, stop)
        for p in range(0, len(F), 2):
            f, g, q = F[p, left:right], pulls[p], min(p + 1, len(F) - 1)
            h, e = F[q, left:right], pulls[q]
            for k in range(0, n_picked[p], 4):
                v0, v1, v2, v3 = picked[p, k], picked[p, k + 1], picked[p, k + 2], picked[p, k + 3]
                row0, row1 = G[i[v0], left:right], G[i[v1], left:right]
                row2, row3 = G[i[v2], left:right], G[i[v3], left:right]
                g0, g1, g2, g3 = g[v0], g[v1], g[v2], g[v3]
                if p == q:
                    for j in range(len(f)):
                        f[j] = f[j] + g0 * row0[j] + g1 * row1[j] + g2 * row2[j] + g3 * row3[j]
                    continue
                e0, e1, e2, e3 = e[v0], e[v1], e[v2], e[v3]
                for j in range(len(f)):
                    x0, x1, x2, x3 = row0[j], row1[j], row2[j], row3[j]
                    f[j] = f[j] + g0 * x0 + g1 * x1 + g2 * x2 + g3 * x3
                    h[j] = h[j] + e0 * x0 + e1 * x1 + e2 * x2 + e3 * x3


@jit
def kernel_pegasos_loop(G, Y, c, order, loss, lam, offset, first, width, F, A, Z, mass, n_pulls, t):
    """Go on through ``order``, all problems (rows of Y, F, A, Z) at once; return t.

    ``A`` holds the coefficients a, ``F`` the running scores sum_j a_j K(x_j, .) in the first
    ``width`` columns, ``Z`` and ``mass`` the mean (see ``scaled.py``).  ``c`` holds weights or
    is None.  A row of G is added to F up to PENDING steps late, but at once to the scores of
    the visits until then, in the same order, so that the delay changes no bit.
    """
    n_problems = len(lam)
    i = np.zeros(PENDING + 1, dtype=np.intp)
    pulls = np.zeros((n_problems, PENDING + 1))
    near = np.empty((n_problems, PENDING))
    K = np.empty((PENDING, PENDING), dtype=G.dtype)
    for start in range(0, len(order), PENDING):
        n = min(PENDING, len(order) - start)
        pulls[:] = 0.0
        _look_ahead(G, order[start : start + n], F, i, K, near)
        for v in range(n):  # L2
            t += 1
            for p in range(n_problems):
                since = t - offset[p]
                if 0 < first <= t and since > 0:
                    mass[p] += 1.0 / since
                g = pull(loss, float(Y[p, i[v]]), near[p, v], scale(lam[p], since + 1))  # L3, L4
                if c is not None:
                    g *= c[i[v]]
                if g != 0.0:  # L5
                    A[p, i[v]] += g  # L6
                    if first > 0:
                        Z[p, i[v]] += mass[p] * g  # L7
                    pulls[p, v] = g
                    n_pulls[p] += 1
                    for u in range(v + 1, n):
                        near[p, u] += g * K[v, u]
        _add_rows(G, i, pulls, F, 0, width)  # L8
    return t  # L9


@jit_inline
def _look_ahead(G, visits, F, i, K, near):
    """Write the points of the coming visits, their kernel values and their scores so far."""
    n = len(visits)
    for v in range(n):
        i[v] = visits[v]
    for v in range(n):
        for u in range(v + 1, n):
            K[v, u] = G[i[v], i[u]]
    for p in range(len(F)):
        for v in range(n):
            near[p, v] = F[p, i[v]]


@jit
def complete(G, A, F, width):
    """Write sum_j a_j K(x_j, .) into the columns of F from ``width`` on."""
    F[:, width:] = 0.0
    i = np.zeros(PENDING + 1, dtype=np.intp)
    pulls = np.zeros((len(F), PENDING + 1))
    for start in range(0, width, PENDING):
        n = min(PENDING, width - start)
        pulls[:] = 0.0
        for v in range(n):
            i[v] = start + v
            pulls[:, v] = A[:, start + v]
        _add_rows(G, i, pulls, F, width, F.shape[1])
