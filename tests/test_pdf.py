"""The book on paper: read the log of LaTeX and the text of the PDF (``make pdf``)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
LATEX = ROOT / "book/_build/latex"
PDF = LATEX / "kernlib.pdf"
# A line may stick out by this much, which nobody sees.
MAX_OVERFULL_PT = 4.0
OVERFULL = re.compile(r"^Overfull \\hbox \((\d+\.?\d*)pt too wide\)(.*)$", re.M)

pytestmark = pytest.mark.pdf


def joined(log: str) -> str:
    """Undo LaTeX's habit of breaking its lines after 79 characters."""
    return re.sub(r"(?<=^.{79})\n", "", log, flags=re.M)


@pytest.fixture(scope="module")
def log() -> str:
    path = PDF.with_suffix(".log")
    assert path.is_file(), "run make pdf first"
    return path.read_text(encoding="utf8", errors="replace")


@pytest.fixture(scope="module")
def pages() -> list[str]:
    """Return the text of every page."""
    assert PDF.is_file(), "run make pdf first"
    command = ["pdftotext", "-layout", str(PDF), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    return text.split("\f")[:-1]


@pytest.fixture(scope="module")
def chapters() -> list[str]:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))
    return [entry["file"] for part in toc["parts"] for entry in part["chapters"]]


def overfull(log: str) -> list[tuple[float, str]]:
    return [(float(width), where.strip()) for width, where in OVERFULL.findall(log)]


def test_page_count_is_sane(pages, chapters):
    assert 2 * len(chapters) <= len(pages) <= 40 * len(chapters)


def test_title_and_contents_come_first(pages):
    assert "kernlib" in pages[0]
    assert "CONTENTS" in " ".join(pages[1:5]).upper()


def test_every_chapter_is_there(pages, chapters):
    text = re.sub(r"\s+", " ", " ".join(pages)).lower()
    for chapter in chapters:
        source = (ROOT / "book" / f"{chapter}.md").read_text(encoding="utf8")
        title = re.search(r"^# (.+)$", source, re.M)
        assert title is not None
        plain = re.sub(r"[`$*]", "", title[1]).strip().lower()
        assert plain in text, plain


def test_no_reference_is_open(log, pages):
    assert not re.search(
        r"LaTeX Warning: (?:Reference|Citation|Hyper reference) .* undefined", joined(log)
    )
    assert "There were undefined references" not in log
    where = [number for number, page in enumerate(pages, start=1) if "??" in page]
    assert not where, f"?? on pages {where}"


def test_no_character_is_missing(log):
    missing = sorted(set(re.findall(r"Missing character: .*", log)))
    assert not missing, missing[:20]


def test_nothing_runs_off_the_page(log):
    wide = sorted((found for found in overfull(log) if found[0] > MAX_OVERFULL_PT), reverse=True)
    assert not wide, f"{len(wide)} boxes: {wide[:10]}"


def test_nothing_is_left_of_the_markup(pages):
    raw = re.compile(r"\{(?:glue|numref|cite|prf:ref|ref|doc)(?::\w+)?\}`|<div |</td>|<table")
    found = [(number, hit[0]) for number, page in enumerate(pages, 1) for hit in raw.finditer(page)]
    assert not found


def test_no_page_is_nearly_empty_but_the_first(pages):
    blank = [number for number, page in enumerate(pages, 1) if len(page.split()) < 4]
    assert len(blank) <= 3, blank


def test_bibliography_is_there_once_and_full(pages):
    starts = [
        n for n, page in enumerate(pages) if re.search(r"^\s*BIBLIOGRAPHY\s*$", page, re.M | re.I)
    ]
    assert starts, "no bibliography"
    keys = re.findall(r"^@\w+\{", (ROOT / "book/references.bib").read_text("utf8"), re.M)
    text = " ".join(pages[starts[-1] :])
    assert len(re.findall(r"\[[^\]\n]*\d{2,4}[a-z]?\]", text)) >= len(keys)


def test_rule_sees_a_wide_box():
    text = "Overfull \\hbox (21.5pt too wide) in paragraph at lines 1--2\n"
    assert overfull(text) == [(21.5, "in paragraph at lines 1--2")]
