"""An experiment from data to errors: split, preprocess, tune, fit, judge.

What the command line does, as functions that return values; printing is left to ``cli.py``.
Tests: ``tests/test_training.py``.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import ParameterGrid

from kernlib.kernels import NAMES, Exponential, Kernel, Polynomial
from kernlib.learners.budget import BudgetPerceptron
from kernlib.learners.kernel_pegasos import KernelPegasos
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.learners.kernel_svm import KernelSVM
from kernlib.learners.pegasos import Pegasos
from kernlib.learners.perceptron import Perceptron
from kernlib.learners.winnow import Winnow
from kernlib.model_selection import GridSearch, error_rate, holdout_table
from kernlib.preprocessing import AddConstant, expansion, prepare

TRAIN_SHARE = 0.8
MOST_BYTES = 4 * 2**30  # of an expanded table: more does not fit beside its copies


@dataclass(frozen=True)
class Algorithm:
    """A learner with its fixed parameters, and the grid that is tried if none are given."""

    learner: type
    fixed: Mapping[str, Any]
    grid: Mapping[str, tuple[Any, ...]]
    expanded: bool = False
    constant: bool = False  # a constant feature, which a polynomial kernel multiplies with


POWERS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
LOGISTIC = {"loss": "logistic", "n_steps": 100_000}
WITHOUT_INTERCEPT = {"fit_intercept": False}  # the expansion has a constant of its own
# What Cologni (2024) calls Gaussian is, in its program, the exponential kernel.
KERNELS = (
    *(Polynomial(degree=n) for n in (1, 2, 3, 4)),
    *(Exponential.with_length(g) for g in (0.01, 0.1, 1.0, 10.0)),
)
# The names, grids and numbers of steps are those of Cologni (2024), as far as it has them.
ALGORITHMS = {
    "perceptron": Algorithm(Perceptron, {"max_iter": 20}, {}),
    "pegasos": Algorithm(Pegasos, {"n_steps": 100_000}, {"lam": (0.0001, *POWERS)}),
    "logistic-regression": Algorithm(Pegasos, LOGISTIC, {"lam": (0.1, 1.0, 10.0, 100.0)}),
    "feature-expanded-perceptron": Algorithm(
        Perceptron, {"max_iter": 20, **WITHOUT_INTERCEPT}, {}, expanded=True
    ),
    "feature-expanded-pegasos": Algorithm(
        Pegasos,
        {"n_steps": 1_000_000, **WITHOUT_INTERCEPT},
        {"lam": (*POWERS, 1000.0)},
        expanded=True,
    ),
    "feature-expanded-logistic-regression": Algorithm(
        Pegasos,
        {**LOGISTIC, **WITHOUT_INTERCEPT},
        {"lam": (0.1, 1.0, 10.0, 100.0, 1000.0)},
        expanded=True,
    ),
    "kernelized-perceptron": Algorithm(
        KernelPerceptron, {"max_iter": 10}, {"kernel": KERNELS}, constant=True
    ),
    "kernelized-pegasos": Algorithm(
        KernelPegasos,
        {"n_steps": 100_000, "offset": 0},
        {"kernel": KERNELS, "lam": POWERS},
        constant=True,
    ),
    "winnow": Algorithm(Winnow, {"binarize": 0.0}, {}),
    "budget-perceptron": Algorithm(
        BudgetPerceptron, {"budget": 350}, {"kernel": KERNELS}, constant=True
    ),
    "kernel-svm": Algorithm(KernelSVM, {}, {"C": (0.1, 1.0, 10.0, 100.0)}),
}


@dataclass(frozen=True)
class Trained:
    """What a training run gives."""

    model: Any
    parameters: dict[str, Any]
    tuning: pd.DataFrame | None
    training_error: float
    test_error: float


def split_rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and the rows to test on: a shuffle, its first 80 % and the rest.

    It is the shuffle of ``numpy.random.seed(seed)``, as the documents used it.
    """
    order = np.random.RandomState(seed).permutation(n)
    cut = int(TRAIN_SHARE * n)
    return order[:cut], order[cut:]


