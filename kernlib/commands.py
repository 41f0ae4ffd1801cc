"""What the commands of the command line do: call the library, print what it returns."""

import argparse
import json
import sys
from typing import Any

import numpy as np
import pandas as pd

from kernlib import datasets
from kernlib._atomic import checked_target, write_atomically
from kernlib.commands_replication import granularity, replicate
from kernlib.datasets.table import load_features, load_table
from kernlib.kernels import Kernel
from kernlib.model_selection import error_rate, summary
from kernlib.persistence import load_model, save_model
from kernlib.training import (
    ALGORITHMS,
    TRAIN_SHARE,
    fingerprint,
    kernels,
    select,
    split_rows,
    train,
)


def run(args: argparse.Namespace) -> None:
    """Run the command that was parsed; an error's text is for the user."""
    commands = {"train": _train, "select": _select, "run": _run, "predict": _predict,
                "data": _data, "replicate": replicate, "granularity": granularity}  # fmt: skip
    commands[args.command](args)


def _given_parameters(args: argparse.Namespace) -> dict[str, list[Any]]:
    """Return the learner's parameters on the command line; one of another learner is an error."""
    given = {name: getattr(args, name) for name in args.hyperparameters if getattr(args, name)}
    of_kernel = {name: getattr(args, name) for name in args.kernel_options if getattr(args, name)}
    known = set(ALGORITHMS[args.algorithm].learner().get_params())
    if "kernel" in known:
        known |= set(args.kernel_options)
    strange = [name for name in [*given, *of_kernel] if name not in known]
    if strange:
        every = [*args.hyperparameters, *args.kernel_options]
        options = [f"--{n.replace('_', '-')}" for n in every if n in known]
        wrong = strange[0].replace("_", "-")
        args.parser.error(f"{args.algorithm} has no --{wrong}; it has {', '.join(options)}")
    if of_kernel:
        default = ["poly"] if "kernel_degree" in of_kernel or "coef0" in of_kernel else ["rbf"]
        names = of_kernel.pop("kernel", default)
        values = {name.removeprefix("kernel_"): v for name, v in of_kernel.items()}
        given["kernel"] = kernels(names, **values)
    return given


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as text can hold them: a kernel by its constructor."""
    return {k: str(v) if isinstance(v, Kernel) else v for k, v in parameters.items()}


def _train(args: argparse.Namespace) -> None:
    given = _given_parameters(args)
    checked_target(args.model)  # now, rather than after a long training
    table = load_table(args.data, args.target)
    _say(args, args.verbose, f"{table.name}: {table.X.shape[0]} rows, {table.X.shape[1]} features")
    _say(args, table.note, table.note)
    result = train(
        args.algorithm,
        table.X,
        table.y,
        seed=args.seed,
        parameters=given,
        progress=False if args.json else None,
        **_preparation(args),
    )
    meta = {
        "algorithm": args.algorithm,
        "parameters": _plain(result.parameters),
        "preprocess": args.preprocess,
        "remove_outliers": args.remove_outliers,
        "seed": args.seed,
        "train_share": TRAIN_SHARE,
        "data": {
            "source": table.source,
            "name": table.name,
            "target": table.target,
            "fingerprint": fingerprint(table.X, table.y),
        },
    }
    save_model(args.model, result.model, meta)
    if args.json:
        tuning = None if result.tuning is None else result.tuning.to_dict("records")
        _print_json(
            meta | {"model": args.model, "tuning": tuning,
                    "training_error": result.training_error, "test_error": result.test_error}
        )  # fmt: skip
        return
    if result.tuning is not None:
        columns = [c for c in result.tuning if c != "seconds" or args.verbose]
        print(result.tuning[columns].to_string(index=False))
        _print_chosen(result.parameters)
    if _holds_rows(result.model):
        print(f"note: '{args.model}' holds rows of its training data")
    print(f"stored '{args.model}'")
    _say(args, args.verbose, f"training error {result.training_error:g}")


def _select(args: argparse.Namespace) -> None:
    given = _given_parameters(args)
    if args.out is not None:
        checked_target(args.out)
    table = load_table(args.data, args.target)
    _say(args, args.verbose, f"{table.name}: {table.X.shape[0]} rows, {table.X.shape[1]} features")
    _say(args, table.note, table.note)
    options = {"cv": args.cv, "n_runs": args.runs, "test_size": args.test_size,
               "n_jobs": args.jobs, "checkpoint": args.checkpoint,
               "progress": False if args.json else None}  # fmt: skip
    search = select(
        args.algorithm, table.X, table.y, seed=args.seed, parameters=given, options=options,
        **_preparation(args),
    )  # fmt: skip
    if args.out is not None:
        write_atomically(args.out, search.table_.to_csv(index=False).encode())
    means = summary(search.table_)
    if args.json:
        _print_json({"algorithm": args.algorithm, "chosen": search.best_params_,
                     "summary": means.to_dict("records"),
                     "runs": search.runs_.to_dict("records")})  # fmt: skip
        return
    print(means[[c for c in means if c != "seconds" or args.verbose]].to_string(index=False))
    if args.test_size is not None:
        print(f"\n{search.runs_.to_string(index=False)}\n")
    _print_chosen(search.best_params_)
    if args.out is not None:
        print(f"wrote {len(search.table_)} fits to '{args.out}'")


def _run(args: argparse.Namespace) -> None:
    model, meta = load_model(args.model)
    about = _trained_here(meta, args.model)["data"]
    target = args.target or (about["target"] if args.data is None else None)
    table = load_table(args.data or about["source"], target)
    _say(args, table.note, table.note)
    same = fingerprint(table.X, table.y) == about["fingerprint"]
    if same:
        fit_rows, test_rows = split_rows(len(table.y), meta["seed"])
        parts = {"training": fit_rows, "test": test_rows}
    elif args.data is None:
        raise ValueError(
            f"'{args.model}' was trained on {about['name']}, expected its values again, but "
            f"{table.name} holds other ones now. Pass the data with --data, or train anew."
        )
    else:
        parts = {table.name: np.arange(len(table.y))}
    errors = {name: error_rate(model, table.X[rows], table.y[rows]) for name, rows in parts.items()}
    if args.json:
        _print_json({"model": args.model, "data": table.name, "errors": errors})
        return
    for name, error in errors.items():
        print(f"{name} error for predictor saved at '{args.model}': {error:.10g}")


def _predict(args: argparse.Namespace) -> None:
    model, meta = load_model(args.model)
    about = _trained_here(meta, args.model)["data"]
    X = load_features(args.table, model.n_features_in_, about["target"])
    labels = model.predict(X).tolist()
    if args.json:
        _print_json({"model": args.model, "predictions": labels})
        return
    text = pd.DataFrame({"prediction": labels}).to_csv(index=False)
    if args.output is None:
        print(text, end="")
    else:
        write_atomically(args.output, text.encode())
        print(f"wrote {len(labels)} predictions to '{args.output}'")


def _data(args: argparse.Namespace) -> None:
    if args.action:
        if len(args.action) != 3 or args.action[:2] != ["add", "milan"]:
            args.parser.error(f"expected nothing or: add milan FILE; got: {' '.join(args.action)}")
        kept = datasets.add_milan(args.action[2])
        print(json.dumps({"milan": str(kept)}) if args.json else f"kept a copy as '{kept}'")
        return
    rows = datasets.describe()
    if args.json:
        _print_json({"data": rows})
        return
    for row in rows:
        print(row["name"])
        for key, value in row.items():
            if key != "name":
                print(f"  {key}: {value}")


# ---------------------------------------------------------------- small things


def _preparation(args: argparse.Namespace) -> dict[str, Any]:
    return {
        "scaling": args.preprocess,
        "remove_outliers": args.remove_outliers,
        "degree": args.degree,
        "double_constant": not args.distinct,
    }


def _print_chosen(parameters: dict[str, Any]) -> None:
    if parameters:
        print("chosen:", ", ".join(f"{name}={value}" for name, value in parameters.items()))


def _trained_here(meta: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the notes of ``kernlib train``, or say that the file has none."""
    if not {"algorithm", "seed", "data"} <= meta.keys():
        raise ValueError(
            f"'{path}' holds a model but not how it was trained; expected a file written by "
            "'kernlib train'. Load it in Python with kernlib.persistence.load_model."
        )
    return meta


def _holds_rows(model: Any) -> bool:
    inner = getattr(model, "estimator_", model)
    learner = inner.named_steps["learn"] if hasattr(inner, "named_steps") else inner
    return hasattr(learner, "votes_") or hasattr(learner, "support_")


def _say(args: argparse.Namespace, condition: Any, text: str) -> None:
    """Print a remark to the error stream, where it does not disturb results."""
    if condition and not args.json:
        print(text, file=sys.stderr)


def _print_json(value: Any) -> None:
    print(json.dumps(value, default=lambda a: a.item() if hasattr(a, "item") else str(a)))
