"""The recorded benchmarks are read as they were written."""

import numpy as np
import pandas as pd
import pytest

from kernlib.report import speed


def test_exponents_of_exact_powers():
    size = np.array([10, 20, 40, 80])
    growth = pd.DataFrame(
        {"learner": "A", "axis": "T", "size": size, "seconds": size**1.5, "megabytes": 7.0}
    )
    row = speed.exponents(growth).iloc[0]
    assert row.time_exponent == pytest.approx(1.5)
    assert row.last_exponent == pytest.approx(1.5)
    assert row.memory_exponent == pytest.approx(0.0, abs=1e-12)
    assert (row.smallest, row.largest) == (10, 80)


def test_exponents_have_no_negative_zero():
    growth = pd.DataFrame(
        {"learner": "A", "axis": "T", "size": [1, 2, 4], "seconds": 1.0, "megabytes": 7.0}
    )
    growth["megabytes"] -= growth["size"] * 1e-4
    assert f"{speed.exponents(growth)['memory_exponent'].iloc[0]:.2f}" == "0.00"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0068, "0.0068 s"),
        (119, "119 s"),
        (240, "4 min"),
        (7200, "2 h"),
        (86_400 * 612, "612 days"),
    ],
)
def test_durations_are_readable(seconds, text):
    assert speed.duration(seconds) == text


def summary():
    return pd.DataFrame(
        {
            "case": ["fit", "start: kernlib --help", "gone"],
            "sense": [">=", "<=", None],
            "goal": [5.0, 0.2, np.nan],
            "unit": ["x SVC", "s", "x river"],
            "ratio": [4.0, 0.1, np.nan],
            "low": [3.0, 0.1, np.nan],
            "high": [5.0, 0.1, np.nan],
            "quality": ["test error", None, None],
            "quality_ours": [0.02, np.nan, np.nan],
            "quality_theirs": [0.01, np.nan, np.nan],
            "met": ["False", "True", None],
            "note": ["why", "", "river: not installed, skipped"],
            "python": ["3.11"] * 3,
            "river": [np.nan] * 3,
        }
    )


def test_goals_and_contests():
    assert speed.contests(summary())["case"].tolist() == ["fit"]
    found = speed.goals(summary())
    assert found["case"].tolist() == ["fit", "start: `kernlib --help`"]
    assert found["goal"].tolist() == ["≥ 5 x SVC", "≤ 0.2 s"]
    assert found["quality"].tolist() == ["test error 0.02 : 0.01", "–"]
    assert found["met"].tolist() == ["no", "yes"]
    assert speed.machine(summary())["value"].tolist() == ["3.11", "not installed"]


def test_large_numbers_have_no_exponent():
    large = summary().assign(ratio=3706.66, low=3706.66, high=12345.6)
    assert speed.goals(large)["found"].tolist() == ["3707"] * 2
    assert speed.goals(large)["interval"].tolist() == ["3707 – 12346"] * 2


def test_contests_leave_out_where_less_is_better():
    turned = summary().assign(sense="<=")
    assert len(speed.contests(turned)) == 0


def test_missing_table_names_the_command(tmp_path):
    with pytest.raises(FileNotFoundError, match="make bench"):
        speed.recorded("summary", tmp_path)
