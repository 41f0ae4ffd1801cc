"""What holds for all experiments together."""

import numpy as np
import pytest

from kernlib.replication import catalogue, claims, engine, published, recorded


@pytest.fixture(scope="module", autouse=True)
def loaded():
    catalogue.load()


def test_every_line_of_the_index_is_repeated_or_has_a_reason():
    for document in published.DOCUMENTS:
        lines = engine.coverage(document)
        bare = lines[(lines["experiments"] == "") & (lines["reason"] == "")]
        assert list(bare["item"]) == [], document


def test_every_experiment_names_lines_of_the_index():
    index = published.index()
    for made in catalogue.experiments():
        items = set(index.loc[index["source_doc"] == made.document, "item"])
        named = {
            item for item in made.items if item.startswith(("table", "figure", "vector", "Out"))
        }
        assert named <= items, made.key
        assert made.items, made.key


def test_every_experiment_says_what_it_repeats():
    for made in catalogue.experiments():
        assert made.title.endswith("."), made.key


@pytest.mark.parametrize("document", published.DOCUMENTS)
def test_every_claim_is_dealt_with(document):
    dealt_with = {name for of, name in claims.REGISTRY if of == document}
    assert dealt_with == set(published.claims(document)["id"])


def test_every_published_number_belongs_to_a_named_row():
    for made in catalogue.experiments():
        if made.published is not None:
            numbers = made.published()
            assert not numbers.duplicated(["row", "quantity"]).any(), made.key


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"document must be one of cologni2024, .*got 'cologni'"):
        catalogue.experiments("cologni")
    with pytest.raises(ValueError, match=r"table must be one of .*got 'nothing'"):
        catalogue.experiments("cologni2024", "nothing")


def test_a_line_of_a_card_is_of_one_variant(monkeypatch):
    """On the twin: the number of the variant that decided the verdict on the original."""
    monkeypatch.delenv("KERNLIB_MILAN", raising=False)
    found = catalogue.card("cologni2024.feature_stats")
    kept = recorded.read().scorecard.query("experiment == 'feature_stats'")
    assert found["variant"].tolist() == kept["variant"].tolist()
    assert found["variant"].nunique() == 2
    numbers = catalogue.numbers("cologni2024.feature_stats")
    both = found.merge(numbers, on=["variant", "row", "quantity"], how="left", validate="1:1")
    assert np.array_equal(both["ours"], both["mean"])
