"""Show docstrings as they were meant: references as [1], [2], …, values in straight quotes.

numpydoc makes the labels of each docstring unique and shortens them again, but it misses the
citations inside an ``eval-rst`` block, which would read [R4bfad3aa3aab-2].  The quotes of prose,
which docutils turns round, are wrong around values: default="last" is code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

UNIQUE = re.compile(r"\[R[0-9a-f]{12}-(\w+)\]")
STRAIGHT = str.maketrans("“”", '""')


def _mend(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for text in list(doctree.findall(nodes.Text)):
        if UNIQUE.fullmatch(text.astext()):
            text.parent.replace(text, nodes.Text(UNIQUE.sub(r"[\1]", text.astext())))
    for docstring in doctree.findall(addnodes.desc_content):
        for text in list(docstring.findall(nodes.Text)):
            straight = text.astext().translate(STRAIGHT)
            if straight != text.astext():
                text.parent.replace(text, nodes.Text(straight))


def setup(app: Sphinx) -> dict[str, bool]:
    """Mend the docstrings once all references are resolved."""
    app.connect("doctree-resolved", _mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
