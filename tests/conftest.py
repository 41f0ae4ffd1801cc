"""Fixtures, and the collector that hands the book's MyST chapters to nbval.

``pytest --nbval-book`` runs every code cell of every chapter again and compares it with the last
build under ``book/_build/jupyter_execute``: the outputs, as nbval does, and the values that the
cell glues, which the build keeps apart (``*.glue.json``).  Without a build, or with one that ran
other cells or another library, there is nothing to compare with: that is an error, not a pass.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import hypothesis
import jupytext
import nbformat
import pytest
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError, find_metadata_tags

# The first example compiles a loop, which no deadline should count; derandomised, so that a
# failure in CI is the same failure everywhere.  `--hypothesis-profile=search` looks further.
hypothesis.settings.register_profile("kernlib", deadline=None, derandomize=True, max_examples=100)
hypothesis.settings.register_profile("search", deadline=None, max_examples=2000)
hypothesis.settings.register_profile(  # for code that is known to be wrong: fail, do not explain
    "mutants", deadline=None, derandomize=True, max_examples=50, phases=[hypothesis.Phase.generate]
)
hypothesis.settings.load_profile("kernlib")

# A suite that was started in the background ignores Ctrl-C, and so would the programs it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
BUILD = BOOK / "_build"
# Addresses in object reprs differ from run to run.
ADDRESS = (r"(?<![0-9])0x[0-9a-fA-F]{6,}", "0xADDRESS")


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the top of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def milan() -> tuple[Any, Any]:
    """Return the real Milan table, which the repository does not have, or skip."""
    if "KERNLIB_MILAN" not in os.environ:
        pytest.skip("the Milan table is not here: set KERNLIB_MILAN to its file")
    from kernlib.datasets import load_milan

    table = load_milan()
    assert not table.is_twin
    return table.data, table.target


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Any:
    """Fail a test that skips for want of the Milan table although its file is named."""
    report = yield
    if report.skipped and "KERNLIB_MILAN" in os.environ and "Milan table" in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"skipped although KERNLIB_MILAN is set: {report.longrepr}"
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--nbval-book",
        action="store_true",
        help="run the book's chapters again and compare them with the last build (make book)",
    )
    parser.addoption(
        "--browser", action="store_true", help="open the built book in Chromium (make browser)"
    )
    parser.addoption("--pdf", action="store_true", help="read the built PDF (after make pdf)")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what needs a built book and a program beyond Python, unless asked for."""
    here = collection_path.relative_to(Path(__file__).parent).parts[:1]
    asked = {"browser": "--browser", "test_pdf.py": "--pdf"}
    if here and here[0] in asked and not config.getoption(asked[here[0]]):
        return True
    return None


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--nbval-book"):
        # A conftest's own hooks see only the files below it; a registered plugin sees book/ too.
        config.pluginmanager.register(ChapterCollector(), "book-chapters")


class ChapterCollector:
    """Collect every page of the book that has code cells."""

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Chapter | None:
        if file_path.suffix != ".md" or not file_path.is_relative_to(BOOK):
            return None
        if any(part[0] in "._" for part in file_path.relative_to(BOOK).parts):
            return None
        if "{code-cell}" not in file_path.read_text(encoding="utf8"):
            return None
        return Chapter.from_parent(parent, path=file_path)


