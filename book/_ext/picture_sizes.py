"""Show the pictures of the cells at their true size, on screens of any density and on paper.

matplotlib notes the dots to the inch in the file.  A browser ignores the note and would show a
picture drawn for a dense screen twice as large; here the note becomes the width of the image.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from PIL import Image

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# CSS has 96 pixels to the inch, and so has Sphinx's LaTeX.
PIXELS_PER_INCH = 96


def true_width(path: Path) -> int | None:
    """Return the width in CSS pixels of a picture that says its density."""
    with Image.open(path) as image:
        dpi = image.info.get("dpi")
        return round(image.width * PIXELS_PER_INCH / dpi[0]) if dpi else None


def _set_widths(app: Sphinx, doctree: nodes.document) -> None:
    for image in doctree.findall(nodes.image):
        # Its uri is still the one that myst-nb wrote, relative to the sources or to the page.
        name = Path(image["uri"]).name
        path = Path(app.outdir).parent / "jupyter_execute" / name
        if path.suffix == ".png" and "width" not in image and path.is_file():
            width = true_width(path)
            if width:
                image["width"] = f"{width}px"


def setup(app: Sphinx) -> dict[str, bool]:
    """Set the widths when a page was read: they serve every output."""
    app.connect("doctree-read", _set_widths)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
