"""The book's own Sphinx extensions, apart from Sphinx."""

import importlib.util
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
from PIL import Image

EXTENSIONS = Path(__file__).resolve().parents[1] / "book/_ext"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"_ext_{name}", EXTENSIONS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGE = """<html lang="en" data-theme="auto"><head>
<link rel="preload" as="font" type="font/woff2" crossorigin href="_static/fa-solid-900.woff2" />
<link rel="stylesheet" href="_static/kernlib.css" />
<link rel="stylesheet" href="_static/sphinx-thebe.css?v=1" />
<script>const THEBE_JS_URL = "https://example.com/thebe.js"; const thebe_selector = ".cell"</script>
<script async="async" src="_static/sphinx-thebe.js?v=2"></script>
<script src="_static/kernlib.js"></script></head>
<button class="btn search-button-field x" title="Search" aria-label="Search">Search Ctrl+K</button>
<summary aria-label="Toggle hidden content">Show code</summary>
<script type="text/x-thebe-config">
{ requestKernel: true }
</script><script>kernelName = 'python3'</script><p>The text on <code>&lt;script&gt;</code>.</p>
<div role="list" class="citation-list"></div></html>"""


def test_mended_page_loads_nothing_from_elsewhere():
    mended = load("mended_pages").mended(PAGE)
    for gone in (
        "thebe",
        "example.com",
        "preload",
        "aria-label",
        'role="list"',
        "kernelName",
        "auto",
    ):
        assert gone not in mended, gone
    for kept in ("_static/kernlib.css", "_static/kernlib.js", "The text on", "Ctrl+K", "Show code"):
        assert kept in mended, kept
    assert load("mended_pages").mended(mended) == mended


def notebook(*cells: tuple[str, int | None, list]) -> nbformat.NotebookNode:
    new = nbformat.v4
    return new.new_notebook(
        cells=[
            new.new_markdown_cell("# A chapter"),
            *(new.new_code_cell(s, execution_count=n, outputs=outputs) for s, n, outputs in cells),
        ]
    )


def test_failed_cell_is_named_with_its_error():
    error = nbformat.v4.new_output(
        "error", ename="ZeroDivisionError", evalue="division by zero", traceback=[]
    )
    chapter = notebook(("x = 1", 1, []), ("y = 2\ny / 0", 2, [error]), ("z = 3", None, []))
    said = load("progress").failure("kernels", chapter, RuntimeError("long traceback"))
    assert said.splitlines() == [
        "chapter 'kernels' failed in cell 1 of 3: ZeroDivisionError: division by zero",
        "    y = 2",
        "    y / 0",
    ]


def test_cell_that_ran_out_of_time_is_named():
    chapter = notebook(("x = 1", 1, []), ("while True: pass", None, []))
    said = load("progress").failure("kernels", chapter, TimeoutError("120 s are over\nmore"))
    assert said.startswith("chapter 'kernels' failed in cell 1 of 2: TimeoutError: 120 s are over")


@pytest.mark.parametrize(("dpi", "width"), [((192, 192), 200), ((96, 96), 400), (None, None)])
def test_picture_is_as_wide_as_its_density_says(tmp_path, dpi, width):
    path = tmp_path / "a.png"
    options = {} if dpi is None else {"dpi": dpi}
    Image.new("RGB", (400, 100)).save(path, **options)
    assert load("picture_sizes").true_width(path) == width


@pytest.mark.parametrize("text", [r"\begin{longtable}{ll}", r"\begingroup\small"])
def test_table_is_told_from_a_formula(text):
    assert load("paper").TABLE.match(text)
    assert not load("paper").TABLE.match(r"\begin{aligned} x \end{aligned}")


def test_columns_fit_the_page_and_their_words():
    paper = load("paper")
    rows = [["section", "evidence"], ["Conclusion", "least error = 0.05; " * 40]]
    widths = paper.column_widths(rows)
    assert widths[0] >= len("Conclusion") + paper.GAP
    assert widths[1] > 3 * widths[0]
    assert sum(widths) <= paper.LINE
    assert 10 < paper.lines(rows, widths) < 20
    assert paper.lines([["a", "b"]] * 7, paper.column_widths([["a", "b"]] * 7)) == 7


def test_values_in_docstrings_have_straight_quotes():
    from docutils import nodes
    from sphinx import addnodes

    said, value = (nodes.paragraph("", text) for text in ("“so”", "default=”last”, [R0]"))
    cited = nodes.paragraph("", "[R4bfad3aa3aab-2]")
    document = nodes.container("", said, addnodes.desc_content("", value, cited))
    load("docstrings")._mend(None, document, "api")
    texts = [node.astext() for node in document.findall(nodes.paragraph)]
    assert texts == ["“so”", 'default="last", [R0]', "[2]"]
