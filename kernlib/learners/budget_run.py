r"""The loop of the perceptron on a budget, and a run of it: on a Gram matrix, or in blocks.

Update, when :math:`y f_k(x) \le 0`: :math:`f_k \leftarrow f_k + y K(x, \cdot)`, then a removal if
the budget is exceeded; the pseudocode L1 to L9 is in the docstring of ``BudgetPerceptron``.
With a Gram matrix the loop runs on it.  Without one, in a stream or above ``max_memory``, the
examples come in blocks: a block and the stored points have a small Gram matrix of their own, on
which the same loop runs; afterwards only the points that are still stored are kept.
Tests: ``tests/learners/test_budget.py``.
"""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from kernlib._jit import jit
from kernlib.gram import Gram
from kernlib.kernels import Block, Kernel
from kernlib.learners.budget_policies import (
    MARGIN,
    OLDEST,
    PROJECT,
    RANDOM,
    Cache,
    enter,
    enter_or_project,
    largest_margin,
    new_cache,
    read_scores,
    remove,
    settle,
    shrink_for_oldest,
    with_room,
)
from kernlib.learners.sampling import _uniform

BLOCK = 256  # examples in a block, or as many as there are stored points


class Values(NamedTuple):
    """How the kernel's values in a stream are computed, and why so."""

    kernel: Kernel
    dtype: Any
    note: str


def stream_values(kernel: Kernel, gram_dtype: str, X: Any) -> Values:
    """Return how to compute the values in a stream that begins with X."""
    if gram_dtype == "auto":
        note = "whether float32 suits the rest of a stream is not known"
        return Values(kernel.resolved(X), np.dtype(np.float64), note)
    return Values(kernel.resolved(X), np.dtype(gram_dtype), f"{gram_dtype} was asked for")


@dataclass
class Stored:
    """The points of the entries, each once; its arrays are replaced, never changed."""

    numbers: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    rows: Any = None  # of X, in the order of the numbers
    values: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))  # K on their pairs

    def places(self, numbers: np.ndarray) -> np.ndarray:
        """Return where these points are among the stored ones, new ones behind them."""
        order = np.argsort(self.numbers)
        found = np.searchsorted(self.numbers, numbers, sorter=order)
        places = np.append(order, -1)[found]
        known = np.append(self.numbers, -1)[places] == numbers
        n_new = len(numbers) - np.count_nonzero(known)
        places[~known] = len(self.numbers) + np.arange(n_new)
        return places

    def joined(self, X: Any, kernel: Kernel, dtype: Any) -> tuple[Any, np.ndarray]:
        """Return the stored rows and those of ``X``, and the kernel's values on their pairs."""
        m = len(self.numbers)
        rows = X if m == 0 else _stacked(self.rows, X)
        Z = rows.astype(dtype, copy=False)
        K = np.empty((Z.shape[0], Z.shape[0]), dtype=dtype)
        K[:m, :m] = self.values
        if len(K) > m:
            K[m:] = kernel.of(Block(Z[m:], Z))
            K[:m, m:] = K[m:, :m].T
            new = np.arange(m, len(K))
            K[new, new] = kernel.diag(Z[m:])
        return rows, K


def refuse_infinite(values: np.ndarray) -> None:
    """Refuse kernel values, or sums of them, that have overflowed."""
    # A comparison with NaN is false, and would pass for "no mistake".
    if not np.all(np.isfinite(values)):
        raise ValueError(
            f"BudgetPerceptron expected kernel values whose sums fit into {values.dtype}, but they "
            "overflow: the features are too large. Scale the data, for example with "
            "sklearn.preprocessing.StandardScaler, or lower the degree."
        )


def _stacked(above: Any, below: Any) -> Any:
    if not sparse.issparse(above):
        return np.vstack([above, below.toarray() if sparse.issparse(below) else below])
    return sparse.vstack([above, below], format="csr", dtype=np.result_type(above, below))


@jit
def _budget_loop(K, diag, visits, target, draws, policy, budget, tolerance, f, cache):
    """Go through ``visits``, points of K; change the scores ``f`` and the cache.

    ``target[v]`` is the class of visit v (two classes: 0 for the second, -1 for the first).
    The uniform numbers ``draws[v, k]`` decide who makes room for (v, k).
    """
    for v, t in enumerate(visits):  # L2
        if policy == PROJECT:
            read_scores(K, t, f, cache)
        for k in range(len(f)):  # L3
            y = 1.0 if target[v] == k else -1.0
            if y * f[k, t] > 0.0:  # L4
                continue
            cache.mistakes[k] += 1
            if policy == PROJECT:
                enter_or_project(K, t, k, y, budget, tolerance, cache)  # L5
                continue
            enter(K, t, k, y, policy != OLDEST, f, cache)  # L6
            if cache.size[0] > budget:  # L7
                if policy == MARGIN:
                    s = largest_margin(diag, f, cache)  # L8
                elif policy == OLDEST:
                    s = shrink_for_oldest(f, cache)
                else:
                    s = int(draws[v, k] * budget)
                remove(K, s, f, cache)  # L9
    settle(f, cache)


