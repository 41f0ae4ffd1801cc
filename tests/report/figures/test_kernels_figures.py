"""Figures of the chapter on kernels draw what they are given."""

from kernlib.report.figures import kernels as figures


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
