"""Many experiments at once: the same tables, whatever the number of workers."""

import itertools
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kernlib.replication import catalogue, engine, store, workers

QUICK = (
    "cologni2024.perceptron_weights",
    "cologni2024.draws_out_of_range",
    "mirone2023.slots",
    "ashutosh2016.valid_kernels",
    "romano2021.kernel_trick",
    "dellaporta2020.granularity",
)


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path / "store"))
    monkeypatch.delenv("KERNLIB_MILAN", raising=False)
    catalogue.load()


def quick():
    return [engine.REGISTRY[key] for key in QUICK]


def broken():
    """Return a Milan table that no experiment can work with."""
    return {"milan": SimpleNamespace(data=np.zeros((2, 1)), target=np.array([1, -1]))}


def test_outcomes_come_in_the_order_asked_for_and_are_told_as_they_come():
    told = []
    found = workers.compute_all(quick(), jobs=1, done=told.append)
    assert [outcome.experiment.key for outcome in found] == list(QUICK)
    assert told == found
    assert all(outcome.error == "" for outcome in found)
    assert len(list(store.folder().glob("*.json"))) == len(QUICK)


def test_one_that_fails_is_named_and_the_others_are_kept():
    found = workers.compute_all(quick(), jobs=1, data=broken())
    errors = {outcome.experiment.key: outcome.error for outcome in found}
    assert "Error" in errors.pop("cologni2024.perceptron_weights")
    assert set(errors.values()) == {""}
    assert len(list(store.folder().glob("*.json"))) == len(QUICK) - 1


def test_no_workers_are_refused():
    with pytest.raises(ValueError, match="jobs must be at least 1, got 0"):
        workers.compute_all(quick(), jobs=0)


def test_expected_seconds_are_of_experiments_that_exist():
    assert set(workers.SECONDS) <= set(engine.REGISTRY)


def tables(folder, monkeypatch, **options):
    monkeypatch.setenv(store.VARIABLE, str(folder))
    found = workers.compute_all(quick(), **options)
    assert all(outcome.error == "" for outcome in found)
    files = sorted(path.name for path in folder.glob("*.json"))
    return files, {made.key: made(seed=options.get("seed", 0)) for made in quick()}


@pytest.mark.slow
def test_workers_change_no_table(tmp_path, monkeypatch):
    files, alone = tables(tmp_path / "one", monkeypatch, jobs=1, seed=3)
    files_of_two, together = tables(tmp_path / "two", monkeypatch, jobs=2, seed=3)
    assert files_of_two == files
    for key in QUICK:
        pd.testing.assert_frame_equal(alone[key], together[key], check_exact=True)


@pytest.mark.slow
def test_a_worker_names_its_failure_and_goes_on():
    found = workers.compute_all(quick(), jobs=2, data=broken())
    errors = {outcome.experiment.key: outcome.error for outcome in found}
    assert "Error" in errors.pop("cologni2024.perceptron_weights")
    assert set(errors.values()) == {""}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_the_workers_and_keeps_what_is_done(tmp_path):
    folder = tmp_path / "kept"
    environment = os.environ | {store.VARIABLE: str(folder)}
    command = [sys.executable, "-m", "kernlib", "replicate", "ashutosh2016", "--jobs", "2"]
    running = subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not list(folder.glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)  # the workers hold the pipe: they have ended too
    assert running.returncode == 1
    assert "finished tables are kept" in said
    assert "Traceback" not in said
    for path in folder.glob("*.json"):
        store.loads(path.read_bytes())


def test_streaming_experiments_are_kept_apart():
    everything = catalogue.experiments()
    order = workers.in_turn(everything)
    assert sorted(made.key for made in order) == sorted(made.key for made in everything)
    places = [k for k, made in enumerate(order) if made.key in workers.STREAMING]
    assert len(places) == len(workers.STREAMING)
    assert places[0] == 0
    for here, after in itertools.pairwise(places):
        between = sum(map(workers.expected_seconds, order[here + 1 : after]))
        assert between > 0 or after == len(order) - 1
        # The work in between takes another worker about as long as the streaming one.
        longest = max(map(workers.expected_seconds, order[here + 1 :]))
        assert abs(between - workers.expected_seconds(order[here])) <= longest
    rest = [workers.expected_seconds(m) for m in order if m.key not in workers.STREAMING]
    assert rest == sorted(rest, reverse=True)
