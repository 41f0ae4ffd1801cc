"""Tables of the book: a DataFrame as a numbered table with a caption, on the page and in print.

A table is written in MyST, which the book turns into a real table in HTML and in LaTeX alike; in
a live notebook it is shown as HTML.  Tests: ``tests/report/test_tables.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from kernlib.report import readable

LONG = 24  # rows; a longer table may break over the pages of the PDF
FENCE = "~~~~"  # after backticks a caption could not have any
ORDER = ["as printed", "as their code", "corrected"]
Format = str | Callable[[Any], str]
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"([\\`*_$<>\[\]{}])")


@dataclass(frozen=True)
class Table:
    """A table that a cell of the book ends with.

    Parameters
    ----------
    cells : DataFrame of str
        What is shown; MyST markup in the cells is read as such.
    name : str
        The label for references, ``tab-<chapter>-<what>``.
    caption : str
        What the table shows, in MyST.
    right : frozenset of str
        The columns that are aligned to the right: numbers.
    """

    cells: pd.DataFrame
    name: str
    caption: str
    right: frozenset[str]

    def markdown(self) -> str:
        """Return the table as a MyST directive."""
        columns = list(self.cells.columns)
        rule = ["---:" if name in self.right else ":---" for name in columns]
        lines = [columns, rule, *self.cells.to_numpy().tolist()]
        body = "\n".join(
            "| " + " | ".join(_one_line(cell) for cell in line) + " |" for line in lines
        )
        long = ""
        if len(self.cells) > LONG:
            long = f":class: longtable\n:widths: {' '.join(map(str, self._widths()))}\n"
        head = f"{FENCE}{{table}} {_one_line(self.caption)}\n:name: {self.name}\n{long}"
        return f"{head}\n{body}\n{FENCE}\n"

    def _widths(self) -> list[int]:
        """Return the relative widths of the columns; a long table on paper needs them."""
        found = []
        for name in self.cells.columns:
            texts = [_LINK.sub(r"\1", str(text)) for text in self.cells[name]]
            longest = max(len(str(name)), *(len(text) for text in texts))
            found.append(min(max(longest, 9), 40))
        return found

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        html = self.cells.to_html(index=False, border=0)
        plain = f"{self.caption}\n{self.cells.to_string(index=False)}"
        return {"text/markdown": self.markdown(), "text/html": html, "text/plain": plain}


def _one_line(text: str) -> str:
    # Not split(): it would take spaces that do not break for spaces.
    return re.sub(r"[ \t\r\n]+", " ", text).strip().replace("|", r"\|")


def plain(text: str) -> str:
    """Return text with the characters that MyST would read as markup escaped."""
    return _MARKUP.sub(r"\\\1", text)


def table(
    frame: pd.DataFrame,
    *,
    name: str,
    caption: str,
    formats: Mapping[str, Format] | None = None,
    labels: Mapping[str, str] | None = None,
    markup: tuple[str, ...] = (),
) -> Table:
    """Return a DataFrame as a table of the book.

    Parameters
    ----------
    frame : DataFrame
        Its columns are shown in order; the index is not.
    name : str
        The label for references, ``tab-<chapter>-<what>``.
    caption : str
        What the table shows, in MyST.
    formats : mapping of str to str or callable, optional
        By column: a format specification such as ``".1%"``, or a function that gives the text.
    labels : mapping of str to str, optional
        Headings by column, in MyST; otherwise the column's name with spaces for underscores.
    markup : tuple of str, default=()
        Columns of text that is MyST already, such as formulas.

    Returns
    -------
    Table
        Missing numbers are shown as a dash.
    """
    if not name.startswith("tab-"):
        raise ValueError(f"a table's name must start with 'tab-', got {name!r}. Rename it.")
    if "{cite" in caption:
        raise ValueError(
            "a table's caption must not cite, got one with {cite}: LaTeX fails on the brackets. "
            "Say 'document 5', and cite in the text."
        )
    unknown = sorted({*(formats or {}), *(labels or {}), *markup} - set(frame.columns))
    if unknown:
        raise ValueError(
            f"formats, labels and markup must name columns of the table, got {', '.join(unknown)}. "
            f"It has {', '.join(map(str, frame.columns))}."
        )
    cells = {}
    for column in frame.columns:
        how = (formats or {}).get(column, "")
        cells[column] = [_text(value, how, column in markup) for value in frame[column]]
    shown = pd.DataFrame(cells, columns=list(frame.columns), dtype=object)
    headings = {c: (labels or {}).get(c, str(c).replace("_", " ")) for c in frame.columns}
    numbers = {headings[c] for c in frame.columns if pd.api.types.is_numeric_dtype(frame[c])}
    return Table(shown.rename(columns=headings), name, caption, frozenset(numbers))


def _text(value: Any, how: Format, is_markup: bool) -> str:
    if callable(how):
        return how(value)
    if value is None or value is pd.NA or (isinstance(value, float) and value != value):
        return "–"
    text = format(value, how)
    if isinstance(value, str):
        return text if is_markup else plain(text)
    return readable.number(text)


def against(
    card: pd.DataFrame, *, name: str, caption: str, digits: int = 4, what: str = "row"
) -> Table:
    """Return a scorecard as a table: the published numbers, ours beside them, the verdicts.

    Parameters
    ----------
    card : DataFrame
        From ``kernlib.replication.catalogue.card``.
    name, caption : str
        As in ``table``.
    digits : int, default=4
        Significant digits of our numbers where they have no standard error.
    what : str, default="row"
        The heading of the rows.

    Returns
    -------
    Table
        Where the twin had to serve, with the results recorded on the original table, whose
        verdict it is; with our corrected numbers where there are any.
    """
    shown = pd.DataFrame({what: card["row"]})
    if card["quantity"].nunique() > 1:
        shown["quantity"] = card["quantity"].str.replace("_", " ")
    spread = card["printed_std"] != ""
    shown["published ± s.d." if spread.any() else "published"] = card["printed"].where(
        ~spread, card["printed"] + readable.PLUS_MINUS + card["printed_std"]
    )
    twin = "recorded" in card.columns
    ours = {"on the twin": ("ours", "se"), "on the original": ("recorded", "recorded_se")}
    for heading, (mean, se) in (ours if twin else {"ours": ("ours", "se")}).items():
        errors = " ± s.e." if (card[se] > 0).any() else ""
        shown[heading + errors] = _as_printed(card, mean, se, digits)
    corrected = "corrected_recorded" if twin else "corrected"
    if card[corrected].notna().any():
        shown["corrected"] = _as_printed(card, corrected, None, digits)
    shown["verdict"] = card["recorded_verdict" if twin else "verdict"]
    return table(shown, name=name, caption=caption)


def _as_printed(card: pd.DataFrame, mean: str, se: str | None, digits: int) -> list[str]:
    """Return our numbers, in per cent where the published ones are."""
    errors = pd.Series(0.0, index=card.index) if se is None else card[se]
    lines = zip(card["printed"], card[mean], errors, strict=True)
    return [
        "–" if m != m else readable.with_error(m, e, digits, per_cent="%" in printed)
        for printed, m, e in lines
    ]


def said(findings: pd.DataFrame, *, name: str, caption: str) -> Table:
    """Return claims as a table: what the document says, what came of it, the evidence.

    Parameters
    ----------
    findings : DataFrame
        From ``kernlib.replication.catalogue.said``.
    name, caption : str
        As in ``table``.
    """
    shown = pd.DataFrame(
        {
            "section": findings["section"],
            "about": findings["claim"].map(readable.evidence),
            "the document says": findings["stated"].map(readable.stated).replace("", "–"),
            "outcome": findings["outcome"],
            "evidence": findings["evidence"].map(readable.evidence).replace("", "–"),
        }
    )
    return table(shown, name=name, caption=caption, markup=("the document says",))


def by_variant(
    numbers: pd.DataFrame, *, name: str, caption: str, digits: int = 3, what: str = ""
) -> Table:
    """Return an experiment's means with a column a variant: the document's way, ours.

    Parameters
    ----------
    numbers : DataFrame
        From ``kernlib.replication.catalogue.numbers``, or some of its lines; what was recorded on
        the original table is preferred to what the twin gives.
    name, caption : str
        As in ``table``.
    digits : int, default=3
        Significant digits.
    what : str, default=""
        The heading of the rows; the quantity is shown where there are several.
    """
    original = "recorded" in numbers.columns
    mean, se = ("recorded", "recorded_se") if original else ("mean", "se")
    both = zip(numbers[mean], numbers[se], strict=True)
    shown = numbers.assign(text=[readable.with_error(m, s, digits) for m, s in both])
    keys = ["row", "quantity"] if numbers["quantity"].nunique() > 1 else ["row"]
    variants = dict.fromkeys(shown["variant"])
    order = [v for v in ORDER if v in variants] + [v for v in variants if v not in ORDER]
    wide = shown.pivot(index=keys, columns="variant", values="text").fillna("–")
    first = list(dict.fromkeys(shown[keys].itertuples(index=False, name=None)))
    wide = wide.loc[first if len(keys) > 1 else [key for (key,) in first], order]
    labels = {"row": what} if what else {}
    return table(wide.reset_index(), name=name, caption=caption, labels=labels)
