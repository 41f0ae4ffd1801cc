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


# ---------------------------------------------------------------- kernel perceptron


def kernel_perceptron(G: list[Vector], y: list[int], order: list[int], max_iter: int) -> list[list]:
    """Return, for each epoch, the list of (a after the example, was it a mistake)."""
    a = [0] * len(G)
    epochs = []
    for _ in range(max_iter):
        epoch = []
        for i in order:
            score = sum(a[s] * G[s][i] for s in range(len(a)))
            mistake = y[i] * score <= 0
            if mistake:
                a = [*a[:i], a[i] + y[i], *a[i + 1 :]]
            epoch.append((a, mistake))
        epochs.append(epoch)
        if not any(mistake for _, mistake in epoch):
            break
    return epochs


# ---------------------------------------------------------------- perceptron on a budget


class BudgetPerceptron:
    """One-vs-rest on a budget; a cache is a list of entries [age, point, coefficient]."""

    def __init__(
        self, K: Any, n_problems: int, budget: int, policy: str, draws: Any = None
    ) -> None:
        self.K, self.budget, self.policy, self.draws = K, budget, policy, draws
        self.caches: list[list[list]] = [[] for _ in range(n_problems)]
        self.mistakes, self.evictions = [0] * n_problems, [0] * n_problems
        self.n_visits = self.n_entered = 0
        self.damage: Any = 0
        self.shrunk: list[float] = []
        self.closest: Any = math.inf  # the score nearest to 0 of a cache that has entries

    def size(self) -> int:
        return sum(len(cache) for cache in self.caches)

    def coefficients(self, k: int) -> Vector:
        """Return the coefficient of every point in class k."""
        return [sum(a for _, i, a in self.caches[k] if i == j) for j in range(len(self.K))]

    def score(self, k: int, j: int) -> Any:
        row = self.K[j]
        return sum(a * row[i] for _, i, a in self.caches[k])

    def visit(self, t: int, label: int) -> None:
        for k, cache in enumerate(self.caches):
            y = 1 if label == k else -1
            s = self.score(k, t)
            if cache:
                self.closest = min(self.closest, abs(s))
            if y * s <= 0:
                self.mistakes[k] += 1
                if self.policy == "project":
                    self.enter_or_project(t, k, y)
                else:
                    self.enter(t, k, y)
                    if self.size() > self.budget:
                        self.make_room(k)
        self.n_visits += 1

    def enter(self, t: int, k: int, y: int) -> None:
        if self.policy != "oldest":
            for entry in self.caches[k]:
                if entry[1] == t:
                    entry[2] += y
                    return
        self.caches[k].append([self.n_entered, t, y])
        self.n_entered += 1

    def make_room(self, k: int) -> None:
        ages = sorted(entry[0] for cache in self.caches for entry in cache)
        if self.policy == "margin":
            age = self.best_without_itself()
        elif self.policy == "random":
            age = ages[int(self.draws[self.n_visits][k] * self.budget)]
        else:
            age = ages[0]
            self.shrink(age)
        for c, cache in enumerate(self.caches):
            kept = [entry for entry in cache if entry[0] != age]
            self.evictions[c] += len(cache) - len(kept)
            self.caches[c] = kept

    def best_without_itself(self) -> int:
        best = None
        for k, cache in enumerate(self.caches):
            for age, i, a in cache:
                margin = sign(a) * (self.score(k, i) - a * self.K[i][i])
                if best is None or (margin, -age) > best:
                    best = (margin, -age)
        return -best[1]

    def shrink(self, age: int) -> None:
        """Find the largest phi by halving: the damage is below the room before it, not behind."""
        k, i, a = next((k, i, a) for k, c in enumerate(self.caches) for n, i, a in c if n == age)
        sigma, mu = abs(a), sign(a) * self.score(k, i)

        def damage(phi: float) -> float:
            lam = sigma * phi
            return lam**2 + 2 * lam - 2 * lam * (phi * mu)

        room = 15 / 32 * sum(self.mistakes) - self.damage
        low, high = 0.0, 1.0
        if damage(1.0) <= room:
            low = 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if damage(middle) <= room else (low, middle)
        self.damage += damage(low)
        self.shrunk.append(low)
        for cache in self.caches:
            for entry in cache:
                entry[2] *= low

    def enter_or_project(self, t: int, k: int, y: int) -> None:
        points = [i for _, i, _ in self.caches[k]]
        products = [self.K[i][t] for i in points]
        d = solve([[self.K[i][j] for j in points] for i in points], products)
        new = self.K[t][t] - dot(d, products) > 0
        if new and self.size() < self.budget:
            self.enter(t, k, y)
        else:
            for entry, share in zip(self.caches[k], d, strict=True):
                entry[2] += y * share


