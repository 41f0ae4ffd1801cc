r"""What all kernel learners share: the Gram matrix, support vectors, prediction in blocks.

A kernel learner solves binary problems whose scores are
:math:`f_k(x) = \sum_i a_{ki} K(x_i, x) + b_k`.  ``_solve`` does it on some rows of a Gram matrix
over all points, so that model selection can share one matrix between folds, runs and
parameters; ``fit`` calls it on all rows and keeps what prediction needs.
Tests: ``tests/learners/test_kernel_base.py``.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from kernlib._checks import check_number, check_option
from kernlib.gram import DTYPES, Gram, Pairs
from kernlib.kernels import Block, Kernel, Precomputed, as_kernel, sq_norms
from kernlib.learners.base import FLOATS, Learner, Watch
from kernlib.tiles import all_finite

PREDICTION_BLOCK = 2**19  # kernel values computed at a time


@dataclass
class Solution:
    """The solved binary problems, on the points of a Gram matrix.

    Parameters
    ----------
    coef : ndarray of shape (n_problems, n_points)
        The coefficients a, 0 for points outside the rows that were fitted.
    intercept : ndarray of shape (n_problems,)
        The constants b.
    scores : ndarray of shape (n_problems, n_points), or None
        The decision values on all points, where the solver has them anyway.
    fitted : dict
        Further fitted attributes of the learner, such as ``n_iter_``.
    """

    coef: np.ndarray
    intercept: np.ndarray
    scores: np.ndarray | None = None
    fitted: dict[str, Any] = field(default_factory=dict)

    def support(self) -> np.ndarray:
        """Return the points that have a coefficient which is not 0, increasing."""
        return np.flatnonzero(np.any(self.coef != 0, axis=0))

    def scores_on(self, gram: Gram, points: np.ndarray) -> np.ndarray:
        """Return the decision values on some points, shape (n_points, n_problems)."""
        if self.scores is not None:
            return self.scores[:, points].T
        support = self.support()
        out = np.empty((len(points), len(self.coef)))
        block = max(1, PREDICTION_BLOCK // max(1, len(support)))
        for part in gen_batches(len(points), block):
            out[part] = gram.block(points[part], support) @ self.coef[:, support].T
        return out + self.intercept


class Reporter:
    """Tells a fit's callbacks about its subtasks; ``Reporter()`` tells nobody."""

    def __init__(
        self,
        watch: Watch | None = None,
        fitted: Callable[[Solution], dict[str, Any]] | None = None,
    ) -> None:
        self._watch, self._fitted = watch, fitted

    def begin(self, name: str) -> None:
        """Announce a subtask, such as an epoch."""
        if self._watch is not None:
            self._watch.begin(name)

    def end(self, solution: Callable[[], Solution]) -> bool:
        """Report it finished; ``solution`` makes the state of the fit.  True asks to stop."""
        if self._watch is None or self._fitted is None:
            return False
        fitted = self._fitted
        return self._watch.end(lambda: fitted(solution()))


