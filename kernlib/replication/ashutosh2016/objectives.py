r"""Document 3's other objectives: weighted classes, transfer, many classes; and sparse rows.

Transfer: :math:`\min_w \frac{C}{|D|}\sum_D \ell(y\langle w, x\rangle) + \frac12\|w - w_r\|^2`,
which is Pegasos with the prior :math:`w_r` and :math:`\lambda = 1/C`.
Tests: ``tests/replication/test_ashutosh2016.py``.
"""

import time
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.svm import SVC, LinearSVC

from kernlib.learners.losses import multiclass_hinge
from kernlib.learners.pegasos import Pegasos
from kernlib.replication.ashutosh2016.common import (
    RUNS,
    Rows,
    error,
    hinge,
    over_runs,
    state_of,
    two_clouds,
)
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED

N_RED, N_BLUE, C = 1, 10, 1.0
CS = tuple(10.0**k for k in range(-4, 5))
N_SOURCE, N_OWN, N_TEST, FEATURES, GAP, TURN = 2000, 20, 4000, 20, 3.0, 0.6
OWN_WEIGHTS = (1.0, 10.0, 100.0)
STEPS, FORGET = 20_000, 200
N_CLASSES, N_PER_CLASS, CLASS_LAM, CLASS_STEPS = 4, 50, 0.01, 200_000

LEFT_OUT = {
    "average the weight vectors": "transfer",
    "pool the data with more weight on the target's": "transfer",
    "a Pegasos version of the multiclass SVM": "multiclass",
    "rules for new kernels from old ones": "valid_kernels",
    "sparse vectors": "sparse_rows",
    "projection to the feature space and back": "A remark on what a kernel does; no statement.",
}


# ---------------------------------------------------------------- weighted classes


def _svm(
    X: np.ndarray, y: np.ndarray, C: float, weight: np.ndarray | None = None, tol: float = 1e-7
) -> np.ndarray:
    """Return the minimiser of 1/2 ||w||^2 + C sum of weight times slack, with its intercept."""
    svm = SVC(kernel="linear", C=C, tol=tol).fit(X, y, sample_weight=weight)
    return np.append(svm.coef_[0], svm.intercept_)


def _apart(u: np.ndarray, v: np.ndarray) -> float:
    return float(np.linalg.norm(u - v) / np.linalg.norm(v))


