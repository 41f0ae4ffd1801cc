"""The twin by itself, and against the real table where that is at hand."""

from itertools import product

import numpy as np
import pytest
from scipy.special import factorial
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from kernlib import Pegasos, Perceptron
from kernlib.datasets import make_milan_twin
from kernlib.datasets.twin import label_score, parameters

N_DRAWS = 60


def numbers(value):
    if isinstance(value, dict):
        value = value.values()
    return [value] if isinstance(value, float) else [x for part in value for x in numbers(part)]


def test_model_is_small():
    assert len(numbers(parameters())) == 53


def test_shape_and_facts():
    twin = make_milan_twin(seed=3)
    assert twin.data.shape == (10_000, 10)
    assert twin.data.dtype == np.float64
    assert twin.target.dtype == np.int64
    assert twin.feature_names == [f"x{j}" for j in range(1, 11)]
    assert twin.is_twin
    assert not twin.is_original
    assert "not the table" in twin.DESCR
    assert 0.47 < np.mean(twin.target == 1) < 0.53
    X, y = make_milan_twin(seed=3, return_X_y=True)
    np.testing.assert_array_equal(X, twin.data)
    np.testing.assert_array_equal(y, twin.target)


def test_seed_decides():
    first, again, other = (make_milan_twin(50, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.data, again.data)
    assert first.sha256 == again.sha256
    assert not np.isin(first.data, other.data).any()
    assert first.sha256 != other.sha256
    assert first.sha256 != make_milan_twin(51, seed=1).sha256


def test_structure_of_features():
    x1, _, x3, x4, x5, x6, *_, x10 = make_milan_twin().data.T
    assert x1.min() > 0
    assert x4.max() <= 0
    assert np.abs(x5).max() <= 1
    assert np.abs(x6).max() <= 1
    for noise in (x3 - 99.9 + x6, x10 + 55.5 - x6):
        assert abs(noise.mean()) < 0.005
        assert abs(noise.std() - 0.1) < 0.004
        assert abs(np.corrcoef(noise, x6)[0, 1]) < 0.05


def cubic(X):
    """The label rule once more, written out."""
    x1, x2, _, x4, x5, x6, x7, x8, x9, _ = X.T
    return x2 * x9 - x1 * x4 * x8 / 2 + x5 + x7 / 4 - x6 / 2 - 3 / 2


def test_labels_have_no_noise():
    twin = make_milan_twin()
    np.testing.assert_allclose(label_score(twin.data), cubic(twin.data), atol=1e-12)
    np.testing.assert_array_equal(np.sign(cubic(twin.data)), twin.target)


@pytest.mark.parametrize("n", [0, -1, 2.5, "10", True])
def test_wrong_size(n):
    with pytest.raises(ValueError, match=r"n must be an integer >= 1 .* got "):
        make_milan_twin(n)


def test_label_rule_is_exact_on_the_table(milan):
    assert np.sum(np.sign(label_score(milan.data)) != milan.target) == 0


@pytest.fixture(scope="module")
def twins():
    return [make_milan_twin(seed=seed, return_X_y=True) for seed in range(N_DRAWS)]


def moments(X, y):
    """Means, standard deviations and correlations, the label as an eleventh column."""
    table = np.column_stack([X, y])
    correlations = np.corrcoef(table.T)[np.tril_indices(11, -1)]
    return np.concatenate([table.mean(axis=0), table.std(axis=0), correlations])


def test_moments_agree_with_the_table(milan, twins):
    drawn = np.array([moments(X, y) for X, y in twins])
    # The table is one draw more, if the model holds; 4 s.d. leave room for 77 comparisons.
    spread = drawn.std(axis=0, ddof=1) * np.sqrt(1 + 1 / N_DRAWS)
    z = (moments(milan.data, milan.target) - drawn.mean(axis=0)) / spread
    assert np.abs(z).max() < 4
    assert np.sqrt(np.mean(z**2)) < 1.2


KERNEL_PERCEPTRON = {
    "degree-3 kernel perceptron": lambda seed: Perceptron(max_iter=10, fit_intercept=False)
}
LEARNERS = {
    "perceptron": lambda seed: Perceptron(max_iter=20),
    "pegasos": lambda seed: Pegasos(lam=0.1, n_steps=100_000, random_state=seed),
    "logistic": lambda seed: Pegasos(lam=0.1, loss="logistic", n_steps=100_000, random_state=seed),
}


def cubic_kernel_map(X):
    """Return features whose inner product is (2 + <x, x'>)^3: document 1's kernel, with its 1."""
    Z = np.column_stack([np.full(len(X), np.sqrt(2.0)), X])
    cubes = PolynomialFeatures((3, 3), include_bias=False).fit(Z)
    counts = factorial(3) / factorial(cubes.powers_).prod(axis=1)
    return cubes.transform(Z) * np.sqrt(counts)


def test_the_cubic_map_gives_the_kernel():
    X = np.random.default_rng(0).normal(size=(6, 4))
    features = cubic_kernel_map(X)
    np.testing.assert_allclose(features @ features.T, (2 + X @ X.T) ** 3)


def split_error(X, y, order, degree, learner):
    """Return the test error in points after training on the first 80 % of ``order``."""
    train, test = np.split(order, [int(0.8 * len(order))])
    scaler = StandardScaler().fit(X[train])
    X = scaler.transform(X)
    X = cubic_kernel_map(X) if degree == 3 else PolynomialFeatures(degree).fit_transform(X)[:, 1:]
    learner.fit(X[train], y[train])
    return 100 * np.mean(learner.predict(X[test]) != y[test])


# In its feature space the degree-3 kernel perceptron is a perceptron, which the library has.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "degree"), [*product(LEARNERS, [1, 2]), ("degree-3 kernel perceptron", 3)]
)
def test_errors_agree_with_the_table(milan, twins, name, degree, record_property):
    def errors(problems):
        return np.array(
            [
                split_error(
                    X,
                    y,
                    np.random.default_rng(k).permutation(len(y)),
                    degree,
                    (LEARNERS | KERNEL_PERCEPTRON)[name](k),
                )
                for k, (X, y) in enumerate(problems)
            ]
        )

    on_table = errors([(milan.data, milan.target)] * N_DRAWS)
    on_twins = errors(twins)
    difference = on_table.mean() - on_twins.mean()
    error = np.sqrt((on_table.var(ddof=1) + on_twins.var(ddof=1)) / N_DRAWS)
    summary = f"table {on_table.mean():.2f}, twins {on_twins.mean():.2f}, s.e. {error:.2f} points"
    record_property("errors", summary)
    print(name, degree, summary)
    assert abs(difference) < 2 + 2 * error, summary
    # A spread that large would let anything pass.
    assert error < 2