def fingerprint(X: np.ndarray, y: np.ndarray) -> str:
    """Return a digest of the values, by which a model file knows its data again."""
    digest = hashlib.sha256(repr((X.shape, y.shape)).encode())
    digest.update(np.ascontiguousarray(X, dtype=np.float64).tobytes())
    digest.update("\n".join(map(str, y.tolist())).encode())
    return digest.hexdigest()


def make_estimator(
    algorithm: str,
    *,
    scaling: str = "standardize",
    remove_outliers: bool = False,
    degree: int = 2,
    double_constant: bool = True,
    seed: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Any:
    """Return the unfitted estimator of ``algorithm``, preprocessing included."""
    if algorithm not in ALGORITHMS:
        raise ValueError(
            f"algorithm must be one of {', '.join(ALGORITHMS)}; got {algorithm!r}. Choose one."
        )
    recipe = ALGORITHMS[algorithm]
    learner = recipe.learner(**{**recipe.fixed, **(parameters or {})})
    if "random_state" in learner.get_params():
        learner.set_params(random_state=seed)
    expand = AddConstant() if recipe.constant else None
    if recipe.expanded:
        expand = expansion(degree, double_constant=double_constant)
    return prepare(learner, scaling=scaling, expand=expand, remove_outliers=remove_outliers)


def kernels(names: Iterable[str], **values: Iterable[Any]) -> list[Kernel]:
    """Return the kernels of these names with every combination of their parameters' values.

    Examples
    --------
    >>> kernels(["linear", "rbf"], gamma=[0.1, 1.0])
    [Linear(), Gaussian(gamma=0.1), Gaussian(gamma=1.0)]
    """
    found = []
    for name in names:
        if name not in NAMES or name == "precomputed":
            known = ", ".join(known for known in NAMES if known != "precomputed")
            raise ValueError(f"kernel must be one of {known}; got {name!r}. Choose one.")
        own = {key: list(v) for key, v in values.items() if key in NAMES[name]().get_params()}
        found += [NAMES[name](**chosen) for chosen in ParameterGrid(own)]
    used = {key for kernel in found for key in kernel.get_params()}
    for key in values:
        if key not in used:
            raise ValueError(f"no kernel of {', '.join(names)} has a {key}. Leave it out.")
    return found


def check_size(algorithm: str, X: np.ndarray, degree: int, double_constant: bool) -> None:
    """Refuse an expansion that would not fit into memory."""
    if not ALGORITHMS[algorithm].expanded:
        return
    # Products of at most `degree` of d features: C(d + degree, degree), the empty one included.
    n_columns = comb(X.shape[1] + double_constant + degree, degree) - double_constant
    if X.shape[0] * n_columns * 8 > MOST_BYTES:
        raise ValueError(
            f"The expansion to degree {degree} must fit into {MOST_BYTES >> 30} GiB, but "
            f"{X.shape[0]} rows of {n_columns} columns do not. Lower the degree, take fewer "
            "rows or features, or use a learner that needs no expansion."
        )


def parameter_path(model: Any, name: str) -> str:
    """Return the name under which the model's ``set_params`` finds a parameter of its learner."""
    return f"estimator__learn__{name}" if hasattr(model, "estimator") else f"learn__{name}"


def _prepared(
    algorithm: str,
    X: np.ndarray,
    seed: int,
    parameters: Mapping[str, Iterable[Any]] | None,
    preparation: Mapping[str, Any],
) -> tuple[Any, dict[str, Any], dict[str, list[Any]]]:
    """Return the estimator, the parameters with one value, and those with several."""
    given = {name: list(values) for name, values in (parameters or {}).items()}
    grid = {name: values for name, values in given.items() if len(values) > 1}
    chosen = {name: values[0] for name, values in given.items() if len(values) == 1}
    if not given:
        grid = {name: list(values) for name, values in ALGORITHMS[algorithm].grid.items()}
    check_size(algorithm, X, preparation.get("degree", 2), preparation.get("double_constant", True))
    model = make_estimator(algorithm, seed=seed, parameters=chosen, **preparation)
    return model, chosen, grid


def train(
    algorithm: str,
    X: np.ndarray,
    y: np.ndarray,
    *,
    seed: int = 31415,
    parameters: Mapping[str, Iterable[Any]] | None = None,
    progress: bool | None = False,
    **preparation: Any,
) -> Trained:
    """Split, tune on a hold-out part of the training rows, fit on all of them, test once.

    Parameters
    ----------
    algorithm : str
        A key of ``ALGORITHMS``.
    X, y : ndarray
        The data.
    seed : int, default=31415
        Decides the split and the learner's draws.
    parameters : mapping of str to list, optional
        Values of the learner's parameters: one value is used, several are tried.  Without any,
        the grid of the algorithm is tried.
    progress : bool or None, default=False
        Show a bar while combinations are tried; None only if there is a terminal.
    **preparation
        For ``make_estimator``: ``scaling``, ``remove_outliers``, ``degree``, ``double_constant``.
    """
    model, chosen, grid = _prepared(algorithm, X, seed, parameters, preparation)
    fit_rows, test_rows = split_rows(len(y), seed)
    X_train, y_train = X[fit_rows], y[fit_rows]
    tuning = None
    if grid:
        paths = {parameter_path(model, name): values for name, values in grid.items()}
        tuning = holdout_table(model, paths, X_train, y_train, progress=progress)
        model.set_params(**tuning.attrs["best"])
        chosen |= {name: tuning.attrs["best"][parameter_path(model, name)] for name in grid}
        tuning = tuning.rename(columns={path: path.split("__")[-1] for path in paths})
    model.fit(X_train, y_train)
    return Trained(
        model=model,
        parameters=chosen,
        tuning=tuning,
        training_error=error_rate(model, X_train, y_train),
        test_error=error_rate(model, X[test_rows], y[test_rows]),
    )


def select(
    algorithm: str,
    X: np.ndarray,
    y: np.ndarray,
    *,
    seed: int = 31415,
    parameters: Mapping[str, Iterable[Any]] | None = None,
    options: Mapping[str, Any] | None = None,
    **preparation: Any,
) -> GridSearch:
    """Compare parameters by cross-validation on shuffled rows.

    Preprocessing is fitted in every fold anew.

    Parameters
    ----------
    algorithm, X, y, seed, parameters
        As for ``train``; ``seed`` decides the shuffles and the learner's draws.
    options : mapping, optional
        For ``GridSearch``: ``cv``, ``n_runs``, ``test_size``, ``n_jobs``, ``checkpoint``, ...
    **preparation
        For ``make_estimator``.

    Returns
    -------
    GridSearch
        Fitted, but without a predictor; the columns of its tables are named like parameters of
        the learner.
    """
    options = dict(options or {})
    model, _, grid = _prepared(algorithm, X, seed, parameters, preparation)
    if options.get("n_runs", 1) == 1 and options.get("test_size") is None:
        # A single search takes the rows as they come; those of a table may come sorted.
        order = np.random.RandomState(seed).permutation(len(y))
        X, y = X[order], y[order]
    paths = {parameter_path(model, name): values for name, values in grid.items()}
    search = GridSearch(model, paths, random_state=seed, refit=False, **options).fit(X, y)
    short = {path: path.split("__")[-1] for path in paths}
    search.table_ = search.table_.rename(columns=short)
    search.runs_ = search.runs_.rename(columns=short)
    search.best_params_ = {short[path]: value for path, value in search.best_params_.items()}
    return search
