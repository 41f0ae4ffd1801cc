"""Rules for one attribute of a model: its type, its shape, finite numbers; and records.

A rule takes a value, the words for where it stands, and the sizes known so far; it raises
``ModelFileError`` or returns.  Sizes are words: all attributes of an estimator that say
``"features"`` must agree on it.  A word that starts with ``_`` is a record's own.
Tests: ``tests/test_persistence.py`` and ``tests/test_model_fuzz.py``.
"""

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from kernlib.learners.crammer_singer import MulticlassRun
from kernlib.learners.kernel_history import KernelVotes
from kernlib.learners.losses import LOSSES
from kernlib.learners.pegasos_run import BinaryRun
from kernlib.learners.perceptron import Votes
from kernlib.persistence.container import ModelFileError

Sizes = dict[str, int]
Rule = Callable[[Any, str, Sizes], None]


def agree(where: str, size: str | None, n: int, sizes: Sizes) -> None:
    """Refuse a size that differs from the one other attributes have; None is no size."""
    if size is not None and sizes.setdefault(size, n) != n:
        name = size.strip("_")
        raise ModelFileError(f"{where} speaks of {n} {name}, other attributes of {sizes[size]}.")


def whole(size: str | None = None, *, minimum: int = 0) -> Rule:
    """A whole number, which may be the size of that name."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        is_number = isinstance(value, numbers.Integral) and value is not True and value is not False
        if not (is_number and value >= minimum):
            raise ModelFileError(f"{where} must be an integer >= {minimum}, got {value!r:.99}.")
        agree(where, size, int(value), sizes)

    return check


def real(*, minimum: float = -math.inf, finite: bool = True) -> Rule:
    """A number; not NaN."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        is_number = isinstance(value, numbers.Real) and value is not True and value is not False
        if not (is_number and value >= minimum and (abs(value) < math.inf or not finite)):
            raise ModelFileError(f"{where} must be a number >= {minimum}, got {value!r:.99}.")

    return check


def one_of(*options: Any) -> Rule:
    """One of a few values, of the same type."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if not any(type(value) is type(option) and value == option for option in options):
            raise ModelFileError(f"{where} must be one of {options}, got {value!r:.99}.")

    return check


def array(kinds: str, *dims: str | None, finite: bool = True, csr: bool = False) -> Rule:
    """An array whose dtype is of one of ``kinds``, of this shape; a CSR matrix, if allowed."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        is_sparse = csr and sparse.issparse(value)
        if not (is_sparse or isinstance(value, np.ndarray)):
            raise ModelFileError(f"{where} must be an array, got {type(value).__name__}.")
        if value.dtype.kind not in kinds or value.ndim != len(dims):
            raise ModelFileError(
                f"{where} must have {len(dims)} dimension(s) and a dtype of kind {kinds!r}, got "
                f"{value.ndim} and {value.dtype}."
            )
        for size, n in zip(dims, value.shape, strict=True):
            agree(where, size, n, sizes)
        if finite and value.dtype.kind == "f":
            numbers_in = value.data if is_sparse else value
            if not np.all(np.isfinite(numbers_in)):
                raise ModelFileError(f"{where} must hold finite numbers, got NaN or infinity.")

    return check


def list_of(rule: Rule, size: str) -> Rule:
    """A list of things, of that number."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if type(value) is not list:
            raise ModelFileError(f"{where} must be a list, got {type(value).__name__}.")
        agree(where, size, len(value), sizes)
        for place, item in enumerate(value):
            rule(item, f"{where}[{place}]", sizes)

    return check


def either(*rules: Rule) -> Rule:
    """What fits the first rule, or the second, ...; the error is that of the last."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        for rule in rules[:-1]:
            attempt = dict(sizes)
            try:
                rule(value, where, attempt)
            except ModelFileError:
                continue
            sizes.update(attempt)
            return
        rules[-1](value, where, sizes)

    return check


def labels(value: Any, where: str, sizes: Sizes) -> None:
    """The sorted labels of a classifier."""
    array("biufUO", "classes")(value, where, sizes)
    if len(value) < 2 or not np.all(value[1:] > value[:-1]):
        raise ModelFileError(f"{where} must hold at least 2 distinct labels, sorted.")


def text(value: Any, where: str, sizes: Sizes) -> None:
    """A string."""
    if type(value) is not str:
        raise ModelFileError(f"{where} must be a string, got {type(value).__name__}.")


def doubles(rule: Rule) -> Rule:
    """What fits the rule and can be handed to a compiled loop: float64, one row after another."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        rule(value, where, sizes)
        if value.dtype != np.float64 or not value.flags.c_contiguous:
            raise ModelFileError(f"{where} must be of float64 in C order, got {value.dtype}.")

    return check


# ---------------------------------------------------------------- records: parts of learners


@dataclass(frozen=True)
class Record:
    """A part of a learner that is no estimator."""

    cls: Any
    fields: dict[str, Rule]

    def make(self, values: dict[str, Any]) -> Any:
        """Return an instance with these fields; of a run, no code runs."""
        if issubclass(self.cls, tuple):
            return self.cls(**values)
        made = self.cls.__new__(self.cls)
        vars(made).update(values)
        return made

    def values(self, value: Any) -> dict[str, Any]:
        """Return the fields of an instance."""
        found = value._asdict() if issubclass(self.cls, tuple) else vars(value)
        return {name: found[name] for name in self.fields}


def record(*names: str) -> Rule:
    """A record of one of these names; its own fields are checked too."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        kind = next((RECORDS[name] for name in names if type(value) is RECORDS[name].cls), None)
        if kind is None:
            expected = " or ".join(names)
            raise ModelFileError(f"{where} must be {expected}, got {type(value).__name__}.")
        inner = {size: n for size, n in sizes.items() if not size.startswith("_")}
        for name, part in kind.values(value).items():
            kind.fields[name](part, f"{where}.{name}", inner)
        sizes.update({size: n for size, n in inner.items() if not size.startswith("_")})

    return check


def _run(*shape: str) -> dict[str, Rule]:
    """The state of a Pegasos run: what ``partial_fit`` goes on from."""
    weights = doubles(array("f", *shape))
    return {
        "lam": real(minimum=math.ulp(0.0)),
        "bias": one_of(0.0, 1.0),
        "first": whole(),
        "prior": either(one_of(None), weights),
        "radius": real(minimum=0.0, finite=False),
        "v": weights,
        "z": weights,
        "t": whole(),
        "mass": real(minimum=0.0),
        "sq_norm": real(),
    }


RECORDS = {
    "Votes": Record(
        Votes,
        {
            "rows": array("f", "_votes", "features", csr=True),
            "signs": array("f", "_votes"),
            "bias": one_of(0.0, 1.0),
            "counts": array("i", "_votes"),
        },
    ),
    "KernelVotes": Record(
        KernelVotes,
        {
            "mistakes": array("iu", "_votes"),
            "signs": array("fi", "_votes"),
            "counts": array("i", "_votes"),
        },
    ),
    "BinaryRun": Record(BinaryRun, _run("columns") | {"loss": one_of(*LOSSES)}),
    "MulticlassRun": Record(MulticlassRun, _run("classes", "columns")),
}
