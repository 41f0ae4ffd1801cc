"""Figures of the chapter on kernels draw what they are given."""

from kernlib.report.figures import kernels as figures


def test_eigenvalues_are_drawn_with_their_limit():
    ax = figures.plot_smallest_eigenvalue({"a": [-1, 2], "b": [0, 1]}, [0.1, 10])
    zero, first, second = (line.get_xydata().tolist() for line in ax.lines)
    assert [y for _, y in zero] == [0, 0]
    assert first == [[0.1, -1], [10, 2]]
    assert second == [[0.1, 0], [10, 1]]
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "γ"
    assert ax.get_ylabel()
    assert ax.get_title() == ""


def test_costs_are_drawn_even_beyond_64_bits():
    ax = figures.plot_costs({"a": [2**70, 2**80], "b": [1, 2]}, [2, 4])
    assert ax.lines[0].get_xydata().tolist() == [[2, 2.0**70], [4, 2.0**80]]
    assert ax.lines[1].get_xydata().tolist() == [[2, 1], [4, 2]]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_functions_that_are_no_kernels_are_marked():
    ax = figures.plot_validity({"a": 0.5, "b": -0.25, "c": -1e-16})
    marks = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    assert marks["no negative eigenvalue found"] == [[0.5, 2], [-1e-16, 0]]
    assert marks["no kernel"] == [[-0.25, 1]]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]
    assert list(ax.get_yticks()) == [2, 1, 0]
