"""Document 1's kernel Pegasos grid, 8 kernels x 6 lambdas, against NumPy step by step.

6000 training rows of 8000, 100 000 steps, one core; on the Milan table where KERNLIB_MILAN names
it, else on its twin.  ``--quick`` takes an eighth of the rows, a tenth of the
steps and one round.

Ours takes float32 where the library would by itself; ``differ`` counts the validation rows for
which float64 would say something else, over the six lambdas.  NumPy gets the finished Gram matrix
in float64 and makes a step by one product of a row with the coefficients.  That costs the same at
every step, so its time for a whole run is that of its first steps times their number;
``numpy_steps`` says how many were run.
"""

from __future__ import annotations

import numpy as np
from side_by_side import explained, goal, is_quick, ratio, report, report_goals, take_turns
from sklearn.preprocessing import StandardScaler

from kernlib import KernelPegasos
from kernlib.datasets import load_milan
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Exponential, Polynomial
from kernlib.learners.sampling import VisitingOrder, streams

N_ALL = 8000  # three quarters of which are for training
LAMBDAS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
KERNELS = {f"polynomial, degree {n}": Polynomial(degree=n) for n in (1, 2, 3, 4)} | {
    f"exponential, length {g}": Exponential.with_length(g) for g in (0.01, 0.1, 1, 10)
}


def table(n_all):
    """Return the first of the document's 8000 rows, codes 0 and 1, and what they are of."""
    milan = load_milan()
    rows = np.random.RandomState(31415).permutation(len(milan.target))[:n_all]
    X = StandardScaler().fit_transform(milan.data[rows])
    codes = (milan.target[rows] > 0).astype(int)
    return np.column_stack([X, np.ones(n_all)]), codes, "twin" if milan.is_twin else "milan"


def n_training(n_all):
    """Return how many of the rows are for training."""
    return 3 * n_all // 4


def numpy_run(G, y, order, lam):
    """Return the coefficients after the steps of ``order``, one product a step."""
    a = np.zeros(len(y))
    for t, i in enumerate(order):
        if y[i] * (a @ G[i, : len(y)]) < lam * t or t == 0:
            a[i] += y[i]
    return a


def learners(n_steps):
    """Return a learner for each lambda."""
    return [KernelPegasos(lam=lam, n_steps=n_steps, random_state=0) for lam in LAMBDAS]


def solve(gram, codes, n_steps):
    """Solve for all lambdas together."""
    grid = learners(n_steps)
    return grid[0]._solve_many(grid, gram, codes, np.arange(n_training(len(codes))))


def same_coefficients(gram, codes, y, order):
    """Return in how many of the six runs both give the same coefficients after these steps."""
    ours = solve(gram, codes, len(order))
    theirs = [numpy_run(gram.matrix, y, order, lam) for lam in LAMBDAS]
    return sum(
        np.allclose(s.coef[0, : len(y)] * lam * len(order), a, rtol=1e-12, atol=1e-9)
        for s, a, lam in zip(ours, theirs, LAMBDAS, strict=True)
    )


def said(solutions, gram):
    """Return the answers on the validation rows, a column for each lambda."""
    n_all = len(gram.matrix)
    rest = np.arange(n_training(n_all), n_all)
    return np.column_stack([s.scores_on(gram, rest)[:, 0] > 0 for s in solutions])


