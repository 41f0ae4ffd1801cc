"""Show the figures of the cells at half their pixels: sharp on a dense screen and in print."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "jupyter_execute"  # where the outputs of the cells are
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png_width(path: Path) -> int | None:
    """Return a PNG's width in pixels, from its header; None for other files."""
    with path.open("rb") as file:
        head = file.read(24)
    if head[:8] != SIGNATURE:
        return None
    return struct.unpack(">I", head[16:20])[0]


def _halve(app: Sphinx, doctree: nodes.document) -> None:
    for image in doctree.findall(nodes.image):
        path = Path(app.srcdir) / image["uri"].lstrip("/")
        if FOLDER in path.parts and "width" not in image and path.is_file():
            width = png_width(path)
            if width:
                image["width"] = f"{width // 2}px"


def setup(app: Sphinx) -> dict[str, bool]:
    """Set the widths when a page has been read."""
    app.connect("doctree-read", _halve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
