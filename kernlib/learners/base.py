"""What all learners share: label coding, many classes, scores → prediction, callbacks.

Tests: ``tests/learners/test_base.py`` and ``tests/test_estimators.py``.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from kernlib._jit import jit

FLOATS = [np.float64, np.float32]


def refuse_overflow(sums: np.ndarray, learner: str) -> None:
    """Refuse sums of examples so large that their products with examples may overflow.

    A comparison with the NaN of such a product is false, and would pass for "no mistake".
    """
    if not np.all(np.abs(sums) < 1e150):
        raise ValueError(
            f"{learner} expected features whose products fit into floating point, but its weights "
            "overflow: the features are too large. Scale the data, for example with "
            "sklearn.preprocessing.StandardScaler."
        )


# ---------------------------------------------------------------- many classes


def label_codes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct labels, and each label as its place 0, 1, ... among them."""
    if y.dtype.kind in "iu":
        low, high = int(y.min()), int(y.max())
        positive = y == high
        if low < high and np.all(positive | (y == low)):  # two labels, the common case
            return np.array([low, high], dtype=y.dtype), positive.astype(np.intp)
        if high - low <= len(y) and high < 2**62:
            # Counting is ten times as fast as sorting, where the labels lie close together.
            places = y.astype(np.int64) - low  # in int8, 127 - (-128) would wrap around
            present = np.bincount(places) > 0
            return (np.flatnonzero(present) + low).astype(y.dtype), (np.cumsum(present) - 1)[places]
    return np.unique(y, return_inverse=True)


def binary_problems(codes: np.ndarray, n_classes: int, multi_class: str) -> list[np.ndarray]:
    """Split labels 0, 1, ... into two-class problems: int8 arrays of +1, -1, and 0 for "not in it".

    Two classes are one problem, +1 for the second.  ``"ovr"``: class k is +1, the rest -1.
    ``"ovo"``: for i < j, class j is +1, class i is -1, the others are 0.
    """
    if n_classes == 2 or multi_class == "ovr":
        positive = [1] if n_classes == 2 else range(n_classes)
        return [2 * (codes == k).view(np.int8) - np.int8(1) for k in positive]
    return [
        (codes == j).astype(np.int8) - (codes == i)
        for i in range(n_classes)
        for j in range(i + 1, n_classes)
    ]


def combined(scores: np.ndarray, n_classes: int, multi_class: str) -> np.ndarray:
    """Turn the scores of binary problems, one a column, into what decides between the classes."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    if multi_class == "ovo":
        votes = (scores > 0).astype(np.int8)
        return np.asarray(_ovr_decision_function(votes, scores, n_classes))
    return scores


def chosen(decision: np.ndarray) -> np.ndarray:
    """Return the code of the chosen class: the largest value, and 0 at a two-class score of 0."""
    return (decision > 0).astype(np.intp) if decision.ndim == 1 else decision.argmax(axis=1)


# ---------------------------------------------------------------- callbacks


class Watch:
    """Tells scikit-learn's callbacks how a fit goes; with none set it does nothing.

    A fit is one task with subtasks (epochs, or blocks of steps).  ``end`` takes a function
    that makes the attributes of a fitted learner, called only if a callback wants them.
    """

    def __init__(
        self, learner: Any, X: Any, y: Any, max_subtasks: int, metadata: dict[str, Any]
    ) -> None:
        self._about = {"estimator": learner, "X": X, "y": y, "metadata": metadata}
        self._fit = learner._init_callback_context(max_subtasks=max_subtasks)
        self._active = bool(getattr(learner, "_skl_callbacks", ()))
        self._fit.call_on_fit_task_begin(**self._about)

    def begin(self, name: str) -> None:
        """Announce a subtask."""
        if self._active:
            self._task = self._fit.subcontext(task_name=name)
            self._task.call_on_fit_task_begin(**self._about)

    def end(self, fitted: Callable[[], dict[str, Any]]) -> bool:
        """Report a finished subtask; True asks to stop the fit here."""
        if not self._active:
            return False
        return bool(
            self._task.call_on_fit_task_end(**self._about, reconstruction_attributes=fitted)
        )

    def pieces(self, total: int, piece: int, fitted: Callable[[], dict[str, Any]]) -> Iterator[int]:
        """Yield the lengths of the subtasks that make up ``total``, until told to stop."""
        for done in range(0, total, piece):
            length = min(piece, total - done)
            self.begin(f"steps {done + 1} to {done + length}")
            yield length
            if self.end(fitted):
                return

    def close(self) -> None:
        """Report the finished fit; the learner has its fitted attributes by now."""
        self._fit.call_on_fit_task_end(**self._about, reconstruction_attributes={})


def report_every(learner: Any, n_steps: int) -> int:
    """Return after how many steps to report: a hundred times, or never if nobody listens."""
    return -(-n_steps // 100) if getattr(learner, "_skl_callbacks", ()) else n_steps


def all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Make a fit that fails leave the learner as it was, fitted before or not."""

    @functools.wraps(fit)
    def guarded(learner: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(learner))
        try:
            return fit(learner, *args, **kwargs)
        except BaseException:
            learner.__dict__.clear()
            learner.__dict__.update(before)
            raise

    return guarded


