"""Files that are there complete or not at all.

Tests: ``tests/test_model_files.py`` and ``tests/datasets/test_archive.py``.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def checked_target(path: str | os.PathLike[str]) -> Path:
    """Return where ``path`` leads, if a file can be put there; else say why not."""
    target = Path(os.path.realpath(path))  # a link goes on pointing to where it points
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"expected a folder to write {target.name} to, but there is no {target.parent}. "
            "Create it, or choose another path."
        )
    if target.exists() and not target.is_file():
        raise OSError(
            f"expected the path of a file, but {target} is a folder or a device. Choose another."
        )
    return target


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` at the end.

    An exception, Ctrl-C included, removes it and leaves an older file as it was.
    """
    target = checked_target(path)
    # Beside the target: os.replace is atomic only within one file system.
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():  # a file that only its owner may read stays so
            draft.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` to ``path``: all of it, or nothing."""
    with replacing(path) as file:
        file.write(data)
