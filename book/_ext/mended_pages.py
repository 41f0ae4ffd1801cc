"""Mend the written pages: they open from a disk, without a network, and with a screen reader.

The theme pre-loads its icon fonts as cross-origin files, which a browser refuses for ``file://``
(the style sheet loads them a moment later anyway), and Jupyter Book adds thebe to every page, which
would come from another host.  A few elements have names or roles that contradict their content.
None of this has a setting.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

REMOVED = re.compile(
    r'<link rel="preload" as="(?:font|script)"[^>]*>\s*'
    r'|<link[^>]*href="[^"]*sphinx-thebe\.css[^"]*"[^>]*>\s*'
    r'|<script[^>]*src="[^"]*sphinx-thebe\.js[^"]*"[^>]*>\s*</script>\s*'
    r'|<script type="text/x-thebe-config">.*?</script>\s*'
    r"|<script>\s*const THEBE_JS_URL\b[^<]*</script>\s*"
    r"|<script>\s*kernelName = [^<]*</script>\s*",
    re.S,
)
# A name that hides the text inside; a list whose children are no list items.
CONTRADICTED = re.compile(
    r'(<summary)\s+aria-label="Toggle hidden content"'
    r'|(<button[^>]*\bsearch-button-field\b[^>]*?)\s+aria-label="Search"'
    r'|(<div)\s+role="list"(?=\s+class="[^"]*\bcitation-list\b)'
)
# Without JavaScript nothing resolves "auto", and a page would have no colours at all.
AUTO_THEME = re.compile(r'(<html\b[^>]*)data-theme="auto"')


def mended(page: str) -> str:
    """Return the text of a page without what it cannot or must not load, and with true names."""
    page = CONTRADICTED.sub(lambda match: match[1] or match[2] or match[3], REMOVED.sub("", page))
    return AUTO_THEME.sub(r'\1data-theme="light"', page)


def _mend(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for path in sorted(out.rglob("*.html")):
        old = path.read_text(encoding="utf8")
        new = mended(old)
        if new != old:
            path.write_text(new, encoding="utf8")
    for path in (out / "_static").glob("sphinx-thebe.*"):
        path.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Mend the pages once they are written."""
    app.connect("build-finished", _mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
