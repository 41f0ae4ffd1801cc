"""USPS and MNIST: facts known from elsewhere, and the way from the archives to the files."""

import time

import numpy as np
import pandas as pd
import pytest

from kernlib.datasets import digits, load_mnist, load_usps
from kernlib.datasets._archive import sha256_of

USPS_COUNTS = [1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821]
MNIST_COUNTS = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]


@pytest.fixture(scope="module")
def usps():
    return load_usps()


@pytest.fixture(scope="module")
def mnist():
    return load_mnist()


def test_usps_facts(usps):
    assert usps.data.shape == (9298, 256)
    assert usps.data.dtype == np.float64
    assert usps.target.dtype == np.int64
    assert np.bincount(usps.target).tolist() == USPS_COUNTS
    assert len(np.unique(usps.data, axis=0)) == 9298
    assert usps.data.mean() == pytest.approx(-0.48537, abs=5e-6)
    assert usps.data.std() == pytest.approx(0.77278, abs=5e-6)


def test_usps_grid(usps):
    thousandths = np.rint(1000 * usps.data)
    np.testing.assert_array_equal(usps.data, thousandths / 1000)
    assert (thousandths.min(), thousandths.max()) == (-1000, 1000)


def test_usps_unit_scale(usps):
    X, y = load_usps(scale="unit", return_X_y=True)
    np.testing.assert_allclose(X, (usps.data + 1) / 2, rtol=0, atol=2e-16)
    np.testing.assert_array_equal(y, usps.target)
    assert (X.min(), X.max()) == (0, 1)


def test_usps_has_the_rows_that_a_report_prints(root):
    # A. Mirone (2023), "PEGASOS implementation from scratch", Out[3]: ten rows, 20 cells each.
    printed = pd.read_csv(root / "tests/datasets/mirone2023_dataset_preview.csv")
    X, y = load_usps(scale="unit", return_X_y=True)
    table = np.column_stack([X, y])
    found = []
    for _, cells in printed.groupby("row"):
        assert len(cells) == 20
        same = table[:, cells["column"].to_numpy()] == cells["value"].to_numpy()
        found.append(np.flatnonzero(same.all(axis=1)))
    assert [len(rows) for rows in found] == [1] * 10
    assert len(np.unique(np.concatenate(found))) == 10


def test_mnist_facts(mnist):
    assert mnist.data.shape == (10_000, 784)
    assert mnist.data.dtype == np.uint8
    assert (mnist.data.min(), mnist.data.max()) == (0, 255)
    assert mnist.target.dtype == np.int64
    assert np.bincount(mnist.target).tolist() == MNIST_COUNTS
    assert mnist.target[:10].tolist() == [7, 2, 1, 0, 4, 1, 4, 9, 5, 9]
    assert mnist.data.mean() == pytest.approx(33.7912, abs=5e-5)
    assert mnist.data.std() == pytest.approx(79.1725, abs=5e-5)


def test_mnist_unit_scale(mnist):
    X, y = load_mnist(scale="unit", return_X_y=True)
    assert X.dtype == np.float64
    np.testing.assert_array_equal(X, mnist.data / 255)
    np.testing.assert_array_equal(y, mnist.target)


@pytest.mark.parametrize(
    ("load", "path", "side"), [(load_usps, "USPS_FILE", 16), (load_mnist, "MNIST_FILE", 28)]
)
def test_bunch(load, path, side):
    start = time.perf_counter()
    data = load()
    assert time.perf_counter() - start < 1
    assert data.sha256 == sha256_of(getattr(digits, path))
    assert len(data.feature_names) == len(set(data.feature_names)) == side * side
    assert data.feature_names[side] == "pixel_1_0"
    assert not data.is_twin
    for part in ("Source: ", "Citation: ", "Terms: "):
        assert part in data.DESCR
    data.data[:] = 0  # the next caller gets a fresh copy
    assert load().data.any()


@pytest.mark.parametrize(
    ("load", "options", "message"),
    [
        (load_usps, {"scale": "raw"}, r"scale must be 'symmetric' or 'unit', got 'raw'"),
        (load_mnist, {"scale": "symmetric"}, r"scale must be None or 'unit', got 'symmetric'"),
        (load_mnist, {"part": "all"}, r"part must be 'test' or 'train', got 'all'"),
    ],
)
def test_wrong_options(load, options, message):
    with pytest.raises(ValueError, match=message):
        load(**options)


def test_file_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(digits, "USPS_FILE", tmp_path / "usps.npz")
    with pytest.raises(FileNotFoundError, match=r"usps\.npz beside digits\.py.*make_digits"):
        load_usps()
