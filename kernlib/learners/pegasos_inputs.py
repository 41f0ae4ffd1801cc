"""What ``Pegasos`` accepts: its parameters, example weights, and the prior of a transfer.

Tests: ``tests/learners/test_pegasos_inputs.py``.
"""

from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from kernlib._checks import check_flag, check_number, check_option
from kernlib.learners.base import LinearLearner
from kernlib.learners.losses import LOSSES
from kernlib.learners.sampling import SAMPLINGS

OUTPUTS = ("last", "average", "suffix")
MULTI_CLASS = ("ovr", "ovo", "crammer_singer")


def check_parameters(learner: Any) -> None:
    """Refuse parameters that make no sense, saying what would."""
    number, p = check_number, learner
    # Below 1e300 the product lam t cannot overflow.
    number(
        "lam",
        p.lam,
        above=0,
        maximum=1e300,
        hint="It weighs the regulariser; typical values: 1e-6 to 1.",
    )
    check_option("loss", p.loss, LOSSES)
    number("n_steps", p.n_steps, minimum=1, integer=True, hint="Typical: 10 times the examples.")
    number("batch_size", p.batch_size, minimum=1, integer=True, hint="1 is the plain algorithm.")
    check_option("sampling", p.sampling, SAMPLINGS)
    check_option("output", p.output, OUTPUTS)
    number("suffix", p.suffix, above=0, maximum=1, hint="It is a share of the steps, like 0.5.")
    check_flag("project", p.project)
    check_flag("fit_intercept", p.fit_intercept)
    check_option("multi_class", p.multi_class, MULTI_CLASS)
    hint = "It counts steps between two records; 0 records nothing."
    number("record_objective", p.record_objective, minimum=0, integer=True, hint=hint)
    if isinstance(p.class_weight, str):
        check_option("class_weight", p.class_weight, ("balanced",))
    if p.multi_class == "crammer_singer" and p.loss != "hinge":
        raise ValueError(
            "multi_class='crammer_singer' is defined for loss='hinge', got "
            f"loss={p.loss!r}. Use multi_class='ovr' or 'ovo' with that loss."
        )


def first_averaged_step(learner: Any) -> int:
    """Return the first step whose iterate enters the mean; 0 if there is no mean."""
    if learner.output == "suffix":
        return int(learner.n_steps) - max(1, round(learner.suffix * learner.n_steps)) + 1
    return 1 if learner.output == "average" else 0


def check_unchanged(learner: Any) -> None:
    """Refuse to go on with a run under rules other than those that it was begun with."""
    run = learner._runs[0]
    begun = {
        "lam": run.lam,
        "loss": getattr(run, "loss", "hinge"),
        "fit_intercept": bool(run.bias),
        "output": {0: "last", 1: "average"}.get(run.first, "suffix"),
        "multi_class": learner.multi_class_,
    }
    for name, value in begun.items():
        if getattr(learner, name) != value:
            raise ValueError(
                f"partial_fit goes on with {name}={value!r}, with which it was begun, got "
                f"{name}={getattr(learner, name)!r}. Set it back, or begin anew with "
                "sklearn.base.clone."
            )


def check_streamable(learner: Any, weighted: bool) -> None:
    """Refuse what needs the whole data, for ``partial_fit``."""
    needs_all = {
        "output='suffix' (the length of the stream is unknown; use 'average' or 'last')": (
            learner.output == "suffix"
        ),
        "class_weight='balanced' (the class counts are unknown; pass a dict)": (
            isinstance(learner.class_weight, str)
        ),
        "project=True with a prior (its radius needs all losses; project without a prior)": (
            learner.project and learner.prior is not None
        ),
        "project=True with weights (the radius needs their mean; project without weights)": (
            learner.project and (weighted or learner.class_weight is not None)
        ),
    }
    for what, present in needs_all.items():
        if present:
            raise ValueError(f"partial_fit sees a part of the data and cannot do {what}.")


def check_classes(learner: Any, classes: Any, going_on: bool) -> None:
    """Want ``classes`` in the first call of ``partial_fit``, and the same ones later."""
    if classes is None:
        if not going_on:
            raise ValueError(
                "The first call of partial_fit needs classes, the labels of the whole stream; "
                "got None. Pass classes=numpy.unique(y) of all labels to come."
            )
    elif going_on and not np.array_equal(np.unique(classes), learner.classes_):
        raise ValueError(
            f"classes must stay {learner.classes_.tolist()} as in the first call, got "
            f"{np.unique(classes).tolist()}. Leave it out, or start anew with sklearn.base.clone."
        )


def has_probabilities(learner: Any) -> bool:
    """Whether scores are log-odds; the AttributeError says why they are not."""
    if learner.loss != "logistic":
        raise AttributeError(
            f"predict_proba needs loss='logistic', got loss={learner.loss!r}: a hinge score is "
            "no log-odds. Refit with the logistic loss, or use "
            "sklearn.calibration.CalibratedClassifierCV."
        )
    if learner.multi_class == "ovo" and len(getattr(learner, "classes_", ())) > 2:
        raise AttributeError(
            "predict_proba is not defined for the votes of multi_class='ovo'. Use 'ovr'."
        )
    return True


