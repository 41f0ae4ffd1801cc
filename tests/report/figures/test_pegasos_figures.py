"""Figures of the chapter on Pegasos draw what they are given."""

import matplotlib.pyplot as plt
import numpy as np

from kernlib.report.figures import common
from kernlib.report.figures import pegasos as figures


def test_excess_keeps_first_and_last_record():
    steps = 10 * np.arange(1, 501)
    ax = figures.plot_excess_objective({"a": 1 / steps}, steps)
    drawn, guide = (line.get_xydata() for line in ax.lines)
    assert drawn[0].tolist() == [10, 0.1]
    assert drawn[-1].tolist() == [5000, 1 / 5000]
    assert len(drawn) <= common.N_POINTS
    np.testing.assert_allclose(guide, drawn)  # this run falls exactly as 1/t


def test_draws_where_told_and_without_title():
    _, ax = plt.subplots()
    assert figures.plot_excess_objective({"a": [2, 1]}, [1, 2], ax=ax) is ax
    assert ax.get_title() == ""
    assert ax.get_xlabel()
    assert ax.get_ylabel()
