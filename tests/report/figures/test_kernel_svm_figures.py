"""Figures of the chapter on the exact machine draw what they are given."""

import numpy as np
import pandas as pd

from kernlib import KernelSVM
from kernlib.report.figures import kernel_svm as figures


def test_margins_ring_the_support_vectors():
    X, y = np.array([[0.0, 0], [1, 1], [0, 1], [5, 5]]), np.array([0, 1, 0, 1])
    machine = KernelSVM(kernel="linear", C=10).fit(X, y)
    figure = figures.plot_margins({"C = 10": machine}, X, y)
    rings = figure.axes[0].collections[-1].get_offsets()
    assert sorted(map(tuple, rings.tolist())) == sorted(map(tuple, X[machine.support_].tolist()))
    assert figure.axes[0].get_xlabel() == "C = 10"


def test_primal_is_dual_plus_gap():
    figure = figures.plot_closing_gap([1, 10], [1.0, 2.0], [2.0, 0.5])
    primal, dual = figure.axes[0].lines
    np.testing.assert_allclose(primal.get_ydata(), [3, 2.5])
    np.testing.assert_allclose(dual.get_ydata(), [1, 2])
    np.testing.assert_allclose(figure.axes[1].lines[0].get_ydata(), [2, 0.25])


def test_guide_starts_at_the_largest_excess():
    ax = figures.plot_gap_of_pegasos({"last": [0.5, 0.2], "average": [1.0, 0.4]}, [10, 100])
    np.testing.assert_allclose(ax.lines[-1].get_ydata(), [1.0, 0.1])


def test_published_errors_are_crosses():
    card = pd.DataFrame(
        {"parameter": [1, 2], "ours": [0.1, 0.2], "se": [0.01, 0.01], "published": [0.11, 0.19]}
    )
    ax = figures.plot_by_parameter({"Gaussian": card}, "gamma", log=True)
    crosses = [line for line in ax.lines if line.get_marker() == "x"]
    assert crosses[0].get_xydata().tolist() == [[1, 0.11], [2, 0.19]]
    assert ax.get_xscale() == "log"
