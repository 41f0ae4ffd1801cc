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


def test_rows_are_short_and_in_the_published_units():
    card = pd.DataFrame(
        {
            "document": ["cologni2024", "dellaporta2020"],
            "experiment": ["pegasos_lambda", "confusion"],
            "row": ["0.1", "3"],
            "quantity": ["test_error", "test_error"],
            "printed": ["0.273833333333333", "52.55%"],
            "ours": [0.27383333, 0.3772],
            "se": [0.0, 0.01],
            "corrected": [float("nan"), 0.4],
            "verdict": ["as the code, not the text", "not reproduced"],
        }
    )
    shown = scorecard.rows(card)
    assert shown["document"].tolist() == ["1 Cologni", "5 Dellaporta"]
    assert shown["what"].iloc[0] == "pegasos lambda: 0.1, test error"
    assert shown["published"].tolist() == ["0.273833", "52.55%"]
    assert shown["ours ± s.e."].tolist() == ["0.2738", "37.72%\u00a0±\u00a01.00%"]
    assert pd.isna(shown["corrected"].iloc[0])
    assert shown["corrected"].iloc[1] == "40.00%"
    assert shown["verdict"].tolist() == [scorecard.AS_CODE, "not reproduced"]


def test_statements_without_evidence_have_a_reason():
    findings = pd.DataFrame(
        {
            "document": ["romano2021"] * 2,
            "section": ["1", "2"],
            "claim": ["a", "b"],
            "stated": ["1;2", "3"],
            "outcome": ["holds", "not testable"],
            "evidence": ["n_points = 1e+04", ""],
            "reason": ["a rule", "no data"],
        }
    )
    shown = scorecard.statements(findings)
    assert shown["evidence, or reason"].tolist() == ["n points = 10,000", "no data"]
    assert shown["the document says"].tolist() == ["1, 2", "3"]


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
