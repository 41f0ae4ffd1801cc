"""A table to sort and filter, and a heat map whose values can be read; see ``interactive``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from kernlib.report.pictures import base64_of, png_of

NAME = re.compile(r"[a-z][a-z0-9-]*")
LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "_": r"\_\allowbreak{}",  # a long name may break there
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def checked_name(name: str) -> str:
    """Return ``name`` if it can make ids of a page, or raise."""
    if not NAME.fullmatch(name):
        raise ValueError(
            f"name must be lower-case letters, digits and hyphens (it makes the ids of the page), "
            f"got {name!r}. Take <chapter>-<what>."
        )
    return name


def latex_escape(text: str) -> str:
    """Return ``text`` with TeX's special characters made harmless."""
    return re.sub(r"[\\&%$#_{}~^]", lambda match: LATEX[match[0]], text)


class DataTable:
    """A table that can be sorted by any column and filtered; on paper a plain one.

    It brings its own caption and may break across pages: do not put it into a figure.

    Parameters
    ----------
    frame : DataFrame
        The rows, in the order in which they are shown first; the index is not shown.
    name : str
        Makes the ids of the page: ``<chapter>-<what>``.
    caption : str
        What the table holds.
    formats : mapping of str to str, optional
        Format specification of a column, such as ``".2%"``.
    selects : sequence of str, optional
        Columns to filter by one of their values.
    max_paper_rows : int, default=40
        Rows on paper; the table says so if there are more.
    widths : mapping of str to float, optional
        Width of a column on paper as a share of the line, for columns of running text.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"learner": ["Pegasos", "Winnow"], "error": [0.25, 0.5]})
    >>> table = DataTable(frame, "a-scores", "Errors.", formats={"error": ".0%"})
    >>> table.cells(0)
    ['Pegasos', '25%']
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        name: str,
        caption: str,
        *,
        formats: Mapping[str, str] | None = None,
        selects: Sequence[str] = (),
        max_paper_rows: int = 40,
        widths: Mapping[str, float] | None = None,
    ) -> None:
        self.frame, self.name, self.caption = frame, checked_name(name), caption
        self.formats, self.widths = dict(formats or {}), dict(widths or {})
        self.selects, self.max_paper_rows = list(selects), max_paper_rows
        unknown = sorted({*self.formats, *self.selects, *self.widths} - set(frame.columns))
        if unknown:
            raise ValueError(
                f"formats, selects and widths name columns of the table, got {unknown}; "
                f"it has {list(frame.columns)}."
            )
        self.numeric = [pd.api.types.is_numeric_dtype(frame[c]) for c in frame.columns]

    def __repr__(self) -> str:
        return f"DataTable({self.name!r}, {len(self.frame)} rows)"

    def cells(self, row: int) -> list[str]:
        """Return the texts of one row; a missing value is an en dash."""
        texts = []
        for column in self.frame.columns:
            value = self.frame[column].iloc[row]
            missing = pd.isna(value)
            texts.append("\N{EN DASH}" if missing else format(value, self.formats.get(column, "")))
        return texts

    def _select(self, column: str) -> str:
        values = [str(value) for value in pd.unique(self.frame[column].dropna())]
        ident = f"{self.name}-{list(self.frame.columns).index(column)}"
        options = "".join(f"<option>{escape(value)}</option>" for value in sorted(values))
        return (
            f'<label for="{ident}">{escape(column)} <select id="{ident}" '
            f'data-column="{ident.rsplit("-", 1)[1]}"><option value="">all</option>{options}'
            "</select></label>"
        )

    def _row(self, row: int) -> str:
        cells = []
        for number, text in enumerate(self.cells(row)):
            value: Any = self.frame.iat[row, number]
            # Sorting needs the number itself: its text may be rounded or a percentage.
            key = f' data-key="{float(value)!r}"' if self._sorts(number, value) else ""
            kind = ' class="kl-number"' if self.numeric[number] else ""
            cells.append(f"<td{kind}{key}>{escape(text)}</td>")
        return f"<tr>{''.join(cells)}</tr>"

    def _sorts(self, number: int, value: Any) -> bool:
        return self.numeric[number] and not pd.isna(value)

    def html(self) -> str:
        """Return the HTML: hidden filters and the whole table."""
        n, name = len(self.frame), self.name
        heads = "".join(
            f'<th scope="col" data-column="{number}">{escape(str(column))}</th>'
            for number, column in enumerate(self.frame.columns)
        )
        rows = "".join(self._row(row) for row in range(n))
        return (
            f'<div class="kl-widget kl-wide" data-kernlib="table" id="{name}">'
            f'<div class="kl-controls" hidden><label for="{name}-filter">Filter '
            f'<input type="search" id="{name}-filter" autocomplete="off"></label>'
            f"{''.join(self._select(column) for column in self.selects)}"
            f'<p class="kl-readout" aria-live="polite">{n} of {n} rows</p></div>'
            f'<div class="kl-scroll"><table class="kl-table table"><caption>'
            f"{escape(self.caption)}</caption><thead><tr>{heads}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div></div>"
        )

    def latex(self) -> str:
        """Return a longtable; a long one is cut short and says so."""
        shown = min(len(self.frame), self.max_paper_rows)
        columns = "".join(
            rf">{{\raggedright\arraybackslash}}p{{{self.widths[c]:g}\linewidth}}"
            if c in self.widths
            else ("r" if numeric else "l")
            for c, numeric in zip(self.frame.columns, self.numeric, strict=True)
        )
        head = " & ".join(rf"\textbf{{{latex_escape(str(c))}}}" for c in self.frame.columns)
        rows = [" & ".join(map(latex_escape, self.cells(row))) + r" \\" for row in range(shown)]
        cut = ""
        if shown < len(self.frame):
            cut = rf" (The first {shown} of {len(self.frame)} rows; the HTML edition has them all.)"
        return "\n".join(
            [
                r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}",
                rf"\begin{{longtable}}{{{columns}}}",
                rf"\caption*{{{latex_escape(self.caption)}{cut}}}\\",
                rf"\toprule {head} \\ \midrule \endhead \bottomrule \endfoot",
                *rows,
                r"\end{longtable}\endgroup",
            ]
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/latex": self.latex(), "text/plain": repr(self)}


def _ink(red: float, green: float, blue: float) -> str:
    """Return black or white, whichever has the greater contrast by WCAG's formula."""
    linear = [
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "#ffffff"


class HeatMap:
    """A matrix in colours with its values written in; arrow keys walk through it.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_columns)
        The numbers; NaN is left blank.
    rows, columns : sequences of str
        Their names.
    name : str
        Makes the ids of the page: ``<chapter>-<what>``.
    caption : str
        What the matrix holds, with its unit.
    fmt : str, default=".2f"
        Format specification of a value.
    row_title, column_title : str, optional
        What the rows and the columns are.
    colours : str, default="cividis"
        A matplotlib colour map; lightness must rise or fall along it.

    Examples
    --------
    >>> heat = HeatMap([[1, 2]], ["a"], ["x", "y"], "a-heat", "Counts.", fmt=".0f")
    >>> heat.text(0, 1)
    '2'
    """

    def __init__(
        self,
        values: ArrayLike,
        rows: Sequence[str],
        columns: Sequence[str],
        name: str,
        caption: str,
        *,
        fmt: str = ".2f",
        row_title: str = "",
        column_title: str = "",
        colours: str = "cividis",
    ) -> None:
        self.values = np.asarray(values, dtype=float)
        self.rows, self.columns = [str(r) for r in rows], [str(c) for c in columns]
        if self.values.shape != (len(self.rows), len(self.columns)):
            raise ValueError(
                f"values must have one row per name, {(len(self.rows), len(self.columns))}, "
                f"got {self.values.shape}."
            )
        self.name, self.caption, self.fmt = checked_name(name), caption, fmt
        self.row_title, self.column_title, self.colours = row_title, column_title, colours

    def __repr__(self) -> str:
        return f"HeatMap({self.name!r}, {len(self.rows)} by {len(self.columns)})"

    def text(self, row: int, column: int) -> str:
        """Return the value of a cell as it is written."""
        value = self.values[row, column]
        return "" if np.isnan(value) else format(value.item(), self.fmt)

    def _colour(self, value: float) -> tuple[float, float, float]:
        low, high = np.nanmin(self.values), np.nanmax(self.values)
        share = 0.0 if high == low else (value - low) / (high - low)
        red, green, blue, _ = mpl.colormaps[self.colours](share)
        return float(red), float(green), float(blue)

    def _cell(self, row: int, column: int) -> str:
        text = self.text(row, column)
        if not text:
            return "<td></td>"
        colour = self._colour(self.values[row, column].item())
        style = f"background:{mpl.colors.to_hex(colour)};color:{_ink(*colour)}"
        return f'<td style="{style}">{escape(text)}</td>'

    def html(self) -> str:
        """Return the HTML: a table whose cells are coloured and say their value."""
        corner = escape(
            " \N{RIGHTWARDS ARROW} ".join(filter(None, (self.row_title, self.column_title)))
        )
        head = "".join(f'<th scope="col">{escape(c)}</th>' for c in self.columns)
        body = "".join(
            f'<tr><th scope="row">{escape(label)}</th>'
            f"{''.join(self._cell(row, column) for column in range(len(self.columns)))}</tr>"
            for row, label in enumerate(self.rows)
        )
        return (
            f'<div class="kl-widget kl-wide" data-kernlib="heat" id="{self.name}">'
            '<div class="kl-scroll"><table class="kl-heat">'
            f"<caption>{escape(self.caption)}</caption>"
            f"<thead><tr><td>{corner}</td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
            '<p class="kl-readout" aria-live="polite" hidden></p></div>'
        )

    def figure(self) -> Figure:
        """Return the heat map for paper, with its values written in."""
        n_rows, n_columns = self.values.shape
        figure = Figure(
            figsize=(min(6.4, 1.6 + 0.55 * n_columns), 0.9 + 0.32 * n_rows), layout="constrained"
        )
        ax = figure.add_subplot()
        ax.imshow(self.values, cmap=self.colours, aspect="auto")
        ax.grid(False)
        ax.set_xticks(range(n_columns), self.columns, fontsize=8)
        ax.set_yticks(range(n_rows), self.rows, fontsize=8)
        ax.set(xlabel=self.column_title, ylabel=self.row_title)
        for row, column in np.ndindex(n_rows, n_columns):
            text = self.text(row, column)
            if text:
                ink = _ink(*self._colour(self.values[row, column].item()))
                ax.text(column, row, text, ha="center", va="center", fontsize=7, color=ink)
        return figure

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        png = png_of(self.figure(), dpi=200)
        return {"text/html": self.html(), "image/png": base64_of(png), "text/plain": repr(self)}
