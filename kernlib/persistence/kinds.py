"""What a model file may hold: the classes, what each has learned, and what must fit together.

``KINDS`` is the whole list: a class that is not in it is neither written nor read, and no
attribute is set that its entry does not name.  A new learner or transformer is one entry.
Tests: ``tests/test_persistence.py`` and ``tests/test_model_fuzz.py``.
"""

import math
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler

from kernlib.learners import pegasos_inputs
from kernlib.learners.crammer_singer import MulticlassRun
from kernlib.learners.pegasos import Pegasos
from kernlib.learners.perceptron import Perceptron
from kernlib.learners.winnow import Winnow
from kernlib.persistence.container import ModelFileError
from kernlib.persistence.kernel_kinds import KERNEL_KINDS
from kernlib.persistence.kind import (
    CLASSIFIER,
    EPOCHS,
    FEATURES,
    NAMES,
    SHOWN,
    SPLIT,
    Kind,
    check_problems,
)
from kernlib.persistence.rules import (
    Rule,
    Sizes,
    agree,
    array,
    either,
    list_of,
    one_of,
    real,
    record,
    text,
    whole,
)
from kernlib.preprocessing import AddConstant, DropOutliers, NoScaling

# ---------------------------------------------------------------- what must fit together
# Each takes an estimator and its sizes, which are empty if it is not fitted.


def _check_perceptron(learner: Any, sizes: Sizes) -> None:
    learner._check_parameters()
    if not sizes:
        return
    check_problems(sizes, learner.multi_class_ == "ovo")
    expected = {"votes_"} if learner.predictor == "voted" else {"coef_", "intercept_"}
    if expected != {"votes_", "coef_", "intercept_"} & vars(learner).keys():
        raise ModelFileError(
            f"predictor={learner.predictor!r} needs {' and '.join(sorted(expected))} and no other "
            "weights: it was changed after the fit. Fit again."
        )
    for votes in vars(learner).get("votes_", ()):
        if len(votes.counts) == 0 or np.any(votes.counts < 1):
            raise ModelFileError("votes_ must hold perceptrons that survived at least 1 example.")


def _check_winnow(learner: Any, sizes: Sizes) -> None:
    learner._check_parameters()
    if sizes:
        check_problems(sizes, ovo=False)


def _check_pegasos(learner: Any, sizes: Sizes) -> None:
    pegasos_inputs.check_parameters(learner)
    if not sizes:
        return
    check_problems(sizes, learner.multi_class_ == "ovo")
    agree("_runs", "columns", sizes["features"] + 1, sizes)
    at_once = learner.multi_class_ == "crammer_singer"
    agree("_runs", "runs", 1 if at_once else sizes["problems"], sizes)
    if any(isinstance(run, MulticlassRun) != at_once for run in learner._runs):
        raise ModelFileError(
            f"_runs do not belong to multi_class={learner.multi_class_!r}: it was changed after "
            "the fit. Fit again."
        )
    pegasos_inputs.prior_rows(learner, sizes["features"])


def _check_scaler(scaler: Any, sizes: Sizes) -> None:
    scaler._validate_params()
    if isinstance(scaler, MinMaxScaler):
        low, high = scaler.feature_range
        if not -math.inf < low < high < math.inf:
            raise ModelFileError(f"feature_range must be two rising numbers, got {low}, {high}.")


def _check_polynomial(expansion: Any, sizes: Sizes) -> None:
    expansion._validate_params()
    degree: Any = expansion.degree
    if isinstance(degree, (list, tuple)):
        degree = max(degree, default=None)
    # Counting the columns of a larger expansion takes long, and none could be computed.
    whole()(degree, "degree", {})
    if min(int(degree), sizes.get("features", 0)) > 64:
        raise ModelFileError(f"degree must be at most 64 for so many features, got {degree!r:.99}.")
    if sizes:
        rows = sparse.csr_array((1, sizes["features"]))
        again = PolynomialFeatures(**expansion.get_params()).fit(rows)
        for name, n in vars(again).items():
            if vars(expansion)[name] != n:
                raise ModelFileError(f"{name} does not follow from the parameters. Fit again.")


def _check_pipeline(pipeline: Any, sizes: Sizes) -> None:
    pipeline._validate_params()
    # A cache folder named by a file would hold pickles, which the next fit would read.
    one_of(None)(pipeline.memory, "memory", sizes)
    inputs = either(one_of(None), list_of(text, "_inputs"))
    inputs(pipeline.transform_input, "transform_input", {})
    list_of(_step, "_steps")(pipeline.steps, "steps", {})
    pipeline._validate_steps()
    _width_after(pipeline, "pipeline", None)


