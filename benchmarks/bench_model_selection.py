"""Model selection on a shared Gram matrix: two published protocols in full, and the gain.

Dellaporta & Lau (2020), parts a and b: 840 trainings on the USPS digits.  Cologni (2024): 48 kernel
Pegasos combinations, here on the twin of its table.  Each takes turns with fitting a part of its
combinations alone.  ``make bench`` runs it, on one thread; ``--quick``
takes a quarter of the rows, one run, fewer steps.
"""

from __future__ import annotations

import time

import numpy as np
from side_by_side import Row, is_quick, ratio, report, take_turns
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlib import KernelPegasos, KernelPerceptron
from kernlib.datasets import load_usps, make_milan_twin
from kernlib.kernels import Exponential, Polynomial
from kernlib.model_selection import WHOLE, GridSearch, evaluate, repeated_splits, summary
from kernlib.preprocessing import AddConstant
from kernlib.replication import published

SEED = 0


def gain(estimator, grid, X, y, splits, rounds) -> Row:
    """Return how much longer the same fits take when nothing is shared, and that they agree."""
    tables = {}

    def fit(name, max_memory):
        tables[name] = evaluate(estimator, grid, X, y, splits, max_memory=max_memory)

    seconds = take_turns({"shared": lambda: fit("shared", 2048), "alone": lambda: fit("alone", 0)},
                         rounds)  # fmt: skip
    median, low, high = ratio(seconds["alone"], seconds["shared"])
    errors = [tables[name].validation_error.to_numpy() for name in ("shared", "alone")]
    differ = int(np.sum(np.abs(errors[0] - errors[1]) * len(splits[0].validation) > 0.5))
    return {"ratio": median, "low": low, "high": high, "of_fits": len(errors[0]), "differ": differ}


def timed(work):
    """Return what ``work`` returns, its seconds, and those of the processor."""
    start, start_cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - start_cpu,
    }


def digits(n_runs, rounds, every) -> Row:
    """Degrees 1 to 7, 5 epochs; each run 5 folds on 80 %, and all degrees on all of it."""
    X, y = (part[::every] for part in load_usps(return_X_y=True))
    grid = {"kernel": [Polynomial(degree=d, coef0=0) for d in range(1, 8)]}
    search = GridSearch(
        KernelPerceptron(), grid, cv=KFold(5), n_runs=n_runs, test_size=0.2, retrain="all",
        refit=False, random_state=SEED,
    )  # fmt: skip
    evaluate(KernelPerceptron(), grid, X[:300], y[:300], repeated_splits(y[:300]))  # compiles
    search, seconds = timed(lambda: search.fit(X, y))
    splits = [s for s in repeated_splits(y, cv=KFold(5), random_state=SEED) if s.fold != WHOLE]
    part = gain(KernelPerceptron(), {"kernel": grid["kernel"][2:5:2]}, X, y, splits[:2], rounds)
    theirs = published.table("dellaporta2020_cv_summary").iloc[0]
    degrees = [kernel.degree for kernel in search.runs_.kernel]
    tested = search.runs_.test_error
    print(
        f"degree: {np.mean(degrees):.2f} ± {np.std(degrees):.2f}; published {theirs.printed_param}"
    )
    print(f"test error: {tested.mean():.4f} ± {tested.std(ddof=0):.4f}; "
          f"published {theirs.printed_test}")  # fmt: skip
    curve = summary(search.table_)
    print(curve[["kernel", "training_error", "test_error", "test_error_spread"]].to_string())
    return {
        "case": f"USPS, degrees 1-7, {n_runs} runs of 1 + 5 trainings",
        "fits": len(search.table_), **seconds, "error": float(tested.mean()),
        "published": theirs.test_error_mean, **part,
    }  # fmt: skip


def pegasos(n_steps, rounds, every) -> Row:
    """Eight kernels and six lambdas on one hold-out part, scaled before as the document did."""
    X, y = (part[::every] for part in make_milan_twin(seed=SEED, return_X_y=True))
    fold, whole = repeated_splits(y, cv="holdout", test_size=0.2, random_state=31415)
    ready = make_pipeline(StandardScaler(), AddConstant()).fit(X[whole.train])
    rows = np.sort(whole.train)
    place = np.empty(len(y), dtype=int)
    place[rows] = np.arange(len(rows))
    X, y = ready.transform(X[rows]), y[rows]
    split = type(fold)(0, 0, place[fold.train], place[fold.validation], fold.test)
    kernels = [Polynomial(degree=n) for n in (1, 2, 3, 4)]
    kernels += [Exponential.with_length(g) for g in (0.01, 0.1, 1.0, 10.0)]
    grid = {"kernel": kernels, "lam": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]}
    learner = KernelPegasos(n_steps=n_steps, random_state=SEED)
    small = {**grid, "n_steps": [100]}
    evaluate(learner, small, X[:300], y[:300], repeated_splits(y[:300], cv="holdout"))  # compiles
    table, seconds = timed(lambda: evaluate(learner, grid, X, y, [split]))
    part = gain(learner, {**grid, "kernel": kernels[2:3]}, X, y, [split], rounds)
    best = table.loc[table.validation_error.idxmin()]
    print(f"chosen: {best.kernel}, lam={best.lam}")
    return {
        "case": f"Milan twin, kernel Pegasos, {n_steps} steps",
        "fits": len(table), **seconds, "error": float(best.validation_error), "published": "",
        **part,
    }  # fmt: skip


def main() -> None:
    quick = is_quick(__doc__)
    n_runs, n_steps, rounds, every = (1, 5_000, 1, 4) if quick else (20, 100_000, 3, 1)
    rows = [digits(n_runs, rounds, every), pegasos(n_steps, rounds, every)]
    report("model_selection", rows)


if __name__ == "__main__":
    main()
