r"""Document 2's theory on small problems: two regret bounds, the size of a feature map, slips.

Projected online gradient descent with :math:`\eta = \sqrt2\,U/G` has excess at most
:math:`UG\sqrt{8/T}`; without projection, on :math:`\sigma`-strongly convex losses and with
:math:`\eta_t = 1/(\sigma t)`, at most :math:`\frac{G^2}{2\sigma}\frac{\ln(T+1)}{T}`.
Tests: ``tests/replication/test_mirone2023.py``.
"""

from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from kernlib import KernelSVM
from kernlib.kernels import Linear
from kernlib.replication.engine import experiment, seeds, tidy
from kernlib.replication.mirone2023.common import LAMBDAS, STEPS
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED

RUNS = 5
DIMENSION, RADIUS, SIGMA, NOISE = 5, 1.0, 0.1, 0.1
COMPARATOR_STEPS = 2000
N_POINTS = 60


def _stream(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return y x of points in the unit ball, some with the wrong label."""
    X = rng.standard_normal((n, DIMENSION))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1))[:, np.newaxis]
    y = np.where(X[:, 0] > 0, 1.0, -1.0) * np.where(rng.random(n) < NOISE, -1.0, 1.0)
    return X * y[:, np.newaxis]


def _in_ball(w: np.ndarray) -> np.ndarray:
    return np.asarray(w / max(1.0, float(np.linalg.norm(w)) / RADIUS))


def _loss(w: np.ndarray, Z: np.ndarray, sigma: float) -> np.ndarray:
    return np.maximum(0.0, 1.0 - Z @ w) + sigma / 2 * (w @ w)


def _least(Z: np.ndarray, sigma: float) -> float:
    """Return the least mean loss that long sub-gradient descent finds."""
    w, best = np.zeros(DIMENSION), np.inf
    for k in range(1, COMPARATOR_STEPS + 1):
        margins = Z @ w
        value = float(np.mean(np.maximum(0.0, 1.0 - margins)) + sigma / 2 * (w @ w))
        best = min(best, value)
        gradient = sigma * w - (margins < 1) @ Z / len(Z)
        w = w - gradient / (sigma * k) if sigma > 0 else _in_ball(w - gradient / np.sqrt(k))
    return best


def _excess(Z: np.ndarray, sigma: float) -> tuple[float, float]:
    """Return the excess of online gradient descent over the best, and the bound on it."""
    w, total, G = np.zeros(DIMENSION), 0.0, 1.0 if sigma == 0 else 0.0
    for t, z in enumerate(Z, start=1):
        total += float(_loss(w, z[np.newaxis], sigma)[0])
        gradient = sigma * w - (z if z @ w < 1 else 0.0)
        if sigma > 0:
            G = max(G, float(np.linalg.norm(gradient)))
            w = w - gradient / (sigma * t)
        else:
            w = _in_ball(w - np.sqrt(2) * RADIUS / G * gradient / np.sqrt(t))
    T = len(Z)
    bound = G**2 / (2 * sigma) * np.log(T + 1) / T if sigma else RADIUS * G * np.sqrt(8 / T)
    return total / T - _least(Z, sigma), float(bound)


@experiment("equations 1 and 2", data=None, runs=RUNS)
def bounds(runs: int, seed: int) -> pd.DataFrame:
    """Excess of online gradient descent over the best in hindsight, and the two bounds."""
    rows = []
    for run, stream in enumerate(seeds(seed, runs)):
        Z = _stream(np.random.default_rng(stream), STEPS[-1])
        for T in STEPS[:3]:
            for equation, sigma in (("equation 1", 0.0), ("equation 2", SIGMA)):
                for quantity, value in zip(("excess", "bound"), _excess(Z[:T], sigma), strict=True):
                    rows.append({"row": f"{equation}, T = {T}", "quantity": quantity,
                                 "value": value, "run": run})  # fmt: skip
    return tidy(rows)


@experiment("kernel trick", data=None, deterministic=True)
def feature_map(runs: int, seed: int) -> pd.DataFrame:
    """Features of the document's map, counted, by its formula, and without repetitions."""
    rows = []
    for d, n in product((2, 3, 4), (1, 2, 3, 4)):
        counted = sum(1 for k in range(n + 1) for _ in product(range(d), repeat=k))
        distinct = sum(1 for k in range(n + 1) for _ in combinations_with_replacement(range(d), k))
        for quantity, value in (
            ("features", counted),
            ("formula", (d ** (n + 1) - 1) / (d - 1)),
            ("distinct_features", distinct),
        ):
            rows.append({"row": f"d = {d}, n = {n}", "quantity": quantity, "value": float(value)})
    return tidy(rows)


# ---------------------------------------------------------------- slips


def _separable(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.standard_normal((4 * N_POINTS, 2))
    X = X[np.abs(X[:, 0]) > 0.3][:N_POINTS]
    return X, np.where(X[:, 0] > 0, 1, -1)


def _separator_errors(X: np.ndarray, y: np.ndarray) -> int:
    """Return the training errors of a separator that a linear program finds."""
    Z = X * y[:, np.newaxis]
    found = linprog(np.zeros(X.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None))
    return int(np.count_nonzero(Z @ found.x <= 0)) if found.success else len(Z)


@experiment("anomaly 5", data=None, deterministic=True)
def slips(runs: int, seed: int) -> pd.DataFrame:
    """What the theory's slips say, measured on a small separable problem.

    The grid against "lambda > 1"; the two slopes of the hinge where it is called differentiable;
    the sum of the support vectors' coefficients, 1 in a convex combination; the training errors of
    a linear program, although finding a separator is called NP-hard.
    """
    X, y = _separable(np.random.default_rng(seed))
    machine = KernelSVM(kernel=Linear(), C=1e6, fit_intercept=False, tol=1e-6).fit(X, y)
    step = 1e-6
    at = np.maximum(0.0, 1.0 - np.array([1 - step, 1.0, 1 + step]))
    above = sum(float(name) > 1 for name in LAMBDAS)
    values: dict[tuple[str, str], Any] = {
        (AS_PRINTED, "lambdas_above_1"): len(LAMBDAS),
        (CORRECTED, "lambdas_above_1"): above,
        (AS_PRINTED, "jump_of_slope"): 0.0,
        (CORRECTED, "jump_of_slope"): np.ptp(np.diff(at)) / step,
        (AS_PRINTED, "sum_of_coefficients"): 1.0,
        (CORRECTED, "sum_of_coefficients"): np.abs(machine.dual_coef_).sum(),
        (CORRECTED, "errors_of_linear_program"): _separator_errors(X, y),
    }
    return tidy(
        {"variant": variant, "row": "theory", "quantity": quantity, "value": float(value)}
        for (variant, quantity), value in values.items()
    )
