"""Figures of the chapter on budgets draw what they are given."""

import numpy as np
import pandas as pd

from kernlib.report.figures import budget as figures


def test_mistakes_are_drawn_with_the_bound():
    panels = {"p": {"Forgetron": [1, 2], "random": [1, 3]}}
    fig = figures.plot_mistakes(panels, [10, 20], {"p": [5, 9]})
    lines = [line.get_xydata().tolist() for line in fig.axes[0].lines]
    assert lines == [[[10, 1], [20, 2]], [[10, 1], [20, 3]], [[10, 5], [20, 9]]]
    labels = fig.axes[0].get_legend_handles_labels()[1]
    assert labels == ["Forgetron", "random", "Forgetron's bound"]


def test_a_bound_is_not_needed():
    fig = figures.plot_mistakes({"p": {"random": [1]}, "q": {"random": [2]}}, [10])
    assert [len(ax.lines) for ax in fig.axes] == [1, 1]


def test_kept_examples_are_where_they_came_and_crosses_if_their_label_is_wrong():
    ax = figures.plot_kept({"a": [0, 3], "b": [1]}, np.array([False, True, True, True]))
    rows = [line.get_xdata().tolist() for line in ax.lines]
    assert rows == [[0], [3], [], [1]]
    assert [line.get_marker() for line in ax.lines] == ["o", "x", "o", "x"]
    assert all(
        abs(line.get_ydata() - k // 2).max() < 0.5 for k, line in enumerate(ax.lines) if k != 2
    )
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b"]
    assert ax.get_legend_handles_labels()[1] == ["label right", "label flipped"]


def test_budgets_have_a_line_for_each_degree():
    ax = figures.plot_budgets(pd.DataFrame({1: [0.5, 0.4], 2: [0.3, 0.2]}, index=[200, 300]))
    assert [line.get_xydata().tolist() for line in ax.lines] == [
        [[200, 0.5], [300, 0.4]],
        [[200, 0.3], [300, 0.2]],
    ]
    assert ax.get_legend_handles_labels()[1] == ["degree 1", "degree 2"]
    assert ax.get_yscale() == "log"
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["10 %", "20 %", "30 %", "50 %"]


def test_rules_are_drawn_with_the_error_without_a_budget():
    frame = pd.DataFrame(
        {
            "panel": ["p", "p", "q"],
            "rule": ["random", "Forgetron", "random"],
            "budget": [200, 200, 200],
            "mean": [0.2, 0.3, 0.4],
            "se": [0.1, 0.1, 0.1],
        }
    )
    fig = figures.plot_rules(frame, {"p": 0.15, "q": 0.25})
    assert [len(ax.containers) for ax in fig.axes] == [2, 1]
    levels = [ax.lines[-1].get_ydata()[0] for ax in fig.axes]
    assert levels == [0.15, 0.25]


def test_published_errors_stand_beside_ours():
    frame = pd.DataFrame(
        {"panel": ["p"], "degree": [3], "ours": [0.2], "std": [0.1], "published": [0.3],
         "published_std": [0.05]}
    )  # fmt: skip
    fig = figures.plot_published(frame)
    ours, published = fig.axes[0].containers
    np.testing.assert_allclose(ours[0].get_xydata(), [[2.9, 0.2]])
    np.testing.assert_allclose(published[0].get_xydata(), [[3.1, 0.3]])
    assert (ours.get_label(), published.get_label()) == ("ours", "published")
