"""The interactive parts: same bytes in every run, a picture for paper, ids that are given."""

import base64
import json
import re
import subprocess
import sys
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from matplotlib.figure import Figure
from PIL import Image

from kernlib.report.interactive import DataTable, FrameSlider, HeatMap, SurfaceExplorer
from kernlib.report.interactive_tables import _ink, latex_escape
from kernlib.report.pictures import evenly, png_of, size_on_screen


def line(slope: float) -> Figure:
    figure = Figure(figsize=(2, 1))
    figure.add_subplot().plot([0, 1], [0, slope])
    return figure


def soup(widget) -> BeautifulSoup:
    return BeautifulSoup(widget.html(), "html.parser")


def data(widget) -> dict:
    return json.loads(soup(widget).find("script", class_="kl-data").string)


@pytest.fixture
def slider() -> FrameSlider:
    return FrameSlider([(f"step {k}", line(k)) for k in range(7)], "a-walk", "A line.", still=2)


@pytest.fixture
def explorer() -> SurfaceExplorer:
    parameters = {"degree": [1, 2, 3], "gamma": [0.1, 1.0]}
    keys = [(d, g) for d in parameters["degree"] for g in parameters["gamma"]]
    pictures = {key: line(key[0] * key[1]) for key in keys}
    texts = {key: f"error {k} %" for k, key in enumerate(keys)}
    return SurfaceExplorer(parameters, pictures, texts, "a-surface", "A line.", first=(2, 1.0))


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "claim": ["x < 1 & y", "50% of a_b", "z"],
            "verdict": ["replicated", "refuted", "replicated"],
            "error": [0.1234, np.nan, 0.05],
            "n": [10, 9, 100],
        }
    )


@pytest.fixture
def table(frame) -> DataTable:
    return DataTable(frame, "a-score", "All claims.", formats={"error": ".1%"}, selects=["verdict"])


@pytest.fixture
def heat() -> HeatMap:
    values = [[0.0, 1.0], [0.5, np.nan]]
    return HeatMap(values, ["a", "b"], ["x", "y"], "a-heat", "Errors.", fmt=".1f")


def test_picture_has_the_size_of_the_figure_and_few_colours():
    png = png_of(line(1), dpi=144)
    image = Image.open(BytesIO(png))
    assert image.size == (288, 144)
    assert image.mode == "P"
    assert size_on_screen(png) == (192, 96)


def test_same_figure_gives_same_bytes_in_another_process(slider):
    code = (
        "import hashlib, sys; sys.path.insert(0, 'tests/report')\n"
        "from test_interactive import line\n"
        "from kernlib.report.interactive import FrameSlider\n"
        "frames = [(f'step {k}', line(k)) for k in range(7)]\n"
        "html = FrameSlider(frames, 'a-walk', 'A line.', still=2).html()\n"
        "print(hashlib.sha256(html.encode()).hexdigest())"
    )
    import hashlib

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == hashlib.sha256(slider.html().encode()).hexdigest()


def test_picture_refuses_what_paper_cannot_show():
    with pytest.raises(ValueError, match="PNG"):
        png_of(b"<svg></svg>")
    with pytest.raises(TypeError, match=r"ax\.figure"):
        png_of(Figure().add_subplot())


@pytest.mark.parametrize(("n", "most", "expected"), [(2, 4, [0, 1]), (7, 4, [0, 2, 4, 6])])
def test_evenly_keeps_both_ends(n, most, expected):
    assert evenly(n, most) == expected


def test_slider_shows_its_still_and_carries_all_pictures(slider):
    page, values = soup(slider), data(slider)
    shown = page.img["src"].removeprefix("data:image/png;base64,")
    assert values["pictures"][2] == shown
    assert len(values["pictures"]) == len(values["labels"]) == 7
    assert page.img["alt"] == "A line. step 2"
    assert page.find(class_="kl-controls").has_attr("hidden"), "without scripts: no dead buttons"
    slider_input = page.find("input")
    assert (slider_input["min"], slider_input["max"], slider_input["value"]) == ("0", "6", "2")


def test_explorer_orders_its_pictures_as_the_script_counts_them(explorer):
    values = data(explorer)
    number = 1 * 2 + 1  # degree 2 is value 1 of 3, gamma 1.0 is value 1 of 2
    assert values["labels"][number] == "degree 2, gamma 1.0: error 3 %"
    shown = soup(explorer).img["src"].removeprefix("data:image/png;base64,")
    assert values["pictures"][number] == shown


