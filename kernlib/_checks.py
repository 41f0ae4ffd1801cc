"""Checks of parameters: what was expected, what came, what to do.  Tests: ``tests/learners``."""

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np


def check_option(name: str, value: Any, options: Sequence[str]) -> None:
    """Refuse a ``value`` that is not one of ``options``."""
    if not (isinstance(value, str) and value in options):
        listed = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} must be one of {listed}; got {name}={value!r}. Choose one.")


def check_flag(name: str, value: Any) -> None:
    """Refuse a ``value`` that is not a boolean."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {name}={value!r}. Pass a boolean.")


def check_number(
    name: str,
    value: Any,
    *,
    above: float = -np.inf,
    minimum: float = -np.inf,
    maximum: float = np.inf,
    integer: bool = False,
    hint: str,
) -> None:
    """Refuse a ``value`` that is not a finite number in the range; ``hint`` says what to do."""
    kind = numbers.Integral if integer else numbers.Real
    is_number = isinstance(value, kind) and not isinstance(value, (bool, np.bool_))
    x = float(value) if is_number else np.nan  # NumPy would cast the limits to a narrow type
    if above < x and minimum <= x <= maximum and abs(x) < np.inf:
        return
    limits = ((">", above), (">=", minimum), ("<=", maximum))
    bounds = " and ".join(f"{sign} {limit:g}" for sign, limit in limits if np.isfinite(limit))
    wanted = f"{'an integer' if integer else 'a number'} {bounds}".rstrip()
    if is_number:
        raise ValueError(f"{name} must be {wanted}, got {name}={value!r}. {hint}")
    came = f"{name}={value!r} of type {type(value).__name__}"
    raise TypeError(f"{name} must be {wanted}, got {came}. {hint}")
