r"""Scaling, the constant feature, polynomial expansion, outliers: always fitted on training rows.

Scaling, constant and expansion are transformers for a ``Pipeline``.  A transformer cannot drop
rows, so outliers are found by a function and dropped, in ``fit`` only, by a meta-estimator.
Tests: ``tests/test_preprocessing.py``.
"""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
    clone,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

SCALINGS = ("none", "normalize", "standardize")


class NoScaling(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Leave the features as they are; it stands where a scaler could."""

    def fit(self, X: Any, y: Any = None) -> "NoScaling":
        """Check ``X``; there is nothing to learn."""
        validate_data(self, X, accept_sparse=True, dtype=[np.float64, np.float32])
        return self

    def transform(self, X: Any) -> Any:
        """Return ``X``."""
        check_is_fitted(self, "n_features_in_")
        rules: dict[str, Any] = {"accept_sparse": True, "dtype": [np.float64, np.float32]}
        return validate_data(self, X, reset=False, **rules)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def scaler(name: str) -> Any:
    """Return an unfitted scaler.

    Parameters
    ----------
    name : {"none", "normalize", "standardize"}
        Nothing; (x - min) / (max - min); (x - mean) / standard deviation.

    Examples
    --------
    >>> scaler("standardize")
    StandardScaler()
    """
    makers: dict[str, Any] = {
        "none": NoScaling,
        "normalize": MinMaxScaler,
        "standardize": StandardScaler,
    }
    if name not in makers:
        raise ValueError(f"scaling must be one of {', '.join(SCALINGS)}; got {name!r}. Choose one.")
    return makers[name]()


class AddConstant(TransformerMixin, BaseEstimator):
    """Append a feature that is 1 everywhere, so that a weight of its own becomes the intercept."""

    def fit(self, X: Any, y: Any = None) -> "AddConstant":
        """Check ``X``; there is nothing to learn."""
        validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        return self

    def transform(self, X: Any) -> Any:
        """Return ``X`` with a last column of ones, dense or CSR as it came."""
        check_is_fitted(self, "n_features_in_")
        rules: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}
        X = validate_data(self, X, reset=False, **rules)
        ones = np.ones((X.shape[0], 1), dtype=X.dtype)
        return (
            sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features, and ``constant``."""
        check_is_fitted(self, "n_features_in_")
        if input_features is None:
            default = [f"x{j}" for j in range(self.n_features_in_)]
            input_features = getattr(self, "feature_names_in_", default)
        return np.append(np.asarray(input_features, dtype=object), "constant")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def expansion(degree: int = 2, *, double_constant: bool = False) -> Any:
    """Return a transformer that makes all products of up to ``degree`` features.

    Parameters
    ----------
    degree : int, default=2
        The largest number of factors.
    double_constant : bool, default=False
        False: the constant and every product once (66 columns from 10 features).  True: the way
        of the documents, which append the constant first and then list the features and their
        products: 77 columns, of which 66 are distinct, since x_i and x_i * 1 both occur.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.ones((1, 10))
    >>> expansion().fit_transform(X).shape, expansion(double_constant=True).fit_transform(X).shape
    ((1, 66), (1, 77))
    """
    if not double_constant:
        return PolynomialFeatures(degree)
    return make_pipeline(AddConstant(), PolynomialFeatures(degree, include_bias=False))


# ---------------------------------------------------------------- outliers


def find_outliers(
    X: Any, *, reference: Any = None, threshold: float = 3.0, rule: str = "any"
) -> np.ndarray:
    """Tell which rows of ``X`` are outliers: a feature at least ``threshold`` deviations away.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows to judge.
    reference : array-like or None, default=None
        The rows whose mean and standard deviation (divided by n) count; ``X`` if None.  To keep
        test rows out of it, pass training rows.
    threshold : float, default=3.0
        How many standard deviations are too many.
    rule : {"any", "all"}, default="any"
        A row is out if *any* of its features is, or only if *all* are.  The second is what a
        filter does that keeps a row when any feature is in range: it hardly removes a row.

    Returns
    -------
    ndarray of bool, shape (n_samples,)
    """
    if rule not in ("any", "all"):
        raise ValueError(f"rule must be 'any' or 'all', got {rule!r}. 'any' is the usual one.")
    if not threshold > 0:
        raise ValueError(f"threshold must be a number > 0, got {threshold!r}. 3 is usual.")
    X = check_array(X, dtype=np.float64)
    base = X if reference is None else check_array(reference, dtype=np.float64)
    if base.shape[1] != X.shape[1]:
        raise ValueError(
            f"reference must have the {X.shape[1]} features of X, got {base.shape[1]}. "
            "Pass rows of the same table."
        )
    spread = base.std(axis=0)
    # A feature that never varies makes no row an outlier unless the row differs from it.
    away = np.abs(X - base.mean(axis=0))
    beyond = np.where(spread > 0, away >= threshold * spread, away > 1e-12 * np.abs(X))
    return np.asarray(beyond.any(axis=1) if rule == "any" else beyond.all(axis=1))


def _inner_has(method: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), method))


