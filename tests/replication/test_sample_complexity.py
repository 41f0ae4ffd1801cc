import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

from kernlib import Perceptron, Winnow
from kernlib.replication import claims, published, store
from kernlib.replication.dellaporta2020 import (
    claims_part2,  # noqa: F401 - registers claims
    growth,
    sample_complexity,
)

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(sample_complexity, "DIMENSIONS", (5, 10, 20))
    monkeypatch.setattr(sample_complexity, "NEIGHBOUR_DIMENSIONS", (2, 4, 6))
    monkeypatch.setattr(sample_complexity, "FAR_NEIGHBOUR_DIMENSIONS", (2, 4, 6, 8))
    monkeypatch.setattr(sample_complexity, "CAREFUL", sample_complexity.Effort(40, 100))


def sets(D=6, m=9, n=7, N=50):
    return sample_complexity.cube(RNG, D, m, n), sample_complexity.cube(RNG, N, n)


def test_perceptron_is_the_librarys():
    X, T = sets()
    got = sample_complexity.perceptron(X, T)
    for d in range(len(X)):
        if len(set(X[d, :, 0])) == 2:
            learner = Perceptron(max_iter=1, fit_intercept=False).fit(X[d], X[d, :, 0])
            assert np.array_equal(got[d], np.sign(learner.decision_function(T)))


def test_winnow_is_the_librarys():
    X, T = sets(m=12)
    got = sample_complexity.winnow(X, T)
    for d in range(len(X)):
        if len(set(X[d, :, 0])) == 2:
            learner = Winnow(max_iter=1, threshold=X.shape[2]).fit((X[d] + 1) / 2, X[d, :, 0])
            assert np.array_equal(got[d], learner.predict((T + 1) / 2))


def test_least_squares_is_scikit_learns():
    X, T = sets()
    got = sample_complexity.least_squares(X, T)
    for d in range(len(X)):
        fit = LinearRegression(fit_intercept=False).fit(X[d], X[d, :, 0])
        assert np.array_equal(got[d], np.sign(np.round(fit.predict(T), 9)))


def test_nearest_neighbour_is_as_near_as_scikit_learns():
    X, T = sets(n=30)
    got = sample_complexity.nearest_neighbour(X, T)
    for d in range(len(X)):
        near = KNeighborsClassifier(1, algorithm="brute").fit(X[d], X[d, :, 0])
        distance, _ = near.kneighbors(T)
        ties = (np.linalg.norm(T[:, None] - X[d], axis=2) <= distance + 1e-9).sum(axis=1) > 1
        assert np.array_equal(got[d][~ties], near.predict(T)[~ties])


def test_the_crossing_is_where_the_error_crosses():
    trial, rng = sample_complexity.least_squares, np.random.default_rng(1)
    m = sample_complexity.crossing(trial, 20, sample_complexity.CAREFUL, rng)
    careful = sample_complexity.Effort(2000, 200)
    below = sample_complexity.error(trial, 20, m + 2, careful, rng)
    above = sample_complexity.error(trial, 20, m - 2, careful, rng)
    assert below < sample_complexity.THRESHOLD < above


def test_runs_do_not_depend_on_how_many_follow(few):
    one = sample_complexity.sample_complexity(runs=1)
    two = sample_complexity.sample_complexity(runs=2)
    first = two[(two["run"] == 0)].reset_index(drop=True)
    pd.testing.assert_frame_equal(one, first, check_exact=True)


@pytest.mark.parametrize("law", growth.LAWS)
def test_a_law_is_found_again(law):
    n = np.arange(5.0, 101.0, 5.0)
    make, start = growth.LAWS[law]
    parameters = np.array([1.7, 0.9])[: len(start)]
    means = pd.Series(make(n, *parameters), index=n)
    found = growth.laws(means)
    top = found[found["aic"] <= found["aic"][0] + 3]  # a law with a spare parameter may tie
    assert law in set(top["law"])
    again, _ = growth.fit_law(law, n, means.to_numpy())
    assert np.allclose(again, parameters, rtol=1e-4)


def test_slope_has_an_interval_around_it():
    rng = np.random.default_rng(0)
    rows = [
        {"n": n, "run": run, "value": 1.5 * n + rng.normal(0, 0.1 * n)}
        for n in range(5, 60, 5)
        for run in range(12)
    ]
    found = growth.slope(pd.DataFrame(rows), "a n")
    assert found["low"] < found["value"] < found["high"]
    assert found["low"] < 1.5 < found["high"]


def test_mistakes_never_exceed_novikoffs_bound(few):
    table = sample_complexity.novikoff(runs=3)
    wide = table.pivot(index="n", columns="quantity", values="value")
    assert (wide["mistakes"] <= wide["bound"]).all()


def test_claims_of_part_two_are_dealt_with():
    ids = [c for c in published.claims("dellaporta2020")["id"] if int(c[1:]) >= 59]
    assert all(("dellaporta2020", c) in claims.REGISTRY for c in ids)
