"""The book is tested too: thin chapters, named figures, no typed results, no dangling keys."""

import ast
import re
from pathlib import Path

import pytest
import yaml

BOOK = Path(__file__).resolve().parents[1] / "book"
PAGES = sorted(
    path
    for path in BOOK.rglob("*.md")
    if not any(part[0] in "._" for part in path.relative_to(BOOK).parts)
)
CELL = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1[ \t]*$", re.M | re.S)
YAML_HEADER = re.compile(r"\A---\n(.*?)^---\n", re.M | re.S)
COLON_HEADER = re.compile(r"\A((?::[^\n]*\n)+)")
# What is not prose: front matter, cells, quoted code and maths blocks, directive options,
# maths, roles, code, targets of links.
NOT_PROSE = re.compile(
    r"\A---\n.*?^---\n"
    r"|^(`{3,})\{(?:code-cell|literalinclude|eval-rst|math|bibliography)\}.*?^\1[ \t]*$"
    r"|^(`{3,})[\w-]*\n.*?^\2[ \t]*$"
    r"|^:[\w-]+:[^\n]*$"
    r"|\$\$.*?\$\$|\$[^$\n]+(?:\n[^$\n]+)*\$"
    r"|\{[\w:.-]+\}`[^`]*`|`[^`\n]+`|\]\([^)\n]*\)",
    re.M | re.S,
)
# A number with decimals, or a share: such a number is a result and comes from a run.
RESULT = re.compile(r"\d+[.,]\d+|\d+\s*(?:%|per cent|percent)")
PART = re.compile(r"\b(?:FrameSlider|SurfaceExplorer)\(")
CITED = re.compile(r"\{cite:\w+\}`([^`]+)`")
PASTED = re.compile(r"\{glue(?::\w+)?\}[`\s]+([\w-]+)")
# A cell whose output is not compared says why in its first line: only times differ between runs.
REASON = re.compile(r"# timing: \S.{8,}")
MAX_IGNORED = 0.05
WIDEST = 94
GLUED = re.compile(r"""\bglue(?:_number)?\(\s*(f?)["']([^"']+)["']""")


def slug(page: Path) -> str:
    return page.stem


def cells(page: Path) -> list[tuple[dict, str]]:
    """Return options and source of every code cell."""
    found = []
    for _, body in CELL.findall(page.read_text(encoding="utf8")):
        options: dict = {}
        if header := YAML_HEADER.match(body):
            options = yaml.safe_load(header[1])
            body = body[header.end() :]
        elif header := COLON_HEADER.match(body):
            options = yaml.safe_load(header[1].replace("\n:", "\n").removeprefix(":"))
            body = body[header.end() :]
        found.append((options, body.strip()))
    return found


def typed_results(text: str) -> list[str]:
    return RESULT.findall(NOT_PROSE.sub(" ", text))


def figure_faults(options: dict, source: str, chapter: str) -> list[str]:
    """Return what the figure of a cell lacks; nothing if the cell draws none."""
    draws = re.search(r"\bplot_\w+\(|\bplt\.|\bsns\.|\.plot\(", source)
    described = options.get("mystnb", {})
    figure, image = described.get("figure", {}), described.get("image", {})
    if not draws and not figure:
        return []
    if "DataTable(" in source:
        return ["a place outside a figure: a table breaks across pages"] if figure else []
    faults = [key for key in ("name", "caption") if not figure.get(key)]
    # An interactive part carries its own description.
    if not image.get("alt") and not (PART.search(source) and "alt=" in source):
        faults.append("alt")
    hyphens = str(figure.get("name", "")).replace("_", "-")
    if not hyphens.startswith(f"fig-{chapter}".replace("_", "-")):
        faults.append(f"name starting with fig-{chapter}")
    return faults


