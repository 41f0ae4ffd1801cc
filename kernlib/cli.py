"""The command line: what it takes.  What it does is in ``commands.py``.

Exit codes: 0 success, 1 a command failed, 2 wrong usage.  Nothing heavy is imported before a
command runs, so that ``kernlib --help`` stays instant.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from kernlib import __version__

# The keys of kernlib.training.ALGORITHMS, which is not imported for --help (a test compares).
ALGORITHMS = (
    "perceptron",
    "pegasos",
    "logistic-regression",
    "feature-expanded-perceptron",
    "feature-expanded-pegasos",
    "feature-expanded-logistic-regression",
    "kernelized-perceptron",
    "kernelized-pegasos",
    "winnow",
    "budget-perceptron",
    "kernel-svm",
)
# Learner parameters that the command line sets; several values are tried one after the other.
HYPERPARAMETERS: dict[str, tuple[type, str]] = {
    "lam": (float, "regularisation of Pegasos and of the kernel SVM"),
    "n_steps": (int, "steps of Pegasos"),
    "batch_size": (int, "examples in a Pegasos step"),
    "sampling": (str, "replacement, permutation, reshuffle or cyclic"),
    "output": (str, "last, average or suffix"),
    "class_weight": (str, "balanced"),
    "max_iter": (int, "epochs of the perceptron and Winnow"),
    "predictor": (str, "last, average, voted or best"),
    "multi_class": (str, "ovr, ovo or (Pegasos) crammer_singer"),
    "alpha": (float, "Winnow's factor"),
    "binarize": (float, "Winnow: a feature is on above this number"),
    "C": (float, "weight of the kernel SVM's losses"),
    "budget": (int, "examples that a budget perceptron stores"),
    "policy": (str, "whom it removes: margin, oldest, random or project"),
}
KERNEL_OPTIONS: dict[str, tuple[type, str]] = {
    "kernel": (str, "linear, poly, rbf, exponential, laplacian or squared_l1"),
    "kernel_degree": (int, "of a polynomial kernel"),
    "coef0": (float, "constant of a polynomial kernel"),
    "gamma": (float, "of the other kernels"),
}
EXAMPLES = """examples:
  kernlib train perceptron perceptron.model
  kernlib train pegasos pegasos.model --lam 0.1
  kernlib train kernelized-perceptron digits.model --data usps --kernel poly --kernel-degree 3 5
  kernlib train pegasos digits.model --data usps --lam 0.0001 0.001 --output suffix
  kernlib select pegasos --lam 0.01 0.1 1 --runs 20 --test-size 0.2 --checkpoint pegasos.jsonl
  kernlib run perceptron.model
  kernlib predict perceptron.model new.csv --output labels.csv
  kernlib replicate cologni2024 kernel_perceptron
  kernlib granularity 0.2807 --n 2000
  kernlib data"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of ``kernlib``; each command has a sub-parser."""
    parser = argparse.ArgumentParser(
        prog="kernlib",
        description="Kernelized linear predictors with readable, compiled loops.",
        epilog=f"{EXAMPLES}\n\nIn Python: from kernlib import Perceptron, Pegasos, Winnow",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_train(commands)
    _add_select(commands)
    _add_run(commands)
    _add_predict(commands)
    _add_data(commands)
    _add_replicate(commands)
    _add_granularity(commands)
    return parser


def _add_command(commands: Any, name: str, text: str) -> Any:
    command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(command=name, parser=command)
    return command


def _add_train(commands: Any) -> None:
    text = "fit a predictor and store it; tune it first if no parameters are given"
    command = _add_command(commands, "train", text)
    _add_algorithm(command)
    command.add_argument("model", metavar="MODEL", help="file to write")
    _add_data_options(command, default="milan")
    _add_preparation(command)
    _add_hyperparameters(command)


def _add_select(commands: Any) -> None:
    text = "compare parameters by cross-validation, with nothing stored but the table"
    command = _add_command(commands, "select", text)
    _add_algorithm(command)
    _add_data_options(command, default="milan")
    command.add_argument("--cv", type=_folds, default=5, help="folds, or holdout (default: 5)")
    command.add_argument("--runs", type=int, default=1, help="repetitions, shuffled anew")
    command.add_argument("--test-size", type=float, metavar="SHARE",
                         help="of the rows, to test each run's choice on")  # fmt: skip
    command.add_argument("--jobs", type=int, help="workers; -1 for all cores")
    command.add_argument("--checkpoint", metavar="FILE",
                         help="keeps finished fits; the same call then goes on")  # fmt: skip
    command.add_argument("--out", metavar="TABLE.csv", help="write one row for every fit")
    _add_preparation(command)
    _add_hyperparameters(command)


def _folds(text: str) -> int | str:
    return text if text == "holdout" else int(text)


def _add_algorithm(command: Any) -> None:
    command.add_argument("algorithm", choices=ALGORITHMS, metavar="ALGORITHM",
                         help=", ".join(ALGORITHMS))  # fmt: skip


def _add_preparation(command: Any) -> None:
    command.add_argument("--preprocess", default="standardize",
                         choices=("none", "normalize", "standardize"))  # fmt: skip
    command.add_argument("--remove-outliers", action="store_true",
                         help="drop training rows with a feature 3 deviations away")  # fmt: skip
    command.add_argument("--degree", type=int, default=2, help="of the feature expansion")
    command.add_argument("--distinct", action="store_true",
                         help="expand without repeated columns (66 instead of 77)")  # fmt: skip
    command.add_argument("--seed", type=int, default=31415, help="of split and draws")
    command.add_argument("--verbose", action="store_true", help="say what happens on the way")


def _add_hyperparameters(command: Any) -> None:
    command.set_defaults(
        hyperparameters=tuple(HYPERPARAMETERS), kernel_options=tuple(KERNEL_OPTIONS)
    )
    group = command.add_argument_group("parameters (several values are tried)")
    for name, (kind, meaning) in {**HYPERPARAMETERS, **KERNEL_OPTIONS}.items():
        option = f"--{name.replace('_', '-')}"
        group.add_argument(option, dest=name, type=kind, nargs="+", help=meaning)


def _add_run(commands: Any) -> None:
    text = "print the training and the test error of a stored predictor"
    command = _add_command(commands, "run", text)
    command.add_argument("model", metavar="MODEL", help="file written by train")
    _add_data_options(command, default=None)


def _add_predict(commands: Any) -> None:
    text = "write the predicted label of every row of a table"
    command = _add_command(commands, "predict", text)
    command.add_argument("model", metavar="MODEL", help="file written by train")
    command.add_argument("table", metavar="FILE.csv", help="the rows; a label column is ignored")
    command.add_argument("--output", metavar="FILE", help="where to write (default: print)")


def _add_data(commands: Any) -> None:
    text = "list the data sets, or add the Milan table: kernlib data add milan FILE"
    command = _add_command(commands, "data", text)
    command.add_argument("action", nargs="*", metavar="add milan FILE")


def _add_replicate(commands: Any) -> None:
    text = "repeat the documents' experiments; ours beside each published number, with a verdict"
    command = _add_command(commands, "replicate", text)
    command.add_argument("document", nargs="?", metavar="DOCUMENT",
                         help="cologni2024, mirone2023, ... (default: all)")  # fmt: skip
    command.add_argument("table", nargs="?", metavar="TABLE", help="one experiment (see --list)")
    command.add_argument("--all", action="store_true", help="all documents, as without a name")
    command.add_argument("--list", action="store_true", help="name the experiments, run none")
    command.add_argument("--runs", type=int, help="fewer or more runs than the protocol has")
    command.add_argument("--seed", type=int, default=0, help="of all runs (default: 0)")
    command.add_argument("--data", metavar="FILE", help="the Milan table, if it is not known yet")
    command.add_argument("--out", metavar="DIR", help="write the tables as CSV and JSON")
    command.add_argument("--jobs", type=int,
                         help="worker processes (default: one for each core)")  # fmt: skip
    command.add_argument("--only-compute", action="store_true",
                         help="fill the results store, print no tables")  # fmt: skip
    command.add_argument("--record", action="store_true",
                         help="keep cologni2024's results on its own table")  # fmt: skip


def _add_granularity(commands: Any) -> None:
    text = "tell whether printed error rates can be counts over so many examples"
    command = _add_command(commands, "granularity", text)
    command.add_argument("rates", nargs="+", metavar="RATE", help="as printed: 0.2807 or 2.42%%")
    command.add_argument("--n", type=int, help="examples; without it, the sizes that fit all")
    command.add_argument("--runs", type=int, default=1, help="runs behind a printed mean")
    command.add_argument("--largest", type=int, default=10_000, help="size to search up to")


def _add_data_options(command: Any, default: str | None) -> None:
    known = "milan, usps, mnist or a CSV file"
    command.add_argument(
        "--data", default=default, help=f"{known} (default: {default or 'stored'})"
    )
    command.add_argument("--target", help="label column of a CSV file (default: y, label, target)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line on ``argv`` (default: the process arguments); return the exit code."""
    parser = build_parser()
    args = argparse.Namespace()
    try:
        args = parser.parse_args(argv)
        if not hasattr(args, "command"):
            parser.print_help()
            return 0
        from kernlib import commands

        commands.run(args)
        return 0
    except SystemExit as stop:  # argparse exits by itself: 0 after --help, 2 on wrong usage
        return int(stop.code or 0)
    except KeyboardInterrupt:
        kept = getattr(args, "checkpoint", None)
        left = f"finished fits are kept in '{kept}'" if kept else "nothing was written"
        if getattr(args, "command", None) == "replicate":
            left = "finished tables are kept, and the same command goes on"
        print(f"kernlib: stopped; {left}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output left, as `head` does
        sys.stderr.close()
        return 1
    except (ValueError, TypeError, OSError, MemoryError) as error:
        print(f"kernlib: {error or type(error).__name__}", file=sys.stderr)
        return 1
