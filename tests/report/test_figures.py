"""Figures draw what they are given, in looks that do not depend on colour alone."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from kernlib.report import figures, style

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_mistakes_are_drawn_epoch_by_epoch():
    ax = figures.plot_mistakes_per_epoch({"a": [5, 2, 0], "b": [4, 4]})
    assert [line.get_xydata().tolist() for line in ax.lines] == [
        [[1, 5], [2, 2], [3, 0]],
        [[1, 4], [2, 4]],
    ]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_excess_keeps_first_and_last_record():
    steps = 10 * np.arange(1, 501)
    ax = figures.plot_excess_objective({"a": 1 / steps}, steps)
    drawn, guide = (line.get_xydata() for line in ax.lines)
    assert drawn[0].tolist() == [10, 0.1]
    assert drawn[-1].tolist() == [5000, 1 / 5000]
    assert len(drawn) <= figures.N_POINTS
    np.testing.assert_allclose(guide, drawn)  # this run falls exactly as 1/t


def test_eigenvalues_are_drawn_with_their_limit():
    ax = figures.plot_smallest_eigenvalue({"a": [-1, 2], "b": [0, 1]}, [0.1, 10])
    zero, first, second = (line.get_xydata().tolist() for line in ax.lines)
    assert [y for _, y in zero] == [0, 0]
    assert first == [[0.1, -1], [10, 2]]
    assert second == [[0.1, 0], [10, 1]]
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "gamma"
    assert ax.get_ylabel()
    assert ax.get_title() == ""


@pytest.mark.parametrize("draw", [figures.plot_mistakes_per_epoch, figures.plot_excess_objective])
def test_draws_where_told_and_without_title(draw):
    _, ax = plt.subplots()
    extra = {"steps": [1, 2]} if draw is figures.plot_excess_objective else {}
    assert draw({"a": [2, 1]}, ax=ax, **extra) is ax
    assert ax.get_title() == ""
    assert ax.get_xlabel()
    assert ax.get_ylabel()


def test_too_many_lines_are_refused():
    with pytest.raises(ValueError, match=r"4 lines apart, got 5: a, b, c, d, e\. Draw two"):
        figures.plot_mistakes_per_epoch({name: [1] for name in "abcde"})


@pytest.mark.parametrize("looks", [list(style.LOOK.values()), style.VARIANTS])
@pytest.mark.parametrize("part", ["color", "linestyle", "marker"])
def test_looks_differ_in_every_respect(looks, part):
    values = [look[part] for look in looks]
    assert len(set(values)) == len(values)


def test_style_file_is_part_of_the_package():
    with mpl.rc_context():
        style.use_style()
        assert mpl.rcParams["axes.spines.top"] is False
