"""Document 5, part II: what it says about sample complexity, tested.

Tests: ``tests/replication/test_sample_complexity.py``.
"""

import numpy as np
import pandas as pd

from kernlib.replication.claims import Finding, claim, not_testable, used
from kernlib.replication.dellaporta2020.growth import laws, slope
from kernlib.replication.dellaporta2020.sample_complexity import (
    LEARNERS,
    cube,
    mistake_probability,
    neighbour_complexity,
    novikoff,
    sample_complexity,
)
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED

DOCUMENT = "dellaporta2020"
NEAR = 0.1  # a factor read off a plot: right if ours is within a tenth of it
ONCE = "a setting of sample_complexity"
NEIGHBOUR = "a setting of neighbour_complexity"

used(
    DOCUMENT,
    {
        "D59": ONCE,
        "D60": ONCE,
        "D61": ONCE,
        "D62": ONCE,
        "D63": ONCE,
        "D64": ONCE,
        "D65": NEIGHBOUR,
        "D66": NEIGHBOUR,
        "D67": NEIGHBOUR,
    },
)
not_testable(
    DOCUMENT,
    {
        "D71": "the factors of the three curves are not printed",
        "D80": "the document ends there; the book states and proves a bound of its own",
    },
)


def _of(table: pd.DataFrame, algorithm: str, variant: str = AS_PRINTED) -> pd.DataFrame:
    return table[(table["algorithm"] == algorithm) & (table["variant"] == variant)]


def _factor(table: pd.DataFrame, algorithm: str, stated: float) -> Finding:
    found = slope(_of(table, algorithm), "a n")
    true = slope(_of(table, algorithm, CORRECTED), "a n", resamples=2)
    near = abs(found["value"] / stated - 1) <= NEAR
    return Finding(
        bool(near),
        {
            "m/n": found["value"],
            "95 % from": found["low"],
            "to": found["high"],
            "m/n at the true crossing": true["value"],
        },
    )


@claim("D68", tables=(sample_complexity,))
def perceptron_factor(table: pd.DataFrame) -> Finding:
    """The slope of m through the origin, one pass, first passage, is within a tenth."""
    return _factor(table, "perceptron", 1.8)


@claim("D69", tables=(sample_complexity,))
def least_squares_factor(table: pd.DataFrame) -> Finding:
    """The slope of m through the origin, first passage, is within a tenth."""
    return _factor(table, "least squares", 0.65)


@claim("D70", tables=(sample_complexity,))
def winnow_is_logarithmic(table: pd.DataFrame) -> Finding:
    """Of all fitted laws a logarithmic one has the smallest Akaike criterion, at the crossing."""
    found = laws(_of(table, "winnow", CORRECTED).set_index("n")["value"])
    other = found[~found["law"].str.contains("ln")].iloc[0]
    return Finding(
        "ln" in found["law"][0],
        {
            "best law": str(found["law"][0]),
            "criterion": found["aic"][0],
            "best other": str(other["law"]),
            "its criterion": float(other["aic"]),
        },
    )


@claim("D72")
def algorithms_compared() -> Finding:
    """There are four algorithms in all, so three others."""
    others = len({name.split(" to ")[0] for name in LEARNERS} | {"1-NN"}) - 1
    return Finding(others == 4, {"others": float(others)})


def _neighbour_laws(table: pd.DataFrame) -> tuple[pd.DataFrame, float]:
    found = laws(_of(table, "1-NN", CORRECTED).set_index("n")["value"])
    exponential = found.set_index("law").loc["a 2^(b n)"]
    return found, float(exponential["parameters"][-1])


@claim("D73", tables=(neighbour_complexity,))
def neighbour_upper_bound(table: pd.DataFrame) -> Finding:
    """The fitted m = a 2^(b n) has b <= 1."""
    _, b = _neighbour_laws(table)
    return Finding(b <= 1, {"b": b})


@claim("D74", tables=(neighbour_complexity,))
def neighbour_lower_bound(table: pd.DataFrame) -> Finding:
    """The growth is at least like n^2: the exponential law fits better than the square."""
    found, b = _neighbour_laws(table)
    aic = found.set_index("law")["aic"]
    return Finding(
        bool(aic["a 2^(b n)"] < aic["a n^2"]),
        {"b": b, "exponential": float(aic["a 2^(b n)"]), "square": float(aic["a n^2"])},
    )


@claim("D75", "D78", tables=(novikoff,))
def mistakes_stay_below_the_bound(table: pd.DataFrame) -> Finding:
    """No run to convergence makes more than (R / gamma)^2 = n mistakes."""
    wide = table.pivot(index="n", columns="quantity", values="value")
    share = wide["mistakes"] / wide["bound"]
    return Finding(bool((share <= 1).all()), {"largest share of the bound": float(share.max())})


@claim("D76", "D77")
def radius_and_margin() -> Finding:
    """The corners have norm sqrt(n), and v = (1, 0, ...) has y <v, x> = 1 on each."""
    X = cube(np.random.default_rng(0), 1000, 37)
    norms, margins = np.linalg.norm(X, axis=1), X[:, 0] * X[:, 0]
    holds = np.allclose(norms, np.sqrt(37)) and bool(np.all(margins == 1))
    radius = float(norms.max() / np.sqrt(37))
    return Finding(holds, {"norm / sqrt n": radius, "least margin": float(margins.min())})


@claim("D79", tables=(mistake_probability,))
def mistake_probability_bound(table: pd.DataFrame) -> Finding:
    """The measured probability of a mistake is below n / m for every n and m tried."""
    wide = table.pivot(index="row", columns="quantity", values="value")
    share = wide["test_error"] / wide["bound"]
    return Finding(bool((share <= 1).all()), {"largest share of the bound": float(share.max())})
