"""Checkpoints: a killed run goes on; nothing torn is believed, nothing foreign overwritten."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from kernlib import KernelPerceptron, Pegasos, Perceptron
from kernlib.kernels import Gaussian, Polynomial
from kernlib.model_selection import GridSearch, checkpoint, evaluate, repeated_splits
from kernlib.model_selection.experiment import Experiment
from kernlib.model_selection.fingerprint import fingerprint

X, Y = make_classification(80, 4, flip_y=0.2, random_state=0)
SPLITS = repeated_splits(Y, cv=3, n_runs=2, test_size=0.25, random_state=0)
GRID = {"kernel": [Polynomial(1), Gaussian(0.5)], "max_iter": [1, 2]}


def table(path=None, **options):
    found = evaluate(KernelPerceptron(), GRID, X, Y, SPLITS, checkpoint=path, **options)
    return found.drop(columns="seconds")


@pytest.fixture(scope="module")
def uninterrupted():
    return table()


@pytest.fixture
def kept(tmp_path):
    """Return the path of a complete checkpoint, and its lines."""
    path = tmp_path / "run.jsonl"
    table(path)
    return path, path.read_bytes().splitlines(keepends=True)


def test_every_finished_fit_is_a_line(kept, uninterrupted):
    _, lines = kept
    assert len(lines) == 1 + len(uninterrupted) == 1 + 4 * 8
    entries = [json.loads(line) for line in lines[1:]]
    assert {(e["candidate"], e["run"], e["fold"]) for e in entries} == set(
        uninterrupted[["candidate", "run", "fold"]].itertuples(index=False, name=None)
    )


@pytest.mark.parametrize("n_lines", [1, 2, 17, 32, 33])
@pytest.mark.parametrize("torn", [0, 1, 40])
def test_going_on_gives_the_same_table(kept, uninterrupted, n_lines, torn, monkeypatch):
    path, lines = kept
    path.write_bytes(b"".join(lines[:n_lines]) + b"".join(lines[n_lines:])[:torn])
    done = []
    keep = checkpoint.Checkpoint.keep

    def watched(self, records):
        done.extend(records)
        keep(self, records)

    monkeypatch.setattr(checkpoint.Checkpoint, "keep", watched)
    pd.testing.assert_frame_equal(table(path), uninterrupted)
    assert len(done) == 33 - n_lines  # what was kept was not fitted again
    again = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert len(again) == 33
    for line in lines[:n_lines]:
        assert json.loads(line) in again


def test_a_whole_but_unreadable_last_line_is_torn_too(kept, uninterrupted):
    path, lines = kept
    path.write_bytes(b"".join(lines[:5]) + b"\0\0\0\0\n")
    pd.testing.assert_frame_equal(table(path), uninterrupted)


def test_the_search_goes_on_after_the_folds(tmp_path):
    path = tmp_path / "run.jsonl"
    options = {"cv": 3, "n_runs": 2, "test_size": 0.25, "random_state": 0}
    search = GridSearch(KernelPerceptron(), GRID, checkpoint=path, **options).fit(X, Y)
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 4 * 6 + 2
    path.write_bytes(b"".join(lines[:-2]))
    again = GridSearch(KernelPerceptron(), GRID, checkpoint=path, **options).fit(X, Y)
    pd.testing.assert_frame_equal(again.runs_, search.runs_)
    # A checkpoint of more fits than are asked for gives the rows that are.
    every = GridSearch(KernelPerceptron(), GRID, checkpoint=path, retrain="all", **options)
    assert len(every.fit(X, Y).table_) == 4 * 8
    pd.testing.assert_frame_equal(again.fit(X, Y).table_, search.table_.assign(
        seconds=again.table_.seconds))  # fmt: skip


# ---------------------------------------------------------------- what belongs to what


def changed(**parts):
    own = {"estimator": KernelPerceptron(), "grid": GRID, "X": X, "y": Y, "splits": SPLITS}
    own |= parts
    return evaluate(own["estimator"], own["grid"], own["X"], own["y"], own["splits"],
                    checkpoint=parts["path"])  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ({"X": X + 1e-15}, "data is another"),
        ({"y": 1 - Y}, "data is another"),
        ({"X": X.astype(np.float32)}, "data is another"),
        ({"estimator": KernelPerceptron(multi_class="ovo")}, "estimator is another"),
        ({"estimator": KernelPerceptron(kernel=Gaussian(0.5))}, "estimator is another"),
        ({"grid": {**GRID, "max_iter": [1, 3]}}, "grid is another"),
        ({"grid": {**GRID, "kernel": [Polynomial(1), Gaussian(0.25)]}}, "grid is another"),
        ({"splits": SPLITS[:-1]}, "splits is another. random_state=None draws"),
        ({"X": -X, "splits": SPLITS[:1]}, "data, splits are another"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(kept, parts, named):
    path, lines = kept
    with pytest.raises(ValueError, match=f"one of the same experiment, but its {named}"):
        changed(path=path, **parts)
    assert path.read_bytes() == b"".join(lines)


def test_equal_experiments_have_equal_fingerprints():
    def again(**options):
        grid = {"kernel": [Polynomial(1), Gaussian(0.5)], "max_iter": (1, 2)}
        return fingerprint(
            Experiment.checked(KernelPerceptron(**options), grid, X.copy(), Y.copy(), SPLITS)
        )

    own = fingerprint(Experiment.checked(KernelPerceptron(), GRID, X, Y, SPLITS))
    assert again() == own
    state = np.random.RandomState(0)
    assert again(random_state=state) == again(random_state=np.random.RandomState(0)) != own


def test_the_kinds_of_data_have_fingerprints():
    def of(X, estimator=None, y=Y):
        estimator = estimator or Perceptron()
        return fingerprint(Experiment.checked(estimator, {}, X, y, SPLITS))

    forms = [X, sparse.csr_array(X), pd.DataFrame(X, columns=list("abcd")), X.tolist()[:80]]
    assert of(forms[0])["data"] == of(forms[3])["data"]
    assert len({of(form)["data"] for form in forms}) == 3
    words = np.where(Y == 1, "yes", "no")
    assert of(X, y=words)["data"] == of(X, y=words.copy())["data"] != of(X)["data"]
    assert of(X, y=words.astype(object))["data"] == of(X, y=words.astype(object).copy())["data"]
    kernels = [lambda A, B: A @ B.T, lambda A, B: A @ B.T + 1, np.dot]
    digests = {of(X, KernelPerceptron(kernel=kernel))["estimator"] for kernel in kernels}
    assert len(digests) == 3
    weights = [of(X, Pegasos(class_weight={0: w, 1: 1.0}))["estimator"] for w in (1.0, 2.0)]
    assert weights[0] != weights[1]


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", b"{}\n", b"[1]\n", b"no end of line", b'{"format": "x"}\n{}\n']
)
def test_a_foreign_file_is_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="a file that an earlier run wrote"):
        table(path)
    assert path.read_bytes() == content


def test_a_damaged_line_in_the_middle_is_refused(kept):
    path, lines = kept
    lines[3] = lines[3][:10] + b"\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(ValueError, match="line 4 of"):
        table(path)
    assert path.read_bytes() == b"".join(lines)


def test_an_empty_file_is_begun(tmp_path, uninterrupted):
    path = tmp_path / "run.jsonl"
    path.touch()
    pd.testing.assert_frame_equal(table(path), uninterrupted)


def test_a_path_that_cannot_be_written_is_refused_before_the_first_fit(tmp_path, monkeypatch):
    monkeypatch.setattr("kernlib.model_selection.evaluation.finished", None)
    with pytest.raises(FileNotFoundError, match=r"expected a folder to write run.jsonl to"):
        table(tmp_path / "no" / "run.jsonl")
    with pytest.raises(OSError, match="is a folder or a device"):
        table(tmp_path)
    monkeypatch.setattr(checkpoint, "write_atomically", _no_space)
    with pytest.raises(OSError, match=r"can be read and written, but .* gives: No space left"):
        table(tmp_path / "run.jsonl")
    assert list(tmp_path.iterdir()) == []


def _no_space(*args):
    raise OSError(28, "No space left on device")


def test_a_full_disk_loses_no_finished_fit(tmp_path, uninterrupted, monkeypatch):
    path = tmp_path / "run.jsonl"
    append, written = checkpoint._append, []

    def until_full(file, lines):
        if len(written) == 5:
            file.write(b'{"candidate": 3, "ru')
            file.flush()
            _no_space()
        written.append(lines)
        append(file, lines)

    monkeypatch.setattr(checkpoint, "_append", until_full)
    with pytest.raises(OSError, match="No space left"):
        table(path)
    monkeypatch.undo()
    pd.testing.assert_frame_equal(table(path), uninterrupted)


def test_a_fit_that_fails_leaves_the_finished_ones(tmp_path):
    path = tmp_path / "run.jsonl"
    grid = {"max_iter": [1, 2, -1]}
    with pytest.raises(ValueError, match="max_iter must be"):
        evaluate(Perceptron(), grid, X, Y, SPLITS, checkpoint=path)
    assert len(path.read_bytes().splitlines()) == 1 + 2 * 8


def test_two_runs_do_not_share_a_file(kept):
    path, _ = kept
    experiment = Experiment.checked(KernelPerceptron(), GRID, X, Y, SPLITS)
    with (
        checkpoint.opened(path, experiment),
        pytest.raises(ValueError, match="one run at a time, but another process writes"),
    ):
        table(path)
    table(path)


# ---------------------------------------------------------------- kill -9

SLOW_RUN = """
import sys, time
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier
from kernlib.model_selection import GridSearch

