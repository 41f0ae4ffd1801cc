"""The results store: a table that was computed once is read the next time.

A result is found again by a hash of everything it depends on: kernlib's sources, the data, the
arguments, the versions of the packages.  Files are there complete or not at all, so two
processes may share a folder.  ``KERNLIB_STORE`` names it; an empty folder means that everything
is computed anew.  Tests: ``tests/replication/test_store.py``.
"""

import hashlib
import json
import os
import platform
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import platformdirs

from kernlib._atomic import write_atomically

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


def stored(
    name: str, data: str, arguments: Mapping[str, Any], compute: Callable[[], pd.DataFrame]
) -> pd.DataFrame:
    """Return the stored result of these inputs, or compute and store it."""
    path = folder() / f"{name}-{key(name, data, arguments)[:32]}.json"
    try:
        return loads(path.read_bytes())
    except FileNotFoundError:
        pass
    except (ValueError, KeyError, TypeError):  # damaged: as good as not there
        path.unlink(missing_ok=True)
    table = compute()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, dumps(table))
    return table
