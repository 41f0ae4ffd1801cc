"""How long it takes until something happens: import, help, the first learner; fresh processes.

Cold means a new process with the files in the disk's cache, and numba's compiled code there too.
The first learner is a fit of ten rows; its measure is what it cannot avoid, ``sklearn.base`` and
numba.  An empty interpreter's time is not subtracted: it is in the note.  ``--quick`` takes one
round, and none before it to fill the disk's cache.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from side_by_side import Row, goal, interval, is_quick, ratio, report_goals, take_turns

LEARNER = (
    "import numpy as np; from kernlib import Perceptron; X = np.arange(20.).reshape(10, 2); "
    "Perceptron(max_iter=1).fit(X, X[:, 0] > 9)"
)


def fresh(*arguments: str):
    """Return a work that runs Python with these arguments in a new process."""
    command = [sys.executable, *arguments]
    return lambda: subprocess.run(command, check=True, capture_output=True)


def slowest_imports(code: str, n: int = 4) -> str:
    """Return the modules whose own code takes longest to import."""
    command = [sys.executable, "-X", "importtime", "-c", code]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stderr.splitlines()
    parts = [line.removeprefix("import time:").split("|") for line in lines[1:] if "|" in line]
    own = sorted(((int(a), name.strip()) for a, _, name in parts), reverse=True)
    total = sum(time for time, _ in own)
    return "imports: " + ", ".join(f"{time / total:.0%} {name}" for time, name in own[:n])


def main() -> None:
    quick = is_quick(__doc__)
    works = {
        "nothing": fresh("-c", "pass"),
        "import": fresh("-c", "import kernlib"),
        "help": fresh("-m", "kernlib", "--help"),
        "learner": fresh("-c", LEARNER),
        "needed": fresh("-c", "import sklearn.base, numba"),
    }
    seconds = take_turns(works, 1 if quick else 9, warm_up=not quick)
    note = f"an empty interpreter: {np.median(seconds['nothing']):.3f} s"
    took = {name: float(np.median(values)) for name, values in seconds.items()}
    goals: list[Row] = [
        goal(
            "start-up: import kernlib", "<=", 0.2, "s", interval(seconds["import"]),
            ours=took["import"], note=note,
        ),
        goal(
            "start-up: kernlib --help", "<=", 0.3, "s", interval(seconds["help"]),
            ours=took["help"], note=note,
        ),
        goal(
            "start-up: first learner, compiled code on disk", "<=", 1.3,
            "x import of sklearn.base and numba", ratio(seconds["learner"], seconds["needed"]),
            ours=took["learner"], theirs=took["needed"], note=note,
        ),
    ]  # fmt: skip
    for row, code in zip(goals, ("import kernlib", "import kernlib.cli", LEARNER), strict=True):
        if row["met"] is False:
            row["note"] = f"{row['note']}; {slowest_imports(code)}"
    report_goals("startup", goals)


if __name__ == "__main__":
    main()
