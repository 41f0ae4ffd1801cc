"""How long the documents' own way of computing would take, against ours.

Their way is a step at a time in NumPy or plain Python, a kernel value at a time, or a fit of
``SVC``.  The steps, values and fits of the printed protocols are counted, and one of each is timed
here and now.  Our seconds are those of the whole experiment, with the corrected variants, the other
kernels and the checks that stand beside the printed numbers: the ratio is a cautious one.
Tests: ``tests/replication/test_own_way.py``.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from kernlib.replication import own_way_counts as counts
from kernlib.replication.ashutosh2016 import algorithms
from kernlib.replication.cologni2024 import common as milan
from kernlib.replication.dellaporta2020 import comparison
from kernlib.replication.dellaporta2020 import sample_complexity as part2
from kernlib.replication.engine import Experiment
from kernlib.replication.mirone2023 import beyond as pegasos_times
from kernlib.replication.own_way_counts import COUNTS, Tables
from kernlib.replication.verdicts import AS_CODED

REPEATS, TIMED = 5, 200


def _each(seconds_of: Callable[[], Any], times: int = TIMED) -> float:
    """Return the least processor time of one call."""
    best = np.inf
    for _ in range(REPEATS):
        start = time.thread_time()
        for _ in range(times):
            seconds_of()
        best = min(best, (time.thread_time() - start) / times)
    return best


# ---------------------------------------------------------------- what one costs


def _linear_step(n_features: int) -> float:
    """Time a step of Pegasos in NumPy: margin, shrinkage, addition."""
    w, x = np.ones(n_features), np.full(n_features, 0.01)
    return _each(lambda: 0.99 * w + 0.01 * x if w @ x < 1 else 0.99 * w)


def _kernel_step(n_rows: int, n_features: int = 11) -> float:
    """Time a step of a kernel learner that computes the kernel's values when it needs them."""
    X, a = np.ones((n_rows, n_features)), np.ones(n_rows)
    return _each(lambda: a @ (1 + X @ X[0]) ** 3, 20)


def _sum_step(n_rows: int) -> float:
    """Time the sum over a column of a Gram matrix."""
    K, a = np.ones((n_rows, TIMED)), np.ones(n_rows)
    return _each(lambda: np.sum(a * K[:, 7]))


def _image_value() -> float:
    """Time a kernel value of two images of whole numbers."""
    x = np.arange(784)
    return _each(lambda: (1 + np.dot(x, x)) ** 2)


def _note_step(kernel: bool) -> float:
    """Time a step of the lecture note's algorithms, as they are written."""
    n = 100
    X, y, order = np.ones((n, 5)), np.ones(n), np.arange(n)
    if kernel:
        return _each(lambda: algorithms.algorithm_2(np.eye(n), y, order, 0.1, True), 1) / n
    return _each(lambda: algorithms.algorithm_1(X, y, 0.1, passes=1), 1) / n


def _cube_step(n: int = 50) -> float:
    """Time a perceptron's step in plain NumPy."""
    w, x = np.zeros(n), np.ones(n)
    return _each(lambda: w + x if x[0] * (w @ x) <= 0 else w)


def _cube_fit(n: int = 50) -> float:
    """Time a least squares fit of typical size."""
    X = part2.cube(np.random.default_rng(0), n // 2, n)
    return _each(lambda: np.linalg.pinv(X) @ X[:, 0], 20)


def _cube_neighbour(n: int = 12, m: int = 100) -> float:
    """Time the search for the nearest of m examples."""
    X = part2.cube(np.random.default_rng(0), m, n)
    return _each(lambda: np.argmin(np.sum((X - X[0]) ** 2, axis=1)))


def _one_fit(name: str) -> Callable[[Tables], float]:
    """Return the time of one training and test of document 5, from its own comparison."""

    def seconds(tables: Tables) -> float:
        found = tables(comparison.compared_seconds)
        found = found[(found["variant"] == AS_CODED) & (found["row"] == name)]
        return float(found["value"].mean())

    return seconds


def _program_value(tables: Tables) -> float:
    """Return the time of one kernel value of document 2's program."""
    found = tables(pegasos_times.run_times)
    sums = found[found["variant"] == AS_CODED].groupby("quantity")["value"].sum().to_dict()
    return float(sums["seconds"] / sums["kernel_values"])


UNITS: dict[str, Callable[[Tables], float]] = {
    counts.LINEAR: lambda tables: _linear_step(11),
    counts.EXPANDED: lambda tables: _linear_step(77),
    counts.KERNEL: lambda tables: _kernel_step(milan.N_FIT),
    counts.KERNEL_ALL: lambda tables: _kernel_step(milan.N_TRAIN),
    counts.PROGRAM: _program_value,
    counts.NOTE: lambda tables: _note_step(kernel=False),
    counts.NOTE_KERNEL: lambda tables: _note_step(kernel=True),
    counts.IMAGE: lambda tables: _image_value(),
    counts.COLUMN: lambda tables: _sum_step(1400),
    **{fit: _one_fit(name) for fit, name in zip(counts.FITS, comparison.CHOSEN, strict=True)},
    counts.CUBE: lambda tables: _cube_step(),
    counts.CUBE_FIT: lambda tables: _cube_fit(),
    counts.NEIGHBOUR: lambda tables: _cube_neighbour(),
}


def estimate(data: Mapping[str, Any] | None = None, seed: int = 0) -> pd.DataFrame:
    """Return what each experiment would take the document's way, and what it takes here.

    Its tables are taken from the results store, or computed.

    Returns
    -------
    DataFrame
        ``document``, ``experiment``, ``unit``, ``count``, ``unit_us`` (the cost of one in
        microseconds), ``hours`` (the document's way), ``seconds`` (ours), ``ratio``.
    """
    found: dict[str, pd.DataFrame] = {}

    def tables(made: Experiment) -> pd.DataFrame:
        if made.key not in found:
            found[made.key] = made((data or {}).get(made.data or ""), seed=seed)
        return found[made.key]

    units = {unit: UNITS[unit](tables) for unit in {work.unit for work in COUNTS}}
    ours = pd.DataFrame(
        {
            "document": made.document,
            "experiment": made.name,
            "unit": unit,
            "count": number(tables),
            "unit_us": 1e6 * units[unit],
            "seconds": float(tables(made).attrs["seconds"]),
        }
        for made, unit, number in COUNTS
    )
    ours.insert(5, "hours", ours["count"] * ours["unit_us"] / 3.6e9)
    theirs = ours.groupby(["document", "experiment"])["hours"].transform("sum")
    return ours.assign(ratio=3600 * theirs / ours["seconds"])


def summary(estimated: pd.DataFrame) -> str:
    """Return both totals and their ratio in a line."""
    tables = estimated.drop_duplicates(["document", "experiment"])
    seconds, hours = tables["seconds"].sum(), estimated["hours"].sum()
    by_document = estimated.groupby("document")["hours"].sum()
    most = by_document.idxmax()
    rest = tables.loc[tables["document"] != most, "seconds"].sum()
    return (
        f"{len(tables)} tables the documents' own way: {hours:.0f} hours by unit costs measured "
        f"now; ours: {seconds:.0f} s, {3600 * hours / seconds:.0f} times less. Without {most}: "
        f"{hours - by_document.max():.1f} hours, {rest:.0f} s"
    )
