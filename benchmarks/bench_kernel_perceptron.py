"""KernelPerceptron against step-wise NumPy and against SVC, fit and predict, on the USPS digits.

Step-wise NumPy computes the scores of an example from all coefficients at each step, by columns
(``W @ G[:, t]``) as the documents write it, or by rows, the same numbers in the order of the
memory, on a float64 Gram matrix made by one product and multiplications; it predicts by one
product.  The Gram matrix is part of everyone's time.  All get the same float32 rows and one thread.

The last rows have no peer: one averaged epoch of degree 4 on up to 60000 x 784 without a Gram
matrix, each in a process of its own, with the largest memory that the process had.  The rows are
the MNIST training digits; where they cannot be fetched, shifted copies of 9000 of the shipped ones.
``--quick`` takes fewer rounds and rows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from functools import partial

import numpy as np
from side_by_side import (
    Row,
    explained,
    goal,
    most_memory,
    ratio,
    report,
    report_goals,
    take_turns,
    versus,
    where_time_goes,
)
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from kernlib import KernelPerceptron
from kernlib.datasets import load_mnist, load_usps
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Polynomial
from kernlib.learners.base import binary_problems, chosen, combined
from kernlib.learners.kernel_base import Reporter
from kernlib.training import split_rows

FIFTH, FOURTH = Polynomial(degree=5, coef0=0), Polynomial(degree=4, coef0=0)
SHIPPED = 9000  # of the shipped digits; the others are for testing
# The summary's lines, filled while the contests run.
GOALS: list[Row] = []


def usps():
    """Return training rows, training labels, test rows and test labels."""
    digits = load_usps()
    fit, test = split_rows(len(digits.target), 0)
    X, y = digits.data.astype(np.float32), digits.target
    return X[fit], y[fit], X[test], y[test]


def fifth_power(P):
    square = P * P
    square *= square
    square *= P
    return square


# ---------------------------------------------------------------- step-wise NumPy


def stepwise_ovr(X, codes, Z, epochs, columns=False):
    """Return the coefficients and the predicted classes; every class sees every example."""
    X = X.astype(np.float64)
    G = fifth_power(X @ X.T)
    Y = np.array(binary_problems(codes, codes.max() + 1, "ovr"), dtype=np.float64)
    W = np.zeros_like(Y)
    for _ in range(epochs):
        for t in range(len(codes)):
            y = Y[:, t]
            wrong = y * (W @ (G[:, t] if columns else G[t])) <= 0
            if wrong.any():
                W[wrong, t] += y[wrong]
    scores = fifth_power(Z.astype(np.float64) @ X.T) @ W.T
    return W, chosen(combined(scores, len(W), "ovr"))


def stepwise_ovo(X, codes, Z, epochs):
    """Return the coefficients and the predicted classes; every pair sees its own examples."""
    X = X.astype(np.float64)
    G = fifth_power(X @ X.T)
    problems = binary_problems(codes, codes.max() + 1, "ovo")
    W = np.zeros((len(problems), len(codes)))
    for k, problem in enumerate(problems):
        rows = np.flatnonzero(problem)
        own, y, w = G[np.ix_(rows, rows)], problem[rows].tolist(), np.zeros(len(rows))
        for _ in range(epochs):
            for t in range(len(rows)):
                if y[t] * (w @ own[t]) <= 0:
                    w[t] += y[t]
        W[k, rows] = w
    scores = fifth_power(Z.astype(np.float64) @ X.T) @ W.T
    return W, chosen(combined(scores, codes.max() + 1, "ovo"))


# ---------------------------------------------------------------- contests


def compared(case, seconds, errors, same="") -> Row:
    median, low, high = ratio(seconds["peer"], seconds["kernlib"])
    return {
        "case": case,
        "ratio": median,
        "low": low,
        "high": high,
        "kernlib_seconds": float(np.median(seconds["kernlib"])),
        "peer_seconds": float(np.median(seconds["peer"])),
        "kernlib_error": errors[0],
        "peer_error": errors[1],
        "same_coefficients": same,
        "megabytes": "",
    }


def against_stepwise(data, multi_class, epochs, stepwise, rounds) -> Row:
    X, y, Z, z = data
    learner = KernelPerceptron(kernel=FIFTH, max_iter=epochs, multi_class=multi_class)
    result = {}

    def ours():
        result["kernlib"] = learner.fit(X, y).predict(Z)

    def theirs():
        result["W"], result["peer"] = stepwise(X, np.searchsorted(np.unique(y), y), Z, epochs)

    seconds = take_turns({"kernlib": ours, "peer": theirs}, rounds)
    W = np.zeros_like(result["W"])
    W[:, learner.support_] = learner.dual_coef_
    errors = [
        float(np.mean(result["kernlib"] != z)),
        float(np.mean(learner.classes_[result["peer"]] != z)),
    ]
    how = ", by columns" if isinstance(stepwise, partial) else ""
    if how:
        same = "same coefficients" if np.array_equal(W, result["W"]) else "other coefficients"
        row = versus(
            f"OvR kernel perceptron, USPS {len(X)} x 256, degree 5, {epochs} epochs, fit + predict",
            25, "step-wise NumPy by columns, float64", seconds, quality="test error",
            quality_ours=errors[0], quality_theirs=errors[1], note=same,
        )  # fmt: skip
        GOALS.append(explained(row, ours))
    case = f"{multi_class}, {epochs} epochs, against step-wise NumPy{how}"
    return compared(case, seconds, errors, np.array_equal(W, result["W"]))


def against_svc(data, rounds, **options) -> Row:
    X, y, Z, z = data
    learner, svc = KernelPerceptron(kernel=FIFTH), SVC(cache_size=1000, **options)
    contestants = {
        "kernlib": lambda: learner.fit(X, y).predict(Z),
        "peer": lambda: svc.fit(X, y).predict(Z),
    }
    seconds = take_turns(contestants, rounds)
    errors = [float(np.mean(fitted.predict(Z) != z)) for fitted in (learner, svc)]
    row = versus(
        f"OvR kernel perceptron, USPS {len(X)} x 256, degree 5, 5 epochs, fit + predict",
        10, f"SVC {options['kernel']}", seconds, quality="test error",
        quality_ours=errors[0], quality_theirs=errors[1],
    )  # fmt: skip
    GOALS.append(explained(row, contestants["kernlib"]))
    return compared(f"ovr, 5 epochs, against SVC {options['kernel']}", seconds, errors)


def stages(data, rounds) -> list[Row]:
    """The learner's fit and prediction, and what a whole Gram matrix would cost."""
    X, y, Z, _ = data
    codes, rows = np.searchsorted(np.unique(y), y), np.arange(len(y))
    result = []
    for multi_class, epochs in (("ovr", 5), ("ovo", 3)):
        learner = KernelPerceptron(kernel=FIFTH, max_iter=epochs, multi_class=multi_class)
        learner.fit(X, y)
        gram = Gram(FIFTH, Pairs(X))
        parts = {
            "fit": lambda a=learner: a.fit(X, y),
            "prediction": lambda a=learner: a.predict(Z),
            "epochs on a given matrix": lambda a=learner, g=gram: a._solve(
                g, codes, rows, Reporter()
            ),
            "whole Gram matrix": lambda: Gram(FIFTH, Pairs(X)),
        }
        seconds = take_turns(parts, rounds)
        n = f"{learner.n_mistakes_.sum()} mistakes, {len(learner.support_)} support vectors"
        result += [
            alone(f"{multi_class}, {epochs} epochs, {n}: {part}", values)
            for part, values in seconds.items()
        ]
    return result


