"""KernelSVM against SVC: fit at the same dual objective, predict; USPS digits, one thread.

``make bench`` runs it; ``--quick`` takes a tenth of the data and fewer rounds.  SVC gets the
faster of its default cache and of one that holds everything.  Ours stops at the same ``tol``, or
at the next tenth of it if that did not reach SVC's dual objective.  Prediction is timed as it is
by default, in float64 like the data, and in float32 for who asks for it.
"""

from __future__ import annotations

import time

import numpy as np
from side_by_side import Row, explained, is_quick, report, report_goals, take_turns, versus
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from kernlib import KernelSVM
from kernlib.datasets import load_usps
from kernlib.kernels import Gaussian

GAMMA = 0.0117
NARROW = "predict, float32 given"
# How many times faster than SVC.
AIMS = {"fit": 5, "predict": 15, NARROW: 15}


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


def compared(case: str, C: float, X, y, X_test, y_test, rounds: int) -> tuple[list[Row], list[Row]]:
    """Return the rows of the detailed table, and those of the summary."""
    sklearn = SVC(C=C, gamma=GAMMA, cache_size=faster_cache(C, X, y)).fit(X, y)
    their_dual = dual_objective(sklearn, X, y)
    kernlib = matched(C, X, y, their_dual)
    narrow = KernelSVM(kernel=Gaussian(gamma=GAMMA), C=C, tol=kernlib.tol, gram_dtype="float32")
    narrow.fit(X, y)
    ours = float(kernlib.dual_objective_.sum())
    rows: list[Row] = []
    goals: list[Row] = []
    fits = {"kernlib": lambda: kernlib.fit(X, y), "peer": lambda: sklearn.fit(X, y)}
    predictions = {
        "kernlib": lambda: kernlib.predict(X_test),
        NARROW: lambda: narrow.predict(X_test),
        "peer": lambda: sklearn.predict(X_test),
    }
    fitted, predicted = take_turns(fits, rounds), take_turns(predictions, rounds)
    for what, seconds, work in (
        ("fit", fitted, fits["kernlib"]),
        ("predict", predicted, predictions["kernlib"]),
        (NARROW, predicted | {"kernlib": predicted[NARROW]}, predictions[NARROW]),
    ):
        learner = narrow if what == NARROW else kernlib
        errors = [float(np.mean(f.predict(X_test) != y_test)) for f in (learner, sklearn)]
        full = f"exact kernel SVM, USPS {case}, C={C:g}, {what}"
        note = f"dual objectives differ by {abs(ours - their_dual) / their_dual:.0e} of theirs"
        goals.append(
            explained(
                versus(
                    full, AIMS[what], "SVC rbf", seconds, note=note,
                    quality="dual objective" if what == "fit" else "test error",
                    quality_ours=ours if what == "fit" else errors[0],
                    quality_theirs=their_dual if what == "fit" else errors[1],
                ),
                work,
            )
        )  # fmt: skip
        times = {key: goals[-1][key] for key in ("ratio", "low", "high")}
        rows.append(
            {"case": f"{case}, C={C:g}, {what}"}
            | times
            | {
                "kernlib_seconds": goals[-1]["ours"],
                "sklearn_seconds": goals[-1]["theirs"],
                "kernlib_dual": repr(ours),
                "sklearn_dual": repr(their_dual),
                "kernlib_tol": kernlib.tol,
                "sklearn_cache": sklearn.cache_size,
                "kernlib_error": errors[0],
                "sklearn_error": errors[1],
            }
        )
    return rows, goals


def main() -> None:
    quick = is_quick(__doc__)
    usps = load_usps()
    X, X_test, y, y_test = train_test_split(
        usps.data, usps.target, test_size=0.2, random_state=0, stratify=usps.target
    )
    if quick:
        X, y, X_test, y_test = X[::10], y[::10], X_test[::4], y_test[::4]
    rounds = 2 if quick else 5
    rows: list[Row] = []
    goals: list[Row] = []
    size = f"{len(y)} x 256"
    for C in (1.0, 10.0):
        for what, train, test in (
            ("10 classes one-vs-one", y, y_test),
            ("odd or even", y % 2, y_test % 2),
        ):
            found = compared(f"{size}, {what}", C, X, train, X_test, test, rounds)
            rows, goals = rows + found[0], goals + found[1]
    report("kernel_svm", rows)
    report_goals("kernel_svm", goals)


if __name__ == "__main__":
    main()
