"""Grid search: choose by the folds, test what was chosen.

Tests: ``tests/test_model_selection.py``.
"""

import os
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from kernlib._checks import check_option
from kernlib.model_selection.checkpoint import Checkpoint, opened
from kernlib.model_selection.evaluation import Bench
from kernlib.model_selection.experiment import Experiment, Fit, configured
from kernlib.model_selection.splits import WHOLE, repeated_splits


class GridSearch(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Choose parameters by cross-validation, with one Gram matrix for all fits of a kernel.

    With a kernel learner one X Xᵀ over all rows serves all kernels, and the Gram matrix of a
    kernel all folds, runs, classes and other parameters; the predictions are those of fitting
    every combination alone, up to the rounding of ``gram_dtype``.  The steps of a ``Pipeline``
    before a kernel learner belong to their fold: they are fitted once a fold, and its
    combinations share matrices of that fold.  To share them between folds, scale before the
    search; a scaler that was fitted on all rows has then seen the validation rows.  With any
    other estimator every combination is fitted alone.

    Parameters
    ----------
    estimator : classifier
        Cloned for every fit.  Its ``random_state`` is the same in all of them.
    param_grid : dict or list of dict
        As for ``sklearn.model_selection.GridSearchCV``: ``{"kernel__degree": [1, 2, 3]}``.
    cv : int, float, "holdout", splitter or iterable, default=5
        How to cut the rows of a run; see ``repeated_splits``.
    n_runs : int, default=1
        Repetitions, each on rows shuffled anew.
    test_size : float, optional
        The share of the rows to set aside in every run, for one test of what the folds of the
        run chose.
    retrain : {"best", "all"}, default="best"
        What to fit on all rows outside the test part: each run's best combination, or all.
    refit : bool, default=True
        Fit the best combination of all runs on all rows at the end.
    n_jobs : int, optional
        Workers; -1 for all cores.  Threads by default; see ``joblib.parallel_config`` for
        others.  The table is the same for any number, but for the seconds.
    checkpoint : path, optional
        A file that keeps every finished fit.  If the run stops, the same call goes on with what
        is left.
    progress : bool or None, default=False
        Show a bar with the time left; None only if there is a terminal.
    max_memory : float, default=2048
        The most that X Xᵀ and a Gram matrix over all rows may take together, in MiB; if they
        may take more, every combination is fitted alone.  A pipeline's splits are worked on at
        a time as it allows.  Each process of other backends than threads may take as much.
    random_state : int, RandomState instance or None, default=None
        Decides the shuffles of the rows.

    Attributes
    ----------
    table_ : DataFrame
        One row a fit: ``candidate``, the number of the combination, and its parameters;
        ``run`` and ``fold`` (-1 for a fit on all rows outside the test part); ``n_train``,
        ``training_error``, ``validation_error``, ``test_error``, ``mistakes`` and
        ``support_vectors`` (missing where there are none); ``seconds``, which on a shared
        Gram matrix do not count the matrix.
    runs_ : DataFrame
        One row a run: the parameters that its folds chose, their mean ``validation_error``, and
        ``training_error`` and ``test_error`` of the fit on all rows outside the test part.
    best_params_, best_index_ : dict, int
        The combination with the smallest mean validation error over all folds and runs, the
        first of equals, and its place among the combinations.
    best_score_ : float
        Its mean validation accuracy.
    best_estimator_ : classifier
        Fitted on all rows, with ``refit``.
    path_, path_note_ : str
        ``"shared"``, ``"per split"`` or ``"generic"``: what a Gram matrix served, all fits, those
        of a fold, or one; and why not more.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlib import KernelPerceptron
    >>> from kernlib.kernels import Polynomial
    >>> grid = {"kernel": [Polynomial(degree=d) for d in (1, 2, 3)]}
    >>> GridSearch(KernelPerceptron(), grid).fit(*load_iris(return_X_y=True)).table_.shape
    (15, 11)
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        cv: Any = 5,
        n_runs: int = 1,
        test_size: float | None = None,
        retrain: str = "best",
        refit: bool = True,
        n_jobs: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: bool | None = False,
        max_memory: float = 2048,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.cv = cv
        self.n_runs = n_runs
        self.test_size = test_size
        self.retrain = retrain
        self.refit = refit
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.progress = progress
        self.max_memory = max_memory
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "GridSearch":
        """Try all combinations on all folds of all runs; return self."""
        check_option("retrain", self.retrain, ("best", "all"))
        if self.cv is None:
            raise ValueError(
                "cv must cut the rows for GridSearch to choose by, got None. Pass 5, or call "
                "evaluate, which does not choose."
            )
        splits = repeated_splits(
            y, cv=self.cv, n_runs=self.n_runs, test_size=self.test_size,
            random_state=self.random_state,
        )  # fmt: skip
        experiment = Experiment.checked(self.estimator, self.param_grid, X, y, splits)
        bench = Bench(experiment, self.n_jobs, self.max_memory, self.progress)
        with opened(self.checkpoint, experiment) as kept:
            if self.retrain == "all":
                bench.complete(experiment.fits(), kept)
            else:
                folds = [s for s, split in enumerate(splits) if split.fold != WHOLE]
                bench.complete(experiment.fits(folds), kept)
                bench.complete(_chosen_fits(experiment, kept), kept)
            self.table_ = bench.table(kept)
            self.path_, self.path_note_ = self.table_.attrs["path"], bench.note
            self._choose(experiment, kept)
        if self.refit:
            self.best_estimator_ = configured(self.estimator, self.best_params_).fit(X, y)
        return self

    def _choose(self, experiment: Experiment, kept: Checkpoint) -> None:
        errors = _validation_errors(experiment, kept)
        means = np.mean(errors, axis=(1, 2))
        self.best_index_ = int(np.argmin(means))
        self.best_params_ = experiment.candidates[self.best_index_]
        self.best_score_ = 1.0 - float(means[self.best_index_])
        rows = []
        tests = dict(_whole_splits(experiment))
        for run, by_candidate in enumerate(np.mean(errors, axis=2).T):
            best = int(np.argmin(by_candidate))
            row = {"run": run, **experiment.candidates[best]}
            row["validation_error"] = float(by_candidate[best])
            if run in tests:
                record = kept.records[best, tests[run]]
                row |= {name: record[name] for name in ("training_error", "test_error")}
            rows.append(row)
        self.runs_ = pd.DataFrame(rows)

    @property
    def classes_(self) -> np.ndarray:
        """The labels."""
        return np.asarray(self._best().classes_)

    @property
    def n_features_in_(self) -> int:
        """The number of features."""
        return int(self._best().n_features_in_)

    def _best(self) -> Any:
        check_is_fitted(self, "table_")
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(
                "GridSearch needs refit=True to predict, got refit=False. Fit an estimator with "
                "best_params_, or search with refit=True."
            )
        return self.best_estimator_

    def predict(self, X: Any) -> np.ndarray:
        """Return the labels that the best estimator predicts."""
        return np.asarray(self._best().predict(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of the best estimator."""
        return np.asarray(self._best().decision_function(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.pairwise, tags.input_tags.sparse = inner.pairwise, inner.sparse
        return tags


def _whole_splits(experiment: Experiment) -> list[tuple[int, int]]:
    """Return run and place of the fits on all rows outside the test part."""
    return [(split.run, s) for s, split in enumerate(experiment.splits) if split.fold == WHOLE]


def _validation_errors(experiment: Experiment, kept: Checkpoint) -> np.ndarray:
    """Return the errors, shape (n_candidates, n_runs, n_folds)."""
    folds = [s for s, split in enumerate(experiment.splits) if split.fold != WHOLE]
    n_runs = 1 + max(split.run for split in experiment.splits)
    errors = [
        [kept.records[c, s]["validation_error"] for s in folds]
        for c in range(len(experiment.candidates))
    ]
    return np.reshape(errors, (len(experiment.candidates), n_runs, -1))


def _chosen_fits(experiment: Experiment, kept: Checkpoint) -> list[Fit]:
    """Return, for each run with a test part, its best candidate on all rows outside of it."""
    best = np.mean(_validation_errors(experiment, kept), axis=2).argmin(axis=0)
    return [(int(best[run]), s) for run, s in _whole_splits(experiment)]