def _width_after(step: Any, name: str, width: int | None) -> int | None:
    """Return how many columns come out of a step that gets ``width``; None if not known."""
    if isinstance(step, FrozenEstimator):
        return _width_after(step.estimator, name, width)
    if isinstance(step, Pipeline):
        for part, inner in step.steps:
            width = _width_after(inner, part, width)
        return width
    n_features = getattr(step, "n_features_in_", None)
    if n_features is None:
        return width
    if width not in (None, n_features):
        raise ModelFileError(f"step {name!r} takes {n_features} features, gets {width}. Fit again.")
    if isinstance(step, AddConstant):
        return int(n_features) + 1
    return int(getattr(step, "n_output_features_", n_features))


def _step(value: Any, where: str, sizes: Sizes) -> None:
    """A step of a pipeline: a tuple of a name and an estimator."""
    if not (type(value) is tuple and len(value) == 2 and type(value[0]) is str):
        raise ModelFileError(f"{where} must be a name and an estimator.")
    if type(value[1]) not in BY_CLASS:
        one_of(None, "passthrough")(value[1], where, sizes)


def _check_frozen(frozen: Any, sizes: Sizes) -> None:
    fitted(frozen.estimator, "estimator", sizes)


def _check_outliers(model: Any, sizes: Sizes) -> None:
    real(minimum=math.ulp(0.0))(model.threshold, "threshold", sizes)
    if type(model.estimator) not in BY_CLASS:
        raise ModelFileError("estimator must be an estimator.")
    if sizes:
        inner = model.estimator_
        agree("estimator_", "features", getattr(inner, "n_features_in_", -1), sizes)
        if not np.array_equal(getattr(inner, "classes_", ()), model.classes_):
            raise ModelFileError("estimator_ must know the same classes_. Fit again.")


def _nothing(transformer: Any, sizes: Sizes) -> None:
    """There are no parameters, and nothing to agree on."""


# ---------------------------------------------------------------- the classes


def fitted(value: Any, where: str, sizes: Sizes) -> None:
    """A fitted estimator."""
    kind = BY_CLASS.get(type(value))
    if kind is None:
        raise ModelFileError(f"{where} must be an estimator, got {type(value).__name__}.")
    inner = [value.estimator] if kind.cls is FrozenEstimator else []
    if kind.cls is Pipeline:
        inner = [step for _, step in value.steps if type(step) in BY_CLASS]
    for part in inner:
        fitted(part, f"{where}.{type(part).__name__}", sizes)
    if not kind.state.keys() <= vars(value).keys():
        raise ModelFileError(f"{where} is a {kind.cls.__name__} that is not fitted. Fit it first.")


WEIGHTS: dict[str, Rule] = {
    "coef_": array("f", "problems", "features"),
    "intercept_": array("f", "problems"),
}
RUNS: dict[str, Rule] = {
    "n_steps_": array("i", "runs"),
    "_runs": list_of(record("BinaryRun", "MulticlassRun"), "runs"),
}
VOTES = {"votes_": list_of(record("Votes"), "problems")}
COLUMN = array("f", "features", finite=False)  # a feature that is NaN everywhere has such a mean
SEEN = either(whole(), real(), array("if", "features"))
RANGE = dict.fromkeys(("min_", "scale_", "data_min_", "data_max_", "data_range_"), COLUMN)
MOMENTS = dict.fromkeys(("mean_", "var_", "scale_"), either(one_of(None), COLUMN))
DEGREES = dict.fromkeys(
    ("n_output_features_", "_min_degree", "_max_degree", "_n_out_full"), whole()
)

KINDS = [
    Kind(Perceptron, _check_perceptron, CLASSIFIER | EPOCHS | SPLIT, NAMES | WEIGHTS | VOTES),
    Kind(Winnow, _check_winnow, CLASSIFIER | EPOCHS | WEIGHTS
         | {"encoding_": one_of("binary", "sign")}, NAMES),
    Kind(Pegasos, _check_pegasos, CLASSIFIER | WEIGHTS | RUNS | SPLIT,
         NAMES | {"objective_path_": array("f", None, "runs", finite=False)}, nested=("prior",)),
    Kind(NoScaling, _nothing, FEATURES, SHOWN),
    Kind(AddConstant, _nothing, FEATURES, SHOWN),
    Kind(StandardScaler, _check_scaler, FEATURES | MOMENTS | {"n_samples_seen_": SEEN}, SHOWN),
    Kind(MinMaxScaler, _check_scaler, FEATURES | RANGE | {"n_samples_seen_": SEEN}, SHOWN),
    Kind(PolynomialFeatures, _check_polynomial, FEATURES | DEGREES, SHOWN),
    Kind(Pipeline, _check_pipeline, nested=("steps",)),
    Kind(FrozenEstimator, _check_frozen, nested=("estimator",)),
    Kind(DropOutliers, _check_outliers, CLASSIFIER | {"n_dropped_": whole(), "estimator_": fitted},
         NAMES, nested=("estimator", "estimator_")),
    *KERNEL_KINDS,
]  # fmt: skip
BY_CLASS = {kind.cls: kind for kind in KINDS}
BY_NAME = {kind.cls.__name__: kind for kind in KINDS}
