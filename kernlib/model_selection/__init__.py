"""Choosing parameters: grids, repeated splits, and one X Xᵀ shared by all that is fitted.

========================  ==================================================================
``splits.py``             which rows train, validate and test, in every run and fold
``experiment.py``         what is tried on what, and one fit alone
``shared.py``             kernel learners: all fits of a kernel on one Gram matrix
``pipelines.py``          the same for a pipeline that ends in one, split by split
``schedule.py``           the order of the work, over threads, processes or a cluster
``checkpoint.py``         finished fits kept in a file, so that a killed run goes on
``evaluation.py``         a grid on splits, as a tidy table
``search.py``             the estimator that chooses by it
========================  ==================================================================

How to: ``book/howto_scale.md``.  Tests: ``tests/test_model_selection.py``.
"""

from kernlib.model_selection.evaluation import evaluate, holdout_table, summary
from kernlib.model_selection.experiment import error_rate
from kernlib.model_selection.search import GridSearch
from kernlib.model_selection.splits import WHOLE, Split, repeated_splits

__all__ = [
    "WHOLE",
    "GridSearch",
    "Split",
    "error_rate",
    "evaluate",
    "holdout_table",
    "repeated_splits",
    "summary",
]
