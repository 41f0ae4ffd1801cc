"""The scorecard of the book: nothing counted twice, nothing without a place."""

from pathlib import Path

import pandas as pd
import pytest

from kernlib.replication import catalogue, published
from kernlib.report import scorecard

BOOK = Path(__file__).resolve().parents[2] / "book"


def test_counts_have_totals():
    card = pd.DataFrame(
        {
            "document": ["romano2021", "romano2021", "cologni2024"],
            "verdict": ["exact", "exact", "twin"],
        }
    )
    found = scorecard.counts(card)
    assert found.to_dict("list") == {
        "document": ["cologni2024", "romano2021", scorecard.ALL],
        "twin": [1, 0, 1],
        "exact": [0, 2, 2],
        "numbers": [1, 2, 3],
    }


def test_places_are_found_and_checked(tmp_path):
    (tmp_path / "a.md").write_text("(exp-cologni2024-pegasos-lambda)=\n# x\n", encoding="utf8")
    assert scorecard.places(tmp_path) == {
        "cologni2024.pegasos_lambda": ("a", "exp-cologni2024-pegasos-lambda")
    }
    (tmp_path / "b.md").write_text("(exp-cologni2024-pegasos-lambda)=\n", encoding="utf8")
    with pytest.raises(ValueError, match="two places, in a and b"):
        scorecard.places(tmp_path)
    (tmp_path / "b.md").write_text("(exp-nothing)=\n", encoding="utf8")
    with pytest.raises(ValueError, match="no experiment"):
        scorecard.places(tmp_path)


def test_every_experiment_has_a_place_in_the_book():
    missing = {made.key for made in catalogue.experiments()} - set(scorecard.places(BOOK))
    assert not missing, f"no chapter shows {sorted(missing)}"


def test_every_published_table_and_figure_is_in_the_index():
    index = scorecard.index(BOOK)
    printed = published.index()
    assert len(index) == len(printed)
    assert index["shown"].str.len().min() > 0
    with_links = index[index["command"] != ""]
    assert with_links["shown"].str.contains(r"\]\(exp-", regex=True).all()