@dataclass
class BudgetRun:
    """All classes of a perceptron on a budget."""

    policy: int
    budget: int
    state: np.ndarray  # where the random numbers come from
    cache: Cache
    stored: Stored = field(default_factory=Stored)
    seen: int = 0  # examples; the number of the next one in the stream

    def copy(self) -> "BudgetRun":
        """Return a run that goes on without changing this one."""
        cache = Cache(*(array.copy() for array in self.cache))
        return replace(self, state=self.state.copy(), cache=cache)

    def visit(
        self,
        K: np.ndarray,
        visits: np.ndarray,
        target: np.ndarray,
        f: np.ndarray,
    ) -> None:
        """Run the loop over ``visits``, points of the Gram matrix K with classes ``target``."""
        self.cache = with_room(self.cache, self.policy, self.budget, len(visits))
        draws = np.empty((len(visits) if self.policy == RANDOM else 0, len(f)))
        with np.errstate(over="ignore"):  # the generator's sums wrap around; plain Python warns
            _uniform(self.state, draws.reshape(-1))
        diag = np.diagonal(K).astype(np.float64)
        tolerance = float(np.finfo(K.dtype).eps) ** (2 / 3)
        _budget_loop(
            K, diag, visits, target, draws, self.policy, self.budget, tolerance, f, self.cache
        )

    def stream(
        self,
        X: Any,
        visits: np.ndarray,
        numbers: np.ndarray,
        target: np.ndarray,
        values: Values | Gram,
        max_memory: float,
    ) -> None:
        """Run the loop over the rows ``visits`` of X, known by ``numbers``, block by block."""
        start = 0
        while start < len(visits):
            m = len(self.stored.numbers)
            side = int(np.sqrt(max_memory * 2**20 / np.dtype(values.dtype).itemsize))
            part = slice(start, start + max(BLOCK, min(m, side - m)))
            self._block(X, visits[part], numbers[part], target[part], values)
            start = part.stop

    def _block(
        self,
        X: Any,
        visits: np.ndarray,
        numbers: np.ndarray,
        target: np.ndarray,
        values: Values | Gram,
    ) -> None:
        places = self.stored.places(numbers)
        m = len(self.stored.numbers)
        new = places >= m
        rows, K = self.stored.joined(X[visits[new]], values.kernel, values.dtype)
        refuse_infinite(K[m:])
        # The Projectron computes the scores itself.
        f = self.coef(m) @ K[:m] if self.policy != PROJECT else np.zeros((self.n_problems, len(K)))
        before = int(self.cache.mistakes.sum())
        self.visit(K, places, target, f)
        if self.cache.mistakes.sum() > before:
            self.keep(np.append(self.stored.numbers, numbers[new]), rows, K)

    def keep(self, numbers: np.ndarray, rows: Any, K: np.ndarray) -> None:
        """Keep, of the points of K, those that are stored."""
        point = self.cache.point[: self.n_entries]
        used = np.unique(point)
        point[:] = np.searchsorted(used, point)
        self.stored = Stored(numbers[used], rows[used], K[np.ix_(used, used)])

    @property
    def n_entries(self) -> int:
        """How many (point, class) pairs are stored."""
        return int(self.cache.size[0])

    @property
    def n_problems(self) -> int:
        """The number of binary problems: of classes, or 1 for two classes."""
        return len(self.cache.held)

    def coef(self, n_points: int) -> np.ndarray:
        """Return the coefficients on the points of the Gram matrix, (n_problems, n_points)."""
        coef = np.zeros((self.n_problems, n_points))
        s = slice(self.n_entries)
        np.add.at(coef, (self.cache.klass[s], self.cache.point[s]), self.cache.alpha[s])
        return coef


def new_run(policy: int, budget: int, state: np.ndarray, n_problems: int) -> BudgetRun:
    """Return a run that has seen nothing."""
    return BudgetRun(policy, budget, state, new_cache(n_problems))
