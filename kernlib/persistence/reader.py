"""JSON and a list of arrays to a model, if they describe one; ``writer.py`` is the way there.

The JSON only chooses among what ``kinds.py`` lists.  A value is null, a boolean, a number, a
string, a list, or an object whose one key says what it is.
Tests: ``tests/test_persistence.py`` and ``tests/test_model_fuzz.py``.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from kernlib.persistence.container import ModelFileError, check_shape
from kernlib.persistence.kind import Kind
from kernlib.persistence.kinds import BY_NAME
from kernlib.persistence.rules import RECORDS, Sizes
from kernlib.persistence.writer import MAX_DEPTH

SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
# What a class's own checks raise when a file gives them nonsense.
WRONG = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError)


def _members(node: Any, where: str, *names: str) -> list[Any]:
    """Return the members of an object that has these and no others."""
    if not isinstance(node, dict) or node.keys() != set(names):
        raise ModelFileError(f"{where} must be an object with {', '.join(names)}.")
    return [node[name] for name in names]


class Reader:
    """Builds a model; every array must be asked for exactly once."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self._arrays = arrays
        self.unused = set(range(len(arrays)))
        self._plain: dict[str, Callable[..., Any]] = {
            "float": self._float,
            "scalar": self._scalar,
            "array": self._array,
            "strings": self._strings,
            "csr": self._csr,
            "tuple": self._tuple,
            "dict": self._dict,
        }
        self._parts = self._plain | {"record": self._record}
        self._nested = self._plain | {"estimator": self.estimator}

    def estimator(self, node: Any, where: str, depth: int) -> Any:
        """Return an estimator of a known class, its attributes checked."""
        name, params, state = _members(node, where, "class", "params", "state")
        if not (isinstance(name, str) and name in BY_NAME):
            raise ModelFileError(
                f"{where} has the unknown class {name!r:.99}, expected one of "
                f"{', '.join(BY_NAME)}. If a newer kernlib wrote it, install that one."
            )
        kind = BY_NAME[name]
        known = {**kind.state, **kind.optional}
        params = self._named(params, kind, where, depth, self._plain, kind.cls._get_param_names())
        state = self._named(state, kind, where, depth, self._parts, known)
        if not isinstance(params.get("random_state"), (int, np.integer, type(None))):
            raise ModelFileError(f"{where}.random_state must be an integer or None.")
        sizes: Sizes = {}
        for attribute, value in state.items():
            known[attribute](value, f"{where}.{attribute}", sizes)
        missing = kind.state.keys() - state.keys()
        if state and missing and state.keys() != {"_sklearn_output_config"}:
            raise ModelFileError(f"{where} has no {min(missing)}: it is not fitted. Fit it first.")
        return self._checked(kind, params, state, sizes, where)

    def _checked(self, kind: Kind, params: Any, state: Any, sizes: Sizes, where: str) -> Any:
        try:
            made = kind.cls(**params)
            vars(made).update(state)
            kind.check(made, sizes)
        except WRONG as error:
            raise ModelFileError(f"{where} is no valid {kind.cls.__name__}: {error}") from None
        return made

    def _named(
        self, node: Any, kind: Kind, where: str, depth: int, tags: dict[str, Any], known: Any
    ) -> dict[str, Any]:
        """Return parameters or attributes, all of which must be known."""
        if not isinstance(node, dict):
            raise ModelFileError(f"{where} must have objects with parameters and attributes.")
        for name in node:
            if name not in known:
                raise ModelFileError(f"{where} has no {name!r:.99}; another version wrote it.")
        return {
            name: self.value(
                value,
                f"{where}.{name}",
                depth + 1,
                self._nested if name in kind.nested else tags,
            )
            for name, value in node.items()
        }

    def value(self, node: Any, where: str, depth: int, tags: dict[str, Any]) -> Any:
        """Return what a node stands for; ``tags`` says what it may be."""
        if depth > MAX_DEPTH:
            raise ModelFileError(f"{where} is nested more than {MAX_DEPTH} deep.")
        if isinstance(node, list):
            items = enumerate(node)
            return [self.value(item, f"{where}[{i}]", depth + 1, tags) for i, item in items]
        if not isinstance(node, dict):
            return node
        tag = next(iter(node), None)
        if len(node) != 1 or tag not in tags:
            raise ModelFileError(f"{where} must be one of {', '.join(tags)}, got {tag!r:.99}.")
        if tag in ("tuple", "dict"):
            return tags[tag](node[tag], where, depth + 1, tags)
        return tags[tag](node[tag], where, depth + 1)

    def _float(self, node: Any, where: str, depth: int) -> float:
        if not (isinstance(node, str) and node in SPECIAL):
            raise ModelFileError(f"{where} must be one of {', '.join(SPECIAL)}.")
        return SPECIAL[node]

    def _array(self, node: Any, where: str, depth: int) -> np.ndarray:
        if type(node) is not int or node not in self.unused:
            raise ModelFileError(f"{where} must be the number of an array used nowhere else.")
        self.unused.remove(node)
        return self._arrays[node]

    def _scalar(self, node: Any, where: str, depth: int) -> Any:
        found = self._array(node, where, depth)
        if found.ndim != 0:
            raise ModelFileError(f"{where} must be a scalar, got shape {found.shape}.")
        return found[()]

    def _strings(self, node: Any, where: str, depth: int) -> np.ndarray:
        shape, items = _members(node, where, "shape", "items")
        if not (isinstance(items, list) and all(type(item) is str for item in items)):
            raise ModelFileError(f"{where} must be a list of strings.")
        dims = check_shape(shape, 8)
        if math.prod(dims) != len(items):
            raise ModelFileError(f"{where} has {len(items)} strings, expected shape {dims}.")
        found = np.empty(len(items), dtype=object)
        found[:] = items
        return found.reshape(dims)

    def _csr(self, node: Any, where: str, depth: int) -> Any:
        names = ("matrix", "shape", "data", "indices", "indptr")
        matrix, shape, *numbers = _members(node, where, *names)
        data, indices, indptr = (self._array(number, where, depth) for number in numbers)
        dims = check_shape(shape, 1)
        fits = (
            type(matrix) is bool
            and len(dims) == 2
            and data.ndim == indices.ndim == indptr.ndim == 1
            and data.dtype.kind in "biuf"
            and data.dtype != np.float16  # SciPy has none
            and indices.dtype == indptr.dtype
            and indices.dtype in (np.int32, np.int64)
            and len(indptr) == dims[0] + 1
            and len(data) == len(indices) == indptr[-1]
            and indptr[0] == 0
            and bool(np.all(indptr[1:] >= indptr[:-1]))
            and (len(indices) == 0 or 0 <= indices.min() <= indices.max() < dims[1])
        )
        if not fits:
            raise ModelFileError(f"{where} must be a CSR matrix whose parts fit together.")
        make = sparse.csr_matrix if matrix else sparse.csr_array
        return make((data, indices, indptr), shape=dims)

    def _tuple(self, node: Any, where: str, depth: int, tags: dict[str, Any]) -> tuple[Any, ...]:
        if not isinstance(node, list):
            raise ModelFileError(f"{where} must be a list.")
        return tuple(self.value(node, where, depth, tags))

    def _dict(self, node: Any, where: str, depth: int, tags: dict[str, Any]) -> dict[Any, Any]:
        if not (isinstance(node, list) and all(type(p) is list and len(p) == 2 for p in node)):
            raise ModelFileError(f"{where} must be a list of pairs.")
        found: dict[Any, Any] = {}
        scalars = {"float": self._float, "scalar": self._scalar}
        for key_node, item in node:
            key = None if type(key_node) is list else self.value(key_node, where, depth, scalars)
            if key is None or key != key or key in found:
                raise ModelFileError(f"{where} must have distinct labels as keys.")
            found[key] = self.value(item, f"{where}[{key!r:.99}]", depth, tags)
        return found

    def _record(self, node: Any, where: str, depth: int) -> Any:
        name, fields = _members(node, where, "class", "fields")
        if not (isinstance(name, str) and name in RECORDS):
            raise ModelFileError(f"{where} must be one of {', '.join(RECORDS)}, got {name!r:.99}.")
        values = _members(fields, where, *RECORDS[name].fields)
        made = {
            field: self.value(value, f"{where}.{field}", depth, self._plain)
            for field, value in zip(RECORDS[name].fields, values, strict=True)
        }
        return RECORDS[name].make(made)
