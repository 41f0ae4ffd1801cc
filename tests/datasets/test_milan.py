"""The Milan table: which file, what is checked, how a copy is added."""

import hashlib

import numpy as np
import pytest

from kernlib.datasets import _archive, add_milan, load_milan, make_milan_twin, milan_location
from kernlib.datasets.milan import SHA256, user_file

OTHER = "not the file of the published report: 6 rows and sha256"


@pytest.fixture
def files(folders, table_text):
    """Three tables that differ in one label each."""
    lines = table_text.splitlines()
    paths = {}
    for k, name in enumerate(["argument", "variable", "user"], start=1):
        changed = lines.copy()
        changed[k] = changed[k].rpartition(",")[0] + (",-1" if k % 2 else ",1")
        paths[name] = folders / f"{name}.csv"
        paths[name].write_text("\n".join(changed) + "\n", encoding="utf8")
    return paths


def test_order_of_places(files, monkeypatch):
    def found(path=None):
        with pytest.warns(UserWarning, match=OTHER):
            return load_milan(path).sha256

    digests = {name: _archive.sha256_of(path) for name, path in files.items()}
    assert len(set(digests.values())) == 3
    assert milan_location() == (None, "twin")
    with pytest.warns(UserWarning, match=OTHER):
        add_milan(files["user"])
    assert found() == digests["user"]
    assert milan_location() == (user_file(), "user data folder")
    monkeypatch.setenv("KERNLIB_MILAN", str(files["variable"]))
    assert found() == digests["variable"]
    assert milan_location() == (files["variable"], "KERNLIB_MILAN")
    assert found(files["argument"]) == digests["argument"]
    assert found(str(files["argument"])) == digests["argument"]
    assert milan_location(files["argument"]) == (files["argument"], "argument")
    monkeypatch.setenv("KERNLIB_MILAN", "")
    assert found() == digests["user"]


def test_twin_when_there_is_no_table(folders):
    data = load_milan()
    twin = make_milan_twin()
    assert data.is_twin
    assert not data.is_original
    assert data.sha256 == twin.sha256
    np.testing.assert_array_equal(data.data, twin.data)
    X, y = load_milan(return_X_y=True)
    np.testing.assert_array_equal(X, twin.data)
    np.testing.assert_array_equal(y, twin.target)


def test_another_table_is_read_and_named_as_such(files):
    path = files["argument"]
    with pytest.warns(UserWarning, match=OTHER) as caught:
        data = load_milan(path)
    assert caught[0].filename == __file__
    assert not data.is_twin
    assert not data.is_original
    assert OTHER in data.DESCR
    assert data.path == path
    assert data.data.dtype == np.float64
    assert data.target.tolist() == [-1, -1, 1, -1, 1, -1]
    # Every float is the nearest to its text: repr and back.
    text = [line.split(",")[:10] for line in path.read_text(encoding="utf8").splitlines()[1:]]
    assert data.data.tolist() == [[float(cell) for cell in row] for row in text]
    with pytest.warns(UserWarning, match=OTHER):
        X, _ = load_milan(path, return_X_y=True)
    np.testing.assert_array_equal(X, data.data)


def test_line_ends_and_decimals_of_labels_do_not_matter(folders, table_text):
    path = folders / "t.csv"
    path.write_bytes(table_text.replace(",-1\n", ",-1.0\n").replace("\n", "\r\n").encode())
    with pytest.warns(UserWarning, match=OTHER):
        assert load_milan(path).target.tolist() == [1, -1] * 3


def drop_column(text):
    return "\n".join(line.partition(",")[2] for line in text.splitlines())


