"""Time several ways of doing the same work in turns, and compare them by ratios.

A shared machine is fast one second and slow the next; contestants that take turns see the same
machine, so their ratio means something where their seconds do not.  Times are warm: everybody has
done the work once before.  Where a cold time is meant, the case says so.
"""

from __future__ import annotations

import argparse
import cProfile
import csv
import gc
import os
import platform
import pstats
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

Row = dict[str, object]
# Small runs stay apart: the book shows the results of whole ones.  KERNLIB_BENCH_RESULTS names
# another folder, for trials that are not to be kept.
_FOLDER = Path(__file__).parent / ("quick" if "--quick" in sys.argv else "results")
RESULTS = Path(os.environ.get("KERNLIB_BENCH_RESULTS", _FOLDER))
# Each script's lines of the summary wait here until run.py puts them together.
GOALS = "goals_{}.csv"
PACKAGES = ("kernlib", "numpy", "scipy", "numba", "scikit-learn")
# Distributions that may be there, and the modules that they bring.
PEERS = {
    "vowpalwabbit": "vowpalwabbit",
    "river": "river",
    "sklearn-contrib-lightning": "lightning",
}


def take_turns(
    contestants: dict[str, Callable[[], object]], rounds: int, *, warm_up: bool = True
) -> dict[str, np.ndarray]:
    """Return the seconds of every round of each contestant, after a warm-up that compiles."""
    for work in contestants.values() if warm_up else ():
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
    return interval(np.asarray(theirs) / np.asarray(ours), seed)


def interval(values: np.ndarray, seed: int = 0) -> tuple[float, float, float]:
    """Return the median over rounds, and its 95 % bootstrap interval."""
    rng = np.random.default_rng(seed)
    again = np.median(rng.choice(values, (2000, len(values))), axis=1)
    low, high = np.quantile(again, [0.025, 0.975])
    return float(np.median(values)), float(low), float(high)


def goal(
    case: str,
    sense: str,
    aim: float,
    unit: str,
    found: tuple[float, float, float],
    **more: object,
) -> Row:
    """Return a line of the summary.

    Parameters
    ----------
    case : str
        What was done.
    sense : {">=", "<=", ""}
        Whether ``found`` is to be large or small; empty where there is no goal.
    aim : float
        The goal.
    unit : str
        Of the goal and of what was found: "x SVC poly", "s", "% of GEMM".
    found : tuple of float
        Median, and the ends of its interval.
    **more
        ``ours``, ``theirs`` (seconds), ``quality`` (what the next two are), ``quality_ours``,
        ``quality_theirs``, ``megabytes``, ``note``.
    """
    met: object = ""
    if sense:
        met = found[0] >= aim if sense == ">=" else found[0] <= aim
    row: Row = {"case": case, "sense": sense, "goal": aim if sense else "", "unit": unit}
    row |= dict(zip(("ratio", "low", "high"), found, strict=True))
    optional = ("ours", "theirs", "quality", "quality_ours", "quality_theirs", "megabytes")
    row |= {key: more.pop(key, "") for key in optional}
    row |= {"met": met, "note": more.pop("note", "")}
    if more:
        raise TypeError(f"goal() does not know {', '.join(more)}.")
    return row


def versus(case: str, aim: float, peer: str, seconds: dict[str, np.ndarray], **more: object) -> Row:
    """Return the line of a contest: how many times longer the peer takes."""
    found = ratio(seconds["peer"], seconds["kernlib"])
    times = {name: float(np.median(values)) for name, values in seconds.items()}
    sense = ">=" if aim else ""
    more = {"ours": times["kernlib"], "theirs": times["peer"]} | more
    return goal(case, sense, aim, f"x {peer}", found, **more)


def skipped(case: str, peer: str) -> Row:
    """Return the line of a contest without the peer."""
    none = (float("nan"),) * 3
    return goal(case, "", 0, f"x {peer}", none, note=f"{peer}: not installed, skipped")


def explained(row: Row, work: Callable[[], object]) -> Row:
    """Return a line with what bounds us, if its goal was missed: the shares of a profile."""
    if row["met"] is False:
        row["note"] = "; ".join(filter(None, (str(row["note"]), where_time_goes(work))))
    return row


def where_time_goes(work: Callable[[], object], n: int = 4) -> str:
    """Return the functions in which most of the time is spent, without what they call.

    Compiled loops and products count for the Python function that calls them.
    """
    profile = cProfile.Profile()
    profile.runcall(work)
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    total = sum(values[2] for values in stats.values())
    first = sorted(stats.items(), key=lambda item: -item[1][2])[:n]
    named = [
        f"{values[2] / total:.0%} {Path(file).stem + '.' if line else ''}{function}"
        for (file, line, function), values in first
    ]
    return "time goes to " + ", ".join(named)


# ---------------------------------------------------------------- what the numbers depend on


def installed(peer: str) -> bool:
    """Return whether an optional peer is there."""
    try:
        version(peer)
        __import__(PEERS[peer])
    except (PackageNotFoundError, ImportError):
        return False
    return True


def cpu() -> str:
    """Return the name of the processor's model."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def machine() -> dict[str, str]:
    """Return what the numbers depend on."""
    found = {"python": platform.python_version(), "machine": platform.machine(), "cpu": cpu()}
    found |= {"cores": str(os.cpu_count()), "load": f"{os.getloadavg()[0]:.1f}"}
    found |= {name: version(name) for name in PACKAGES}
    return found | {peer: version(peer) if installed(peer) else "" for peer in PEERS}


def most_memory() -> float:
    """Return the largest resident memory that this program had, in MiB.

    ``ru_maxrss`` survives exec: it may be that of the parent, from before this program started.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text(encoding="utf8").split("VmHWM:")[1].split()[0]) / 1024
    import resource  # not on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# ---------------------------------------------------------------- output


def is_quick(doc: str | None) -> bool:
    """Read the command line: ``--quick`` or nothing."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--quick", action="store_true", help="less data, fewer rounds")
    return bool(parser.parse_args().quick)


def report(name: str, rows: list[Row]) -> None:
    """Print the rows as a table, and write them to <name>.csv in the folder of the results."""
    header = list(rows[0])
    table = [header, *([_text(row[key]) for key in header] for row in rows)]
    widths = [max(len(line[k]) for line in table) for k in range(len(header))]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    RESULTS.mkdir(parents=True, exist_ok=True)
    about = machine()
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf8") as file:
        writer = csv.DictWriter(file, [*header, *about], lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | about for row in rows)


def report_goals(name: str, rows: list[Row]) -> None:
    """Write a script's lines of the summary."""
    report(GOALS.format(name).removesuffix(".csv"), rows)


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