@pytest.fixture(params=PAGES, ids=lambda page: page.relative_to(BOOK).with_suffix("").as_posix())
def page(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_cells_are_thin(page):
    for _, source in cells(page):
        nodes = list(ast.walk(ast.parse(source)))
        n_statements = sum(isinstance(node, ast.stmt) for node in nodes)
        assert n_statements <= 10, f"a cell has at most 10 statements:\n{source}"
        kinds = {type(node) for node in nodes}
        banned = {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.While, ast.Lambda}
        assert not kinds & banned, f"algorithms live in kernlib, not in a chapter:\n{source}"


def test_cells_are_as_wide_as_the_page(page):
    """A longer line has to be scrolled on a screen and is broken on paper."""
    for _, source in cells(page):
        long = [line for line in source.splitlines() if len(line) > WIDEST]
        assert not long, f"a line of a cell has at most {WIDEST} characters:\n{long[0]}"


def test_figures_are_named_captioned_and_described(page):
    for options, source in cells(page):
        faults = figure_faults(options, source, slug(page))
        assert not faults, f"the figure lacks {', '.join(faults)}:\n{source}"
    text = page.read_text(encoding="utf8")
    assert "![" not in text, "use the figure directive, with :name:, :alt: and a caption"
    for block in re.findall(r"^(`{3,}|:{3,})\{figure\}(.*?)^\1[ \t]*$", text, re.M | re.S):
        assert ":name: fig-" in block[1]
        assert ":alt: " in block[1]


def test_results_in_prose_come_from_glue(page):
    text = page.read_text(encoding="utf8")
    texts = [text, *(str(options.get("mystnb", "")) for options, _ in cells(page))]
    typed = [found for prose in texts for found in typed_results(prose)]
    assert not typed, f"glue these numbers instead of typing them: {typed}"


def glued_patterns(page: Path) -> list[str]:
    """Return the glued keys as regular expressions; a field of an f-string matches any word."""
    keys = [match for _, source in cells(page) for match in GLUED.findall(source)]
    return [
        re.sub(r"\\\{.*?\\\}", r"[\\w-]+", re.escape(key)) if f else re.escape(key)
        for f, key in keys
    ]


def test_glued_keys_carry_the_chapter(page):
    for _, source in cells(page):
        for _, key in GLUED.findall(source):
            assert key.startswith(f"{slug(page)}-"), f"{key!r} must start with '{slug(page)}-'"


def test_pasted_keys_are_glued_somewhere(page):
    known = [pattern for other in PAGES for pattern in glued_patterns(other)]
    for key in PASTED.findall(page.read_text(encoding="utf8")):
        assert any(re.fullmatch(pattern, key) for pattern in known), f"nothing glues {key!r}"


def test_glued_keys_are_pasted_somewhere(page):
    pasted = {key for other in PAGES for key in PASTED.findall(other.read_text(encoding="utf8"))}
    for pattern in glued_patterns(page):
        assert any(re.fullmatch(pattern, key) for key in pasted), f"{pattern!r} is never shown"


UNOPENED = re.compile(r"^`{3,}\{[^`\n]*`", re.M)


def test_directives_open(page):
    """A fence of backticks whose first line has a backtick is no fence: its text is printed raw."""
    found = UNOPENED.findall(page.read_text(encoding="utf8"))
    assert not found, f"take colons for the fence: {found}"


def test_citations_are_in_the_bibliography(page):
    known = re.findall(r"^@\w+\{([^,\s]+),", (BOOK / "references.bib").read_text("utf8"), re.M)
    for keys in CITED.findall(page.read_text(encoding="utf8")):
        for key in keys.split(","):
            assert key.strip() in known, f"references.bib has no {key.strip()!r}"


def unexplained(options: dict, source: str) -> bool:
    """Whether a cell's output is ignored without a reason."""
    ignored = "nbval-ignore-output" in options.get("tags", [])
    return ignored and not REASON.match(source)


def test_ignored_outputs_say_why(page):
    for options, source in cells(page):
        assert not unexplained(options, source), f"start it with '# timing: …':\n{source}"


def test_no_chapter_hides_from_the_comparison(page):
    banned = {"nbval-skip", "skip-execution", "nbval-test-listed-files"}
    for options, source in cells(page):
        assert not banned & set(options.get("tags", [])), source


def test_few_outputs_are_ignored():
    every = [options for one in PAGES for options, _ in cells(one)]
    ignored = [options for options in every if "nbval-ignore-output" in options.get("tags", [])]
    assert len(ignored) <= MAX_IGNORED * len(every), f"{len(ignored)} of {len(every)} cells"


def test_every_chapter_is_in_the_contents():
    toc = yaml.safe_load((BOOK.parent / "_toc.yml").read_text(encoding="utf8"))
    listed = [toc["root"], *(entry["file"] for part in toc["parts"] for entry in part["chapters"])]
    pages = [page.relative_to(BOOK).with_suffix("").as_posix() for page in PAGES]
    assert sorted(listed) == sorted(pages)


# The rules themselves: each must catch what it is for.


@pytest.mark.parametrize("text", ["It is 93.5 accurate.", "About 5 % are wrong.", "1,024 steps"])
def test_rule_sees_a_typed_result(text):
    assert typed_results(text)


@pytest.mark.parametrize(
    "text", ["{glue:text}`a-1.5`", "$x = 0.5$", "`lam=0.1`", "the digits 3 and 8"]
)
def test_rule_lets_other_numbers_pass(text):
    assert not typed_results(text)


def test_rule_sees_a_fence_that_does_not_open():
    assert UNOPENED.search("````{prf:theorem} Title {cite:p}`x`\n")
    assert not UNOPENED.search("````{prf:theorem} Title\n\n{cite:p}`x`\n````")


def test_rule_sees_an_ignored_cell_without_a_reason():
    tags = {"tags": ["nbval-ignore-output"]}
    assert unexplained(tags, "ax = plot_times(seconds)")
    assert unexplained(tags, "# timing:\nax = plot_times(seconds)")
    assert not unexplained(tags, "# timing: the seconds of this run\nax = plot_times(seconds)")
    assert not unexplained({}, "ax = plot_times(seconds)")


def test_rule_sees_an_undescribed_figure():
    header = {"mystnb": {"figure": {"name": "fig-a-b", "caption": "c"}, "image": {"alt": "d"}}}
    assert not figure_faults(header, "ax = figures.plot_x(1)", "a")
    assert figure_faults({}, "ax = figures.plot_x(1)", "a")
    header["mystnb"]["image"] = {}
    assert figure_faults(header, "ax = figures.plot_x(1)", "a") == ["alt"]
