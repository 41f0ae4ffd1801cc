"""The book in use: keys, search, no scripts."""

from __future__ import annotations

import pytest

from .conftest import HTML

FOCUS = """() => {
  const node = document.activeElement, style = getComputedStyle(node);
  const shown = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) ||
    style.boxShadow !== "none";
  const box = node.getBoundingClientRect();
  return {name: look.name(node), shown: shown, visible: box.width > 0 && box.height > 0,
          body: node === document.body, href: node.getAttribute("href")};
}"""


@pytest.fixture
def look() -> str:
    from .conftest import LOOK

    return LOOK


@pytest.mark.parametrize("name", ["index", "perceptron", "search"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tab_key_starts_at_the_skip_link_and_is_always_seen(
    watched, look, name, scheme, record_property
):
    page = watched().open((HTML / f"{name}.html").as_uri())
    page.emulate_media(color_scheme=scheme)
    page.evaluate(look)
    if name == "search":  # the theme puts the cursor into the search field
        page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    first = page.evaluate(FOCUS)
    assert first["href"] == "#main-content", first
    assert first["shown"]
    assert first["visible"]
    for number in range(1, 41):
        page.keyboard.press("Tab")
        page.wait_for_timeout(20)
        at = page.evaluate(FOCUS)
        if at["body"]:
            break
        record_property("tab stops", 1)
        assert at["visible"], at
        assert at["shown"], f"stop {number} has no visible focus: {at}"
    assert number > 3


def test_skip_link_leads_past_the_navigation(watched, look):
    page = watched().open((HTML / "perceptron.html").as_uri())
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_no_page_sets_a_tab_order_of_its_own(seen):
    assert not seen["content"]["positive"]


def test_search_finds_pegasos(watched):
    one = watched()
    page = one.open((HTML / "search.html").as_uri() + "?q=Pegasos")
    page.wait_for_selector("#search-results ul.search li a")
    found = page.eval_on_selector_all("#search-results ul.search li a", "a => a.map(x => x.href)")
    assert any("/pegasos.html" in address for address in found), found
    assert not one.complaints


def test_search_finds_nothing_for_nonsense(watched):
    page = watched().open((HTML / "search.html").as_uri() + "?q=xqzzyx")
    page.wait_for_function("document.querySelector('#search-results p')?.textContent.length > 5")
    assert page.locator("#search-results ul.search li").count() == 0


def test_search_from_a_chapter_leads_to_the_results(watched):
    page = watched().open((HTML / "notation.html").as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type("Pegasos")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=Pegasos*")
    page.wait_for_selector("#search-results ul.search li a")


def test_theme_button_changes_the_colours(watched):
    page = watched().open((HTML / "index.html").as_uri())
    themes = set()
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").first.click()
        themes.add(page.evaluate("document.documentElement.dataset.theme"))
    assert themes == {"light", "dark"}


def test_menu_opens_on_a_phone(watched):
    page = watched(width=390).open((HTML / "perceptron.html").as_uri())
    link = page.locator(".bd-sidebar-primary a", has_text="Pegasos").first
    assert not link.is_visible() or link.bounding_box()["x"] < 0
    page.locator(".primary-toggle:visible").first.click()
    page.wait_for_timeout(500)
    assert link.is_visible()
    assert link.bounding_box()["x"] >= 0


def test_page_is_readable_without_scripts(watched):
    one = watched(java_script_enabled=False)
    one.page.goto((HTML / "perceptron.html").as_uri())
    assert one.page.locator("h1:visible").count() >= 1
    assert one.page.locator("html").get_attribute("data-theme") == "light"
    assert not one.complaints