class Slow(KNeighborsClassifier):
    def fit(self, X, y):
        time.sleep(float(sys.argv[2]))
        return super().fit(X, y)

X, y = make_classification(80, 4, flip_y=0.2, random_state=0)
search = GridSearch(Slow(), {"n_neighbors": [1, 3, 5]}, cv=3, n_runs=3, test_size=0.25,
                    random_state=0, checkpoint=sys.argv[1], n_jobs=2)
search.fit(X, y)
search.table_.drop(columns="seconds").to_csv(sys.argv[3], index=False)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills as POSIX does")
def test_a_run_killed_again_and_again_ends_with_the_same_table(tmp_path):
    path = tmp_path / "run.jsonl"
    n_fits = 3 * (3 * 3 + 1)

    def start(path, pause, out):
        words = [sys.executable, "-c", SLOW_RUN, path, pause, tmp_path / out]
        return subprocess.Popen([str(word) for word in words])

    reference = start(tmp_path / "reference.jsonl", 0.0, "reference.csv")
    counts = [0]
    for goal in (3, 11, 20):
        process = start(path, 0.1, "killed.csv")
        deadline = time.monotonic() + 60
        while _n_lines(path) < 1 + goal and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL
        counts.append(_n_lines(path) - 1)
        assert goal <= counts[-1] < n_fits
        with path.open("ab") as file:  # a kill in the middle of a line, which is too short to hit
            file.write(b'{"candidate": 1, "run"')
    assert not (tmp_path / "killed.csv").exists()
    assert start(path, 0.0, "resumed.csv").wait(timeout=60) == 0
    assert reference.wait(timeout=60) == 0
    resumed, whole = (tmp_path / name for name in ("resumed.csv", "reference.csv"))
    assert resumed.read_bytes() == whole.read_bytes()
    assert _n_lines(path) == 1 + n_fits


def _n_lines(path):
    return path.read_bytes().count(b"\n") if os.path.exists(path) else 0
