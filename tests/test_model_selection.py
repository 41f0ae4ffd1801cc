import numpy as np
import pytest
from sklearn.datasets import make_classification

from kernlib import Pegasos, Perceptron
from kernlib.model_selection import error_rate, holdout_table
from kernlib.preprocessing import prepare


@pytest.fixture(scope="module")
def data():
    return make_classification(200, 6, flip_y=0.2, random_state=0)


def test_every_combination_is_fitted_on_the_first_rows(data):
    X, y = data
    grid = {"lam": [0.01, 1.0], "n_steps": [10, 100]}
    table = holdout_table(Pegasos(random_state=0), grid, X, y)
    assert len(table) == 4
    for _, row in table.iterrows():
        alone = Pegasos(lam=row.lam, n_steps=int(row.n_steps), random_state=0)
        alone.fit(X[:150], y[:150])
        assert row.validation_error == error_rate(alone, X[150:], y[150:])
        assert row.training_error == error_rate(alone, X[:150], y[:150])
    best = table.loc[table.validation_error.idxmin()]
    assert table.attrs["best"] == {"lam": best.lam, "n_steps": best.n_steps}


def test_the_first_of_equals_is_best(data):
    X, y = data
    table = holdout_table(Perceptron(), {"max_iter": [3, 3, 2]}, X, y)
    first = int(np.argmin(table.validation_error))
    assert table.attrs["best"]["max_iter"] == table.max_iter[first]


def test_nothing_of_the_validation_rows_enters_the_fit(data):
    X, y = data
    poisoned = X.copy()
    poisoned[150:] = 1e6
    model = prepare(Perceptron(), scaling="standardize")
    one = holdout_table(model, {"learn__max_iter": [5]}, X, y)
    other = holdout_table(model, {"learn__max_iter": [5]}, poisoned, y)
    assert one.training_error.tolist() == other.training_error.tolist()


def test_progress_sees_every_combination(data):
    X, y = data
    seen = []

    def watch(items):
        for item in items:
            seen.append(item)
            yield item

    holdout_table(Perceptron(), {"max_iter": [1, 2, 3]}, X, y, progress=watch)
    assert seen == [{"max_iter": 1}, {"max_iter": 2}, {"max_iter": 3}]


def test_the_share_is_checked(data):
    with pytest.raises(ValueError, match=r"share must lie between 0 and 1, got 1.5"):
        holdout_table(Perceptron(), {"max_iter": [1]}, *data, share=1.5)
