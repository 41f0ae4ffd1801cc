"""What the documents say in prose, each statement tested.

Every line of a document's claims gets one of

- *holds* / *does not hold*: an experiment of ours decides;
- *used*: a setting of the protocol (a grid, a number of runs) that our experiments follow;
- *not testable*: with the reason.

Tests: ``tests/replication/test_claims.py``.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from kernlib.replication import published

OUTCOMES = ("holds", "does not hold", "used", "not testable")


@dataclass(frozen=True)
class Finding:
    """What came of testing a claim: whether it holds, and the numbers that show it."""

    holds: bool
    evidence: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Claim:
    outcome: str  # "used", "not testable", or "" for one that a function decides
    reason: str
    decide: Callable[..., Finding] | None = None
    tables: tuple[Any, ...] = ()  # the experiments whose tables it needs


REGISTRY: dict[tuple[str, str], _Claim] = {}


def document_of(module: str) -> str:
    """Return the document that a module of ``kernlib.replication`` is about."""
    return module.split(".")[2] if module.startswith("kernlib.replication.") else module


def claim(
    *ids: str, tables: tuple[Any, ...] = ()
) -> Callable[[Callable[..., Finding]], Callable[..., Finding]]:
    """Let a function decide claims, from the tables of some experiments.

    It is called with these tables, in order; its docstring says how it decides.
    """

    def register(decide: Callable[..., Finding]) -> Callable[..., Finding]:
        reason = (decide.__doc__ or "").strip().split("\n", 1)[0]
        for name in ids:
            _add(document_of(decide.__module__), name, _Claim("", reason, decide, tables))
        return decide

    return register


def used(document: str, reasons: Mapping[str, str]) -> None:
    """Register claims that are settings of the protocol; each reason says where it is used."""
    for name, reason in reasons.items():
        _add(document, name, _Claim("used", reason))


def not_testable(document: str, reasons: Mapping[str, str]) -> None:
    """Register claims that nothing here can decide, with the reason."""
    for name, reason in reasons.items():
        _add(document, name, _Claim("not testable", reason))


def _add(document: str, name: str, made: _Claim) -> None:
    if (document, name) in REGISTRY:
        raise ValueError(f"claim {name} of {document} is registered twice. Remove one.")
    REGISTRY[document, name] = made


def findings(
    document: str, *, only: Collection[str] | None = None, **arguments: Any
) -> pd.DataFrame:
    """Return every claim of a document with its outcome, the evidence and the reason.

    ``only`` names those that are wanted; ``arguments`` go to the experiments: ``runs``, ``seed``,
    or ``data`` for those of its kind.
    """
    printed = published.claims(document)
    unknown = sorted(set(only or ()) - set(printed["id"]))
    if unknown:
        raise ValueError(f"{document} has no claim {', '.join(unknown)}. See its claims table.")
    if only is not None:
        printed = printed[printed["id"].isin(list(only))]
    found: dict[int, pd.DataFrame] = {}  # many claims are about the same table

    def computed(table: Any) -> pd.DataFrame:
        if id(table) not in found:
            found[id(table)] = table(**_suited(table, arguments))
        return found[id(table)]

    return pd.DataFrame(_decided(document, line, computed) for line in printed.to_dict("records"))


def _decided(
    document: str, line: dict[Any, Any], computed: Callable[[Any], pd.DataFrame]
) -> dict[str, Any]:
    made = REGISTRY.get((document, line["id"]))
    if made is None:
        raise ValueError(f"claim {line['id']} of {document} is not dealt with. Register it.")
    outcome, evidence, twin = made.outcome, {}, False
    if made.decide is not None:
        tables = [computed(table) for table in made.tables]
        finding = made.decide(*tables)
        outcome = "holds" if finding.holds else "does not hold"
        evidence = dict(finding.evidence)
        twin = any(table.attrs.get("twin", False) for table in tables)
    return {
        "document": document,
        "id": line["id"],
        "section": line["section"],
        "claim": line["claim"],
        "stated": line["value"],
        "outcome": outcome,
        "evidence": "; ".join(f"{k} = {_text(v)}" for k, v in evidence.items()),
        "reason": made.reason,
        "twin": twin,
    }


def _suited(table: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for one experiment: data only if it is of the experiment's kind."""
    chosen = {name: value for name, value in arguments.items() if name in ("runs", "seed")}
    data = arguments.get("data", {}).get(table.data)
    return chosen if data is None else chosen | {"data": data}


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"
