"""Pegasos against SGDClassifier: equal updates, and time to 1 % of the best objective.

``make bench`` runs it, on one thread; ``--quick`` takes a tenth of the data and fewer rounds.
"""

from __future__ import annotations

import argparse

import numpy as np
from side_by_side import ratio, report, take_turns
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import PolynomialFeatures

from kernlib import Pegasos
from kernlib.learners.sampling import SAMPLINGS

Row = dict[str, object]


def objective(learner, X, y, lam):
    """Return lam/2 (||w||^2 + b^2) + mean hinge loss."""
    w, b = learner.coef_[0], learner.intercept_[0]
    return lam / 2 * (w @ w + b * b) + np.mean(np.maximum(0.0, 1.0 - y * (X @ w + b)))


def quadratic_table(n):
    """Return n rows of 10 features expanded to 66, and a cubic rule as the label."""
    Z = np.random.default_rng(0).standard_normal((n, 10))
    rule = Z[:, 1] * Z[:, 8] - 0.5 * Z[:, 0] * Z[:, 3] * Z[:, 7] + Z[:, 4] - 0.5 * Z[:, 5]
    return PolynomialFeatures(2).fit_transform(Z), np.where(rule > 0, 1, -1)


def gaussian_table(n, d):
    """Return n Gaussian rows, and a noisy halfspace as the label."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    direction = rng.standard_normal(d) / np.sqrt(d)
    return X, np.where(X @ direction + 0.5 * rng.standard_normal(n) > 0, 1, -1)


def compared(case, seconds, objectives) -> Row:
    """Return a row of the table: the ratio of the times, and what was reached in them."""
    median, low, high = ratio(seconds["sklearn"], seconds["kernlib"])
    return {
        "case": case,
        "ratio": median,
        "low": low,
        "high": high,
        "kernlib_seconds": float(np.median(seconds["kernlib"])),
        "sklearn_seconds": float(np.median(seconds["sklearn"])),
        "kernlib_objective": objectives[0],
        "sklearn_objective": objectives[1],
    }


def equal_updates(case, X, y, lam, epochs, rounds, samplings=("replacement",)) -> list[Row]:
    """The same number of updates by both: the last iterate, the mean of all, of the last half.

    SGDClassifier has one kind of mean, which stands against both of ours.  The last iterate is
    timed with each of ``samplings``: like with like, the given order stands against a
    SGDClassifier that does not shuffle, random ones against one that does.
    """
    n_steps = epochs * len(y)
    ours = {"lam": lam, "n_steps": n_steps, "random_state": 0}
    theirs = {"alpha": lam, "max_iter": epochs, "tol": None, "random_state": 0}
    pairs = {
        f"last, {sampling}": (
            Pegasos(sampling=sampling, **ours),
            SGDClassifier(shuffle=sampling != "cyclic", **theirs),
        )
        for sampling in samplings
    }
    for output in ("average", "suffix"):
        pairs[output] = Pegasos(output=output, **ours), SGDClassifier(average=True, **theirs)
    rows: list[Row] = []
    for what, (kernlib, sklearn) in pairs.items():
        seconds = take_turns(
            {"kernlib": lambda k=kernlib: k.fit(X, y), "sklearn": lambda s=sklearn: s.fit(X, y)},
            rounds,
        )
        reached = [float(objective(fit, X, y, lam)) for fit in (kernlib, sklearn)]
        rows.append(compared(f"{case}, {n_steps} updates, {what}", seconds, reached))
    return rows


def to_one_percent(case, X, y, lam, rounds, seeds=5) -> list[Row]:
    """The smallest budget that brings each, on average over seeds, to 1 % of the best objective."""
    n = len(y)
    long_run = Pegasos(
        lam=lam, n_steps=20 * n, output="suffix", sampling="reshuffle", random_state=0
    )
    their_run = SGDClassifier(alpha=lam, max_iter=20, tol=None, average=True, random_state=0)
    best = min(objective(run.fit(X, y), X, y, lam) for run in (long_run, their_run))

    def smallest(budgets, make):
        for budget in budgets:
            fits = [make(budget, seed).fit(X, y) for seed in range(seeds)]
            gap = np.mean([objective(fit, X, y, lam) for fit in fits]) / best - 1
            if gap <= 0.01:
                return budget, float(gap)
        raise RuntimeError(f"no budget of {budgets} came within 1 % of {best}")

    def ours(n_steps, seed):
        return Pegasos(lam=lam, n_steps=n_steps, output="suffix", random_state=seed)

    def theirs(epochs, seed):
        return SGDClassifier(alpha=lam, max_iter=epochs, tol=None, average=True, random_state=seed)

    n_steps, our_gap = smallest([n * k // 20 for k in range(1, 100)], ours)
    epochs, their_gap = smallest(range(1, 60), theirs)
    seconds = take_turns(
        {
            "kernlib": lambda: ours(n_steps, 0).fit(X, y),
            "sklearn": lambda: theirs(epochs, 0).fit(X, y),
        },
        rounds,
    )
    reached = [best * (1 + our_gap), best * (1 + their_gap)]
    return [compared(f"{case}, {n_steps} steps against {epochs} epochs, to 1 %", seconds, reached)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the data, fewer rounds")
    quick = parser.parse_args().quick
    rounds, n = (7, 100_000) if quick else (25, 1_000_000)
    rows = equal_updates("8000 x 66", *quadratic_table(8000), 1e-3, 13, rounds, SAMPLINGS)
    X, y = gaussian_table(n, 100)
    rows += equal_updates(f"{n} x 100", X, y, 1e-3, 1, max(3, rounds // 5))
    rows += to_one_percent(f"{n} x 100", X, y, 1e-3, max(3, rounds // 5), seeds=2 if quick else 5)
    report("linear", rows)


if __name__ == "__main__":
    main()
