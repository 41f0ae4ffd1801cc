import numpy as np
import pandas as pd
import pytest

from kernlib.datasets.table import load_features, load_table


def test_csv_keeps_values_and_labels(tmp_path):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"a": [1.5, 2.25], "kind": ["x", "z"], "b": [3, 4]})
    frame.to_csv(path, index=False)
    table = load_table(str(path), "kind")
    assert table.X.tolist() == [[1.5, 3.0], [2.25, 4.0]]
    assert table.y.tolist() == ["x", "z"]
    assert (table.name, table.source, table.target) == ("t.csv", str(path), "kind")


@pytest.mark.parametrize(
    ("labels", "kind"), [([1, -1], "i"), ([0.5, 1.5], "f"), ([True, False], "b")]
)
def test_numeric_labels_stay_numbers(tmp_path, labels, kind):
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": [1.0, 2.0], "y": labels}).to_csv(path, index=False)
    y = load_table(str(path)).y
    assert y.dtype.kind in "bif"
    assert y.tolist() == labels


def test_features_come_with_or_without_a_label(tmp_path):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": [0, 1]})
    frame.to_csv(path, index=False)
    assert load_features(str(path), 1, None).tolist() == [[1.0], [2.0]]
    assert load_features(str(path), 2, None).tolist() == [[1.0, 0.0], [2.0, 1.0]]
    with pytest.raises(ValueError, match=r"must have the 5 features .* got 2 columns: a, y"):
        load_features(str(path), 5, None)


@pytest.mark.parametrize(("name", "shape"), [("usps", (9298, 256)), ("mnist", (10000, 784))])
def test_digits_by_name(name, shape):
    table = load_table(name)
    assert table.X.shape == shape
    assert np.isfinite(table.X).all()
    assert sorted(set(table.y.tolist())) == list(range(10))


def test_milan_without_its_file_is_the_twin_and_says_so(monkeypatch, tmp_path):
    monkeypatch.delenv("KERNLIB_MILAN", raising=False)
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *a, **k: str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    table = load_table("milan")
    assert "twin" in table.note
    assert table.X.shape == (10000, 10)
