"""Tie a build of the book to the library that it ran.

Sphinx runs a page again only when the page itself has changed, so a change in ``kernlib`` would
leave old numbers in the built book.  Here the digest of the library is a setting of the build
(a new value outdates every page), and it is written beside the pages, where the tests compare it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

STAMP = "library.sha256"


def library_digest(package: Path) -> str:
    """Return a digest of every source file of ``package``, names included."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _write_stamp(app: Sphinx, exception: Exception | None) -> None:
    if exception is None:
        stamp = Path(app.outdir).parent / STAMP
        stamp.write_text(app.config.library_digest + "\n", encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the digest as a setting that outdates every page, and the stamp."""
    digest = library_digest(Path(app.srcdir).resolve().parent / "kernlib")
    app.add_config_value("library_digest", digest, "env", [str])
    app.connect("build-finished", _write_stamp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
