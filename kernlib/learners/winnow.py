r"""Winnow: multiply the weights of the active features when a mistake is made.

Update, on a mistake on (x, y): :math:`w_j \leftarrow \alpha^{y} w_j` where :math:`x_j = 1`.
Chapter: ``book/sample_complexity.md``.  Tests: ``tests/learners/test_winnow.py``.
"""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.callback import with_callbacks
from sklearn.preprocessing import binarize

from kernlib._checks import check_flag, check_number, check_option
from kernlib._jit import jit, row_dot, rows_of, scale_row
from kernlib.learners.base import (
    LinearLearner,
    Watch,
    all_or_nothing,
    binary_problems,
)
from kernlib.learners.sampling import VisitingOrder, streams

ENCODINGS = ("auto", "binary", "sign")


@jit
def _winnow_loop(X, y, order, alpha, threshold, w):
    """Run one epoch over ``order``, updating ``w``; return the number of mistakes."""
    n_mistakes = 0
    for i in order:  # L3
        says_yes = row_dot(X, i, w) > threshold  # L4
        if says_yes and y[i] < 0:
            scale_row(X, i, 1.0 / alpha, w)  # L5
            n_mistakes += 1
        elif not says_yes and y[i] > 0:
            scale_row(X, i, alpha, w)  # L6
            n_mistakes += 1
    return n_mistakes  # L7


