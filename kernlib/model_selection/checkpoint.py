"""Checkpoints: finished fits kept in a file, so that a killed run goes on where it stopped.

The file is text.  Its first line says what it belongs to, every further line is a finished fit;
a line is on the disk before the next fit is counted.  A run that was killed while it wrote leaves
a torn last line, which the next one drops.
Tests: ``tests/test_model_selection_checkpoint.py``.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from kernlib._atomic import checked_target, write_atomically
from kernlib.model_selection.experiment import MEASURED, Experiment, Fit, Record
from kernlib.model_selection.fingerprint import fingerprint

FORMAT = "kernlib model selection, version 1"
SPLITS_HINT = "random_state=None draws other splits every time: pass a number. "


class Checkpoint:
    """The finished fits of an experiment, in memory and, unless ``file`` is None, in a file."""

    def __init__(self, experiment: Experiment, file: BinaryIO | None = None) -> None:
        self.records: dict[Fit, Record] = {}
        self._file = file
        self._names = [(split.run, split.fold) for split in experiment.splits]
        self._places = {name: place for place, name in enumerate(self._names)}

    def keep(self, records: Mapping[Fit, Record]) -> None:
        """Add finished fits; when this returns they are on the disk."""
        if self._file is not None:
            lines = []
            for (c, s), record in records.items():
                run, fold = self._names[s]
                lines.append(json.dumps({"candidate": c, "run": run, "fold": fold, **record}))
            _append(self._file, lines)
        self.records.update(records)

    def read(self, lines: list[bytes]) -> None:
        """Take over fits that an earlier run finished."""
        for line in lines:
            entry = json.loads(line)
            place = self._places[entry["run"], entry["fold"]]
            self.records[entry["candidate"], place] = {name: entry[name] for name in MEASURED}


@contextlib.contextmanager
def opened(path: str | os.PathLike[str] | None, experiment: Experiment) -> Iterator[Checkpoint]:
    """Open the checkpoint of an experiment, a new one or one to go on with.

    A file that is no checkpoint, or that of another experiment, is refused and left as it is.
    """
    if path is None:
        yield Checkpoint(experiment)
        return
    target = checked_target(path)
    wanted = fingerprint(experiment)
    try:
        if not target.exists() or target.stat().st_size == 0:
            write_atomically(target, _line({"format": FORMAT, **wanted}))
            _sync_folder(target.parent)
        file = target.open("r+b")
    except OSError as error:
        raise OSError(
            f"checkpoint must be a file that can be read and written, but {target} gives: "
            f"{error.strerror or error}. Choose another path."
        ) from error
    with file:
        _lock(file, target)
        header, *lines = _whole_lines(file, target)
        _refuse_another(header, wanted, target)
        checkpoint = Checkpoint(experiment, file)
        checkpoint.read(lines)
        yield checkpoint


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _append(file: BinaryIO, lines: list[str]) -> None:
    file.seek(0, os.SEEK_END)
    file.write("".join(f"{line}\n" for line in lines).encode())
    file.flush()
    os.fsync(file.fileno())


def _whole_lines(file: BinaryIO, path: Path) -> list[bytes]:
    """Return the lines that were written completely; cut the file off after them."""
    *lines, _ = file.read().split(b"\n")  # what follows the last line end is torn, or nothing
    for number, line in enumerate(lines):
        try:
            complete = isinstance(json.loads(line), dict)
        except ValueError:
            complete = False
        if complete:
            continue
        if number == 0 or number < len(lines) - 1:
            raise ValueError(
                f"checkpoint must be a file that an earlier run wrote, but line {number + 1} of "
                f"{path} is none of its lines. Choose another path, or remove the file."
            )
        lines.pop()
    if not lines:
        raise ValueError(
            f"checkpoint must be a file that an earlier run wrote, but {path} has no line of one. "
            "Choose another path, or remove the file."
        )
    file.seek(sum(len(line) + 1 for line in lines))
    file.truncate()
    return lines


def _refuse_another(header: bytes, wanted: Mapping[str, str], path: Path) -> None:
    found = json.loads(header)
    if found.pop("format", None) != FORMAT:
        raise ValueError(
            f"checkpoint must be a file that an earlier run wrote, but {path} begins otherwise. "
            "Choose another path, or remove the file."
        )
    differing = [name for name in wanted if found.get(name) != wanted[name]]
    if differing:
        raise ValueError(
            f"The checkpoint {path} must be one of the same experiment, but its "
            f"{', '.join(differing)} {'is' if len(differing) == 1 else 'are'} another. "
            f"{SPLITS_HINT if 'splits' in differing else ''}"
            "Pass what it was begun with, or choose another path."
        )


def _lock(file: BinaryIO, path: Path) -> None:
    """Refuse a file that another process writes; the lock goes with the process, even a killed."""
    try:
        import fcntl
    except ImportError:  # Windows has none
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ValueError(
            f"checkpoint must belong to one run at a time, but another process writes {path}. "
            "Wait for it, or choose another path."
        ) from None


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file durable too, where a folder can be opened."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
