"""Splits: which rows train, validate and test, in every run and fold.

A run shuffles the rows and may set some aside for a test; the rest is cut into folds.
Tests: ``tests/test_model_selection_splits.py``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from kernlib._checks import check_number

WHOLE = -1  # the fold of a fit on all rows of a run that are not set aside for the test
HOLDOUT = 0.75


@dataclass(frozen=True)
class Split:
    """Row numbers of one fit; the training rows are in the order in which they are visited.

    Parameters
    ----------
    run, fold : int
        Its name; ``fold`` is ``WHOLE`` for a fit on all rows outside the test part.
    train, validation, test : ndarray of int
        The rows; ``validation`` is empty in a fit on the whole, ``test`` in a fold.
    """

    run: int
    fold: int
    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray

    def __str__(self) -> str:
        return f"run {self.run}, " + ("whole" if self.fold == WHOLE else f"fold {self.fold}")


def repeated_splits(
    y: Any,
    *,
    cv: Any = 5,
    n_runs: int = 1,
    test_size: float | None = None,
    random_state: Any = None,
) -> list[Split]:
    """Return the splits of a protocol: folds, repeated, with or without a test part.

    A single run without a test part takes the rows as they come, as ``GridSearchCV`` does; else
    every run shuffles them first.  Then its last rows are the test part, and ``cv`` cuts the
    rows before them.  Two protocols of the literature::

        repeated_splits(y, cv="holdout", test_size=0.2, random_state=31415)
        repeated_splits(y, cv=KFold(5), n_runs=20, test_size=0.2, random_state=0)

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The labels.
    cv : int, float, "holdout", splitter, iterable or None, default=5
        That many stratified folds; the share of the rows, the first ones, to fit on;
        ``"holdout"`` is 0.75; a scikit-learn splitter such as ``KFold(5)``; pairs of row
        numbers; None for no folds, which needs a test part.
    n_runs : int, default=1
        How often to do all of it.
    test_size : float, optional
        The share to set aside in every run.  Its rows judge one more fit a run, on all the
        others: fold ``WHOLE``.
    random_state : int, RandomState instance or None, default=None
        Decides the shuffles.

    Returns
    -------
    list of Split
        Run by run, the folds first.
    """
    y = np.asarray(y)
    _check_protocol(cv, n_runs, test_size)
    if not hasattr(cv, "split") and isinstance(cv, Iterable) and not isinstance(cv, str):
        cv = list(cv)  # every run reads the pairs again
    rng = check_random_state(random_state)
    shuffled = n_runs > 1 or test_size is not None
    splits: list[Split] = []
    for run in range(n_runs):
        rows = rng.permutation(len(y)) if shuffled else np.arange(len(y))
        cut = len(y) - int(np.ceil((test_size or 0.0) * len(y)))
        rest, test = rows[:cut], rows[cut:]
        nothing = rest[:0]
        for fold, (train, validation) in enumerate(_folds(cv, y[rest])):
            splits.append(Split(run, fold, rest[train], rest[validation], nothing))
        if test_size is not None:
            splits.append(Split(run, WHOLE, rest, nothing, test))
    return splits


def _check_protocol(cv: Any, n_runs: Any, test_size: Any) -> None:
    hint = "1 is a single run; more give a spread."
    check_number("n_runs", n_runs, minimum=1, integer=True, hint=hint)
    if test_size is not None:
        check_share("test_size", test_size, "Typical: 0.2; None sets no rows aside.")
    if isinstance(cv, float):
        check_share("cv, as the share of the rows to fit on,", cv, "0.75 is usual.")
    elif isinstance(cv, (bool, np.bool_)) or (isinstance(cv, str) and cv != "holdout"):
        raise ValueError(
            "cv must be a number of folds, a share, 'holdout', a splitter, pairs of row numbers or "
            f"None, got cv={cv!r}. Pass 5, for example."
        )
    elif isinstance(cv, (int, np.integer)):
        hint = "5 and 10 are usual; for one part held out pass cv='holdout'."
        check_number("cv", cv, minimum=2, integer=True, hint=hint)
    elif cv is None and test_size is None:
        raise ValueError(
            "cv=None needs a test part to judge the fits on, got test_size=None too. "
            "Pass test_size=0.2, or cv=5."
        )


def check_share(name: str, value: Any, hint: str) -> None:
    """Refuse a ``value`` that is not a share of the rows."""
    number = isinstance(value, (float, np.floating)) and not np.isnan(value)
    if not number or not 0 < value < 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}. {hint}")


def _folds(cv: Any, y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield places of training and validation rows among the rows with labels ``y``."""
    if cv is None:
        return
    if isinstance(cv, (float, str)):
        cut = int((HOLDOUT if isinstance(cv, str) else cv) * len(y))
        yield np.arange(cut), np.arange(cut, len(y))
        return
    yield from check_cv(cv, y, classifier=True).split(np.zeros(len(y)), y)


def check_splits(splits: list[Split], codes: np.ndarray, classes: np.ndarray) -> None:
    """Refuse splits that cannot be fitted or judged: parts without rows, classes without any."""
    if not splits:
        raise ValueError("splits must hold at least one split, got none. See repeated_splits.")
    for split in splits:
        judged = len(split.validation) + len(split.test)
        if len(split.train) == 0 or judged == 0:
            raise ValueError(
                f"{split} must have rows to train on and rows to judge by, got "
                f"{len(split.train)} and {judged}. Take fewer folds, another share, or more rows."
            )
        present = np.bincount(codes[split.train], minlength=len(classes)) > 0
        if not np.all(present):
            missing = classes[~present].tolist()
            raise ValueError(
                f"The training rows of {split} must hold every class, but {missing} is missing. "
                "Use stratified folds (cv=5, StratifiedKFold), shuffle the rows, or take fewer "
                "folds."
            )
