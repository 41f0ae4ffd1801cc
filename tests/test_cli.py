"""The command line as a user types it: output, exit codes, and nothing half written."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

from kernlib import cli, commands, training
from kernlib.cli import main
from kernlib.persistence import load_model, save_model


@pytest.fixture
def table(tmp_path):
    """Return the path of a small CSV file with a label column ``y``."""
    X, y = make_classification(300, 4, n_redundant=0, flip_y=0.05, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=np.where(y == 1, "yes", "no"))
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def kernlib(capsys, *words):
    """Run the command line in this process; return exit code, output and remarks."""
    code = main([str(word) for word in words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def errors_in(text):
    return [float(line.rsplit(" ", 1)[1]) for line in text.splitlines()]


def test_the_lists_of_the_parser_are_those_of_the_library():
    assert tuple(training.ALGORITHMS) == cli.ALGORITHMS
    known = {name for a in training.ALGORITHMS.values() for name in a.learner().get_params()}
    assert set(cli.HYPERPARAMETERS) <= known


def test_train_then_run_prints_the_errors_of_the_split(capsys, table, tmp_path):
    model = tmp_path / "p.model"
    code, out, _ = kernlib(capsys, "train", "perceptron", model, "--data", table)
    assert (code, out) == (0, f"stored '{model}'\n")
    code, out, _ = kernlib(capsys, "run", model)
    frame = pd.read_csv(table)
    expected = training.train("perceptron", frame[list("abcd")].to_numpy(), frame.y.to_numpy(str))
    assert code == 0
    assert out == (
        f"training error for predictor saved at '{model}': {expected.training_error:.10g}\n"
        f"test error for predictor saved at '{model}': {expected.test_error:.10g}\n"
    )


def test_run_takes_split_and_preprocessing_from_the_file(capsys, table, tmp_path):
    model = tmp_path / "p.model"
    options = ("--preprocess", "normalize", "--seed", "7", "--remove-outliers")
    kernlib(capsys, "train", "perceptron", model, "--data", table, *options)
    _, out, _ = kernlib(capsys, "run", model)
    frame = pd.read_csv(table)
    expected = training.train(
        "perceptron", frame[list("abcd")].to_numpy(), frame.y.to_numpy(str),
        seed=7, scaling="normalize", remove_outliers=True,
    )  # fmt: skip
    expected_errors = [expected.training_error, expected.test_error]
    assert errors_in(out) == pytest.approx(expected_errors, abs=1e-9)


def test_training_without_parameters_tunes_and_shows_the_table(capsys, table, tmp_path):
    words = ("train", "pegasos", tmp_path / "m", "--data", table)
    code, out, _ = kernlib(capsys, *words)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[:3]] == ["lam", "0.0001", "0.0010"]
    assert "validation_error" in out.splitlines()[0]
    assert "chosen: lam=" in out
    code, out, _ = kernlib(capsys, *words, "--lam", "0.5", "--n-steps", "100")
    assert "validation_error" not in out
    code, out, _ = kernlib(capsys, *words, "--lam", "0.5", "5", "--n-steps", "100")
    assert len(out.splitlines()) == 5


@pytest.mark.parametrize("algorithm", cli.ALGORITHMS)
def test_every_algorithm_survives_the_file(capsys, table, tmp_path, algorithm):
    known = training.ALGORITHMS[algorithm].learner().get_params()
    quick = ["--n-steps", "200", "--lam", "0.1"] if "n_steps" in known else []
    quick += ["--kernel", "poly"] if "kernel" in known else []
    model = tmp_path / "m"
    code, out, _ = kernlib(capsys, "train", algorithm, model, "--data", table, "--json", *quick)
    assert code == 0
    trained = json.loads(out)
    code, out, _ = kernlib(capsys, "run", model, "--json")
    assert json.loads(out)["errors"] == {
        "training": trained["training_error"],
        "test": trained["test_error"],
    }


def test_kernels_on_the_command_line(capsys, table, tmp_path):
    words = ["train", "kernelized-perceptron", tmp_path / "m", "--data", table, "--json"]
    code, out, _ = kernlib(capsys, *words, "--kernel-degree", "2", "3", "--coef0", "0")
    assert code == 0
    kernels = [row["kernel"] for row in json.loads(out)["tuning"]]
    assert kernels == [f"Polynomial(degree={n}, coef0=0.0, scale=1.0)" for n in (2, 3)]
    code, out, _ = kernlib(capsys, *words, "--gamma", "0.5")
    assert json.loads(out)["parameters"] == {"kernel": "Gaussian(gamma=0.5)"}
    code, _, err = kernlib(capsys, *words, "--kernel", "linear", "--gamma", "1")
    assert (code, "no kernel of linear has a gamma" in err) == (1, True)
    code, _, err = kernlib(capsys, "train", "pegasos", tmp_path / "m", "--gamma", "1")
    assert (code, "pegasos has no --gamma" in err) == (2, True)


def test_predict_prints_or_writes_labels(capsys, table, tmp_path):
    model, rows = tmp_path / "m", tmp_path / "rows.csv"
    kernlib(capsys, "train", "perceptron", model, "--data", table)
    pd.read_csv(table).drop(columns="y").to_csv(rows, index=False)
    code, out, _ = kernlib(capsys, "predict", model, rows)
    labels = out.splitlines()
    assert code == 0
    assert labels[0] == "prediction"
    assert len(labels) == 301
    assert set(labels[1:]) == {"yes", "no"}
    code, out, _ = kernlib(capsys, "predict", model, table, "--output", tmp_path / "labels.csv")
    assert (tmp_path / "labels.csv").read_text().splitlines() == labels
    code, out, _ = kernlib(capsys, "predict", model, rows, "--json")
    assert json.loads(out)["predictions"] == labels[1:]


def test_run_on_other_data_gives_one_error(capsys, table, tmp_path):
    model, other = tmp_path / "m", tmp_path / "other.csv"
    kernlib(capsys, "train", "perceptron", model, "--data", table)
    pd.read_csv(table).iloc[:50].to_csv(other, index=False)
    code, out, _ = kernlib(capsys, "run", model, "--data", other)
    assert code == 0
    assert out.startswith("other.csv error for predictor saved at")
    assert len(out.splitlines()) == 1


def test_run_notices_that_its_data_changed(capsys, table, tmp_path):
    model = tmp_path / "m"
    kernlib(capsys, "train", "perceptron", model, "--data", table)
    pd.read_csv(table).iloc[:-1].to_csv(table, index=False)
    code, out, err = kernlib(capsys, "run", model)
    assert (code, out) == (1, "")
    assert "was trained on table.csv, expected its values again" in err


def test_target_names_the_label_column(capsys, table, tmp_path):
    frame = pd.read_csv(table).rename(columns={"y": "kind"})
    frame.to_csv(table, index=False)
    code, _, err = kernlib(capsys, "train", "perceptron", tmp_path / "m", "--data", table)
    assert code == 1
    assert "must be one of y, label, target, got the columns a, b, c, d, kind" in err
    words = ("train", "perceptron", tmp_path / "m", "--data", table, "--target", "kind")
    assert kernlib(capsys, *words)[0] == 0
    assert kernlib(capsys, "run", tmp_path / "m")[0] == 0


def test_voted_models_say_that_they_hold_rows(capsys, table, tmp_path):
    words = ("train", "perceptron", tmp_path / "m", "--data", table, "--predictor", "voted")
    assert "holds rows of its training data" in kernlib(capsys, *words)[1]


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "svm", "m"], "invalid choice: 'svm'"),
        (["train", "perceptron"], "the following arguments are required: MODEL"),
        (["train", "perceptron", "m", "--colour", "red"], "unrecognized arguments: --colour"),
        (["train", "perceptron", "m", "--lam", "1"], "perceptron has no --lam; it has --max-iter"),
        (["train", "pegasos", "m", "--lam", "big"], "invalid float value: 'big'"),
        (["data", "add", "moon", "f"], "expected nothing or: add milan FILE"),
        (["fly"], "invalid choice: 'fly'"),
    ],
)
def test_wrong_usage_is_code_2(capsys, words, message):
    code, out, err = kernlib(capsys, *words)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "must be a CSV file with a header"),
        ("a,y\n", "must have rows below its header, got none"),
        ("a,y\nred,1\nblue,2\n", "column 'a' of"),
        ("a,y\n1,0\n,1\n", "must hold finite numbers, got missing or infinite ones"),
        ("a,y\n1,\n2,1\n", "1 labels are missing"),
        ("a,y\n1,0\n2,0\n3,0\n4,0\n5,0\n", "needs at least 2 classes"),
        ("a,y,label\n1,0,1\n", "must be one of y, label, target"),
    ],
)
def test_wrong_tables_are_code_1(capsys, tmp_path, content, message):
    (tmp_path / "t.csv").write_text(content)
    words = ("train", "perceptron", tmp_path / "m", "--data", tmp_path / "t.csv")
    code, out, err = kernlib(capsys, *words)
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "m").exists()


def test_missing_and_foreign_files_are_code_1(capsys, table, tmp_path):
    code, _, err = kernlib(capsys, "run", tmp_path / "none")
    assert code == 1
    code, _, err = kernlib(capsys, "run", table)
    assert code == 1
    assert "Traceback" not in err
    code, _, err = kernlib(capsys, "train", "perceptron", tmp_path / "m", "--data", "nowhere.csv")
    assert (code, "there is no file 'nowhere.csv'" in err) == (1, True)


def test_a_model_that_cannot_be_written_is_not_trained(capsys, table, tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "train", None)
    for target in (tmp_path / "no" / "m", tmp_path):
        code, _, err = kernlib(capsys, "train", "perceptron", target, "--data", table)
        assert (code, "expected" in err) == (1, True)


def test_a_model_from_python_is_not_one_of_train(capsys, table, tmp_path):
    kernlib(capsys, "train", "perceptron", tmp_path / "m", "--data", table)
    model, _ = load_model(tmp_path / "m")
    save_model(tmp_path / "bare", model)
    code, _, err = kernlib(capsys, "run", tmp_path / "bare")
    assert (code, "expected a file written by 'kernlib train'" in err) == (1, True)


def test_interruption_leaves_the_old_model(capsys, table, tmp_path, monkeypatch):
    model = tmp_path / "m"
    kernlib(capsys, "train", "perceptron", model, "--data", table)
    before = model.read_bytes()

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "train", interrupt)
    code, _, err = kernlib(capsys, "train", "perceptron", model, "--data", table)
    assert (code, "stopped" in err) == (1, True)
    assert model.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["m", "table.csv"]


@pytest.mark.slow
def test_ctrl_c_in_a_real_process(table, tmp_path):
    words = ["train", "pegasos", tmp_path / "m", "--data", table, "--n-steps", "1000000000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "kernlib", *map(str, words), "--verbose"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert "300 rows" in process.stderr.readline()
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in err
    assert sorted(os.listdir(tmp_path)) == ["table.csv"]


# ---------------------------------------------------------------- data


def test_data_lists_the_sets_with_their_source(capsys):
    code, out, _ = kernlib(capsys, "data")
    assert code == 0
    for name in ("usps", "mnist", "milan"):
        assert name in out.lower()
    code, out, _ = kernlib(capsys, "data", "--json")
    assert len(json.loads(out)["data"]) >= 3


@pytest.mark.usefixtures("milan")
def test_milan_on_the_command_line(capsys, tmp_path):
    """With the documents' table the printed errors are the documents'."""
    for algorithm, errors in (
        ("perceptron", ("0.322625", "0.326")),
        ("feature-expanded-perceptron", ("0.085375", "0.087")),
    ):
        model = tmp_path / algorithm
        assert kernlib(capsys, "train", algorithm, model)[0] == 0
        _, out, _ = kernlib(capsys, "run", model)
        assert out == (
            f"training error for predictor saved at '{model}': {errors[0]}\n"
            f"test error for predictor saved at '{model}': {errors[1]}\n"
        )
