"""Model files that cannot run code: parameters and fitted state as JSON and plain arrays.

A file names classes and attributes; which of them exist is decided by ``kinds.py``, never
by the file.  The bytes are described in ``container.py``.
Tests: ``tests/test_persistence.py`` and ``tests/test_model_fuzz.py``.
"""

import os
import re
import warnings
from typing import Any

import numpy as np
import sklearn

import kernlib
from kernlib._atomic import write_atomically
from kernlib.persistence.container import (
    ModelFileError,
    format_header,
    parse_header,
    read_container,
    write_container,
)
from kernlib.persistence.kinds import fitted
from kernlib.persistence.reader import Reader
from kernlib.persistence.writer import Writer, plain_json

__all__ = ["ModelFileError", "load_model", "save_model", "write_atomically"]


def save_model(path: str | os.PathLike[str], estimator: Any, meta: Any = None) -> None:
    """Write a fitted estimator to one file, atomically.

    The same model gives the same bytes.  A model that holds rows of its training data (a voted
    perceptron) writes them too.

    Parameters
    ----------
    path : str or path-like
        Where to; an older file is replaced once the new one is complete.
    estimator : estimator
        A fitted learner or transformer of kernlib, a ``StandardScaler``, ``MinMaxScaler`` or
        ``PolynomialFeatures``, or a ``Pipeline`` of such.
    meta : dict or None, default=None
        Notes to keep with it: strings, finite numbers, booleans, None, lists and dicts with
        strings as keys.  Tuples come back as lists.

    Raises
    ------
    TypeError
        If something cannot be stored; the message names the attribute.
    ModelFileError
        If the model is not fitted, or its attributes contradict each other.

    Examples
    --------
    >>> import tempfile
    >>> from kernlib import Perceptron
    >>> learner = Perceptron().fit([[0, 1], [1, 0]], ["up", "down"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(f"{folder}/updown.model", learner, {"seed": 0})
    ...     again, meta = load_model(f"{folder}/updown.model")
    >>> again.predict([[0, 3]]), meta
    (array(['up'], dtype='<U4'), {'seed': 0})
    """
    path = os.fsdecode(path)
    writer = Writer()
    header = {
        "kernlib": kernlib.__version__,
        "sklearn": sklearn.__version__,
        "meta": plain_json(({} if meta is None else meta), "meta", 0),
        "model": writer.estimator(estimator, type(estimator).__name__, 0),
    }
    try:  # what would not be read again is not written
        _model(parse_header(format_header(header)), writer.arrays)
    except ModelFileError as error:
        raise ModelFileError(f"cannot save this {type(estimator).__name__}: {error}") from None
    write_container(path, header, writer.arrays)


def load_model(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Read an estimator and its notes from a file; nothing in the file can run code.

    Parameters
    ----------
    path : str or path-like
        A file that ``save_model`` wrote.

    Returns
    -------
    estimator : estimator
        As it was saved: it predicts the same to the last bit, and ``partial_fit`` goes on.
    meta : dict
        The notes.

    Raises
    ------
    ModelFileError
        If there is no such file, or it is damaged, foreign, newer than this library, or holds
        anything that no model holds.
    """
    path = os.fsdecode(path)
    try:
        header, arrays = read_container(path)
        estimator = _model(header, arrays)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {str(error)[:1000]}") from error.__cause__
    if header["sklearn"] != sklearn.__version__:
        warnings.warn(
            f"{path} was written with scikit-learn {header['sklearn']}, this is "
            f"{sklearn.__version__}: a prediction may differ. Compare some, or train again.",
            UserWarning,
            stacklevel=2,
        )
    return estimator, header["meta"]


def _model(header: dict[str, Any], arrays: list[np.ndarray]) -> Any:
    """Return the estimator that header and arrays describe."""
    if header.keys() != {"kernlib", "sklearn", "meta", "model"}:
        raise ModelFileError(f"the header must not consist of {sorted(header)!s:.99}.")
    for name in ("kernlib", "sklearn"):
        version = header[name]
        if not (isinstance(version, str) and re.fullmatch(r"[0-9A-Za-z.+]{1,50}", version)):
            raise ModelFileError(f"the version of {name} must be text, got {version!r:.99}.")
    if not isinstance(header["meta"], dict):
        raise ModelFileError("meta must be an object.")
    reader = Reader(arrays)
    estimator = reader.estimator(header["model"], "model", 0)
    if reader.unused:
        raise ModelFileError(f"{len(reader.unused)} of the arrays belong to no attribute.")
    fitted(estimator, "the model", {})
    return estimator
