"""Decision regions are those of the model that is handed over."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from kernlib.report.figures import regions

X = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [2.0, 4.0]])
Y = np.array([-1, 1, -1, 1])


class Halfplane:
    """Positive to the right of x1 = 1; remembers where it was asked."""

    support_vectors_ = X[:1]

    def decision_function(self, points):
        self.asked = points
        return 2 * (points[:, 0] - 1)


def borders(ax, colour):
    """Return the x1 of the contour lines of a colour."""
    found = []
    for collection in ax.collections:
        edges = getattr(collection, "get_edgecolor", list)()
        same = len(edges) and np.allclose(edges[0], plt.matplotlib.colors.to_rgba(colour))
        if same and hasattr(collection, "levels") and not collection.filled:
            found += [path.vertices[:, 0] for path in collection.get_paths() if len(path.vertices)]
    return np.concatenate(found) if found else np.array([])


def test_boundary_is_where_the_score_is_0():
    ax = regions.plot_regions(Halfplane(), X, Y)
    assert np.allclose(borders(ax, "black"), 1)
    assert ax.get_title() == ""
    assert list(ax.get_xticks()) == []


def test_grid_covers_the_points_with_a_margin():
    model = Halfplane()
    regions.plot_regions(model, X, Y)
    low, high = model.asked.min(axis=0), model.asked.max(axis=0)
    assert (low < X.min(axis=0)).all()
    assert (high > X.max(axis=0)).all()
    assert len(model.asked) == regions.N_GRID**2


def test_margins_are_the_scores_1():
    ax = regions.plot_regions(Halfplane(), X, Y, margins=True)
    assert sorted(set(borders(ax, "0.4").round(6))) == [0.5, 1.5]
    assert len(borders(regions.plot_regions(Halfplane(), X, Y), "0.4")) == 0


@pytest.mark.parametrize("labels", [Y, (Y + 1) // 2])
def test_classes_have_their_own_marks(labels):
    ax = regions.plot_regions(Halfplane(), X, labels)
    scatters = [c for c in ax.collections if hasattr(c, "get_offsets") and len(c.get_offsets()) > 1]
    negative, positive = (np.asarray(c.get_offsets()) for c in scatters)
    assert negative.tolist() == X[Y < 0].tolist()
    assert positive.tolist() == X[Y > 0].tolist()


def test_support_vectors_are_ringed():
    with_rings = regions.plot_regions(Halfplane(), X, Y, support=True)
    assert np.asarray(with_rings.collections[-1].get_offsets()).tolist() == X[:1].tolist()
    without = regions.plot_regions(Halfplane(), X, Y)
    assert len(with_rings.collections) == len(without.collections) + 1


def test_a_constant_score_has_no_boundary():
    class Nowhere(Halfplane):
        def decision_function(self, points):
            return np.ones(len(points))

    assert len(borders(regions.plot_regions(Nowhere(), X, Y, margins=True), "black")) == 0


def test_panels_have_their_texts_and_rows():
    model = Halfplane()
    rows = {"first": {"a": model, "b": model}, "second": {"c": model}}
    figure = regions.plot_region_panels(rows, X, Y)
    assert [ax.get_title() for ax in figure.axes] == ["a", "b", "c", ""]
    assert [ax.get_visible() for ax in figure.axes] == [True, True, True, False]
    assert [figure.axes[k].get_ylabel() for k in (0, 2)] == ["first", "second"]


def test_pictures_are_not_left_open():
    figure = regions.region_figure(Halfplane(), X, Y, margins=True)
    assert plt.get_fignums() == []
    assert len(borders(figure.axes[0], "black")) > 0
