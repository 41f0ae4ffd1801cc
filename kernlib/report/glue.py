"""Glue numbers of a run into the prose of the book."""

from __future__ import annotations

from typing import Any

from kernlib.report import readable


def glue_number(key: str, value: Any, spec: str) -> None:
    """Glue ``value`` under ``key``, formatted by ``spec``.

    Parameters
    ----------
    key : str
        Name of the number, ``<chapter>-<quantity>``.
    value : number or array of one element
        The computed result.
    spec : str
        A format specification such as ``".1%"`` or ``",.0f"``.

    Notes
    -----
    Text is glued, not the number: format specifications in ``{glue:text}`` fail on NumPy scalars.
    """
    from myst_nb import glue  # only the book needs it: not a dependency of the library

    number = value.item() if hasattr(value, "item") else value
    glue(key, readable.number(format(number, spec)), display=False)
