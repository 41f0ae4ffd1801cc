r"""The kernel perceptron: give a misclassified example a kernel term of its own.

Update, when :math:`y_i f(x_i) \le 0`: :math:`f \leftarrow f + y_i K(x_i, \cdot)`.
Chapter: ``book/kernel_perceptron.md``.  Tests: ``tests/learners/test_kernel_perceptron.py``.
"""

from typing import Any

import numpy as np
from sklearn.callback import with_callbacks

from kernlib._checks import check_flag, check_number, check_option
from kernlib.gram import Gram, Pairs
from kernlib.kernels import as_kernel
from kernlib.learners.base import all_or_nothing
from kernlib.learners.kernel_base import KernelLearner, Reporter, Solution
from kernlib.learners.kernel_history import VotedSolution
from kernlib.learners.kernel_lazy import FEWEST
from kernlib.learners.kernel_perceptron_run import Runs
from kernlib.learners.perceptron import PREDICTORS
from kernlib.learners.sampling import VisitingOrder, streams


class KernelPerceptron(KernelLearner):
    r"""The kernel perceptron and its averaged, voted and best-epoch variants.

    No intercept: add a constant to the kernel, as ``Polynomial(degree=1)`` adds 1 to the linear.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        A kernel object, its name, or a function of two matrices; see ``kernlib.kernels``.
    max_iter : int, default=5
        The largest number of epochs.  A binary problem stops earlier, after an epoch
        without a mistake.
    predictor : {"last", "average", "voted", "best"}, default="last"
        What to predict with: the final f; the mean of f after every example until the stop;
        the vote :math:`\sum_k c_k \operatorname{sgn} f_k(x) / \sum_k c_k`, where
        :math:`f_k` survived :math:`c_k` examples; the f at the end of the epoch with the
        smallest training error (the earliest of equals).
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one class against the rest, or each pair of classes by
        majority vote, ties going to the larger sum of scores.  Each binary problem runs, stops
        and picks its best epoch by itself.
    shuffle : bool, default=False
        Visit the examples in a new random order each epoch, else in the given order.
    random_state : int, RandomState instance or None, default=None
        Decides the orders when ``shuffle`` is true.
    gram_dtype : {"auto", "float32", "float64"}, default="auto"
        Of the kernel's values; ``"auto"`` takes float32 where it is accurate enough.  Given as
        ``"float32"``, prediction runs in it too, at twice the speed.
    max_memory : float, default=2048
        The largest Gram matrix, in MiB.  Above it the same algorithm computes kernel values in
        blocks, of the mistakes and the examples that come after them.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        The examples on which a problem erred.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Their rows of X: the model holds rows of its training data.
    dual_coef_ : ndarray of shape (n_problems, n_SV)
        Coefficients; not there with ``predictor="voted"``, which is no sum of kernel terms.
    intercept_ : ndarray of shape (n_problems,)
        Zeros.
    n_support_ : ndarray of shape (n_problems,)
        Support vectors of each problem.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_iter_ : ndarray of shape (n_problems,)
        Epochs run, a final clean one included.
    n_mistakes_ : ndarray of shape (n_problems,)
        Updates made.
    mistakes_per_epoch_ : list of ndarray
        For each problem the mistakes of each epoch.
    kernel_ : Kernel
        The kernel, with parameters that depend on the data replaced by numbers.
    gram_dtype_, gram_note_ : str
        How the kernel's values were computed, and why.
    multi_class_ : {"ovr", "ovo"}
        How the classes were split when it was fitted.
    votes_ : list of tuple
        Only with ``predictor="voted"``: for each problem the places of its mistakes in
        ``support_``, their signs and the survival times :math:`c_k`.

    Notes
    -----
    ::

        L1  a = 0, f = 0
        L2  repeat until an epoch makes no mistake, at most max_iter times:
        L3      for i in order:
        L4          if y_i f(x_i) <= 0:
        L5              a_i = a_i + y_i
        L6              f = f + y_i K(x_i, .)
        L7  return a

    f is kept on all points: an example costs O(1) unless it is a mistake.  The maths is the
    perceptron's in the kernel's feature space [1]_: at most :math:`\|u\|^2 \max_i K(x_i, x_i)`
    mistakes for every u there with :math:`y_i \langle u, \phi(x_i)\rangle \ge 1` [2]_.  Voting
    and averaging are from [3]_.

    References
    ----------
    .. [1] M. A. Aizerman, E. M. Braverman, L. I. Rozonoer (1964). Theoretical foundations of
       the potential function method in pattern recognition learning. Automation and Remote
       Control 25.
    .. [2] A. B. J. Novikoff (1962). On convergence proofs on perceptrons. Symposium on the
       Mathematical Theory of Automata.
    .. [3] Y. Freund, R. E. Schapire (1999). Large margin classification using the perceptron
       algorithm. Machine Learning 37(3), Figure 1 and section 3.3.

    Examples
    --------
    >>> from kernlib import KernelPerceptron
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]  # no line separates them
    >>> KernelPerceptron(kernel="poly", max_iter=20).fit(X, y).predict(X)
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        max_iter: int = 5,
        predictor: str = "last",
        multi_class: str = "ovr",
        shuffle: bool = False,
        random_state: Any = None,
        gram_dtype: str = "auto",
        max_memory: float = 2048,
    ) -> None:
        self.kernel = kernel
        self.max_iter = max_iter
        self.predictor = predictor
        self.multi_class = multi_class
        self.shuffle = shuffle
        self.random_state = random_state
        self.gram_dtype = gram_dtype
        self.max_memory = max_memory

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any) -> "KernelPerceptron":
        """Fit on ``X`` (n_samples, n_features), dense or CSR, and labels ``y``; return self."""
        for name in ("dual_coef_", "votes_"):  # of an earlier fit with other options
            self.__dict__.pop(name, None)
        return self._fit(X, y)

    def _n_subtasks(self) -> int:
        return self.max_iter

    def _solve(
        self,
        gram: Gram,
        codes: np.ndarray,
        rows: np.ndarray,
        reporter: Reporter,
        sample_weight: np.ndarray | None = None,
    ) -> Solution:
        """Fit on ``rows``, which are in visiting order."""
        sampling = "reshuffle" if self.shuffle else "cyclic"
        order = VisitingOrder(np.arange(len(rows)), sampling, streams(self.random_state, 1)[0])
        lazy = gram.matrix is None and self._keeps_rows(len(rows), gram.dtype.itemsize)
        runs = Runs(gram, codes, rows, self.multi_class, lazy)
        for epoch in range(1, self.max_iter + 1):  # L2
            reporter.begin(f"epoch {epoch}")
            full = epoch < self.max_iter or self.predictor == "best"
            goes_on = runs.epoch(rows[order.take(len(rows))], full)
            if self.predictor == "best":
                runs.remember_best()
            stop = reporter.end(lambda: self._solution(runs))
            if stop or not goes_on:
                break
        return self._solution(runs)  # L7

    def _keeps_rows(self, n: int, itemsize: int) -> bool:
        """Tell whether to compute the rows of support vectors, and keep them."""
        # In another order each epoch, a block would hold other points each time.
        fits = n * n * itemsize <= self.max_memory * 2**20  # should all become support vectors
        return n >= FEWEST and fits and not self.shuffle

    def _gram(self, X: Any) -> Gram:
        kernel, pairs = as_kernel(self.kernel), Pairs(X)
        gram = Gram(kernel, pairs, dtype=self.gram_dtype, max_memory=0)
        if gram.matrix is not None or self._keeps_rows(len(gram), gram.dtype.itemsize):
            return gram
        return Gram(kernel, pairs, dtype=self.gram_dtype, max_memory=self.max_memory)

    def _solution(self, runs: Runs) -> Solution:
        """Return the chosen predictors, as if the runs stopped here."""
        self._refuse_overflow(runs.f)
        mistakes = runs.history.per_epoch()
        fitted = {
            "mistakes_per_epoch_": mistakes,
            "n_mistakes_": np.array([counts.sum() for counts in mistakes]),
            "n_iter_": runs.history.n_iter.copy(),
        }
        intercept = np.zeros(len(runs.a))
        if self.predictor == "voted":
            solution = VotedSolution(runs.a, intercept, None, fitted)
            fitted["votes_"] = solution.votes = runs.history.votes(solution.support())
            return solution
        if self.predictor == "average":
            return Solution(runs.history.average(), intercept, None, fitted)
        best = self.predictor == "best"
        a, f = (runs.best_a, runs.best_f) if best else (runs.a, runs.f)
        # Without a matrix the scores stop where no later visit needs them.
        return Solution(a, intercept, f if runs.gram.matrix is not None else None, fitted)

    def _refuse_overflow(self, scores: np.ndarray) -> None:
        # Once infinite or NaN, a score stays so; its comparisons would pass for "no mistake".
        if not np.all(np.isfinite(scores)):
            raise ValueError(
                f"{type(self).__name__} expected sums of kernel values that fit into float64, but "
                "they overflow: the kernel's values are too large. Scale the data, for example "
                "with sklearn.preprocessing.StandardScaler, or lower the degree."
            )

    def _fitted(self, X: Any, gram: Gram, solution: Solution) -> dict[str, Any]:
        fitted = super()._fitted(X, gram, solution)
        if self.predictor == "voted":
            del fitted["dual_coef_"]
        return fitted

    def _value_scores(self, K: np.ndarray) -> np.ndarray:
        if "votes_" in vars(self):
            return np.column_stack([votes.share(K) for votes in self.votes_])
        return super()._value_scores(K)

    def __getattr__(self, name: str) -> Any:
        if name == "dual_coef_" and "votes_" in vars(self):
            raise AttributeError(
                f"A voted perceptron has no {name}: its vote over {int(self.n_mistakes_.sum())} "
                "predictors is no sum of kernel terms. Use predictor='average' for a relative "
                "that is, or look at votes_."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _check_parameters(self) -> None:
        self._check_kernel_parameters()
        hint = "Typical values: 5 to 100."
        check_number("max_iter", self.max_iter, minimum=1, integer=True, hint=hint)
        check_option("predictor", self.predictor, PREDICTORS)
        check_option("multi_class", self.multi_class, ("ovr", "ovo"))
        check_flag("shuffle", self.shuffle)
