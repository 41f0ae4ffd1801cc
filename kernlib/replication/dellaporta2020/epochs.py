"""Document 5, figures 1, 7 and 10: test error against the epochs; the pilot over c.

The document has these as images, and chose the number of epochs by them, on its test digits.
Tests: ``tests/replication/test_dellaporta2020.py``.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from kernlib.gram import Gram
from kernlib.kernels import Gaussian, Kernel
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.replication.dellaporta2020.common import (
    PILOT_EPOCHS,
    PILOT_RUNS,
    Cut,
    Digits,
    EachEpoch,
    Rows,
    cuts,
    errors,
    gaussians,
    line,
    majority,
    polynomials,
    swept,
)
from kernlib.replication.dellaporta2020.perceptrons import one_vs_rest, overwriting_scores
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED

DTYPE = "float64"  # of polynomials: float32 changes predictions in 30 epochs (precision.py)
PILOT_WIDTHS = (1e-4, 1e-3, 1e-2, 0.08, 1.0, 10.0, 100.0)

# Fits on rows, shows the scores on all points after each epoch.
Shown = Callable[[Gram, np.ndarray, np.ndarray, Callable[[np.ndarray], None]], Any]


def _one_vs_rest(gram: Gram, codes: np.ndarray, rows: np.ndarray, seen: Any) -> None:
    KernelPerceptron(max_iter=PILOT_EPOCHS)._solve(gram, codes, rows, EachEpoch(seen))


def _one_vs_one(gram: Gram, codes: np.ndarray, rows: np.ndarray, seen: Any) -> None:
    learner = KernelPerceptron(max_iter=PILOT_EPOCHS, multi_class="ovo")
    learner._solve(gram, codes, rows, EachEpoch(seen))


def _overwriting(gram: Gram, codes: np.ndarray, rows: np.ndarray, seen: Any) -> None:
    overwriting_scores(gram, codes, rows, PILOT_EPOCHS, seen)


def _curve(gram: Gram, cut: Cut, codes: np.ndarray, fit: Shown, by_votes: bool) -> list[float]:
    """Return the test error after each epoch."""
    found: list[float] = []
    n_classes = int(codes.max()) + 1

    def judge(scores: np.ndarray) -> None:
        part = scores[:, cut.test]
        labels = majority(part, n_classes) if by_votes else part.argmax(axis=0)
        found.append(errors(labels, codes, cut.test))

    fit(gram, codes, cut.train, judge)
    return found + found[-1:] * (PILOT_EPOCHS - len(found))  # a clean epoch changes nothing


def _curves(
    data: Any,
    kernels: Mapping[str, Kernel],
    runs: int,
    seed: int,
    fits: Mapping[str, Shown],
    dtype: str = "auto",
) -> pd.DataFrame:
    digits = Digits.of(data)

    def work(gram: Gram, cut: Cut, row: str) -> Rows:
        return [
            line(f"{row} {epoch}", "test_error", value, variant=variant, run=cut.run,
                 parameter=float(row), epoch=epoch)
            for variant, fit in fits.items()
            for epoch, value in enumerate(
                _curve(gram, cut, digits.codes, fit, fit is not _one_vs_rest), start=1
            )
        ]  # fmt: skip

    splits = cuts(len(digits.codes), seed, runs)
    return tidy(swept(digits, kernels, splits, work, dtype))


@experiment("figure 1", data="usps", runs=PILOT_RUNS)
def ova_epochs(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error against the epochs, one-vs-all, by degree."""
    return _curves(data, polynomials(), runs, seed, {AS_PRINTED: _one_vs_rest}, DTYPE)


@experiment("figure 7", data="usps", runs=PILOT_RUNS)
def gaussian_epochs(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error against the epochs, one-vs-all, by c of the Gaussian kernel."""
    return _curves(data, gaussians(), runs, seed, {AS_PRINTED: _one_vs_rest})


@experiment("figure 10", data="usps", runs=PILOT_RUNS)
def ovo_epochs(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error against the epochs, one-vs-one, by degree; alpha set (as printed) or added to."""
    fits = {AS_PRINTED: _overwriting, CORRECTED: _one_vs_one}
    return _curves(data, polynomials(), runs, seed, fits, DTYPE)


@experiment("section 1.6", data="usps", runs=PILOT_RUNS)
def gaussian_pilot(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of the Gaussian perceptron over the whole pilot range of c."""
    digits = Digits.of(data)

    def work(gram: Gram, cut: Cut, row: str) -> Rows:
        labels = one_vs_rest(gram, digits.codes, cut.train, cut.test)[AS_PRINTED]
        return [line(row, "test_error", errors(labels, digits.codes, cut.test), run=cut.run)]

    kernels = {f"{c:g}": Gaussian(gamma=c) for c in PILOT_WIDTHS}
    return tidy(swept(digits, kernels, cuts(len(digits.codes), seed, runs), work))