def solve(A: list[Vector], b: Vector) -> Vector:
    """Solve A x = b by elimination, A positive definite."""
    rows = [[*row, value] for row, value in zip(A, b, strict=True)]
    for i, pivot in enumerate(rows):
        for j, row in enumerate(rows):
            if j != i:
                factor = row[i] / pivot[i]
                rows[j] = [p - factor * q for p, q in zip(row, pivot, strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


# ---------------------------------------------------------------- kernel Pegasos


def kernel_pegasos(
    K: list[Vector],
    y: list[int],
    order: list[int],
    lam: Any,
    slope: Any = hinge_slope,
    c: list | None = None,
    offset: int = 1,
) -> list[Vector]:
    """Return the coefficients of f_1, ..., f_T and, last, of the sum over lam T."""
    sums = [0] * len(y)
    iterates = []
    for t, i in enumerate(order, start=1):
        f = sums if t == offset else times(1 / (lam * (t - offset)), sums)
        iterates.append(f)
        score = dot(f, [K[j][i] for j in range(len(y))])
        pull = (1 if c is None else c[i]) * slope(y[i] * score) * y[i]
        sums = [a + pull if j == i else a for j, a in enumerate(sums)]
    return [*iterates, times(1 / (lam * len(order)), sums)]


# Kernels: values of two rows, and the tally of a matrix


def product(x: Vector, z: Vector) -> float:
    return dot(x, z)


def sq_distance(x: Vector, z: Vector) -> float:
    return sum((a - b) ** 2 for a, b in zip(x, z, strict=True))


def l1_distance(x: Vector, z: Vector) -> float:
    return sum(abs(a - b) for a, b in zip(x, z, strict=True))


def polynomial_value(x: Vector, z: Vector, degree: int, coef0: float, scale: float) -> float:
    value = 1
    for _ in range(degree):
        value *= scale * product(x, z) + coef0
    return value


def polynomial_features(x: Vector, degree: int, coef0: float, scale: float) -> Vector:
    """Return phi(x) with <phi(x), phi(z)> = (scale <x, z> + coef0) ** degree.

    One feature for each way to share the degree among the coordinates and the constant, weighted
    by the root of its multinomial coefficient.
    """
    features = []
    for powers in shares(degree, len(x) + 1):
        weight = math.factorial(degree) * coef0 ** powers[-1] * scale ** sum(powers[:-1])
        value = 1.0
        for a, power in zip(x, powers[:-1], strict=True):
            value *= a**power
        for power in powers:
            weight /= math.factorial(power)
        features.append(math.sqrt(weight) * value)
    return features


def shares(total: int, n_parts: int) -> list[list[int]]:
    """Return all lists of ``n_parts`` numbers from 0 on that add up to ``total``."""
    if n_parts == 1:
        return [[total]]
    return [
        [first, *rest] for first in range(total + 1) for rest in shares(total - first, n_parts - 1)
    ]


def off_diagonal_tally(K: list[Vector], tiny: float) -> tuple[int, int]:
    """Count the zeros and the values below ``tiny`` that are not 0, outside the diagonal."""
    zeros = subnormals = 0
    for i, row in enumerate(K):
        for j, value in enumerate(row):
            if i != j:
                zeros += value == 0
                subnormals += 0 < abs(value) < tiny
    return zeros, subnormals


# ---------------------------------------------------------------- kernel SVM


def smo(
    K: list[Vector], y: list, C: list, tol: float, max_steps: int, intercept: bool
) -> tuple[Vector, Vector, int]:
    """Return beta, E and the number of steps; without intercept a point without kernel is added."""
    n = len(y)
    K = [[*row, 0] for row in K] + [[0] * (n + 1)]
    rest = 0 if intercept else math.inf
    boxes = [(0, c) if label > 0 else (-c, 0) for label, c in zip(y, C, strict=True)]
    boxes.append((-rest, rest))
    beta, E = [0] * (n + 1), [*y, 0]
    for step in range(max_steps):
        up = [k for k in range(n + 1) if beta[k] < boxes[k][1]]
        low = [k for k in range(n + 1) if beta[k] > boxes[k][0]]
        if not up or not low or max(E[k] for k in up) - min(E[k] for k in low) < tol:
            return beta, E, step
        i = max(up, key=lambda k: E[k])
        curvature = [max(K[i][i] + K[k][k] - 2 * K[i][k], 1e-12) for k in range(n + 1)]
        rise = [E[i] - E[k] for k in range(n + 1)]
        partners = [k for k in low if rise[k] > 0]
        j = max(partners, key=lambda k: rise[k] * rise[k] / curvature[k])
        t = min(rise[j] / curvature[j], boxes[i][1] - beta[i], beta[j] - boxes[j][0])
        beta[i] = boxes[i][1] if t == boxes[i][1] - beta[i] else beta[i] + t
        beta[j] = boxes[j][0] if t == beta[j] - boxes[j][0] else beta[j] - t
        E = [E[k] - t * (K[i][k] - K[j][k]) for k in range(n + 1)]
    return beta, E, max_steps


def dual_coordinate_ascent(K: list[Vector], y: list, C: list, passes: int) -> Vector:
    """Return alpha of the SVM without intercept, one coordinate after the other."""
    alpha = [0.0] * len(y)
    for _ in range(passes):
        for i in range(len(y)):
            f = sum(a * b * K[i][j] for j, (a, b) in enumerate(zip(alpha, y, strict=True)))
            if K[i][i] > 0:
                alpha[i] = min(max(alpha[i] + (1 - y[i] * f) / K[i][i], 0.0), C[i])
            else:
                alpha[i] = C[i]
    return alpha


def svm_dual(K: list[Vector], y: list, alpha: Vector) -> Any:
    """Return the sum of alpha minus half of beta K beta."""
    beta = [a * b for a, b in zip(alpha, y, strict=True)]
    return sum(alpha) - dot(beta, [dot(row, beta) for row in K]) / 2


def svm_primal(K: list[Vector], y: list, C: list, alpha: Vector, b: Any) -> Any:
    """Return half of beta K beta plus the sum of C_i times the hinge losses."""
    beta = [a * label for a, label in zip(alpha, y, strict=True)]
    f = [dot(row, beta) for row in K]
    losses = [c * max(0, 1 - label * (s + b)) for c, label, s in zip(C, y, f, strict=True)]
    return dot(beta, f) / 2 + sum(losses)
