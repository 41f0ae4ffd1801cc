"""The book's collector can fail: on a changed output, a changed glued value, a stale build."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[1]
CHAPTER = """\
---
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A chapter

```{code-cell} ipython3
from pathlib import Path
print(Path.cwd().name)
2 + 2
```

```{code-cell} ipython3
from myst_nb import glue
glue("small-sum", "4.0", display=False)
```
"""
RECORD = {
    "output_type": "display_data",
    "data": {"text/plain": "'4.0'"},
    "metadata": {
        "scrapbook": {"name": "small-sum", "mime_prefix": "application/papermill.record/"}
    },
}
SETTINGS = """\
[pytest]
testpaths = tests book
norecursedirs = _* .*
markers = book
"""

pytestmark = pytest.mark.slow


def executed_notebook() -> nbformat.NotebookNode:
    """Return what a build of ``CHAPTER`` leaves: outputs in place, glued values moved out."""
    new = nbformat.v4
    sources = [cell.split("\n```")[0] for cell in CHAPTER.split("{code-cell} ipython3\n")[1:]]
    outputs = [
        [
            new.new_output("stream", name="stdout", text="part\n"),
            new.new_output("execute_result", data={"text/plain": "4"}, execution_count=1),
        ],
        [],
    ]
    cells = [
        new.new_code_cell(source, outputs=output, execution_count=number)
        for number, (source, output) in enumerate(zip(sources, outputs, strict=True), start=1)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new.new_notebook(cells=cells, metadata={"kernelspec": kernel})


class Scratch:
    """A repository of one nested chapter, with the real collector and a hand-made build."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.chapter = top / "book/part/small.md"
        self.executed = top / "book/_build/jupyter_execute/part/small.ipynb"
        self.glue = self.executed.with_suffix(".glue.json")
        for folder in ("tests", "kernlib", "book/_ext", "book/part", self.executed.parent):
            (top / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests/conftest.py", top / "tests")
        shutil.copy(ROOT / "book/_ext/library_stamp.py", top / "book/_ext")
        (top / "pytest.ini").write_text(SETTINGS)
        (top / "kernlib/__init__.py").write_text("ANSWER = 4\n")
        self.chapter.write_text(CHAPTER)
        nbformat.write(executed_notebook(), self.executed)
        self.glue.write_text(json.dumps({"small-sum": RECORD}))
        sys.path.insert(0, str(top / "book/_ext"))
        try:
            from library_stamp import STAMP, library_digest
        finally:
            sys.path.pop(0)
        (top / "book/_build" / STAMP).write_text(library_digest(top / "kernlib") + "\n")

    def edit(self, path: Path, old: str, new: str) -> None:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def run(self, *options: str) -> tuple[int, str]:
        """Run pytest in the scratch repository; return exit code and output."""
        # The outer run's options and worker identity must not leak into the inner one.
        env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
        done = subprocess.run(
            command,
            cwd=self.top,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return Scratch(tmp_path)


def test_unchanged_chapter_passes(scratch):
    code, output = scratch.run("--nbval-book")
    assert code == 0, output
    assert "3 passed" in output  # two cells and the check of the glue keys


def test_xdist_by_file_passes(scratch):
    code, output = scratch.run("--nbval-book", "-m", "book", "-n", "2", "--dist", "loadfile")
    assert code == 0, output
    assert "3 passed" in output


def test_only_active_when_asked(scratch):
    code, output = scratch.run()
    assert code == 5, output  # nothing collected


def test_changed_output_fails(scratch):
    notebook = executed_notebook()
    notebook.cells[0].outputs[1].data["text/plain"] = "5"
    nbformat.write(notebook, scratch.executed)
    code, output = scratch.run("--nbval-book")
    assert code == 1, output
    assert "chapter part/small, Cell 0" in output
    assert "1 failed, 1 passed, 1 skipped" in output


def test_changed_glued_value_fails(scratch):
    scratch.edit(scratch.glue, "4.0", "4.1")
    code, output = scratch.run("--nbval-book")
    assert code == 1, output
    assert "chapter part/small, Cell 1" in output
    assert "glued value 'small-sum'" in output


def test_glued_value_missing_from_the_build_fails(scratch):
    scratch.glue.unlink()
    code, output = scratch.run("--nbval-book")
    assert code == 1, output
    assert "glued value 'small-sum'" in output


def test_glued_value_that_no_cell_gives_fails(scratch):
    scratch.glue.write_text(json.dumps({"small-sum": RECORD, "small-lost": RECORD}))
    code, output = scratch.run("--nbval-book")
    assert code == 1, output
    assert "no cell glues small-lost any more" in output


def test_raising_cell_fails(scratch):
    for path in (scratch.chapter, scratch.executed):
        scratch.edit(path, "2 + 2", "2 / 0")
    code, output = scratch.run("--nbval-book")
    assert code == 1, output
    assert "ZeroDivisionError" in output


@pytest.mark.parametrize(
    ("stale", "reason"),
    [("chapter", "has other cells than the build"), ("library", "another version of kernlib")],
)
def test_stale_build_is_an_error(scratch, stale, reason):
    if stale == "chapter":
        scratch.edit(scratch.chapter, "2 + 2", "2 + 3")
    else:
        scratch.edit(scratch.top / "kernlib/__init__.py", "4", "5")
    code, output = scratch.run("--nbval-book")
    assert code == 2, output
    assert reason in output
    assert "run make book first" in output


def test_cell_that_never_ran_is_an_error(scratch):
    notebook = executed_notebook()
    notebook.cells[1].execution_count = None
    nbformat.write(notebook, scratch.executed)
    code, output = scratch.run("--nbval-book")
    assert code == 2, output
    assert "has a cell that the build did not run" in output


def test_missing_build_is_an_error(scratch):
    shutil.rmtree(scratch.top / "book/_build")
    code, output = scratch.run("--nbval-book")
    assert code == 2, output
    assert "was never built: run make book first" in output