def alone(case, seconds, error="", megabytes="") -> Row:
    row = dict.fromkeys(("ratio", "low", "high", "peer_seconds", "peer_error"), "")
    row |= {"case": case, "kernlib_seconds": float(np.median(seconds)), "kernlib_error": error}
    row |= {"same_coefficients": "", "megabytes": megabytes}
    return row


# ---------------------------------------------------------------- without a Gram matrix


def shifted_digits(n):
    """Return n float32 rows and labels: digits moved by at most a pixel; and 1000 other digits."""
    digits = load_mnist()
    images, labels = digits.data.reshape(-1, 28, 28), digits.target
    X, y = np.empty((n, 784), dtype=np.float32), np.empty(n, dtype=labels.dtype)
    moves = [(a, b) for a in (0, 1, -1) for b in (0, 1, -1)]
    order = np.random.default_rng(0).permutation(n)
    for c, start in enumerate(range(0, n, SHIPPED)):
        places = order[start : start + SHIPPED]
        X[places] = np.roll(images[: len(places)], moves[c], (1, 2)).reshape(-1, 784)
        y[places] = labels[: len(places)]
    X /= 255
    return X, y, digits.data[SHIPPED:].astype(np.float32) / 255, labels[SHIPPED:]


def many_digits(n):
    """Return n training rows and labels, 1000 other digits, and what they are."""
    if n <= SHIPPED:  # a quick run does not unpack the archive
        return *shifted_digits(n), "shipped digits"
    try:
        train, test = load_mnist(part="train"), load_mnist()
    except (OSError, ValueError):  # not fetched
        return *shifted_digits(n), "shifted copies of shipped digits"
    X, Z = (part[:k].astype(np.float32) / 255 for part, k in ((train.data, n), (test.data, 1000)))
    return X, train.target[:n], Z, test.target[:1000], "MNIST"


