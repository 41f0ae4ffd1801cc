r"""The perceptron: add a misclassified example to the weights, leave them alone otherwise.

Update, when :math:`y\langle w, x\rangle \le 0`: :math:`w \leftarrow w + y x`.
Chapter: ``book/perceptron.md``.  Tests: ``tests/learners/test_perceptron.py``.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils import gen_batches
from sklearn.utils.extmath import safe_sparse_dot

from kernlib._checks import check_flag, check_number, check_option
from kernlib._jit import add_row, jit, row_dot, rows_of
from kernlib.learners import products
from kernlib.learners.base import (
    LinearLearner,
    Watch,
    all_or_nothing,
    binary_problems,
    refuse_overflow,
)
from kernlib.learners.sampling import VisitingOrder, streams

PREDICTORS = ("last", "average", "voted", "best")


class Votes(NamedTuple):
    """The sequence of perceptrons of a run: w_k = sum of y_s x_s over the rows s <= k."""

    rows: Any  # the mistakes' examples, (n_mistakes, n_features), dense or CSR
    signs: np.ndarray  # their labels, +1 or -1
    bias: float  # the constant feature: 1, or 0 without an intercept
    counts: np.ndarray  # c_k, how many examples w_k survived

    def share(self, X: Any) -> np.ndarray:
        """Return the sum of c_k sgn<w_k, x> over the sum of c_k, for each row x of ``X``."""
        total = np.empty(X.shape[0], dtype=self.signs.dtype)
        block = max(1, 2**22 // len(self.signs))
        for part in gen_batches(X.shape[0], block):
            products = safe_sparse_dot(X[part], self.rows.T, dense_output=True) + self.bias
            scores = np.cumsum(products * self.signs, axis=1, dtype=np.float64)
            total[part] = np.sign(scores) @ self.counts
        return total / self.counts.sum()


@jit
def _perceptron_loop(X, y, order, bias, w, seen, mistakes, times):
    """Run one epoch over ``order``, updating ``w``; return the number of mistakes.

    ``mistakes[k]`` and ``times[k]`` receive the row of mistake k and when it was made,
    counted from the ``seen`` examples of earlier epochs.
    """
    n_mistakes = 0
    for i in order:  # L3
        seen += 1
        if y[i] * (row_dot(X, i, w) + bias * w[-1]) <= 0.0:  # L4
            add_row(X, i, y[i], w)  # L5
            w[-1] += bias * y[i]
            mistakes[n_mistakes] = i
            times[n_mistakes] = seen
            n_mistakes += 1
    return n_mistakes  # L6


@dataclass
class _Run:
    """One binary problem on its way: its weights, and the mistakes that made them."""

    y: np.ndarray  # +1, -1, or 0 for a row that is not part of the problem
    w: np.ndarray  # n_features + 1; the last is the intercept
    seen: int = 0
    done: bool = False
    mistakes: list[np.ndarray] = field(default_factory=list)  # one array an epoch
    times: list[np.ndarray] = field(default_factory=list)
    best_w: np.ndarray = field(default_factory=lambda: np.empty(0))
    best_error: float = np.inf

    def epoch(self, X: Any, order: np.ndarray, bias: float) -> None:
        """Go once through ``order``; a clean epoch ends the run."""
        order = order[self.y[order] != 0]
        mistakes, times = np.empty((2, len(order)), dtype=np.intp)
        n = _perceptron_loop(X, self.y, order, bias, self.w, self.seen, mistakes, times)
        self.seen += len(order)
        self.mistakes.append(mistakes[:n].copy())
        self.times.append(times[:n].copy())
        self.done = n == 0

    def remember_best(self, X: Any) -> None:
        """Keep a copy of ``w`` if no earlier epoch ended with as small a training error."""
        wrong = (products.scores(X, self.w[:-1]) + self.w[-1] > 0) != (self.y > 0)
        error = float(np.mean(wrong[self.y != 0]))
        if error < self.best_error:
            self.best_w, self.best_error = self.w.copy(), error

    def history(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the row of each mistake, and how many of the seen examples came after."""
        mistakes, times = np.concatenate(self.mistakes), np.concatenate(self.times)
        return mistakes, self.seen - times + 1

    def average(self, X: Any, bias: float) -> np.ndarray:
        """Return the mean of w after every example: each mistake counts from its time on."""
        mistakes, since = self.history()
        signed = np.bincount(mistakes, weights=self.y[mistakes] * since, minlength=X.shape[0])
        return np.append(products.combination(X, signed), bias * signed.sum()) / self.seen

    def votes(self, X: Any, bias: float) -> Votes:
        """Return what the vote needs: c_k is how long the w made by mistake k survived."""
        mistakes, since = self.history()
        survived = since - np.append(since[1:], 0)
        return Votes(X[mistakes], self.y[mistakes].astype(X.dtype), bias, survived)


