r"""Document 3's two algorithms, its slips, and which functions of dot products are kernels.

Algorithm 1 goes through the examples in order, 20 times; the step is
:math:`w \leftarrow (1 - 1/t)\,w + 1[y_j\langle w, x_j\rangle < 1]\,y_i x_i/(\lambda t)`, printed
with an i where j is meant.  Algorithm 2 counts the violations of each example and divides by
:math:`\lambda(t-1)`, which is 0 at t = 1.  Tests: ``tests/replication/test_ashutosh2016.py``.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.svm import LinearSVC

from kernlib.datasets import make_rings
from kernlib.kernels import Exponential, Gaussian, Linear, Polynomial
from kernlib.learners.kernel_pegasos import KernelPegasos
from kernlib.learners.pegasos import Pegasos
from kernlib.learners.sampling import VisitingOrder, streams
from kernlib.replication.ashutosh2016.common import (
    RUNS,
    Rows,
    error,
    objective,
    over_runs,
    state_of,
    two_clouds,
)
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED

PASSES = 20
N, FEATURES, GAP, LAM = 200, 5, 2.0, 0.01
N_RINGS, KERNEL_LAM, KERNEL_STEPS = 100, 0.01, 2000


def algorithm_1(
    X: np.ndarray, y: np.ndarray, lam: float, *, passes: int = PASSES, threshold: float = 1.0,
    constant_step: bool = False, added: int | None = None,
) -> np.ndarray:  # fmt: skip
    """Run Algorithm 1; ``added`` is the example that its i stands for, None for the j meant."""
    w = np.zeros(X.shape[1])
    total = passes * len(y)
    for t in range(1, total + 1):
        j = (t - 1) % len(y)
        eta = 1 / (lam * (total if constant_step else t))
        below = y[j] * (X[j] @ w) < threshold
        w = (1 - eta * lam) * w
        if below:
            i = j if added is None else added
            w = w + eta * y[i] * X[i]
    return w


def _one_cyclic(stream: np.random.SeedSequence) -> Rows:
    rng = np.random.default_rng(stream)
    X, y = two_clouds(rng, N, np.ones(FEATURES), GAP)
    X_test, y_test = two_clouds(rng, 10 * N, np.ones(FEATURES), GAP)
    svm = LinearSVC(loss="hinge", C=1 / (LAM * N), fit_intercept=False, tol=1e-6, max_iter=10**6)
    best = svm.fit(X, y).coef_[0]
    options: dict[str, Any] = {"lam": LAM, "n_steps": PASSES * N, "fit_intercept": False}
    cyclic = Pegasos(sampling="cyclic", **options).fit(X, y).coef_[0]
    by_class = np.argsort(y, kind="stable")
    plain = algorithm_1(X, y, LAM)
    weights = {
        "exact SVM": best,
        "algorithm 1": plain,
        "random draws": Pegasos(random_state=state_of(stream), **options).fit(X, y).coef_[0],
        "sorted by class": algorithm_1(X[by_class], y[by_class], LAM),
        "threshold 0": algorithm_1(X, y, LAM, threshold=0.0),
        "constant step": algorithm_1(X, y, LAM, constant_step=True),
    }
    least = objective(best, X, y, LAM)
    slip = algorithm_1(X, y, LAM, added=N - 1)  # an i left over from reading the data
    rows = [
        {"variant": variant, "row": name, "quantity": quantity, "value": value}
        for variant, name, w in [
            (AS_PRINTED, "algorithm 1", slip),
            *((CORRECTED, name, w) for name, w in weights.items()),
        ]
        for quantity, value in (
            ("excess_objective", objective(w, X, y, LAM) / least - 1),
            ("test_error", error(w, X_test, y_test)),
        )
    ]
    distance = float(np.abs(plain - cyclic).max() / np.abs(cyclic).max())
    return [*rows, {"variant": CORRECTED, "row": "algorithm 1",
                    "quantity": "distance_to_kernlib", "value": distance}]  # fmt: skip


@experiment("algorithm 1", data=None, runs=RUNS)
def cyclic(runs: int, seed: int) -> pd.DataFrame:
    """Algorithm 1 after its 20 passes: how far above the least objective, and its test error."""
    return tidy(over_runs(_one_cyclic, runs, seed))


# ---------------------------------------------------------------- algorithm 2


def algorithm_2(
    K: np.ndarray, y: np.ndarray, order: np.ndarray, lam: float, zero_score: bool
) -> np.ndarray:
    """Run Algorithm 2 and return beta; at t = 1 the score is 0, or else 0/0 as printed."""
    beta = np.zeros(len(y))
    for t, j in enumerate(order, start=1):
        total = np.sum(beta * y * K[:, j])
        with np.errstate(invalid="ignore"):
            score = 0.0 if zero_score and t == 1 else total / np.float64(lam * (t - 1))
        if y[j] * score < 1:
            beta[j] += 1
    return beta


def _one_kernel_pegasos(stream: np.random.SeedSequence) -> Rows:
    state = state_of(stream)
    X, y = make_rings(N_RINGS, noise=0.3, seed=state)
    order = VisitingOrder(np.arange(N_RINGS), "replacement", streams(state, 1)[0])
    visits = order.take(KERNEL_STEPS)
    K = Gaussian(gamma=1.0)(X)
    scale = KERNEL_LAM * KERNEL_STEPS
    beta = {zero: algorithm_2(K, y, visits, KERNEL_LAM, zero) for zero in (False, True)}
    options: dict[str, Any] = {
        "lam": KERNEL_LAM, "n_steps": KERNEL_STEPS, "random_state": state, "gram_dtype": "float64",
    }  # fmt: skip
    coef = {}
    for offset in (0, 1):
        learner = KernelPegasos(kernel=Gaussian(gamma=1.0), offset=offset, **options).fit(X, y)
        coef[offset] = np.zeros(N_RINGS)
        coef[offset][learner.support_] = learner.dual_coef_[0]
    del options["gram_dtype"]
    w = Pegasos(fit_intercept=False, **options).fit(X, y).coef_[0]
    dual = KernelPegasos(kernel="linear", gram_dtype="float64", **options).fit(X, y)
    same = dual.dual_coef_[0] @ dual.support_vectors_
    scores = {zero: K @ (b * y) / scale for zero, b in beta.items()}
    first = {z: algorithm_2(K, y, visits[:1], KERNEL_LAM, z).sum() for z in (False, True)}
    numbers = {
        (AS_PRINTED, "first_draw_counted"): first[False],
        (CORRECTED, "first_draw_counted"): first[True],
        (AS_PRINTED, "violations"): beta[False].sum(),
        (CORRECTED, "violations"): beta[True].sum(),
        (AS_PRINTED, "training_error"): np.mean(y * scores[False] <= 0),
        (CORRECTED, "training_error"): np.mean(y * scores[True] <= 0),
        (CORRECTED, "distance_to_kernlib"): np.abs(beta[True] * y / scale - coef[1]).max(),
        (CORRECTED, "alpha_of_kernlib_not_whole"): _off_whole(coef[1] * scale),
        (CORRECTED, "distance_to_linear_pegasos"): np.abs(same - w).max() / np.abs(w).max(),
        ("factor 1/(lam t)", "violations"): np.abs(coef[0]).sum() * scale,
        ("factor 1/(lam t)", "training_error"): np.mean(y * (K @ coef[0]) <= 0),
    }
    return [
        {"variant": variant, "row": "algorithm 2", "quantity": quantity, "value": float(value)}
        for (variant, quantity), value in numbers.items()
    ]


def _off_whole(values: np.ndarray) -> float:
    return float(np.abs(values - np.round(values)).max())


@experiment("algorithm 2", data=None, runs=RUNS)
def kernel_pegasos(runs: int, seed: int) -> pd.DataFrame:
    """Algorithm 2 with 0/0 at its first step, with 0 instead, and with 1/(lam t)."""
    return tidy(over_runs(_one_kernel_pegasos, runs, seed))


# ---------------------------------------------------------------- kernels


def _smallest_eigenvalue(K: np.ndarray) -> float:
    found = np.linalg.eigvalsh((K + K.T) / 2)
    return float(found[0] / np.abs(found).max())


@experiment("section 3", data=None, deterministic=True)
def valid_kernels(runs: int, seed: int) -> pd.DataFrame:
    """Smallest eigenvalue over the largest: below 0 a function of dot products is no kernel."""
    X = np.random.default_rng(seed).standard_normal((40, 3))
    P = X @ X.T
    square, bell, line = Polynomial(degree=2), Gaussian(gamma=0.5), Linear()
    values = {
        "dot product": P,
        "(1 + dot product)^2": square(X),
        "exp(dot product)": np.exp(P),
        "gaussian": bell(X),
        "exponential": Exponential(gamma=0.5)(X),
        "sum of kernels": (square + bell)(X),
        "product of kernels": (square * bell)(X),
        "3 times a kernel": (bell * 3.0)(X),
        "minus the dot product": -P,
        "dot product - 1": P - 1,
        "(dot product - 1)^2": (P - 1) ** 2,
        "tanh(dot product)": np.tanh(P),
        "sine of the dot product": np.sin(P),
        "difference of kernels": bell(X) - line(X),
    }
    return tidy(
        {"row": row, "quantity": "smallest_eigenvalue", "value": _smallest_eigenvalue(K)}
        for row, K in values.items()
    )