def example_weights(learner: Any, X: Any, codes: np.ndarray, sample_weight: Any) -> Any:
    """Return c_i = sample weight × class weight for each row, or None if all are 1."""
    c = None
    if sample_weight is not None:
        c = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if learner.class_weight is not None:
        labels = learner.classes_[codes]
        by_class = compute_class_weight(
            learner.class_weight, classes=learner.classes_, y=labels, sample_weight=c
        )
        c = by_class[codes] * (1.0 if c is None else c)
        if not (np.all(np.isfinite(c)) and np.all(c >= 0)):
            raise ValueError(
                "class_weight must give finite weights >= 0, got "
                f"class_weight={learner.class_weight!r}. Correct the offending class."
            )
    if c is not None:
        if c.max() > 1e300 / len(c):
            raise ValueError(
                "sample_weight and class_weight must have a finite sum, got an infinite one. "
                "Divide them by their largest value: only their proportions count."
            )
        totals = np.bincount(codes, weights=c, minlength=len(learner.classes_))
        present = np.bincount(codes, minlength=len(learner.classes_)) > 0
        if np.any(totals[present] <= 0):
            empty = learner.classes_[present & (totals <= 0)].tolist()
            raise ValueError(
                f"Every class in y needs a positive total weight, got 0 for class {empty}. "
                "Leave its rows out, or give it weight."
            )
    return c


def split_weights(c: np.ndarray | None, rows: np.ndarray, sampling: str) -> tuple[Any, Any]:
    """Return (weights to draw ``rows`` by, weights to step with), for the same objective."""
    if c is None:
        return None, None
    return (c[rows], None) if sampling == "replacement" else (None, c / np.mean(c[rows]))


def n_problems(learner: Any) -> int:
    """Return the number of rows of weights that the learner fits."""
    n_classes = len(learner.classes_)
    if n_classes == 2:
        return 1
    return n_classes * (n_classes - 1) // 2 if learner.multi_class == "ovo" else n_classes


def prior_rows(learner: Any, n_features: int) -> np.ndarray | None:
    """Return w_0 as (n_problems, n_features + 1), the intercept last; None without a prior."""
    prior = learner.prior
    if prior is None:
        return None
    if isinstance(prior, FrozenEstimator):
        rows = _frozen_rows(learner, prior)
    elif hasattr(prior, "fit"):
        raise TypeError(
            "prior must be an array or a sklearn.frozen.FrozenEstimator, got a bare "
            f"{type(prior).__name__}, which sklearn.base.clone would reset to an unfitted one. "
            f"Pass prior=FrozenEstimator(...) around it."
        )
    else:
        rows = np.atleast_2d(np.asarray(prior, dtype=np.float64))
    expected = (n_problems(learner), n_features + bool(learner.fit_intercept))
    if rows.shape != expected:
        raise ValueError(
            f"prior must have shape {expected}: one row a binary problem, n_features columns"
            f"{' and the intercept' if learner.fit_intercept else ''}; got {rows.shape}. "
            "Check fit_intercept and multi_class, or pass coef_ and intercept_ side by side."
        )
    if not np.all(np.isfinite(rows)):
        raise ValueError("prior must hold finite numbers, got NaN or infinity. Check its source.")
    if not learner.fit_intercept:
        rows = np.column_stack([rows, np.zeros(len(rows))])
    if learner.multi_class == "crammer_singer" and len(rows) == 1:
        return np.concatenate([-rows / 2, rows / 2])
    return np.array(rows, order="C")  # a copy: the caller's array may change


def _frozen_rows(learner: Any, prior: FrozenEstimator) -> np.ndarray:
    source = prior.estimator
    for attribute in ("coef_", "intercept_", "classes_"):
        if not hasattr(source, attribute):
            raise ValueError(
                "prior must freeze a fitted linear classifier with coef_, intercept_ and "
                f"classes_, got {type(source).__name__} without {attribute}. Fit it first."
            )
    if not np.array_equal(source.classes_, learner.classes_):
        raise ValueError(
            f"prior must know the same classes, {learner.classes_.tolist()}, got "
            f"{np.asarray(source.classes_).tolist()}. Pass its rows as an array, in our order."
        )
    if len(learner.classes_) > 2:
        _check_same_rows(learner, source)
    coef = np.atleast_2d(np.asarray(source.coef_, dtype=np.float64))
    intercept = np.broadcast_to(np.asarray(source.intercept_, dtype=np.float64), len(coef))
    if learner.fit_intercept:
        return np.column_stack([coef, intercept])
    if np.any(intercept):
        raise ValueError(
            "prior has an intercept, got fit_intercept=False here. Set fit_intercept=True."
        )
    return coef


def _check_same_rows(learner: Any, source: Any) -> None:
    """Refuse rows that mean other problems: of three classes both kinds have three rows."""
    # SVC has a row a pair too, but with the opposite sign.
    pairs = (
        hasattr(source, "decision_function_shape") or getattr(source, "multi_class", "") == "ovo"
    )
    ours = isinstance(source, LinearLearner) and getattr(source, "multi_class_", "") == "ovo"
    if ours if learner.multi_class == "ovo" else not pairs:
        return
    expected = "a kernlib learner with 'ovo'" if learner.multi_class == "ovo" else "a row a class"
    raise ValueError(
        f"prior for multi_class={learner.multi_class!r} must have {expected}, got "
        f"{type(source).__name__}, whose rows stand for other problems. Pass an array with one row "
        "a problem, in the order of kernlib.learners.base.binary_problems."
    )
