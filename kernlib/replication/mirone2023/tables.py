"""Document 2's printed data, and its heat maps of errors over lambda and T.

Of the 25 cells of its figures one number is printed, in the conclusion; all are computed here.
Tests: ``tests/replication/test_mirone2023.py``.
"""

from typing import Any

import numpy as np
import pandas as pd

from kernlib.gram import Pairs
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.mirone2023.common import (
    CODE,
    FORMULA,
    STEPS,
    as_variants,
    cross_validated,
    cuts,
    gram_of,
    joined,
    pixels,
)
from kernlib.replication.published import numbers, table
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

RUNS = 20
CODE_ARGMAX = "their kernel, argmax"
PRINTED_DIGITS = 1e-9  # printed cells are whole multiples of 0.0005
VARIANTS = {
    CODE: {"first positive": AS_CODED, "argmax": CODE_ARGMAX},
    FORMULA: {"first positive": AS_PRINTED, "argmax": CORRECTED},
}


@experiment("Out[3]", data="usps", deterministic=True)
def preview(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """How many rows of the data have the 20 printed cells of each of the ten printed rows."""
    ours = np.column_stack([pixels(data), data.target])
    rows = []
    for name, cells in table("mirone2023_dataset_preview").groupby("row", sort=False):
        columns, values = cells["column"].astype(int), cells["value"].astype(float)
        same = np.abs(ours[:, columns] - values.to_numpy()) < PRINTED_DIGITS
        for quantity, value in (
            ("matching_rows", np.count_nonzero(same.all(axis=1))),
            ("matching_cells", same.sum(axis=1).max()),
            ("cells", len(cells)),
        ):
            rows.append({"row": str(name), "quantity": quantity, "value": float(value)})
    return tidy(rows)


@experiment("introduction", data="usps", deterministic=True)
def facts(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """What the document says about its data and its folds."""
    X, y = pixels(data), np.asarray(data.target)
    sizes = [len(cut.train) for cut in cuts(len(X), 1, seed)]
    values = {
        "n_pixels": X.shape[1],
        "n_columns": X.shape[1] + 1,
        "n_examples": len(X),
        "pixel_min": X.min(),
        "pixel_max": X.max(),
        "grey_values": len(np.unique(X)),
        "lowest_label": y.min(),
        "highest_label": y.max(),
        "n_classes": len(np.unique(y)),
        "smallest_train_part": min(sizes),
        "largest_train_part": max(sizes),
    }
    return tidy({"row": "data", "quantity": q, "value": float(v)} for q, v in values.items())


def _printed_cell() -> pd.DataFrame:
    return numbers(table("mirone2023_cv_grid"), ["lambda", "T"], "cv_test_error", "printed_test")


@experiment("figure 1", "figure 2", data="usps", runs=RUNS, published=_printed_cell)
def cv_errors(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors of 5-fold cross validation over 5 lambdas and 5 numbers of steps.

    As their code: its kernel, the first positive of the ten signs.  As printed: the formula's
    kernel, the same rule.  Corrected: the formula's kernel, the largest score.
    """
    pairs, codes = Pairs(pixels(data)), np.asarray(data.target)
    folds = cuts(len(pairs), runs, seed)
    parts = [
        as_variants(cross_validated(gram_of(kernel, pairs), codes, folds), names)
        for kernel, names in VARIANTS.items()
    ]
    return joined(parts)


def grid(ours: pd.DataFrame, variant: str, quantity: str = "cv_test_error") -> pd.DataFrame:
    """Return the means over runs as the document shows them: a line per lambda, a column per T."""
    kept = ours[(ours["variant"] == variant) & (ours["quantity"] == quantity)]
    means = kept.groupby(["lambda", "T"], sort=False)["value"].mean().unstack()
    return means[[n for n in STEPS if n in means.columns]]
