"""Figures of the chapter on many classes draw what they are given."""

import numpy as np
import pandas as pd

from kernlib.report.figures import multiclass as figures


def test_a_line_per_parameter_of_means():
    curves = pd.DataFrame(
        {"parameter": [1, 1, 1, 2], "epoch": [1, 1, 2, 1], "value": [0.2, 0.4, 0.1, 0.5]}
    )
    ax = figures.plot_epochs(curves, "degree")
    first, second = (line.get_xydata() for line in ax.lines)
    np.testing.assert_allclose(first, [[1, 0.3], [2, 0.1]])
    np.testing.assert_allclose(second[0], [1, 0.5])


def test_ours_and_published_by_parameter():
    card = pd.DataFrame(
        {"row": ["1", "2"], "quantity": "test_error", "ours": [0.2, 0.1], "se": [0.01, 0.02],
         "runs": 4, "published": [0.21, 0.11]}
    )  # fmt: skip
    ax = figures.plot_errors(card, "degree")
    published = next(line for line in ax.lines if line.get_label() == "published")
    assert published.get_xydata().tolist() == [[1, 0.21], [2, 0.11]]
    bars = ax.collections[0].get_segments()
    np.testing.assert_allclose(bars[0][:, 1], [0.18, 0.22])  # ± s.d. = se * sqrt(runs)


def test_the_diagonal_of_a_confusion_is_left_out():
    counts = pd.DataFrame([[90.0, 2.0], [0.0, 80.0]])
    ax = figures.plot_confusion(counts)
    assert [text.get_text() for text in ax.texts] == ["2.0"]


def test_each_digit_has_its_caption():
    figure = figures.plot_digits(np.zeros((3, 4, 4)), ["a", "b", "c"])
    assert [ax.get_xlabel() for ax in figure.axes] == ["a", "b", "c"]
