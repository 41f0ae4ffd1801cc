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
    "winnow",
)
# Learner parameters that the command line sets; several values are tried one after the other.
HYPERPARAMETERS: dict[str, tuple[type, str]] = {
    "lam": (float, "regularisation of Pegasos"),
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
}
EXAMPLES = """examples:
  kernlib train perceptron perceptron.model
  kernlib train pegasos pegasos.model --lam 0.1
  kernlib train pegasos digits.model --data usps --lam 0.0001 0.001 --output suffix
  kernlib run perceptron.model
  kernlib predict perceptron.model new.csv --output labels.csv
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
    _add_run(commands)
    _add_predict(commands)
    _add_data(commands)
    return parser


def _add_command(commands: Any, name: str, text: str) -> Any:
    command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(command=name, parser=command)
    return command


def _add_train(commands: Any) -> None:
    text = "fit a predictor and store it; tune it first if no parameters are given"
    command = _add_command(commands, "train", text)
    command.add_argument("algorithm", choices=ALGORITHMS, metavar="ALGORITHM",
                         help=", ".join(ALGORITHMS))  # fmt: skip
    command.add_argument("model", metavar="MODEL", help="file to write")
    _add_data_options(command, default="milan")
    command.add_argument("--preprocess", default="standardize",
                         choices=("none", "normalize", "standardize"))  # fmt: skip
    command.add_argument("--remove-outliers", action="store_true",
                         help="drop training rows with a feature 3 deviations away")  # fmt: skip
    command.add_argument("--degree", type=int, default=2, help="of the feature expansion")
    command.add_argument("--distinct", action="store_true",
                         help="expand without repeated columns (66 instead of 77)")  # fmt: skip
    command.add_argument("--seed", type=int, default=31415, help="of split and draws")
    command.add_argument("--verbose", action="store_true", help="say what happens on the way")
    command.set_defaults(hyperparameters=tuple(HYPERPARAMETERS))
    group = command.add_argument_group("parameters (several values are tried)")
    for name, (kind, meaning) in HYPERPARAMETERS.items():
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


def _add_data_options(command: Any, default: str | None) -> None:
    known = "milan, usps, mnist or a CSV file"
    command.add_argument(
        "--data", default=default, help=f"{known} (default: {default or 'stored'})"
    )
    command.add_argument("--target", help="label column of a CSV file (default: y, label, target)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line on ``argv`` (default: the process arguments); return the exit code."""
    parser = build_parser()
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
        print("kernlib: stopped; nothing was written", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output left, as `head` does
        sys.stderr.close()
        return 1
    except (ValueError, TypeError, OSError, MemoryError) as error:
        print(f"kernlib: {error or type(error).__name__}", file=sys.stderr)
        return 1
