"""The algorithms in plain Python: slow, obvious, the oracle of the compiled loops.

Written from the pseudocode in the docstrings and nothing else; imports nothing from kernlib.
Numbers are what the caller passes: with ``fractions.Fraction`` every result is exact.
"""

import math
from collections.abc import Sequence
from typing import Any

Vector = list[Any]


def dot(u: Sequence, v: Sequence) -> Any:
    return sum(a * b for a, b in zip(u, v, strict=True))


def plus(u: Vector, factor: Any, v: Sequence) -> Vector:
    return [a + factor * b for a, b in zip(u, v, strict=True)]


def times(factor: Any, v: Vector) -> Vector:
    return [factor * a for a in v]


def mean(vectors: list[Vector]) -> Vector:
    return [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]


def part_of(n: int, like: Any) -> Any:
    """Return 1/n, as the kind of number that ``like`` is."""
    return 1 / (n + 0 * like)


def sign(a: Any) -> int:
    return (a > 0) - (a < 0)


# ---------------------------------------------------------------- perceptron


def perceptron(X: list[Vector], y: list[int], order: list[int], max_iter: int) -> list[list]:
    """Return, for each epoch, the list of (w after the example, was it a mistake)."""
    w = [0] * len(X[0])
    epochs = []
    for _ in range(max_iter):
        epoch = []
        for i in order:
            mistake = y[i] * dot(w, X[i]) <= 0
            if mistake:
                w = plus(w, y[i], X[i])
            epoch.append((w, mistake))
        epochs.append(epoch)
        if not any(mistake for _, mistake in epoch):
            break
    return epochs


def voted_score(epochs: list[list], x: Vector) -> Any:
    """Return the mean of sgn<w, x> over w after every example."""
    signs = [sign(dot(w, x)) for epoch in epochs for w, _ in epoch]
    return sum(signs) / len(signs)


def best_epoch(epochs: list[list], X: list[Vector], y: list[int]) -> Vector:
    """Return the w that ended the epoch with the fewest training errors, the first of equals."""
    ends = [epoch[-1][0] for epoch in epochs]
    return min(
        ends,
        key=lambda w: sum((dot(w, x) > 0) != (label > 0) for x, label in zip(X, y, strict=True)),
    )


# ---------------------------------------------------------------- Winnow


def winnow(
    X: list[Vector], y: list[int], order: list[int], alpha: Any, threshold: Any, max_iter: int
) -> tuple[Vector, list[int]]:
    """Return w and the mistakes of each epoch; features are 0 or 1."""
    w = [1] * len(X[0])
    mistakes = []
    for _ in range(max_iter):
        count = 0
        for i in order:
            guess = 1 if dot(w, X[i]) > threshold else -1
            if guess != y[i]:
                count += 1
                factor = alpha if y[i] == 1 else 1 / alpha
                w = [a * factor if on == 1 else a for a, on in zip(w, X[i], strict=True)]
        mistakes.append(count)
        if count == 0:
            break
    return w, mistakes


# ---------------------------------------------------------------- Pegasos


def hinge_slope(m: Any) -> int:
    return 1 if m < 1 else 0


def logistic_slope(m: float) -> float:
    return 1 / (1 + math.exp(m)) if m < 700 else 0.0


def into_ball(w: Vector, centre: Vector, radius: float) -> Vector:
    away = plus(w, -1, centre)
    norm = math.sqrt(dot(away, away))
    return w if norm <= radius else plus(centre, radius / norm, away)


def pegasos(
    X: list[Vector],
    y: list[int],
    batches: list[list[int]],
    lam: Any,
    slope: Any = hinge_slope,
    c: list | None = None,
    prior: Vector | None = None,
    radius: float | None = None,
) -> list[Vector]:
    """Return the iterates w_1, ..., w_{T+1}, one batch a step."""
    prior = prior if prior is not None else [0] * len(X[0])
    w = prior
    iterates = [w]
    for t, batch in enumerate(batches, start=1):
        eta = 1 / (lam * t)
        gradient = times(lam, plus(w, -1, prior))
        for i in batch:
            weight = 1 if c is None else c[i]
            pull = weight * slope(y[i] * dot(w, X[i])) * y[i]
            gradient = plus(gradient, -pull * part_of(len(batch), lam), X[i])
        w = plus(w, -eta, gradient)
        if radius is not None:
            w = into_ball(w, prior, radius)
        iterates.append(w)
    return iterates


def crammer_singer(
    X: list[Vector],
    y: list[int],
    batches: list[list[int]],
    lam: Any,
    n_classes: int,
    c: list | None = None,
    prior: list[Vector] | None = None,
    radius: float | None = None,
) -> list[list[Vector]]:
    """Return the iterates, each one vector a class; y holds 0, 1, ..."""
    prior = prior if prior is not None else [[0] * len(X[0]) for _ in range(n_classes)]
    w = prior
    iterates = [w]
    for t, batch in enumerate(batches, start=1):
        eta = 1 / (lam * t)
        gradient = [times(lam, plus(a, -1, b)) for a, b in zip(w, prior, strict=True)]
        for i in batch:
            scores = [dot(a, X[i]) for a in w]
            rivals = [k for k in range(n_classes) if k != y[i]]
            rival = max(rivals, key=lambda k: scores[k])
            if scores[y[i]] - scores[rival] < 1:
                share = (1 if c is None else c[i]) * part_of(len(batch), lam)
                gradient[y[i]] = plus(gradient[y[i]], -share, X[i])
                gradient[rival] = plus(gradient[rival], share, X[i])
        w = [plus(a, -eta, b) for a, b in zip(w, gradient, strict=True)]
        if radius is not None:
            flat = into_ball([a for v in w for a in v], [a for v in prior for a in v], radius)
            w = [flat[k * len(X[0]) : (k + 1) * len(X[0])] for k in range(n_classes)]
        iterates.append(w)
    return iterates


# ---------------------------------------------------------------- objectives


def hinge_objective(
    w: Vector, X: list[Vector], y: list[int], lam: Any, c: list, prior: Vector
) -> Any:
    """Return lam/2 ||w - prior||^2 + sum of c_i [1 - y_i <w, x_i>]_+ / sum of c_i."""
    away = plus(w, -1, prior)
    losses = [k * max(0, 1 - b * dot(w, x)) for x, b, k in zip(X, y, c, strict=True)]
    return lam * dot(away, away) / 2 + sum(losses) / sum(c)
