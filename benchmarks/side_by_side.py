"""Time several ways of doing the same work in turns, and compare them by ratios.

A shared machine is fast one second and slow the next; contestants that take turns see the same
machine, so their ratio means something where their seconds do not.
"""

from __future__ import annotations

import csv
import gc
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"


def take_turns(contestants: dict[str, Callable[[], object]], rounds: int) -> dict[str, np.ndarray]:
    """Return the seconds of every round of each contestant, after a warm-up that compiles."""
    for work in contestants.values():
        work()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    gc.collect()
    gc.disable()  # as timeit does: a collection would hit whoever's turn it is
    try:
        for _ in range(rounds):
            for name, work in contestants.items():
                start = time.perf_counter()
                work()
                seconds[name].append(time.perf_counter() - start)
    finally:
        gc.enable()
    return {name: np.array(values) for name, values in seconds.items()}


def ratio(theirs: np.ndarray, ours: np.ndarray, seed: int = 0) -> tuple[float, float, float]:
    """Return the median over rounds of theirs / ours, and its 95 % bootstrap interval."""
    rounds = theirs / ours
    rng = np.random.default_rng(seed)
    again = np.median(rng.choice(rounds, (2000, len(rounds))), axis=1)
    low, high = np.quantile(again, [0.025, 0.975])
    return float(np.median(rounds)), float(low), float(high)


def machine() -> dict[str, str]:
    """Return what the numbers depend on."""
    packages = ("kernlib", "numpy", "numba", "scikit-learn")
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{name: version(name) for name in packages},
    }


def report(name: str, rows: list[dict[str, object]]) -> None:
    """Print the rows as a table, and write them to results/<name>.csv."""
    header = list(rows[0])
    table = [header, *([_text(row[key]) for key in header] for row in rows)]
    widths = [max(len(line[k]) for line in table) for k in range(len(header))]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf8") as file:
        writer = csv.DictWriter(file, [*header, *machine()], lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | machine() for row in rows)


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
