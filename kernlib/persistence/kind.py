"""What describes a class to model files, and the attributes that several classes share.

Tests: ``tests/test_persistence.py``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kernlib.persistence.container import ModelFileError
from kernlib.persistence.rules import Rule, Sizes, agree, array, labels, list_of, one_of, whole


@dataclass(frozen=True)
class Kind:
    """An estimator: the attributes that ``fit`` sets, and the check of the whole."""

    cls: Any
    check: Callable[[Any, Sizes], None]
    state: dict[str, Rule] = field(default_factory=dict)
    optional: dict[str, Rule] = field(default_factory=dict)
    nested: tuple[str, ...] = ()  # parameters and attributes that may hold estimators
    left_out: tuple[str, ...] = ()  # attributes that prediction does not need


def check_problems(sizes: Sizes, ovo: bool) -> None:
    """Refuse a number of binary problems that does not follow from the classes."""
    n = sizes["classes"]
    agree("classes_", "problems", 1 if n == 2 else n * (n - 1) // 2 if ovo else n, sizes)


def _output(value: Any, where: str, sizes: Sizes) -> None:
    """What ``set_output`` has chosen."""
    if type(value) is not dict or value.keys() != {"transform"}:
        raise ModelFileError(f"{where} must name the output of transform.")
    one_of("default", "pandas", "polars")(value["transform"], where, sizes)


FEATURES: dict[str, Rule] = {"n_features_in_": whole("features", minimum=1)}
NAMES: dict[str, Rule] = {"feature_names_in_": array("O", "features")}
SHOWN = NAMES | {"_sklearn_output_config": _output}
CLASSIFIER = FEATURES | {"classes_": labels}
EPOCHS: dict[str, Rule] = {
    "n_iter_": array("i", "problems"),
    "n_mistakes_": array("i", "problems"),
    "mistakes_per_epoch_": list_of(array("i", None), "problems"),
}
SPLIT: dict[str, Rule] = {"multi_class_": one_of("ovr", "ovo", "crammer_singer")}
