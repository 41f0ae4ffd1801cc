"""An experiment: every candidate of a grid on every split, and one fit alone.

Tests: ``tests/test_model_selection.py``.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import indexable
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import column_or_1d

from kernlib.model_selection.splits import Split, check_splits

ERRORS = {"training_error": "train", "validation_error": "validation", "test_error": "test"}
COUNTS = ("n_train", "mistakes", "support_vectors")
MEASURED = (*COUNTS[:1], *ERRORS, *COUNTS[1:], "seconds")
Record = dict[str, Any]  # what was measured in a fit; None where there is nothing to measure
Fit = tuple[int, int]  # the numbers of a candidate and a split


def error_rate(estimator: Any, X: Any, y: Any) -> float:
    """Return the share of wrong predictions (the zero-one loss)."""
    return float(np.mean(estimator.predict(X) != np.asarray(y)))


def configured(estimator: Any, parameters: Mapping[str, Any]) -> Any:
    """Return a new estimator with these parameters; values that are estimators are copied."""
    return clone(estimator).set_params(**clone(dict(parameters), safe=False))


@dataclass(frozen=True)
class Experiment:
    """What is tried on what.

    Parameters
    ----------
    estimator : classifier
        Cloned for every fit.
    candidates : list of dict
        The parameters to try.
    X, y : array-like
        All rows.
    splits : list of Split
        The parts of them.
    codes : ndarray of int
        The labels as 0, 1, ...
    """

    estimator: Any
    candidates: list[dict[str, Any]]
    X: Any
    y: Any
    splits: list[Split]
    codes: np.ndarray

    @classmethod
    def checked(
        cls, estimator: Any, param_grid: Any, X: Any, y: Any, splits: Iterable[Split]
    ) -> "Experiment":
        """Return the experiment, if it makes sense; else say what does not."""
        X, y = indexable(X, y)
        classes, codes = np.unique(column_or_1d(y), return_inverse=True)
        splits = list(splits)
        check_splits(splits, codes, classes)
        return cls(estimator, _candidates(estimator, param_grid), X, y, splits, codes)

    def fits(self, splits: Iterable[int] | None = None) -> list[Fit]:
        """Return all candidates on all splits, or on some."""
        places = range(len(self.splits)) if splits is None else list(splits)
        return [(c, s) for c in range(len(self.candidates)) for s in places]

    def table(self, records: Mapping[Fit, Record]) -> pd.DataFrame:
        """Return one row a fit, in the order of the candidates and splits."""
        rows = [
            {
                "candidate": c,
                **self.candidates[c],
                "run": self.splits[s].run,
                "fold": self.splits[s].fold,
                **{name: records[c, s][name] for name in MEASURED},
            }
            for c, s in sorted(records)
        ]
        table = pd.DataFrame(rows)
        kinds = dict.fromkeys(ERRORS, "float64") | dict.fromkeys(COUNTS, "Int64")
        return table.astype({"seconds": "float64", **kinds})


def _candidates(estimator: Any, param_grid: Any) -> list[dict[str, Any]]:
    if isinstance(param_grid, Mapping):  # any iterable of values will do, a generator too
        param_grid = {
            name: values if isinstance(values, str) or not isinstance(values, Iterable)
            else list(values)
            for name, values in param_grid.items()
        }  # fmt: skip
    candidates = list(ParameterGrid(param_grid))
    if not candidates:
        raise ValueError(
            f"param_grid must hold at least one combination, got {param_grid!r}. Pass {{}} to "
            "judge the estimator as it is, or lists of values."
        )
    known = estimator.get_params()
    for parameters in candidates:
        try:
            configured(estimator, parameters)
        except (ValueError, AttributeError) as error:
            raise ValueError(
                f"param_grid must name parameters of {type(estimator).__name__}, got "
                f"{', '.join(parameters)}: {error} It has {', '.join(sorted(known))}; a name with "
                "__ needs an object before it, as kernel__degree needs kernel=Polynomial()."
            ) from None
    return candidates


def fit_alone(
    estimator: Any, parameters: Mapping[str, Any], X: Any, y: Any, split: Split
) -> Record:
    """Fit one candidate on one split, with nothing shared, and judge it."""
    start = time.perf_counter()
    fitted = configured(estimator, parameters)
    # Of a precomputed kernel's matrix, _safe_split takes the columns of the training rows too.
    fitted.fit(*_safe_split(fitted, X, y, split.train))
    errors = {}
    for name, part in ERRORS.items():
        rows = getattr(split, part)
        judged = _safe_split(fitted, X, y, rows, split.train) if len(rows) else None
        errors[name] = error_rate(fitted, *judged) if judged is not None else None
    learner = _learner(fitted)
    return {
        "n_train": len(split.train),
        **errors,
        "mistakes": total(getattr(learner, "n_mistakes_", None)),
        "support_vectors": len(learner.support_) if hasattr(learner, "support_") else None,
        "seconds": time.perf_counter() - start,
    }


def total(counts: Any) -> int | None:
    """Return the sum of counts, None without any."""
    return None if counts is None else int(np.sum(counts))


def _learner(fitted: Any) -> Any:
    """Return the learner at the end of pipelines and inside wrappers."""
    while True:
        if hasattr(fitted, "steps"):
            fitted = fitted.steps[-1][1]
        elif hasattr(fitted, "estimator_"):
            fitted = fitted.estimator_
        else:
            return fitted
