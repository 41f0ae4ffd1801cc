"""How many steps, kernel values and fits the printed protocols are, done the documents' way.

What one of each costs, and the hours that makes, is in ``own_way.py``.
Tests: ``tests/replication/test_own_way.py``.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from kernlib.replication import cologni2024, dellaporta2020
from kernlib.replication.ashutosh2016 import algorithms
from kernlib.replication.ashutosh2016.common import RUNS as NOTE_RUNS
from kernlib.replication.cologni2024 import common as milan
from kernlib.replication.cologni2024 import kernels as milan_kernels
from kernlib.replication.dellaporta2020 import common as digits
from kernlib.replication.dellaporta2020 import comparison, forgetron, hardest, svm
from kernlib.replication.dellaporta2020 import sample_complexity as part2
from kernlib.replication.engine import Experiment
from kernlib.replication.mirone2023 import beyond as pegasos_times
from kernlib.replication.mirone2023 import tables as pegasos_tables
from kernlib.replication.published import table
from kernlib.replication.romano2021 import common as mnist
from kernlib.replication.romano2021 import tables as mnist_tables
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED

N_IMAGES, N_CLASSES = 1400, 10  # of document 4
Tables = Callable[[Experiment], pd.DataFrame]  # an experiment's table, from the store


class Work(NamedTuple):
    """So many of a unit, in an experiment done the document's way."""

    experiment: Experiment
    unit: str
    number: Callable[[Tables], float]


LINEAR, EXPANDED, KERNEL = "step, 11 features", "step, 77 features", "step, kernel of 6000 rows"
KERNEL_ALL, PROGRAM = "step, kernel of 8000 rows", "kernel value of data frames"
NOTE, NOTE_KERNEL = "step of algorithm 1", "step of algorithm 2"
IMAGE, COLUMN = "kernel value of images", "step, sum over 1400"
CUBE, CUBE_FIT, NEIGHBOUR = "step on the cube", "least squares fit", "nearest of 100"
FITS = tuple(f"{name} fit" for name in comparison.CHOSEN)


def _values_of(name: str, *columns: str) -> int:
    """Return how many different settings a published table has."""
    return len(table(name)[list(columns)].drop_duplicates())


def _with_folds(settings: int, runs: int, share: float = 1 - 1 / digits.FOLDS) -> float:
    """Return the fits of a sweep and of its folds; a fit's time goes with the rows squared."""
    return settings * runs * (1 + digits.FOLDS * share**2)


def _first_passages(tables: Tables, algorithm: str, fits: bool) -> float:
    """Return the steps (or fits) until m was found: D training sets of each size up to it."""
    found = tables(part2.sample_complexity)
    found = found[(found["variant"] == AS_PRINTED) & (found["algorithm"] == algorithm)]
    m = found["value"].to_numpy()
    return float(part2.LINEAR_EFFORT.draws * np.sum(m if fits else m * (m + 1) / 2))


def _neighbours(tables: Tables) -> float:
    """Return the searches, as if each were among 100 examples."""
    found = tables(part2.neighbour_complexity)
    m = found.loc[found["variant"] == AS_PRINTED, "value"].to_numpy()
    draws, points = part2.NEIGHBOUR_EFFORT
    return float(draws * points * np.sum(m * (m + 1) / 2) / 100)


def _program_values(tables: Tables) -> float:
    """Return the kernel values of all its cross validations, as often as we repeat them."""
    found = tables(pegasos_times.run_times)
    found = found[(found["variant"] == AS_CODED) & (found["quantity"] == "kernel_values")]
    return float(found["value"].sum() * pegasos_tables.RUNS)


def _image_values(tables: Tables) -> float:
    """Return the kernel values of all degrees: the matrix's upper half, and the predictions."""
    n = N_IMAGES
    found = tables(mnist_tables.prediction_seconds)
    found = found[(found["variant"] == AS_CODED) & (found["quantity"] == "kernel_values")]
    matrices = len(mnist.DEGREES) * n * (n + 1) / 2
    return float(matrices + len(mnist.PREDICTORS) * found["value"].sum())


def _fixed(count: float) -> Callable[[Tables], float]:
    return lambda tables: count


