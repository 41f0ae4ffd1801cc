"""Notes that a page must show: which data its numbers are from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Note:
    """A paragraph of MyST that a cell of the book ends with."""

    text: str

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/markdown": self.text, "text/plain": self.text}


def data_note(milan: Any) -> Note:
    """Return whether this build ran on the Milan table or on its twin, as a box on the page.

    Parameters
    ----------
    milan : Bunch
        From ``kernlib.datasets.load_milan``.
    """
    if milan.is_twin:
        text = (
            "This build ran on the **twin** of the Milan table, made by the rules of "
            "[its chapter](ch-milan): the table itself is not ours to ship. Numbers marked "
            '"on the original" were recorded by `kernlib replicate cologni2024 --record`.'
        )
    else:
        text = "This build ran on the **original** Milan table."
    return Note(f":::{{admonition}} Which data\n:class: note\n{text}\n:::\n")
