import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, make_classification

from kernlib import training
from kernlib.kernels import Gaussian, Linear, Polynomial
from kernlib.preprocessing import DropOutliers
from kernlib.replication import published
from kernlib.training import (
    ALGORITHMS,
    fingerprint,
    kernels,
    make_estimator,
    split_rows,
    train,
)


@pytest.fixture(scope="module")
def data():
    return make_classification(500, 5, flip_y=0.1, random_state=0)


def test_split_is_the_documents_shuffle():
    fit_rows, test_rows = split_rows(10, 31415)
    rows = np.arange(10).reshape(10, 1)
    np.random.seed(31415)  # noqa: NPY002 - the documents' own way
    np.random.shuffle(rows)  # noqa: NPY002
    assert np.concatenate([fit_rows, test_rows]).tolist() == rows[:, 0].tolist()
    assert (len(fit_rows), len(test_rows)) == (8, 2)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_trains_and_is_reproducible(data, algorithm):
    X, y = data
    quick = {"n_steps": [500]} if "n_steps" in ALGORITHMS[algorithm].fixed else {}
    quick |= {name: values[:2] for name, values in ALGORITHMS[algorithm].grid.items()}
    one, other = (train(algorithm, X, y, parameters=quick) for _ in range(2))
    assert (one.training_error, one.test_error) == (other.training_error, other.test_error)
    assert 0 <= one.test_error < 0.6
    grid = ALGORITHMS[algorithm].grid
    if grid:
        assert len(one.tuning) == 2 ** len(grid)
    learner = one.model.named_steps["learn"]
    for name in grid:
        assert one.parameters[name] in quick[name]
        assert getattr(learner, name) == one.parameters[name]


def test_kernels_are_every_combination():
    found = kernels(["poly", "linear", "rbf"], degree=[2, 4], coef0=[0.0], gamma=[0.5])
    assert found == [
        Polynomial(degree=2, coef0=0.0), Polynomial(degree=4, coef0=0.0), Linear(), Gaussian(0.5)
    ]  # fmt: skip


def test_kernels_that_are_none_are_refused():
    with pytest.raises(ValueError, match=r"kernel must be one of linear, poly, .*; got 'cubic'"):
        kernels(["cubic"])
    with pytest.raises(ValueError, match="no kernel of linear has a gamma"):
        kernels(["linear"], gamma=[1.0])


def test_errors_are_those_of_the_split(data):
    X, y = data
    result = train("perceptron", X, y, seed=3, remove_outliers=True)
    fit_rows, test_rows = split_rows(len(y), 3)
    assert isinstance(result.model, DropOutliers)
    assert result.training_error == np.mean(result.model.predict(X[fit_rows]) != y[fit_rows])
    assert result.test_error == np.mean(result.model.predict(X[test_rows]) != y[test_rows])


def test_the_test_rows_are_used_for_nothing_else(data):
    X, y = data
    _, test_rows = split_rows(len(y), 31415)
    poisoned = X.copy()
    poisoned[test_rows] = 1e9
    one, other = (
        train("pegasos", A, y, parameters={"n_steps": [300], "lam": [0.1, 1.0]})
        for A in (X, poisoned)
    )
    assert one.parameters == other.parameters
    assert one.training_error == other.training_error


def test_one_value_is_used_and_several_are_tried(data):
    X, y = data
    fixed = train("pegasos", X, y, parameters={"lam": [0.5], "n_steps": [100]})
    assert fixed.tuning is None
    assert fixed.parameters == {"lam": 0.5, "n_steps": 100}
    tried = train("pegasos", X, y, parameters={"lam": [0.5, 5.0], "n_steps": [100]})
    assert tried.tuning.lam.tolist() == [0.5, 5.0]


def test_fingerprint_sees_every_change(data):
    X, y = data
    same = fingerprint(X.copy(), y.copy())
    assert fingerprint(X, y) == same
    changed = X.copy()
    changed[3, 2] = np.nextafter(changed[3, 2], 9)
    assert fingerprint(changed, y) != same
    assert fingerprint(X, 1 - y) != same


def test_an_expansion_too_large_is_refused_before_it_is_made(monkeypatch):
    X, y = load_digits(return_X_y=True)
    monkeypatch.setattr(training, "MOST_BYTES", 2**20)
    with pytest.raises(ValueError, match=r"degree 2 must fit into .* 1797 rows of 2210 columns"):
        train("feature-expanded-perceptron", X, y)


def test_an_unknown_algorithm_is_named():
    with pytest.raises(ValueError, match=r"algorithm must be one of perceptron, .*; got 'svm'"):
        make_estimator("svm")


# ---------------------------------------------------------------- Cologni (2024), the real table


def printed_weights(name):
    return pd.to_numeric(published.table(f"cologni2024_{name}")["weight"])


def test_perceptron_of_the_document(milan):
    result = train("perceptron", *milan)
    assert (result.training_error, result.test_error) == (0.322625, 0.326)
    learner = result.model.named_steps["learn"]
    ours = np.append(learner.coef_, learner.intercept_)
    expected = printed_weights("perceptron_weights")
    assert [f"{a:.8f}" for a in ours] == [f"{a:.8f}" for a in expected]


def test_expanded_perceptron_of_the_document(milan):
    result = train("feature-expanded-perceptron", *milan)
    assert (result.training_error, result.test_error) == (0.085375, 0.087)
    ours = result.model.named_steps["learn"].coef_[0]
    expected = printed_weights("perceptron_poly2_weights")
    assert [f"{a:.8e}" for a in ours] == [f"{a:.8e}" for a in expected]


@pytest.mark.parametrize(
    ("scaling", "error"), [("none", 0.507), ("normalize", 0.482), ("standardize", 0.326)]
)
def test_scaling_row_of_the_document(milan, scaling, error):
    assert train("perceptron", *milan, scaling=scaling).test_error == error
