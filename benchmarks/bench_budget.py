"""The perceptron on a budget against plain Python and step-wise NumPy: 1000 USPS digits, B = 350.

All start from a Gram matrix, the peers' in float64; kernlib's whole ``fit``, which computes it,
is timed beside them.  ``make bench`` runs it, on one thread; ``--quick`` takes 400
digits and one round.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from side_by_side import Row, is_quick, ratio, report, take_turns

from kernlib import BudgetPerceptron
from kernlib.datasets import load_usps
from kernlib.kernels import Polynomial
from kernlib.learners.budget_policies import POLICIES
from kernlib.learners.sampling import _uniform, streams

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
import reference

BUDGET, EPOCHS, SEED = 350, 5, 0
KERNEL = Polynomial(degree=5, coef0=0, scale=1 / 256)  # at most 1, as the Forgetron wants it


def digits(each):
    """Return so many of each digit in random order, and the other ones."""
    X, y = load_usps(return_X_y=True)
    rng = np.random.default_rng(SEED)
    shuffled = rng.permutation(len(y))
    chosen = np.concatenate([shuffled[y[shuffled] == digit][:each] for digit in range(10)])
    train, test = rng.permutation(chosen), np.setdiff1d(np.arange(len(y)), chosen)
    return X[train], y[train], X[test], y[test]


def uniforms(n):
    """Return the numbers that decide the removals of kernlib's ``random``."""
    draws = np.empty((n * EPOCHS, 10))
    _uniform(streams(SEED, 2)[1], draws.reshape(-1))
    return draws


def plain_python(K, y, policy, draws):
    """Run the twin on nested lists; return the coefficients, (10, n)."""
    twin = reference.BudgetPerceptron(K, 10, BUDGET, policy, draws)
    for _ in range(EPOCHS):
        for t, label in enumerate(y):
            twin.visit(t, label)
    return np.array([twin.coefficients(k) for k in range(10)])


class StepwiseNumpy:
    """The scores ``W @ G[:, t]`` at each step, on a float64 Gram matrix."""

    def __init__(self, G, policy, draws):
        self.G, self.policy, self.draws = G, policy, draws
        self.W = np.zeros((10, len(G)))
        self.entries: list[tuple[int, int]] = []  # (class, point), oldest first
        self.alphas: list[float] = []  # the Forgetron's: a point may have several entries
        self.damage, self.n_mistakes = 0.0, 0

    def run(self, y):
        """Go through the examples; return the coefficients, (10, n)."""
        for v in range(EPOCHS * len(y)):
            t = v % len(y)
            s = self.W @ self.G[t]
            for k in range(10):
                sign = 1.0 if y[t] == k else -1.0
                if sign * s[k] <= 0:
                    self.n_mistakes += 1
                    self.enter(t, k, sign)
                    if len(self.entries) > BUDGET:
                        self.remove(self.choice(v, k))
                        s = self.W @ self.G[t]
        return self.W

    def enter(self, t, k, sign):
        if self.policy == "project" and (len(self.entries) == BUDGET or self.W[k, t] != 0):
            points = [i for c, i in self.entries if c == k]
            square = self.G[np.ix_(points, points)]
            self.W[k, points] += sign * np.linalg.solve(square, self.G[points, t])
            return
        if self.policy == "oldest":
            self.alphas.append(sign)
        if self.policy == "oldest" or self.W[k, t] == 0:
            self.entries.append((k, t))
        self.W[k, t] += sign

    def choice(self, v, k):
        if self.policy == "random":
            return int(self.draws[v, k] * BUDGET)
        if self.policy == "oldest":
            self.shrink()
            return 0
        classes, points = np.array(self.entries).T
        used, places = np.unique(points, return_inverse=True)
        F = self.W[:, used] @ self.G[np.ix_(used, used)]
        a = self.W[classes, points]
        return int(np.argmax(np.sign(a) * (F[classes, places] - a * self.G[points, points])))

    def shrink(self):
        (c, i), alpha = self.entries[0], self.alphas[0]
        sigma, mu = abs(alpha), np.sign(alpha) * (self.W[c] @ self.G[i])
        room, a = 15 / 32 * self.n_mistakes - self.damage, sigma**2 - 2 * sigma * mu
        phi = 1.0
        if a + 2 * sigma > room:
            phi = room / (sigma + np.sqrt(max(0.0, sigma**2 + a * room)))
            self.W *= phi
            self.alphas = [phi * alpha for alpha in self.alphas]
        self.damage += (a * phi + 2 * sigma) * phi

    def remove(self, place):
        c, i = self.entries.pop(place)
        self.W[c, i] = self.W[c, i] - self.alphas.pop(0) if self.policy == "oldest" else 0.0


def compare(policy, data, rounds) -> list[Row]:
    """Time kernlib and its peers in turns; return a row for each peer."""
    X, y, X_test, y_test = data
    G, draws, labels = KERNEL(X), uniforms(len(y)), y.tolist()
    lists, numbers = G.tolist(), draws.tolist()
    options = {"budget": BUDGET, "policy": policy, "max_iter": EPOCHS, "random_state": SEED}
    learner = BudgetPerceptron(kernel=KERNEL, **options)
    on_gram = BudgetPerceptron(kernel="precomputed", **options)
    contestants = {
        "kernlib": lambda: on_gram.fit(G, y),
        "whole fit": lambda: learner.fit(X, y),
        "step-wise NumPy": lambda: StepwiseNumpy(G, policy, draws).run(y),
    }
    if policy != "project":  # whose twin solves a system by elimination at every mistake: unfair
        contestants["plain Python"] = lambda: plain_python(lists, labels, policy, numbers)
    seconds = take_turns(contestants, rounds)
    values = KERNEL(X_test, X)
    rows: list[Row] = []
    for peer in list(contestants)[2:]:
        W = contestants[peer]()
        ours = np.zeros_like(W)
        ours[:, on_gram.support_] = on_gram.dual_coef_
        median, low, high = ratio(seconds[peer], seconds["kernlib"])
        rows.append(
            {
                "policy": policy,
                "peer": peer,
                "ratio": median,
                "low": low,
                "high": high,
                "ratio_of_whole_fit": ratio(seconds[peer], seconds["whole fit"])[0],
                "kernlib_seconds": float(np.median(seconds["kernlib"])),
                "whole_fit_seconds": float(np.median(seconds["whole fit"])),
                "peer_seconds": float(np.median(seconds[peer])),
                "kernlib_error": float(np.mean(on_gram.predict(values) != y_test)),
                "whole_fit_error": float(np.mean(learner.predict(X_test) != y_test)),
                "peer_error": float(np.mean((values @ W.T).argmax(axis=1) != y_test)),
                "largest_difference": float(np.abs(ours - W).max()),
                "mistakes": int(on_gram.n_mistakes_.sum()),
                "evictions": int(on_gram.n_evictions_.sum()),
            }
        )
    return rows


def main() -> None:
    each, rounds = (40, 1) if is_quick(__doc__) else (100, 3)
    data = digits(each)
    report("budget", [row for policy in POLICIES for row in compare(policy, data, rounds)])


if __name__ == "__main__":
    main()
