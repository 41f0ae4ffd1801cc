"""Whether document 5's tables depend on float32: predictions of one run, in both precisions.

The document computed in float64; kernel values in float32 take half the memory and time.  The
tables in which this changes a prediction, ova_epochs and ovo_epochs, are computed in float64.
Tests: ``tests/replication/test_precision.py``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from kernlib.gram import Gram
from kernlib.kernels import Gaussian, Kernel
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.replication.dellaporta2020.beyond import GRID_CS, GRID_GAMMAS, LONGER
from kernlib.replication.dellaporta2020.common import (
    EPOCHS,
    OVO_EPOCHS,
    PILOT_EPOCHS,
    Cut,
    Digits,
    EachEpoch,
    cuts,
    gaussians,
    line,
    majority,
    polynomials,
)
from kernlib.replication.dellaporta2020.epochs import PILOT_WIDTHS
from kernlib.replication.dellaporta2020.forgetron import BUDGET, budgeted, reduced_run
from kernlib.replication.dellaporta2020.hardest import HARDEST_DEGREES, HARDEST_FOLDS
from kernlib.replication.dellaporta2020.perceptrons import overwriting_scores
from kernlib.replication.dellaporta2020.svm import (
    COARSE_GAMMAS,
    CS,
    FINE_GAMMAS,
    GAMMA,
    _polynomials,
    along_c,
    scores_on,
)
from kernlib.replication.engine import experiment, seeds, tidy
from kernlib.replication.verdicts import AS_PRINTED

Predictions = Iterator[tuple[str, np.ndarray]]  # the experiment's name, labels
Work = Callable[[Gram, np.ndarray, Cut], Predictions]


def _by_epoch(fit: Callable[[Any], Any], labels: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the labels after each epoch; a clean epoch ends the fit and changes nothing."""
    found: list[np.ndarray] = []
    fit(lambda scores: found.append(labels(scores)))
    return np.array(found + found[-1:] * (PILOT_EPOCHS - len(found)))


def _one_vs_rest(
    gram: Gram, codes: np.ndarray, cut: Cut, at: Mapping[str, int], curve: str
) -> Predictions:
    learner = KernelPerceptron(max_iter=PILOT_EPOCHS)
    found = _by_epoch(
        lambda seen: learner._solve(gram, codes, cut.train, EachEpoch(seen)),
        lambda scores: scores[:, cut.test].argmax(axis=0),
    )
    if curve:
        yield curve, found
    for name, epoch in at.items():
        yield name, found[epoch - 1]


def _one_vs_one(gram: Gram, codes: np.ndarray, cut: Cut) -> Predictions:
    n_classes = int(codes.max()) + 1
    learner = KernelPerceptron(max_iter=PILOT_EPOCHS, multi_class="ovo")

    def labels(scores: np.ndarray) -> np.ndarray:
        return majority(scores[:, cut.test], n_classes)

    fits: tuple[Callable[[Any], Any], ...] = (
        lambda seen: overwriting_scores(gram, codes, cut.train, PILOT_EPOCHS, seen),
        lambda seen: learner._solve(gram, codes, cut.train, EachEpoch(seen)),
    )
    for fit in fits:
        found = _by_epoch(fit, labels)
        yield "ovo_epochs", found
        yield "ovo_polynomial", found[OVO_EPOCHS - 1]


def _machines(
    gram: Gram, codes: np.ndarray, cut: Cut, names: Sequence[str], cs: Sequence[float]
) -> Predictions:
    """Yield the labels for each C, under the name of its table."""
    n_classes = int(codes.max()) + 1
    machines = along_c(gram, codes, cut.train, cs)
    for name, scores in zip(names, scores_on(gram, machines, cut.test), strict=True):
        yield name, majority(scores, n_classes)


def _on_a_budget(gram: Gram, codes: np.ndarray, cut: Cut) -> Predictions:
    labels = budgeted(gram, codes, cut.train, cut.test, budget=BUDGET)[AS_PRINTED]
    yield "forgetron_cv", labels
    yield "forgetron_or_perceptron", labels
    yield from _one_vs_rest(gram, codes, cut, {"forgetron_or_perceptron": EPOCHS}, "")


