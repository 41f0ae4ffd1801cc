"""The recorded results on the original table: what the file may hold, and that they hold still.

Everywhere: the schema, the size, and that the file is about the experiments as they are.  Where
the table is at hand: experiments without chance again, in full, and the first run of the others,
number by number (``slow``: those on Gram matrices).
"""

import json
import re

import numpy as np
import pytest

from kernlib.datasets import milan as milan_module
from kernlib.replication import claims, cologni2024, engine, published, recorded, store
from kernlib.replication.verdicts import VERDICTS

EXPERIMENTS = {e.name: e for e in engine.REGISTRY.values() if e.document == recorded.DOCUMENT}
MOST_BYTES = 400_000
LONG = [
    "kernel_pegasos",
    "kernel_pegasos_final",
    "kernel_pegasos_slips",
    "kernel_perceptron",
    "kernel_perceptron_test",
    "kernel_logistic",
    "nearest_neighbour",
    "grid_edges",
    "cross_validation",
    "leak",
    "outliers",
    "pegasos_poly2_lambda",
    "logistic_poly2_lambda",
    "mini_batches",
    "overflow",
]


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path / "store"))


@pytest.fixture(scope="module")
def path():
    return recorded.FOLDER / f"{recorded.DOCUMENT}.json"


@pytest.fixture(scope="module")
def content(path):
    return json.loads(path.read_text(encoding="utf8"))


# ---------------------------------------------------------------- what the file may hold


def test_only_the_document_whose_data_is_not_here(path):
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.stem == "cologni2024"
    assert path.stat().st_size < MOST_BYTES


def test_schema(content):
    assert sorted(content) == [
        "claims", "columns", "data_sha256", "document", "experiments", "format", "seed", "versions",
    ]  # fmt: skip
    assert content["data_sha256"] == milan_module.SHA256
    assert {"kernlib", "python", "numpy", "scikit-learn"} <= set(content["versions"])
    assert content["columns"] == {
        "scorecard": recorded.CARD, "numbers": recorded.NUMBERS, "claims": recorded.CLAIMS,
    }  # fmt: skip
    for entry in content["experiments"].values():
        assert sorted(entry) == ["numbers", "runs", "scorecard"]
        for kind, columns in (("scorecard", recorded.CARD), ("numbers", recorded.NUMBERS)):
            for row in entry[kind]:
                assert len(row) == len(columns)
                assert all(cell is None or isinstance(cell, str | float | int) for cell in row)


def test_nothing_belongs_to_a_row_of_the_table(content):
    """No quantity is about an example, and no experiment has as many numbers as a part has rows."""
    names = re.compile(r"index|alpha|dual|prediction|sample|example", re.IGNORECASE)
    for name, entry in content["experiments"].items():
        quantities = {row[2] for row in entry["numbers"]} | {row[1] for row in entry["scorecard"]}
        assert not any(names.search(quantity) for quantity in quantities), name
        assert len(entry["numbers"]) < 500, name


def test_no_number_has_the_digits_of_a_value(path):
    """The table's values have 13 to 15 decimals; nine digits in exponent form hold none."""
    text = re.sub(r'"[^"\n]*"', "", path.read_text(encoding="utf8"))
    assert not re.search(r"\.\d{9}", text)
    assert len(re.findall(r"\.\d{8}e", text)) > 1000


def test_extremes_are_only_those_that_are_printed(content):
    entry = content["experiments"]["feature_stats"]
    assert entry["numbers"] == []
    printed = recorded.CARD.index("printed")
    ours = recorded.CARD.index("ours")
    for row in entry["scorecard"]:
        assert row[ours] == pytest.approx(float(row[printed]), rel=1e-6)


# ---------------------------------------------------------------- it is about what there is


def test_every_experiment_at_its_protocol(content):
    made = content["experiments"]
    assert set(made) == set(EXPERIMENTS)
    assert {name: entry["runs"] for name, entry in made.items()} == {
        name: e.runs for name, e in EXPERIMENTS.items()
    }


