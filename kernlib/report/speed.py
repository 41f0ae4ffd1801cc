"""The recorded benchmarks: what ``make bench`` wrote, read for the chapter ``book/speed.md``.

Tests: ``tests/report/test_speed.py``.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

import kernlib
from kernlib.report.tables import plain

RESULTS = Path(kernlib.__file__).resolve().parents[1] / "benchmarks" / "results"


def recorded(name: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return a table that the benchmarks wrote.

    Parameters
    ----------
    name : str
        Of the table: "summary", "growth", "limits" and others.
    folder : Path, optional
        Where the tables are.
    """
    path = folder / f"{name}.csv"
    if not path.is_file():
        raise FileNotFoundError(
            f"expected the benchmarks' table {name}.csv in {folder.name}, found none. "
            "Write it with: make bench"
        )
    return pd.read_csv(path, dtype={"met": "string", "note": "string", "sense": "string"})


def exponents(growth: pd.DataFrame) -> pd.DataFrame:
    """Return the exponents of growth: slopes of lines fitted to the logarithms.

    Parameters
    ----------
    growth : DataFrame
        Columns ``learner``, ``axis``, ``size``, ``seconds``, ``megabytes``.

    Returns
    -------
    DataFrame
        ``learner``, ``axis``, ``smallest``, ``largest`` (sizes), ``seconds``, ``megabytes`` (at
        the largest), ``time_exponent``, ``memory_exponent``, and ``last_exponent``, that of the
        time between the two largest sizes.  Less than half of the second decimal counts as 0.
    """
    rows = []
    for (learner, axis), part in growth.groupby(["learner", "axis"], sort=False):
        part = part.sort_values("size")
        x, t = np.log(part["size"]), np.log(part["seconds"])
        rows.append(
            {
                "learner": learner,
                "axis": axis,
                "smallest": int(part["size"].iloc[0]),
                "largest": int(part["size"].iloc[-1]),
                "seconds": float(part["seconds"].iloc[-1]),
                "megabytes": float(part["megabytes"].iloc[-1]),
                "time_exponent": _clear(np.polyfit(x, t, 1)[0]),
                "last_exponent": _clear(np.diff(t)[-1] / np.diff(x)[-1]),
                "memory_exponent": _clear(np.polyfit(x, np.log(part["megabytes"]), 1)[0]),
            }
        )
    return pd.DataFrame(rows)


def _clear(exponent: float) -> float:
    return float(exponent) if abs(exponent) >= 0.005 else 0.0


def duration(seconds: float) -> str:
    """Return a time with a unit that suits it: seconds, minutes, hours or days.

    Examples
    --------
    >>> duration(0.68), duration(240), duration(5.5 * 3600), duration(14_700 * 3600)
    ('0.68 s', '4 min', '5.5 h', '612 days')
    """
    for unit, size in {"days": 172_800, "h": 7200, "min": 120}.items():
        if seconds >= size:
            count = seconds / {"days": 86_400, "h": 3600, "min": 60}[unit]
            return f"{count:,.0f} {unit}" if count >= 100 else f"{count:.2g} {unit}"
    return f"{seconds:.0f} s" if seconds >= 100 else f"{seconds:.2g} s"


def contests(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of the summary that compare with a peer that was there."""
    # Where less is better the ratio is ours to theirs: the other way round.
    less = summary["sense"].eq("<=").fillna(False).astype(bool)
    return summary[summary["unit"].str.startswith("x ") & summary["ratio"].notna() & ~less]


def _three_digits(value: float) -> str:
    """Return a number with three digits, or all before the point: 3706, not 3.71e+03."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def goals(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the lines that have a goal, as texts: case, goal, found, interval, quality, met.

    The case is MyST: a command in it is code, or its hyphens would be set as a dash.
    """
    part = summary[summary["met"].notna()]
    interval = [
        f"{_three_digits(a)} – {_three_digits(b)}"
        for a, b in zip(part["low"], part["high"], strict=True)
    ]
    signs = part["sense"].map({">=": "≥", "<=": "≤"})
    return pd.DataFrame(
        {
            "case": [re.sub(r"kernlib --\w+", r"`\g<0>`", plain(case)) for case in part["case"]],
            "goal": [
                f"{s} {g:g} {u}" for s, g, u in zip(signs, part["goal"], part["unit"], strict=True)
            ],
            "found": [_three_digits(value) for value in part["ratio"]],
            "interval": interval,
            "quality": _qualities(part),
            "met": part["met"].map({"True": "yes", "False": "no"}),
        }
    )


def _qualities(part: pd.DataFrame) -> list[str]:
    texts = []
    for what, ours, theirs in zip(
        part["quality"], part["quality_ours"], part["quality_theirs"], strict=True
    ):
        beside = "" if pd.isna(theirs) else f" : {theirs:.4g}"
        texts.append("–" if pd.isna(what) or pd.isna(ours) else f"{what} {ours:.4g}{beside}")
    return texts


def machine(summary: pd.DataFrame) -> pd.DataFrame:
    """Return what the recorded numbers depend on, a line each; missing peers are said to be so."""
    columns = [str(name) for name in summary.columns]
    names = columns[columns.index("note") + 1 :]
    first = summary.iloc[0]
    values = ["not installed" if pd.isna(first[name]) else str(first[name]) for name in names]
    return pd.DataFrame({"what": names, "value": values})
