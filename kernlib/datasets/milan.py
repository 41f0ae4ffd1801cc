"""The Milan table, when its owner supplies it; the twin, when not.

Tests: ``tests/datasets/test_milan.py``.
"""

import hashlib
import io
import os
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kernlib.datasets._archive import data_folder, write_atomically
from kernlib.datasets.facts import MILAN, bunch
from kernlib.datasets.twin import FEATURES, make_milan_twin

VARIABLE = "KERNLIB_MILAN"
# The file that the report used.
SHA256 = "40dae984dfa23af9a5841b289421fe53d7fa60407924098e67448ba646262a69"


class MilanLocation(NamedTuple):
    """Where the Milan table comes from; ``path`` is None for the twin."""

    path: Path | None
    origin: str  # "argument", "KERNLIB_MILAN", "user data folder" or "twin"


def user_file() -> Path:
    """Return where ``add_milan`` puts the table."""
    return data_folder() / "milan.csv"


def milan_location(path: str | os.PathLike | None = None) -> MilanLocation:
    """Return which file ``load_milan(path)`` would read, and why that one.

    A named file that does not exist is returned all the same: to read it is then an error, since
    whoever named it does not want the twin.
    """
    if path is not None:
        return MilanLocation(Path(path), "argument")
    if os.environ.get(VARIABLE):
        return MilanLocation(Path(os.environ[VARIABLE]), VARIABLE)
    if user_file().is_file():
        return MilanLocation(user_file(), "user data folder")
    return MilanLocation(None, "twin")


def load_milan(path: str | os.PathLike | None = None, *, return_X_y: bool = False) -> Any:
    """Return the Milan table, or its twin where there is no table.

    The file is ``path``, else the one that the environment variable ``KERNLIB_MILAN`` names, else
    the copy in the user data folder (``kernlib data add milan FILE`` puts one there).

    Parameters
    ----------
    path : path-like or None, default=None
        A CSV file with the columns x1, ..., x10, y.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch; ``milan_location`` then tells whether it was
        the table or the twin.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (n, 10) float64; ``target`` (n,) int64, -1 or +1; ``is_twin``;
        ``is_original``, whether this is the very file of the published report; ``path`` and
        ``sha256`` of the file; ``feature_names``, ``name``, ``source``, ``DESCR``.  For the twin
        see ``make_milan_twin``.

    Raises
    ------
    FileNotFoundError
        If a file was named and does not exist.
    ValueError
        If it is not such a table.

    Warns
    -----
    UserWarning
        If the file is such a table, but not the one of the published report.

    References
    ----------
    .. [1] D. Cologni (2024). Kernelized linear predictor. Project report, course Statistical
       Methods for Machine Learning, University of Milan.

    Examples
    --------
    >>> from kernlib.datasets import load_milan
    >>> load_milan().data.shape
    (10000, 10)
    """
    location = milan_location(path)
    if location.path is None:
        twin = make_milan_twin()
        return (twin.data, twin.target) if return_X_y else twin
    content = _content(location)
    X, y = _table(content, location.path)
    digest = hashlib.sha256(content).hexdigest()
    note = _warn_if_other(digest, len(y), location.path)
    if return_X_y:
        return X, y
    return bunch(
        MILAN,
        X,
        y,
        list(FEATURES),
        sha256=digest,
        source=f"{MILAN.source} ({location.origin})",
        path=location.path,
        notes=(note,),
        is_original=digest == SHA256,
    )


def add_milan(path: str | os.PathLike) -> Path:
    """Check the table in ``path`` and copy it into the user data folder; return the copy's path.

    The copy appears complete or not at all, and an earlier copy is replaced.
    """
    location = milan_location(path)
    content = _content(location)
    _, y = _table(content, Path(path))
    _warn_if_other(hashlib.sha256(content).hexdigest(), len(y), Path(path))
    # The bytes that were checked, not the file again: it may have changed meanwhile.
    write_atomically(user_file(), lambda file: file.write(content))
    return user_file()


def _content(location: MilanLocation) -> bytes:
    path = location.path
    assert path is not None
    named = f" (from {VARIABLE})" if location.origin == VARIABLE else ""
    if not path.is_file():
        what = "it is a folder" if path.is_dir() else "there is no such file"
        raise FileNotFoundError(
            f"expected the Milan table in {path}{named}, but {what}. Correct the path; "
            f"without a path, and with {VARIABLE} unset, kernlib uses the twin."
        )
    return path.read_bytes()


def _table(content: bytes, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels of a CSV file, or say what is wrong with it."""
    import pandas as pd

    expected = f"expected a CSV file with the header {','.join(FEATURES)},y in {path}"
    try:
        # As text: float() below is exact, while pandas' own parser may miss the last bit.
        frame = pd.read_csv(io.BytesIO(content), dtype=str)
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise ValueError(f"{expected}, but reading it failed: {error}. Check the file.") from error
    columns = [str(name) for name in frame.columns]
    if columns != [*FEATURES, "y"]:
        raise ValueError(
            f"{expected}, got the {len(columns)} columns {', '.join(columns[:12])}. "
            "Rename or reorder them."
        )
    if frame.empty:
        raise ValueError(f"{expected} and rows below it, got none. Check the file.")
    *features, y = (_numbers(frame[name], path) for name in columns)
    wrong = np.flatnonzero(np.abs(y) != 1)
    if len(wrong):
        raise ValueError(
            f"expected labels -1 and +1 in column y of {path}, got {y[wrong[0]]:g} in line "
            f"{wrong[0] + 2}. Code the classes as -1 and +1."
        )
    return np.column_stack(features), y.astype(np.int64)


def _numbers(column: Any, path: Path) -> np.ndarray:
    """Return a column of texts as finite numbers, or say where there is none."""
    values = np.array([_number(text) for text in column])
    for wrong, what, remedy in (
        (column.isna().to_numpy(), "a missing value", "Remove the row or fill the value"),
        (np.isnan(values), "a text", "Write it as a decimal number"),
        (np.isinf(values), "an infinite number", "Remove the row"),
    ):
        lines = np.flatnonzero(wrong) + 2  # the header is line 1
        if len(lines):
            raise ValueError(
                f"expected numbers in column {column.name} of {path}, got {what} in line "
                f"{lines[0]} ({len(lines)} in all). {remedy}."
            )
    return values


def _number(text: Any) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def _warn_if_other(digest: str, n_rows: int, path: Path) -> str:
    """Return a note on whether this is the report's file; warn the user if it is not."""
    if digest == SHA256:
        return "This copy: the file of the published report (same sha256)."
    note = (
        f"not the file of the published report: {n_rows} rows and sha256 {digest}, "
        f"expected {MILAN.rows} rows and sha256 {SHA256}"
    )
    warnings.warn(
        f"{path} is {note}. Its results need not agree with the published ones; "
        "use the original file if they should.",
        UserWarning,
        stacklevel=3,
    )
    return f"This copy: {note}."