def _milan() -> list[Work]:
    tables, kernels = cologni2024.tables, milan_kernels
    steps = milan.STEPS
    linear = [
        (tables.pegasos_lambda, "cologni2024_pegasos_lambda", LINEAR, steps),
        (tables.logistic_lambda, "cologni2024_logistic_lambda", LINEAR, steps),
        (tables.pegasos_poly2_lambda, "cologni2024_pegasos_poly2_lambda", EXPANDED,
         milan.EXPANDED_STEPS),
        (tables.logistic_poly2_lambda, "cologni2024_logistic_poly2_lambda", EXPANDED, steps),
    ]  # fmt: skip
    settings = _values_of("cologni2024_kernel_perceptron", *kernels.KERNEL)
    cells = _values_of("cologni2024_kernel_pegasos", "lambda", *kernels.KERNEL)
    return [
        *(
            Work(made, unit, _fixed(_values_of(name, "lambda") * milan.RUNS * n))
            for made, name, unit, n in linear
        ),
        Work(kernels.kernel_perceptron, KERNEL, _fixed(settings * kernels.EPOCHS * milan.N_FIT)),
        Work(kernels.kernel_pegasos, KERNEL, _fixed(cells * milan.RUNS * steps)),
        Work(kernels.kernel_pegasos_final, KERNEL_ALL, _fixed(milan.RUNS * steps)),
    ]


def _others() -> list[Work]:
    note = algorithms
    sweep = len(mnist.DEGREES) * sum(mnist.SWEEP_EPOCHS.values())
    curves = table("romano2021_epoch_errors")[["predictor", "degree"]].drop_duplicates()
    epoch = N_CLASSES * N_IMAGES
    return [
        Work(pegasos_tables.cv_errors, PROGRAM, _program_values),
        Work(note.cyclic, NOTE, _fixed(NOTE_RUNS * note.PASSES * note.N)),
        Work(note.kernel_pegasos, NOTE_KERNEL, _fixed(NOTE_RUNS * note.KERNEL_STEPS)),
        Work(mnist_tables.degrees, IMAGE, _image_values),
        Work(mnist_tables.degrees, COLUMN, _fixed(sweep * epoch)),
        Work(mnist_tables.epochs, COLUMN, _fixed(len(curves) * mnist.EPOCHS * epoch)),
    ]


def _digits() -> list[Work]:
    ova, ovo, machine, budget = FITS
    perceptrons, epochs = dellaporta2020.perceptrons, dellaporta2020.epochs
    degrees, widths, runs = len(digits.DEGREES), len(digits.WIDTHS), digits.RUNS
    few, pilot = digits.RUNS_NOT_STATED, digits.PILOT_RUNS * digits.PILOT_EPOCHS
    hard = len(hardest.HARDEST_DEGREES) * hardest.HARDEST_RUNS * hardest.HARDEST_FOLDS
    nine_tenths = ((1 - 1 / hardest.HARDEST_FOLDS) / (1 - digits.TEST_SHARE)) ** 2
    kinds = len(svm.COARSE_GAMMAS) + degrees
    counts = [
        (perceptrons.ova_polynomial, ova, _with_folds(degrees, runs)),
        (perceptrons.ova_gaussian, ova, _with_folds(widths, runs)),
        (epochs.ova_epochs, ova, degrees * pilot / digits.EPOCHS),
        (epochs.gaussian_epochs, ova, widths * pilot / digits.EPOCHS),
        (hardest.hardest_digits, ova, hard * nine_tenths),
        (perceptrons.ovo_polynomial, ovo, _with_folds(degrees, runs)),
        (epochs.ovo_epochs, ovo, degrees * pilot / digits.OVO_EPOCHS),
        (svm.svm_kernels, machine, kinds * few),
        (svm.svm_gamma, machine, len(svm.FINE_GAMMAS) * few),
        (svm.svm_c, machine, _with_folds(len(svm.CS), runs)),
        (forgetron.budgets, budget, len(forgetron.BUDGETS) * degrees * few),
        (forgetron.forgetron_or_perceptron, budget, degrees * runs),
        (forgetron.forgetron_cv, budget, _with_folds(degrees, runs)),
    ]
    return [Work(made, unit, _fixed(count)) for made, unit, count in counts]


def _cube() -> list[Work]:
    found = partial(_first_passages, fits=False)
    return [
        Work(part2.sample_complexity, CUBE, partial(found, algorithm="perceptron")),
        Work(part2.sample_complexity, CUBE, partial(found, algorithm="winnow")),
        Work(part2.sample_complexity, CUBE_FIT,
             partial(_first_passages, algorithm="least squares", fits=True)),
        Work(part2.neighbour_complexity, NEIGHBOUR, _neighbours),
    ]  # fmt: skip


COUNTS = [*_milan(), *_others(), *_digits(), *_cube()]
