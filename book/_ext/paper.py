"""What the book needs on paper: real tables, quiet proofs, no empty chapter.

Applies to the LaTeX output alone; the pages of the HTML book never see it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# A table in LaTeX comes as a cell's text/latex, which myst-nb takes for a formula.
TABLE = re.compile(r"\\(?:begingroup|begin\{(?:longtable|tabular|tabulary|table|center)\})")


class RawTables(SphinxPostTransform):
    """Hand a table that a cell wrote in LaTeX to LaTeX as it is."""

    default_priority = 5  # right after myst-nb has chosen between the forms of an output
    builders = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Replace formulas that are tables."""
        for block in list(self.document.findall(nodes.math_block)):
            if "text_latex" in block["classes"] and TABLE.match(block.astext().strip()):
                block.replace_self(nodes.raw("", block.astext(), format="latex"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the changes."""
    app.add_post_transform(RawTables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
