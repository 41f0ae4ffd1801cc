"""Linear learners against others: equal updates, and time to 1 % of the best objective.

``make bench`` runs it, on one thread; ``--quick`` takes a fiftieth of the data and fewer rounds.
"""

from __future__ import annotations

import numpy as np
from side_by_side import (
    Row,
    explained,
    installed,
    is_quick,
    ratio,
    report,
    report_goals,
    skipped,
    take_turns,
    versus,
)
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import LinearSVC

from kernlib import Pegasos, Perceptron
from kernlib.learners.sampling import SAMPLINGS

# The summary's lines, filled while the contests run.
GOALS: list[Row] = []


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
    median, low, high = ratio(seconds["peer"], seconds["kernlib"])
    return {
        "case": case,
        "ratio": median,
        "low": low,
        "high": high,
        "kernlib_seconds": float(np.median(seconds["kernlib"])),
        "sklearn_seconds": float(np.median(seconds["peer"])),
        "kernlib_objective": objectives[0],
        "sklearn_objective": objectives[1],
    }


def equal_updates(
    case, X, y, lam, epochs, rounds, samplings=("replacement",), *, in_summary=True
) -> list[Row]:
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
            {"kernlib": lambda k=kernlib: k.fit(X, y), "peer": lambda s=sklearn: s.fit(X, y)},
            rounds,
        )
        reached = [float(objective(fit, X, y, lam)) for fit in (kernlib, sklearn)]
        rows.append(compared(f"{case}, {n_steps} updates, {what}", seconds, reached))
        if what == f"last, {samplings[0]}" and in_summary:
            line = versus(
                f"linear Pegasos, {case}, {n_steps} updates each", 5, "SGDClassifier", seconds,
                quality="objective", quality_ours=reached[0], quality_theirs=reached[1],
            )  # fmt: skip
            GOALS.append(explained(line, lambda k=kernlib: k.fit(X, y)))
    return rows


def first_within(best, X, y, lam, budgets, make, seeds):
    """Return the first budget that comes, on average over seeds, to 1 % of the best objective."""
    for budget in budgets:
        fits = [make(budget, seed).fit(X, y) for seed in range(seeds)]
        gap = np.mean([objective(fit, X, y, lam) for fit in fits]) / best - 1
        if gap <= 0.01:
            return budget, float(best * (1 + gap))
    raise RuntimeError(f"no budget of {budgets} came within 1 % of {best}")


