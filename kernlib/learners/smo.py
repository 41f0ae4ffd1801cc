r"""The dual of the kernel SVM, solved by moving two coefficients at a time.

With :math:`\beta_i = y_i\alpha_i` and the errors :math:`E_i = y_i - \sum_j \beta_j K_{ij}` the
labels vanish from the algorithm.  A step moves t from point j to point i:
:math:`t = (E_i - E_j)/(K_{ii} + K_{jj} - 2K_{ij})`, clipped to the box.
Pseudocode: ``KernelSVM``.  Tests: ``tests/learners/test_kernel_svm.py``.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from kernlib._jit import jit, jit_inline

FLAT = 1e-12  # stands for a curvature that is not positive, as in LIBSVM
SCANNED = 64  # points looked at together

# ---------------------------------------------------------------- maxima in vector registers


def _number_intrinsic(name: str) -> Any:
    """Return LLVM's minimum or maximum, told that there is no NaN.

    Python's ``max`` becomes a comparison and a selection, which LLVM leaves scalar in a loop.
    """

    @intrinsic
    def function(typingctx, a, b):
        def codegen(context, builder, signature, args):
            real = ir.DoubleType()
            kind = ir.FunctionType(real, [real, real])
            called = builder.module.declare_intrinsic(name, [real], kind)
            return builder.call(called, args, fastmath=("nnan", "nsz"))

        return types.float64(types.float64, types.float64), codegen

    return function


_maxnum, _minnum = _number_intrinsic("llvm.maxnum"), _number_intrinsic("llvm.minnum")


def _larger(a, b):
    return max(a, b)


def _smaller(a, b):
    return min(a, b)


@overload(_larger, inline="always")
def _compiled_larger(a, b):
    return lambda a, b: _maxnum(a, b)  # noqa: PLW0108  (an overload returns a Python function)


@overload(_smaller, inline="always")
def _compiled_smaller(a, b):
    return lambda a, b: _minnum(a, b)  # noqa: PLW0108


# ---------------------------------------------------------------- the loop


@jit_inline
def _move(t, row_i, row_j, E, up, low):
    """Move t from j to i; return the largest E among ``up`` and the least among ``low``.

    ``up`` is 0 for a point whose coefficient may grow, else minus infinity; ``low`` is 0 for
    one whose coefficient may shrink, else infinity.  The last point has no row: zeros.
    """
    n = len(row_i)
    highest, lowest = E[n] + up[n], E[n] + low[n]
    for k in range(n):
        e = E[k] - t * (row_i[k] - row_j[k])  # L8
        E[k] = e
        highest = _larger(highest, e + up[k])
        lowest = _smaller(lowest, e + low[k])
    return highest, lowest


@jit_inline
def _gains(highest, diag_i, row_i, diag, E, low, gains):
    """Write twice what a step would gain, were there no box, for each partner; return the most."""
    n = len(row_i)
    rise = max(highest - (E[n] + low[n]), 0.0)
    most = rise * rise / max(diag_i, FLAT)
    gains[n] = most
    for k in range(n):
        rise = max(highest - (E[k] + low[k]), 0.0)
        gain = rise * rise / max(diag_i + diag[k] - 2.0 * row_i[k], FLAT)
        gains[k] = gain
        most = _larger(most, gain)
    return most


@jit_inline
def _place(wanted, values, barred):
    """Return the first place of the wanted value that is not barred (0 means it is not)."""
    n, start = len(values) - 1, 0
    while start + SCANNED <= n:
        hits = 0
        for k in range(start, start + SCANNED):
            hits += (values[k] == wanted) & (barred[k] == 0.0)
        if hits > 0:
            break
        start += SCANNED
    while start < n and not (values[start] == wanted and barred[start] == 0.0):
        start += 1
    return start


@jit
def _row(i, K, have, G, points, zeros):
    """Return row i of K, taken from the larger matrix G if K does not have it yet."""
    if i == len(K):
        return zeros
    row = K[i]
    if not have[i]:
        source = G[points[i]]
        for k in range(len(row)):
            row[k] = source[points[k]]
        have[i] = True
    return row


@jit
def _smo_loop(K, have, G, points, diag, E, beta, lower, upper, tol, max_steps):
    """Make steps until no pair violates by ``tol``, changing ``E`` and ``beta``; return how many.

    ``E``, ``beta``, ``lower``, ``upper`` and ``diag`` have one point more than K.
    """
    zeros = np.zeros(len(K), K.dtype)
    gains = np.empty(len(E))
    up = np.where(beta < upper, 0.0, -np.inf)
    low = np.where(beta > lower, 0.0, np.inf)
    row_i = row_j = zeros
    t = 0.0
    for step in range(max_steps):
        highest, lowest = _move(t, row_i, row_j, E, up, low)
        if not highest - lowest >= tol:  # L2
            return step
        i = _place(highest, E, up)  # L3
        row_i = _row(i, K, have, G, points, zeros)
        most = _gains(highest, diag[i], row_i, diag, E, low, gains)
        j = _place(most, gains, low)  # L4
        row_j = _row(j, K, have, G, points, zeros)
        K_ij = row_i[j] if j < len(row_i) else 0.0
        room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
        t = (highest - E[j]) / max(diag[i] + diag[j] - 2.0 * K_ij, FLAT)  # L5
        t = min(t, room_i, room_j)  # L6
        before_i, before_j = beta[i], beta[j]
        beta[i] = upper[i] if t == room_i else before_i + t  # L7
        beta[j] = lower[j] if t == room_j else before_j - t
        if beta[i] == before_i and beta[j] == before_j:
            return step  # t is lost in rounding, as any further step would be
        up[i], low[i] = (0.0 if beta[i] < upper[i] else -np.inf), 0.0
        up[j], low[j] = 0.0, (0.0 if beta[j] > lower[j] else np.inf)
    _move(t, row_i, row_j, E, up, low)
    return max_steps


@jit
def extremes(E, beta, lower, upper):
    """Return the largest E of a point that may grow, the least of one that may shrink."""
    highest, lowest = -np.inf, np.inf
    for k in range(len(E)):
        highest = _larger(highest, E[k] if beta[k] < upper[k] else -np.inf)
        lowest = _smaller(lowest, E[k] if beta[k] > lower[k] else np.inf)
    return highest, lowest


@jit
def violating(E, beta, lower, upper):
    """Return the points that may grow and violate with some other, and those that may shrink.

    The last point, which has no row, is in neither.
    """
    highest, lowest = extremes(E, beta, lower, upper)
    growing, shrinking = np.empty((2, len(E)), np.intp)
    n_growing = n_shrinking = 0
    for k in range(len(E) - 1):
        growing[n_growing] = shrinking[n_shrinking] = k  # kept only if it is counted
        n_growing += (beta[k] < upper[k]) & (E[k] > lowest)
        n_shrinking += (beta[k] > lower[k]) & (E[k] < highest)
    return growing[:n_growing], shrinking[:n_shrinking]


@jit
def values_between(K, have, G, points, W):
    """Return the values between the points W."""
    out = np.empty((len(W), len(W)), K.dtype)
    for a in range(len(W)):
        row = _row(W[a], K, have, G, points, K[0])
        for b in range(len(W)):
            out[a, b] = row[W[b]]
    return out


@jit
def picked(K, rows, columns):
    """Return some columns of some rows."""
    out = np.empty((len(rows), len(columns)), K.dtype)
    for a in range(len(rows)):
        row = K[rows[a]]
        for b in range(len(columns)):
            out[a, b] = row[columns[b]]
    return out


@jit
def subtract_rows(K, have, G, points, W, t, E):
    """Subtract the rows of the points W, each times its t, from E.

    Four at a time: an error is loaded and stored once for four rows.
    """
    whole = len(W) // 4 * 4
    for a in range(0, whole, 4):
        row0 = _row(W[a], K, have, G, points, K[0])
        row1 = _row(W[a + 1], K, have, G, points, K[0])
        row2 = _row(W[a + 2], K, have, G, points, K[0])
        row3 = _row(W[a + 3], K, have, G, points, K[0])
        t0, t1, t2, t3 = t[a], t[a + 1], t[a + 2], t[a + 3]
        for k in range(len(row0)):
            E[k] = E[k] - t0 * row0[k] - t1 * row1[k] - t2 * row2[k] - t3 * row3[k]
    for a in range(whole, len(W)):
        row = _row(W[a], K, have, G, points, K[0])
        for k in range(len(row)):
            E[k] -= t[a] * row[k]
