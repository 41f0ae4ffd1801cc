"""``kernlib replicate`` and ``kernlib granularity`` as a user meets them."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from kernlib import commands_replication
from kernlib.cli import main
from kernlib.replication import catalogue, engine, store


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path / "store"))
    monkeypatch.delenv("KERNLIB_MILAN", raising=False)


def test_granularity_of_one_rate(capsys):
    assert main(["granularity", "0.2807", "0.2805", "--n", "2000"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == "0.2807: impossible, no whole number of 2000 is printed so"
    assert second == "0.2805: possible, 561 of 2000"


def test_granularity_searches_sizes(capsys):
    rates = [f"{k / 206:.4f}" for k in (8, 13, 9)]
    assert main(["granularity", *rates, "--largest", "400", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sizes"] == [206]
    assert main(["granularity", *rates, "--largest", "400"]) == 0
    assert "up to 400: 206\n" in capsys.readouterr().out


def test_granularity_refuses_words(capsys):
    assert main(["granularity", "many", "--n", "10"]) == 1
    assert "got 'many'" in capsys.readouterr().err


def test_replicate_one_table(tmp_path, capsys):
    folder = tmp_path / "out"
    command = ["replicate", "cologni2024", "perceptron_weights", "--out", str(folder)]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "cologni2024.perceptron_weights: The 11 weights of the perceptron." in out
    assert "on the twin" in out
    card = pd.read_csv(folder / "scorecard.csv")
    assert set(card["verdict"]) == {"twin"}
    assert len(json.loads((folder / "scorecard.json").read_text())) == len(card) == 11
    ours = pd.read_csv(folder / "cologni2024.perceptron_weights.csv")
    assert len(ours) == len(card)


def test_replicate_goes_on_from_what_is_stored(capsys):
    command = ["replicate", "cologni2024", "perceptron_weights", "--json"]
    assert main(command) == 0
    first = capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out == first  # the seconds too: nothing was computed again


def test_replicate_only_fills_the_store(capsys):
    command = ["replicate", "cologni2024", "perceptron_weights", "--only-compute"]
    assert main([*command, "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "1 tables in" in said
    assert "published" not in said
    assert len(list(store.folder().glob("cologni2024.perceptron_weights-*.json"))) == 1


def test_replicate_names_what_failed_and_shows_the_rest(tmp_path, capsys, monkeypatch):
    made = engine.REGISTRY["ashutosh2016.valid_kernels"]

    def fails(**arguments):
        raise ZeroDivisionError("by nothing")

    other = replace(made, name="fails", compute=fails)
    monkeypatch.setattr(catalogue, "experiments", lambda *names: [other, made])
    assert main(["replicate", "ashutosh2016", "--jobs", "1"]) == 1
    captured = capsys.readouterr()
    assert "ashutosh2016.fails failed: ZeroDivisionError: by nothing" in captured.err
    assert "1 of 2 experiments failed (ashutosh2016.fails)" in captured.err
    assert "ashutosh2016.valid_kernels: Smallest eigenvalue" in captured.out


def test_replicate_lists(capsys):
    assert main(["replicate", "cologni2024", "--list", "--json"]) == 0
    names = {e["experiment"] for e in json.loads(capsys.readouterr().out)["experiments"]}
    assert "cologni2024.kernel_pegasos" in names


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["cologni"], "document must be one of"),
        (["cologni2024", "nothing"], "table must be one of"),
        (["cologni2024", "perceptron_weights", "--runs", "0"], "runs must be at least 1"),
        (["cologni2024", "perceptron_weights", "--data", "no.csv"], "no.csv"),
    ],
)
def test_replicate_refuses(words, text, capsys):
    assert main(["replicate", *words]) == 1
    captured = capsys.readouterr()
    assert text in captured.err
    assert "Traceback" not in captured.err


def test_record_needs_the_original_table_and_the_whole_document(capsys, monkeypatch):
    monkeypatch.setattr(commands_replication, "_compute", None)  # refused before anything is run
    assert main(["replicate", "romano2021", "--record"]) == 2
    assert "--record goes with cologni2024 alone" in capsys.readouterr().err
    assert main(["replicate", "cologni2024", "--record"]) == 1
    assert "own table, but it is not here" in capsys.readouterr().err


def test_what_is_recorded_is_shown_beside_the_twin(capsys):
    assert main(["replicate", "cologni2024", "perceptron_weights"]) == 0
    out = capsys.readouterr().out
    assert "recorded on the original table" in out
    assert "exact" in out