def to_one_percent(case, X, y, lam, rounds, seeds=3) -> list[Row]:
    """Each with the smallest budget that brings it to 1 % of the best objective."""
    n = len(y)
    steps = max(8 * n, 1_000_000)
    long_run = Pegasos(
        lam=lam, n_steps=steps, output="suffix", sampling="reshuffle", random_state=0
    )
    best = objective(long_run.fit(X, y), X, y, lam)

    def ours(n_steps, seed):
        return Pegasos(lam=lam, n_steps=n_steps, output="suffix", random_state=seed)

    def sgd(epochs, seed):
        return SGDClassifier(alpha=lam, max_iter=epochs, tol=None, average=True, random_state=seed)

    def svc(tol, seed):
        return LinearSVC(C=1 / (lam * n), loss="hinge", tol=tol, max_iter=2000, random_state=seed)

    budgets = [int(n / 20 * 1.1**k) for k in range(75)]  # to 60 epochs, as many as theirs
    n_steps, our_value = first_within(best, X, y, lam, budgets, ours, seeds)
    rows = []
    for aim, name, make, budgets in (
        (6, "SGDClassifier", sgd, range(1, 60)),
        (30, "LinearSVC", svc, (1.0, 0.3, 0.1, 0.03, 0.01)),
    ):
        k = 1 if name == "LinearSVC" else seeds
        budget, value = first_within(best, X, y, lam, budgets, make, k)
        turns = {
            "kernlib": lambda: ours(n_steps, 0).fit(X, y),
            "peer": lambda m=make, b=budget: m(b, 0).fit(X, y),
        }
        seconds = take_turns(turns, rounds if name == "SGDClassifier" else max(2, rounds // 2))
        said = f"{n_steps} steps against {name} at {budget}"
        rows.append(compared(f"{case}, {said}, to 1 %", seconds, [our_value, value]))
        line = versus(
            f"linear, {case} dense, to 1 % of the optimum", aim, name, seconds, note=said,
            quality="objective", quality_ours=our_value, quality_theirs=value,
        )  # fmt: skip
        GOALS.append(explained(line, turns["kernlib"]))
    return rows


# ---------------------------------------------------------------- peers that may be missing


def against_vowpal_wabbit(X, y, rounds) -> Row:
    """One pass of hinge steps, on examples that were read before the clock starts."""
    case = f"linear, {X.shape[0]} x {X.shape[1]}, one pass of updates"
    if not installed("vowpalwabbit"):
        return skipped(case, "vowpalwabbit")
    from vowpalwabbit import Workspace

    model = Workspace("--loss_function hinge --sgd --l2 1e-7 --quiet")
    lines = [
        f"{label} | " + " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row))
        for row, label in zip(X, y, strict=True)
    ]
    examples = [model.parse(line) for line in lines]
    pegasos = Pegasos(lam=1e-3, n_steps=len(y), sampling="cyclic", random_state=0)

    def theirs():
        for example in examples:
            model.learn(example)

    seconds = take_turns({"kernlib": lambda: pegasos.fit(X, y), "peer": theirs}, rounds)
    wrong = np.mean([np.sign(model.predict(e)) != label for e, label in zip(examples, y)])  # noqa: B905
    model.finish()
    return versus(
        case, 0, "vowpalwabbit", seconds, quality="training error",
        quality_ours=float(np.mean(pegasos.predict(X) != y)), quality_theirs=float(wrong),
        note="their text is parsed beforehand; one Python call an example",
    )  # fmt: skip


def against_river(X, y, rounds) -> list[Row]:
    """One pass of the perceptron: ours in one call, and ours with a call for each example."""
    size = f"{X.shape[0]} x {X.shape[1]}"
    cases = [f"perceptron, {size}, one pass in {how}" for how in ("one call", "a call a sample")]
    if not installed("river"):
        return [skipped(case, "river") for case in cases]
    from river import linear_model

    samples = [dict(enumerate(row)) for row in X.tolist()]
    signs = (y > 0).tolist()
    result = {}

    def theirs():
        model = linear_model.Perceptron()
        for sample, sign in zip(samples, signs, strict=True):
            model.learn_one(sample, sign)
        result["peer"] = model

    def at_once():
        result["kernlib"] = Perceptron(max_iter=1).fit(X, y)

    def one_by_one():
        # The perceptron has no partial_fit; Pegasos's step is the same work.
        model = Pegasos(lam=1e-3)
        for row, label in zip(X, y, strict=True):
            model.partial_fit(row[None], [label], classes=[-1, 1])
        result["kernlib"] = model

    rows = []
    for case, ours in zip(cases, (at_once, one_by_one), strict=True):
        seconds = take_turns({"kernlib": ours, "peer": theirs}, rounds)
        guesses = np.array([result["peer"].predict_one(sample) for sample in samples])
        each = [1e6 * np.median(seconds[who]) / len(y) for who in ("kernlib", "peer")]
        rows.append(
            versus(
                case, 0, "river", seconds, quality="training error",
                quality_ours=float(np.mean(result["kernlib"].predict(X) != y)),
                quality_theirs=float(np.mean(guesses != np.array(signs))),
                note=f"{each[0]:.2g} us a sample against {each[1]:.2g} us",
            )
        )  # fmt: skip
    return rows


def against_lightning(X, y, rounds) -> Row:
    """Hinge loss, equal updates."""
    case = f"linear, {X.shape[0]} x {X.shape[1]}, 5 epochs of updates"
    if not installed("sklearn-contrib-lightning"):
        return skipped(case, "sklearn-contrib-lightning")
    from lightning.classification import SGDClassifier as Lightning

    pegasos = Pegasos(lam=1e-3, n_steps=5 * len(y), random_state=0)
    peer = Lightning(loss="hinge", alpha=1e-3, learning_rate="pegasos", max_iter=5, random_state=0)
    turns = {"kernlib": lambda: pegasos.fit(X, y), "peer": lambda: peer.fit(X, y)}
    seconds = take_turns(turns, rounds)
    errors = [float(np.mean(fit.predict(X) != y)) for fit in (pegasos, peer)]
    return versus(
        case, 0, "sklearn-contrib-lightning", seconds, quality="training error",
        quality_ours=errors[0], quality_theirs=errors[1],
    )  # fmt: skip


def main() -> None:
    quick = is_quick(__doc__)
    rounds, n = (2, 20_000) if quick else (25, 1_000_000)
    rows = []
    for d in (11, 256):
        X, y = gaussian_table(8000, d)
        rows += equal_updates(f"8000 x {d}", X, y, 1e-3, 13, rounds)
    X, y = quadratic_table(8000)
    rows += equal_updates("8000 x 66", X, y, 1e-3, 13, rounds, SAMPLINGS)
    slow = slice(0, 500 if quick else None)  # a Python call a sample
    GOALS.append(against_vowpal_wabbit(X[slow], y[slow], 2))
    GOALS.extend(against_river(X[:2000][slow], y[:2000][slow], 2))
    GOALS.append(against_lightning(X, y, max(3, rounds // 5)))
    X, y = gaussian_table(n, 100)
    few = max(3, rounds // 5)
    rows += equal_updates(f"{n} x 100", X, y, 1e-3, 1, few, in_summary=False)
    # With few rows the mean over all steps needs more than 60 epochs at 1e-3.
    lam, seeds = (1e-2, 1) if quick else (1e-3, 3)
    rows += to_one_percent(f"{n} x 100", X, y, lam, few, seeds)
    report("linear", rows)
    report_goals("linear", GOALS)


if __name__ == "__main__":
    main()