# ---------------------------------------------------------------- the learners' base


class Learner(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """A classifier made of binary scores: one-vs-rest by argmax, one-vs-one by votes."""

    classes_: np.ndarray

    def _validate(
        self, X: Any, y: Any, *, classes: Any = None, reset: bool = True
    ) -> tuple[Any, np.ndarray, np.ndarray]:
        """Return X, y as arrays and y as codes 0, 1, ...; set ``classes_``.

        ``reset=False`` keeps the classes and features of an earlier call.
        """
        X, y = self._check_X_y(X, y, reset)
        found, codes = label_codes(y)
        if found.dtype.kind not in "biuSU":  # else there is nothing to find out
            check_classification_targets(found)
        if reset:
            self.classes_ = found if classes is None else np.unique(classes)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"{type(self).__name__} needs at least 2 classes in y, got 1 class: "
                    f"{self.classes_.tolist()}. Check the labels, or how the data was split."
                )
        if len(found) != len(self.classes_) or not np.array_equal(found, self.classes_):
            unknown = np.setdiff1d(found, self.classes_)
            if len(unknown) > 0:
                raise ValueError(
                    f"y must hold labels among classes {self.classes_.tolist()}, got also "
                    f"{unknown.tolist()}. Name all classes in the first call of partial_fit."
                )
            codes = np.searchsorted(self.classes_, found)[codes]
        return (_canonical(X) if self._squares_entries() else X), y, codes

    def _squares_entries(self) -> bool:
        """Tell whether an entry of X that is stored in parts would be taken for several."""
        return True

    def _check_X_y(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        rules: dict[str, Any] = {"dtype": FLOATS, "order": "C", "accept_sparse": "csr"}
        if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biuU":
            # Nothing can be wrong with such labels but their number: skip the general checks.
            X = validate_data(self, X, reset=reset, **rules)
            check_consistent_length(X, y)
            return X, y
        return validate_data(self, X, y, reset=reset, **rules)

    def _binary_scores(self, X: Any) -> np.ndarray:
        """Return the scores of all binary problems, shape (n_samples, n_problems)."""
        raise AttributeError(f"{type(self).__name__} defines no scores.")

    def _check_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=FLOATS, order="C", accept_sparse="csr")

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores: (n_samples,) for two classes, else (n_samples, n_classes).

        For two classes a positive score speaks for ``classes_[1]``.  One-vs-one, where a
        learner has it, returns the votes of each class plus a term below 1/3 that grows with the
        summed scores, so that ties between votes go to the class with the larger sum.
        """
        scores = self._binary_scores(self._check_predict(X))
        return combined(scores, len(self.classes_), getattr(self, "multi_class_", "ovr"))

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of the largest score; a two-class score of 0 gives ``classes_[0]``."""
        decision = self.decision_function(X)  # first: it says if the learner is not fitted
        return self.classes_[chosen(decision)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearLearner(Learner):
    """A learner whose binary scores are ``X @ coef_.T + intercept_``."""

    coef_: np.ndarray
    intercept_: np.ndarray

    def _binary_scores(self, X: Any) -> np.ndarray:
        return np.asarray(safe_sparse_dot(X, self.coef_.T) + self.intercept_)

    def _linear_attributes(self, weights: np.ndarray, dtype: Any) -> dict[str, np.ndarray]:
        """Split (n_problems, n_features + 1) weights into ``coef_`` and ``intercept_``."""
        with np.errstate(over="ignore"):
            weights = weights.astype(dtype)
        if not np.all(np.isfinite(weights)):
            raise ValueError(
                f"{type(self).__name__} expected weights that fit into {np.dtype(dtype)}, but they "
                "overflow: the features are too large, or the regularisation too small. Scale the "
                "data, for example with sklearn.preprocessing.StandardScaler, or regularise more."
            )
        return {
            "coef_": weights[:, :-1],
            "intercept_": weights[:, -1],
        }


@jit
def _repeats(indices, indptr, n_columns):
    """Tell whether some row has two entries in one column."""
    last = np.full(n_columns, -1)
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            if last[indices[k]] == i:
                return True
            last[indices[k]] = i
    return False


def _canonical(X: Any) -> Any:
    """A CSR matrix without repeated entries (some loops square single entries), else ``X``.

    The order of the entries does not matter, so that they are not sorted.
    """
    if not sparse.issparse(X) or X.has_canonical_format:
        return X
    if _repeats(X.indices, X.indptr, X.shape[1]):
        X = X.copy()
        X.sum_duplicates()
    return X
