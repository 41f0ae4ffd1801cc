"""A model to JSON and a list of arrays; ``reader.py`` is the way back.

Tests: ``tests/test_persistence.py``.
"""

import math
from typing import Any

import numpy as np
from scipy import sparse

from kernlib.persistence.container import DTYPE, MAX_INTEGER
from kernlib.persistence.kinds import BY_CLASS, BY_NAME
from kernlib.persistence.rules import RECORDS

MAX_DEPTH = 40


def plain_json(value: Any, where: str, depth: int) -> Any:
    """Return ``value`` if JSON gives it back as it is."""
    if depth == 0 and not isinstance(value, dict):
        raise TypeError(f"{where} must be a dict, got {type(value).__name__}. Pass a dict or None.")
    if depth > MAX_DEPTH:
        raise TypeError(f"{where} is nested more than {MAX_DEPTH} deep. Make it flatter.")
    if isinstance(value, dict):
        for key in value:
            if type(key) is not str:
                raise TypeError(f"{where} must have strings as keys, got {key!r}. Use str(...).")
        return {key: plain_json(v, f"{where}[{key!r}]", depth + 1) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value)]
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int and abs(value) < MAX_INTEGER:
        return value
    raise TypeError(
        f"{where} must be a string, a finite number of at most 64 bits, a boolean, None, a list or "
        f"a dict, got {value!r:.99} of type {type(value).__name__}. Convert it, for example with "
        "float(...), .tolist() or str(...)."
    )


class Writer:
    """Objects to JSON; arrays are put aside and referred to by number."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []

    def estimator(self, value: Any, where: str, depth: int) -> dict[str, Any]:
        """Return the node of an estimator: its class, parameters and fitted attributes."""
        kind = BY_CLASS.get(type(value))
        if kind is None:
            raise TypeError(
                f"{where} must be one of {', '.join(BY_NAME)}, got {type(value).__name__}. Other "
                "classes are not stored: use one of these, or, for a prior, pass its weights as an "
                "array (coef_ and intercept_ side by side)."
            )
        params = value.get_params(deep=False)
        known = {**kind.state, **kind.optional}
        # Callbacks watch a fit and are no part of what it learned.
        ignored = {"_skl_callbacks", *kind.left_out}
        strange = vars(value).keys() - params.keys() - known.keys() - ignored
        if strange:
            raise TypeError(
                f"{where} must have the attributes that {kind.cls.__name__} sets, got also "
                f"{min(strange)!r}, which a model file cannot hold. Delete it, or put it into meta."
            )
        state = {name: vars(value)[name] for name in known if name in vars(value)}
        return {
            "class": kind.cls.__name__,
            "params": self._named(params, where, depth),
            "state": self._named(state, where, depth),
        }

    def _named(self, values: dict[str, Any], where: str, depth: int) -> dict[str, Any]:
        return {name: self.value(v, f"{where}.{name}", depth + 1) for name, v in values.items()}

    def value(self, value: Any, where: str, depth: int) -> Any:
        """Return the node of a value, or refuse it."""
        if depth > MAX_DEPTH:
            raise TypeError(f"{where} is nested more than {MAX_DEPTH} deep. Make it flatter.")
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int and abs(value) < MAX_INTEGER:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, np.generic):
            return {"scalar": self._aside(np.asarray(value), where)}
        if type(value) in (np.ndarray, np.memmap):
            return self._array(value, where)
        if sparse.issparse(value) and value.format == "csr" and value.ndim == 2:
            return {"csr": self._csr(value, where)}
        if type(value) in (list, tuple):
            items = [self.value(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value)]
            return items if type(value) is list else {"tuple": items}
        if type(value) is dict:
            return {"dict": [[self._key(k, where), self.value(v, f"{where}[{k!r}]", depth + 1)]
                             for k, v in value.items()]}  # fmt: skip
        for name, part in RECORDS.items():
            if type(value) is part.cls:
                fields = self._named(part.values(value), where, depth)
                return {"record": {"class": name, "fields": fields}}
        if hasattr(value, "get_params"):
            return {"estimator": self.estimator(value, where, depth + 1)}
        raise TypeError(_refusal(value, where))

    def _key(self, key: Any, where: str) -> Any:
        if not (type(key) in (str, bool, int, float) or isinstance(key, np.generic)) or key != key:
            raise TypeError(f"{where} must have labels as keys, got {key!r}. Use str or int.")
        return self.value(key, f"a key of {where}", 0)

    def _array(self, value: np.ndarray, where: str) -> dict[str, Any]:
        if value.dtype.kind == "O" and all(type(item) is str for item in value.flat):
            return {"strings": {"shape": list(value.shape), "items": list(value.flat)}}
        return {"array": self._aside(np.asarray(value), where)}

    def _aside(self, value: np.ndarray, where: str) -> int:
        name = value.dtype.newbyteorder("<").str
        if name == "<U0":
            name = "<U1"  # an array of empty strings, however long, would take no bytes
        if not DTYPE.fullmatch(name):
            raise TypeError(
                f"{where} must hold booleans, integers, floats or strings, got dtype "
                f"{value.dtype}. Convert it with astype."
            )
        self.arrays.append(value.astype(name, copy=False))
        return len(self.arrays) - 1

    def _csr(self, value: Any, where: str) -> dict[str, Any]:
        # SciPy narrows indices when it builds a matrix; narrowed here, the bytes stay the same.
        index = np.int32 if max(*value.shape, value.nnz) < 2**31 else np.int64
        parts = {"data": value.data, "indices": value.indices.astype(index, copy=False),
                 "indptr": value.indptr.astype(index, copy=False)}  # fmt: skip
        return {
            "matrix": isinstance(value, sparse.spmatrix),
            "shape": [int(n) for n in value.shape],
            **{name: self._aside(part, f"{where}.{name}") for name, part in parts.items()},
        }


def _refusal(value: Any, where: str) -> str:
    advice = "Use plain numbers, strings, lists, dicts or NumPy arrays of them."
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        advice = "Use an integer as random_state."
    elif sparse.issparse(value):
        advice = "Convert it with tocsr()."
    elif hasattr(value, "to_numpy"):
        advice = "Convert it with to_numpy()."
    return f"{where} cannot be stored: it is a {type(value).__name__}. {advice}"
