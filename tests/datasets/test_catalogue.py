from kernlib.datasets import catalogue, describe, digits
from kernlib.datasets.milan import user_file


def row(name):
    return next(row for row in describe() if row["name"] == name)


def test_rows(folders):
    rows = describe()
    keys = [
        "name",
        "title",
        "rows",
        "columns",
        "classes",
        "source",
        "citation",
        "terms",
        "present",
        "location",
    ]
    assert [list(row) for row in rows] == [keys] * 5
    assert [row["present"] for row in rows] == [True, True, False, False, True]
    for row in rows:
        assert all(row[key] for key in ("title", "source", "citation", "terms", "location"))


def test_training_part(folders):
    assert "load_mnist(part='train')" in row("mnist-train")["location"]
    path = digits.mnist_train_location()
    path.parent.mkdir()
    path.touch()
    assert row("mnist-train")["location"] == str(path)
    assert row("mnist-train")["present"]


def test_milan(folders, monkeypatch):
    assert "kernlib data add milan FILE" in row("milan")["location"]
    user_file().parent.mkdir()
    user_file().touch()
    assert row("milan")["location"] == f"{user_file()} (user data folder)"
    monkeypatch.setenv("KERNLIB_MILAN", str(folders / "none.csv"))
    assert not row("milan")["present"]
    assert "which does not exist" in row("milan")["location"]


def test_facts_are_those_of_the_files():
    for name, load in (("usps", digits.load_usps), ("mnist", digits.load_mnist)):
        X, y = load(return_X_y=True)
        about = row(name)
        assert X.shape == (about["rows"], about["columns"])
        assert len(set(y.tolist())) == about["classes"]
    assert catalogue.facts.MNIST_TRAIN.rows == 60_000
