"""Data sets: shipped digits, the user's Milan table or its twin, small generated problems.

Names are loaded on first use (PEP 562).  What is known of each data set's origin and terms is in
``DATA.md`` and in the ``DESCR`` of what a loader returns.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernlib.datasets.catalogue import describe
    from kernlib.datasets.digits import load_mnist, load_usps
    from kernlib.datasets.milan import add_milan, load_milan, milan_location
    from kernlib.datasets.toy import make_first_coordinate, make_rings, make_separable, make_xor
    from kernlib.datasets.twin import make_milan_twin

__all__ = [
    "add_milan",
    "describe",
    "load_milan",
    "load_mnist",
    "load_usps",
    "make_first_coordinate",
    "make_milan_twin",
    "make_rings",
    "make_separable",
    "make_xor",
    "milan_location",
]

_HOME = {
    "add_milan": "milan",
    "describe": "catalogue",
    "load_milan": "milan",
    "load_mnist": "digits",
    "load_usps": "digits",
    "make_first_coordinate": "toy",
    "make_milan_twin": "twin",
    "make_rings": "toy",
    "make_separable": "toy",
    "make_xor": "toy",
    "milan_location": "milan",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(
            f"module 'kernlib.datasets' has no attribute {name!r}; "
            f"its public names are {', '.join(_HOME)}"
        )
    value = getattr(import_module(f"kernlib.datasets.{_HOME[name]}"), name)
    globals()[name] = value  # the next access does not come here
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
