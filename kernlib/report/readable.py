"""Numbers as a reader writes them: no program's notation, no more digits than are known.

Tests: ``tests/report/test_readable.py``.
"""

from __future__ import annotations

import math
import re

_POWER = re.compile(r"(?<!\w)(?<!\d\.)([-−]?\d+(?:\.\d+)?)e([+-]?\d+)(?!\w|\.\d)")
_MINUS = re.compile(r"(?<![\w.,)\]-])-(?=\d)")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXPONENT = re.compile(r"\^(-?\d+)(?![\w.])")
_RANGE = re.compile(r"(?<=\d)\.\.(?=[-−]?\d)")
_LETTERS = {"alpha": "α", "beta": "β", "gamma": "γ", "lambda": "λ", "sigma": "σ"}
_LETTER = re.compile(rf"\b({'|'.join(_LETTERS)})(?![A-Za-z0-9])")
_NAME = re.compile(r"(?<=[a-z0-9])_(?=[a-z0-9])")
_PLAIN = range(-3, 7)  # powers of ten that are written out
_ERROR_DIGITS = 2
PLUS_MINUS = "\u00a0±\u00a0"  # a number and its error stay on one line


def number(text: str) -> str:
    """Return a text with its numbers like 1e+04 written out, 2.5e-09 as 2.5·10⁻⁹, -1 as −1."""
    return _MINUS.sub("−", _POWER.sub(_power, text))


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
        return f"{text}{PLUS_MINUS}{error:.{decimals}%}" if error > 0 else text
    if not error > 0:
        return number(f"{mean:.{digits}g}")
    decimals = _decimals(error)
    return number(f"{mean:.{decimals}f}{PLUS_MINUS}{error:.{decimals}f}")


def _decimals(error: float) -> int:
    return max(0, _ERROR_DIGITS - 1 - math.floor(math.log10(error)))


def evidence(text: str) -> str:
    """Return evidence from the experiments without names and lists as a program writes them."""
    return written(_NAME.sub(" ", text))


def written(text: str) -> str:
    """Return text with a reader's signs: lists, ranges, arrows, Greek letters, numbers."""
    text = _RANGE.sub("–", re.sub(r";(?=\S)", ", ", text)).replace("->", "→")
    text = _EXPONENT.sub(lambda found: found[1].translate(_RAISED), text)
    return number(_LETTER.sub(lambda found: _LETTERS[found[1]], text))


def stated(text: str) -> str:
    """Return what a document states as MyST: formulas as formulas."""
    from kernlib.report.tables import plain

    if "\\" in text or re.search(r"[_^]\{", text):
        return "$" + text.replace("&", "") + "$"
    # With spaces a long quotient can be broken over lines.
    return plain(written(text.replace("/(", " / (")))