class Perceptron(LinearLearner):
    r"""The perceptron and its averaged, voted and best-epoch variants.

    Parameters
    ----------
    max_iter : int, default=20
        The largest number of epochs.  A binary problem stops earlier, after an epoch
        without a mistake.
    predictor : {"last", "average", "voted", "best"}, default="last"
        What to predict with: the final w; the mean of w after every example until the stop;
        the vote :math:`\sum_k c_k \operatorname{sgn}\langle w_k, x\rangle / \sum_k c_k`,
        where :math:`w_k` survived :math:`c_k` examples; the w at the end of the epoch with
        the smallest training error (the earliest of equals).
    shuffle : bool, default=False
        Visit the examples in a new random order each epoch, else in the given order.
    fit_intercept : bool, default=True
        Add a constant feature 1 to the examples.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one class against the rest, or each pair of classes.
        Each binary problem runs, stops and picks its best epoch by itself.
    random_state : int, RandomState instance or None, default=None
        Decides the orders when ``shuffle`` is true.

    Attributes
    ----------
    coef_ : ndarray of shape (n_problems, n_features)
        Weights; not there with ``predictor="voted"``, which is no linear function.
    intercept_ : ndarray of shape (n_problems,)
        Weights of the constant feature.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_iter_ : ndarray of shape (n_problems,)
        Epochs run, a final clean one included.
    n_mistakes_ : ndarray of shape (n_problems,)
        Updates made.
    mistakes_per_epoch_ : list of ndarray
        For each problem the mistakes of each epoch.
    multi_class_ : {"ovr", "ovo"}
        How the classes were split when it was fitted.
    votes_ : list of tuple
        Only with ``predictor="voted"``: for each problem the rows of its mistakes, their
        signs and the survival times :math:`c_k`.  The model holds rows of its training data.

    Notes
    -----
    ::

        L1  w = 0
        L2  repeat until an epoch makes no mistake, at most max_iter times:
        L3      for i in order:
        L4          if y_i <w, x_i> <= 0:
        L5              w = w + y_i x_i
        L6  return w

    On separable data it makes at most :math:`\|u\|^2 \max_i \|x_i\|^2` mistakes for every u
    with :math:`y_i\langle u, x_i\rangle \ge 1` [2]_.  Voting and averaging are from [3]_.

    References
    ----------
    .. [1] F. Rosenblatt (1958). The perceptron: a probabilistic model for information storage
       and organization in the brain. Psychological Review 65(6).
    .. [2] A. B. J. Novikoff (1962). On convergence proofs on perceptrons. Symposium on the
       Mathematical Theory of Automata.
    .. [3] Y. Freund, R. E. Schapire (1999). Large margin classification using the perceptron
       algorithm. Machine Learning 37(3), Figure 1.

    Examples
    --------
    >>> from kernlib import Perceptron
    >>> learner = Perceptron().fit([[0, 1], [1, 0], [2, 1], [1, 2]], [1, -1, -1, 1])
    >>> learner.predict([[0, 3]]), learner.n_mistakes_
    (array([1]), array([2]))
    """

    def __init__(
        self,
        *,
        max_iter: int = 20,
        predictor: str = "last",
        shuffle: bool = False,
        fit_intercept: bool = True,
        multi_class: str = "ovr",
        random_state: Any = None,
    ) -> None:
        self.max_iter = max_iter
        self.predictor = predictor
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.random_state = random_state

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any) -> "Perceptron":
        """Fit on ``X`` (n_samples, n_features), dense or CSR, and labels ``y``; return self."""
        self._check_parameters()
        X, y, codes = self._validate(X, y)
        problems = binary_problems(codes, len(self.classes_), self.multi_class)
        runs = [_Run(problem, np.zeros(X.shape[1] + 1)) for problem in problems]  # L1
        self._run_epochs(X, y, runs)
        return self

    def _squares_entries(self) -> bool:
        return False  # products and sums may take an entry in parts

    def _run_epochs(self, X: Any, y: np.ndarray, runs: list[_Run]) -> None:
        sampling = "reshuffle" if self.shuffle else "cyclic"
        order = VisitingOrder(np.arange(X.shape[0]), sampling, streams(self.random_state, 1)[0])
        watch = Watch(self, X, y, self.max_iter, {})
        for epoch in range(1, self.max_iter + 1):  # L2
            watch.begin(f"epoch {epoch}")
            visits = order.take(X.shape[0])
            for run in runs:
                if not run.done:
                    run.epoch(rows_of(X), visits, float(self.fit_intercept))
                    if self.predictor == "best":
                        run.remember_best(X)
            stop = watch.end(lambda: self._fitted(X, runs))
            if stop or all(run.done for run in runs):
                break
        for name in ("coef_", "intercept_", "votes_"):  # of an earlier fit with other options
            self.__dict__.pop(name, None)
        self.__dict__.update(self._fitted(X, runs))
        watch.close()

    def _fitted(self, X: Any, runs: list[_Run]) -> dict[str, Any]:
        """Return the fitted attributes, as if the runs stopped here."""
        bias = float(self.fit_intercept)
        refuse_overflow(np.array([run.w for run in runs]), type(self).__name__)
        mistakes = [np.array([len(rows) for rows in run.mistakes]) for run in runs]
        attributes: dict[str, Any] = {
            "multi_class_": self.multi_class,
            "mistakes_per_epoch_": mistakes,
            "n_mistakes_": np.array([counts.sum() for counts in mistakes]),
            "n_iter_": np.array([len(counts) for counts in mistakes]),
        }
        if self.predictor == "voted":
            return attributes | {"votes_": [run.votes(X, bias) for run in runs]}
        if self.predictor == "average":
            weights = [run.average(X, bias) for run in runs]
        else:
            weights = [run.best_w if self.predictor == "best" else run.w.copy() for run in runs]
        return attributes | self._linear_attributes(np.array(weights), X.dtype)

    def _binary_scores(self, X: Any) -> np.ndarray:
        if "votes_" in vars(self):
            return np.column_stack([votes.share(X) for votes in self.votes_])
        return super()._binary_scores(X)

    def __getattr__(self, name: str) -> Any:
        if name in ("coef_", "intercept_") and "votes_" in vars(self):
            raise AttributeError(
                f"A voted perceptron has no {name}: its vote over {int(self.n_mistakes_.sum())} "
                "weight vectors is not linear. Use predictor='average' for a linear relative, "
                "or look at votes_."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _check_parameters(self) -> None:
        check_number(
            "max_iter", self.max_iter, minimum=1, integer=True, hint="Typical values: 5 to 100."
        )
        check_option("predictor", self.predictor, PREDICTORS)
        check_flag("shuffle", self.shuffle)
        check_flag("fit_intercept", self.fit_intercept)
        check_option("multi_class", self.multi_class, ("ovr", "ovo"))
