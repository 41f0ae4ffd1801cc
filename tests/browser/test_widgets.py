"""The interactive parts answer to clicks and keys, and are pictures where nothing answers."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.figure import Figure

from kernlib.report.interactive import DataTable, FrameSlider, HeatMap, SurfaceExplorer

from .conftest import AXE, HERE, RUN_AXE

ASSETS = HERE.parents[1] / "book/_assets"
PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>Parts</title><link rel="stylesheet" href="{css}"><script src="{js}" defer></script>
<style>:root {{ --pst-color-text-base: #222; --pst-color-surface: #eee; --pst-color-primary: #04b;
--pst-color-text-muted: #555; }}</style></head>
<body><main class="bd-article"><h1>Parts</h1>{parts}</main></body></html>"""


def line(slope: float) -> Figure:
    figure = Figure(figsize=(3, 2))
    figure.add_subplot().plot([0, 1], [0, slope])
    return figure


def parts() -> str:
    frames = [(f"step {k}", line(k)) for k in range(4)]
    keys = [(d, g) for d in (1, 2, 3) for g in (0.1, 1.0)]
    frame = pd.DataFrame(
        {"claim": ["b", "a", "c"], "verdict": ["yes", "no", "yes"], "error": [0.1, 0.02, None]}
    ).assign(ours=["0.3 ± 0.01", "9.5%", "0.27"])
    made = [
        FrameSlider(frames, "t-walk", "A line.", still=0, seconds=0.5),
        SurfaceExplorer(
            {"degree": [1, 2, 3], "gamma": [0.1, 1.0]},
            {key: line(key[0] * key[1]) for key in keys},
            {key: f"error {sum(key):.1f}" for key in keys},
            "t-surface",
            "A line.",
        ),
        DataTable(frame, "t-score", "All claims.", formats={"error": ".0%"}, selects=["verdict"]),
        HeatMap([[1, 2], [3, 4]], ["a", "b"], ["x", "y"], "t-heat", "Counts.", fmt=".0f"),
    ]
    return "".join(part.html() for part in made)