def test_every_published_number():
    card = recorded.read().scorecard
    for name, made in EXPERIMENTS.items():
        if made.published is None:
            continue
        theirs = made.published()
        ours = card[card["experiment"] == name]
        for column in ("row", "quantity", "printed"):
            assert list(ours[column]) == list(theirs[column]), name
    assert set(card["verdict"]) <= set(VERDICTS) - {"twin", "reduced"}


def test_every_claim():
    found = recorded.read().claims
    assert list(found["id"]) == list(published.claims(recorded.DOCUMENT)["id"])
    assert set(found["outcome"]) <= set(claims.OUTCOMES)


def test_what_leaves_nothing_to_chance_is_exact():
    card = recorded.read().scorecard
    names = [name for name, made in EXPERIMENTS.items() if made.deterministic]
    verdicts = card[card["experiment"].isin(names)]["verdict"]
    assert len(verdicts) > 100
    assert set(verdicts) <= {"exact", "as the code, not the text"}


def test_note_says_recorded():
    assert recorded.read().note.startswith("recorded on the original table")
    assert cologni2024.__all__


# ---------------------------------------------------------------- writing and reading


def test_aggregates():
    rows = [
        {"row": "a", "quantity": "q", "run": run, "value": value}
        for run, value in enumerate([1.0, 2.0, 6.0])
    ]
    line = recorded.aggregated(engine.tidy(rows)).iloc[0]
    assert (line["mean"], line["runs"], line["first"]) == (3.0, 3, 1.0)
    assert line["se"] == pytest.approx(np.sqrt(7 / 3))


def test_text_is_json_with_nine_digits():
    value = {"a": [["x", 1.23456789012345e-3, 2], ["y", np.nan, 3]], "b": "…", "c": []}
    text = recorded._text(value)
    assert json.loads(text) == {"a": [["x", 1.23456789e-3, 2], ["y", None, 3]], "b": "…", "c": []}
    assert len(text.splitlines()) == 8


def test_the_twin_is_not_recorded(tmp_path, monkeypatch):
    monkeypatch.delenv("KERNLIB_MILAN", raising=False)
    monkeypatch.setattr(milan_module, "user_file", lambda: tmp_path / "none.csv")
    with pytest.raises(ValueError, match="document's own table"):
        recorded.record(tmp_path / "no.json")
    assert not (tmp_path / "no.json").exists()


def test_another_format_is_refused(tmp_path):
    file = tmp_path / "old.json"
    file.write_text('{"format": 0}')
    with pytest.raises(ValueError, match="Record it again"):
        recorded.read(file)


# ---------------------------------------------------------------- on the original table


def check_again(names):
    """Compute ``names`` again: in full without chance, else the first run."""
    again = recorded.compare(names, runs=1)
    assert set(again["experiment"]) == set(names)
    for name in names:
        chance = recorded.read().runs[name] > 1
        assert ("first" in set(again[again["experiment"] == name]["compared"])) == chance
    different = again[~again["same"]]
    assert different.empty, different.to_string()


@pytest.mark.usefixtures("milan")
@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - set(LONG)))
def test_again(name):
    check_again([name])


@pytest.mark.slow
@pytest.mark.usefixtures("milan")
@pytest.mark.parametrize("name", LONG)
def test_again_long(name):
    check_again([name])


@pytest.mark.usefixtures("milan")
def test_compare_sees_a_difference(path, tmp_path):
    other = tmp_path / "other.json"
    content = json.loads(path.read_text(encoding="utf8"))
    content["experiments"]["perceptron_weights"]["numbers"][3][3] += 1e-3
    other.write_text(json.dumps(content))
    again = recorded.compare(["perceptron_weights"], path=other)
    assert list(again[~again["same"]]["row"]) == [
        content["experiments"]["perceptron_weights"]["numbers"][3][1]
    ]
    with pytest.raises(ValueError, match="recorded experiments"):
        recorded.compare(["nothing"])
