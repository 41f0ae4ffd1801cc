"""Results on the original Milan table, kept for readers who do not have it.

The table is its owner's and not in the repository; without it everything runs on the twin.  So
the results on the original are recorded once, in a file of the package: for each experiment the
scorecard, and mean, standard error and first run of every number; for each claim its outcome.
No row of the table is in it, nor a coefficient or prediction that belongs to one.  ``compare``
computes everything again, where the table is at hand.
Tests: ``tests/replication/test_recorded.py``.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kernlib._atomic import write_atomically
from kernlib.datasets import load_milan
from kernlib.replication import claims, engine, store

DOCUMENT = "cologni2024"  # the only one whose data cannot be shipped
FORMAT = 1
SEED = 0
FOLDER = Path(__file__).parent / "recorded"
CARD = ["row", "quantity", "printed", "ours", "se", "runs", "variant", "verdict"]
CARD += ["tentative", "p_value", "corrected"]
NUMBERS = ["variant", "row", "quantity", "mean", "se", "runs", "first"]
CLAIMS = ["id", "outcome", "evidence"]
# Its scorecard holds what the document prints; further extremes are values of the table.
WITHOUT_NUMBERS = ("feature_stats",)
SAME = 1e-7  # relative; nine digits are kept
SMALL = 0.01  # below it the difference counts as it is: rounding alone makes 1e-13 of 0


@dataclass(frozen=True)
class Recorded:
    """What the file holds.

    Parameters
    ----------
    about : dict
        The document, the data's sha256, the seed, the versions of the packages.
    runs : dict
        The runs of each experiment.
    scorecard, numbers, claims : DataFrame
        Each published number with ours; every number of every variant; each claim's outcome.
    """

    about: dict[str, Any]
    runs: dict[str, int]
    scorecard: pd.DataFrame
    numbers: pd.DataFrame
    claims: pd.DataFrame

    @property
    def note(self) -> str:
        """Where the numbers are from, in one line to stand beside them."""
        digest = self.about["data_sha256"][:12]
        return (
            f"recorded on the original table (sha256 {digest}…) by kernlib {self.about['kernlib']}"
        )


def aggregated(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard error, runs and first run of every number of an experiment."""
    lines = []
    for (variant, row, quantity), part in table.groupby(["variant", "row", "quantity"], sort=False):
        values = part.sort_values("run")["value"].to_numpy(dtype=np.float64)
        se = values.std(ddof=1) / np.sqrt(len(values)) if np.ptp(values) > 0 else 0.0
        lines.append((variant, row, quantity, values.mean(), se, len(values), values[0]))
    return pd.DataFrame(lines, columns=NUMBERS)


# ---------------------------------------------------------------- writing


def record(
    path: Path | None = None, *, progress: Callable[[Iterable[Any]], Iterable[Any]] = iter
) -> Path:
    """Run the document's full protocol on the original table and write the file; return its path.

    Parameters
    ----------
    path : Path, optional
        Where to; the package's own file if not given.
    progress : callable, default=iter
        Wraps the experiments, like ``tqdm.tqdm``.
    """
    data = original()
    made = {}
    for one in progress(_experiments()):
        made[one.name] = _entry(one, one(_data_for(one, data), seed=SEED))
    found = claims.findings(DOCUMENT, seed=SEED, data={"milan": data})
    content = {
        "format": FORMAT,
        "document": DOCUMENT,
        "data_sha256": data.sha256,
        "seed": SEED,
        "versions": {"kernlib": version("kernlib")} | store.environment(),
        "columns": {"scorecard": CARD, "numbers": NUMBERS, "claims": CLAIMS},
        "experiments": made,
        "claims": found[CLAIMS].to_numpy(dtype=object).tolist(),
    }
    path = FOLDER / f"{DOCUMENT}.json" if path is None else path
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (_text(content) + "\n").encode())
    return path


def original() -> Any:
    """Return the document's own table; refuse the twin."""
    data = load_milan()
    if not getattr(data, "is_original", False):
        raise ValueError(
            "results are recorded on the document's own table, but it is not here. "
            "Name its file in KERNLIB_MILAN."
        )
    return data


def _experiments() -> list[engine.Experiment]:
    import_module(f"kernlib.replication.{DOCUMENT}")
    return [e for e in engine.REGISTRY.values() if e.document == DOCUMENT]


def _data_for(one: engine.Experiment, data: Any) -> Any:
    return data if one.data == "milan" else None


