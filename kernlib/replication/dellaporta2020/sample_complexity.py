r"""Document 5, part II: how many examples until "the label is the first coordinate" is learned.

Examples are uniform in :math:`\{-1, 1\}^n`.  The document raises m from 1 until the estimated
error of a predictor trained on m examples is at most 0.1 (first passage); the estimate averages
D training draws and N test points.  A noisy estimate passes too early, so the true crossing is
also found by bisection with many more draws.
Tests: ``tests/replication/test_sample_complexity.py``.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from kernlib.learners.perceptron import _perceptron_loop
from kernlib.learners.winnow import _winnow_loop
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED

THRESHOLD = 0.1
DIMENSIONS = tuple(range(5, 101, 5))
NEIGHBOUR_DIMENSIONS = tuple(range(2, 17, 2))
FAR_NEIGHBOUR_DIMENSIONS = tuple(range(2, 23, 2))
WINNOW_FACTOR = 2.0
EXACT = 1e-12  # what rounding leaves of a label


class Effort(NamedTuple):
    """What an estimate of the error costs."""

    draws: int  # D, training sets
    points: int  # N, test points


LINEAR_EFFORT, NEIGHBOUR_EFFORT = Effort(10, 200), Effort(10, 80)
CAREFUL = Effort(400, 400)
Trial = Callable[[np.ndarray, np.ndarray], np.ndarray]  # training sets, test points -> predictions


def cube(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Return random corners of the cube, coordinates -1 and 1 along the last axis."""
    return rng.integers(0, 2, shape, dtype=np.int8) * 2.0 - 1.0


# ---------------------------------------------------------------- the four learners
# Each gets training sets (D, m, n) and test points (N, n), and returns predictions (D, N); a
# score of 0 predicts 0, which is never right.


def perceptron(X: np.ndarray, T: np.ndarray, epochs: int = 1) -> np.ndarray:
    """Train a perceptron without intercept on each set."""
    D, m, n = X.shape
    W, order = np.zeros((D, n + 1)), np.arange(m)
    mistakes, times = np.empty((2, m), dtype=np.intp)
    for d in range(D):
        for _ in range(epochs):
            if not _perceptron_loop(X[d], X[d, :, 0], order, 0.0, W[d], 0, mistakes, times):
                break
    return np.sign(W[:, :n] @ T.T)


