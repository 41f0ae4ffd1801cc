"""The command line: prints, computes nothing itself.

Exit codes: 0 success, 1 a command failed, 2 wrong usage.  Nothing heavy is imported here; a
command imports what it needs when it runs, so that ``kernlib --help`` stays instant.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from kernlib import __version__


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of ``kernlib``; each command adds a sub-parser that sets ``run``."""
    parser = argparse.ArgumentParser(
        prog="kernlib",
        description="Kernelized linear predictors with readable, compiled loops.",
        epilog="In Python: from kernlib import Perceptron, Pegasos, Winnow",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line on ``argv`` (default: the process arguments); return the exit code."""
    parser = build_parser()
    try:
        parser.parse_args(argv)
    except SystemExit as stop:  # argparse exits by itself: 0 after --help, 2 on wrong usage
        return int(stop.code or 0)
    parser.print_help()
    return 0
