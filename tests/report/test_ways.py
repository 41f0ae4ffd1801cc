"""Ways compared: excess over the optimum, differences in standard errors."""

import pandas as pd
import pytest

from kernlib.report.ways import compared, gain, ways_table


@pytest.fixture
def numbers():
    rows = [
        ("slow 0.1", "objective", 1.10, 0.03, 2.2, 0.4),
        ("slow 0.1", "test_error", 0.30, 0.01, 0.31, 0.02),
        ("very fast 0.1", "objective", 1.05, 0.04, 2.7, 0.3),
        ("very fast 0.1", "test_error", 0.20, 0.0, 0.21, 0.0),
    ]
    columns = ["row", "quantity", "mean", "se", "recorded", "recorded_se"]
    return pd.DataFrame(rows, columns=columns)


def test_excess_is_relative_to_the_least(numbers):
    made = compared(numbers, {"0.1": 1.0})
    assert made["way"].tolist() == ["slow", "very fast"]
    assert made["excess"].tolist() == pytest.approx([0.10, 0.05])
    assert made["recorded_error"].tolist() == [0.31, 0.21]


def test_without_a_record_there_are_no_columns_of_it(numbers):
    made = compared(numbers.drop(columns=["recorded", "recorded_se"]), {"0.1": 1.0})
    assert "recorded_error" not in made
    assert "test_error" in made


def test_a_missing_optimum_is_refused(numbers):
    with pytest.raises(ValueError, match=r"every lambda, it lacks 0.1. It has 1"):
        compared(numbers, {"1": 1.0})


def test_gain_counts_standard_errors(numbers):
    assert gain(numbers, "very fast", "slow", "0.1") == pytest.approx(0.05 / 0.05)
    assert gain(numbers, "very fast", "slow", "0.1", "recorded") == pytest.approx(-0.5 / 0.5)


def test_table_has_means_with_errors(numbers):
    cells = ways_table(numbers, {"0.1": 1.0}, name="tab-x", caption="c", way="speed").cells
    assert cells["speed"].tolist() == ["slow", "very fast"]
    excess = [cell.replace("\u00a0", " ") for cell in cells["above the optimum, %"]]
    assert excess == ["10.000 ± 3.000", "5.000 ± 4.000"]
    assert cells["test error, %"].tolist() == ["30.00\u00a0±\u00a01.00", "20.00"]
    assert cells["objective on the original"].tolist() == ["2.20000", "2.70000"]
