r"""The kernel perceptron on a budget: it stores at most so many examples, and forgets others.

Update, when :math:`y f_k(x) \le 0`: :math:`f_k \leftarrow f_k + y K(x, \cdot)`; above the budget a
policy removes an entry, or projects the new example onto what is stored.
Chapter: ``book/budget.md``.  Tests: ``tests/learners/test_budget.py``.
"""

import copy
from typing import Any, cast

import numpy as np
from sklearn.callback import with_callbacks

from kernlib._checks import check_flag, check_number, check_option
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Precomputed, as_kernel
from kernlib.learners.base import all_or_nothing
from kernlib.learners.budget_policies import POLICIES, PROJECT
from kernlib.learners.budget_run import BudgetRun, Values, new_run, refuse_infinite, stream_values
from kernlib.learners.kernel_base import KernelLearner, Reporter, Solution
from kernlib.learners.pegasos_inputs import check_classes
from kernlib.learners.sampling import VisitingOrder, streams

RULES = ("kernel", "budget", "policy", "gram_dtype")  # what a stream keeps to


class BudgetPerceptron(KernelLearner):
    r"""The kernel perceptron with a bounded number of stored examples.

    Several classes are one-vs-rest problems with a cache each; an entry is an example in a
    cache, and the budget bounds the entries of all caches together, at every moment.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        A kernel object, its name, or a function of two matrices; see ``kernlib.kernels``.
    budget : int, default=100
        The largest number B of entries.  ``"project"`` needs one a class at least.
    policy : {"margin", "oldest", "random", "project"}, default="margin"
        What to do when a mistake exceeds the budget.  ``"margin"``: remove the entry that is
        classified best without itself, the oldest of equals [1]_.  ``"oldest"``: shrink all
        coefficients, then remove the oldest entry: the self-tuned Forgetron [2]_.  ``"random"``:
        remove one of the older entries at random [3]_.  ``"project"``: store nothing, but add
        the projection of the new example onto the span of its cache: the Projectron [4]_.
    max_iter : int, default=5
        The largest number of epochs; an epoch without a mistake is the last.
    shuffle : bool, default=False
        Visit the examples in a new random order each epoch, else in the given order.
    random_state : int, RandomState instance or None, default=None
        Decides the orders when ``shuffle`` is true, and the removals of ``"random"``.
    gram_dtype : {"auto", "float32", "float64"}, default="auto"
        Of the kernel's values; ``"auto"`` takes float32 where it is accurate enough, but float64
        in ``partial_fit`` and for ``"project"``.  ``"float32"`` is for prediction too.
    max_memory : float, default=2048
        The largest Gram matrix, in MiB.  Above it, in ``partial_fit``, and where it is less work,
        the examples come in blocks, each with the stored points: memory O(B²), not O(n²).

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        The stored examples: rows of the X of ``fit``, or numbers in the stream, from 0.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Their rows of X: the model holds rows of its training data.
    dual_coef_ : ndarray of shape (n_problems, n_SV)
        Coefficients, 0 for an example that is not in the cache of a class.
    intercept_ : ndarray of shape (n_problems,)
        Zeros: a constant added to the kernel is an intercept.
    n_support_ : ndarray of shape (n_problems,)
        Coefficients that are not 0, of each problem; their sum is at most B.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_iter_ : int
        Epochs run by ``fit``, a final clean one included.
    n_mistakes_ : ndarray of shape (n_problems,)
        Mistakes made, calls of ``partial_fit`` included.
    mistakes_per_epoch_ : ndarray of shape (n_problems, n_epochs)
        The same for each epoch of ``fit``.
    n_evictions_ : ndarray of shape (n_problems,)
        Entries removed.
    kernel_ : Kernel
        The kernel, with parameters that depend on the data replaced by numbers.
    gram_dtype_, gram_note_, multi_class_ : str
        How the kernel's values were computed, and why; ``"ovr"``.

    Notes
    -----
    ::

        L1  f_1 = f_2 = ... = 0, no entries
        L2  for t in order, max_iter times or until an epoch makes no mistake:
        L3      for each class k, with y = +1 if x_t is of class k, else -1:
        L4          if y f_k(x_t) <= 0:
        L5              project: if B entries are stored, or K(x_t, .) is in the span of cache k:
                            f_k = f_k + y P K(x_t, .), P the projection onto the span; next k
        L6              enter (t, k): f_k = f_k + y K(x_t, .)
        L7              if there are more than B entries:
        L8                  choose (i, c):
                            margin: the largest y_i (f_c(x_i) - a_i K(x_i, x_i))
                            oldest: the first that came; f = phi f for all classes
                            random: one of those before (t, k), each with probability 1/B
        L9                  remove (i, c): f_c = f_c - a_i K(x_i, .)

    The classes take their turns one after the other: each sees what the one before removed.  An
    example that errs again while it is stored adds to its coefficient; with ``"oldest"`` it is a
    new entry, for in [2]_ an entry's coefficient tells its age.

    The Forgetron's :math:`\phi` is the largest in (0, 1] with
    :math:`Q + \Psi(\sigma\phi, \phi\mu) \le \frac{15}{32} M`, where
    :math:`\Psi(\lambda, \mu) = \lambda^2 + 2\lambda - 2\lambda\mu` bounds the damage of a removal,
    Q is the sum over those before, M the number of mistakes, :math:`\sigma = |a_i|` and
    :math:`\mu = y_i f_c(x_i)`.  Its theorem: if :math:`K(x, x) \le 1`, :math:`B \ge 83` and
    :math:`\|u\| \le \frac14\sqrt{(B+1)/\ln(B+1)}`, then
    :math:`M \le 2\|u\|^2 + 4\sum_t \max(0, 1 - y_t u(x_t))`.  Several classes are one such
    sequence, of examples (x, k) with the kernel :math:`K(x, x')\,[k = k']`: M, Q and
    :math:`\phi` are common to all classes, and :math:`\|u\|^2` is :math:`\sum_k \|u_k\|^2`.

    References
    ----------
    .. [1] K. Crammer, J. Kandola, Y. Singer (2004). Online classification on a budget. Advances
       in Neural Information Processing Systems 16, the rule for whom to remove.
    .. [2] O. Dekel, S. Shalev-Shwartz, Y. Singer (2008). The Forgetron: a kernel-based perceptron
       on a budget. SIAM Journal on Computing 37(5), the mistake bound of the self-tuned one.
    .. [3] G. Cavallanti, N. Cesa-Bianchi, C. Gentile (2007). Tracking the best hyperplane with a
       simple budget perceptron. Machine Learning 69(2-3), the randomized one.
    .. [4] F. Orabona, J. Keshet, B. Caputo (2008). The Projectron: a bounded kernel-based
       perceptron. International Conference on Machine Learning; here without its threshold.

    Examples
    --------
    >>> from kernlib import BudgetPerceptron
    >>> X, y = [[0, 1], [1, 0], [2, 1], [1, 2]], ["up", "down", "down", "up"]
    >>> learner = BudgetPerceptron(kernel="linear", budget=2).fit(X, y)
    >>> learner.predict([[0, 3], [3, 0]]), learner.support_, learner.n_evictions_
    (array(['up', 'down'], dtype='<U4'), array([0, 1]), array([0]))
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        budget: int = 100,
        policy: str = "margin",
        max_iter: int = 5,
        shuffle: bool = False,
        random_state: Any = None,
        gram_dtype: str = "auto",
        max_memory: float = 2048,
    ) -> None:
        self.kernel = kernel
        self.budget = budget
        self.policy = policy
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.gram_dtype = gram_dtype
        self.max_memory = max_memory

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any) -> "BudgetPerceptron":
        """Fit on ``X`` (n_samples, n_features), dense or CSR, and labels ``y``; return self."""
        return self._fit(X, y)

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "BudgetPerceptron":
        """Go once through ``X`` in the given order; return self.

        The run goes on from call to call (and from ``fit``), so a stream in pieces equals the
        stream at once.  ``classes`` names all labels, in the first call; a kernel's
        ``gamma="scale"`` is taken from its rows.  ``max_iter`` and ``shuffle`` play no part.
        """
        self._check_parameters()
        going_on = hasattr(self, "_run")
        self._check_stream(going_on)
        check_classes(self, classes, going_on)
        X, y, codes = self._validate(X, y, classes=classes, reset=not going_on)
        if going_on:
            run = self._run.copy()
            values = Values(self.kernel_, np.dtype(self.gram_dtype_), self.gram_note_)
        else:
            run = self._start(len(self.classes_), streams(self.random_state, 2)[1])
            values = stream_values(as_kernel(self.kernel), self.gram_dtype, X)
        rows, target = np.arange(len(codes)), codes - (len(self.classes_) == 2)
        run.stream(X, rows, run.seen + rows, target, values, self.max_memory)
        run.seen += len(codes)
        for name in ("n_iter_", "mistakes_per_epoch_"):  # of a fit that this goes on from
            self.__dict__.pop(name, None)
        self.__dict__.update(self._streamed(run, values))
        return self

    def _n_subtasks(self) -> int:
        return self.max_iter

    def _gram(self, X: Any) -> Gram:
        exact = self.gram_dtype == "auto" and self.policy == "project"
        dtype = "float64" if exact else self.gram_dtype
        # An epoch in blocks computes some 2 B values an example, the matrix n / 2.
        few = 4 * self.max_iter * max(self.budget, 256) < X.shape[0]
        limit = 0 if few else self.max_memory
        return Gram(as_kernel(self.kernel), Pairs(X), dtype=dtype, max_memory=limit)

    def _start(self, n_classes: int, state: np.ndarray) -> BudgetRun:
        n_problems = 1 if n_classes == 2 else n_classes
        if self.policy == "project" and self.budget < n_problems:
            raise ValueError(
                f"policy='project' needs a budget of at least 1 for each of the {n_problems} "
                f"classes, got budget={self.budget}. Raise it, or take another policy."
            )
        return new_run(POLICIES.index(self.policy), int(self.budget), state, n_problems)  # L1

    def _solve(
        self,
        gram: Gram,
        codes: np.ndarray,
        rows: np.ndarray,
        reporter: Reporter,
        sample_weight: np.ndarray | None = None,
    ) -> Solution:
        """Fit on ``rows``, which are in visiting order."""
        n_classes = int(codes.max()) + 1
        orders, draws = streams(self.random_state, 2)
        run, target = self._start(n_classes, draws), codes - (n_classes == 2)
        run.seen = len(gram)
        f = np.zeros((run.n_problems, 0 if gram.matrix is None else len(gram)))
        sampling = "reshuffle" if self.shuffle else "cyclic"
        order = VisitingOrder(np.arange(len(rows)), sampling, orders)
        mistakes = [run.cache.mistakes.copy()]
        for epoch in range(1, self.max_iter + 1):  # L2
            reporter.begin(f"epoch {epoch}")
            visits = rows[order.take(len(rows))]
            if gram.matrix is None:
                run.stream(gram.pairs.X, visits, visits, target[visits], gram, self.max_memory)
            else:
                run.visit(gram.matrix, visits, target[visits], f)
            mistakes.append(run.cache.mistakes.copy())
            stop = reporter.end(lambda: self._solution(gram, run, f, mistakes))
            if stop or np.array_equal(mistakes[-1], mistakes[-2]):
                break
        return self._solution(gram, run, f, mistakes)

    def _solution(
        self, gram: Gram, run: BudgetRun, f: np.ndarray, mistakes: list[np.ndarray]
    ) -> Solution:
        """Return the predictors, as if the run stopped here."""
        run = run.copy()
        if gram.matrix is None:
            coef, scores = np.zeros((run.n_problems, len(gram))), None
            coef[:, run.stored.numbers] = run.coef(len(run.stored.numbers))
        else:
            coef, scores = run.coef(len(gram)), None if run.policy == PROJECT else f.copy()
            refuse_infinite(f)
            X = gram.pairs.X[:, :0] if isinstance(gram.kernel, Precomputed) else gram.pairs.X
            run.keep(np.arange(len(gram)), X, gram.matrix)
        per_epoch = np.diff(mistakes, axis=0).T
        epochs = {"n_iter_": per_epoch.shape[1], "mistakes_per_epoch_": per_epoch}
        return Solution(coef, np.zeros(run.n_problems), scores, epochs | self._counts(run))

    def _counts(self, run: BudgetRun) -> dict[str, Any]:
        """Return the attributes that ``fit`` and ``partial_fit`` share."""
        return {
            "n_mistakes_": run.cache.mistakes.copy(),
            "n_evictions_": run.cache.evictions.copy(),
            "_run": run,
            "_begun": {name: copy.deepcopy(getattr(self, name)) for name in RULES},
        }

    def _streamed(self, run: BudgetRun, values: Values) -> dict[str, Any]:
        """Return the fitted attributes of a stream: support vectors by their numbers in it."""
        order = np.argsort(run.stored.numbers)
        coef = run.coef(len(order))[:, order]
        solution = Solution(coef, np.zeros(run.n_problems), None, self._counts(run))
        fitted = self._fitted(run.stored.rows[order], cast(Gram, values), solution)
        return fitted | {"support_": run.stored.numbers[order][solution.support()]}

    def _check_parameters(self) -> None:
        self._check_kernel_parameters()
        hint = "So many examples may be stored, in all classes together."
        check_number("budget", self.budget, minimum=1, integer=True, hint=hint)
        check_option("policy", self.policy, POLICIES)
        check_number("max_iter", self.max_iter, minimum=1, integer=True, hint="Typical: 1 to 10.")
        check_flag("shuffle", self.shuffle)

    def _check_stream(self, going_on: bool) -> None:
        if not going_on and hasattr(self, "support_"):
            raise ValueError(
                "partial_fit needs the state of its stream, which a model file does not hold. "
                "Pickle the learner instead of saving it, or begin anew with sklearn.base.clone."
            )
        if isinstance(as_kernel(self.kernel), Precomputed):
            raise ValueError(
                "partial_fit cannot do kernel='precomputed': values of later examples with the "
                "stored ones are not among those given. Pass a kernel and the examples."
            )
        for name in RULES if going_on else ():
            was, now = self._begun[name], getattr(self, name)
            if was != now and not (name == "kernel" and as_kernel(was) == as_kernel(now)):
                raise ValueError(
                    f"partial_fit goes on with {name}={was!r}, with which it was begun, got "
                    f"{name}={now!r}. Set it back, or begin anew with sklearn.base.clone."
                )
