"""Figures of the chapter on speed: exponents are slopes of the logarithms."""

import numpy as np
import pandas as pd
import pytest

from kernlib.report.figures import speed as figures


@pytest.fixture
def growth():
    sizes = np.array([10.0, 20, 40])
    return pd.concat(
        pd.DataFrame({"learner": name, "axis": axis, "size": sizes, "seconds": sizes**power})
        for name, axis, power in [("a", "m", 2), ("b", "m", 1), ("a", "T", 1)]
    )


def test_exponents_are_slopes(growth):
    found = figures.exponents(growth)
    assert found[["learner", "axis"]].to_numpy().tolist() == [["a", "m"], ["b", "m"], ["a", "T"]]
    np.testing.assert_allclose(found["exponent"], [2, 1, 1])


def test_a_panel_for_each_axis_with_exponents(growth):
    figure = figures.plot_growth(growth)
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert [ax.get_xlabel() for ax in shown] == ["examples m", "steps T"]
    assert [text.get_text() for text in shown[0].get_legend().get_texts()] == ["a: 2.00", "b: 1.00"]


def test_ratios_stand_beside_their_goals():
    summary = pd.DataFrame(
        {"case": ["x", "y"], "ratio": [3.0, 8.0], "low": [2.0, 7.0], "high": [4.0, 9.0],
         "goal": [2.0, 10.0]}
    )  # fmt: skip
    ax = figures.plot_ratios(summary)
    goals = next(line for line in ax.lines if line.get_label() == "goal")
    assert goals.get_xdata().tolist() == [10, 2]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["y", "x"]
