r"""One rule for all published numbers: how each agrees with ours.

Each published number gets the first verdict below that applies.

1. *impossible*: no whole count of mistakes gives the printed figure (``granularity.py``).
2. *twin*: the document's data was not at hand, a stand-in was used; nothing can be said.
3. *reduced*: fewer runs than the protocol has, or fewer than a verdict needs.
4. *exact*: a deterministic protocol, and our value prints as theirs does.
5. *within noise*: a single published run lies in the 99 % prediction interval (Student's t) of at
   least 20 of our runs; a published mean ± std passes a Welch test at 99 %.  But
   *uninformative* if that interval is wider than ± 3 points of error.
6. *as the code, not the text*: 4 or 5 holds only for the variant with the document's slip.
7. *not reproduced*.

A printed figure stands for all values that round to it or are cut off to it; the nearest to
ours is compared.  Of N comparisons at 99 % about N/100 fail by chance: ``multiple_comparisons``
counts how many failures remain when that is allowed for (Holm 1979).
Tests: ``tests/replication/test_verdicts.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from kernlib.replication.granularity import Printed, counts

VERDICTS = (
    "impossible",
    "twin",
    "reduced",
    "exact",
    "within noise",
    "uninformative",
    "as the code, not the text",
    "not reproduced",
)
LEVEL = 0.99
ENOUGH_RUNS = 20
WIDEST = 0.03
AS_PRINTED, AS_CODED, CORRECTED = "as printed", "as their code", "corrected"


@dataclass(frozen=True)
class Published:
    """A number of a document.

    Parameters
    ----------
    printed : str
        Its digits.
    std : str or None
        The standard deviation printed beside a mean; None for a single run.
    runs : int
        The runs behind it.
    n_examples : int or None
        The examples that an error rate was counted on, if the document says.
    ddof : int
        What the document's standard deviation was divided by: runs - ddof.
    """

    printed: str
    std: str | None = None
    runs: int = 1
    n_examples: int | None = None
    ddof: int = 0

    @property
    def value(self) -> float:
        """The number."""
        return float(Printed.parse(self.printed).value)

    def possible(self) -> bool:
        """Tell whether some count of mistakes gives it."""
        if self.n_examples is None:
            return True
        return len(counts(self.printed, self.n_examples, self.runs)) > 0

    def nearest(self, ours: float) -> float:
        """Return the value nearest to ours that is printed like this."""
        number = Printed.parse(self.printed)
        low, high = sorted([float(number.nearer), float(number.farther)])
        return float(np.clip(ours, low, high))


@dataclass(frozen=True)
class Match:
    """How one variant of ours compares."""

    verdict: str  # exact, within noise, uninformative or not reproduced
    mean: float
    se: float
    n: int
    p_value: float  # NaN for a deterministic protocol
    half_width: float  # of the interval that decided


@dataclass(frozen=True)
class Judgement:
    """The verdict on a published number, and what it rests on."""

    verdict: str
    tentative: str  # what it would be with the protocol's runs, or its data
    variant: str
    match: Match


def match(published: Published, ours: Any, *, deterministic: bool, widest: float = WIDEST) -> Match:
    """Compare a published number with our runs, whatever their number."""
    values = np.asarray(ours, dtype=np.float64)
    n, mean = len(values), float(np.mean(values))
    if deterministic:
        same = Printed.parse(published.printed).stands_for(mean) and np.ptp(values) == 0
        return Match("exact" if same else "not reproduced", mean, 0.0, n, np.nan, 0.0)
    std = float(np.std(values, ddof=1)) if n > 1 else np.inf
    p_value, half_width = _test(published, mean, std, n)
    verdict = "not reproduced"
    if p_value >= 1 - LEVEL:
        verdict = "within noise" if half_width <= widest else "uninformative"
    return Match(verdict, mean, std / np.sqrt(n), n, p_value, half_width)


def _test(published: Published, mean: float, std: float, n: int) -> tuple[float, float]:
    """Return the p-value of "same distribution", and the half width of the interval."""
    if published.std is None:
        spread, freedom = std * np.sqrt(1 + 1 / n), float(max(n - 1, 1))
    else:
        m = published.runs
        squares = float(Printed.parse(published.std).value) ** 2 * (m - published.ddof)
        theirs = squares / (m - 1) / m
        mine = std**2 / n
        spread = np.sqrt(theirs + mine)
        shares = theirs**2 / (m - 1) + mine**2 / max(n - 1, 1)
        freedom = spread**4 / shares if 0 < shares < np.inf else 1.0
    distance = abs(published.nearest(mean) - mean)
    if spread == 0:
        return float(distance == 0), 0.0
    p_value = 2 * stats.t.sf(distance / spread, freedom)
    return float(p_value), float(stats.t.ppf((1 + LEVEL) / 2, freedom) * spread)


def judge(
    published: Published,
    variants: Mapping[str, Any],
    *,
    deterministic: bool = False,
    protocol_runs: int = 1,
    twin: bool = False,
    widest: float = WIDEST,
) -> Judgement:
    """Return the verdict.

    Parameters
    ----------
    published : Published
        The document's number.
    variants : mapping of str to sequence of float
        Our runs, by variant: ``AS_PRINTED`` (or nothing but ``AS_CODED``), and ``AS_CODED``, with
        the document's slip.  Others, like ``CORRECTED``, are not judged.
    deterministic : bool, default=False
        Whether the protocol leaves nothing to chance.
    protocol_runs : int, default=1
        How many runs the protocol has.
    twin : bool, default=False
        Whether our data stands in for the document's.
    widest : float, default=0.03
        The half width above which an interval says nothing.
    """
    judged = [name for name in (AS_PRINTED, AS_CODED) if name in variants]
    if not judged:
        raise ValueError(
            f"variants must hold {AS_PRINTED!r} or {AS_CODED!r}, got {sorted(variants)}. "
            "Name the runs that follow the document."
        )
    matches = {
        name: match(published, variants[name], deterministic=deterministic, widest=widest)
        for name in judged
    }
    name, tentative = _best(matches)
    needed = protocol_runs if deterministic else max(protocol_runs, _needed(published))
    verdict = tentative
    if not published.possible():
        verdict = "impossible"
    elif twin:
        verdict = "twin"
    elif matches[name].n < needed:
        verdict = "reduced"
    return Judgement(verdict, tentative, name, matches[name])


def _needed(published: Published) -> int:
    return ENOUGH_RUNS if published.std is None else 2


def _best(matches: Mapping[str, Match]) -> tuple[str, str]:
    """Return the variant that decides, and the verdict."""
    first = next(iter(matches))
    agree = ("exact", "within noise")
    if matches[first].verdict in agree or len(matches) == 1:
        return first, matches[first].verdict
    if matches[AS_CODED].verdict in agree:
        return AS_CODED, "as the code, not the text"
    return first, matches[first].verdict


def multiple_comparisons(p_values: Any) -> dict[str, float]:
    """Return how many random comparisons fail at 99 %, by chance and after Holm's correction."""
    p = np.sort(np.asarray(p_values, dtype=np.float64))
    p = p[~np.isnan(p)]
    limits = (1 - LEVEL) / (len(p) - np.arange(len(p)))
    held = np.flatnonzero(p > limits)
    return {
        "comparisons": len(p),
        "failures": int(np.count_nonzero(p < 1 - LEVEL)),
        "expected_by_chance": (1 - LEVEL) * len(p),
        "failures_after_holm": int(held[0]) if len(held) else len(p),
    }


def summary(scorecard: pd.DataFrame) -> pd.DataFrame:
    """Return how many numbers of each document got each verdict, with totals."""
    table = pd.crosstab(scorecard["document"], scorecard["verdict"])
    table = table.reindex(columns=[v for v in VERDICTS if v in table.columns])
    table["numbers"] = table.sum(axis=1)
    table.loc["all"] = table.sum(axis=0)
    return table
