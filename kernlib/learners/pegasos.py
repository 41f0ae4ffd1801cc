r"""Pegasos: linear SVM and logistic regression by stochastic sub-gradient steps.

Minimises :math:`\frac{\lambda}{2}\|w - w_0\|^2 + \sum_i c_i\,\ell(y_i\langle w, x_i\rangle)
/ \sum_i c_i`; step t has length :math:`1/(\lambda t)`.
Chapter: ``book/pegasos.md``.  Tests: ``tests/learners/test_pegasos.py``.
"""

import copy
from typing import Any

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils.metaestimators import available_if

from kernlib.learners import pegasos_inputs as inputs
from kernlib.learners.base import (
    LinearLearner,
    Watch,
    all_or_nothing,
    binary_problems,
    refuse_overflow,
    report_every,
)
from kernlib.learners.crammer_singer import MulticlassRun
from kernlib.learners.losses import probabilities
from kernlib.learners.pegasos_run import BinaryRun
from kernlib.learners.sampling import VisitingOrder, as_visits, streams
from kernlib.learners.scaled import PegasosRun, Rule


class Pegasos(LinearLearner):
    r"""Linear classifier by primal estimated sub-gradient steps.

    Minimises :math:`f(w) = \frac{\lambda}{2}\|w - w_0\|^2 +
    \sum_i c_i\,\ell(y_i\langle w, x_i\rangle) / \sum_i c_i`.

    Parameters
    ----------
    lam : float, default=1e-4
        The regularisation :math:`\lambda`.  It relates to an SVM's C by
        :math:`\lambda = 1/(C n)`, and to ``alpha`` of ``SGDClassifier`` as an equal.
    loss : {"hinge", "logistic"}, default="hinge"
        :math:`\ell(m) = \max(0, 1-m)` or :math:`\ln(1 + e^{-m})`, natural logarithm.  A
        :math:`\lambda` meant for :math:`\log_2` is multiplied by ln 2 to mean the same here.
    n_steps : int, default=100_000
        The steps T of each binary problem.
    batch_size : int, default=1
        Examples in a step; the step follows the mean of their sub-gradients.
    sampling : {"replacement", "permutation", "reshuffle", "cyclic"}, default="replacement"
        Independent draws; one random order kept for all epochs; a new one each epoch; the
        given order.
    output : {"last", "average", "suffix"}, default="last"
        The final w; the mean of :math:`w_1, \dots, w_T` (the iterates before each step, to
        which the regret bound applies); the mean of the last ``suffix`` of them.
    suffix : float, default=0.5
        The share of the steps in the mean, with ``output="suffix"``.
    project : bool, default=False
        After each step go back to the ball around :math:`w_0` that holds the minimiser: radius
        :math:`1/\sqrt\lambda` for the hinge loss and no prior, in general
        :math:`\sqrt{L/\lambda}` with L the mean loss at :math:`w_0`.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of the examples of a class; ``"balanced"`` is
        n / (n_classes n_k) for a class with n_k of n examples: for two classes the N / (2 N±)
        of weighted SVMs.  With several classes a point keeps its own class's weight in all
        binary problems.
    prior : array-like, FrozenEstimator or None, default=None
        The weights :math:`w_0` to stay close to (transfer): one row a binary problem, or a
        class with ``"crammer_singer"``; n_features columns, and one more for the intercept
        if it is fitted.  Or a fitted linear model wrapped in
        ``sklearn.frozen.FrozenEstimator``.  In the form C × loss + ½‖w − w₀‖², C is 1/lam.
    fit_intercept : bool, default=True
        Add a constant feature 1.  Its weight is regularised like the others.
    multi_class : {"ovr", "ovo", "crammer_singer"}, default="ovr"
        With more than two classes: one against the rest, each pair, or one problem with one
        slack per point (hinge only; its step is derived in
        ``kernlib.learners.crammer_singer``).
    record_objective : int, default=0
        Store f of what ``output`` would return, every so many steps; 0 for never.
    random_state : int, RandomState instance or None, default=None
        Decides the draws.

    Attributes
    ----------
    coef_ : ndarray of shape (n_problems, n_features)
        The weights; float32 for float32 data (sums run in float64 all the same).
    intercept_ : ndarray of shape (n_problems,)
        The weights of the constant feature.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    objective_path_ : ndarray of shape (n_records, n_problems)
        f after ``record_objective``, twice ``record_objective``, ... steps; its own problem's
        rows only, and a single column with ``"crammer_singer"``.
    n_steps_ : ndarray of shape (n_problems,)
        Steps made so far, calls of ``partial_fit`` included.
    multi_class_ : {"ovr", "ovo", "crammer_singer"}
        How the classes were split when it was fitted.

    Notes
    -----
    For the hinge loss, no prior and no weights::

        L1  w = 0
        L2  for t = 1, 2, ... with i = order[t]:
        L3      eta = 1 / (lam t)
        L4      m = y_i <w, x_i>
        L5      w = (1 - eta lam) w
        L6      if m < 1:
        L7          w = w + eta y_i x_i
        L8      if project: w = w min(1, 1 / (sqrt(lam) ||w||))
        L9  return w

    In general L7 is :math:`w + \eta\,c_i\,(-\ell'(m))\,y_i x_i`.  Weights: with
    ``"replacement"`` an example is drawn in proportion to its weight and steps with
    :math:`c_i = 1`, otherwise :math:`c_i` is its weight over the mean weight.

    References
    ----------
    .. [1] S. Shalev-Shwartz, Y. Singer, N. Srebro, A. Cotter (2011). Pegasos: primal estimated
       sub-gradient solver for SVM. Mathematical Programming 127(1), Figures 1 and 2.
    .. [2] A. Rakhlin, O. Shamir, K. Sridharan (2012). Making gradient descent optimal for
       strongly convex stochastic optimization. ICML. (Suffix averaging.)

    Examples
    --------
    >>> from kernlib import Pegasos
    >>> X, y = [[0, 1], [1, 0], [2, 1], [1, 2]], ["up", "down", "down", "up"]
    >>> Pegasos(lam=0.1, n_steps=1000, random_state=0).fit(X, y).predict([[0, 3], [3, 0]])
    array(['up', 'down'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        lam: float = 1e-4,
        loss: str = "hinge",
        n_steps: int = 100_000,
        batch_size: int = 1,
        sampling: str = "replacement",
        output: str = "last",
        suffix: float = 0.5,
        project: bool = False,
        class_weight: Any = None,
        prior: Any = None,
        fit_intercept: bool = True,
        multi_class: str = "ovr",
        record_objective: int = 0,
        random_state: Any = None,
    ) -> None:
        self.lam = lam
        self.loss = loss
        self.n_steps = n_steps
        self.batch_size = batch_size
        self.sampling = sampling
        self.output = output
        self.suffix = suffix
        self.project = project
        self.class_weight = class_weight
        self.prior = prior
        self.fit_intercept = fit_intercept
        self.multi_class = multi_class
        self.record_objective = record_objective
        self.random_state = random_state

    @all_or_nothing
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Pegasos":
        """Fit on ``X`` (n_samples, n_features), dense or CSR, and ``y``; return self."""
        inputs.check_parameters(self)
        X, y, codes = self._validate(X, y)
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        c = inputs.example_weights(self, X, codes, sample_weight)
        runs = self._start(X.shape[1], inputs.first_averaged_step(self))
        orders = self._bind(runs, X, codes, c)
        total, batch = int(self.n_steps), int(self.batch_size)
        piece = int(self.record_objective) or report_every(self, total)
        watch = Watch(self, X, y, -(-total // piece), metadata)
        path = []
        for n_steps in watch.pieces(total, piece, lambda: self._fitted(runs, X.dtype)):
            for run, order in zip(runs, orders, strict=True):
                run.advance_along(order, n_steps, batch)
            if n_steps == self.record_objective:
                path.append([run.objective(c) for run in runs])
        self.__dict__.update(self._fitted(runs, X.dtype))
        self.objective_path_ = np.array(path).reshape(len(path), len(runs))
        self._keep(runs)
        watch.close()
        return self

    @all_or_nothing
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "Pegasos":
        """Go once through ``X`` in the given order; return self.

        The step counter goes on from call to call (and from ``fit``), so a stream in pieces (of
        whole batches) equals the stream at once.  ``classes`` names all labels, in the first
        call.  ``n_steps``, ``sampling`` and ``record_objective`` play no part; a weight multiplies
        its example's step as it is, since the mean weight of a stream is not known.
        """
        inputs.check_parameters(self)
        going_on = hasattr(self, "_runs")
        inputs.check_streamable(self, sample_weight is not None)
        inputs.check_classes(self, classes, going_on)
        if going_on:
            inputs.check_unchanged(self)
        X, y, codes = self._validate(X, y, classes=classes, reset=not going_on)
        c = inputs.example_weights(self, X, codes, sample_weight)
        first = inputs.first_averaged_step(self)
        # A copy: if an example is refused later, the learner stays where it was.
        runs = copy.deepcopy(self._runs) if going_on else self._start(X.shape[1], first)
        for run, target in zip(runs, self._targets(codes), strict=True):
            rows = run.rows_in(target)
            run.bind(X, target, c)
            if self.project:
                run.set_radius(None)
            run.advance(as_visits(rows), int(self.batch_size))
        self.__dict__.update(self._fitted(runs, X.dtype))
        self.__dict__.pop("objective_path_", None)  # of a fit that this goes on from
        self._keep(runs)
        return self

    def _keep(self, runs: list[PegasosRun]) -> None:
        """Keep the state, for ``partial_fit`` to go on from, but not the data."""
        for run in runs:
            run.release()
        self._runs = runs

    def _squares_entries(self) -> bool:
        return self.project  # norms of rows; products and sums may take an entry in parts

    def _targets(self, codes: np.ndarray) -> list[np.ndarray]:
        if self.multi_class == "crammer_singer":
            return [codes]
        return binary_problems(codes, len(self.classes_), self.multi_class)

    def _start(self, n_features: int, first: int) -> list[PegasosRun]:
        """Return a run for each problem, at w_0."""
        rule = Rule(lam=float(self.lam), bias=float(self.fit_intercept), first=first)
        prior = inputs.prior_rows(self, n_features)
        if self.multi_class == "crammer_singer":
            return [MulticlassRun((len(self.classes_), n_features + 1), rule, prior)]
        priors = [None] * inputs.n_problems(self) if prior is None else list(prior)
        return [BinaryRun((n_features + 1,), rule, w, self.loss) for w in priors]

    def _bind(
        self, runs: list[PegasosRun], X: Any, codes: np.ndarray, c: np.ndarray | None
    ) -> list[VisitingOrder]:
        """Give each run its data, and return the order in which it will visit it."""
        orders = []
        targets = self._targets(codes)
        rngs = streams(self.random_state, len(targets))
        for run, target, rng in zip(runs, targets, rngs, strict=True):
            rows = run.rows_in(target) if self.multi_class == "ovo" else np.arange(len(codes))
            drawn, stepped = inputs.split_weights(c, rows, self.sampling)
            orders.append(VisitingOrder(rows, self.sampling, rng, drawn))
            run.bind(X, target, stepped)
            if self.project:
                run.set_radius(c)
        return orders

    def _fitted(self, runs: list[PegasosRun], dtype: Any) -> dict[str, Any]:
        """Return the fitted attributes, as if the runs stopped here."""
        for run in runs:
            refuse_overflow(run.v, type(self).__name__)
        weights = np.concatenate([run.coefficients() for run in runs])
        steps = np.array([run.t for run in runs])
        fitted = {"n_steps_": steps, "multi_class_": self.multi_class}
        return self._linear_attributes(weights, dtype) | fitted

    @available_if(inputs.has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class, (n_samples, n_classes), for the logistic loss.

        One-vs-rest probabilities are divided by their sum.
        """
        return probabilities(self.decision_function(X))
