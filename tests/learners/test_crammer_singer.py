from fractions import Fraction

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from strategies import LAMBDAS, forms, multiclass_problems, with_constant

from kernlib import Pegasos
from kernlib.learners.crammer_singer import MulticlassRun
from kernlib.learners.scaled import Rule


def make_run(X, codes, lam, *, first=0, c=None, prior=None, radius=np.inf):
    run = MulticlassRun((3, X.shape[1] + 1), Rule(float(lam), 1.0, first), prior)
    run.bind(X, codes, c)
    run.radius = radius
    return run


def weights(learner):
    return np.column_stack([learner.coef_, learner.intercept_])


def objective(W, X, codes, lam, c=None):
    scores = np.column_stack([X, np.ones(len(X))]) @ W.T
    own = scores[np.arange(len(codes)), codes]
    others = np.where(np.eye(W.shape[0])[codes] == 1, -np.inf, scores).max(axis=1)
    return lam / 2 * np.sum(W**2) + np.average(np.maximum(0, 1 + others - own), weights=c)


@pytest.mark.parametrize("form", ["float64", "float32", "csr"])
@pytest.mark.parametrize("batch", [1, 2])
@given(problem=multiclass_problems(), lam=LAMBDAS)
def test_loop_equals_pseudocode(form, batch, problem, lam):
    X, codes, order = problem
    order = order[: len(order) // batch * batch]
    run = make_run(forms(X)[form], codes, lam)
    run.advance(order, batch)
    batches = [order[k : k + batch].tolist() for k in range(0, len(order), batch)]
    w = reference.crammer_singer(with_constant(X), codes.tolist(), batches, lam, 3)[-1]
    expected = [[lam * len(batches) * a for a in row] for row in w]
    assert [[Fraction(a) for a in row] for row in run.v] == expected


@given(problem=multiclass_problems(), lam=LAMBDAS, data=st.data())
def test_loop_with_weights_and_prior_equals_pseudocode(problem, lam, data):
    X, codes, order = problem
    integers = st.integers(0, 3)
    d = X.shape[1] + 1
    c = data.draw(st.lists(integers, min_size=len(X), max_size=len(X)))
    prior = np.array(data.draw(st.lists(integers, min_size=3 * d, max_size=3 * d))).reshape(3, d)
    run = make_run(X, codes, lam, c=np.array(c, dtype=float), prior=prior.astype(float))
    run.advance(order, 1)
    batches = [[i] for i in order.tolist()]
    w = reference.crammer_singer(
        with_constant(X), codes.tolist(), batches, lam, 3, c=c, prior=prior.tolist()
    )[-1]
    expected = [
        [lam * len(batches) * (a - b) for a, b in zip(row, start, strict=True)]
        for row, start in zip(w, prior.tolist(), strict=True)
    ]
    assert [[Fraction(a) for a in row] for row in run.v] == expected


@given(problem=multiclass_problems(), lam=LAMBDAS, radius=st.sampled_from([0.4, 1.3]))
def test_projected_mean_equals_pseudocode(problem, lam, radius):
    X, codes, order = problem
    run = make_run(X, codes, lam, first=1, radius=radius)
    run.advance(order, 1)
    iterates = reference.crammer_singer(
        with_constant(X), codes.tolist(), [[i] for i in order.tolist()], float(lam), 3,
        radius=radius,
    )  # fmt: skip
    np.testing.assert_allclose(
        run.weights(), np.mean(np.array(iterates[:-1], dtype=float), axis=0), rtol=1e-8, atol=1e-8
    )
    run.first = 0
    np.testing.assert_allclose(
        run.weights(), np.array(iterates[-1], dtype=float), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_objective_reaches_liblinear(weighted):
    X, y = load_iris(return_X_y=True)
    X, lam = StandardScaler().fit_transform(X), 0.02
    c = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if weighted else None
    total = c.sum() if weighted else len(y)
    rows = np.repeat(np.arange(len(y)), c.astype(int)) if weighted else np.arange(len(y))
    exact = LinearSVC(
        multi_class="crammer_singer", C=1 / (lam * total), tol=1e-9, max_iter=10**6
    ).fit(X[rows], y[rows])
    learner = Pegasos(
        lam=lam, multi_class="crammer_singer", n_steps=500_000, output="suffix",
        record_objective=500_000, random_state=0,
    ).fit(X, y, sample_weight=c)  # fmt: skip
    best = objective(weights(exact), X, y, lam, c)
    ours = objective(weights(learner), X, y, lam, c)
    assert learner.objective_path_[0, 0] == pytest.approx(ours)
    assert best - 1e-6 <= ours <= best * 1.001


def test_two_classes_give_one_row_and_keep_their_prior():
    X, y = make_classification(100, 5, random_state=0)
    prior = np.arange(6.0)[np.newaxis]
    learner = Pegasos(multi_class="crammer_singer", lam=1e12, prior=prior, n_steps=20).fit(X, y)
    assert learner.coef_.shape == (1, 5)
    np.testing.assert_allclose(weights(learner), prior, atol=1e-9)


def test_classes_that_trade_places_trade_weights():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    options = {"lam": 0.05, "multi_class": "crammer_singer", "n_steps": 300, "random_state": 0}
    one = Pegasos(**options).fit(X, y)
    swapped = Pegasos(**options).fit(X, np.array([1, 0, 2])[y])
    # Ties between rivals (the first of equals) occur at w = 0 alone, and both orders agree after.
    prior = 1e-6 * np.arange(15.0).reshape(3, 5)
    one = Pegasos(prior=prior, **options).fit(X, y)
    swapped = Pegasos(prior=prior[[1, 0, 2]], **options).fit(X, np.array([1, 0, 2])[y])
    np.testing.assert_allclose(weights(one), weights(swapped)[[1, 0, 2]], rtol=1e-9, atol=1e-12)
