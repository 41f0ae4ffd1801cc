"""Show the references of a docstring as [1], [2], … also where they are cited.

numpydoc makes the labels of each docstring unique and shortens them again, but it misses the
citations inside an ``eval-rst`` block, which would read [R4bfad3aa3aab-2].
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

UNIQUE = re.compile(r"\[R[0-9a-f]{12}-(\w+)\]")


def _shorten(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for text in list(doctree.findall(nodes.Text)):
        if UNIQUE.fullmatch(text.astext()):
            text.parent.replace(text, nodes.Text(UNIQUE.sub(r"[\1]", text.astext())))


def setup(app: Sphinx) -> dict[str, bool]:
    """Shorten the labels once all references are resolved."""
    app.connect("doctree-resolved", _shorten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