class Winnow(LinearLearner):
    r"""Littlestone's multiplicative learner, for features that are on or off.

    It learns a disjunction of k among n features with a number of mistakes that grows like
    k log n, where the perceptron's grows like n.

    Parameters
    ----------
    alpha : float, default=2.0
        The factor of a promotion; a demotion divides by it.  More than 1.
    threshold : float or None, default=None
        :math:`\theta`: the positive class is predicted when :math:`\langle w, x\rangle >
        \theta`.  None means the number of features.
    encoding : {"auto", "binary", "sign"}, default="auto"
        Whether the features are in {0, 1} or in {-1, 1}, where -1 means off.  ``"auto"``
        takes them as signs if there is a negative one in the training data.
    max_iter : int, default=20
        The largest number of epochs; an epoch without a mistake ends the run.
    binarize : float or None, default=None
        A feature is on if it is larger than this number.  None: the features must be on or
        off already, anything else is refused.
    shuffle : bool, default=False
        Visit the examples in a new random order each epoch, else in the given order.
    random_state : int, RandomState instance or None, default=None
        Decides the orders when ``shuffle`` is true.

    Attributes
    ----------
    coef_ : ndarray of shape (n_problems, n_features)
        Weights of the features, coded as 0 and 1; they are positive.  With more than two
        classes there is one problem a class, that class against the rest.
    intercept_ : ndarray of shape (n_problems,)
        Minus the threshold.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    encoding_ : {"binary", "sign"}
        How the features were read.
    n_iter_ : ndarray of shape (n_problems,)
        Epochs run.
    n_mistakes_ : ndarray of shape (n_problems,)
        Promotions and demotions made.
    mistakes_per_epoch_ : list of ndarray
        For each problem the mistakes of each epoch.

    Notes
    -----
    ::

        L1  w_j = 1 for all j
        L2  repeat until an epoch makes no mistake, at most max_iter times:
        L3      for i in order:
        L4          yes = <w, x_i> > threshold
        L5          if yes and y_i = -1: w_j = w_j / alpha where x_ij = 1     (demotion)
        L6          if not yes and y_i = +1: w_j = w_j alpha where x_ij = 1   (promotion)
        L7  return w

    If the labels are a disjunction of k of n features and :math:`\theta \ge 1`, there are at
    most :math:`(1+\alpha)\,k\,(\lfloor\log_\alpha\theta\rfloor + 1) +
    \frac{\alpha n}{(\alpha-1)\theta}` mistakes.  For: a promotion multiplies a relevant weight,
    none of which is ever demoted, and only while it is at most :math:`\theta`; so there are at
    most :math:`p \le k(\lfloor\log_\alpha\theta\rfloor+1)` promotions.  A promotion adds at
    most :math:`(\alpha-1)\theta` to the sum of all weights, a demotion takes more than
    :math:`(1-1/\alpha)\theta` from it, and it stays positive.

    References
    ----------
    .. [1] N. Littlestone (1988). Learning quickly when irrelevant attributes abound: a new
       linear-threshold algorithm. Machine Learning 2(4). (This is its Winnow2.)

    Examples
    --------
    >>> from kernlib import Winnow
    >>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]], [1, 0, 0, 1]
    >>> Winnow().fit(X, y).predict([[1, 0, 1], [0, 1, 1]])
    array([1, 0])
    """

    def __init__(
        self,
        *,
        alpha: float = 2.0,
        threshold: float | None = None,
        encoding: str = "auto",
        max_iter: int = 20,
        binarize: float | None = None,
        shuffle: bool = False,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.threshold = threshold
        self.encoding = encoding
        self.max_iter = max_iter
        self.binarize = binarize
        self.shuffle = shuffle
        self.random_state = random_state

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any) -> "Winnow":
        """Fit on ``X`` (n_samples, n_features), dense or CSR, and labels ``y``; return self."""
        self._check_parameters()
        X, y, codes = self._validate(X, y)
        self.encoding_ = self._read_encoding(X)
        active = self._encode(X)
        problems = binary_problems(codes, len(self.classes_), "ovr")
        weights = np.ones((len(problems), X.shape[1]))  # L1
        mistakes: list[list[int]] = [[] for _ in problems]
        sampling = "reshuffle" if self.shuffle else "cyclic"
        order = VisitingOrder(np.arange(len(codes)), sampling, streams(self.random_state, 1)[0])
        alpha, watch = float(self.alpha), Watch(self, X, y, self.max_iter, {})
        for epoch in range(1, self.max_iter + 1):  # L2
            watch.begin(f"epoch {epoch}")
            visits = order.take(len(codes))
            for target, w, counts in zip(problems, weights, mistakes, strict=True):
                if not counts or counts[-1] > 0:
                    counts.append(
                        _winnow_loop(rows_of(active), target, visits, alpha, self._theta(), w)
                    )
            stop = watch.end(lambda: self._fitted(weights, mistakes, X.dtype))
            if stop or all(counts[-1] == 0 for counts in mistakes):
                break
        self.__dict__.update(self._fitted(weights, mistakes, X.dtype))
        watch.close()
        return self

    def _theta(self) -> float:
        return float(self.n_features_in_ if self.threshold is None else self.threshold)

    def _fitted(self, weights: np.ndarray, mistakes: list[list[int]], dtype: Any) -> dict[str, Any]:
        """Return the fitted attributes, as if the run stopped here."""
        augmented = np.column_stack([weights, np.full(len(weights), -self._theta())])
        return self._linear_attributes(augmented, dtype) | {
            "mistakes_per_epoch_": [np.array(counts) for counts in mistakes],
            "n_mistakes_": np.array([sum(counts) for counts in mistakes]),
            "n_iter_": np.array([len(counts) for counts in mistakes]),
        }

    def _read_encoding(self, X: Any) -> str:
        if self.binarize is not None or self.encoding != "auto":
            return "binary" if self.encoding == "auto" else self.encoding
        return "sign" if X.min() < 0 else "binary"

    def _encode(self, X: Any) -> Any:
        """Return the features as 0 and 1, or refuse them."""
        if self.binarize is not None:
            return binarize(X, threshold=self.binarize)
        off = 0.0 if self.encoding_ == "binary" else -1.0
        values = X.data if sparse.issparse(X) else X
        if sparse.issparse(X) and off < 0:
            raise ValueError(
                "Winnow expected features in {-1, 1}, got a sparse matrix, whose zeros are "
                "neither. Code off as 0 and use encoding='binary', or pass a dense array."
            )
        strange = values[(values != off) & (values != 1.0)]
        if strange.size:
            raise ValueError(
                f"Winnow with {self.encoding_!r} encoding expected features in "
                f"{{{off:g}, 1}}, got also {strange.flat[0]:g}. Pass binarize=0.0 (or another "
                "threshold) to turn numbers into on and off."
            )
        return X if off == 0.0 else (X + 1.0) / 2.0

    def _binary_scores(self, X: Any) -> np.ndarray:
        return super()._binary_scores(self._encode(X))

    def _check_parameters(self) -> None:
        number = check_number
        number("alpha", self.alpha, above=1, hint="2 is the classical choice.")
        if self.threshold is not None:
            number("threshold", self.threshold, above=0, hint="None means n_features.")
        if self.binarize is not None:
            number("binarize", self.binarize, hint="None if the features are on or off.")
        number("max_iter", self.max_iter, minimum=1, integer=True, hint="Typical: 5 to 100.")
        check_option("encoding", self.encoding, ENCODINGS)
        check_flag("shuffle", self.shuffle)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # weights are positive: it learns monotone rules
        return tags
