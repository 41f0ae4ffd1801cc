"""What the machine can do on one thread, and how much of it the main stages reach.

The limits: a product of square matrices in float32 and float64, and reading memory that no cache
holds.  The stages: the symmetric Gram matrix (half of a product counts as the work), the epochs of
the kernel perceptron (each mistake reads a row of the matrix), linear Pegasos (each step reads a
row).  Gram matrices are made in memory that an earlier one had, as those of a search are.
``make bench`` runs it; ``--quick`` takes smaller matrices and fewer rounds.
"""

from __future__ import annotations

import numpy as np
from side_by_side import Row, explained, goal, interval, is_quick, report, report_goals, take_turns
from threadpoolctl import threadpool_limits

from kernlib import KernelPerceptron, Pegasos
from kernlib._jit import jit
from kernlib.datasets import load_usps
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Linear, Polynomial
from kernlib.learners.kernel_base import Reporter


@jit
def _read(X):
    """Return the sum of all integers: in any order the same, so vector registers take it."""
    total = 0
    for i in range(len(X)):
        total += X[i]
    return total


def digits(n):
    """Return n USPS rows as float32, and their digits."""
    X, y = load_usps(return_X_y=True)
    return np.ascontiguousarray(X[:n], dtype=np.float32), y[:n]


class Stages:
    """The works to be timed, and how many operations or bytes each takes."""

    def __init__(self, n: int, size: int, megabytes: int) -> None:
        rng = np.random.default_rng(0)
        A = rng.standard_normal((size, size))
        F, product = A.astype(np.float32), 2 * size**3
        block = rng.integers(0, 9, megabytes * 2**17)
        X, y = digits(n)
        half = n * (n + 1) * X.shape[1]
        codes, rows = np.searchsorted(np.unique(y), y), np.arange(n)
        learner = KernelPerceptron(kernel=Polynomial(degree=5, coef0=0), max_iter=5).fit(X, y)
        gram, pairs = Gram(learner.kernel, Pairs(X), dtype="float32"), Pairs(X)
        mistakes = int(learner.n_mistakes_.sum())
        wide = rng.standard_normal((megabytes * 2**17 // 256, 256))
        signs = np.where(wide[:, 0] > 0, 1, -1)
        pegasos = Pegasos(lam=1e-3, n_steps=len(wide), sampling="cyclic", fit_intercept=False)
        self.shape = f"{n} x {X.shape[1]}"
        self.works = {
            "GEMM float32": (lambda: F @ F, product),
            "GEMM float64": (lambda: A @ A, product),
            "memory read": (lambda: _read(block), block.nbytes),
            "symmetric Gram, X X' alone": (lambda: Gram(Linear(), pairs, dtype="float32"), half),
            "symmetric Gram, degree 5": (
                lambda: Gram(learner.kernel, pairs, dtype="float32"), half,
            ),
            "kernel perceptron epochs": (
                lambda: learner._solve(gram, codes, rows, Reporter()), mistakes * n * 4,
            ),
            "linear Pegasos, d = 256": (lambda: pegasos.fit(wide, signs), wide.nbytes),
        }  # fmt: skip


def main() -> None:
    quick = is_quick(__doc__)
    threadpool_limits(1)
    stages = Stages(2000, 512, 32) if quick else Stages(7438, 2048, 256)
    works = {name: work for name, (work, _) in stages.works.items()}
    seconds = take_turns(works, 3 if quick else 11)
    rates = {name: stages.works[name][1] / seconds[name] / 1e9 for name in works}
    rows: list[Row] = []
    goals: list[Row] = []
    for name in list(works)[:3]:
        unit = "GFlop/s" if name.startswith("GEMM") else "GB/s"
        found = interval(rates[name])
        rows.append({"stage": name, "rate": found[0], "unit": unit, "limit": "", "share": 1.0})
        took = float(np.median(seconds[name]))
        goals.append(goal(f"limit: {name}, one thread", "", 0, unit, found, ours=took))
    for name in list(works)[3:]:
        limit = "GEMM float32" if name.startswith("symmetric") else "memory read"
        unit = "GFlop/s" if limit == "GEMM float32" else "GB/s"
        share = interval(100 * rates[name] / rates[limit])
        row = {"stage": name, "rate": float(np.median(rates[name])), "unit": unit}
        rows.append(row | {"limit": limit, "share": share[0] / 100})
        sense = ">=" if name == "symmetric Gram, degree 5" else ""
        case = f"{name}, {stages.shape}" if name.startswith("symmetric") else name
        aim_unit = "% of GEMM" if limit == "GEMM float32" else "% of memory read"
        note = f"{row['rate']:.3g} {unit}"
        took = float(np.median(seconds[name]))
        line = goal(case, sense, 70, aim_unit, share, ours=took, note=note)
        goals.append(explained(line, works[name]))
    report("limits", rows)
    report_goals("limits", goals)


if __name__ == "__main__":
    main()
