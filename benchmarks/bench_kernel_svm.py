"""KernelSVM against SVC: fit at the same dual objective, predict; USPS digits, one thread.

``make bench`` runs it; ``--quick`` takes a quarter of the data and fewer rounds.  SVC gets the
faster of its default cache and of one that holds everything.  Ours stops at the same ``tol``, or
at the next tenth of it if that did not reach SVC's dual objective.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from side_by_side import ratio, report, take_turns
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from kernlib import KernelSVM
from kernlib.datasets import load_usps
from kernlib.kernels import Gaussian

Row = dict[str, object]
GAMMA = 0.0117


def dual_objective(svm: SVC, X, y) -> float:
    """Return the sum of the dual objectives of SVC's problems, in float64."""
    classes, starts = svm.classes_, np.append(0, np.cumsum(svm.n_support_))
    K = Gaussian(gamma=GAMMA)(X[svm.support_])
    total = 0.0
    for i in range(len(classes)):
        for j in range(i + 1, len(classes)):
            # scikit-learn's user guide, "multi-class classification": where a pair's alphas are.
            first, second = slice(*starts[i : i + 2]), slice(*starts[j : j + 2])
            own = np.r_[first, second]
            beta = np.r_[svm.dual_coef_[j - 1, first], svm.dual_coef_[i, second]]
            total += np.abs(beta).sum() - beta @ K[np.ix_(own, own)] @ beta / 2
    return float(total)


def faster_cache(C: float, X, y) -> float:
    """Return the cache size, in MB, with which SVC is faster."""
    seconds = {}
    for size in (200.0, 4000.0):
        start = time.perf_counter()
        SVC(C=C, gamma=GAMMA, cache_size=size).fit(X, y)
        seconds[size] = time.perf_counter() - start
    return min(seconds, key=lambda size: seconds[size])


def matched(C: float, X, y, goal: float) -> KernelSVM:
    """Return our learner, fitted with the largest tol that reaches SVC's objective to 1e-7."""
    for tol in (1e-3, 1e-4, 1e-5):
        learner = KernelSVM(kernel=Gaussian(gamma=GAMMA), C=C, tol=tol).fit(X, y)
        if learner.dual_objective_.sum() >= goal * (1 - 1e-7):
            return learner
    raise RuntimeError(f"no tol reached SVC's dual objective {goal}")


def compared(case: str, C: float, X, y, X_test, y_test, rounds: int) -> list[Row]:
    sklearn = SVC(C=C, gamma=GAMMA, cache_size=faster_cache(C, X, y)).fit(X, y)
    their_dual = dual_objective(sklearn, X, y)
    kernlib = matched(C, X, y, their_dual)
    rows: list[Row] = []
    for what, turns in {
        "fit": {"kernlib": lambda: kernlib.fit(X, y), "sklearn": lambda: sklearn.fit(X, y)},
        "predict": {
            "kernlib": lambda: kernlib.predict(X_test),
            "sklearn": lambda: sklearn.predict(X_test),
        },
    }.items():
        seconds = take_turns(turns, rounds)
        median, low, high = ratio(seconds["sklearn"], seconds["kernlib"])
        rows.append(
            {
                "case": f"{case}, C={C:g}, {what}",
                "ratio": median,
                "low": low,
                "high": high,
                "kernlib_seconds": float(np.median(seconds["kernlib"])),
                "sklearn_seconds": float(np.median(seconds["sklearn"])),
                "kernlib_dual": repr(float(kernlib.dual_objective_.sum())),
                "sklearn_dual": repr(their_dual),
                "kernlib_tol": kernlib.tol,
                "sklearn_cache": sklearn.cache_size,
                "kernlib_error": float(np.mean(kernlib.predict(X_test) != y_test)),
                "sklearn_error": float(np.mean(sklearn.predict(X_test) != y_test)),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a quarter of the data")
    quick = parser.parse_args().quick
    usps = load_usps()
    X, X_test, y, y_test = train_test_split(
        usps.data, usps.target, test_size=0.2, random_state=0, stratify=usps.target
    )
    if quick:
        X, y = X[::4], y[::4]
    rounds = 3 if quick else 5
    rows: list[Row] = []
    for C in (1.0, 10.0):
        rows += compared(f"{len(y)} x 256, 10 classes", C, X, y, X_test, y_test, rounds)
        labels = (y % 2, y_test % 2)
        rows += compared(f"{len(y)} x 256, odd or even", C, X, labels[0], X_test, labels[1], rounds)
    report("kernel_svm", rows)


if __name__ == "__main__":
    main()
