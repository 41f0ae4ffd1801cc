import pytest

from kernlib.replication import published
from kernlib.replication.granularity import Printed


def test_every_table_of_the_index_ships():
    index = published.index()
    for name in set(index["csv"]) - {""}:
        assert len(published.table(name.removesuffix(".csv"))) > 0


def test_documents_are_those_of_the_index():
    assert set(published.index()["source_doc"]) < set(published.DOCUMENTS)


@pytest.mark.parametrize("document", published.DOCUMENTS)
def test_claims_have_distinct_names(document):
    assert published.claims(document)["id"].is_unique


def test_numbers_keep_the_printed_text():
    frame = published.table("cologni2024_kernel_perceptron")
    rows = published.numbers(
        frame, ["kernel", "degree", "gamma"], "validation_error", "printed_val", n_examples=2000
    )
    assert rows["row"].is_unique
    assert list(rows["printed"]) == list(frame["printed_val"])
    for text, value in zip(rows["printed"], frame["val_error"], strict=True):
        assert float(Printed.parse(text).value) == float(value)


def test_a_cell_that_is_not_printed_is_no_number():
    frame = published.table("cologni2024_pegasos_lambda")
    frame.loc[0, "printed_val"] = ""
    rows = published.numbers(frame, ["lambda"], "validation_error", "printed_val")
    assert frame.loc[0, "lambda"] not in set(rows["row"])


def test_a_table_is_a_copy():
    mine = published.table("cologni2024_scaling")
    mine["printed"] = "0"
    assert (published.table("cologni2024_scaling")["printed"] != "0").all()
