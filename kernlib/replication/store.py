"""The results store: a table that was computed once is read the next time.

A result is found again by a hash of everything it depends on: kernlib's sources, the data, the
arguments, the versions of the packages.  Files are there complete or not at all, so two
processes may share a folder; what one is computing another waits for.  ``KERNLIB_STORE`` names
it; an empty folder means that everything is computed anew.
Tests: ``tests/replication/test_store.py``.
"""

import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import platformdirs

from kernlib._atomic import write_atomically

try:
    import fcntl
except ImportError:  # not on every system; then two processes may compute the same
    fcntl = None  # type: ignore[assignment]

VARIABLE = "KERNLIB_STORE"
FORMAT = 1
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas")
# Layers above this one: a result cannot depend on them (the import contracts prove it).
ABOVE = ("report", "cli.py", "commands.py", "commands_replication.py", "__main__.py")


def folder() -> Path:
    """Return where results are kept."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else Path(platformdirs.user_cache_dir("kernlib")) / "results"


@cache
def sources_hash() -> str:
    """Return a digest of the code that results depend on and of the published tables."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".csv")):
        if path.relative_to(root).parts[0] in ABOVE:
            continue
        digest.update(f"{path.relative_to(root).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def environment() -> dict[str, str]:
    """Return the versions that a result depends on."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}


def key(name: str, data: str, arguments: Mapping[str, Any]) -> str:
    """Return the hash that a result of these inputs is found by."""
    parts = [FORMAT, name, data, sorted(arguments.items()), sources_hash(), environment()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def dumps(table: pd.DataFrame) -> bytes:
    """Return a table as bytes that ``loads`` turns into an equal one, to the last bit."""
    columns = [
        {"name": name, "dtype": str(table[name].dtype), "values": _plain(table[name])}
        for name in table.columns
    ]
    content = {"format": FORMAT, "rows": len(table), "columns": columns, "attrs": table.attrs}
    return json.dumps(content).encode()


def _plain(column: pd.Series) -> list[Any]:
    values = column.tolist()
    return [None if value is pd.NA else value for value in values]


def loads(data: bytes) -> pd.DataFrame:
    """Return the table that ``dumps`` wrote; ValueError if it is none."""
    content = json.loads(data)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"expected a result of format {FORMAT}. Compute it again.")
    columns = {
        column["name"]: pd.Series(column["values"], dtype=column["dtype"])
        for column in content["columns"]
    }
    table = pd.DataFrame(columns, index=pd.RangeIndex(content["rows"]))
    table.attrs = content["attrs"]
    return table


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other process is computing this result.

    The system ends the lock with its process, however that ends.
    """
    lock = path.with_suffix(".lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def _read(path: Path) -> pd.DataFrame | None:
    try:
        return loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):  # damaged: as good as not there
        path.unlink(missing_ok=True)
        return None


def stored(
    name: str, data: str, arguments: Mapping[str, Any], compute: Callable[[], pd.DataFrame]
) -> pd.DataFrame:
    """Return the stored result of these inputs, or compute and store it."""
    path = folder() / f"{name}-{key(name, data, arguments)[:32]}.json"
    found = _read(path)
    if found is not None:
        return found
    with _alone(path):
        found = _read(path)  # another process may have had it meanwhile
        if found is None:
            found = compute()
            write_atomically(path, dumps(found))
    return found
