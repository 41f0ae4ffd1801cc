"""Figures of the chapter on speed draw what they are given."""

import numpy as np
import pandas as pd

from kernlib.report.figures import speed as figures


def test_growth_names_the_slope_of_its_line():
    size = np.array([1, 2, 4, 8])
    growth = pd.DataFrame(
        {"learner": "A", "axis": "m", "size": size, "seconds": 3.0 * size**2, "megabytes": size}
    )
    figure = figures.plot_growth(growth)
    ax = figure.axes[0]
    assert ax.get_legend().get_texts()[0].get_text() == "A: 2.00"
    np.testing.assert_allclose(ax.lines[1].get_ydata(), 3.0 * size**2)
    memory = figures.plot_growth(growth, "megabytes").axes[0]
    assert memory.get_legend().get_texts()[0].get_text() == "A: 1.00"
    assert memory.get_xscale() == memory.get_yscale() == "log"


def test_growth_shows_a_decade_and_few_sizes_as_they_are():
    growth = pd.DataFrame(
        {"learner": "A", "axis": "classes", "size": [4, 8, 16], "seconds": 1.0,
         "megabytes": [66.0, 65.99, 65.98]}
    )  # fmt: skip
    ax = figures.plot_growth(growth, "megabytes").axes[0]
    assert ax.get_ylim() == (10, 100)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["4", "8", "16"]
    assert ax.get_legend().get_texts()[0].get_text() == "A: 0.00"


def test_ratios_show_goals_where_there_are_any():
    contests = pd.DataFrame(
        {
            "case": ["one", "two"],
            "unit": ["x SVC", "x river"],
            "ratio": [12.0, 3.0],
            "low": [11.0, 2.0],
            "high": [13.0, 5.0],
            "goal": [10.0, np.nan],
        }
    )
    ax = figures.plot_ratios(contests)
    (goals,) = [line for line in ax.lines if line.get_marker() == "|" and line.get_markersize() > 9]
    assert goals.get_xydata().tolist() == [[10.0, ax.get_yticks()[0]]]
    assert ax.get_yticks()[0] > ax.get_yticks()[1]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["one: SVC", "two: river"]


def test_shares_leave_the_limits_out():
    limits = pd.DataFrame(
        {"stage": ["GEMM", "Gram"], "limit": [np.nan, "GEMM"], "share": [1.0, 0.75]}
    )
    ax = figures.plot_shares(limits)
    assert [bar.get_width() for bar in ax.patches] == [0.75]