def converged_perceptron(X: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Train it until an epoch is without mistakes."""
    return perceptron(X, T, epochs=1000)


def winnow(X: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Train Winnow, one pass, on coordinates coded 0 and 1, with the threshold n."""
    D, m, n = X.shape
    on, W, order = (X + 1) / 2, np.ones((D, n)), np.arange(m)
    for d in range(D):
        _winnow_loop(on[d], X[d, :, 0], order, WINNOW_FACTOR, float(n), W[d])
    scores = W @ ((T + 1) / 2).T
    return np.where(scores > n, 1.0, -1.0)


def least_squares(X: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Fit by minimum-norm least squares."""
    return np.sign(np.round(T @ _minimum_norm(X), 9)[..., 0])  # 0 but for rounding counts as 0


def _minimum_norm(X: np.ndarray) -> np.ndarray:
    """Return the weights w = X+ y of each set, for the labels y in the first column.

    If the rows of X are independent, w = X' a with X X' a = y, much sooner than by singular
    values; who then misses a label by more than rounding has rows that are not.
    """
    y = X[:, :, :1]
    w = np.zeros((len(X), X.shape[2], 1))
    doubtful = np.ones(len(X), dtype=bool)
    if X.shape[1] < X.shape[2]:
        Xt = X.transpose(0, 2, 1)
        with suppress(np.linalg.LinAlgError):
            w = Xt @ np.linalg.solve(X @ Xt, y)
            doubtful = ~(np.abs(X @ w - y).max(axis=(1, 2)) < EXACT)
    if doubtful.any():
        w[doubtful] = np.linalg.pinv(X[doubtful]) @ y[doubtful]
    return w


def nearest_neighbour(X: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Predict the label of the nearest example, the first of equals."""
    points = T.astype(np.float32)  # products of whole numbers are exact
    found = np.empty((len(X), len(T)))
    for d, rows in enumerate(X):  # a set at a time, for the cache's sake
        # On the cube, the largest product is nearest.
        nearest = np.argmax(points @ rows.T.astype(np.float32), axis=1)
        found[d] = rows[nearest, 0]
    return found


LEARNERS: dict[str, Trial] = {
    "perceptron": perceptron,
    "perceptron to convergence": converged_perceptron,
    "winnow": winnow,
    "least squares": least_squares,
}


# ---------------------------------------------------------------- estimating


def error(trial: Trial, n: int, m: int, effort: Effort, rng: np.random.Generator) -> float:
    """Return the share of wrong predictions after m examples."""
    wrong = []
    for start in range(0, effort.draws, 50):  # a part at a time, for the memory's sake
        X = cube(rng, min(50, effort.draws - start), m, n)
        T = cube(rng, effort.points, n)
        wrong.append((trial(X, T) != T[:, 0]).mean(axis=1))
    return float(np.concatenate(wrong).mean())


def first_passage(trial: Trial, n: int, effort: Effort, rng: np.random.Generator) -> int:
    """Return the document's m: the first whose estimated error is at most 0.1."""
    m = 1
    while error(trial, n, m, effort, rng) > THRESHOLD:
        m += 1
    return m


def crossing(trial: Trial, n: int, effort: Effort, rng: np.random.Generator) -> int:
    """Return the smallest m with an error of at most 0.1, by bisection of careful estimates."""
    low, high = 0, 1
    while error(trial, n, high, effort, rng) > THRESHOLD:
        low, high = high, 2 * high
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if error(trial, n, middle, effort, rng) > THRESHOLD:
            low = middle
        else:
            high = middle
    return high


def _rng(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _grid(
    learners: dict[str, Trial], dimensions: tuple[int, ...], runs: int, one: Callable[..., Any]
) -> Iterator[dict[str, Any]]:
    """Call ``one(trial, n, key)`` for each learner, dimension and run, in threads."""
    cells = [
        (name, n, run) for name in learners for n in sorted(dimensions, reverse=True)
        for run in range(runs)
    ]  # fmt: skip
    place = {name: k for k, name in enumerate(learners)}
    tasks = (delayed(one)(learners[name], n, (place[name], n, run)) for name, n, run in cells)
    found = Parallel(n_jobs=-1, prefer="threads")(tasks)
    for (name, n, run), value in zip(cells, found, strict=True):
        line = {"row": f"{name} n={n}", "algorithm": name, "n": n, "run": run}
        yield line | {"quantity": "m", "value": float(value)}


@experiment("figure 23", "figure 24", data=None, runs=20)
def sample_complexity(runs: int, seed: int) -> pd.DataFrame:
    """Examples needed, n = 5 to 100, by the document's first passage; corrected: the crossing."""

    def passage(trial: Trial, n: int, key: tuple[int, ...]) -> int:
        return first_passage(trial, n, LINEAR_EFFORT, _rng(seed, 0, *key))

    def careful(trial: Trial, n: int, key: tuple[int, ...]) -> int:
        return crossing(trial, n, CAREFUL, _rng(seed, 1, *key))

    return pd.concat(
        [
            tidy(_grid(LEARNERS, DIMENSIONS, runs, passage), AS_PRINTED),
            tidy(_grid(LEARNERS, DIMENSIONS, 1, careful), CORRECTED),
        ]
    )


@experiment("figure 23", data=None, runs=10)
def neighbour_complexity(runs: int, seed: int) -> pd.DataFrame:
    """Examples that 1-NN needs: by the document's rule to n = 16, the crossing to n = 22."""

    def passage(trial: Trial, n: int, key: tuple[int, ...]) -> int:
        return first_passage(trial, n, NEIGHBOUR_EFFORT, _rng(seed, 2, *key))

    def careful(trial: Trial, n: int, key: tuple[int, ...]) -> int:
        return crossing(trial, n, Effort(50, 400), _rng(seed, 3, *key))

    learner: dict[str, Trial] = {"1-NN": nearest_neighbour}
    return pd.concat(
        [
            tidy(_grid(learner, NEIGHBOUR_DIMENSIONS, runs, passage), AS_PRINTED),
            tidy(_grid(learner, FAR_NEIGHBOUR_DIMENSIONS, 1, careful), CORRECTED),
        ]
    )


@experiment("figure 23", data=None, runs=1)
def retest(runs: int, seed: int) -> pd.DataFrame:
    """The true error at the m that first passage found: the bias that the document suspects."""
    found = sample_complexity(seed=seed)
    found = found[found["variant"] == AS_PRINTED]
    means = found.groupby(["algorithm", "n"], as_index=False)["value"].mean()

    def rows() -> Iterator[dict[str, Any]]:
        for k, (name, n, mean) in enumerate(means.to_numpy()):
            value = error(LEARNERS[name], n, round(mean), CAREFUL, _rng(seed, 4, k))
            line = {"row": f"{name} n={n}", "algorithm": name, "n": n}
            yield line | {"quantity": "test_error", "value": value}

    return tidy(rows(), CORRECTED)


@experiment("figure 23", data=None, runs=50)
def novikoff(runs: int, seed: int) -> pd.DataFrame:
    """The most mistakes a perceptron made until it converged, against the bound n."""

    def mistakes(n: int, run: int) -> int:
        X = cube(_rng(seed, 6, n, run), 20 * n, n)
        w, order = np.zeros(n + 1), np.arange(len(X))
        room, count, total = np.empty((2, len(X)), dtype=np.intp), 1, 0
        while count > 0:
            count = _perceptron_loop(X, X[:, 0], order, 0.0, w, 0, *room)
            total += count
        return total

    def rows() -> Iterator[dict[str, Any]]:
        for n in DIMENSIONS:
            most = max(mistakes(n, run) for run in range(runs))
            yield {"row": f"n={n}", "n": n, "quantity": "mistakes", "value": float(most)}
            yield {"row": f"n={n}", "n": n, "quantity": "bound", "value": float(n)}

    return tidy(rows())


@experiment("figure 23", data=None, runs=200)
def mistake_probability(runs: int, seed: int) -> pd.DataFrame:
    """Share of mistakes of a perceptron stopped at a random time of m, against the bound n / m."""

    def rows() -> Iterator[dict[str, Any]]:
        for n in (5, 20, 50, 100):
            for factor in (1, 2, 4, 8):
                m, rng = factor * n, _rng(seed, 5, n, factor)
                stops = rng.integers(0, m, runs)
                wrong = [
                    float(np.mean(perceptron(cube(rng, 1, t, n), T)[0] != T[:, 0]))
                    for t in stops
                    for T in [cube(rng, 200, n)]
                ]
                line = {"row": f"n={n} m={m}", "n": n, "m": m}
                yield line | {"quantity": "test_error", "value": float(np.mean(wrong))}
                yield line | {"quantity": "bound", "value": n / m}

    return tidy(rows())
