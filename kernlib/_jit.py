"""The numba decorators, and reading a row of a dense or a CSR matrix in compiled code.

A loop that touches its data through ``row_dot``, ``add_row`` and ``row_sq_norm`` is
written once and runs on both kinds of matrix without densifying either.  With
``NUMBA_DISABLE_JIT=1`` the same functions run in plain Python, for a debugger.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic, overload
from scipy import sparse


def _sums_of_one_order() -> None:
    """Have numba fill vector registers of 256 bits, on processors that have wider ones too.

    In how many parts a sum is taken, and so its last digit, would depend on the processor: some
    with 512 bits use them by themselves, others do not.  A long run turns such a digit into
    another answer.  It holds for all that numba compiles in this process from now on; what the
    user has set for numba, or compiled before, stays as it is.
    """
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:
        return
    features = llvm.get_host_cpu_features()
    if features.get("avx512f") and config.ENABLE_AVX:
        config.CPU_FEATURES = f"{features.flatten()},+prefer-256-bit"


_sums_of_one_order()  # before the first decorator, with which numba settles it

jit = numba.njit(cache=True, nogil=True, error_model="numpy")
# For the small functions that a loop is made of: a call would cost as much as their work.
jit_inline = numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)

# A sum may be taken in any order, which is what lets the compiler use vector registers.
# NaN and infinity keep their meaning: the flags that assume them away stay off.
_ANY_ORDER = {"fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy"}


class CSR(NamedTuple):
    """A CSR matrix as compiled code takes it; unsigned indices skip the wrap-around test."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


def rows_of(X: Any) -> Any:
    """Return ``X`` in the form that the row functions read (no copy)."""
    if not sparse.issparse(X):
        return X
    unsigned = np.uint32 if X.indices.dtype.itemsize == 4 else np.uint64
    return CSR(X.data, X.indices.view(unsigned), X.indptr)


def _dense_dot(X, i, w):
    s = 0.0
    for j in range(X.shape[1]):
        s += X[i, j] * w[j]
    return s


def _csr_dot(X, i, w):
    s = 0.0
    for k in range(X.indptr[i], X.indptr[i + 1]):
        s += X.data[k] * w[X.indices[k]]
    return s


def _dense_add(X, i, a, w):
    for j in range(X.shape[1]):
        w[j] += a * X[i, j]


def _csr_add(X, i, a, w):
    for k in range(X.indptr[i], X.indptr[i + 1]):
        w[X.indices[k]] += a * X.data[k]


def _dense_sq_norm(X, i):
    s = 0.0
    for j in range(X.shape[1]):
        s += float(X[i, j]) * float(X[i, j])
    return s


def _csr_sq_norm(X, i):
    s = 0.0
    for k in range(X.indptr[i], X.indptr[i + 1]):
        s += float(X.data[k]) * float(X.data[k])
    return s


def _dense_scale(X, i, a, w):
    for j in range(X.shape[1]):
        if X[i, j] != 0.0:
            w[j] *= a


def _csr_scale(X, i, a, w):
    for k in range(X.indptr[i], X.indptr[i + 1]):
        if X.data[k] != 0.0:
            w[X.indices[k]] *= a


@intrinsic
def _prefetch(typingctx, array, offset):
    """Ask the processor for the cache line at ``offset`` bytes into a contiguous array."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte_pointer = ir.IntType(8).as_pointer()
        address = builder.gep(builder.bitcast(data, byte_pointer), [args[1]])
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte_pointer, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, flag(0), flag(3), flag(1)])  # read, keep, data
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


def _no_prefetch(X, i):
    return None


def _dense_prefetch(X, i):
    row = X.shape[1] * X.itemsize
    for offset in range(i * row, (i + 1) * row, 64):
        _prefetch(X, offset)


def _csr_prefetch(X, i):
    start, stop = X.indptr[i], X.indptr[i + 1]
    for offset in range(start * X.data.itemsize, stop * X.data.itemsize, 64):
        _prefetch(X.data, offset)
    for offset in range(start * X.indices.itemsize, stop * X.indices.itemsize, 64):
        _prefetch(X.indices, offset)


def _either(
    dense: Callable[..., Any],
    csr: Callable[..., Any],
    in_python: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """One function for both kinds of matrix: chosen by type when compiled, by value when not."""

    def row_function(X: Any, *args: Any) -> Any:
        return (in_python or (csr if isinstance(X, CSR) else dense))(X, *args)

    @overload(row_function, jit_options=_ANY_ORDER, strict=False)
    def _choose(X, *args):
        return csr if isinstance(X, types.BaseNamedTuple) else dense

    return row_function


row_dot = _either(_dense_dot, _csr_dot)
add_row = _either(_dense_add, _csr_add)
row_sq_norm = _either(_dense_sq_norm, _csr_sq_norm)
scale_row = _either(_dense_scale, _csr_scale)
# Rows visited at random come from far away; asked for some visits ahead, they are there in time.
prefetch_row = _either(_dense_prefetch, _csr_prefetch, in_python=_no_prefetch)
AHEAD = 4
