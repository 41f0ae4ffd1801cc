"""What float32 changes: the comparison itself, and that it speaks of tables that exist."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kernlib.datasets import load_usps
from kernlib.kernels import Linear
from kernlib.replication import catalogue, engine, store
from kernlib.replication.dellaporta2020 import precision
from kernlib.replication.dellaporta2020.common import Cut, Digits


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path / "store"))


def some_digits(each):
    usps = load_usps()
    target = np.asarray(usps.target)
    rows = np.concatenate([np.flatnonzero(target == k)[:each] for k in range(10)])
    return SimpleNamespace(data=np.asarray(usps.data)[rows], target=target[rows], is_twin=False)


def test_predictions_that_differ_are_counted():
    digits = Digits.of(some_digits(2))
    cut = Cut(0, np.arange(15), np.arange(15, 20))

    def work(gram, codes, cut):
        labels = np.arange(6).reshape(2, 3)
        labels[0, : 2 if gram.dtype == np.float64 else 0] = -1
        yield "table", labels
        yield "other", np.zeros(4)

    found = list(precision.compared(digits, cut, {"a": Linear(), "b": Linear()}, [work]))
    assert found == [("table", 6, 2), ("other", 4, 0)] * 2


def test_of_a_sweep_the_ends_are_compared():
    kernels = {str(k): Linear() for k in range(7)}
    assert list(precision.ends(kernels)) == ["0", "6"]
    assert list(precision.ends({"a": Linear()})) == ["a"]


@pytest.mark.slow
def test_every_table_named_exists_and_is_compared():
    catalogue.load()
    found = precision.precision(some_digits(110))
    names = set(found["row"])
    assert {f"dellaporta2020.{name}" for name in names} <= set(engine.REGISTRY)
    wide = found.pivot(index="row", columns="quantity", values="value")
    assert (wide["comparisons"] > 0).all()
    assert (wide["differences"] <= wide["comparisons"]).all()


def test_all_documents_in_a_table(monkeypatch):
    def stored(made, data, **arguments):
        lines = [("t", "comparisons", 10.0), ("t", "differences", 1.0)]
        return pd.DataFrame(lines, columns=["row", "quantity", "value"])

    monkeypatch.setattr(engine.Experiment, "__call__", stored)
    found = catalogue.precision()
    assert list(found.columns) == ["document", "experiment", "comparisons", "differences"]
    assert set(found["document"]) == {"mirone2023", "romano2021", "dellaporta2020"}
    assert set(found["differences"]) == {1}
