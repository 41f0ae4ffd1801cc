"""All five documents at their full protocols, from an empty store: seconds and memory.

``make bench DOCUMENTS=1`` runs it before the others, whose ten minutes it is not part of; what it
found stays in ``results/documents.csv`` and in the summary until it runs again.  Memory is the
largest sum over all processes at one time, pages that they share counted once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from run import ONE_THREAD
from side_by_side import Row, goal, report

from kernlib.report.status import seconds as experiment_seconds

SECONDS, MEGABYTES = 360, 4096
POLL = 2.0  # seconds between two looks at the memory, each of which takes time itself
COMMAND = ("-m", "kernlib", "replicate", "--all", "--only-compute")


def family(root: int) -> list[int]:
    """Return a process and its descendants."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text(encoding="utf8").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        parents[int(status.parent.name)] = int(fields[1])
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def megabytes(root: int) -> float:
    """Return the memory of a process and its descendants."""
    total = 0
    for pid in family(root):
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf8")
        except OSError:
            continue
        total += int(rollup.split("\nPss:")[1].split()[0])
    return total / 1024


def measured(work: subprocess.Popen[bytes]) -> float:
    """Wait for a process; return the most memory that it had with its descendants, or NaN."""
    if not Path("/proc/self/smaps_rollup").exists():
        work.wait()
        return float("nan")
    most, ended = 0.0, threading.Event()

    def look() -> None:
        nonlocal most
        while not ended.wait(POLL):
            most = max(most, megabytes(work.pid))

    watcher = threading.Thread(target=look)
    watcher.start()
    work.wait()
    ended.set()
    watcher.join()
    return most


def longest(store: str, n: int = 5) -> str:
    """Return which experiments took most of the time of all workers."""
    os.environ["KERNLIB_STORE"] = store
    took = experiment_seconds()
    whole = took["seconds"].sum()
    first = [f"{line.seconds / whole:.0%} {line.experiment}" for line in took.head(n).itertuples()]
    return f"of {whole:.0f} s of all workers {', '.join(first)}"


def main() -> None:
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, **ONE_THREAD, "KERNLIB_STORE": empty}
        start = time.perf_counter()
        work = subprocess.Popen([sys.executable, *COMMAND], env=environment)
        memory = measured(work)
        seconds = time.perf_counter() - start
        note = f"one run; {longest(empty)}"
    if work.returncode:
        sys.exit(f"kernlib {' '.join(COMMAND[2:])} failed; nothing was recorded")
    about = f"all five documents at full protocol, {os.cpu_count()} cores"
    rows: list[Row] = [
        goal(about, "<=", SECONDS, "s", (seconds,) * 3, ours=seconds, megabytes=memory,
             note=note),
        goal(f"{about}, memory", "<=", MEGABYTES, "MB", (memory,) * 3, megabytes=memory),
    ]  # fmt: skip
    report("documents", rows)


if __name__ == "__main__":
    main()
