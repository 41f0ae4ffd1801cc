r"""Whether a printed error rate can be a count of mistakes over n examples.

An error rate is :math:`k/n` with whole k.  Printed with a unit u in its last digit it stands for
any value in :math:`[p - u/2,\ p + u)`: rounded either way, or cut off.  If no k/n lies there, the
figure was not measured on n examples, however it was rounded.  The mean of R such rates is a
count over R n.  Tests: ``tests/replication/test_granularity.py``.
"""

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

NUMBER = re.compile(r"[+-]?(\d+(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?\s*(%?)")


class Printed(NamedTuple):
    """A number as it was printed, exactly."""

    value: Fraction
    unit: Fraction  # what the last printed digit counts

    @classmethod
    def parse(cls, text: str) -> "Printed":
        """Read ``"0.2807"``, ``"2.42%"`` or ``"1.9e-3"``."""
        match = NUMBER.fullmatch(str(text).strip())
        if match is None:
            raise ValueError(
                f"A printed rate must be a number like '0.2807' or '2.42%', got {text!r}. "
                "Give it as text, with all its printed digits."
            )
        _, after, only_after, exponent, percent = match.groups()
        scale = int(exponent or 0) - (2 if percent else 0)
        digits = len(after or only_after or "")
        value = Fraction(str(text).strip().rstrip("% ")) / (100 if percent else 1)
        return cls(value, Fraction(10) ** (scale - digits))

    @property
    def nearer(self) -> Fraction:
        """The bound towards 0: half a unit, by rounding; a value there may be printed so."""
        return self.value - self._sign * self.unit / 2

    @property
    def farther(self) -> Fraction:
        """The bound away from 0: a whole unit, by cutting off; a value there may not."""
        return self.value + self._sign * self.unit

    @property
    def _sign(self) -> int:
        return -1 if self.value < 0 else 1

    def stands_for(self, value: float) -> bool:
        """Tell whether ``value``, rounded or cut off, prints like this."""
        exact = Fraction(value) * self._sign
        # A rate such as 0.0585 has no exact binary form: allow the last bit.
        slack = abs(exact) / 2**50
        return self.nearer * self._sign - slack <= exact < self.farther * self._sign - slack


def counts(printed: str, n: int, runs: int = 1) -> range:
    """Return the whole counts k for which k / (runs n) prints like this; empty if there is none."""
    if n < 1 or runs < 1:
        raise ValueError(f"n and runs must be at least 1, got n={n}, runs={runs}. Count again.")
    number = Printed.parse(printed)
    total = n * runs
    # k / total < farther, strictly: hence the ceiling, which is the end of the range.
    first, end = math.ceil(number.nearer * total), math.ceil(number.farther * total)
    return range(max(first, 0), min(end, total + 1))


def fitting_sizes(
    printed: Iterable[str], largest: int = 10_000, smallest: int = 1, runs: int = 1
) -> list[int]:
    """Return the n from ``smallest`` to ``largest`` that can have printed all of the rates."""
    rates = list(printed)
    return [
        n for n in range(smallest, largest + 1) if all(len(counts(p, n, runs)) > 0 for p in rates)
    ]


def always_fits(printed: str) -> int:
    """Return the size from which on every n can print the rate, so that the test says nothing."""
    number = Printed.parse(printed)
    return math.ceil(1 / (number.farther - number.nearer))
