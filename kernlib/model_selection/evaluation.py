"""Carrying an experiment out: every combination of a grid on every split, as a tidy table.

Tests: ``tests/test_model_selection.py``.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from sklearn.model_selection import ParameterGrid
from tqdm import tqdm

from kernlib._checks import check_number
from kernlib.model_selection import pipelines, shared
from kernlib.model_selection.checkpoint import Checkpoint, opened
from kernlib.model_selection.experiment import Experiment, Fit
from kernlib.model_selection.schedule import GENERIC, PER_SPLIT, SHARED, finished
from kernlib.model_selection.splits import WHOLE, Split, check_share, repeated_splits


class Bench:
    """Carries an experiment out: path, workers, bar."""

    def __init__(
        self, experiment: Experiment, n_jobs: int | None, max_memory: float, progress: bool | None
    ) -> None:
        hint = "It is the most that shared matrices may take, in MiB; 0 shares nothing."
        check_number("max_memory", max_memory, minimum=0, hint=hint)
        self.experiment = experiment
        self.path, self.note, self._at_once = _path(experiment, max_memory)
        self._n_jobs = n_jobs
        self._asked: list[Fit] = []
        self._hidden = None if progress is None else not progress

    def complete(self, fits: Sequence[Fit], kept: Checkpoint) -> None:
        """Do the fits that are not kept yet."""
        self._asked += fits
        left = [fit for fit in fits if fit not in kept.records]
        bar = tqdm(total=len(fits), initial=len(fits) - len(left), unit="fit", disable=self._hidden)
        with bar:
            for records in finished(
                self.experiment, left, n_jobs=self._n_jobs, path=self.path, at_once=self._at_once
            ):
                kept.keep(records)
                bar.update(len(records))

    def table(self, kept: Checkpoint) -> pd.DataFrame:
        """Return one row for every fit that was asked for; a checkpoint may hold more."""
        table = self.experiment.table({fit: kept.records[fit] for fit in self._asked})
        table.attrs["path"], table.attrs["note"] = self.path, self.note
        return table


def _path(experiment: Experiment, max_memory: float) -> tuple[str, str, int]:
    """Return what the fits share, why not more, and how many splits may do so at a time."""
    note = shared.why_not(experiment, len(experiment.codes), max_memory)
    if not note:
        return SHARED, note, 1
    last = pipelines.last_step(experiment)
    if last is None:
        return GENERIC, note, 1
    n_rows = pipelines.most_rows(last)
    note = shared.why_not(last, n_rows, max_memory)
    if note:
        return GENERIC, note, 1
    at_once = int(max_memory // shared.memory(last, n_rows))
    return PER_SPLIT, "a pipeline's steps belong to their split", at_once


def evaluate(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: Any,
    splits: Iterable[Split],
    *,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | None = False,
    max_memory: float = 2048,
) -> pd.DataFrame:
    """Fit every combination of a grid on every split; return the tidy table.

    Parameters
    ----------
    estimator, param_grid, n_jobs, checkpoint, progress, max_memory
        As for ``GridSearch``.
    X, y : array-like
        All rows.
    splits : iterable of Split
        Their parts: from ``repeated_splits``, or made by hand.

    Returns
    -------
    DataFrame
        As ``GridSearch.table_``; ``attrs["path"]`` and ``attrs["note"]`` are its ``path_`` and
        ``path_note_``.
    """
    experiment = Experiment.checked(estimator, param_grid, X, y, splits)
    bench = Bench(experiment, n_jobs, max_memory, progress)
    with opened(checkpoint, experiment) as kept:
        bench.complete(experiment.fits(), kept)
        return bench.table(kept)


def holdout_table(
    estimator: Any,
    grid: Mapping[str, Iterable[Any]],
    X: Any,
    y: Any,
    *,
    share: float = 0.75,
    **options: Any,
) -> pd.DataFrame:
    """Fit every combination on the first ``share`` of the rows, judge it on the rest.

    Parameters
    ----------
    estimator : classifier
        Cloned for every combination; scaling inside it sees its own training rows only.
    grid : mapping of str to iterable
        Names as for ``set_params`` (``learn__lam``), and the values to try.
    X, y : array-like
        The rows, in an order in which the first ones are as good as any.
    share : float, default=0.75
        The part to fit on.
    **options
        As for ``evaluate``.

    Returns
    -------
    DataFrame
        One row a combination: its parameters, ``validation_error``, ``training_error`` and
        ``seconds``; ``attrs["best"]`` holds the parameters with the smallest validation error,
        the first of equals.
    """
    check_share("share", share, "0.75 is usual.")
    grid = {name: list(values) for name, values in grid.items()}
    splits = repeated_splits(y, cv=float(share))
    table = evaluate(estimator, grid, X, y, splits, **options)
    best = int(table["validation_error"].to_numpy().argmin())
    short = table[[*grid, "validation_error", "training_error", "seconds"]].copy()
    short.attrs["best"] = list(ParameterGrid(grid))[best]
    return short


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row a combination: the mean errors over folds and runs, and their spread.

    Training and validation errors are those of the folds; ``test_error`` is that of the fits on
    all rows outside the test part, where every combination has some.  The spread is the standard
    deviation of what the mean is taken of.
    """
    tested = table[table["fold"] == WHOLE]["candidate"].nunique() == table["candidate"].nunique()
    names = [name for name in table.columns[: table.columns.get_loc("run")] if name != "candidate"]
    rows = []
    for _, fits in table.groupby("candidate", sort=False):
        folds, whole = fits[fits["fold"] != WHOLE], fits[fits["fold"] == WHOLE]
        row = {name: fits[name].iloc[0] for name in names}
        for name, part in (("training_error", folds if len(folds) else whole),
                           ("validation_error", folds), ("test_error", whole)):  # fmt: skip
            if len(part) and (tested or part is not whole):
                row |= {name: part[name].mean(), f"{name}_spread": part[name].std(ddof=0)}
        rows.append(row | {"fits": len(fits), "seconds": fits["seconds"].mean()})
    return pd.DataFrame(rows)
