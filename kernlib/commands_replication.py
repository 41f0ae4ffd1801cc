"""What ``kernlib replicate`` and ``kernlib granularity`` do: call the library, print its tables."""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from kernlib import datasets
from kernlib._atomic import write_atomically
from kernlib.replication import catalogue, engine, own_way, recorded, store
from kernlib.replication.granularity import always_fits, counts, fitting_sizes
from kernlib.replication.published import DOCUMENTS
from kernlib.replication.verdicts import multiple_comparisons, summary
from kernlib.replication.workers import Outcome, compute_all, expected_seconds


def replicate(args: argparse.Namespace) -> None:
    """Run experiments, print their tables in order, and the count of verdicts at the end."""
    chosen = catalogue.experiments(args.document, args.table)
    if args.list:
        _list(args, chosen)
        return
    if args.record:
        _record(args)
        return
    data = {"milan": datasets.load_milan(args.data)} if args.data else {}
    out = None if args.out is None else Path(args.out)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    failed = _compute(args, chosen, data)
    finished = [made for made in chosen if made.key not in failed]
    card = None
    if not args.only_compute:
        card = _tables(args, finished, data, out)
    said = _said(args, data, {made.document for made in chosen if made.key in failed})
    if not args.only_compute:
        _finish(args, out, card, said)
        if args.document is None and args.runs is None and not failed:
            _say_own_way(args, data, out)
    seconds = time.perf_counter() - start
    _say(args, f"{len(finished)} tables in {seconds:.0f} s, kept in '{store.folder()}'")
    if failed:
        raise ValueError(
            f"{len(failed)} of {len(chosen)} experiments failed ({', '.join(failed)}), the others "
            "are kept. The same command tries again."
        )


def _say(args: argparse.Namespace, text: str) -> None:
    if not args.json:
        print(text)


def _say_own_way(args: argparse.Namespace, data: dict[str, Any], out: Path | None) -> None:
    """Say what the documents' own way of computing would have taken."""
    estimated = own_way.estimate(data, args.seed)
    if out is not None:
        write_atomically(out / "own_way.csv", estimated.to_csv(index=False).encode())
    _say(args, own_way.summary(estimated))


def _compute(
    args: argparse.Namespace, chosen: list[engine.Experiment], data: dict[str, Any]
) -> list[str]:
    """Compute what is not in the store yet; return the names of those that failed."""
    failed = []
    # Counted in expected seconds, not in tables: that gives the time left.
    total = sum(map(expected_seconds, chosen))
    form = "{percentage:3.0f}%|{bar}| {desc} [{elapsed}<{remaining}]"
    with tqdm(total=total, bar_format=form, disable=True if args.json else None) as bar:
        number = 0

        def done(outcome: Outcome) -> None:
            nonlocal number
            number += 1
            bar.set_description_str(f"{number}/{len(chosen)} {outcome.experiment.key}")
            bar.update(expected_seconds(outcome.experiment))
            if outcome.error:
                failed.append(outcome.experiment.key)
                text = f"kernlib: {outcome.experiment.key} failed: {outcome.error}"
                bar.write(text, file=sys.stderr)

        given = {"data": data, "runs": args.runs, "seed": args.seed}
        compute_all(chosen, jobs=args.jobs, done=done, **given)
    return failed


def _tables(
    args: argparse.Namespace,
    finished: list[engine.Experiment],
    data: dict[str, Any],
    out: Path | None,
) -> pd.DataFrame | None:
    """Print the tables, which are in the store; return every published number with ours."""
    cards = []
    for made in finished:
        ours = made(data.get(made.data or ""), runs=args.runs, seed=args.seed)
        card = engine.scorecard(made, ours)
        cards.append(card)
        if out is not None:
            write_atomically(out / f"{made.key}.csv", ours.to_csv(index=False).encode())
        if not args.json:
            print(_shown(made, ours, card))
    judged = [card for card in cards if len(card)]
    return pd.concat(judged, ignore_index=True) if judged else None


def _record(args: argparse.Namespace) -> None:
    """Write down the results on the original table, which most readers do not have."""
    if args.document != recorded.DOCUMENT or args.table or args.runs or args.seed:
        args.parser.error(f"--record goes with {recorded.DOCUMENT} alone, at its full protocol")
    recorded.original()  # refused now, not after minutes of work
    failed = _compute(args, catalogue.experiments(args.document), {})
    if failed:
        raise ValueError(f"{', '.join(failed)} failed; nothing was recorded. Run it again.")
    path = recorded.record(progress=lambda all_of: tqdm(all_of, unit="table", disable=None))
    print(json.dumps({"recorded": str(path)}) if args.json else f"recorded in '{path}'")


