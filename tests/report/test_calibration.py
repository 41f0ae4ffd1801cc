"""Measures of calibration are right where the answer is known."""

import numpy as np
import pytest
from scipy.special import expit, logit

from kernlib.report import calibration


def test_reliability_counts_by_hand():
    scores = logit(np.array([0.05, 0.05, 0.55, 0.95]))
    table = calibration.reliability(scores, [-1, 1, 1, 1], n_bins=2)
    assert table["count"].tolist() == [2, 2]
    assert table["predicted"].tolist() == pytest.approx([0.05, 0.75])
    assert table["observed"].tolist() == [0.5, 1.0]
    expected = [np.sqrt(0.05 * 0.95 / 2), np.sqrt((0.55 * 0.45 + 0.95 * 0.05) / 4)]
    assert table["se"].tolist() == pytest.approx(expected)


def test_empty_bins_are_left_out_and_extremes_are_in():
    table = calibration.reliability([-800.0, 800.0], [-1, 1])
    assert table["predicted"].tolist() == [0, 1]
    assert table["count"].tolist() == [1, 1]


def test_slope_undoes_a_factor():
    rng = np.random.default_rng(0)
    f = rng.normal(size=200_000)
    y = np.where(rng.random(len(f)) < expit(f), 1, -1)
    whole = calibration.slope(f, y)
    assert whole == pytest.approx(1, abs=0.03)
    assert calibration.slope(f / 5, y) == pytest.approx(5 * whole)
    shifted = [calibration.log_loss(s * f, y) for s in (whole - 0.01, whole, whole + 0.01)]
    assert shifted[1] == min(shifted)


def test_slope_where_there_is_none():
    assert calibration.slope([1, -2], [1, -1]) == np.inf
    assert calibration.slope([1, -2], [-1, 1]) == 0


def test_summary_of_right_and_of_timid_predictions():
    rng = np.random.default_rng(1)
    f = 3 * rng.normal(size=100_000)
    y = np.where(rng.random(len(f)) < expit(f), 1, -1)
    right, timid = calibration.summary(f, y), calibration.summary(f / 10, y)
    assert right["calibration_error"] < 0.01
    assert timid["calibration_error"] > 0.2
    assert right["error"] == timid["error"]
    assert right["log_loss"] < timid["log_loss"]