def compare(name, kernel, pairs, codes, n_steps, numpy_steps, rounds):
    """Return a row of the table for the six lambdas of a kernel."""
    made = take_turns({"gram": lambda: Gram(kernel, pairs)}, rounds)["gram"]
    gram = Gram(kernel, pairs)
    double = gram if gram.dtype == np.float64 else Gram(kernel, Pairs(pairs.X), dtype="float64")
    n_train = n_training(len(codes))
    y = np.where(codes[:n_train] == 1, 1.0, -1.0)
    order = VisitingOrder(np.arange(n_train), "replacement", streams(0, 1)[0]).take(numpy_steps)
    seconds = take_turns(
        {
            "kernlib": lambda: solve(gram, codes, n_steps),
            "numpy": lambda: [numpy_run(double.matrix, y, order, lam) for lam in LAMBDAS],
        },
        rounds,
    )
    numpy_seconds = seconds["numpy"] * (n_steps / numpy_steps)
    median, low, high = ratio(numpy_seconds, seconds["kernlib"])
    solved = solve(gram, codes, n_steps)
    ours = said(solved, gram)
    # A row is read at a step on which some lambda pulls; the largest pulls at nearly all of them.
    n_read = max(int(s.fitted["n_violations_"][0]) for s in solved)
    exact = ours if double is gram else said(solve(double, codes, n_steps), double)
    wrong = ours != (codes[n_train:] == 1)[:, np.newaxis]
    return {
        "case": name,
        "ratio": median,
        "low": low,
        "high": high,
        "dtype": str(gram.dtype),
        "gram_seconds": float(np.median(made)),
        "kernlib_seconds": float(np.median(seconds["kernlib"])),
        "gigabytes_read": n_read * n_train * gram.dtype.itemsize / 1e9,
        "numpy_seconds_extrapolated": float(np.median(numpy_seconds)),
        "numpy_steps": numpy_steps,
        "n_steps": n_steps,
        "same_coefficients_of_6": same_coefficients(double, codes, y, order),
        "differ": int(np.count_nonzero(ours != exact)),
        "best_validation_error": float(wrong.mean(axis=0).min()),
    }


def main() -> None:
    quick = is_quick(__doc__)
    n_steps, numpy_steps, rounds = (10_000, 200, 1) if quick else (100_000, 2_000, 3)
    n_all = N_ALL // 8 if quick else N_ALL
    n_train = n_training(n_all)
    X, codes, source = table(n_all)
    pairs = Pairs(X)
    rows = [
        compare(f"{source}: {name}", kernel, pairs, codes, n_steps, numpy_steps, rounds)
        for name, kernel in KERNELS.items()
    ]
    sums = {
        key: sum(row[key] for row in rows)
        for key in (
            "gram_seconds",
            "kernlib_seconds",
            "gigabytes_read",
            "numpy_seconds_extrapolated",
            "differ",
        )
    }
    rate = sums["gigabytes_read"] / sums["kernlib_seconds"]
    whole = sums["numpy_seconds_extrapolated"] / sums["kernlib_seconds"]
    total = {"case": f"{source}: all 48 configurations", "ratio": whole}
    total |= dict.fromkeys(("low", "high", "dtype"), "")
    total |= sums | {"numpy_steps": numpy_steps, "n_steps": n_steps}
    total["same_coefficients_of_6"] = ""
    total["best_validation_error"] = min(row["best_validation_error"] for row in rows)
    report("kernel_pegasos", [*rows, total])
    seconds = sums["gram_seconds"] + sums["kernlib_seconds"]
    line = goal(
        f"kernel Pegasos grid, {source} {n_train} of {n_all} rows, 48 x {n_steps} steps",
        "<=", 5, "s", (seconds,) * 3, ours=seconds, theirs=sums["numpy_seconds_extrapolated"],
        quality="validation error", quality_ours=total["best_validation_error"],
        note=f"Gram matrices {sums['gram_seconds']:.2g} s, steps {sums['kernlib_seconds']:.2g} s, "
        f"in which they read {rate:.2g} GB/s of rows (see the limit of memory); "
        f"theirs is step-wise NumPy, {numpy_steps} steps timed; float32 changes "
        f"{sums['differ']} of {48 * (n_all - n_train)} answers",
    )  # fmt: skip
    kernel = KERNELS["polynomial, degree 3"]
    gram = Gram(kernel, pairs)
    report_goals("kernel_pegasos", [explained(line, lambda: solve(gram, codes, n_steps))])


if __name__ == "__main__":
    main()
