r"""Kernel Pegasos: kernel SVM and kernel logistic regression by stochastic sub-gradient steps.

Minimises :math:`\frac{\lambda}{2}\|f\|^2 + \sum_i c_i\,\ell(y_i f(x_i)) / \sum_i c_i` over the
functions :math:`f = \sum_j \alpha_j y_j K(x_j, \cdot)`; step t has length
:math:`1/(\lambda t)`.
Chapter: ``book/kernel_pegasos.md``.  Tests: ``tests/learners/test_kernel_pegasos.py``.
"""

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils.metaestimators import available_if

from kernlib._checks import check_number, check_option
from kernlib.gram import Gram
from kernlib.learners import pegasos_inputs as inputs
from kernlib.learners.base import all_or_nothing, binary_problems, report_every
from kernlib.learners.kernel_base import KernelLearner, Reporter, Solution
from kernlib.learners.kernel_pegasos_run import KernelRun, Rule, solutions
from kernlib.learners.losses import LOSSES, probabilities
from kernlib.learners.sampling import SAMPLINGS, VisitingOrder, streams


class KernelPegasos(KernelLearner):
    r"""Kernel classifier by primal estimated sub-gradient steps.

    Minimises :math:`\frac{\lambda}{2}\|f\|^2 + \sum_i c_i\,\ell(y_i f(x_i)) / \sum_i c_i` over
    the functions f of the kernel's space.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        A kernel object of ``kernlib.kernels``, its name, or a function of two matrices.  There
        is no intercept: a constant in the kernel, like ``Polynomial``'s ``coef0``, gives one,
        regularised like the rest.
    lam : float, default=1e-3
        The regularisation :math:`\lambda`.  It relates to an SVM's C by
        :math:`\lambda = 1/(C n)`.
    n_steps : int, default=100_000
        The steps T of each binary problem.
    loss : {"hinge", "logistic"}, default="hinge"
        :math:`\ell(m) = \max(0, 1-m)` or :math:`\ln(1 + e^{-m})`, natural logarithm.
    sampling : {"replacement", "permutation", "reshuffle", "cyclic"}, default="replacement"
        Independent draws; one random order kept for all epochs; a new one each epoch; the
        given order.
    output : {"last", "average", "suffix"}, default="last"
        The final f; the mean of :math:`f_1, \dots, f_T` (the iterates before each step, to
        which the regret bound applies); the mean of the last ``suffix`` of them.
    suffix : float, default=0.5
        The share of the steps in the mean, with ``output="suffix"``.
    offset : {1, 0}, default=1
        The iterate of step t is the sum over :math:`\lambda(t - \mathrm{offset})`: 1 is the
        sub-gradient method [1]_ [2]_; 0 gives the factor :math:`1/(\lambda t)` of some texts,
        whose margins are too small by :math:`1 - 1/t`.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of the examples of a class; ``"balanced"`` is
        n / (n_classes n_k) for a class with n_k of n examples.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one class against the rest, or each pair of classes.  The
        problems of one-vs-rest visit the examples in the same order, and so share each row of
        the Gram matrix; each pair has an order of its own.
    random_state : int, RandomState instance or None, default=None
        Decides the draws; of two classes they are those of ``Pegasos``.
    gram_dtype : {"auto", "float32", "float64"}, default="auto"
        The precision of the Gram matrix; ``"auto"`` is float32 where that is accurate enough.
        Sums run in float64.  Given as ``"float32"``, prediction runs in it too.
    max_memory : float, default=2048
        The largest Gram matrix, in MiB.  Above it the kernel's values are computed in blocks.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        The rows that pulled in some problem.
    support_vectors_ : ndarray or CSR of shape (n_SV, n_features)
        Those rows of the training data.
    dual_coef_ : ndarray of shape (n_problems, n_SV)
        Their coefficients :math:`\alpha_j y_j`.
    n_support_ : ndarray of shape (n_problems,)
        How many are not 0.
    intercept_ : ndarray of shape (n_problems,)
        Zeros.
    kernel_ : Kernel
        The kernel with its parameters as numbers.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_steps_, n_violations_ : ndarray of shape (n_problems,)
        Steps made, and those that changed f: for the hinge, those at a margin below 1.
    multi_class_ : {"ovr", "ovo"}
        How the classes were split when it was fitted.

    Notes
    -----
    For the hinge loss and no weights, where :math:`\beta_j` counts the changes at :math:`x_j`::

        L1  beta = 0
        L2  for t = 1, 2, ..., T with i = order[t]:
        L3      s = sum_j beta_j y_j K(x_j, x_i)
        L4      m = y_i s / (lam (t - offset)), or 0 at t = offset
        L5      if m < 1:
        L6          beta_i = beta_i + 1
        L7          (if a mean is wanted: note when)
        L8          (running scores: s_k = s_k + y_i K(x_i, x_k) for all k)
        L9  return f = sum_j beta_j y_j K(x_j, .) / (lam T)

    By [1]_ the iterates are :math:`f_{t+1} = (1 - 1/t) f_t + 1[m < 1]\,y_i K(x_i,
    \cdot)/(\lambda t)`, so :math:`\lambda t f_{t+1} - \lambda(t-1) f_t` is 0 or :math:`y_i
    K(x_i, \cdot)`: the sum telescopes, and :math:`\beta_j` counts the violating draws of
    example j.  A step without violation costs one comparison, a violation one row of the Gram
    matrix.  In general L6 adds :math:`c_i\,(-\ell'(m))`.  Weights: with ``"replacement"`` an
    example is drawn in proportion to its weight and steps with :math:`c_i = 1`, otherwise
    :math:`c_i` is its weight over the mean weight.

    References
    ----------
    .. [1] S. Shalev-Shwartz, Y. Singer, N. Srebro, A. Cotter (2011). Pegasos: primal estimated
       sub-gradient solver for SVM. Mathematical Programming 127(1), Figure 3.
    .. [2] A. Rakhlin, O. Shamir, K. Sridharan (2012). Making gradient descent optimal for
       strongly convex stochastic optimization. ICML. (Suffix averaging.)

    Examples
    --------
    >>> from kernlib import KernelPegasos
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"]
    >>> KernelPegasos(lam=0.1, n_steps=1000, random_state=0).fit(X, y).predict([[0, 0.1]])
    array(['same'], dtype='<U5')
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        lam: float = 1e-3,
        n_steps: int = 100_000,
        loss: str = "hinge",
        sampling: str = "replacement",
        output: str = "last",
        suffix: float = 0.5,
        offset: int = 1,
        class_weight: Any = None,
        multi_class: str = "ovr",
        random_state: Any = None,
        gram_dtype: str = "auto",
        max_memory: float = 2048,
    ) -> None:
        self.kernel = kernel
        self.lam = lam
        self.n_steps = n_steps
        self.loss = loss
        self.sampling = sampling
        self.output = output
        self.suffix = suffix
        self.offset = offset
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.random_state = random_state
        self.gram_dtype = gram_dtype
        self.max_memory = max_memory

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelPegasos":
        """Fit on ``X`` (n_samples, n_features), dense or CSR, and ``y``; return self."""
        return self._fit(X, y, sample_weight)

    def _n_subtasks(self) -> int:
        return -(-int(self.n_steps) // report_every(self, int(self.n_steps)))

    def _solve(
        self,
        gram: Gram,
        codes: np.ndarray,
        rows: np.ndarray,
        reporter: Reporter,
        sample_weight: np.ndarray | None = None,
    ) -> Solution:
        """Fit on ``rows``; ``codes`` and ``sample_weight`` are about all points."""
        return self._solve_together([self], gram, codes, rows, reporter, sample_weight)[0]

    def _solve_many(
        self, learners: Sequence[Any], gram: Gram, codes: np.ndarray, rows: np.ndarray
    ) -> list[Solution]:
        """Solve those together that differ in ``lam`` and ``offset`` only: they share rows."""
        groups: dict[Any, list[int]] = {}
        for k, learner in enumerate(learners):
            shared = learner.get_params(deep=False)
            del shared["lam"], shared["offset"], shared["kernel"]  # the kernel is in the Gram
            # Other random states than numbers give every learner draws of its own.
            alone = not isinstance(learner.random_state, numbers.Integral)
            groups.setdefault((k if alone else -1, repr(sorted(shared.items()))), []).append(k)
        by_place: dict[int, Solution] = {}
        for places in groups.values():
            group = [learners[k] for k in places]
            solved = self._solve_together(group, gram, codes, rows, Reporter(), None)
            by_place |= dict(zip(places, solved, strict=True))
        return [by_place[k] for k in range(len(learners))]

    def _solve_together(
        self,
        learners: Sequence[Any],
        gram: Gram,
        codes: np.ndarray,
        rows: np.ndarray,
        reporter: Reporter,
        sample_weight: np.ndarray | None,
    ) -> list[Solution]:
        one = learners[0]
        runs = one._runs(learners, gram, codes, rows, sample_weight)
        total, piece = int(one.n_steps), report_every(one, int(one.n_steps))
        for done in range(0, total, piece):
            length = min(piece, total - done)
            reporter.begin(f"steps {done + 1} to {done + length}")
            for run in runs:
                run.advance(length)
            if reporter.end(lambda: solutions(runs, 1)[0]):
                break
        return solutions(runs, len(learners))

    def _runs(
        self,
        learners: Sequence[Any],
        gram: Gram,
        codes: np.ndarray,
        rows: np.ndarray,
        sample_weight: np.ndarray | None,
    ) -> list[KernelRun]:
        """Return a run for all problems of one-vs-rest, or one for each pair."""
        n_classes = int(codes.max()) + 1
        codes = codes[rows]
        if sample_weight is not None:
            sample_weight = sample_weight[rows]
        c = inputs.example_weights(self, codes, codes, sample_weight)
        targets = binary_problems(codes, n_classes, self.multi_class)
        pairs = self.multi_class == "ovo"
        groups = [[target] for target in targets] if pairs else [targets]
        runs = []
        for group, state in zip(groups, streams(self.random_state, len(groups)), strict=True):
            places = np.flatnonzero(group[0])
            drawn, stepped = inputs.split_weights(c, places, self.sampling)
            order = VisitingOrder(np.arange(len(places)), self.sampling, state, drawn)
            Y = np.tile(np.array(group)[:, places], (len(learners), 1))
            stepped = None if stepped is None else stepped[places]
            rule = self._rule(learners, len(group))
            runs.append(KernelRun(gram, rows[places], Y, stepped, order, rule))
        return runs

    def _rule(self, learners: Sequence[Any], n_targets: int) -> Rule:
        lam = np.repeat([float(learner.lam) for learner in learners], n_targets)
        offset = np.repeat([int(learner.offset) for learner in learners], n_targets)
        return Rule(self.loss, lam, offset, inputs.first_averaged_step(self))

    @available_if(inputs.has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class, (n_samples, n_classes), for the logistic loss.

        One-vs-rest probabilities are divided by their sum.
        """
        return probabilities(self.decision_function(X))

    def _check_parameters(self) -> None:
        self._check_kernel_parameters()
        check_number(
            "lam",
            self.lam,
            above=0,
            maximum=1e300,  # below it the product lam t cannot overflow
            hint="It weighs the regulariser; typical values: 1e-6 to 1.",
        )
        hint = "Typical: 10 times the examples."
        check_number("n_steps", self.n_steps, minimum=1, integer=True, hint=hint)
        check_option("loss", self.loss, LOSSES)
        check_option("sampling", self.sampling, SAMPLINGS)
        check_option("output", self.output, inputs.OUTPUTS)
        hint = "It is a share of the steps, like 0.5."
        check_number("suffix", self.suffix, above=0, maximum=1, hint=hint)
        hint = "1 is the sub-gradient method."
        check_number("offset", self.offset, minimum=0, maximum=1, integer=True, hint=hint)
        check_option("multi_class", self.multi_class, ("ovr", "ovo"))
        if isinstance(self.class_weight, str):
            check_option("class_weight", self.class_weight, ("balanced",))