def cell(line, column, value):
    """Return a change of one cell; lines count from 1, the header."""

    def change(text):
        lines = text.splitlines()
        cells = lines[line - 1].split(",")
        cells[column] = value
        lines[line - 1] = ",".join(cells)
        return "\n".join(lines) + "\n"

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", r"but reading it failed: No columns to parse"),
        (lambda text: '"' + text, r"reading it failed|got the \d+ columns"),
        (lambda text: text + "1," * 20 + "\n", r"but reading it failed: .*Expected 11 fields"),
        (drop_column, r"header x1,.*,x10,y in .*, got the 10 columns x2, x3"),
        (lambda text: text.replace("x1,x2", "x2,x1"), r"got the 11 columns x2, x1, x3"),
        (lambda text: text.replace(",", ";"), r"got the 1 columns x1;x2"),
        (lambda text: text.splitlines()[0], r"and rows below it, got none"),
        (cell(3, 4, ""), r"in column x5 of .*, got a missing value in line 3 \(1 in all\)"),
        (cell(3, 4, "nan"), r"column x5 of .*, got a missing value in line 3"),
        (cell(2, 9, "high"), r"column x10 of .*, got a text in line 2 \(1 in all\)"),
        (cell(7, 0, "-inf"), r"column x1 of .*, got an infinite number in line 7"),
        (cell(5, 10, "0"), r"labels -1 and \+1 in column y of .*, got 0 in line 5"),
        (cell(5, 10, "1.5"), r"got 1\.5 in line 5"),
        (cell(5, 10, ""), r"column y of .*, got a missing value in line 5"),
        (cell(5, 10, "yes"), r"column y of .*, got a text in line 5"),
    ],
)
@pytest.mark.parametrize("read", [load_milan, add_milan])
def test_wrong_tables(folders, table_text, change, message, read):
    path = folders / "table.csv"
    path.write_text(change(table_text), encoding="utf8")
    with pytest.raises(ValueError, match=message):
        read(path)
    assert not user_file().exists()


def test_not_a_text_file(folders):
    path = folders / "table.csv"
    path.write_bytes(bytes(range(128, 256)) * 10)
    with pytest.raises(ValueError, match=r"but reading it failed: .* decode"):
        load_milan(path)


def test_named_file_must_exist(folders, monkeypatch):
    missing = folders / "missing.csv"
    with pytest.raises(FileNotFoundError, match=r"missing\.csv, but there is no such file"):
        load_milan(missing)
    with pytest.raises(FileNotFoundError, match=r"but it is a folder"):
        add_milan(folders)
    monkeypatch.setenv("KERNLIB_MILAN", str(missing))
    with pytest.raises(FileNotFoundError, match=r"missing\.csv \(from KERNLIB_MILAN\)"):
        load_milan()


def test_add_replaces_and_may_copy_onto_itself(files):
    for name in ("argument", "user"):
        with pytest.warns(UserWarning, match=OTHER):
            assert add_milan(files[name]) == user_file()
        assert user_file().read_bytes() == files[name].read_bytes()
    with pytest.warns(UserWarning, match=OTHER):
        add_milan(user_file())
    assert user_file().read_bytes() == files["user"].read_bytes()
    assert [path.name for path in user_file().parent.iterdir()] == ["milan.csv"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_crash_in_the_middle_of_a_copy(files, monkeypatch, step):
    def crash(*arguments):
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(_archive.os, step, crash)
        with pytest.warns(UserWarning, match=OTHER), pytest.raises(OSError, match="no space"):
            add_milan(files["user"])
    assert list(user_file().parent.iterdir()) == []
    assert load_milan().is_twin


def test_the_original(milan_file, folders, recwarn):
    data = load_milan(milan_file)
    assert data.is_original
    assert not data.is_twin
    assert data.sha256 == SHA256 == hashlib.sha256(milan_file.read_bytes()).hexdigest()
    assert data.data.shape == (10_000, 10)
    assert np.bincount(data.target + 1).tolist() == [5008, 0, 4992]
    assert len(np.unique(data.data, axis=0)) == 10_000
    assert add_milan(milan_file).read_bytes() == milan_file.read_bytes()
    assert load_milan().sha256 == SHA256
    assert len(recwarn) == 0
