"""Fingerprints: by which a checkpoint knows again what it belongs to.

Tests: ``tests/test_model_selection_checkpoint.py``.
"""

import hashlib
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import joblib
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from kernlib import __version__
from kernlib.model_selection.experiment import Experiment

CHUNK = 2**24  # bytes of an array read at a time: it may lie in a file larger than memory


def fingerprint(experiment: Experiment) -> dict[str, str]:
    """Return a digest of each part of an experiment that decides on its results."""
    splits = [(s.run, s.fold, s.train, s.validation, s.test) for s in experiment.splits]
    return {
        "data": _digest(_array(experiment.X), _array(experiment.y)),
        "estimator": _digest(_described(experiment.estimator)),
        "grid": _digest(_described(experiment.candidates)),
        "splits": _digest(_described(splits)),
        "version": __version__,
    }


def _digest(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def _described(value: Any) -> Any:
    """Return something whose ``repr`` is the same for equal values, in every process."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, (str, bytes, bool, int, float, type(None))):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, BaseEstimator):
        return kind, _described(value.get_params(deep=False))
    if isinstance(value, Mapping):
        return sorted((str(name), _described(item)) for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return [_described(item) for item in value]
    if isinstance(value, FunctionType):
        code = value.__code__
        return value.__module__, value.__qualname__, code.co_code, code.co_names, value.__defaults__
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        return _array(value)
    return kind, joblib.hash(value)


def _array(values: Any) -> Any:
    """Return dtype, shape and a digest of the values of an array, a table or a list."""
    if sparse.issparse(values):
        values = values.tocsr()
        return [_array(part) for part in (values.data, values.indices, values.indptr)]
    columns = [str(name) for name in getattr(values, "columns", [])]
    values = np.asarray(values)
    if values.dtype == object:
        return columns, values.shape, _digest([_described(item) for item in values.ravel()])
    digest = hashlib.sha256()
    step = max(1, CHUNK // max(1, values[:1].nbytes))
    for start in range(0, len(values), step):
        digest.update(np.ascontiguousarray(values[start : start + step]).tobytes())
    return columns, str(values.dtype), values.shape, digest.hexdigest()
