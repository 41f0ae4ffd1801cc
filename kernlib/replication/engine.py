"""Experiments: a function that repeats a published table, and what it is to be compared with.

An experiment computes a tidy table, one line a number: ``variant`` (as printed, as their code,
corrected), ``row`` and ``quantity`` as in the published table, ``run`` and ``value``.
``scorecard`` puts it beside the published numbers, with a verdict for each.
Tests: ``tests/replication/test_engine.py``.
"""

import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from kernlib import datasets
from kernlib.replication import published as printed
from kernlib.replication import store
from kernlib.replication.claims import document_of
from kernlib.replication.verdicts import AS_PRINTED, CORRECTED, WIDEST, Published, judge
from kernlib.training import fingerprint

OURS = ["variant", "row", "quantity", "run", "value"]
LOADERS: dict[str, Callable[[], Any]] = {
    "milan": datasets.load_milan,
    "usps": datasets.load_usps,
    "mnist": datasets.load_mnist,
}
REGISTRY: dict[str, "Experiment"] = {}
NOT_REPEATED: dict[tuple[str, str], str] = {}


@dataclass(frozen=True)
class Experiment:
    """A published table or figure and the function that repeats it.

    Calling it returns our numbers, from the results store if they are there.

    Parameters
    ----------
    document, name : str
        Whose experiment it is, and what it is called.
    items : tuple of str
        The lines of the index of tables and figures that it covers.
    data : str or None
        The name of its data set, or None if it makes its own.
    runs : int
        The runs of the full protocol (20 where one random run was published: a verdict needs them).
    deterministic : bool
        Whether the protocol leaves nothing to chance.
    compute : callable
        ``compute(data, runs, seed)``, or without ``data``.
    published : callable or None
        Returns the published numbers; None if the document prints none.
    """

    document: str
    name: str
    items: tuple[str, ...]
    data: str | None
    runs: int
    deterministic: bool
    compute: Callable[..., pd.DataFrame]
    published: Callable[[], pd.DataFrame] | None

    @property
    def key(self) -> str:
        """The name under which the registry and the command line know it."""
        return f"{self.document}.{self.name}"

    @property
    def title(self) -> str:
        """What it repeats, in one line."""
        return (inspect.getdoc(self.compute) or "").split("\n", 1)[0]

    def __call__(self, data: Any = None, *, runs: int | None = None, seed: int = 0) -> pd.DataFrame:
        """Return our numbers; ``attrs`` tell the seconds, the runs, and whether on the twin."""
        runs = self.runs if runs is None else runs
        if self.deterministic and runs > 0:  # nothing would differ
            runs = self.runs
        if runs < 1:
            raise ValueError(f"runs must be at least 1, got {runs}. The protocol has {self.runs}.")
        if data is None and self.data is not None:
            data = LOADERS[self.data]()
        known = "" if data is None else fingerprint(data.data, data.target)
        arguments = {"runs": runs, "seed": seed, "twin": bool(getattr(data, "is_twin", False))}
        return store.stored(self.key, known, arguments, lambda: self._timed(data, runs, seed))

    def _timed(self, data: Any, runs: int, seed: int) -> pd.DataFrame:
        start = time.perf_counter()
        given = () if self.data is None else (data,)
        # One thread a product: how it is cut into parts must not move its last digits.
        with threadpool_limits(1):
            table = self.compute(*given, runs=runs, seed=seed).reset_index(drop=True)
        missing = [name for name in OURS if name not in table.columns]
        if missing:
            raise ValueError(f"{self.key} must return columns {OURS}, it lacks {missing}.")
        table.attrs = {
            "experiment": self.key,
            "seconds": time.perf_counter() - start,
            "runs": runs,
            "twin": bool(getattr(data, "is_twin", False)),
        }
        return table


