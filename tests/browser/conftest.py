"""Chromium, and one visit to each page: everything that the tests ask about is looked at once."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
HTML = HERE.parents[1] / "book/_build/html"
WIDTHS = (1440, 768, 390)
HEIGHT = 900
PROGRAM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
# Root cannot have a sandbox; the rest keeps the browser from talking to its maker.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TYPESET = "async () => { if (window.MathJax?.startup) await MathJax.startup.promise; }"
SETTLE = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
LOOK = (HERE / "look.js").read_text(encoding="utf8")
AXE = HERE / "axe-core/axe.min.js"
RUN_AXE = """async () => (await axe.run({resultTypes: ["violations"], preload: false})).violations
  .filter(v => v.impact === "serious" || v.impact === "critical")
  .map(v => v.id + ": " + v.help + " | " + v.nodes.slice(0, 5).map(n => n.target.join(" ")
    + " " + n.any.map(a => a.message).join(" ").slice(0, 160)).join(" | "))"""
# The theme fades its colours; half-way through a change nothing can be read.
AT_ONCE = "*, *::before, *::after { transition: none !important; animation: none !important; }"
COUNTED = ("pages", "requests", "images", "formulas", "links", "tab stops", "interactive parts")


def built_pages() -> list[Path]:
    """Return the built pages; the theme's templates below ``_static`` are not pages."""
    return sorted(p for p in HTML.rglob("*.html") if p.relative_to(HTML).parts[0] != "_static")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.fail("make browser needs Chromium: apt-get install chromium, or name it in CHROMIUM")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        yield started
        started.close()


class Watched:
    """A page of the browser with a record of what it asked for and complained about."""

    def __init__(self, browser: Browser, width: int = WIDTHS[0], **options: Any) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": HEIGHT},
            color_scheme="light",
            reduced_motion="reduce",
            **options,
        )
        self.page: Page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.on("requestfailed", lambda r: self.complaints.append(f"failed: {r.url}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("console", self._listen)

    def _listen(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console {message.type}: {message.text}")

    def open(self, url: str) -> Page:
        self.page.goto(url)
        self.page.evaluate(TYPESET)
        self.page.evaluate(SETTLE)
        return self.page

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def watched(browser: Browser) -> Iterator[Callable[..., Watched]]:
    """Return a maker of watched pages, closed after the test."""
    made: list[Watched] = []

    def make(**options: Any) -> Watched:
        made.append(Watched(browser, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def visit(browser: Browser, path: Path) -> dict[str, Any]:
    """Open a page once, at every width and in both colour schemes; return what was seen."""
    seen: dict[str, Any] = {"layout": {}, "axe": {}}
    watched = Watched(browser)
    page = watched.open(path.as_uri())
    page.evaluate(LOOK)
    seen["content"] = page.evaluate("look.content()")
    page.add_style_tag(content=AT_ONCE)
    seen["folded"] = page.evaluate("look.unfold()")
    page.wait_for_timeout(400)  # the script fits formulas a moment after a click
    page.add_script_tag(path=AXE)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.evaluate(SETTLE)
        seen["layout"][width] = page.evaluate("look.layout()")
    for scheme, width in (("light", WIDTHS[-1]), ("light", WIDTHS[0]), ("dark", WIDTHS[0])):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.evaluate(SETTLE)
        seen["axe"][f"{scheme} at {width} px"] = page.evaluate(RUN_AXE)
    seen["dark"] = page.evaluate("look.dark()")
    seen["requests"], seen["complaints"] = watched.requests, watched.complaints
    watched.close()
    return seen


_SEEN: dict[Path, dict[str, Any]] = {}


@pytest.fixture
def seen(request: pytest.FixtureRequest, browser: Browser) -> dict[str, Any]:
    """Return what one visit to the page of this test has seen."""
    path = request.param
    if path not in _SEEN:
        _SEEN[path] = visit(browser, path)
    return _SEEN[path]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name in {"seen", "built_page"} & set(metafunc.fixturenames):
        cases = [
            # One group per page: with xdist, the tests of a page share one visit.
            pytest.param(p, id=p.stem, marks=pytest.mark.xdist_group(p.stem))
            for p in built_pages()
        ]
        metafunc.parametrize(name, cases, indirect=name == "seen")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what was counted; the reports carry it, also from other processes."""
    total: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for key, value in getattr(report, "user_properties", []):
                if getattr(report, "when", "") == "call" and key in COUNTED:
                    total[key] += value
    if total:
        text = ", ".join(f"{total[key]} {key}" for key in COUNTED)
        size = sum(p.stat().st_size for p in HTML.rglob("*") if p.is_file())
        terminalreporter.write_line(f"browser: {text}; {size / 1e6:.1f} MB in all")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")


def as_text(value: Any) -> str:
    """Return a value as indented JSON for a message."""
    return json.dumps(value, indent=1, ensure_ascii=False)
