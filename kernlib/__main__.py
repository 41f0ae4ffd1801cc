"""Run the command line as ``python -m kernlib``."""

import sys

from kernlib.cli import main

if __name__ == "__main__":
    sys.exit(main())
