"""Say which chapter of how many was run, how long it took, and which cell of it failed.

Sphinx names the pages that it reads but not their time, and a failed cell only by a traceback.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from myst_nb.core.execute import direct
from sphinx.util import logging

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

LOG = logging.getLogger(__name__)
RUN = direct.single_nb_execution


class Progress:
    """Counts the pages of one build and times them."""

    def __init__(self) -> None:
        self.n_pages = self.n_done = 0
        self.page, self.start = "", 0.0

    def plan(self, app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
        """Note how many pages will be read."""
        self.n_pages, self.n_done = len(docnames), 0

    def begin(self, app: Sphinx, docname: str, source: list[str]) -> None:
        """Start the clock of a page."""
        self.page, self.start = docname, perf_counter()

    def end(self, app: Sphinx, doctree: Any) -> None:
        """Print the page, its place and its time."""
        self.n_done += 1
        seconds = perf_counter() - self.start
        LOG.info(f"\npage {self.n_done} of {self.n_pages}: {self.page}, {seconds:.1f} s")

    def run(self, notebook: NotebookNode, *args: Any, **kwargs: Any) -> Any:
        """Run a chapter; name the cell that failed before the error goes on."""
        result = RUN(notebook, *args, **kwargs)
        if result.err is not None:
            LOG.info("\n" + failure(self.page, notebook, result.err))
        return result


def failure(page: str, notebook: NotebookNode, error: BaseException) -> str:
    """Return which cell of a chapter failed, with its source and its error.

    The cell has the number that nbval gives it: code cells only, from 0.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(cells):
        errors = [output for output in cell.outputs if output.output_type == "error"]
        if errors:
            said = f"{errors[0].ename}: {errors[0].evalue}"
        elif cell.execution_count is None:  # it was stopped: it ran out of time, or the kernel died
            said = f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
        else:
            continue
        source = "\n".join(f"    {line}" for line in cell.source.splitlines())
        return f"chapter {page!r} failed in cell {number} of {len(cells)}: {said}\n{source}"
    return f"chapter {page!r} failed: {type(error).__name__}: {error}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Watch the reading of the pages and the running of their cells."""
    progress = Progress()
    app.connect("env-before-read-docs", progress.plan)
    app.connect("source-read", progress.begin)
    app.connect("doctree-read", progress.end)
    direct.single_nb_execution = progress.run
    return {"parallel_read_safe": False, "parallel_write_safe": True}
