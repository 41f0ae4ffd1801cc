"""The documents' numbers, as they are printed, from the tables that ship with the package.

Tests: ``tests/replication/test_published.py``.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources

import pandas as pd

DOCUMENTS = ("cologni2024", "mirone2023", "ashutosh2016", "romano2021", "dellaporta2020")
COLUMNS = ["row", "quantity", "printed", "std", "runs", "n_examples"]


@cache
def _read(name: str) -> pd.DataFrame:
    folder = resources.files("kernlib.replication") / "published"
    with (folder / f"{name}.csv").open(encoding="utf8") as file:
        return pd.read_csv(file, dtype=str, keep_default_na=False)


def table(name: str) -> pd.DataFrame:
    """Return a published table, like ``"cologni2024_scaling"``, every cell as printed text."""
    return _read(name).copy()


def claims(document: str) -> pd.DataFrame:
    """Return what a document says in prose."""
    return table(f"{document}_claims")


def index() -> pd.DataFrame:
    """Return every table and figure of the documents."""
    return table("figures_index")


def numbers(
    frame: pd.DataFrame,
    row: Sequence[str],
    quantity: str,
    printed: str,
    *,
    std: str | None = None,
    runs: int = 1,
    n_examples: int | None = None,
) -> pd.DataFrame:
    """Return one column of a published table as numbers to be judged.

    Parameters
    ----------
    frame : DataFrame
        A published table.
    row : sequence of str
        The columns that name a line; their values joined by a space are its ``row``.
    quantity : str
        What is printed, like ``"test_error"``.
    printed, std : str
        The columns with the number, and with the standard deviation beside it.
    runs, n_examples : int
        The runs behind each number, and the examples that a rate was counted on.
    """
    names = [" ".join(c for c in cells if c) for cells in frame[list(row)].to_numpy()]
    rows = pd.DataFrame(
        {
            "row": names,
            "quantity": quantity,
            "printed": frame[printed],
            "std": None if std is None else frame[std],
            "runs": runs,
            "n_examples": n_examples,
        },
        columns=COLUMNS,
    )
    return rows[rows["printed"] != ""].reset_index(drop=True)
