import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from kernlib import Pegasos, Perceptron
from kernlib.learners import products

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_are_those_of_float64(monkeypatch, form, dtype):
    monkeypatch.setattr(products, "BLOCK", 20)
    X = RNG.normal(size=(37, 5)).astype(dtype)
    wide = X.astype(np.float64)
    w, W, a = RNG.normal(size=5), RNG.normal(size=(3, 5)), RNG.normal(size=37)
    np.testing.assert_allclose(products.scores(form(X), w), wide @ w, rtol=1e-12)
    np.testing.assert_allclose(products.scores(form(X), W), wide @ W.T, rtol=1e-12)
    np.testing.assert_allclose(products.combination(form(X), a), wide.T @ a, rtol=1e-11)


@pytest.mark.parametrize(
    "learner",
    [
        Pegasos(n_steps=1000, record_objective=500, random_state=0),
        Pegasos(n_steps=1000, prior=np.ones((1, 51)), random_state=0),
        Pegasos(n_steps=1000, prior=np.ones((1, 51)), project=True, random_state=0),
        Pegasos(n_steps=1000, multi_class="crammer_singer", record_objective=500, random_state=0),
        Perceptron(max_iter=2, predictor="average"),
        Perceptron(max_iter=2, predictor="best"),
    ],
    ids=str,
)
def test_float32_is_not_copied_whatever_the_options(learner):
    X = RNG.normal(size=(40_000, 50)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    learner.fit(X, y)  # compiles
    tracemalloc.start()
    learner.fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.nbytes
    assert learner.coef_.dtype == np.float32
