"""Run every benchmark, each in a process of its own, and put their goals into one table.

``make bench`` runs it, ``make bench QUICK=1`` with ``--quick``.  Every script writes its own CSV
into ``benchmarks/results`` (or where KERNLIB_BENCH_RESULTS says); their lines on the goals become
``summary.csv``, which the book shows.  A quick run, too small for the goals, writes into
``benchmarks/quick``.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import time
from pathlib import Path

from side_by_side import GOALS, RESULTS, is_quick

HERE = Path(__file__).parent
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
# The limits first, while the processor is cool; the growth last.
FIRST, LAST = "limits", "growth"
DOCUMENTS = "documents.csv"  # of documents.py, which takes too long to be one of the scripts


def scripts() -> list[Path]:
    """Return the scripts in the order in which they run."""
    found = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    order = [FIRST, *(name for name in found if name not in (FIRST, LAST)), LAST]
    return [found[name] for name in order]


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf8") as file:
        return list(csv.DictReader(file))


def gather(quick: bool = False) -> None:
    """Put the lines of all scripts into summary.csv."""
    lines: list[dict[str, str]] = []
    for part in sorted(RESULTS.glob(GOALS.format("*"))):
        lines += _read(part)
        part.unlink()
    if (RESULTS / DOCUMENTS).exists():
        lines += _read(RESULTS / DOCUMENTS)
    with (RESULTS / "summary.csv").open("w", newline="", encoding="utf8") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    with_goal = [line for line in lines if line["met"]]
    met = sum(line["met"] == "True" for line in with_goal)
    about = ", on data too small for them" if quick else ""
    print(f"{met} of {len(with_goal)} goals met{about}; {RESULTS / 'summary.csv'}")
    for line in lines:
        if line["met"] == "False" or "skipped" in line["note"]:
            found = f"{float(line['ratio']):.3g} {line['unit']}, goal {line['goal']}"
            print(f"- {line['case']}: {line['note'] if 'skipped' in line['note'] else found}")


def main() -> None:
    quick = is_quick(__doc__)
    options = ["--quick"] if quick else []
    begin = time.perf_counter()
    failed = []
    for old in RESULTS.glob(GOALS.format("*")):
        old.unlink()
    for script in scripts():
        print(f"== {script.stem}", flush=True)
        start = time.perf_counter()
        command = [sys.executable, str(script), *options]
        done = subprocess.run(command, check=False, env={**os.environ, **ONE_THREAD})
        failed += [script.name] if done.returncode else []
        print(f"   {time.perf_counter() - start:.0f} s", flush=True)
    gather(quick)
    print(f"all: {time.perf_counter() - begin:.0f} s")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