class KernelLearner(Learner):
    """A learner whose binary scores are sums of kernel values with its support vectors."""

    kernel: Any
    gram_dtype: str
    max_memory: float
    multi_class: str
    support_: np.ndarray
    support_vectors_: Any
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    kernel_: Kernel

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense, saying what would."""

    @abstractmethod
    def _n_subtasks(self) -> int:
        """Return the largest number of subtasks that a fit reports."""

    @abstractmethod
    def _solve(
        self,
        gram: Gram,
        codes: np.ndarray,
        rows: np.ndarray,
        reporter: Reporter,
        sample_weight: np.ndarray | None = None,
    ) -> Solution:
        """Fit on ``rows`` of the points of ``gram``; ``codes`` are the classes of all points."""

    def _solve_many(
        self, learners: Sequence[Any], gram: Gram, codes: np.ndarray, rows: np.ndarray
    ) -> list[Solution]:
        """Solve for learners of this class with the same kernel; a subclass may share work."""
        return [learner._solve(gram, codes, rows, Reporter()) for learner in learners]

    def _check_kernel_parameters(self) -> None:
        as_kernel(self.kernel)
        check_option("gram_dtype", self.gram_dtype, DTYPES)
        hint = "It is the largest size of the Gram matrix, in MiB."
        check_number("max_memory", self.max_memory, minimum=0, hint=hint)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Validate, solve, store; what every ``fit`` does."""
        self._check_parameters()
        X, y, codes = self._validate(X, y)
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        if sample_weight is not None:
            sample_weight = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
        gram = self._weighted_gram(X, sample_weight)
        watch = Watch(self, X, y, self._n_subtasks(), metadata)
        reporter = Reporter(watch, lambda solution: self._fitted(X, gram, solution))
        rows = np.arange(len(codes))
        solution = self._solve(gram, codes, rows, reporter, sample_weight)
        self.__dict__.update(self._fitted(X, gram, solution))
        watch.close()
        return self

    def _weighted_gram(self, X: Any, sample_weight: np.ndarray | None) -> Gram:
        """Return the Gram matrix; a subclass may let the weights count in ``gamma="scale"``."""
        return self._gram(X)

    def _gram(self, X: Any) -> Gram:
        return Gram(
            as_kernel(self.kernel), Pairs(X), dtype=self.gram_dtype, max_memory=self.max_memory
        )

    def _fitted(self, X: Any, gram: Gram, solution: Solution) -> dict[str, Any]:
        """Return the fitted attributes; the model holds rows of its training data."""
        support = solution.support()
        given = isinstance(gram.kernel, Precomputed)
        return {
            "kernel_": gram.kernel,
            "gram_dtype_": str(gram.dtype),
            "gram_note_": gram.note,
            "multi_class_": getattr(self, "multi_class", "ovr"),
            "support_": support,
            "support_vectors_": np.empty((0, 0), dtype=X.dtype) if given else X[support],
            "dual_coef_": solution.coef[:, support],
            "n_support_": np.count_nonzero(solution.coef, axis=1),
            "intercept_": solution.intercept,
        } | solution.fitted

    def _check_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=FLOATS, order="C", accept_sparse="csr")

    def _binary_scores(self, X: Any) -> np.ndarray:
        scores = np.empty((X.shape[0], len(self.intercept_)))
        # In float32 a row's scores depend on how many are asked for, by about 1e-7 of their terms:
        # fast, and fine where the data is no better, or float32 was asked for in so many words,
        # but not what float64 data leads to expect.
        asked = self.gram_dtype == "float32"
        dtype = np.dtype(np.float32) if asked else np.result_type(self.gram_dtype_, X.dtype)
        S = self.support_vectors_.astype(dtype, copy=False)
        norms = sq_norms(S)  # once for all blocks
        for part in gen_batches(X.shape[0], max(64, PREDICTION_BLOCK // max(1, S.shape[0]))):
            scores[part] = self._value_scores(self._support_values(X[part], S, norms))
        return scores

    def _value_scores(self, K: np.ndarray) -> np.ndarray:
        """Return the binary scores of rows of kernel values with the support vectors."""
        top = np.max(np.abs(self.dual_coef_), initial=0.0)
        if K.dtype == np.float32 and top > 0:  # as K is: else NumPy would copy K to float64
            with np.errstate(over="ignore", invalid="ignore"):
                scores = top * (K @ (self.dual_coef_ / top).astype(np.float32).T)
            if np.all(np.isfinite(scores)):
                return scores + self.intercept_
        return np.asarray(K @ self.dual_coef_.T + self.intercept_)

    def _support_values(self, X: Any, S: Any, norms: np.ndarray) -> np.ndarray:
        """Return K(x, s) for rows x and support vectors s of these squared norms, as ``S`` is."""
        if isinstance(self.kernel_, Precomputed):
            K = X[:, self.support_]
            return np.asarray(K.toarray() if sparse.issparse(K) else K)
        with np.errstate(over="ignore", invalid="ignore"):
            X_as_S = X.astype(S.dtype, copy=False)
            K = self.kernel_.of(Block(X_as_S, S, (sq_norms(X_as_S), norms)))
        if all_finite(K):
            return K
        if S.dtype == np.float32:  # which was enough for the rows of the fit
            S = self.support_vectors_.astype(np.float64)
            return self._support_values(X, S, sq_norms(S))
        raise ValueError(
            f"The values of {self.kernel_} must fit into float64, but some are infinite: the "
            "features are too large. Scale them as those of the fit, for example by a Pipeline "
            "with sklearn.preprocessing.StandardScaler."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed" or isinstance(
            self.kernel, Precomputed
        )
        return tags