def _one_imbalance(stream: np.random.SeedSequence) -> Rows:
    rng = np.random.default_rng(stream)
    n = N_RED + N_BLUE
    y = np.where(np.arange(n) < N_RED, 1, -1)
    X = rng.standard_normal((n, 2)) + np.outer(y, [0.5, 0.5])
    balanced = np.where(y == 1, n / (2 * N_RED), n / (2 * N_BLUE))
    copies = np.where(y == 1, N_BLUE // N_RED, 1)
    X_more, y_more = np.repeat(X, copies, axis=0), np.repeat(y, copies)
    factor = n / (2 * N_BLUE)
    weighted = _svm(X, y, C, balanced)
    numbers = {
        (AS_PRINTED, "10 copies, the same C"): _apart(_svm(X_more, y_more, C), weighted),
        (CORRECTED, "10 copies, C rescaled"): _apart(_svm(X_more, y_more, factor * C), weighted),
        (CORRECTED, "no weights"): _apart(_svm(X, y, C, tol=1e-3), weighted),
        (AS_PRINTED, "without the 1/2"): _apart(_svm(X, y, C / 2, balanced), weighted),
    }
    options: dict[str, Any] = {"lam": 0.1, "n_steps": 2000, "random_state": state_of(stream)}
    ours = Pegasos(class_weight="balanced", **options).fit(X, y)
    more = Pegasos(**options).fit(X_more, y_more)
    pair = [np.append(learner.coef_[0], learner.intercept_) for learner in (more, ours)]
    numbers[CORRECTED, "10 copies, Pegasos with the same lambda"] = _apart(*pair)
    rows = [
        {"variant": variant, "row": row, "quantity": "distance", "value": value}
        for (variant, row), value in numbers.items()
    ]
    ratio = float(balanced[0] / balanced[-1])
    for quantity, value in (("weight_ratio", ratio), ("factor_of_C", factor)):
        rows.append({"variant": CORRECTED, "row": "balanced weights", "quantity": quantity,
                     "value": value})  # fmt: skip
    return rows


@experiment("section 2.1", data=None, runs=RUNS)
def imbalance(runs: int, seed: int) -> pd.DataFrame:
    """Weighted classes against 10 copies of the rare point: how far apart the solutions are."""
    return tidy(over_runs(_one_imbalance, runs, seed))


# ---------------------------------------------------------------- transfer


def _pegasos(X: np.ndarray, y: np.ndarray, lam: float, **options: Any) -> np.ndarray:
    weight = options.pop("sample_weight", None)
    # At the start w is 1/lam times an example: lam t must grow large for that to be forgotten.
    steps = max(STEPS, round(FORGET / lam))
    learner = Pegasos(lam=lam, n_steps=steps, output="suffix", fit_intercept=False, **options)
    return np.asarray(learner.fit(X, y, sample_weight=weight).coef_[0])


def _one_transfer(stream: np.random.SeedSequence) -> Rows:
    rng = np.random.default_rng(stream)
    toward, aside = np.eye(FEATURES)[:2]
    turned = np.cos(TURN) * toward + np.sin(TURN) * aside
    X_r, y_r = two_clouds(rng, N_SOURCE, toward, GAP)
    X_d, y_d = two_clouds(rng, N_OWN, turned, GAP)
    X_test, y_test = two_clouds(rng, N_TEST, turned, GAP)
    state = state_of(stream)
    w_r = _pegasos(X_r, y_r, 0.01, random_state=state)
    weights = {"source alone": w_r, "own data alone": _pegasos(X_d, y_d, 0.01, random_state=state)}
    for c in CS:
        weights[f"transfer C={c:g}"] = _pegasos(
            X_d, y_d, 1 / c, prior=w_r[np.newaxis], random_state=state
        )
    own = weights["own data alone"]
    weights["average of the weights"] = (w_r + own) / 2
    X_all, y_all = np.concatenate([X_r, X_d]), np.concatenate([y_r, y_d])
    for k in OWN_WEIGHTS:
        c_all = np.repeat([1.0, k], [N_SOURCE, N_OWN])
        weights[f"pooled, own weight {k:g}"] = _pegasos(
            X_all, y_all, 0.01, random_state=state, sample_weight=c_all
        )
    return [
        {"variant": AS_PRINTED, "row": row, "quantity": quantity, "value": value}
        for row, w in weights.items()
        for quantity, value in (
            ("test_error", error(w, X_test, y_test)),
            ("own_hinge_loss", hinge(w, X_d, y_d)),
            ("distance_to_source", _apart(w, w_r)),
        )
    ]


@experiment("section 2.2", data=None, runs=RUNS)
def transfer(runs: int, seed: int) -> pd.DataFrame:
    """Transfer from 2000 examples of a related task to one with 20, by C; and two other ideas."""
    return tidy(over_runs(_one_transfer, runs, seed))


# ---------------------------------------------------------------- many classes


def _clusters(
    rng: np.random.Generator, n_per_class: int, radius: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return points around the corners of a regular polygon, with a constant feature."""
    y = np.repeat(np.arange(N_CLASSES), n_per_class)
    angle = 2 * np.pi * y / N_CLASSES
    X = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.column_stack([X + 0.4 * rng.standard_normal(X.shape), np.ones(len(y))]), y


def _multiclass_objective(W: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    return float(CLASS_LAM / 2 * np.sum(W**2) + np.mean(multiclass_hinge(X @ W.T, y)))


def _one_multiclass(stream: np.random.SeedSequence) -> Rows:
    rng = np.random.default_rng(stream)
    state = state_of(stream)
    options: dict[str, Any] = {
        "lam": CLASS_LAM, "n_steps": CLASS_STEPS, "fit_intercept": False, "random_state": state,
        "output": "suffix",
    }  # fmt: skip
    X, y = _clusters(rng, N_PER_CLASS, 1.5)
    X_test, y_test = _clusters(rng, 10 * N_PER_CLASS, 1.5)
    rest = Pegasos(**options).fit(X, y)
    joint = Pegasos(multi_class="crammer_singer", **options).fit(X, y)
    claims_of = np.count_nonzero(rest.decision_function(X_test) > 0, axis=1)
    exact = LinearSVC(
        multi_class="crammer_singer", C=1 / (CLASS_LAM * len(y)), fit_intercept=False, tol=1e-8,
        max_iter=10**6, random_state=0,
    ).fit(X, y)  # fmt: skip
    least = _multiclass_objective(exact.coef_, X, y)
    X_far, y_far = _clusters(rng, N_PER_CLASS, 6.0)
    far = Pegasos(multi_class="crammer_singer", **options).fit(X_far, y_far)
    scores = far.decision_function(X_far)
    own = scores[np.arange(len(y_far)), y_far]
    scores[np.arange(len(y_far)), y_far] = -np.inf
    numbers = {
        ("one against the rest", "test_error"): np.mean(rest.predict(X_test) != y_test),
        ("one against the rest", "no_class_claims"): np.mean(claims_of == 0),
        ("one against the rest", "several_claim"): np.mean(claims_of > 1),
        ("multiclass SVM", "test_error"): np.mean(joint.predict(X_test) != y_test),
        ("multiclass SVM", "excess_objective"): (
            _multiclass_objective(joint.coef_, X, y) / least - 1
        ),
        ("multiclass SVM, separable", "smallest_margin"): np.min(own - scores.max(axis=1)),
    }
    return [
        {"variant": AS_PRINTED, "row": row, "quantity": quantity, "value": float(value)}
        for (row, quantity), value in numbers.items()
    ]


@experiment("section 2.3", data=None, runs=RUNS)
def multiclass(runs: int, seed: int) -> pd.DataFrame:
    """One against the rest, and the multiclass SVM by the Pegasos step that the note leaves out."""
    return tidy(over_runs(_one_multiclass, runs, seed))


# ---------------------------------------------------------------- sparse rows


@experiment("section 1", data=None)
def sparse_rows(runs: int, seed: int) -> pd.DataFrame:
    """Seconds of 20 passes over documents of 50 words out of 5000, dense and sparse."""
    rng = np.random.default_rng(seed)
    n, words, length = 500, 5000, 50
    columns = np.concatenate([rng.choice(words, length, replace=False) for _ in range(n)])
    values = np.ones(n * length)
    X = sparse.csr_array((values, (np.repeat(np.arange(n), length), columns)), (n, words))
    y = np.where(X @ rng.standard_normal(words) > 0, 1, -1)
    learner = Pegasos(lam=0.01, n_steps=20 * n, sampling="cyclic")
    rows, found = [], []
    for row, made in (("dense", X.toarray()), ("sparse", X)):
        learner.fit(made, y)  # compiled by now
        start = time.thread_time()
        found.append(learner.fit(made, y).coef_)
        spent = time.thread_time() - start
        rows.append({"row": row, "quantity": "seconds", "value": spent})
    apart = float(np.abs(found[0] - found[1]).max())
    return tidy([*rows, {"row": "sparse", "quantity": "distance_to_dense", "value": apart}])
