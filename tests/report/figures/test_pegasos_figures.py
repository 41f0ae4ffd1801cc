"""Figures of the chapter on Pegasos draw what they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

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


def test_margin_rings_the_points_on_the_edge():
    X, y = np.array([[2.0, 0.0], [-2.0, 0.0], [4.0, 1.0]]), np.array([1, -1, 1])
    ax = figures.plot_margin(X, y, {"best": [0.5, 0.0], "other": [1.0, 1.0]})
    by_label = {line.get_label(): line.get_xydata() for line in ax.lines}
    assert sorted(by_label["support vector"].tolist()) == [[-2, 0], [2, 0]]
    np.testing.assert_allclose(by_label["best"] @ [0.5, 0.0], 0, atol=1e-12)
    np.testing.assert_allclose(by_label["other"] @ [1.0, 1.0], 0, atol=1e-12)
    edges = [line.get_xydata() @ [0.5, 0.0] for line in ax.lines[4:6]]
    np.testing.assert_allclose(edges, [[-1, -1], [1, 1]])


def test_regret_has_a_measured_line_and_a_bound():
    rows = [f"equation {k}, T = {T}" for k in (1, 2) for T in (250, 500)]
    frame = pd.DataFrame({"row": rows, "mean": [4.0, 3.0, 2.0, 1.0], "se": 0.1})
    both = pd.concat(
        [frame.assign(quantity="excess"), frame.assign(quantity="bound", mean=2 * frame["mean"])]
    )
    ax = figures.plot_regret(both)
    lines = {bars.get_label(): bars.lines[0].get_xydata().tolist() for bars in ax.containers}
    assert lines["convex, projected: measured"] == [[250, 4], [500, 3]]
    assert lines["strongly convex: bound"] == [[250, 4], [500, 2]]


def test_iterates_are_means_over_runs():
    ax = figures.plot_iterates({"last": [[1, 3], [0.5, 1.5]]}, [10, 100], [9, 5])
    mean, bound = (line.get_xydata().tolist() for line in ax.lines)
    assert mean == [[10, 2], [100, 1]]
    assert bound == [[10, 9], [100, 5]]


def small_lambda():
    rows = [
        (variant, lam, quantity, value, 0.01)
        for variant, value in (("exact minimum", 1.0), ("T = 100", 3.0), ("T = 1000", 1.2))
        for lam in ("0.1", "1")
        for quantity in ("training_error", "validation_error", "objective")
    ]
    return pd.DataFrame(rows, columns=["variant", "row", "quantity", "mean", "se"])


def test_small_lambda_has_two_panels_with_the_published_points():
    published = pd.DataFrame(
        {"row": ["0.1", "1", "10"], "quantity": "training_error", "published": [5.0, 6.0, 7.0]}
    )
    figure = figures.plot_small_lambda(small_lambda(), published)
    train, validation = figure.axes
    lines = {bars.get_label(): bars.lines[0].get_xydata().tolist() for bars in train.containers}
    assert lines["T = $10^{2}$"] == [[0.1, 3], [1, 3]]
    assert lines["exact minimum"] == [[0.1, 1], [1, 1]]
    crosses = [line for line in train.lines if line.get_label() == "published"]
    assert crosses[0].get_xydata().tolist() == [[0.1, 5], [1, 6]]  # 10 is not in our table
    assert validation.get_ylabel() == "validation error"


def test_collapse_is_drawn_against_the_product():
    ax = figures.plot_collapse(small_lambda())
    first = ax.lines[0].get_xydata()
    np.testing.assert_allclose(first, [[10, 2], [100, 0.2]])


def test_single_runs_have_a_bar_for_each_count():
    errors = [0.010, 0.011, 0.011, 0.013]
    ax = figures.plot_single_runs(errors, {"text": 0.02}, centre=0.015)
    assert [bar.get_height() for bar in ax.patches] == [1, 2, 0, 1]
    line = next(line for line in ax.lines if line.get_label() == "text")
    np.testing.assert_allclose(line.get_xdata()[0], 0.5)
