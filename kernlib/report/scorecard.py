"""The scorecard of the book: every published number, ours beside it, and where to read about it.

Tests: ``tests/report/test_scorecard.py``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd

from kernlib.replication import catalogue, engine, recorded
from kernlib.replication.published import DOCUMENTS
from kernlib.replication.verdicts import VERDICTS
from kernlib.report import readable

ALL = "all documents"
AS_CODE = "as the code"  # for "as the code, not the text": a column has to be narrow
_LONGEST = 8  # characters of a printed number, before it is rounded
_DIGITS = 6
# What names the place of an experiment in a chapter: (exp-cologni2024-pegasos-lambda)=
PLACE = re.compile(r"^\(exp-([a-z0-9-]+)\)=\s*$", re.M)
_RECORDED = {
    "recorded": "ours",
    "recorded_se": "se",
    "recorded_verdict": "verdict",
    "corrected_recorded": "corrected",
}


def whole_card() -> pd.DataFrame:
    """Return the scorecard of all experiments.

    Where the twin had to serve for the Milan table, the numbers, the p-values and the verdicts are
    those recorded on the original; ``source`` says which they are.
    """
    cards = []
    for made in catalogue.experiments():
        if made.published is None:
            continue
        card = catalogue.card(made.key)
        twin = "recorded" in card.columns
        if twin:
            card = card.drop(columns=list(_RECORDED.values())).rename(columns=_RECORDED)
            card = card.drop(columns=["p_value", "variant", "runs"]).merge(
                _kept(made.name), on=["row", "quantity"], validate="1:1"
            )
        cards.append(card.assign(source="recorded" if twin else "this build"))
    return pd.concat(cards, ignore_index=True)


def _kept(name: str) -> pd.DataFrame:
    card = recorded.read().scorecard
    columns = ["row", "quantity", "p_value", "variant", "runs"]
    return card.loc[card["experiment"] == name, columns]


def counts(card: pd.DataFrame) -> pd.DataFrame:
    """Return how many numbers of each document have each verdict, with totals."""
    found = pd.crosstab(card["document"], card["verdict"])
    shown = [verdict for verdict in VERDICTS if verdict in found.columns]
    found = found.reindex(index=[d for d in DOCUMENTS if d in found.index], columns=shown)
    found.loc[ALL] = found.sum()
    found["numbers"] = found.sum(axis=1)
    return found.rename_axis(columns=None).reset_index()


def short(document: str) -> str:
    """Return a document's number and its first author: "1 Cologni"."""
    return f"{DOCUMENTS.index(document) + 1} {document.rstrip('0123456789').capitalize()}"


def rows(card: pd.DataFrame) -> pd.DataFrame:
    """Return the scorecard as texts for a page: what, published, ours, corrected, verdict.

    Our numbers are in per cent where the published ones are; long printed ones are rounded.
    """
    per_cent = card["printed"].str.contains("%")
    parts = card[["experiment", "row", "quantity"]].astype(str).to_numpy()
    ours = zip(card["ours"], card["se"], per_cent, strict=True)
    right = zip(card["corrected"], per_cent, strict=True)
    return pd.DataFrame(
        {
            "document": card["document"].map(short),
            "what": [f"{e}: {r}, {q}".replace("_", " ") for e, r, q in parts],
            "published": [_brief(text) for text in card["printed"]],
            "ours ± s.e.": [readable.with_error(m, e, 4, per_cent=p) for m, e, p in ours],
            "corrected": [
                None if pd.isna(m) else readable.with_error(m, 0.0, 4, per_cent=p) for m, p in right
            ],
            "verdict": card["verdict"].replace("as the code, not the text", AS_CODE),
        }
    )


def _brief(printed: str) -> str:
    if len(printed) <= _LONGEST or "%" in printed:
        return printed
    return readable.number(f"{float(printed):.{_DIGITS}g}")


def statements(findings: pd.DataFrame) -> pd.DataFrame:
    """Return claims as texts for a page; what has no evidence has its reason there."""
    why = findings["evidence"].where(findings["evidence"] != "", findings["reason"])
    return pd.DataFrame(
        {
            "document": findings["document"].map(short),
            "section": findings["section"],
            "about": findings["claim"],
            "the document says": findings["stated"].map(readable.written),
            "outcome": findings["outcome"],
            "evidence, or reason": why.map(readable.evidence),
        }
    )


def places(book: Path) -> dict[str, tuple[str, str]]:
    """Return, by experiment, the page and the anchor at which the book shows it."""
    names = {_label(made.key): made.key for made in catalogue.experiments()}
    found: dict[str, tuple[str, str]] = {}
    for page in sorted(book.glob("*.md")):
        for label in PLACE.findall(page.read_text(encoding="utf8")):
            if label not in names:
                raise ValueError(
                    f"{page.name} has a place for {label!r}, which is no experiment. "
                    "See kernlib replicate --list --all."
                )
            key = names[label]
            if key in found:
                raise ValueError(f"{key} has two places, in {found[key][0]} and {page.stem}.")
            found[key] = (page.stem, f"exp-{label}")
    return found


def _label(key: str) -> str:
    return key.replace(".", "-").replace("_", "-")


def index(book: Path) -> pd.DataFrame:
    """Return every table and figure of the documents: what repeats it, where, by which command.

    Parameters
    ----------
    book : Path
        The folder of the chapters.

    Returns
    -------
    DataFrame
        ``document``, ``item``, ``what``, ``shown`` (links, in MyST) and ``command``; a line that
        nothing repeats has the reason in ``shown``.
    """
    where = places(book)
    lines: list[dict[str, Any]] = []
    catalogue.load()
    for document in DOCUMENTS:
        for line in engine.coverage(document).to_dict("records"):
            names = [name for name in line["experiments"].split(", ") if name]
            links = [_link(name, where.get(f"{document}.{name}")) for name in names]
            lines.append(
                {
                    "document": document,
                    "item": line["item"],
                    "what": line["what_it_shows"].replace("+-", "±").replace("..", "–"),
                    "shown": ", ".join(links) or line["reason"],
                    "command": "; ".join(f"`kernlib replicate {document} {n}`" for n in names),
                }
            )
    return pd.DataFrame(lines)


def _link(name: str, place: tuple[str, str] | None) -> str:
    words = name.replace("_", " ")
    return words if place is None else f"[{words}]({place[1]})"
