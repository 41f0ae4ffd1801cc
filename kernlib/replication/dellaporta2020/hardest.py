"""Document 5, figure 6: the five digits that are misclassified most often.

Tests: ``tests/replication/test_dellaporta2020.py``.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from kernlib.gram import Gram
from kernlib.replication.dellaporta2020.common import Digits, in_threads, line, polynomials
from kernlib.replication.dellaporta2020.perceptrons import one_vs_rest
from kernlib.replication.engine import experiment, seeds, tidy
from kernlib.replication.verdicts import AS_PRINTED

HARDEST_RUNS, HARDEST_FOLDS, N_HARDEST = 40, 10, 5
HARDEST_DEGREES = ("5", "6", "7")


def _mistakes(gram: Gram, codes: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return which digits are wrong when their fold is held out; the folds are random."""
    wrong = np.zeros(len(codes), dtype=np.int64)
    for train, held in KFold(HARDEST_FOLDS).split(order):
        points = order[held]
        labels = one_vs_rest(gram, codes, order[train], points)[AS_PRINTED]
        wrong[points] = labels != codes[points]
    return wrong


@experiment("figure 6", data="usps", runs=HARDEST_RUNS)
def hardest_digits(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """The digits with the most mistakes over 10 folds, degrees 5 to 7 and all runs.

    ``file_row`` is the digit's place in the data; ``share`` how often it was wrong.
    """
    digits = Digits.of(data)
    n = len(digits.codes)
    orders = [np.random.default_rng(stream).permutation(n) for stream in seeds(seed, runs)]
    tally = np.zeros((runs, n), dtype=np.int64)
    for degree in HARDEST_DEGREES:
        gram = digits.gram(polynomials()[degree])
        tally += in_threads(lambda o, g=gram: _mistakes(g, digits.codes, o), orders)
        del gram
    total = tally.sum(axis=0)
    order = np.argsort(-total, kind="stable")
    shares = total / (runs * len(HARDEST_DEGREES))
    rows = [
        line(f"hardest {place}", quantity, value)
        for place, i in enumerate(order[:N_HARDEST], start=1)
        for quantity, value in (("file_row", i), ("label", data.target[i]), ("share", shares[i]))
    ]
    rows += [
        line("all digits", "always wrong", np.count_nonzero(shares == 1)),
        line("all digits", "ever wrong", np.count_nonzero(shares)),
        line("all digits", "mean share", shares.mean()),
    ]
    return tidy(rows)
