"""What the book needs on paper: real tables, quiet proofs, the chapter numbers of the HTML book.

Applies to the LaTeX output alone; the pages of the HTML book never see it.  The environments that
are named here are defined in ``_config.yml``.
"""

from __future__ import annotations

import re
from math import ceil
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_jupyterbook_latex.nodes import RootHeader
from sphinx_proof.nodes import proof_node

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# A table in LaTeX comes as a cell's text/latex, which myst-nb takes for a formula.
TABLE = re.compile(r"\\(?:begingroup|begin\{(?:longtable|tabular|tabulary|table|center)\})")
# numpydoc's labels: unique by a digest, shown as [1], [2], …
DOCSTRING = re.compile(r"r[0-9a-f]{12}-(\w+)", re.I)
OPENING = (
    r"\chapter*{About this book}\addcontentsline{toc}{chapter}{About this book}"
    r"\markboth{About this book}{About this book}"
)
# LaTeX numbers chapters where this is above -1, and sections down to the second level at 2.
NUMBERED = r"\setcounter{secnumdepth}{2}\klnumbered{}"
UNNUMBERED = r"\setcounter{secnumdepth}{-1}\klunnumbered{}"
# The width of the page and the space between columns, in characters.
LINE, GAP = 97, 3
TALL = 30  # lines; a taller table may break over pages
# Where LaTeX cannot break a table.
FIRM = (nodes.Admonition, nodes.list_item, nodes.entry, addnodes.desc_content)


def _latex(text: str) -> nodes.raw:
    return nodes.raw("", text, format="latex")


class RawTables(SphinxPostTransform):
    """Hand a table that a cell wrote in LaTeX to LaTeX as it is."""

    default_priority = 5  # right after myst-nb has chosen between the forms of an output
    builders = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Replace formulas that are tables."""
        for block in list(self.document.findall(nodes.math_block)):
            if "text_latex" in block["classes"] and TABLE.match(block.astext().strip()):
                block.replace_self(_latex(block.astext()))


class TallTables(SphinxPostTransform):
    """Let a tall table break over pages, with columns as wide as their text needs."""

    default_priority = 7  # after the tables of cells have been read
    builders = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Mark the tables and set their widths."""
        for found in list(self.document.findall(nodes.table)):
            rows = [[cell.astext() for cell in row.children] for row in found.findall(nodes.row)]
            columns = list(found.findall(nodes.colspec))
            if _is_firm(found) or any(len(row) != len(columns) for row in rows):
                continue
            widths = column_widths(rows)
            long = "longtable" in found["classes"]
            if not long and ("colwidths-given" in found["classes"] or lines(rows, widths) <= TALL):
                continue
            found["classes"] += ["longtable", "colwidths-given"]
            for column, width in zip(columns, widths, strict=True):
                column["colwidth"] = width


def _is_firm(node: nodes.Node | None) -> bool:
    while node is not None and not isinstance(node, FIRM):
        node = node.parent
    return node is not None


def column_widths(rows: list[list[str]]) -> list[int]:
    """Return the widths of columns in characters; the first row is the head, in a wider font."""
    least, wish = [], []
    for head, *cells in zip(*rows, strict=True):
        texts = [head + "  ", *cells]
        longest = max(map(len, texts))
        word = max(len(word) for text in texts for word in re.split(r"[\s-]+", text))
        least.append(min(longest, max(9, min(word, 20))))
        wish.append(min(longest, 3 * LINE) - least[-1])
    spare = max(LINE - sum(least) - GAP * len(least), 0)
    share = min(spare / max(sum(wish), 1), 1.0)
    return [GAP + a + int(share * b) for a, b in zip(least, wish, strict=True)]


def lines(rows: list[list[str]], widths: list[int]) -> int:
    """Return about how many lines a table takes."""
    scale = max(LINE / sum(widths), 1.0)
    room = [max(scale * width - GAP, 1) for width in widths]
    return sum(max(ceil(len(t) / w) for t, w in zip(row, room, strict=True)) for row in rows)


