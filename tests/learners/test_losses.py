import numpy as np
import pytest
from scipy.special import expit

from kernlib.learners.losses import LOSSES, loss_values, multiclass_hinge, probabilities, pull

MARGINS = np.array([-1e4, -800.0, -30.0, -1.0, 0.0, 0.5, 1.0, 1.5, 30.0, 800.0, 1e4])


@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize("q", [0.25, 8.0])
def test_pull_is_minus_the_derivative(y, q):
    for m in (-3.0, -0.4, 0.3, 0.9, 2.2):
        s, h = y * m * q, 1e-6
        for code, loss in enumerate(LOSSES):
            below, above = loss_values(loss, np.array([m - h, m + h]))
            assert pull(code, y, s, q) == pytest.approx(-y * (above - below) / (2 * h), abs=1e-6)


def test_hinge_has_no_pull_at_margin_one():
    assert pull(0, 1.0, 2.0, 2.0) == 0.0
    assert pull(0, 1.0, np.nextafter(2.0, 0.0), 2.0) == 1.0


def test_logistic_neither_overflows_nor_loses_its_tail():
    pulls = np.array([pull(1, 1.0, m, 1.0) for m in MARGINS])
    np.testing.assert_allclose(pulls, expit(-MARGINS), rtol=1e-14)
    values = loss_values("logistic", MARGINS)
    assert np.all(np.isfinite(values))
    np.testing.assert_allclose(values[:3], -MARGINS[:3], rtol=1e-12)
    np.testing.assert_allclose(values[8], np.exp(-30), rtol=1e-12)


def test_multiclass_hinge_takes_the_best_rival():
    scores = np.array([[3.0, 2.5, -1.0], [0.0, 2.0, 0.5], [5.0, 0.0, 0.0]])
    expected = [1 + 2.5 - 3.0, 1 + 2.0 - 0.5, 0.0]
    assert multiclass_hinge(scores, np.array([0, 2, 0])).tolist() == expected
    assert scores[0, 0] == 3.0


def test_probabilities_are_normalised():
    np.testing.assert_allclose(probabilities(np.array([0.0, 2.0]))[:, 1], expit([0.0, 2.0]))
    scores = np.array([[0.0, 1.0, -2.0], [-1e4, -1e4, -2e4]])
    p = probabilities(scores)
    np.testing.assert_allclose(p[0], expit(scores[0]) / expit(scores[0]).sum())
    np.testing.assert_allclose(p[1], [0.5, 0.5, 0.0])
