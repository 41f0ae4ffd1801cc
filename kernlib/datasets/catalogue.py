"""The list of data sets, as ``kernlib data`` prints it.

Tests: ``tests/datasets/test_catalogue.py``.
"""

from dataclasses import asdict
from typing import Any

from kernlib.datasets import digits, facts
from kernlib.datasets.milan import milan_location


def describe() -> list[dict[str, Any]]:
    """Return one row a data set: what it is, where it comes from, on which terms, whether present.

    Returns
    -------
    list of dict
        Keys ``name``, ``title``, ``rows``, ``columns``, ``classes``, ``source``, ``citation``,
        ``terms``, ``present`` (bool) and ``location`` (where it is, or how to get it).

    Examples
    --------
    >>> from kernlib.datasets import describe
    >>> [row["name"] for row in describe()]
    ['usps', 'mnist', 'mnist-train', 'milan', 'milan-twin']
    """
    train = digits.mnist_train_location()
    fetched = train.is_file()
    places = [
        (facts.USPS, digits.USPS_FILE.is_file(), "shipped with kernlib"),
        (facts.MNIST, digits.MNIST_FILE.is_file(), "shipped with kernlib"),
        (
            facts.MNIST_TRAIN,
            fetched,
            str(train) if fetched else "fetched by load_mnist(part='train')",
        ),
        (facts.MILAN, *_milan_place()),
        (facts.TWIN, True, "generated when asked for"),
    ]
    return [
        asdict(about) | {"present": present, "location": where} for about, present, where in places
    ]


def _milan_place() -> tuple[bool, str]:
    location = milan_location()
    if location.path is None:
        return False, "the twin stands in; add the table with: kernlib data add milan FILE"
    if not location.path.is_file():
        return False, f"{location.origin} names {location.path}, which does not exist"
    return True, f"{location.path} ({location.origin})"
