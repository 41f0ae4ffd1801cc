"""Document 1, section 2: the table's statistics, scaling and outliers.

Tests: ``tests/replication/test_cologni2024.py``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from kernlib.learners.perceptron import Perceptron
from kernlib.preprocessing import find_outliers
from kernlib.replication.cologni2024.common import (
    CHOSEN,
    EXPANDED_STEPS,
    N_TEST,
    RUNS,
    STEPS,
    Parts,
    Rows,
    expanded,
    over_seeds,
    pegasos,
    raw_parts,
    train_and_test,
    tuned,
)
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.published import numbers, table
from kernlib.replication.verdicts import AS_CODED

STATISTICS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "min": lambda X: X.min(axis=0),
    "max": lambda X: X.max(axis=0),
    "mean": lambda X: X.mean(axis=0),
    "std": lambda X: X.std(axis=0),
}


@experiment(
    "table sec 2.1",
    data="milan",
    deterministic=True,
    published=lambda: numbers(
        table("cologni2024_feature_stats"), ["feature", "statistic"], "statistic", "printed"
    ),
)
def feature_stats(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Minimum, maximum, mean and standard deviation of each feature.

    In the printed table the minima and maxima of x6 to x10 are those of the next column: x10 has
    those of the label.
    """
    columns = np.column_stack([data.data, data.target])

    def rows(shift: int) -> Rows:
        for name, statistic in STATISTICS.items():
            values = statistic(columns)
            for j in range(10):
                moved = shift if j >= 5 and name in ("min", "max") else 0
                line = {"row": f"x{j + 1} {name}", "quantity": "statistic"}
                yield line | {"value": values[j + moved]}

    return pd.concat([tidy(rows(0)), tidy(rows(1), AS_CODED)])


@experiment("figure 1", "figure 2", data="milan", deterministic=True)
def correlations(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Correlation of each pair of features; the document's names count from 0."""
    C = np.corrcoef(np.asarray(data.data), rowvar=False)
    return tidy(
        {"row": f"x{i + 1} x{j + 1}", "quantity": "correlation", "value": C[i, j]}
        for i in range(len(C))
        for j in range(i)
    )


SCALED = {"None": "none", "Normalization": "normalize", "Standardization": "standardize"}


def _scaling_published() -> pd.DataFrame:
    rows = numbers(
        table("cologni2024_scaling"),
        ["algorithm", "scaling"],
        "test_error",
        "test_error",
        n_examples=N_TEST,
    )
    return rows.assign(deterministic=rows["row"].str.startswith("Perceptron"))


@experiment("table 2.2", data="milan", runs=RUNS, published=_scaling_published)
def scaling(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of the perceptron and of Pegasos with each scaling.

    The document does not say with which lambda; its program tunes it, and so does this.
    """

    def rows() -> Rows:
        for label, name in SCALED.items():
            parts = train_and_test(data, name)
            wrong = _perceptron_error(parts)
            for run in range(runs):
                line = {"quantity": "test_error", "run": run}
                yield {"row": f"Perceptron {label}", "value": wrong, **line}
            fits = over_seeds(lambda s, p=parts: tuned(p, s), parts, runs, seed)
            for run, (_, _, test) in enumerate(fits):
                line = {"quantity": "test_error", "run": run}
                yield {"row": f"Pegasos {label}", "value": test, **line}

    return tidy(rows())


def _perceptron_error(parts: Parts) -> float:
    learner = Perceptron(fit_intercept=False).fit(parts.X, parts.y)
    return float(np.mean(learner.predict(parts.X_out) != parts.y_out))


def _outliers_published() -> pd.DataFrame:
    frame = table("cologni2024_outliers")
    rows = numbers(frame, ["algorithm", "outliers"], "test_error", "printed", n_examples=N_TEST)
    return rows.assign(deterministic=rows["row"].str.contains("Perceptron"))


@experiment("table sec 2.3", data="milan", runs=RUNS, published=_outliers_published)
def outliers(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error with and without the outliers.

    As its text: rows with any |z| >= 3 leave the training part.  As its code: the filter kept a
    row with any |z| < 3, which is every row.
    """
    whole = train_and_test(data)
    out = find_outliers(raw_parts(data).X)
    fewer = Parts(whole.X[~out], whole.y[~out], whole.X_out, whole.y_out)

    def rows(removed: Parts) -> Rows:
        for label, parts in {"kept": whole, "removed": removed}.items():
            for name, form in {"": parts, "Feature expanded ": expanded(parts)}.items():
                kind = "expanded pegasos" if name else "pegasos"
                steps = EXPANDED_STEPS if name else STEPS
                wrong = _perceptron_error(form)
                fits = over_seeds(
                    lambda s, k=kind, n=steps: pegasos(CHOSEN[k], s, n_steps=n), form, runs, seed
                )
                for run, (_, _, test) in enumerate(fits):
                    line = {"quantity": "test_error", "run": run}
                    yield {"row": f"{name}Perceptron {label}", "value": wrong, **line}
                    yield {"row": f"{name}Pegasos {label}", "value": test, **line}

    return pd.concat([tidy(rows(fewer)), tidy(rows(whole), AS_CODED)])


@experiment("table sec 2.3", data="milan", deterministic=True)
def outlier_counts(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """How many rows each way of looking for outliers finds."""
    X, train = np.asarray(data.data), raw_parts(data).X
    found = {
        "whole table": find_outliers(X),
        "training part": find_outliers(train),
        "their filter": find_outliers(X, rule="all"),
    }
    return tidy(
        {"row": name, "quantity": "rows", "value": float(rows.sum())}
        for name, rows in found.items()
    )