class DropOutliers(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Fit a classifier without the outliers of its training rows; predict for every row.

    Parameters
    ----------
    estimator : classifier
        What to fit, usually a pipeline that begins with a scaler.
    threshold : float, default=3.0
        A row is dropped if a feature lies at least so many standard deviations from the mean.

    Attributes
    ----------
    estimator_ : classifier
        The fitted one.
    n_dropped_ : int
        How many training rows were left out.
    classes_ : ndarray
        The labels.

    Examples
    --------
    >>> from kernlib import Perceptron
    >>> X, y = [[0.0], [1.0], [0.1], [1.1], [50.0]], [0, 1, 0, 1, 0]
    >>> DropOutliers(Perceptron(), threshold=1.5).fit(X, y).n_dropped_
    1
    """

    def __init__(self, estimator: Any, *, threshold: float = 3.0) -> None:
        self.estimator = estimator
        self.threshold = threshold

    def fit(self, X: Any, y: Any) -> "DropOutliers":
        """Drop the outliers, fit the rest; return self."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        out = find_outliers(X, threshold=self.threshold)
        lost = np.setdiff1d(y[out], y[~out])
        if len(lost) > 0:
            raise ValueError(
                f"DropOutliers must leave rows of every class, but none is left of {lost.tolist()} "
                f"at threshold={self.threshold!r}. Raise the threshold."
            )
        self.n_dropped_ = int(out.sum())
        self.estimator_ = clone(self.estimator).fit(X[~out], y[~out])
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the labels of all rows, outliers or not."""
        inner, X = self._fitted(X)
        return np.asarray(inner.predict(X))

    @_inner_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of all rows."""
        inner, X = self._fitted(X)
        return np.asarray(inner.decision_function(X))

    @_inner_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the class probabilities of all rows."""
        inner, X = self._fitted(X)
        return np.asarray(inner.predict_proba(X))

    def _fitted(self, X: Any) -> tuple[Any, Any]:
        check_is_fitted(self, "estimator_")
        return self.estimator_, validate_data(self, X, reset=False, dtype=[np.float64, np.float32])


def prepare(
    learner: Any,
    *,
    scaling: str = "standardize",
    expand: Any = None,
    remove_outliers: bool = False,
) -> Any:
    """Put what comes before a learner in front of it, in the order of the documents.

    Outliers are dropped first, on the features as they are; then scaling; then the expansion.

    Examples
    --------
    >>> from kernlib import Perceptron
    >>> prepare(Perceptron(), scaling="normalize").steps
    [('scale', MinMaxScaler()), ('learn', Perceptron())]
    """
    steps = [("scale", scaler(scaling)), ("expand", expand), ("learn", learner)]
    pipeline = Pipeline([step for step in steps if step[1] is not None])
    return DropOutliers(pipeline) if remove_outliers else pipeline
