"""``kernlib select``: the summary of a search, its table in a file, and a run that goes on."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

from kernlib import commands, training
from kernlib.cli import main
from kernlib.model_selection import summary


@pytest.fixture
def table(tmp_path):
    """Return the path of a small CSV file, sorted by its label column ``y``."""
    X, y = make_classification(200, 4, n_redundant=0, flip_y=0.05, random_state=0)
    order = np.argsort(y, kind="stable")
    frame = pd.DataFrame(X[order], columns=list("abcd")).assign(y=np.where(y == 1, "p", "n")[order])
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def select(capsys, table, *words):
    code = main(["select", *map(str, words), "--data", str(table)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


QUICK = ("pegasos", "--n-steps", "200", "--lam", "0.01", "1")


def test_the_summary_is_that_of_the_library(capsys, table):
    code, out, _ = select(capsys, table, *QUICK, "--cv", "3", "--json")
    frame = pd.read_csv(table)
    expected = training.select(
        "pegasos", frame[list("abcd")].to_numpy(), frame.y.to_numpy(str),
        parameters={"lam": [0.01, 1.0], "n_steps": [200]}, options={"cv": 3},
    )  # fmt: skip
    found = json.loads(out)
    assert code == 0
    assert found["chosen"] == expected.best_params_
    means = summary(expected.table_).drop(columns="seconds")
    pd.testing.assert_frame_equal(pd.DataFrame(found["summary"]).drop(columns="seconds"), means)


def test_text_names_the_choice_and_the_runs(capsys, table, tmp_path):
    words = ("--runs", "2", "--test-size", "0.2", "--out", tmp_path / "fits.csv", "--jobs", "2")
    code, out, _ = select(capsys, table, *QUICK, *words)
    lines = out.splitlines()
    assert code == 0
    assert lines[0].split()[:2] == ["lam", "training_error"]
    assert [line.split()[0] for line in lines[1:3]] == ["0.01", "1.00"]
    assert lines[4].split() == ["run", "lam", "validation_error", "training_error", "test_error"]
    assert lines[-2].startswith("chosen: lam=")
    assert lines[-1] == f"wrote 22 fits to '{tmp_path / 'fits.csv'}'"
    fits = pd.read_csv(tmp_path / "fits.csv")
    assert list(fits.columns[:4]) == ["candidate", "lam", "run", "fold"]
    assert len(fits) == 2 * (2 * 5 + 1)


def test_the_split_of_train_is_the_split_of_select(capsys, table):
    words = ("--cv", "holdout", "--test-size", "0.2", "--json")
    _, out, _ = select(capsys, table, *QUICK, *words)
    found = json.loads(out)
    frame = pd.read_csv(table)
    trained = training.train(
        "pegasos", frame[list("abcd")].to_numpy(), frame.y.to_numpy(str),
        parameters={"lam": [0.01, 1.0], "n_steps": [200]},
    )  # fmt: skip
    assert found["chosen"] == {"lam": trained.parameters["lam"]}
    assert found["runs"][0]["test_error"] == trained.test_error
    errors = [row["validation_error"] for row in found["summary"]]
    assert errors == trained.tuning.validation_error.tolist()


@pytest.mark.parametrize("algorithm", ["perceptron", "winnow", "feature-expanded-perceptron"])
def test_an_algorithm_without_a_grid_is_judged_as_it_is(capsys, table, algorithm):
    code, out, _ = select(capsys, table, algorithm, "--json")
    found = json.loads(out)
    assert (code, found["chosen"], len(found["summary"])) == (0, {}, 1)
    assert found["summary"][0]["fits"] == 5


def test_it_goes_on_where_it_stopped(capsys, table, tmp_path, monkeypatch):
    path = tmp_path / "kept.jsonl"
    words = (*QUICK, "--checkpoint", path)
    _, whole, _ = select(capsys, table, *words)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
    code, out, _ = select(capsys, table, *words)
    assert (code, out) == (0, whole)

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "select", interrupt)
    code, _, err = select(capsys, table, *words)
    assert (code, err) == (1, f"kernlib: stopped; finished fits are kept in '{path}'\n")


def test_another_search_does_not_take_the_checkpoint(capsys, table, tmp_path):
    path = tmp_path / "kept.jsonl"
    select(capsys, table, *QUICK, "--checkpoint", path)
    before = path.read_bytes()
    code, out, err = select(capsys, table, *QUICK, "--checkpoint", path, "--seed", "1")
    assert (code, out) == (1, "")
    assert "must be one of the same experiment" in err
    assert path.read_bytes() == before


def test_nothing_runs_if_the_table_cannot_be_written(capsys, table, tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "select", None)
    for target in (tmp_path / "no" / "t.csv", tmp_path):
        code, _, err = select(capsys, table, *QUICK, "--out", target)
        assert (code, "expected" in err) == (1, True)
    assert sorted(os.listdir(tmp_path)) == ["table.csv"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["svm"], "invalid choice: 'svm'"),
        (["perceptron", "--lam", "1"], "perceptron has no --lam"),
        (["pegasos", "--cv", "many"], "invalid _folds value: 'many'"),
    ],
)
def test_wrong_usage_is_code_2(capsys, table, words, message):
    code, out, err = select(capsys, table, *words)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cv", "1"], "cv must be an integer >= 2"),
        (["--runs", "0"], "n_runs must be an integer >= 1"),
        (["--test-size", "1.5"], "test_size must lie between 0 and 1"),
        (["--lam", "-1"], "lam must be"),
    ],
)
def test_what_makes_no_search_is_code_1(capsys, table, words, message):
    code, out, err = select(capsys, table, "pegasos", "--n-steps", "100", *words)
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err
