"""Every experiment of every document, by name; and what came of all of them.

Tests: ``tests/replication/test_catalogue.py``.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

import pandas as pd

from kernlib.replication import claims, engine, recorded, store
from kernlib.replication.engine import Experiment
from kernlib.replication.published import DOCUMENTS
from kernlib.training import fingerprint


def load() -> None:
    """Import the documents' modules, which registers their experiments and claims."""
    for document in DOCUMENTS:
        import_module(f"kernlib.replication.{document}")


def experiments(document: str | None = None, table: str | None = None) -> list[Experiment]:
    """Return the experiments of a document, or one of them, or all."""
    load()
    if document is not None and document not in DOCUMENTS:
        raise ValueError(
            f"document must be one of {', '.join(DOCUMENTS)}; got {document!r}. Choose one."
        )
    of = [e for e in engine.REGISTRY.values() if document in (None, e.document)]
    if table is None:
        return of
    found = [e for e in of if e.name == table]
    if not found:
        names = ", ".join(e.name for e in of)
        raise ValueError(f"table must be one of {names}; got {table!r}. Choose one.")
    return found


def scorecard(
    which: Iterable[Experiment] | None = None,
    *,
    data: dict[str, Any] | None = None,
    runs: int | None = None,
    seed: int = 0,
    progress: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> pd.DataFrame:
    """Return every published number with ours and the verdict, over many experiments.

    Parameters
    ----------
    which : iterable of Experiment, optional
        Those to run; all if not given.
    data : dict, optional
        Data sets by name, to be used instead of the usual ones.
    runs, seed : int
        As for a single experiment; ``runs=None`` is each one's protocol.
    progress : callable, default=iter
        Wraps the experiments, like ``tqdm.tqdm``.
    """
    cards = [
        engine.scorecard(made, made((data or {}).get(made.data or ""), runs=runs, seed=seed))
        for made in progress(list(experiments() if which is None else which))
    ]
    return pd.concat([card for card in cards if len(card)], ignore_index=True)


def find(key: str) -> Experiment:
    """Return the experiment ``document.name``."""
    document, _, table = key.partition(".")
    return experiments(document, table)[0]


def card(key: str) -> pd.DataFrame:
    """Return the scorecard of the experiment ``document.name``, on the data that is here.

    Where the twin had to serve for the Milan table there are further columns with what was
    recorded on the original: ``recorded``, ``recorded_se``, ``recorded_verdict`` and
    ``corrected_recorded``.  The twin's number is then of the variant that the original decided
    for, so that a line shows one experiment.
    """
    made = find(key)
    ours = made()
    found = engine.scorecard(made, ours)
    if made.document != recorded.DOCUMENT or not ours.attrs["twin"] or not len(found):
        return found
    kept = recorded.read().scorecard
    kept = kept[kept["experiment"] == made.name].rename(
        columns={
            "ours": "recorded",
            "se": "recorded_se",
            "verdict": "recorded_verdict",
            "corrected": "corrected_recorded",
        }
    )
    keys = ["row", "quantity"]
    columns = ["recorded", "recorded_se", "recorded_verdict", "corrected_recorded", "variant"]
    on_twin = recorded.aggregated(ours).rename(columns={"mean": "ours"})
    both = found.drop(columns=["ours", "se", "variant"]).merge(
        kept[[*keys, *columns]], on=keys, how="left", validate="1:1"
    )
    shown = ["ours", "se"]
    return both.merge(
        on_twin[[*keys, "variant", *shown]], on=[*keys, "variant"], how="left", validate="1:1"
    )


def numbers(key: str) -> pd.DataFrame:
    """Return mean, standard error and runs of every number of an experiment, by variant.

    Where the twin had to serve, ``recorded`` and ``recorded_se`` are those of the original table.
    """
    made = find(key)
    ours = made()
    found = recorded.aggregated(ours)
    if made.document != recorded.DOCUMENT or not ours.attrs["twin"]:
        return found
    kept = recorded.read().numbers
    kept = kept[kept["experiment"] == made.name].rename(
        columns={"mean": "recorded", "se": "recorded_se"}
    )
    keys = ["variant", "row", "quantity"]
    return found.merge(kept[[*keys, "recorded", "recorded_se"]], on=keys, how="left")


def said(document: str, *ids: str) -> pd.DataFrame:
    """Return some claims of a document, in the given order, with their outcomes; all if none.

    Where the twin had to serve, the outcomes and the evidence are those recorded on the original.
    """
    load()
    found = claims.findings(document, only=ids) if ids else findings(document)
    if document == recorded.DOCUMENT and found["twin"].any():
        kept = recorded.read().claims.set_index("id")
        for name in ("outcome", "evidence"):
            found[name] = found["id"].map(kept[name])
    order = list(ids) or list(found["id"])
    return found.set_index("id", drop=False).loc[order].reset_index(drop=True)


def findings(
    document: str,
    *,
    data: Mapping[str, Any] | None = None,
    runs: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Return every claim of a document with its outcome, from the results store if it is there."""
    load()
    given = {kind: made for kind, made in (data or {}).items() if made is not None}
    used = {
        table.data
        for (of, _), made in claims.REGISTRY.items()
        for table in made.tables
        if of == document and table.data is not None
    }
    sets = {k: given[k] if k in given else engine.LOADERS[k]() for k in sorted(used)}
    known = " ".join(fingerprint(made.data, made.target) for made in sets.values())
    twin = any(bool(getattr(made, "is_twin", False)) for made in sets.values())
    arguments = {"runs": runs, "seed": seed, "twin": twin}
    return store.stored(
        f"{document}.claims",
        known,
        arguments,
        lambda: claims.findings(document, data=given, runs=runs, seed=seed),
    )


def all_findings(**arguments: Any) -> pd.DataFrame:
    """Return every claim of every document with its outcome."""
    tables = [findings(document, **arguments) for document in DOCUMENTS]
    return pd.concat(tables, ignore_index=True)


def precision(**arguments: Any) -> pd.DataFrame:
    """Return, for every table on kernel values in float32, what float64 would change.

    Columns ``document``, ``experiment``, ``comparisons`` (predictions of one run) and
    ``differences``.  ``arguments`` go to the experiments: ``data``, ``runs``, ``seed``.
    """
    parts = []
    for made in (e for e in experiments() if e.name == "precision"):
        data = arguments.get("data", {}).get(made.data)
        ours = made(data, **{k: v for k, v in arguments.items() if k != "data"})
        wide = ours.pivot(index="row", columns="quantity", values="value").loc[
            list(dict.fromkeys(ours["row"]))
        ]
        counts = wide[["comparisons", "differences"]].astype(int).reset_index(names="experiment")
        counts.columns.name = None
        counts.insert(0, "document", made.document)
        parts.append(counts)
    return pd.concat(parts, ignore_index=True)