class Proofs(SphinxPostTransform):
    """Set a proof as text with a square at its end, not as a box with an empty bar."""

    default_priority = 6
    builders = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Replace the boxes; sphinx-proof has put the word "Proof" before the first one."""
        for proof in list(self.document.findall(proof_node)):
            content = [child for box in proof.children for child in box.children]
            first = next(iter(content[0].findall(nodes.Text)), None)
            if first is not None and first.astext().startswith("Proof. "):
                rest = nodes.Text(first.astext().removeprefix("Proof. "))
                first.parent.replace(first, [_latex(r"\emph{Proof.} "), rest])
            if not isinstance(content[-1], nodes.paragraph):
                content.append(nodes.paragraph())
            content[-1] += _latex(r"\klqed{}")
            proof.replace_self(content)


class DocstringReferences(SphinxPostTransform):
    """Leave the references of a docstring below it; Sphinx would mix them with the bibliography."""

    default_priority = 4  # before Sphinx turns references into citations
    builders = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Replace numpydoc's citations, and the references to them, by text."""
        for citation in list(self.document.findall(nodes.citation)):
            match = next(filter(None, map(DOCSTRING.fullmatch, citation["names"])), None)
            if match:
                text = [child for part in citation.children[1:] for child in part.children]
                citation.replace_self(nodes.paragraph("", f"[{match[1]}] ", *text))
        # numpydoc repeats the labels for LaTeX, where it expects the references to go elsewhere.
        for repeated in list(self.document.findall(addnodes.only)):
            targets = [x["reftarget"] for x in repeated.findall(addnodes.pending_xref)]
            if repeated["expr"] == "latex" and targets and all(map(DOCSTRING.fullmatch, targets)):
                repeated.parent.remove(repeated)
        for reference in list(self.document.findall(addnodes.pending_xref)):
            match = DOCSTRING.fullmatch(reference["reftarget"])
            if match:
                reference.replace_self(nodes.inline("", f"[{match[1]}]"))


class Chapters(SphinxPostTransform):
    """Number the chapters that the HTML book numbers, open with the front page, close once."""

    default_priority = 760  # after parts and bibliography have found their places
    builders = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Mark unnumbered chapters; drop the page of which only the title is left."""
        # All numbers are counted now; LaTeX counts its own from the parts, one level further up.
        self.config.numfig_secnum_depth = 2
        cited_from = {citation.get("docname") for citation in self.document.findall(nodes.citation)}
        for page in list(self.document.findall(addnodes.start_of_file)):
            docname = page["docname"]
            if docname not in self.env.found_docs:
                continue  # a part
            if docname in cited_from and _is_hollow(page):
                # Links to the page lead to what took its place.
                label = rf"\phantomsection\label{{\detokenize{{{docname}::doc}}}}"
                page.replace_self(_latex(label))
                continue
            numbered = bool(self.env.toc_secnumbers.get(docname))
            page.insert(0, _latex(NUMBERED if numbered else UNNUMBERED))
        front = next(iter(self.document.findall(nodes.section)), None)
        if front is not None:
            front.insert(1, _latex(OPENING))


def _is_hollow(page: nodes.Element) -> bool:
    """Whether a page has a title and nothing else that would be printed."""
    title = next(iter(page.findall(nodes.title)), None)
    images = any(page.findall(nodes.image))
    return title is not None and not images and page.astext().split() == title.astext().split()


def _visit_header(self: Any, node: RootHeader) -> None:
    self.body.append(r"\section*{")


def _depart_header(self: Any, node: RootHeader) -> None:
    self.body.append("}\n")


def _count_from_chapters(app: Sphinx) -> None:
    # sphinx-jupyterbook-latex has just made it 2, which would make theorem 1.1 theorem 1.3.1.
    app.config.numfig_secnum_depth = 1


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the changes."""
    for transform in (RawTables, TallTables, Proofs, DocstringReferences, Chapters):
        app.add_post_transform(transform)
    app.setup_extension("sphinx_jupyterbook_latex")
    app.add_node(RootHeader, override=True, latex=(_visit_header, _depart_header))
    app.connect("builder-inited", _count_from_chapters, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
