"""The status page tells what the store holds."""

import pandas as pd

from kernlib.replication import store
from kernlib.report import status


def test_seconds_are_those_of_the_store(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))
    for name, seconds in [("a.b", 1.5), ("a.c", 2.5)]:
        made = pd.DataFrame({"value": [1.0]})
        made.attrs = {"experiment": name, "runs": 3, "seconds": seconds, "twin": False}
        store.stored(name, "data", {}, lambda made=made: made)
    assert status.seconds().to_numpy().tolist() == [["a.c", 3, 2.5], ["a.b", 3, 1.5]]
