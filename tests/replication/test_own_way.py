"""The documents' own way: the counting against the protocols; no test looks at a time."""

import numpy as np
import pandas as pd
import pytest

from kernlib.replication import engine, own_way
from kernlib.replication import own_way_counts as counts
from kernlib.replication.published import DOCUMENTS
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED


def count_of(key, unit, tables=None):
    found = [w.number(tables) for w in counts.COUNTS if (w.experiment.key, w.unit) == (key, unit)]
    assert found, (key, unit)
    return sum(found)


@pytest.mark.parametrize(
    ("key", "unit", "expected"),
    [
        ("cologni2024.pegasos_lambda", counts.LINEAR, 7 * 20 * 100_000),
        ("cologni2024.logistic_lambda", counts.LINEAR, 4 * 20 * 100_000),
        ("cologni2024.pegasos_poly2_lambda", counts.EXPANDED, 7 * 20 * 1_000_000),
        ("cologni2024.logistic_poly2_lambda", counts.EXPANDED, 5 * 20 * 100_000),
        ("cologni2024.kernel_perceptron", counts.KERNEL, 8 * 10 * 6000),
        ("cologni2024.kernel_pegasos", counts.KERNEL, 48 * 20 * 100_000),
        ("ashutosh2016.cyclic", counts.NOTE, 20 * 20 * 200),
        ("romano2021.degrees", counts.COLUMN, 5 * (10 + 11) * 10 * 1400),
        ("romano2021.epochs", counts.COLUMN, 3 * 10 * 10 * 1400),
        ("dellaporta2020.ova_epochs", counts.FITS[0], 7 * 5 * 30 / 5),
        ("dellaporta2020.svm_kernels", counts.FITS[2], 14 * 5),
        ("dellaporta2020.budgets", counts.FITS[3], 5 * 7 * 5),
    ],
)
def test_counts_are_those_of_the_protocol(key, unit, expected):
    assert count_of(key, unit) == expected


def test_a_fold_counts_by_its_rows_squared():
    # 20 runs of 7 degrees: one fit on all training rows, five on four fifths of them.
    ova, *_ = counts.FITS
    expected = 20 * 7 * (1 + 5 * 0.8**2)
    assert count_of("dellaporta2020.ova_polynomial", ova) == pytest.approx(expected)
    # 40 runs of 10 folds and 3 degrees, on nine tenths of all digits in place of eight.
    expected = 40 * 10 * 3 * (9 / 8) ** 2
    assert count_of("dellaporta2020.hardest_digits", ova) == pytest.approx(expected)


def made(experiment):
    """Return small tables in place of the stored ones."""
    name = experiment.name
    if name == "sample_complexity":
        lines = [(AS_PRINTED, a, m) for a in ("perceptron", "winnow", "least squares")
                 for m in (2, 3)]  # fmt: skip
        lines.append((CORRECTED, "perceptron", 50))
        table = pd.DataFrame(lines, columns=["variant", "algorithm", "value"])
    elif name == "neighbour_complexity":
        table = pd.DataFrame({"variant": [AS_PRINTED, CORRECTED], "value": [3, 70]})
    elif name in ("run_times", "prediction_seconds"):
        lines = [(AS_CODED, "kernel_values", 10.0), (AS_CODED, "seconds", 5.0)]
        lines.append((CORRECTED, "kernel_values", 1e9))
        table = pd.DataFrame(lines, columns=["variant", "quantity", "value"])
    elif name == "compared_seconds":
        rows = [unit.removesuffix(" fit") for unit in counts.FITS]
        table = pd.DataFrame({"row": rows, "variant": AS_CODED, "value": 2.0})
    else:
        table = pd.DataFrame()
    table.attrs = {"seconds": 4.0}
    return table


def test_counts_from_what_was_found():
    # D = 10 training sets of each size up to the m found: 1 + 2 and 1 + 2 + 3 examples.
    key = "dellaporta2020.sample_complexity"
    assert count_of(key, counts.CUBE, made) == 2 * 10 * (3 + 6)
    assert count_of(key, counts.CUBE_FIT, made) == 10 * (2 + 3)
    neighbours = count_of("dellaporta2020.neighbour_complexity", counts.NEIGHBOUR, made)
    assert neighbours == 10 * 80 * 6 / 100
    assert count_of("mirone2023.cv_errors", counts.PROGRAM, made) == 20 * 10
    expected = 5 * 1400 * 1401 / 2 + 2 * 10
    assert count_of("romano2021.degrees", counts.IMAGE, made) == expected


def test_all_documents_and_units_are_there():
    assert {work.experiment.document for work in counts.COUNTS} == set(DOCUMENTS)
    assert {work.unit for work in counts.COUNTS} == set(own_way.UNITS)


def test_hours_are_counts_times_costs(monkeypatch):
    monkeypatch.setattr(own_way, "UNITS", dict.fromkeys(own_way.UNITS, lambda tables: 0.5))
    monkeypatch.setattr(engine.Experiment, "__call__", lambda e, data, seed: made(e))
    found = own_way.estimate()
    assert len(found) == len(counts.COUNTS)
    np.testing.assert_allclose(found["hours"], found["count"] * 0.5 / 3600)
    degrees = found[found["experiment"] == "degrees"]
    assert len(degrees) == 2
    np.testing.assert_allclose(degrees["ratio"], degrees["hours"].sum() * 3600 / 4)
    names = found.drop_duplicates(["document", "experiment"])
    assert own_way.summary(found).startswith(f"{len(names)} tables")
    assert f"ours: {4 * len(names)} s" in own_way.summary(found)
    most = found.groupby("document")["hours"].sum().idxmax()
    rest = 4 * np.count_nonzero(names["document"] != most)
    assert own_way.summary(found).endswith(f" hours, {rest} s")
    assert f"Without {most}: " in own_way.summary(found)


def test_units_are_measured():
    for unit, seconds in own_way.UNITS.items():
        assert 0 < seconds(made) < 60, unit
