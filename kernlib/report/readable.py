"""Numbers as a reader writes them: no program's notation, no more digits than are known.

Tests: ``tests/report/test_readable.py``.
"""

from __future__ import annotations

import math
import re

_POWER = re.compile(r"(?<![\w.])([-−]?\d+(?:\.\d+)?)e([+-]\d+)(?![\w.])")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NAME = re.compile(r"(?<=[a-z])_(?=[a-z0-9])")
_PLAIN = range(-3, 7)  # powers of ten that are written out
_ERROR_DIGITS = 2


def number(text: str) -> str:
    """Return a text with its numbers like 1e+04 written out, and 2.5e-09 as 2.5·10⁻⁹."""
    return _POWER.sub(_power, text)


def _power(found: re.Match[str]) -> str:
    digits, power = found[1], int(found[2])
    if power in _PLAIN:
        decimals = max(0, len(digits.partition(".")[2]) - power)
        return f"{float(found[0].replace('−', '-')):,.{decimals}f}"
    raised = str(power).translate(_RAISED)
    # A non-breaking mark, so that the number is one word.
    return f"10{raised}" if digits == "1" else f"{digits}·10{raised}"


def with_error(mean: float, error: float, digits: int, *, per_cent: bool = False) -> str:
    """Return a number with its standard error, to the decimals of the error.

    Parameters
    ----------
    mean, error : float
        The number; an error of 0 or NaN is not shown.
    digits : int
        Significant digits of a number without an error.
    per_cent : bool, default=False
        Whether to write per cent, with two decimals or more.
    """
    if per_cent:
        decimals = max(2, _decimals(100 * error)) if error > 0 else 2
        text = f"{mean:.{decimals}%}"
        return f"{text} ± {error:.{decimals}%}" if error > 0 else text
    if not error > 0:
        return number(f"{mean:.{digits}g}")
    decimals = _decimals(error)
    return f"{mean:.{decimals}f} ± {error:.{decimals}f}"


def _decimals(error: float) -> int:
    return max(0, _ERROR_DIGITS - 1 - math.floor(math.log10(error)))


def evidence(text: str) -> str:
    """Return evidence from the experiments without names and lists as a program writes them."""
    text = re.sub(r";(?=\S)", ", ", text)
    return number(_NAME.sub(" ", text).replace("->", "→"))


def stated(text: str) -> str:
    """Return what a document states as MyST: formulas as formulas."""
    from kernlib.report.tables import plain

    if "\\" in text or re.search(r"[_^]\{", text):
        return "$" + text.replace("&", "") + "$"
    # With spaces a long quotient can be broken over lines.
    return plain(number(text.replace("/(", " / (")))
