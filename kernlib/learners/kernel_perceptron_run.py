"""The kernel perceptron's loop, and the runs of all binary problems around it.

The pseudocode L1 to L7 is in the docstring of ``KernelPerceptron``.
Tests: ``tests/learners/test_kernel_perceptron.py``.
"""

import numpy as np

from kernlib._jit import add_row, jit
from kernlib.gram import Gram
from kernlib.learners.base import binary_problems
from kernlib.learners.kernel_blocks import BlockedEpoch
from kernlib.learners.kernel_history import History
from kernlib.learners.kernel_lazy import LazyEpochs


@jit
def kernel_perceptron_loop(G, codes, labels, order, f, a, seen, log):
    """Run one epoch of all binary problems over ``order``, updating ``f`` and ``a``.

    ``labels[c, k]`` is the label of class c in problem k, 0 for "not in it" or "stopped".  Mistakes
    go to ``log``: example, problem, how many examples it has seen; returns how many there are.
    """
    n_mistakes = 0
    for i in order:  # L3
        for k in range(len(f)):
            y = labels[codes[i], k]
            if y == 0:
                continue
            seen[k] += 1
            if y * f[k, i] <= 0.0:  # L4
                a[k, i] += y  # L5
                add_row(G, i, y, f[k])  # L6
                log[n_mistakes, 0], log[n_mistakes, 1], log[n_mistakes, 2] = i, k, seen[k]
                n_mistakes += 1
    return n_mistakes


class Runs:
    """All binary problems on their way: their coefficients, running scores and mistakes."""

    def __init__(
        self, gram: Gram, codes: np.ndarray, rows: np.ndarray, multi_class: str, lazy: bool
    ) -> None:
        n_classes = int(codes.max()) + 1
        problems = binary_problems(np.arange(n_classes), n_classes, multi_class)
        self.gram, self.codes, self.rows = gram, codes, rows
        self.labels = np.array(problems).T.copy()  # of each class, in each problem
        self.active = self.labels.copy()  # the same, but 0 for a problem that has stopped
        self.a, self.f = np.zeros((2, len(problems), len(gram)))  # L1
        self.history = History(codes, self.labels)
        self.best_a, self.best_f = np.zeros((2, 0, 0))
        self.lazy = None
        if lazy:
            self.lazy = LazyEpochs(kernel_perceptron_loop, gram, rows, codes, self.labels)
        self.best_errors = np.full(len(problems), np.inf)

    def epoch(self, visits: np.ndarray, full: bool) -> bool:
        """Go once through ``visits``; return whether a problem goes on, not clean yet."""
        running = np.any(self.active, axis=0)
        if self.lazy is not None:
            log = self.lazy.run(self.active, self.history.seen, self.a)
            self.f[:, visits] = self.lazy.scores()
        elif self.gram.matrix is None:
            epoch = BlockedEpoch(
                kernel_perceptron_loop, self.gram, visits, self.codes[visits], self.active,
                self.f[:, visits], self.history.seen, full,
            )  # fmt: skip
            change, log = epoch.run()
            self.a[:, visits] += change
            self.f[:, visits] = epoch.f
        else:
            log = np.empty((len(visits) * len(self.a), 3), dtype=np.int64)
            n = kernel_perceptron_loop(
                self.gram.matrix, self.codes, self.active, visits,
                self.f, self.a, self.history.seen, log,
            )  # fmt: skip
            log = log[:n].copy()
        mistakes = self.history.add_epoch(log, running)
        self.active[:, mistakes == 0] = 0
        return bool(np.any(self.active))

    def remember_best(self) -> None:
        """Copy the predictors that no earlier epoch ended with as small a training error."""
        if self.lazy is not None:
            self.lazy.catch_up()
            self.f[:, self.rows] = self.lazy.scores()
        y = self.labels[self.codes[self.rows]].T
        wrong = ((self.f[:, self.rows] > 0) != (y > 0)) & (y != 0)
        errors = np.count_nonzero(wrong, axis=1)
        better = errors < self.best_errors
        if len(self.best_a) == 0:
            self.best_a, self.best_f = np.empty_like(self.a), np.empty_like(self.f)
        self.best_a[better], self.best_f[better] = self.a[better], self.f[better]
        self.best_errors[better] = errors[better]