def _said(args: argparse.Namespace, data: dict[str, Any], without: set[str]) -> pd.DataFrame | None:
    """Return what the documents' prose claims, for whole documents of which nothing failed."""
    if args.table is not None:
        return None
    documents = [args.document] if args.document else DOCUMENTS
    arguments = {"runs": args.runs, "seed": args.seed, "data": data}
    found = [catalogue.findings(d, **arguments) for d in documents if d not in without]
    return pd.concat(found, ignore_index=True) if found else None


def _finish(
    args: argparse.Namespace,
    out: Path | None,
    card: pd.DataFrame | None,
    said: pd.DataFrame | None,
) -> None:
    tables = {"scorecard": card, "claims": said}
    kept = {name: table for name, table in tables.items() if table is not None}
    if out is not None:
        for name, table in kept.items():
            write_atomically(out / f"{name}.csv", table.to_csv(index=False).encode())
            text = table.to_json(orient="records", indent=1)
            write_atomically(out / f"{name}.json", str(text).encode())
    if args.json:
        found = {name: json.loads(str(t.to_json(orient="records"))) for name, t in kept.items()}
        print(json.dumps(found))
        return
    if card is not None:
        print(summary(card).to_string())
        many = multiple_comparisons(card["p_value"])
        print(
            f"{many['comparisons']} random comparisons at 99 %: {many['failures']} fail, "
            f"{many['expected_by_chance']:.1f} would by chance; "
            f"{many['failures_after_holm']} fail with all of them taken into account"
        )
    if said is not None:
        print(pd.crosstab(said["document"], said["outcome"]).to_string())
    if out is not None:
        print(f"wrote tables to '{out}'")


def _shown(made: engine.Experiment, ours: pd.DataFrame, card: pd.DataFrame) -> str:
    """Return an experiment's table as text."""
    note = " (on the twin: the original table is not here)" if ours.attrs["twin"] else ""
    head = f"\n{made.key}: {made.title} {ours.attrs['seconds']:.1f} s{note}"
    if len(card) == 0:
        keys = ["variant", "row", "quantity"]
        means = ours.groupby(keys, sort=False)["value"].mean().reset_index()
        return f"{head}\n{means.to_string(index=False, max_rows=40)}"
    shown = pd.DataFrame(
        {
            "row": card["row"],
            "quantity": card["quantity"],
            "published": card["printed"].where(
                card["printed_std"] == "", card["printed"] + " ± " + card["printed_std"]
            ),
            "ours": [f"{m:.4g} ± {s:.2g}" for m, s in zip(card["ours"], card["se"], strict=True)],
            "verdict": card["verdict"],
        }
    )
    text = f"{head}\n{shown.to_string(index=False)}"
    return text + _recorded(made) if ours.attrs["twin"] else text


def _recorded(made: engine.Experiment) -> str:
    """Return what was found on the original table, for who has only the twin."""
    kept = recorded.read()
    rows = kept.scorecard[kept.scorecard["experiment"] == made.name]
    columns = ["row", "quantity", "printed", "ours", "se", "verdict"]
    return f"\n{kept.note}:\n{rows[columns].to_string(index=False)}"


def _list(args: argparse.Namespace, chosen: list[engine.Experiment]) -> None:
    rows = [
        {"experiment": e.key, "repeats": ", ".join(e.items), "runs": e.runs, "what": e.title}
        for e in chosen
    ]
    if args.json:
        print(json.dumps({"experiments": rows}))
    else:
        print(pd.DataFrame(rows).to_string(index=False))


def granularity(args: argparse.Namespace) -> None:
    """Say whether printed rates can be counts over n examples, or over which n they can."""
    if args.n is None:
        sizes = fitting_sizes(args.rates, largest=args.largest, runs=args.runs)
        if args.json:
            print(json.dumps({"rates": args.rates, "sizes": sizes}))
            return
        limit = max(always_fits(rate) for rate in args.rates)
        telling = [n for n in sizes if n < limit]
        more = f" and {len(telling) - 20} more" if len(telling) > 20 else ""
        print(f"up to {args.largest}: {', '.join(map(str, telling[:20])) or 'no size'}{more}")
        print(f"from {limit} on every size fits, and the test says nothing")
        return
    found = {rate: list(counts(rate, args.n, args.runs)) for rate in args.rates}
    if args.json:
        print(json.dumps({"n": args.n, "runs": args.runs, "counts": found}))
        return
    total = args.n * args.runs
    for rate, whole in found.items():
        if whole:
            several = f" to {whole[-1]}" if len(whole) > 1 else ""
            print(f"{rate}: possible, {whole[0]}{several} of {total}")
        else:
            print(f"{rate}: impossible, no whole number of {total} is printed so")