def experiment(
    *items: str,
    data: str | None,
    runs: int = 1,
    deterministic: bool = False,
    published: Callable[[], pd.DataFrame] | None = None,
) -> Callable[[Callable[..., pd.DataFrame]], Experiment]:
    """Make an experiment of a function in the module of its document, and register it."""

    def register(compute: Callable[..., pd.DataFrame]) -> Experiment:
        document = document_of(compute.__module__)
        made = Experiment(
            document, compute.__name__, items, data, runs, deterministic, compute, published
        )
        if made.key in REGISTRY and REGISTRY[made.key].compute.__module__ != compute.__module__:
            raise ValueError(f"there are two experiments {made.key}. Rename one.")
        REGISTRY[made.key] = made
        return made

    return register


def not_repeated(document: str, reasons: Mapping[str, str]) -> None:
    """Register lines of the index that no experiment repeats, with the reason."""
    NOT_REPEATED.update({(document, item): reason for item, reason in reasons.items()})


def coverage(document: str) -> pd.DataFrame:
    """Return every table and figure of a document, with the experiments that repeat it."""
    index = printed.index()
    index = index[index["source_doc"] == document].reset_index(drop=True)
    made = [e for e in REGISTRY.values() if e.document == document]
    repeated = [[e.name for e in made if item in e.items] for item in index["item"]]
    index["experiments"] = [", ".join(names) for names in repeated]
    index["reason"] = [NOT_REPEATED.get((document, item), "") for item in index["item"]]
    return index


def seeds(seed: int, runs: int) -> list[np.random.SeedSequence]:
    """Return an independent stream of random numbers for each run."""
    return np.random.SeedSequence(seed).spawn(runs)


def tidy(rows: Iterable[dict[str, Any]], variant: str = AS_PRINTED) -> pd.DataFrame:
    """Return rows with ``row``, ``quantity`` and ``value`` as a table of ours."""
    table = pd.DataFrame(list(rows))
    if "variant" not in table.columns:
        table["variant"] = variant
    if "run" not in table.columns:
        table["run"] = 0
    return table[OURS + [name for name in table.columns if name not in OURS]]


def scorecard(made: Experiment, ours: pd.DataFrame) -> pd.DataFrame:
    """Return each published number with ours beside it, and the verdict."""
    if made.published is None:
        return pd.DataFrame()
    groups = dict(list(ours.groupby(["row", "quantity"], sort=False)))
    lines = []
    lines_of: list[dict[Any, Any]] = made.published().to_dict("records")
    for line in lines_of:
        group = groups.get((line["row"], line["quantity"]))
        if group is None:
            raise ValueError(
                f"{made.key} has no {line['quantity']} for {line['row']!r}, which is published. "
                "Every published number needs ours."
            )
        lines.append(_line(made, line, group, ours.attrs))
    return pd.DataFrame(lines)


def _line(
    made: Experiment, line: dict[Any, Any], group: pd.DataFrame, attrs: Any
) -> dict[str, Any]:
    published = Published(
        line["printed"],
        std=line["std"] or None,
        runs=int(line["runs"]),
        n_examples=None if pd.isna(line["n_examples"]) else int(line["n_examples"]),
    )
    variants = {
        str(name): part["value"].to_numpy(dtype=np.float64)
        for name, part in group.groupby("variant", sort=False)
    }
    is_rate = line["quantity"].endswith("error")
    got = judge(
        published,
        variants,
        deterministic=bool(line.get("deterministic", made.deterministic)),
        protocol_runs=made.runs,
        twin=attrs["twin"],
        widest=WIDEST if is_rate else np.inf,
    )
    corrected = variants.get(CORRECTED, np.array([np.nan]))
    return {
        "document": made.document,
        "experiment": made.name,
        "row": line["row"],
        "quantity": line["quantity"],
        "printed": line["printed"],
        "printed_std": line["std"] or "",
        "published": published.value,
        "ours": got.match.mean,
        "se": got.match.se,
        "runs": got.match.n,
        "variant": got.variant,
        "verdict": got.verdict,
        "tentative": got.tentative,
        "p_value": got.match.p_value,
        "corrected": float(corrected.mean()),
        "seconds": attrs["seconds"],
    }
