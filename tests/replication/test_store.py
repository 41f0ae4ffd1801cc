import multiprocessing
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlib.replication import store


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path / "store"))


def table(seed=0):
    rng = np.random.default_rng(seed)
    made = pd.DataFrame(
        {
            "row": ["a b", "ü", "", "d"],
            "value": [*rng.normal(size=2), np.nan, 1e-300],
            "run": [1, 2, 3, 2**53],
            "flag": [True, False, True, True],
        }
    )
    made.attrs = {"seconds": 0.5, "twin": False}
    return made


def test_a_result_is_computed_once():
    calls = []

    def compute():
        calls.append(1)
        return table()

    first = store.stored("t", "data", {"runs": 3}, compute)
    again = store.stored("t", "data", {"runs": 3}, compute)
    assert len(calls) == 1
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    assert again.attrs == first.attrs


@pytest.mark.parametrize(
    ("name", "data", "arguments"),
    [("u", "data", {"runs": 3}), ("t", "other", {"runs": 3}), ("t", "data", {"runs": 4})],
)
def test_another_input_is_another_result(name, data, arguments):
    store.stored("t", "data", {"runs": 3}, table)
    other = store.stored(name, data, arguments, lambda: table(1))
    assert other["value"][0] != table()["value"][0]


def test_changed_sources_or_packages_are_another_result(monkeypatch):
    before = store.key("t", "data", {})
    with monkeypatch.context() as patch:
        patch.setattr(store, "sources_hash", lambda: "changed")
        assert store.key("t", "data", {}) != before
    with monkeypatch.context() as patch:
        patch.setattr(store, "environment", lambda: {"numpy": "0"})
        assert store.key("t", "data", {}) != before
    assert store.key("t", "data", {}) == before


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=20))
def test_floats_survive_to_the_bit(values):
    made = pd.DataFrame({"x": np.array(values, dtype=np.float64)})
    again = store.loads(store.dumps(made))
    assert np.array_equal(made["x"].to_numpy(), again["x"].to_numpy(), equal_nan=True)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 0}', b'{"format": 1}'])
def test_a_damaged_file_is_computed_again(damage):
    store.stored("t", "data", {}, table)
    (path,) = store.folder().iterdir()
    path.write_bytes(damage)
    got = store.stored("t", "data", {}, lambda: table(1))
    assert got["value"][0] == table(1)["value"][0]
    assert store.loads(path.read_bytes())["value"][0] == table(1)["value"][0]


def test_a_failed_computation_stores_nothing():
    with pytest.raises(ZeroDivisionError):
        store.stored("t", "data", {}, lambda: 1 / 0)
    assert not store.folder().exists() or not list(store.folder().iterdir())


def write_many(count):
    for k in range(count):
        store.stored("t", str(k), {}, lambda k=k: table(k))


def test_two_processes_share_a_folder():
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=write_many, args=(30,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    files = list(store.folder().iterdir())
    assert len(files) == 30
    for path in files:
        store.loads(path.read_bytes())


def slowly(folder):
    def compute():
        with (folder / "computed").open("a") as file:
            file.write("x")
        time.sleep(0.3)
        return table()

    store.stored("t", "data", {}, compute)


def test_what_one_process_computes_another_waits_for(tmp_path):
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=slowly, args=(tmp_path,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (tmp_path / "computed").read_text() == "x"
    assert [path.suffix for path in store.folder().iterdir()] == [".json"]