def _families(width: int) -> Iterator[tuple[Mapping[str, Kernel], list[Work]]]:
    """Yield kernels, and what is predicted with each of them."""
    ova = partial(_one_vs_rest, at={"ova_polynomial": EPOCHS}, curve="ova_epochs")
    machine = partial(_machines, names=["svm_kernels"], cs=CS[:1])
    yield polynomials(), [ova, _one_vs_one, machine]
    yield _polynomials(1 / width), [machine]
    at = {"ova_gaussian": EPOCHS, "gaussian_15_epochs": LONGER}
    yield gaussians(), [partial(_one_vs_rest, at=at, curve="gaussian_epochs")]
    pilot = partial(_one_vs_rest, at={"gaussian_pilot": EPOCHS}, curve="")
    yield {f"{c:g}": Gaussian(gamma=c) for c in PILOT_WIDTHS}, [pilot]
    wide = partial(_machines, names=["svm_kernels", "wide_machines"], cs=CS[:2])
    yield {f"{g}": Gaussian(gamma=float(g)) for g in COARSE_GAMMAS}, [wide]
    fine = partial(_machines, names=["svm_gamma"], cs=CS[:1])
    yield {f"{g}": Gaussian(gamma=float(g)) for g in FINE_GAMMAS}, [fine]
    grid = partial(_machines, names=["joint_grid"] * len(GRID_CS), cs=GRID_CS)
    yield {f"{g}": Gaussian(gamma=g) for g in GRID_GAMMAS}, [grid]
    yield {"": Gaussian(gamma=GAMMA)}, [partial(_machines, names=["svm_c"] * len(CS), cs=CS)]


def ends(kernels: Mapping[str, Kernel]) -> dict[str, Kernel]:
    """Return the first and the last kernel of a sweep, where rounding matters most."""
    names = list(kernels)
    return {name: kernels[name] for name in (names[0], names[-1])}


def compared(
    digits: Digits, cut: Cut, kernels: Mapping[str, Kernel], work: Sequence[Work]
) -> Iterator[tuple[str, int, int]]:
    """Yield an experiment's name, how many predictions were compared, and how many differ."""
    for kernel in kernels.values():
        found = []
        for dtype in ("float32", "float64"):
            gram = digits.gram(kernel, "auto" if dtype == "float32" else dtype)
            found.append([made for each in work for made in each(gram, digits.codes, cut)])
            del gram  # before the next one: they are large
        for (name, single), (_, double) in zip(*found, strict=True):
            yield name, single.size, int(np.count_nonzero(single != double))


def _all_compared(data: Any, seed: int) -> Iterator[tuple[str, int, int]]:
    digits = Digits.of(data, keep=False)
    n = len(digits.codes)
    [cut] = cuts(n, seed, 1)
    for kernels, work in _families(data.data.shape[1]):
        yield from compared(digits, cut, ends(kernels), work)
    order = np.concatenate([cut.train, cut.test])
    held = n // HARDEST_FOLDS
    hard = partial(_one_vs_rest, at={"hardest_digits": EPOCHS}, curve="")
    kernels = {d: polynomials()[d] for d in HARDEST_DEGREES[-1:]}
    yield from compared(digits, Cut(0, order[held:], order[:held]), kernels, [hard])
    few, part = reduced_run(data, 0, seeds(seed, 1)[0])
    yield from compared(few, part, polynomials(), [_on_a_budget])


@experiment("arithmetic", data="usps", runs=1)
def precision(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Predictions of one run that differ between kernel values in float32 and in float64.

    Of every sweep over kernels the first and the last; no folds.
    """
    frame = pd.DataFrame(_all_compared(data, seed), columns=["row", "comparisons", "differences"])
    totals = frame.groupby("row", sort=False).sum()
    return tidy(
        line(str(row), str(quantity), value)
        for row, counts in totals.iterrows()
        for quantity, value in counts.items()
    )