class Chapter(IPyNbFile):
    """A MyST chapter with the outputs of its last build as the reference."""

    def collect(self) -> Iterator[pytest.Item]:
        self.name_in_book = self.path.relative_to(BOOK).with_suffix("").as_posix()
        self.sanitize_patterns.update([ADDRESS])
        self.add_marker("book")
        self.nb, self.glued = self._last_build()
        self.n_cells_run, self.keys_seen = 0, set()
        code_cells = [cell for cell in self.nb.cells if cell.cell_type == "code"]
        for number, cell in enumerate(code_cells):
            options = defaultdict(bool, find_metadata_tags(cell.metadata))
            options.setdefault("check", True)
            yield ChapterCell.from_parent(
                self, name=f"Cell {number}", cell_num=number, cell=cell, options=options
            )
        yield GlueKeys.from_parent(self, name="glue keys", n_cells=len(code_cells))

    def _last_build(self) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Return the executed notebook and its glued values, or raise if they are not current."""
        executed = BUILD / "jupyter_execute" / f"{self.name_in_book}.ipynb"
        if not executed.is_file():
            self._refuse("was never built")
        stamp = BUILD / "library.sha256"
        built_with = stamp.read_text(encoding="utf8").strip() if stamp.is_file() else None
        if built_with != _library_digest(ROOT / "kernlib"):
            self._refuse("was built with another version of kernlib")
        reference = nbformat.read(executed, as_version=4)
        if _code(jupytext.read(self.path)) != _code(reference):
            self._refuse("has other cells than the build")
        for number, cell in enumerate(c for c in reference.cells if c.cell_type == "code"):
            # nbval compares nothing in a cell that never ran, which would look like a pass.
            tags = cell.metadata.get("tags", [])
            if cell.execution_count is None and "skip-execution" not in tags:
                self._refuse(f"has a cell that the build did not run (cell {number})")
        glue_file = executed.with_suffix(".glue.json")
        glued = json.loads(glue_file.read_text(encoding="utf8")) if glue_file.is_file() else {}
        return reference, glued

    def _refuse(self, what: str) -> NoReturn:
        raise self.CollectError(f"chapter {self.name_in_book!r} {what}: run make book first")


class ChapterCell(IPyNbCell):
    """One code cell; fails on a changed output or a changed glued value."""

    def runtest(self) -> None:
        super().runtest()
        self.parent.n_cells_run += 1
        self.parent.keys_seen.update(key for key, _ in _glue_records(self.test_outputs))

    def compare_outputs(self, test: list, ref: list, skip_compare: Any = None) -> bool:
        shown = [output for output in test if not _is_hidden_glue(output)]
        if not super().compare_outputs(shown, ref, skip_compare):
            return False
        for key, data in _glue_records(test):
            expected = self.parent.glued.get(key, {}).get("data", {})
            for mime in sorted(data.keys() | expected.keys()):
                if mime in self.parent.skip_compare:
                    continue
                old, new = (self.sanitize(bundle.get(mime)) for bundle in (expected, data))
                if old != new:
                    self.comparison_traceback.append(
                        f"glued value {key!r} ({mime}): {old!r} in the build, {new!r} in this run"
                    )
                    return False
        return True

    def repr_failure(self, excinfo: pytest.ExceptionInfo, style: Any = None) -> str:
        return f"chapter {self.parent.name_in_book}, {self.name}\n{super().repr_failure(excinfo)}"


class GlueKeys(pytest.Item):
    """Fails if the build has a glued value that no cell gives any more."""

    def __init__(self, n_cells: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n_cells = n_cells

    def runtest(self) -> None:
        if self.parent.n_cells_run < self.n_cells:
            pytest.skip("not every cell of the chapter ran")
        lost = sorted(self.parent.glued.keys() - self.parent.keys_seen)
        if lost:
            raise NbCellError(self.n_cells, f"no cell glues {', '.join(lost)} any more", "")

    def repr_failure(self, excinfo: pytest.ExceptionInfo, style: Any = None) -> str:
        return f"chapter {self.parent.name_in_book}: {excinfo.value}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.parent.name_in_book}::{self.name}"


def _code(notebook: nbformat.NotebookNode) -> list[tuple[str, list[str]]]:
    """Return source and tags of the code cells: what decides on a chapter's outputs."""
    return [
        (cell.source.strip(), sorted(cell.metadata.get("tags", [])))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _is_hidden_glue(output: Any) -> bool:
    """Whether the output is a glued value that the build moves out of the notebook."""
    return bool(output.get("metadata", {}).get("scrapbook", {}).get("mime_prefix"))


def _glue_records(outputs: list) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the key and the data of each glued value, without the prefix of hidden ones."""
    for output in outputs:
        record = output.get("metadata", {}).get("scrapbook")
        if record:
            prefix = record.get("mime_prefix", "")
            yield record["name"], {k.removeprefix(prefix): v for k, v in output["data"].items()}


def _library_digest(package: Path) -> str:
    """Digest the library as the book's build does, by the same code."""
    spec = importlib.util.spec_from_file_location("library_stamp", BOOK / "_ext/library_stamp.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.library_digest(package)
