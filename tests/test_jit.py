"""The row functions, compiled and in plain Python, on dense and CSR matrices."""

import os
import subprocess
import sys

import llvmlite.binding as llvm
import numpy as np
import pytest
from scipy import sparse
from strategies import forms

from kernlib import _jit
from kernlib._jit import CSR, add_row, jit, prefetch_row, row_dot, row_sq_norm, rows_of, scale_row

RNG = np.random.default_rng(0)
X = RNG.integers(-3, 4, (9, 37)).astype(float) * (RNG.random((9, 37)) < 0.6)


def use_all(X, i, w):
    prefetch_row(X, i)
    scale_row(X, i, 2.0, w)
    add_row(X, i, 0.5, w)
    return row_dot(X, i, w), row_sq_norm(X, i)


compiled = jit(use_all)


@pytest.mark.parametrize("form", ["float64", "float32", "csr"])
@pytest.mark.parametrize("function", [use_all, compiled])
def test_row_functions(form, function):
    rows = rows_of(forms(X)[form])
    for i in range(len(X)):
        start = RNG.integers(-4, 5, 37).astype(float)
        w = start.copy()
        dot, square = function(rows, i, w)
        expected = np.where(X[i] != 0, 2 * start, start) + 0.5 * X[i]
        assert np.array_equal(w, expected)
        assert (dot, square) == (X[i] @ expected, X[i] @ X[i])


def test_float32_products_are_summed_in_float64():
    x = np.full((1, 10), 1e-4, dtype=np.float32)
    x[0, 0] = 1e4
    w = np.ones(10)
    assert compiled(x, 0, w)[1] == pytest.approx(np.sum(x.astype(np.float64) ** 2), rel=1e-15)


def test_rows_of_copies_nothing():
    csr = sparse.csr_array(X)
    rows = rows_of(csr)
    assert isinstance(rows, CSR)
    assert np.shares_memory(rows.data, csr.data)
    assert np.shares_memory(rows.indices, csr.indices)
    assert rows_of(X) is X


def test_stored_zeros_are_not_scaled():
    csr = sparse.csr_array(np.array([[2.0, 3.0]]))
    csr.data[0] = 0.0
    w = np.ones(2)
    compiled(rows_of(csr), 0, w)
    assert w.tolist() == [1.0, 2.0 + 1.5]


def test_wide_indices_work():
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    rows = rows_of(csr)
    assert rows.indices.dtype == np.uint64
    assert compiled(rows, 2, np.zeros(37))[1] == X[2] @ X[2]


def test_a_sum_keeps_nan_and_infinity():
    for odd in (np.nan, np.inf):
        x = np.ones((1, 20))
        x[0, 7] = odd
        assert str(compiled(x, 0, np.ones(20))[0]) == str(odd)


def test_loops_are_compiled_without_python():
    assert _jit.jit(lambda a: a + 1)(1) == 2
    assert compiled.nopython_signatures


@pytest.mark.parametrize("name", ["CPU_NAME", "CPU_FEATURES"])
def test_settings_of_the_user_stay(monkeypatch, name):
    for each in ("CPU_NAME", "CPU_FEATURES"):
        monkeypatch.setattr(_jit.config, each, "mine" if each == name else None)
    _jit._sums_of_one_order()
    assert getattr(_jit.config, name) == "mine"
    assert {_jit.config.CPU_NAME, _jit.config.CPU_FEATURES} == {"mine", None}


@pytest.mark.parametrize("wide", [False, True])
def test_only_wide_registers_are_narrowed(monkeypatch, wide):
    features = llvm.get_host_cpu_features()
    features["avx512f"] = wide
    monkeypatch.setattr(_jit.llvm, "get_host_cpu_features", lambda: features)
    for name in ("CPU_NAME", "CPU_FEATURES"):
        monkeypatch.setattr(_jit.config, name, None)
    _jit._sums_of_one_order()
    assert (_jit.config.CPU_FEATURES is not None) == wide
    assert not wide or _jit.config.CPU_FEATURES.endswith(",+prefer-256-bit")


SUMS = """
import numpy as np
from scipy import sparse
from kernlib._jit import jit, row_dot, row_sq_norm, rows_of
from kernlib.blocks import Block

@jit
def both(X, w):
    return [(row_dot(X, i, w), row_sq_norm(X, i)) for i in range(7)]

rng = np.random.default_rng(0)
for d in (11, 66, 257):
    X, w = rng.standard_normal((7, d)), rng.standard_normal(d)
    for rows in (X, X.astype(np.float32), sparse.csr_array(X)):
        print([a.hex() for pair in both(rows_of(rows), w) for a in pair])
    print([a.hex() for a in Block(X, X[::-1]).l1_distances.ravel().tolist()])
"""


def sums(tmp_path, **settings):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_CPU")}
    environment |= {"NUMBA_CACHE_DIR": str(tmp_path), **settings}
    script = tmp_path / "sums.py"
    script.write_text(SUMS, encoding="utf8")
    command = [sys.executable, str(script)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(
    not llvm.get_host_cpu_features().get("avx512f"), reason="needs registers of 512 bits"
)
def test_sums_do_not_depend_on_the_width_of_the_registers(tmp_path):
    features = llvm.get_host_cpu_features()
    features.update({name: False for name in features if name.startswith("avx512")})
    narrow = sums(tmp_path, NUMBA_CPU_FEATURES=features.flatten())
    assert len(narrow.splitlines()) == 12
    assert sums(tmp_path) == narrow
