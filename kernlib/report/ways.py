"""Ways of doing one thing, compared: each way's objective above the optimum, and its error.

Tests: ``tests/report/test_ways.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from kernlib.report.tables import Table, table


def compared(numbers: pd.DataFrame, least: Mapping[str, float]) -> pd.DataFrame:
    """Return one line for each lambda and way.

    Parameters
    ----------
    numbers : DataFrame
        From ``kernlib.replication.catalogue.numbers``: rows named "way lambda", with the
        quantities ``objective`` and ``test_error``.
    least : mapping of str to float
        The least objective of each lambda, on the data of ``numbers``.

    Returns
    -------
    DataFrame
        ``lam`` and ``way``; ``excess`` = objective / least - 1 with ``excess_se``; ``test_error``
        with ``test_error_se``; where results of the original table are recorded, its
        ``recorded_objective`` and ``recorded_error``.
    """
    numbers = numbers.assign(
        way=[row.rpartition(" ")[0] for row in numbers["row"]],
        lam=[row.rpartition(" ")[2] for row in numbers["row"]],
    )
    unknown = sorted(set(numbers["lam"]) - set(least))
    if unknown:
        raise ValueError(
            f"least must give the optimum of every lambda, it lacks {', '.join(unknown)}. "
            f"It has {', '.join(least)}."
        )
    index = ["lam", "way"]
    mean = _wide(numbers, "mean")
    best = np.array([least[lam] for lam in mean.index.get_level_values("lam")])
    made = pd.DataFrame(index=mean.index)
    made["excess"] = mean["objective"] / best - 1
    made["excess_se"] = _wide(numbers, "se")["objective"] / best
    made["test_error"] = mean["test_error"]
    made["test_error_se"] = _wide(numbers, "se")["test_error"]
    if "recorded" in numbers.columns:
        recorded = _wide(numbers, "recorded")
        made["recorded_objective"] = recorded["objective"]
        made["recorded_error"] = recorded["test_error"]
    order = numbers[index].drop_duplicates()
    return made.loc[list(order.itertuples(index=False, name=None))].reset_index()


def _wide(numbers: pd.DataFrame, values: str) -> pd.DataFrame:
    return numbers.pivot(index=["lam", "way"], columns="quantity", values=values)


def ways_table(
    numbers: pd.DataFrame, least: Mapping[str, float], *, name: str, caption: str, way: str
) -> Table:
    """Return ``compared`` as a table of the book, each mean with its standard error.

    Parameters
    ----------
    numbers, least
        As for ``compared``.
    name, caption : str
        As in ``kernlib.report.tables.table``.
    way : str
        The heading of the ways.
    """
    made = compared(numbers, least)
    shown = pd.DataFrame({"λ": made["lam"], way: made["way"]})
    shown["above the optimum, %"] = _percent(made["excess"], made["excess_se"], 3)
    shown["test error, %"] = _percent(made["test_error"], made["test_error_se"], 2)
    if "recorded_objective" in made:
        shown["objective on the original"] = made["recorded_objective"].map("{:.5f}".format)
        shown["test error on the original, %"] = (100 * made["recorded_error"]).map("{:.2f}".format)
    return table(shown, name=name, caption=caption)


def _percent(means: pd.Series, errors: pd.Series, digits: int) -> list[str]:
    both = zip(100 * means, 100 * errors, strict=True)
    # Non-breaking spaces: a mean and its error stay on one line of a narrow column.
    pm = "\u00a0±\u00a0"
    return [f"{m:.{digits}f}{pm}{s:.{digits}f}" if s > 0 else f"{m:.{digits}f}" for m, s in both]


def gain(numbers: pd.DataFrame, way: str, over: str, lam: str, source: str = "mean") -> float:
    """Return by how many standard errors a way's objective is below another's.

    Parameters
    ----------
    numbers : DataFrame
        As for ``compared``.
    way, over, lam : str
        The two ways, and the lambda.
    source : {"mean", "recorded"}, default="mean"
        Our numbers on the data that is here, or those recorded on the original.

    Returns
    -------
    float
        Positive if ``way`` is the lower one; a way without spread has no error of its own.
    """
    part = numbers[numbers["quantity"] == "objective"].set_index("row")
    errors = part["se" if source == "mean" else "recorded_se"]
    first, second = f"{way} {lam}", f"{over} {lam}"
    spread = np.hypot(float(errors[first]), float(errors[second]))
    return float((float(part[source][second]) - float(part[source][first])) / spread)