def test_explorer_names_a_missing_combination():
    with pytest.raises(ValueError, match=r"1 are missing, the first is \(2,\)"):
        SurfaceExplorer({"d": [1, 2]}, {(1,): line(1)}, {}, "a-b", "A line.")


def test_table_keeps_numbers_to_sort_by_and_escapes_text(table):
    rows = soup(table).find("tbody").find_all("tr")
    assert [cell.text for cell in rows[0].find_all("td")] == [
        "x < 1 & y",
        "replicated",
        "12.3%",
        "10",
    ]
    assert [row.find_all("td")[3]["data-key"] for row in rows] == ["10.0", "9.0", "100.0"]
    missing = rows[1].find_all("td")[2]
    assert (missing.text, missing.has_attr("data-key")) == ("\N{EN DASH}", False)
    options = [option.text for option in soup(table).find("select").find_all("option")]
    assert options == ["all", "refuted", "replicated"]


def test_table_on_paper_is_escaped_and_says_when_it_is_cut(frame):
    short = DataTable(frame, "a-score", "All claims.", max_paper_rows=2).latex()
    assert r"50\% of a\_\allowbreak{}b" in short
    assert r"x < 1 \& y" in short
    assert "The first 2 of 3 rows" in short
    assert short.count(r"\\") == 4  # caption, head, two rows
    assert "The first" not in DataTable(frame, "a-score", "All claims.").latex()


def test_table_refuses_unknown_columns(frame):
    with pytest.raises(ValueError, match=r"\['eror'\]"):
        DataTable(frame, "a-score", "All claims.", formats={"eror": ".1%"})


@pytest.mark.parametrize("character", "\\&%$#_{}~^")
def test_latex_escape_leaves_no_special_character_bare(character):
    escaped = latex_escape(f"a{character}b")
    assert escaped != f"a{character}b"
    assert escaped.startswith("a\\")


def test_heat_map_writes_every_value_and_leaves_gaps_blank(heat):
    cells = [[c.text for c in row.find_all("td")] for row in soup(heat).tbody.find_all("tr")]
    assert cells == [["0.0", "1.0"], ["0.5", ""]]
    assert soup(heat).find("thead").find_all("th")[1].text == "y"


def test_heat_map_refuses_another_shape():
    with pytest.raises(ValueError, match=r"\(2, 1\).*\(1, 2\)"):
        HeatMap([[1, 2]], ["a", "b"], ["x"], "a-heat", "Errors.")


def contrast(background: str, ink: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    one, two = sorted([luminance(background), luminance(ink)])
    return (two + 0.05) / (one + 0.05)


def test_heat_map_can_be_read_on_every_colour():
    values = np.linspace(0, 1, 64).reshape(8, 8)
    names = list("abcdefgh")
    html = HeatMap(values, names, names, "a-heat", "Errors.").html()
    styles = re.findall(r"background:(#\w{6});color:(#\w{6})", html)
    assert len(styles) == 64
    assert min(contrast(*style) for style in styles) >= 4.5
    assert {_ink(0, 0, 0), _ink(1, 1, 1)} == {"#ffffff", "#000000"}


@pytest.mark.parametrize("which", ["slider", "explorer", "heat"])
def test_paper_gets_a_picture(which, request):
    bundle = request.getfixturevalue(which)._repr_mimebundle_()
    image = Image.open(BytesIO(base64.b64decode(bundle["image/png"])))
    assert 150 < image.width / image.info["dpi"][0] * 100 < 660, "as wide as a line of text at most"
    assert set(bundle) == {"text/html", "image/png", "text/plain"}


@pytest.mark.parametrize("which", ["slider", "explorer", "heat", "table"])
def test_ids_come_from_the_name_and_labels_have_their_field(which, request):
    widget = request.getfixturevalue(which)
    page = soup(widget)
    ids = [tag["id"] for tag in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert all(i == widget.name or i.startswith(f"{widget.name}-") for i in ids)
    for label in page.find_all("label"):
        assert label["for"] in ids
    assert not page.find_all(style=re.compile("position|display")), "looks live in the style sheet"
    assert not page.find_all(lambda tag: any(key.startswith("on") for key in tag.attrs))


def test_data_cannot_end_its_element():
    html = FrameSlider([("</script><b>", line(1))], "a-walk", "A line.").html()
    assert html.count("</script>") == 1
    assert BeautifulSoup(html, "html.parser").find("b") is None


@pytest.mark.parametrize("name", ["", "A", "1a", "a b", "a_b"])
def test_name_must_make_an_id(name):
    with pytest.raises(ValueError, match="lower-case"):
        FrameSlider([("one", line(1))], name, "A line.")
