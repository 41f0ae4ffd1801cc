"""The benchmarks' arithmetic: ratios, goals, peers that are missing."""

import csv
import importlib.util
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


def module(name, monkeypatch):
    """Import a file of the benchmarks, which are no package."""
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, made)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def side(monkeypatch):
    return module("side_by_side", monkeypatch)


def test_ratio_is_the_median_of_rounds(side):
    median, low, high = side.ratio(np.array([2.0, 8.0, 30.0]), np.array([1.0, 2.0, 3.0]))
    assert median == 4.0
    assert 2.0 <= low <= median <= high <= 10.0


@pytest.mark.parametrize(
    ("sense", "value", "met"),
    [(">=", 5.0, True), (">=", 4.9, False), ("<=", 5.0, True), ("<=", 5.1, False), ("", 1.0, "")],
)
def test_goal_is_met_in_its_sense(side, sense, value, met):
    assert side.goal("case", sense, 5, "s", (value,) * 3)["met"] == met


def test_goal_refuses_unknown_columns(side):
    with pytest.raises(TypeError, match="speed"):
        side.goal("case", "", 0, "s", (1.0,) * 3, speed=3)


def test_a_missing_peer_is_skipped_by_name(side):
    row = side.skipped("case", "river")
    assert row["note"] == "river: not installed, skipped"
    assert math.isnan(row["ratio"])
    assert row["met"] == ""


def test_only_missed_goals_are_profiled(side):
    calls = []
    work = lambda: calls.append(1)  # noqa: E731
    side.explained(side.goal("case", ">=", 1, "x", (2.0,) * 3), work)
    assert calls == []
    row = side.explained(side.goal("case", ">=", 1, "x", (0.5,) * 3, note="first"), work)
    assert calls == [1]
    assert row["note"].startswith("first; time goes to ")


def test_summary_gathers_the_goals_of_all_scripts(side, monkeypatch, tmp_path):
    monkeypatch.setattr(side, "RESULTS", tmp_path)
    run = module("run", monkeypatch)
    for name, value in (("a", 2.0), ("b", 0.5)):
        side.report_goals(name, [side.goal(name, ">=", 1, "x", (value,) * 3)])
    run.gather()
    with (tmp_path / "summary.csv").open(newline="", encoding="utf8") as file:
        lines = list(csv.DictReader(file))
    assert [(line["case"], line["met"]) for line in lines] == [("a", "True"), ("b", "False")]
    assert [path.name for path in tmp_path.iterdir()] == ["summary.csv"]


def test_a_quick_run_leaves_the_recorded_results_alone(monkeypatch):
    monkeypatch.delenv("KERNLIB_BENCH_RESULTS", raising=False)
    monkeypatch.setattr(sys, "argv", ["run.py", "--quick"])
    assert module("side_by_side", monkeypatch).RESULTS == FOLDER / "quick"
    monkeypatch.setattr(sys, "argv", ["run.py"])
    assert module("side_by_side", monkeypatch).RESULTS == FOLDER / "results"


def test_limits_run_first_and_growth_last(side, monkeypatch):
    names = [path.stem for path in module("run", monkeypatch).scripts()]
    assert (names[0], names[-1]) == ("bench_limits", "bench_growth")
    assert sorted(names) == sorted(path.stem for path in FOLDER.glob("bench_*.py"))


def test_what_the_documents_took_stays_in_the_summary(side, monkeypatch, tmp_path):
    monkeypatch.setattr(side, "RESULTS", tmp_path)
    run = module("run", monkeypatch)
    side.report("documents", [side.goal("all documents", "<=", 1, "s", (2.0,) * 3)])
    for value in (2.0, 0.5):
        side.report_goals("a", [side.goal("a", ">=", 1, "x", (value,) * 3)])
        run.gather()
        with (tmp_path / "summary.csv").open(newline="", encoding="utf8") as file:
            lines = list(csv.DictReader(file))
        assert [line["case"] for line in lines] == ["a", "all documents"]
    assert [line["met"] for line in lines] == ["False", "False"]


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
def test_memory_is_that_of_all_processes(side, monkeypatch):
    module("run", monkeypatch)
    documents = module("documents", monkeypatch)
    child = "x = b'1' * 80_000_000; import time; time.sleep(2)"
    monkeypatch.setattr(documents, "POLL", 0.2)
    both = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    most = documents.measured(subprocess.Popen([sys.executable, "-c", both]))
    assert 80 < most < 250
