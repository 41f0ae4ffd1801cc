"""Every page of the built book, as a reader's browser shows it."""

from __future__ import annotations

from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup

from .conftest import HTML, WIDTHS, as_text, built_pages

MAX_PAGE = 3_000_000
MAX_BOOK = 40_000_000


def test_the_book_is_built():
    names = {page.stem for page in built_pages()}
    assert {"index", "search", "perceptron"} <= names, "run make book first"


def test_page_loads_in_silence(seen, record_property):
    record_property("pages", 1)
    record_property("requests", len(seen["requests"]))
    assert seen["requests"]
    outside = [url for url in seen["requests"] if not url.startswith(("file://", "data:"))]
    assert not outside, as_text(outside)
    assert not seen["complaints"], as_text(seen["complaints"])


def test_page_names_nothing_outside(seen):
    assert not seen["content"]["outside"]


def test_formulas_are_set(seen, record_property):
    content = seen["content"]
    record_property("formulas", content["formulas"])
    assert not content["unset"], as_text(content["unset"])
    assert not content["wrong"], as_text(content["wrong"])
    assert not content["raw"], as_text(content["raw"])


def test_images_are_there_described_and_sharp(seen, record_property):
    content = seen["content"]
    record_property("images", content["images"])
    assert not content["broken"]
    assert not content["unnamed"]
    assert not content["blurred"]


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_screen(seen, width):
    layout = seen["layout"][width]
    assert layout["wide"] <= 0, as_text(layout["culprits"])
    assert not layout["cut"], f"cut off: {as_text(layout['cut'])}"


def test_dark_mode_is_dark_and_its_figures_are_light(seen):
    dark = seen["dark"]
    assert dark["theme"] == "dark"
    assert dark["page"] < 0.05
    assert dark["text"] > 0.5
    assert not dark["dim"], "a figure has no light card"
    assert not dark["sunk"], "a formula is dark on dark"
    assert not dark["glaring"], f"text on a light ground: {as_text(dark['glaring'])}"


def test_what_is_folded_can_be_opened(seen):
    assert seen["folded"] == 0


def test_axe_finds_nothing_serious(seen):
    assert len(seen["axe"]) == 3
    found = {where: violations for where, violations in seen["axe"].items() if violations}
    assert not found, as_text(found)


def test_interactive_parts_are_alive(seen, record_property):
    parts = seen["content"]["parts"]
    record_property("interactive parts", len(parts))
    assert all(part["live"] for part in parts), as_text(parts)
    assert len({part["id"] for part in parts}) == len(parts)


def test_page_has_one_heading_and_a_title(seen):
    assert seen["content"]["title"]
    # The theme repeats the heading for printing.
    assert seen["content"]["headings"] in (1, 2)


def test_page_is_small(built_page):
    soup = BeautifulSoup(built_page.read_text(encoding="utf8"), "html.parser")
    sources = {image["src"] for image in soup.find_all("img") if image.get("src")}
    files = [built_page.parent / unquote(s) for s in sources if not s.startswith("data:")]
    size = built_page.stat().st_size + sum(path.stat().st_size for path in files)
    assert size <= MAX_PAGE, f"{size:,} bytes with its images"


def test_book_is_small():
    assert sum(path.stat().st_size for path in HTML.rglob("*") if path.is_file()) <= MAX_BOOK


@pytest.fixture(scope="module")
def anchors() -> dict[str, set[str]]:
    """Return the anchors of every page, by address."""
    found = {}
    for path in built_pages():
        soup = BeautifulSoup(path.read_text(encoding="utf8"), "html.parser")
        found[path.as_uri()] = {tag["id"] for tag in soup.find_all(id=True)} | {
            tag["name"] for tag in soup.find_all("a", attrs={"name": True})
        }
    return found


def dead_links(address: str, page: str, anchors: dict[str, set[str]]) -> tuple[int, list[str]]:
    """Return the number of internal links of a page and those that lead nowhere."""
    n_links, dead = 0, []
    for link in BeautifulSoup(page, "html.parser").find_all("a", href=True):
        target, anchor = urldefrag(urljoin(address, link["href"]))
        if urlsplit(target).scheme != "file":
            continue
        n_links += 1
        if target in anchors:
            # "#" alone is the top of the page.
            if anchor and unquote(anchor) not in anchors[target]:
                dead.append(link["href"])
        elif not target.startswith(HTML.as_uri()) or not _is_file(target):
            dead.append(link["href"])
    return n_links, dead


def _is_file(address: str) -> bool:
    from pathlib import Path

    return Path(unquote(urlsplit(address).path)).is_file()


def test_links_and_anchors_resolve(built_page, anchors, record_property):
    text = built_page.read_text(encoding="utf8")
    n_links, dead = dead_links(built_page.as_uri(), text, anchors)
    record_property("links", n_links)
    assert n_links > 0
    assert not dead


@pytest.mark.parametrize("link", ["nowhere.html", "index.html#nowhere", "#nowhere", "../x.html"])
def test_rule_sees_a_dead_link(link, anchors):
    address = (HTML / "index.html").as_uri()
    assert dead_links(address, f'<a href="{link}">x</a>', anchors) == (1, [link])
