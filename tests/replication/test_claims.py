from types import SimpleNamespace

import pandas as pd
import pytest

from kernlib.replication import claims, published


@pytest.fixture(autouse=True)
def apart(monkeypatch):
    monkeypatch.setattr(claims, "REGISTRY", {})
    lines = pd.DataFrame(
        {"id": ["X1", "X2", "X3"], "section": "1", "claim": "c", "value": ["1", "2", "3"]}
    )
    monkeypatch.setattr(published, "claims", lambda document: lines)


class Table:
    data = "usps"

    def __call__(self, **arguments):
        self.arguments = arguments
        made = pd.DataFrame({"value": [0.25]})
        made.attrs = {"twin": False}
        return made


def register(document, table):
    def decide(made):
        """Compares with a quarter."""
        return claims.Finding(made["value"][0] == 0.25, {"value": made["value"][0]})

    decide.__module__ = f"kernlib.replication.{document}.tables"
    claims.claim("X1", tables=(table,))(decide)


def test_each_claim_gets_an_outcome_with_its_evidence():
    table = Table()
    register("doc", table)
    claims.used("doc", {"X2": "the grid of curve"})
    claims.not_testable("doc", {"X3": "no numbers are printed"})
    data = SimpleNamespace()
    got = claims.findings("doc", runs=3, data={"usps": data, "milan": None})
    assert list(got["outcome"]) == ["holds", "used", "not testable"]
    assert got["evidence"][0] == "value = 0.25"
    assert list(got["reason"]) == [
        "Compares with a quarter.", "the grid of curve", "no numbers are printed"
    ]  # fmt: skip
    assert table.arguments == {"runs": 3, "data": data}


def test_a_claim_that_nobody_deals_with_is_an_error():
    with pytest.raises(ValueError, match="claim X1 of doc is not dealt with"):
        claims.findings("doc")


def test_a_claim_is_registered_once():
    claims.used("doc", {"X2": "here"})
    with pytest.raises(ValueError, match="X2 of doc is registered twice"):
        claims.not_testable("doc", {"X2": "there"})


def test_a_claim_can_fail():
    def decide():
        """Never."""
        return claims.Finding(False)

    decide.__module__ = "kernlib.replication.doc"
    claims.claim("X1")(decide)
    claims.used("doc", {"X2": "a", "X3": "b"})
    assert claims.findings("doc")["outcome"][0] == "does not hold"
