"""Tables by name or from a CSV file, as the command line takes them.

Tests: ``tests/datasets/test_table.py``.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

TARGETS = ("y", "label", "target")


class Table(NamedTuple):
    """Examples and labels, and where they came from."""

    X: np.ndarray
    y: np.ndarray
    name: str
    source: str  # what load_table takes to find it again
    target: str | None  # the label column of a CSV file
    note: str  # something the reader of a result should know, or ""


def load_table(source: str, target: str | None = None) -> Table:
    """Load ``milan``, ``usps``, ``mnist`` or a CSV file whose label column is ``target``."""
    from kernlib import datasets

    if source == "milan":
        bunch = datasets.load_milan()
        note = "the Milan table was not found: this is its twin" if bunch.is_twin else ""
        return Table(bunch.data, bunch.target, bunch.name, source, None, note)
    if source in ("usps", "mnist"):
        bunch = datasets.load_usps() if source == "usps" else datasets.load_mnist(scale="unit")
        return Table(bunch.data, bunch.target, bunch.name, source, None, "")
    frame = _read(source)
    column = _label_column(frame, source, target)
    y = frame[column]
    if y.isna().any():
        raise ValueError(
            f"the label column {column!r} of '{source}' must be complete, but "
            f"{int(y.isna().sum())} labels are missing. Fill or remove these rows."
        )
    X = _numbers(frame.drop(columns=column), source)
    labels = y.to_numpy()
    if labels.dtype.kind not in "biuf":
        labels = labels.astype(str)
    return Table(X, labels, Path(source).name, source, column, "")


def load_features(source: str, n_features: int, target: str | None) -> np.ndarray:
    """Load the examples of a CSV file; a label column is left out if there is one too many."""
    frame = _read(source)
    if frame.shape[1] == n_features + 1:
        frame = frame.drop(columns=_label_column(frame, source, target))
    if frame.shape[1] != n_features:
        raise ValueError(
            f"'{source}' must have the {n_features} features that the model was trained on, got "
            f"{frame.shape[1]} columns: {', '.join(map(str, frame.columns[:12]))}. "
            "Remove the others, or train on this table."
        )
    return _numbers(frame, source)


def _read(source: str) -> pd.DataFrame:
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(
            f"expected milan, usps, mnist or a CSV file, but there is no file '{source}'. "
            "Check the name."
        )
    try:
        frame = pd.read_csv(path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(
            f"'{source}' must be a CSV file with a header, but reading it failed: {error}. "
            "Check its separator and encoding (comma, UTF-8)."
        ) from error
    if len(frame) == 0:
        raise ValueError(f"'{source}' must have rows below its header, got none. Check the file.")
    return frame


def _label_column(frame: pd.DataFrame, source: str, target: str | None) -> str:
    names = [str(name) for name in frame.columns]
    wanted = [target] if target is not None else [name for name in TARGETS if name in names]
    if len(wanted) != 1 or wanted[0] not in names:
        expected = repr(target) if target is not None else "one of " + ", ".join(TARGETS)
        raise ValueError(
            f"the label column of '{source}' must be {expected}, got the columns "
            f"{', '.join(names[:12])}. Name it with --target."
        )
    return wanted[0]


def _numbers(frame: pd.DataFrame, source: str) -> np.ndarray:
    """Return the columns as float64, or name the first that is not one of finite numbers."""
    for name in frame.columns:
        column: Any = frame[name]
        if column.dtype.kind not in "biuf":
            raise ValueError(
                f"column {name!r} of '{source}' must hold numbers, got {column.iloc[0]!r}. "
                "Encode or remove it."
            )
        if not np.all(np.isfinite(column)):
            raise ValueError(
                f"column {name!r} of '{source}' must hold finite numbers, got missing or infinite "
                "ones. Fill them or remove the rows."
            )
    return frame.to_numpy(dtype=np.float64)
