from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kernlib.replication import engine, store
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))
    monkeypatch.setattr(engine, "REGISTRY", {})


def numbers(*rows):
    columns = ["row", "quantity", "printed", "std", "runs", "n_examples"]
    return lambda: pd.DataFrame(rows, columns=columns)


def data(twin=False):
    return SimpleNamespace(data=np.eye(2), target=np.array([0, 1]), is_twin=twin)


def test_an_experiment_is_registered_computed_once_and_compared():
    calls = []

    @engine.experiment(
        "figure 1",
        data="usps",
        runs=20,
        published=numbers(("d=1", "test_error", "0.050", None, 1, None)),
    )
    def curve(data, runs, seed):
        """Test error against d."""
        calls.append(runs)
        streams = engine.seeds(seed, runs)
        return engine.tidy(
            {
                "row": "d=1",
                "quantity": "test_error",
                "run": run,
                "value": np.random.default_rng(stream).normal(0.05, 0.001),
            }
            for run, stream in enumerate(streams)
        )

    assert engine.REGISTRY[curve.key] is curve
    assert curve.title == "Test error against d."
    ours = curve(data())
    assert curve(data()).equals(ours)
    assert calls == [20]
    card = engine.scorecard(curve, ours)
    assert list(card["verdict"]) == ["within noise"]
    assert card["runs"][0] == 20
    few = curve(data(), runs=5)
    assert list(engine.scorecard(curve, few)["verdict"]) == ["reduced"]
    # The first runs do not depend on how many follow.
    assert np.array_equal(few["value"], ours["value"][:5])
    assert list(engine.scorecard(curve, curve(data(twin=True)))["verdict"]) == ["twin"]


def test_variants_and_corrected():
    @engine.experiment(
        "table 1",
        data=None,
        deterministic=True,
        published=numbers(
            ("a", "test_error", "0.5", None, 1, 2), ("b", "test_error", "0.3", None, 1, 2)
        ),
    )
    def slip(runs, seed):
        rows = [{"row": r, "quantity": "test_error", "value": 0.5} for r in "ab"]
        wrong = [dict(row, value=0.0) for row in rows]
        return pd.concat(
            [engine.tidy(wrong), engine.tidy(rows, AS_CODED), engine.tidy(wrong, CORRECTED)]
        )

    card = engine.scorecard(slip, slip())
    assert list(card["verdict"]) == ["as the code, not the text", "impossible"]
    assert list(card["variant"]) == [AS_CODED, AS_PRINTED]
    assert list(card["corrected"]) == [0.0, 0.0]


def test_a_published_number_without_ours_is_an_error():
    @engine.experiment("t", data=None, published=numbers(("a", "x", "1", None, 1, None)))
    def nothing(runs, seed):
        return engine.tidy([{"row": "b", "quantity": "x", "value": 1.0}])

    with pytest.raises(ValueError, match="has no x for 'a', which is published"):
        engine.scorecard(nothing, nothing())


def test_columns_and_runs_are_checked():
    @engine.experiment("t", data=None)
    def lacking(runs, seed):
        return pd.DataFrame({"value": [1.0]})

    with pytest.raises(ValueError, match=r"it lacks \['variant', 'row', 'quantity', 'run'\]"):
        lacking()
    with pytest.raises(ValueError, match="runs must be at least 1, got 0"):
        lacking(runs=0)
