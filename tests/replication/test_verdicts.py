import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kernlib.replication.verdicts import (
    AS_CODED,
    AS_PRINTED,
    CORRECTED,
    ENOUGH_RUNS,
    LEVEL,
    Published,
    judge,
    match,
    multiple_comparisons,
    summary,
)

RUNS = np.random.default_rng(0).normal(0.05, 0.004, 40)


def verdict(published, **variants):
    options = variants.pop("options", {})
    names = {"printed": AS_PRINTED, "code": AS_CODED, "corrected": CORRECTED}
    return judge(published, {names[k]: v for k, v in variants.items()}, **options).verdict


# ---------------------------------------------------------------- exact


def test_exact_to_the_printed_digits():
    exact = {"deterministic": True}
    assert verdict(Published("0.326"), printed=[652 / 2000], options=exact) == "exact"
    assert verdict(Published("0.3251666"), printed=[1951 / 6000], options=exact) == "exact"
    assert verdict(Published("0.327"), printed=[652 / 2000], options=exact) == "not reproduced"


def test_a_deterministic_protocol_with_differing_runs_is_not_exact():
    runs = [0.3260001, 0.3260002]
    assert verdict(Published("0.326"), printed=runs, options={"deterministic": True}) != "exact"


# ---------------------------------------------------------------- within noise


@given(st.floats(0.02, 0.08))
def test_single_run_against_the_prediction_interval(value):
    printed = f"{value:.6f}"
    mean, std, n = RUNS.mean(), RUNS.std(ddof=1), len(RUNS)
    low, high = stats.t.interval(LEVEL, n - 1, mean, std * np.sqrt(1 + 1 / n))
    got = verdict(Published(printed), printed=RUNS)
    if low + 1e-5 < value < high - 1e-5:
        assert got == "within noise"
    if value < low - 1e-5 or value > high + 1e-5:
        assert got == "not reproduced"


def test_mean_and_std_is_welchs_test():
    rng = np.random.default_rng(1)
    theirs = rng.normal(0.052, 0.006, 20)
    published = Published(f"{theirs.mean():.9f}", f"{theirs.std():.9f}", runs=20)
    expected = stats.ttest_ind(theirs, RUNS, equal_var=False).pvalue
    assert match(published, RUNS, deterministic=False).p_value == pytest.approx(expected, rel=1e-5)


def test_an_interval_wider_than_three_points_says_nothing():
    wide = np.random.default_rng(0).normal(0.3, 0.05, 40)
    assert verdict(Published("0.31"), printed=wide) == "uninformative"
    assert verdict(Published("0.9"), printed=wide) == "not reproduced"
    assert verdict(Published("0.31"), printed=wide, options={"widest": np.inf}) == "within noise"


def test_rounding_of_the_published_mean_is_no_difference():
    runs = np.full(20, 0.12345)
    assert verdict(Published("0.12"), printed=runs) == "within noise"
    assert verdict(Published("0.13"), printed=runs) == "not reproduced"


# ---------------------------------------------------------------- the other verdicts


def test_fewer_runs_are_reduced():
    few = RUNS[: ENOUGH_RUNS - 1]
    got = judge(Published("0.05"), {AS_PRINTED: few})
    assert (got.verdict, got.tentative) == ("reduced", "within noise")
    assert verdict(Published("0.05"), printed=RUNS[:ENOUGH_RUNS]) == "within noise"
    mean = Published("0.05", "0.004", runs=30)
    assert verdict(mean, printed=RUNS[:20], options={"protocol_runs": 30}) == "reduced"
    assert verdict(mean, printed=RUNS[:30], options={"protocol_runs": 30}) == "within noise"


def test_one_run_of_a_random_protocol_is_reduced():
    assert verdict(Published("0.05"), printed=[0.05]) == "reduced"


def test_as_the_code_only_if_the_text_fails():
    published = Published("0.05")
    far = RUNS + 0.1
    assert verdict(published, printed=RUNS, code=RUNS) == "within noise"
    assert verdict(published, printed=far, code=RUNS) == "as the code, not the text"
    assert verdict(published, printed=far, code=far) == "not reproduced"
    assert verdict(published, printed=far, corrected=RUNS) == "not reproduced"
    assert verdict(published, code=RUNS) == "within noise"


def test_precedence():
    impossible = Published("0.2807", n_examples=2000)
    twin = {"twin": True, "deterministic": True}
    assert verdict(impossible, printed=[0.2807], options=twin) == "impossible"
    possible = Published("0.2805", n_examples=2000)
    assert verdict(possible, printed=[0.2805], options=twin) == "twin"
    assert verdict(possible, printed=[0.2805], options={"deterministic": True}) == "exact"
    few = {"twin": True}
    assert verdict(possible, printed=[0.2805], options=few) == "twin"


def test_a_variant_of_the_document_is_needed():
    with pytest.raises(ValueError, match=r"as printed.*got \['corrected'\]"):
        judge(Published("0.1"), {CORRECTED: [0.1]})


# ---------------------------------------------------------------- many at once


@given(st.lists(st.floats(0, 1), max_size=30))
def test_holm(p_values):
    got = multiple_comparisons(p_values)
    order = sorted(p_values)
    rejected = 0
    for k, p in enumerate(order):
        if p > (1 - LEVEL) / (len(order) - k):
            break
        rejected += 1
    assert got["failures_after_holm"] == rejected
    assert got["comparisons"] == len(p_values)


def test_deterministic_rows_are_no_comparisons():
    assert multiple_comparisons([np.nan, np.nan, 0.5])["comparisons"] == 1


def test_false_alarms_are_about_one_percent():
    rng = np.random.default_rng(0)
    fails = [
        match(Published(f"{x:.9f}"), rng.normal(size=20), deterministic=False).p_value < 1 - LEVEL
        for x in rng.normal(size=4000)
    ]
    low, high = stats.binom.interval(0.9999, 4000, 1 - LEVEL)
    assert low <= sum(fails) <= high


def test_summary_counts_add_up():
    rows = pd.DataFrame(
        {
            "document": ["a", "a", "b", "b", "b"],
            "verdict": ["exact", "twin", "exact", "exact", "impossible"],
        }
    )
    table = summary(rows)
    assert table.loc["all", "numbers"] == len(rows)
    assert table.loc["b", "exact"] == 2
    assert list(table.columns) == ["impossible", "twin", "exact", "numbers"]