def _entry(one: engine.Experiment, table: pd.DataFrame) -> dict[str, Any]:
    card = engine.scorecard(one, table)
    numbers = pd.DataFrame(columns=NUMBERS)
    if one.name not in WITHOUT_NUMBERS:
        numbers = aggregated(table)
    return {
        "runs": int(table.attrs["runs"]),
        "scorecard": card[CARD].to_numpy(dtype=object).tolist() if len(card) else [],
        "numbers": numbers.to_numpy(dtype=object).tolist(),
    }


def _text(value: Any, indent: str = "") -> str:
    """Return JSON with a line for each row, and numbers of nine digits."""
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(name)}: {_text(v, inner)}" for name, v in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n" + ",\n".join(inner + _text(row) for row in value) + f"\n{indent}]"
    if isinstance(value, list):
        return "[" + ", ".join(_text(cell) for cell in value) + "]"
    if isinstance(value, float):
        return f"{value:.8e}" if np.isfinite(value) else "null"
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- reading


def read(path: Path | None = None) -> Recorded:
    """Return what was recorded."""
    path = FOLDER / f"{DOCUMENT}.json" if path is None else path
    content = json.loads(path.read_text(encoding="utf8"))
    if content.get("format") != FORMAT:
        raise ValueError(
            f"expected a record of format {FORMAT} in {path.name}, got {content.get('format')!r}. "
            "Record it again: kernlib replicate cologni2024 --record."
        )
    made, columns = content["experiments"], content["columns"]
    frames = {
        kind: _frame([(name, row) for name in made for row in made[name][kind]], columns[kind])
        for kind in ("scorecard", "numbers")
    }
    about = {name: content[name] for name in ("document", "data_sha256", "seed")}
    return Recorded(
        about | content["versions"],
        {name: entry["runs"] for name, entry in made.items()},
        frames["scorecard"],
        frames["numbers"],
        pd.DataFrame(content["claims"], columns=columns["claims"]),
    )


def _frame(rows: list[tuple[str, list[Any]]], columns: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame([[name, *row] for name, row in rows], columns=["experiment", *columns])
    frame.insert(0, "document", DOCUMENT)
    floats = [
        name for name in ("ours", "se", "p_value", "corrected", "mean", "first") if name in frame
    ]
    return frame.astype(dict.fromkeys(floats, np.float64))


# ---------------------------------------------------------------- computing again


def compare(
    names: Iterable[str] | None = None, *, runs: int | None = None, path: Path | None = None
) -> pd.DataFrame:
    """Compute experiments again, on the original table, and put the recorded numbers beside.

    With as many runs as were recorded the means are compared; with fewer the first runs, which
    do not depend on how many follow.

    Parameters
    ----------
    names : iterable of str, optional
        Which experiments; all if not given.
    runs : int, optional
        At most so many runs of each; the recorded number if not given.

    Returns
    -------
    DataFrame
        ``experiment``, ``variant``, ``row``, ``quantity``, ``compared`` ("mean" or "first"),
        ``recorded``, ``again`` and ``same``.
    """
    kept, data = read(path), original()
    wanted = list(kept.runs) if names is None else list(names)
    unknown = sorted(set(wanted) - set(kept.runs))
    if unknown:
        raise ValueError(
            f"names must be recorded experiments, got {', '.join(unknown)}. "
            f"There are {', '.join(kept.runs)}."
        )
    found = []
    for one in (e for e in _experiments() if e.name in wanted):
        n = min(kept.runs[one.name], runs or kept.runs[one.name])
        table = one(_data_for(one, data), runs=n, seed=kept.about["seed"])
        found.append(_beside(one, table, kept))
    return pd.concat(found, ignore_index=True)


def _beside(one: engine.Experiment, table: pd.DataFrame, kept: Recorded) -> pd.DataFrame:
    """Return the recorded and the new numbers; of a scorecard where there is nothing else."""
    if one.name in WITHOUT_NUMBERS:
        old = kept.scorecard[kept.scorecard["experiment"] == one.name]
        new = engine.scorecard(one, table)
        old, new = (part.rename(columns={"ours": "mean"}) for part in (old, new))
    else:
        old = kept.numbers[kept.numbers["experiment"] == one.name]
        new = aggregated(table).assign(experiment=one.name)
    keys = ["experiment", "variant", "row", "quantity"]
    both = old.merge(new, on=keys, how="outer", suffixes=("", "_again"))
    full = both["runs"] == both["runs_again"]
    first = both.get("first", both["mean"]), both.get("first_again", both["mean_again"])
    result = both[keys].assign(
        compared=np.where(full, "mean", "first"),
        recorded=np.where(full, both["mean"], first[0]),
        again=np.where(full, both["mean_again"], first[1]),
    )
    gap = (result["recorded"] - result["again"]).abs()
    return result.assign(same=gap <= SAME * result["recorded"].abs().clip(lower=SMALL))
