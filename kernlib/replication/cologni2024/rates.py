"""Document 1's error rates: which part of the table can have given them.

Tests: ``tests/replication/test_cologni2024.py``.
"""

from typing import Any

import pandas as pd

from kernlib.model_selection import error_rate
from kernlib.replication.cologni2024.common import (
    CHOSEN,
    N_FIT,
    N_TEST,
    N_TRAIN,
    N_VAL,
    RUNS,
    Rows,
    fit_and_validate,
    over_seeds,
    pegasos,
    train_and_test,
)
from kernlib.replication.cologni2024.kernels import certain
from kernlib.replication.engine import experiment, tidy
from kernlib.replication.granularity import always_fits, counts, fitting_sizes
from kernlib.replication.published import table

SIZES = (N_VAL, N_FIT, N_TRAIN, 10_000)


def odd_rates() -> dict[str, str]:
    """Return the two printed rates that no count of 2000 gives, by where they stand."""
    scaled = table("cologni2024_scaling").set_index(["algorithm", "scaling"])
    logistic = table("cologni2024_logistic_lambda").set_index("lambda")
    return {
        "table 2.2": str(scaled.loc[("Pegasos", "Standardization"), "test_error"]),
        "table sec 4.2": str(logistic.loc["10", "printed_val"]),
    }


@experiment("anomaly 3", data=None, deterministic=True)
def odd_sizes(runs: int, seed: int) -> pd.DataFrame:
    """How many counts of mistakes give the two odd rates, by the part of the table."""
    rows: list[dict[str, Any]] = []
    for name, printed in odd_rates().items():
        for n in SIZES:
            fitting = float(len(counts(printed, n)))
            rows.append({"row": f"{name} of {n}", "quantity": "counts", "value": fitting})
        size = float(always_fits(printed))
        rows.append({"row": name, "quantity": "size_from_which_all_fit", "value": size})
    return tidy(rows)


@experiment("anomaly 3", data="milan", runs=RUNS)
def odd_parts(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """What the two odd rates would be on each part that they may have been measured on."""
    whole, cut = train_and_test(data), fit_and_validate(data)

    def rows() -> Rows:
        fits = over_seeds(lambda s: pegasos(CHOSEN["pegasos"], s), whole, runs, seed)
        for run, (_, train, test) in enumerate(fits):
            line = {"row": "table 2.2", "run": run}
            yield line | {"quantity": "test_error", "value": test}
            yield line | {"quantity": "training_error", "value": train}
        fits = over_seeds(lambda s: pegasos(10.0, s, loss="logistic"), cut, runs, seed)
        for run, (learner, _, validation) in enumerate(fits):
            line = {"row": "table sec 4.2", "run": run}
            both = error_rate(learner, whole.X, whole.y)
            yield line | {"quantity": "validation_error", "value": validation}
            yield line | {"quantity": "training_part_error", "value": both}

    return tidy(rows())


def printed_rates() -> dict[str, tuple[int, list[str]]]:
    """Return the printed rates of each part of the table, but the two odd ones, and its size."""
    final, scaled = table("cologni2024_final_errors"), table("cologni2024_scaling")
    searches = [
        table(f"cologni2024_{name}")
        for name in (
            "pegasos_lambda",
            "logistic_lambda",
            "pegasos_poly2_lambda",
            "logistic_poly2_lambda",
            "kernel_perceptron",
            "kernel_pegasos",
        )
    ]
    test = [*final["printed_test"], *table("cologni2024_outliers")["printed"]]
    rates = {
        "training part": (N_TRAIN, list(final["printed_train"])),
        "test part": (N_TEST, [*test, *scaled["test_error"]]),
        "part to fit": (N_FIT, [rate for frame in searches for rate in frame["printed_train"]]),
        "validation part": (N_VAL, [rate for frame in searches for rate in frame["printed_val"]]),
    }
    odd = ("", *odd_rates().values())
    return {
        # The longest first: they exclude most sizes at once.
        name: (n, sorted({certain(r) for r in found if r not in odd}, key=len, reverse=True))
        for name, (n, found) in rates.items()
    }


@experiment("anomaly 3", data=None, deterministic=True)
def part_sizes(runs: int, seed: int) -> pd.DataFrame:
    """Whether a part's size gives all its printed rates, and which smaller sizes do.

    The two odd rates are left out; see ``odd_sizes``.
    """
    rows: list[dict[str, Any]] = []
    for name, (n, rates) in printed_rates().items():
        sizes = fitting_sizes(rates, n)
        for quantity, value in (
            ("rates", len(rates)),
            ("fits", n in sizes),
            ("smallest_size", sizes[0] if sizes else 0),
            ("fitting_sizes", len(sizes)),
        ):
            rows.append({"row": name, "quantity": quantity, "value": float(value)})
    return tidy(rows)
