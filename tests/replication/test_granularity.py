from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlib.replication.granularity import Printed, always_fits, counts, fitting_sizes


@given(st.integers(1, 5000), st.data(), st.integers(1, 8), st.sampled_from(["round", "cut"]))
def test_a_true_rate_always_passes(n, data, digits, way):
    k = data.draw(st.integers(0, n))
    unit = Fraction(1, 10**digits)
    steps = Fraction(k, n) / unit
    whole = round(steps) if way == "round" else steps.__floor__()
    printed = f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"
    assert k in counts(printed, n)


@given(st.integers(1, 300), st.integers(0, 10**4))
def test_counts_are_all_the_counts(n, ten_thousandths):
    printed = f"{ten_thousandths / 10**4:.4f}"
    p, unit = Fraction(printed), Fraction(1, 10**4)
    expected = [k for k in range(n + 1) if p - unit / 2 <= Fraction(k, n) < p + unit]
    assert list(counts(printed, n)) == expected


@given(st.integers(0, 1000), st.integers(1, 400))
def test_from_some_size_on_everything_fits(thousandths, extra):
    printed = f"{thousandths / 1000:.3f}"
    limit = always_fits(printed)
    if thousandths < 1000:  # above 1 there are no rates, so the interval is cut there
        assert len(counts(printed, limit + extra)) > 0


def test_percent_exponent_and_plain_are_one_number():
    forms = ["2.42%", "0.0242", "2.42e-2", ".0242", " 2.42 %"]
    assert {Printed.parse(form) for form in forms} == {
        Printed(Fraction(242, 10**4), Fraction(1, 10**4))
    }


def test_the_mean_of_runs_is_a_count_over_all_runs():
    assert list(counts("0.0025", 200)) == []
    assert list(counts("0.0025", 200, runs=2)) == [1]


def test_sizes_that_fit_a_list():
    sizes = [7, 11, 13]
    rates = [f"{k / 13:.6f}" for k in (1, 5, 12)]
    assert fitting_sizes(rates, largest=13) == [13]
    assert all(n % 13 == 0 for n in fitting_sizes(rates, largest=60))
    assert fitting_sizes([], largest=max(sizes)) == list(range(1, 14))


def test_stands_for_allows_rounding_cutting_and_the_last_bit():
    assert Printed.parse("0.27816").stands_for(1669 / 6000)
    assert Printed.parse("0.2782").stands_for(1669 / 6000)
    assert not Printed.parse("0.2780").stands_for(1669 / 6000)
    assert Printed.parse("0.3").stands_for(0.1 + 0.2)
    assert not Printed.parse("0.087").stands_for(176 / 2000)


@given(st.floats(1e-3, 1e3), st.integers(1, 6))
def test_a_number_and_its_negative_are_printed_alike(value, digits):
    text = f"{value:.{digits}f}"
    assert Printed.parse(text).stands_for(value)
    assert Printed.parse(f"-{text}").stands_for(-value)
    assert Printed.parse(text).stands_for(value * 1.01) == Printed.parse(f"-{text}").stands_for(
        -value * 1.01
    )


@pytest.mark.parametrize("text", ["", "abc", "1,5", "0.1.2", "nan", "--1"])
def test_no_number_is_refused(text):
    with pytest.raises(ValueError, match=r"like '0\.2807' or '2\.42%', got"):
        Printed.parse(text)


@pytest.mark.parametrize(("n", "runs"), [(0, 1), (5, 0), (-1, 1)])
def test_no_examples_are_refused(n, runs):
    with pytest.raises(ValueError, match="at least 1"):
        counts("0.1", n, runs)
