r"""The kernel SVM: the exact minimum of the regularised hinge loss.

Minimises :math:`\frac12\|f\|^2 + \sum_i C_i [1 - y_i(f(x_i) + b)]_+` through its dual,
two coefficients at a time.
Chapter: ``book/kernel_svm.md``.  Tests: ``tests/learners/test_kernel_svm.py``.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.exceptions import ConvergenceWarning

from kernlib._checks import check_flag, check_number, check_option
from kernlib.blocks import sq_norms
from kernlib.gram import Gram, Pairs
from kernlib.kernels import as_kernel
from kernlib.learners.base import all_or_nothing, binary_problems, refuse_overflow
from kernlib.learners.kernel_base import KernelLearner, Reporter, Solution
from kernlib.learners.pegasos_inputs import example_weights
from kernlib.learners.svm_dual import Dual, Supply, points_of

TINY = float(np.finfo(np.float64).tiny)
SMALLEST_FLOAT32_TOL = 1e-5
FEWEST = 2048  # points for which computing rows pays


@dataclass
class _Found:
    """The solution of a binary problem, on its points."""

    points: np.ndarray
    beta: np.ndarray
    scores: np.ndarray
    intercept: float
    objective: float
    gap: float
    n_iter: int
    stopped: bool  # by max_iter


def _collected(found: list[_Found], n_problems: int, n_points: int) -> Solution:
    """Return the solution of all problems; those not solved yet have coefficients 0."""
    coef, scores = np.zeros((2, n_problems, n_points))
    numbers = np.zeros((4, n_problems))
    for k, f in enumerate(found):
        coef[k, f.points], scores[k, f.points] = f.beta, f.scores
        numbers[:, k] = f.intercept, f.objective, f.gap, f.n_iter
    everywhere = len(found) == n_problems and all(len(f.points) == n_points for f in found)
    fitted = {
        "dual_objective_": numbers[1],
        "dual_gap_": numbers[2],
        "n_iter_": numbers[3].astype(np.int64),
    }
    return Solution(coef, numbers[0], scores if everywhere else None, fitted)


def _as_two_rows(X: Any, c: np.ndarray) -> np.ndarray:
    """Return two rows of the variance that X has if a row of weight 2 counts as two rows.

    A kernel that takes its width from the variance then takes the same for both.
    """
    size = c.sum() * X.shape[1]
    mean = c @ np.asarray(X.sum(axis=1)).ravel() / size
    variance = c @ sq_norms(X).astype(np.float64) / size - mean**2
    deviation = np.full(X.shape[1], np.sqrt(max(variance, 0.0)))
    return np.array([deviation, -deviation])


class KernelSVM(KernelLearner):
    r"""Support vector machine, solved to a stated accuracy.

    Minimises :math:`\frac12\|f\|^2 + \sum_i C_i [1 - y_i(f(x_i) + b)]_+` over the functions
    of the kernel's space and the constant b, which is not regularised.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        A kernel object, its name, or a function of two matrices; see ``kernlib.kernels``.
    C : float, default=1.0
        The weight of the losses; :math:`C_i` is C times the example's weight.
    lam : float or None, default=None
        If given, it replaces C by :math:`C_i = c_i / (\lambda \sum_i c_i)` over the weights
        of the binary problem's examples, 1 / (lam m) for m examples without weights.  The
        minimum is then the one of :math:`\frac{\lambda}{2}\|f\|^2` plus the mean loss, the
        objective of ``Pegasos``, at :math:`\lambda` times the value.
    fit_intercept : bool, default=True
        Whether there is a constant b.
    multi_class : {"ovo", "ovr"}, default="ovo"
        With more than two classes: each pair of classes by majority vote, ties going to the
        larger sum of scores, or one class against the rest.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of the examples of a class; ``"balanced"`` is
        n / (n_classes n_k) for a class with n_k of n examples.
    tol : float, default=1e-3
        Stop when no pair of points violates the optimality conditions by more, as LIBSVM.
    max_iter : int, default=-1
        The largest number of steps of a binary problem; -1 for no limit.
    gram_dtype : {"auto", "float32", "float64"}, default="auto"
        Of the kernel's values; ``"auto"`` takes float32 where it is accurate enough, and
        float64 for a ``tol`` below 1e-5.  Coefficients and errors are float64.  Given as
        ``"float32"``, prediction runs in it too, at twice the speed.
    max_memory : float, default=2048
        The largest Gram matrix, in MiB.  Above it, and for 2048 points or more, the same optimum
        is reached through working sets, in as much memory at most: only the kernel rows of
        points that violate the conditions are computed.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        The examples that have a coefficient in some problem.
    support_vectors_ : ndarray or CSR matrix of shape (n_SV, n_features)
        Their rows of X: the model holds rows of its training data.
    dual_coef_ : ndarray of shape (n_problems, n_SV)
        :math:`\beta_i = y_i\alpha_i`.
    n_support_ : ndarray of shape (n_problems,)
        How many of them are not 0, in each problem.
    intercept_ : ndarray of shape (n_problems,)
        The constants b.
    dual_objective_ : ndarray of shape (n_problems,)
        The dual's value, at most the minimum.
    dual_gap_ : ndarray of shape (n_problems,)
        How much larger the value of the primal is: the minimum lies between the two.
    n_iter_ : ndarray of shape (n_problems,)
        Steps made.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    kernel_ : Kernel
        The kernel with all its parameters resolved.
    multi_class_ : {"ovo", "ovr"}
        How the classes were split when it was fitted.

    Notes
    -----
    The dual is :math:`\max \sum_i \alpha_i - \frac12\sum_{ij}\beta_i\beta_j K_{ij}` with
    :math:`\beta_i = y_i\alpha_i`, :math:`0 \le \alpha_i \le C_i` and
    :math:`\sum_i \beta_i = 0`; up are the points whose :math:`\beta_i` may grow within the box,
    low those whose may shrink::

        L1  beta = 0, E = y
        L2  while max of E over up - min of E over low >= tol:
        L3      i = the point of up with the largest E
        L4      j = the point of low with E_j < E_i and the largest
                    (E_i - E_j)^2 / (K_ii + K_jj - 2 K_ij)
        L5      t = (E_i - E_j) / (K_ii + K_jj - 2 K_ij)
        L6      t = min(t, what the boxes of i and j leave)
        L7      beta_i = beta_i + t, beta_j = beta_j - t
        L8      E = E - t (K_i - K_j)
        L9  b = mean of E over the points strictly inside the box

    L4 is the second-order choice of [2]_.  Without an intercept the sum of :math:`\beta` is
    free, which is the same algorithm with one more point whose kernel row is 0.

    References
    ----------
    .. [1] J. C. Platt (1999). Fast training of support vector machines using sequential minimal
       optimization. Advances in Kernel Methods.
    .. [2] R.-E. Fan, P.-H. Chen, C.-J. Lin (2005). Working set selection using second order
       information for training support vector machines. JMLR 6, Algorithm 2.
    .. [3] T. Joachims (1999). Making large-scale SVM learning practical. Advances in Kernel
       Methods. (Working sets, for the case without a matrix.)

    Examples
    --------
    >>> from kernlib import KernelSVM
    >>> learner = KernelSVM(C=10).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    >>> learner.predict([[0, 0.9], [0.9, 0.9]])
    array([1, 0])
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        C: float = 1.0,
        lam: float | None = None,
        fit_intercept: bool = True,
        multi_class: str = "ovo",
        class_weight: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        gram_dtype: str = "auto",
        max_memory: float = 2048,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.lam = lam
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.gram_dtype = gram_dtype
        self.max_memory = max_memory

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelSVM":
        """Fit on ``X`` (n_samples, n_features), dense or CSR, and labels ``y``; return self."""
        return self._fit(X, y, sample_weight)

    def _check_parameters(self) -> None:
        self._check_kernel_parameters()
        hint = "It weighs the losses; typical values: 0.1 to 1000."
        check_number("C", self.C, above=0, maximum=1e100, hint=hint)
        if self.lam is not None:
            hint = "It weighs the regulariser; typical values: 1e-6 to 1; None means: use C."
            check_number("lam", self.lam, above=0, minimum=1e-100, hint=hint)
        check_flag("fit_intercept", self.fit_intercept)
        check_option("multi_class", self.multi_class, ("ovo", "ovr"))
        if isinstance(self.class_weight, str):
            check_option("class_weight", self.class_weight, ("balanced",))
        check_number("tol", self.tol, above=0, hint="Typical values: 1e-6 to 1e-2.")
        hint = "-1 means: as many steps as it takes."
        check_number("max_iter", self.max_iter, minimum=-1, integer=True, hint=hint)

    def _n_subtasks(self) -> int:
        n = len(self.classes_)
        if n == 2:
            return 1
        return n if self.multi_class == "ovr" else n * (n - 1) // 2

    def _weighted_gram(self, X: Any, sample_weight: np.ndarray | None) -> Gram:
        kernel = as_kernel(self.kernel)
        if sample_weight is not None:
            kernel = kernel.resolved(_as_two_rows(X, sample_weight))
        # Float32 rounds the values at about 1e-7: no smaller violation means anything there.
        exact = self.gram_dtype == "auto" and self.tol < SMALLEST_FLOAT32_TOL
        dtype = "float64" if exact else self.gram_dtype
        pairs = Pairs(X)
        # Of many points few are support vectors, whose rows alone are needed.
        whole = len(pairs) < FEWEST
        return Gram(kernel, pairs, dtype=dtype, max_memory=self.max_memory if whole else 0)

    def _solve(
        self,
        gram: Gram,
        codes: np.ndarray,
        rows: np.ndarray,
        reporter: Reporter,
        sample_weight: np.ndarray | None = None,
    ) -> Solution:
        given = None if sample_weight is None else sample_weight[rows]
        c = example_weights(self, rows, codes[rows], given)
        # Counted, so that a row that comes twice is a row of twice the weight.
        c = np.bincount(rows, weights=c, minlength=len(gram)).astype(np.float64)
        problems = binary_problems(codes, int(codes.max()) + 1, self.multi_class)
        supply = Supply(gram, [points_of(y, c) for y in problems], self.max_memory)
        found: list[_Found] = []
        for k, y in enumerate(problems):
            reporter.begin(f"problem {k + 1} of {len(problems)}")
            found.append(self._solve_binary(supply, y, c))
            if reporter.end(lambda: _collected(found, len(problems), len(gram))):
                break
        self._warn_if_stopped(found)
        return _collected(found, len(problems), len(gram))

    def _solve_binary(self, supply: Supply, y: np.ndarray, c: np.ndarray) -> _Found:
        """Solve a problem of labels +1 and -1, and 0 for "not in it", with weights c."""
        points = points_of(y, c)
        y, c = y[points].astype(np.float64), np.where(y == 0, 0.0, c)[points]
        C = c * self.C if self.lam is None else c / (self.lam * max(c.sum(), TINY))
        values = supply.of(points)
        refuse_overflow(C.sum() * np.abs(values.diag), type(self).__name__)
        dual = Dual(y, C, self.fit_intercept)
        dual.solve(values, self.tol, 2**62 if self.max_iter < 0 else self.max_iter)
        b = dual.intercept()
        return _Found(
            points=points,
            beta=dual.beta[:-1],
            scores=y - dual.E[:-1] + b,
            intercept=b,
            objective=dual.objective(),
            gap=dual.gap(b),
            n_iter=dual.n_iter,
            stopped=0 <= self.max_iter <= dual.n_iter and dual.violation() >= self.tol,
        )

    def _warn_if_stopped(self, found: list[_Found]) -> None:
        n_stopped = sum(f.stopped for f in found)
        if n_stopped > 0:
            warnings.warn(
                f"KernelSVM stopped {n_stopped} of {len(found)} binary problems after "
                f"max_iter={self.max_iter} steps, before tol={self.tol:g} was reached. Raise "
                "max_iter, raise tol, lower C, or scale the data; see dual_gap_.",
                ConvergenceWarning,
                stacklevel=2,
            )