@pytest.fixture(scope="session")
def address(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("parts") / "parts.html"
    css, js = ((ASSETS / name).as_uri() for name in ("kernlib.css", "kernlib.js"))
    path.write_text(PAGE.format(css=css, js=js, parts=parts()), encoding="utf8")
    return path.as_uri()


@pytest.fixture
def page(watched, address):
    one = watched()
    yield one.open(address)
    assert not one.complaints


def test_slider_steps_by_click_and_by_key(page):
    readout = page.locator("#t-walk .kl-readout")
    first = page.locator("#t-walk img").get_attribute("src")
    page.locator("#t-walk [aria-label='Step on']").click()
    assert readout.inner_text() == "step 1"
    assert page.locator("#t-walk img").get_attribute("src") != first
    assert page.locator("#t-walk img").get_attribute("alt") == "A line. step 1"
    page.locator("#t-walk input").focus()
    page.keyboard.press("ArrowRight")
    assert readout.inner_text() == "step 2"
    assert page.locator("#t-walk input").get_attribute("aria-valuetext") == "step 2"
    page.keyboard.press("Home")
    assert readout.inner_text() == "step 0"
    page.locator("#t-walk .kl-play").focus()
    page.keyboard.press("ArrowRight")
    assert readout.inner_text() == "step 1"
    page.locator("#t-walk [aria-label='Step back']").click()
    page.locator("#t-walk [aria-label='Step back']").click()  # the first step stays
    assert readout.inner_text() == "step 0"


def test_slider_plays_to_the_end_and_can_be_paused(page):
    play, readout = page.locator("#t-walk .kl-play"), page.locator("#t-walk .kl-readout")
    play.focus()
    page.keyboard.press("Space")
    assert play.inner_text() == "Pause"
    page.wait_for_function("document.querySelector('#t-walk .kl-play').textContent === 'Play'")
    assert readout.inner_text() == "step 3"
    assert readout.get_attribute("aria-live") == "polite"
    # From the start again, and paused: in one go, so that no slow machine plays to the end between.
    page.evaluate(
        "() => { for (const k of [1, 2]) document.querySelector('#t-walk .kl-play').click() }"
    )
    held = readout.inner_text()
    assert held != "step 3"
    page.wait_for_timeout(700)
    assert readout.inner_text() == held
    assert play.inner_text() == "Play"


def test_explorer_shows_the_picture_of_its_sliders(page):
    readout = page.locator("#t-surface .kl-readout")
    pictures = set()
    for degree in range(3):
        for gamma in range(2):
            for number, at in enumerate((degree, gamma)):
                page.locator(f"#t-surface-{number}").fill(str(at))
            d, g = (1, 2, 3)[degree], (0.1, 1.0)[gamma]
            assert readout.inner_text() == f"degree {d}, gamma {g}: error {d + g:.1f}"
            pictures.add(page.locator("#t-surface img").get_attribute("src"))
    assert len(pictures) == 6
    page.locator("#t-surface-0").focus()
    page.keyboard.press("ArrowLeft")
    assert readout.inner_text().startswith("degree 2, gamma 1.0")
    assert page.locator("#t-surface output").first.inner_text() == "2"


def column(page, number: int) -> list[str]:
    rows = page.locator("#t-score tbody tr:visible")
    return [rows.nth(k).locator("td").nth(number).inner_text() for k in range(rows.count())]


def test_table_sorts_by_click_and_by_key(page):
    page.locator("#t-score th button", has_text="claim").click()
    assert column(page, 0) == ["a", "b", "c"]
    head = page.locator("#t-score th", has_text="claim")
    assert head.get_attribute("aria-sort") == "ascending"
    page.locator("#t-score th button", has_text="error").focus()
    page.keyboard.press("Enter")
    assert column(page, 2) == ["2%", "10%", "\N{EN DASH}"], "by number, not by text"
    assert head.get_attribute("aria-sort") == "none"
    page.keyboard.press("Enter")
    assert column(page, 2)[1:] == ["10%", "2%"]
    page.locator("#t-score th button", has_text="ours").click()
    assert column(page, 3) == ["9.5%", "0.27", "0.3 ± 0.01"], "by number, whatever its form"


def test_table_filters_by_text_and_by_value(page):
    page.locator("#t-score select").select_option("yes")
    assert column(page, 0) == ["b", "c"]
    assert page.locator("#t-score .kl-readout").inner_text() == "2 of 3 rows"
    page.locator("#t-score input").press_sequentially("B")
    assert column(page, 0) == ["b"]
    page.locator("#t-score input").fill("")
    page.locator("#t-score select").select_option("all")
    assert len(column(page, 0)) == 3


def test_heat_map_reads_out_by_pointer_and_by_keys(page):
    readout = page.locator("#t-heat .kl-readout")
    page.locator("#t-heat td", has_text="4").hover()
    assert readout.inner_text() == "b, y: 4"
    page.locator("#t-heat tbody td").first.focus()
    assert readout.inner_text() == "a, x: 1"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")  # the last row stays
    assert readout.inner_text() == "b, y: 4"
    assert page.locator("#t-heat td[tabindex='0']").count() == 1


def test_parts_fit_a_phone_and_pass_axe(watched, address):
    page = watched(width=390).open(address)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.add_script_tag(path=AXE)
    assert page.evaluate(RUN_AXE) == []


def test_without_scripts_there_are_pictures_and_plain_tables(watched, address):
    one = watched(java_script_enabled=False)
    one.page.goto(address)
    assert one.page.locator("img.kl-picture:visible").count() == 2
    assert one.page.locator("#t-score tbody tr:visible").count() == 3
    assert one.page.locator("#t-heat tbody td:visible").count() == 4
    assert one.page.locator("button:visible, input:visible, select:visible").count() == 0