def large(n):
    """Fit one epoch on n x 784 without a Gram matrix; print what it took."""
    X, y, Z, z, source = many_digits(n)
    options = {"kernel": FOURTH, "predictor": "average", "max_iter": 1}
    KernelPerceptron(max_memory=0, **options).fit(X[:300], y[:300])  # compiles
    start = time.perf_counter()
    learner = KernelPerceptron(max_memory=1, **options).fit(X, y)
    seconds = time.perf_counter() - start
    error = float(np.mean(learner.predict(Z) != z))
    result = {"seconds": seconds, "error": error, "megabytes": round(most_memory())}
    small = KernelPerceptron(max_memory=1, **options)
    result["profile"] = where_time_goes(lambda: small.fit(X[: n // 4], y[: n // 4]))
    print(json.dumps(result | {"support": len(learner.support_), "source": source}))


def without_matrix(n, rounds) -> dict:
    """Return the median of some rounds, each in a fresh process."""
    command = [sys.executable, __file__, "--large", str(n)]
    found = []
    for _ in range(rounds):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    seconds = sorted(one["seconds"] for one in found)
    middle = found[0] | {"seconds": float(np.median(seconds)), "all": seconds}
    return middle | {"megabytes": max(one["megabytes"] for one in found)}


def growing(sizes, rounds) -> list[Row]:
    """The largest size with its goals, and the exponent of its growth."""
    found = {n: without_matrix(n, rounds if n == sizes[-1] else 1) for n in sizes}
    last, n = found[sizes[-1]], sizes[-1]
    exponent = np.polyfit(np.log(sizes), np.log([found[m]["seconds"] for m in sizes]), 1)[0]
    case = f"{last['source']} {n} x 784, OvR degree 4, averaged, 1 epoch"
    note = f"time grows as m^{exponent:.2f} from {sizes[0]}; {last['support']} support vectors"
    seconds, megabytes = last["seconds"], float(last["megabytes"])
    more = {"quality": "test error", "quality_ours": last["error"], "megabytes": megabytes}
    if seconds > 10:
        note += f"; of a quarter of the rows {last['profile']}"
    interval = (seconds, last["all"][0], last["all"][-1])
    GOALS.append(goal(case, "<=", 10, "s", interval, ours=seconds, note=note, **more))
    GOALS.append(goal(f"{case}, memory", "<=", 1024, "MB", (megabytes,) * 3, **more))
    print(note)
    return [
        alone(
            f"ovr, degree 4, averaged, 1 epoch, {m} x 784 of {one['source']}, "
            f"{one['support']} support vectors, no Gram matrix",
            one["seconds"], one["error"], one["megabytes"],
        )
        for m, one in found.items()
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and rows")
    parser.add_argument("--large", type=int, help="only the fit without a Gram matrix, of so many")
    arguments = parser.parse_args()
    threadpool_limits(1)
    if arguments.large:
        large(arguments.large)
        return
    quick = arguments.quick
    rounds, sizes = (1, (1_000, 2_000)) if quick else (5, (15_000, 30_000, 60_000))
    data = tuple(part[::10] for part in usps()) if quick else usps()
    rows = [
        against_stepwise(data, "ovr", 5, stepwise_ovr, rounds),
        against_stepwise(data, "ovr", 5, partial(stepwise_ovr, columns=True), rounds),
        against_stepwise(data, "ovo", 3, stepwise_ovo, rounds),
        against_svc(data, rounds, kernel="poly", degree=5, gamma=1.0, coef0=0.0),
        against_svc(data, rounds, kernel="rbf"),
        *stages(data, 3 * rounds),
        *growing(sizes, 1 if quick else 3),
    ]
    report("kernel_perceptron", rows)
    report_goals("kernel_perceptron", GOALS)


if __name__ == "__main__":
    main()
