"""Tables of the book: real, numbered, with every cell as it was computed."""

import pandas as pd
import pytest
from markdown_it import MarkdownIt

from kernlib.replication import catalogue
from kernlib.report import tables


def test_a_table_is_a_directive_with_name_and_caption():
    frame = pd.DataFrame({"kernel": ["poly", "rbf"], "test_error": [0.25, float("nan")]})
    shown = tables.table(frame, name="tab-x-y", caption="Errors.", formats={"test_error": ".1%"})
    assert shown.markdown().splitlines() == [
        "~~~~{table} Errors.",
        ":name: tab-x-y",
        "",
        "| kernel | test error |",
        "| :--- | ---: |",
        "| poly | 25.0% |",
        "| rbf | – |",
        "~~~~",
    ]


def test_text_is_not_read_as_markup_unless_it_is():
    frame = pd.DataFrame({"said": ["a*b|c $5 <i>"], "formula": ["$x^2$"]})
    text = tables.table(frame, name="tab-x", caption="c", markup=("formula",)).markdown()
    assert r"a\*b\|c \$5 \<i\>" in text
    assert "$x^2$" in text


def test_a_long_table_may_break():
    frame = pd.DataFrame({"a": range(tables.LONG + 1)})
    assert (
        ":class: longtable\n:widths: 9\n"
        in tables.table(frame, name="tab-x", caption="c").markdown()
    )
    assert "longtable" not in tables.table(frame[1:], name="tab-x", caption="c").markdown()


def test_unknown_columns_are_named():
    frame = pd.DataFrame({"a": [1]})
    with pytest.raises(ValueError, match=r"got b\. It has a\."):
        tables.table(frame, name="tab-x", caption="c", formats={"b": "d"})
    with pytest.raises(ValueError, match="must start with 'tab-'"):
        tables.table(frame, name="x", caption="c")


def card(**extra):
    line = {
        "row": "degree 2", "quantity": "error", "printed": "0.25", "printed_std": "",
        "ours": 0.26, "se": 0.001, "corrected": float("nan"), "verdict": "within noise",
    }  # fmt: skip
    return pd.DataFrame([line | extra])


def test_published_and_ours_side_by_side():
    cells = tables.against(card(), name="tab-x", caption="c").cells
    assert cells.to_dict("records") == [
        {
            "row": "degree 2",
            "published": "0.25",
            "ours ± s.e.": "0.2600\u00a0±\u00a00.0010",
            "verdict": "within noise",
        }
    ]


def test_ours_is_in_per_cent_where_theirs_is():
    cells = tables.against(card(printed="25.00%"), name="tab-x", caption="c").cells
    assert cells["ours ± s.e."].tolist() == ["26.00%\u00a0±\u00a00.10%"]


def test_on_the_twin_the_verdict_is_that_of_the_original():
    extra = {"recorded": 0.25, "recorded_se": 0.0, "recorded_verdict": "exact"}
    extra |= {"corrected_recorded": 0.2, "verdict": "twin"}
    cells = tables.against(card(**extra), name="tab-x", caption="c").cells
    assert cells.iloc[0].to_dict() == {
        "row": "degree 2", "published": "0.25", "on the twin ± s.e.": "0.2600\u00a0±\u00a00.0010",
        "on the original": "0.25", "corrected": "0.2", "verdict": "exact",
    }  # fmt: skip


def test_a_card_of_the_catalogue_can_be_shown():
    found = catalogue.card("cologni2024.feature_stats")
    shown = tables.against(found, name="tab-x", caption="c")
    assert len(shown.cells) == len(found)
    assert shown.cells["published"].tolist() == found["printed"].tolist()


def test_claims_are_shown_with_their_outcome():
    line = {"section": "2", "claim": "best C*", "stated": "C = 10", "outcome": "holds"}
    found = pd.DataFrame([line | {"evidence": "n_runs = 3", "id": "a"}])
    cells = tables.said(found, name="tab-x", caption="c").cells
    assert cells.iloc[0].tolist() == ["2", r"best C\*", "C = 10", "holds", "n runs = 3"]


def test_a_caption_may_refer_but_not_cite():
    """A directive between backticks would end at the first backtick of its title."""
    frame = pd.DataFrame({"a": [1]})
    shown = tables.table(frame, name="tab-x", caption="As {numref}`fig-x`.")
    tokens = MarkdownIt().parse(shown.markdown())
    assert [(token.type, token.info) for token in tokens] == [
        ("fence", "{table} As {numref}`fig-x`.")
    ]
    with pytest.raises(ValueError, match="must not cite"):
        tables.table(frame, name="tab-x", caption="By {cite:t}`x`.")


def test_variants_stand_side_by_side_in_their_order():
    lines = [
        ("as printed", "b", "test_error", 0.5, 0.0),
        ("as printed", "a", "test_error", 0.25, 0.01),
        ("corrected", "a", "test_error", 0.125, 0.0),
    ]
    numbers = pd.DataFrame(lines, columns=["variant", "row", "quantity", "mean", "se"])
    cells = tables.by_variant(numbers, name="tab-x", caption="c", what="kernel").cells
    assert cells.to_dict("list") == {
        "kernel": ["b", "a"],
        "as printed": ["0.5", "0.250\u00a0±\u00a00.010"],
        "corrected": ["–", "0.125"],
    }
    numbers = numbers.assign(recorded=[0.75, 0.5, 0.25], recorded_se=0.0)
    cells = tables.by_variant(numbers, name="tab-x", caption="c").cells
    assert cells["as printed"].tolist() == ["0.75", "0.5"]
