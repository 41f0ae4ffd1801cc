"""Prediction in blocks, kinds of data and kernels, model selection, callbacks: for all of them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from kernlib import KernelPerceptron
from kernlib.gram import Gram, Pairs
from kernlib.kernels import Exponential, Gaussian, Linear, Polynomial, Precomputed
from kernlib.learners import kernel_base, kernel_history
from kernlib.learners.kernel_base import KernelLearner, Reporter, Solution


class MeanOfLabels(KernelLearner):
    """f(x) = the mean of w_i y_i K(x_i, x), plus 1/4: a learner that needs no loop."""

    def __init__(self, kernel="rbf", gram_dtype="auto", max_memory=2048, keep_scores=True):
        self.kernel = kernel
        self.gram_dtype = gram_dtype
        self.max_memory = max_memory
        self.keep_scores = keep_scores

    def fit(self, X, y, sample_weight=None):
        return self._fit(X, y, sample_weight)

    def _check_parameters(self):
        self._check_kernel_parameters()

    def _n_subtasks(self):
        return 1

    def _solve(self, gram, codes, rows, reporter, sample_weight=None):
        coef = np.zeros((1, len(codes)))
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        coef[0, rows] = (weights * (2 * codes - 1))[rows] / len(rows)
        points = np.arange(len(codes))
        scores = coef @ gram.block(rows if len(rows) == len(codes) else points, points) + 0.25
        return Solution(
            coef, np.array([0.25]), scores if self.keep_scores else None, {"n_iter_": 1}
        )


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def two(iris):
    X, y = iris
    return X, (y == 1).astype(int)


# ---------------------------------------------------------------- the solution


@pytest.mark.parametrize("keep_scores", [True, False])
@pytest.mark.parametrize("max_memory", [2048, 0])
def test_scores_are_sums_of_kernel_terms(two, keep_scores, max_memory):
    X, y = two
    learner = MeanOfLabels(Gaussian(0.3), "float64", max_memory, keep_scores).fit(X, y)
    K = Gaussian(0.3)(X)
    expected = K @ (2 * y - 1) / len(y) + 0.25
    np.testing.assert_allclose(learner.decision_function(X), expected, rtol=1e-12)
    gram = learner._gram(X)
    solution = learner._solve(gram, y, np.arange(len(y)), Reporter())
    points = np.array([3, 140, 77])
    np.testing.assert_allclose(solution.scores_on(gram, points)[:, 0], expected[points], rtol=1e-12)


def test_only_examples_with_a_coefficient_are_kept(two):
    X, y = two
    weights = np.where(np.arange(len(y)) % 3 == 0, 2.0, 0.0)
    learner = MeanOfLabels(Gaussian(0.3)).fit(X, y, weights)
    assert learner.support_.tolist() == list(range(0, len(y), 3))
    np.testing.assert_array_equal(learner.support_vectors_, X[::3])
    np.testing.assert_array_equal(learner.dual_coef_[0], (2 * y - 1)[::3] * 2.0 / len(y))
    assert learner.n_support_.tolist() == [50]
    assert learner.intercept_.tolist() == [0.25]
    assert learner.n_iter_ == 1
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        learner.fit(X, y, -weights)


def test_a_solution_without_support_vectors_predicts_its_intercept(two):
    X, y = two
    learner = MeanOfLabels(Gaussian(0.3)).fit(X, y)
    solution = Solution(np.zeros((1, len(y))), np.array([0.25]))
    learner.__dict__.update(learner._fitted(X, learner._gram(X), solution))
    assert learner.support_vectors_.shape == (0, 4)
    assert learner.decision_function(X).tolist() == [0.25] * len(y)


# ---------------------------------------------------------------- prediction


@pytest.mark.parametrize("predictor", ["last", "voted"])
def test_prediction_in_blocks(iris, monkeypatch, predictor):
    X, y = iris
    learner = KernelPerceptron(kernel=Gaussian(1.0), predictor=predictor).fit(X, y)
    gram = Gram(Gaussian(1.0), Pairs(X))
    solution = learner._solve(gram, y, np.arange(len(y)), Reporter())
    solution.scores = None
    whole, on_all = learner.decision_function(X), solution.scores_on(gram, np.arange(len(y)))
    for module in (kernel_base, kernel_history):
        monkeypatch.setattr(module, "PREDICTION_BLOCK", 7 * len(learner.support_))
    np.testing.assert_allclose(learner.decision_function(X), whole, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(solution.scores_on(gram, np.arange(len(y))), on_all, rtol=1e-12)
    one_by_one = np.concatenate([learner.decision_function(x[np.newaxis]) for x in X])
    np.testing.assert_allclose(one_by_one, whole, rtol=1e-5, atol=1e-5)


def test_numbers_are_float32_if_matrix_and_data_are(two, monkeypatch):
    X, y = two
    used = []
    plain = MeanOfLabels._support_values
    monkeypatch.setattr(
        MeanOfLabels,
        "_support_values",
        lambda self, X, S, norms: used.append(S.dtype) or plain(self, X, S, norms),
    )
    for kernel, form, dtype in (
        (Gaussian(0.1), np.float32, "float32"),
        (Gaussian(0.1), np.float64, "float64"),
        (Exponential(gamma=1.0), np.float32, "float64"),
    ):
        learner = MeanOfLabels(kernel).fit(X.astype(form), y)
        scores = learner.decision_function(X.astype(form))
        assert used.pop() == dtype
        expected = kernel(X) @ (2 * y - 1) / len(y) + 0.25
        np.testing.assert_allclose(scores, expected, rtol=1e-13 if form == np.float64 else 1e-5)
    assert learner.gram_dtype_ == "float64"
    assert "float32 is not accurate enough" in learner.gram_note_
    asked = MeanOfLabels(Gaussian(0.1), gram_dtype="float64").fit(X, y)
    assert (asked.gram_dtype_, asked.gram_note_) == ("float64", "float64 was asked for")
    asked = MeanOfLabels(Gaussian(0.1), gram_dtype="float32").fit(X, y)
    assert X.dtype == np.float64
    np.testing.assert_allclose(
        asked.decision_function(X), Gaussian(0.1)(X) @ (2 * y - 1) / len(y) + 0.25, rtol=1e-5
    )
    assert used == [np.float32]


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1.0, 1e30, 1e200])
def test_float32_sums_neither_overflow_nor_vanish(two, size):
    X, y = two[0].astype(np.float32), two[1]
    power = Polynomial(degree=9)
    learner = MeanOfLabels(power).fit(X, y)
    learner.dual_coef_, learner.intercept_ = size * learner.dual_coef_, 0 * learner.intercept_
    for rows in (X, X * np.float32(1e3)):  # values up to 1e33, their sum times size beyond float32
        expected = size * power(rows.astype(float), X.astype(float)) @ (2 * y - 1) / len(y)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(learner.decision_function(rows), expected, atol=1e-5 * scale)


def test_rows_larger_than_those_of_the_fit(two):
    """Where float32 was enough to fit, float64 takes over, as long as it is enough."""
    X, y = two[0].astype(np.float32), two[1]
    power = Polynomial(degree=9)
    learner = MeanOfLabels(power).fit(X, y)
    assert learner.gram_dtype_ == "float32"
    far = X * np.float32(1e6)  # values up to 1e60
    expected = power(far.astype(float), X.astype(float)) @ (2 * y - 1) / len(y) + 0.25
    np.testing.assert_allclose(learner.decision_function(far), expected, rtol=1e-9)
    with pytest.raises(ValueError, match=r"must fit into float64, but some.*infinite.*Pipeline"):
        learner.predict(X * np.float32(1e36))


# ---------------------------------------------------------------- kinds of data and kernels


def test_gamma_is_resolved_on_the_training_rows(two):
    X, y = two
    learner = MeanOfLabels("rbf").fit(X, y)
    assert learner.kernel_ == Gaussian(gamma=1 / (4 * X.var()))
    alone = learner.decision_function(X[:1])
    np.testing.assert_allclose(alone, learner.decision_function(X)[:1], rtol=1e-5)


@pytest.mark.parametrize("kernel", ["precomputed", Precomputed()], ids=["name", "object"])
def test_precomputed_values(iris, kernel):
    X, y = iris
    K = Gaussian(0.5)(X)
    given = KernelPerceptron(kernel=kernel).fit(K, y)
    computed = KernelPerceptron(kernel=Gaussian(0.5), gram_dtype="float64").fit(X, y)
    np.testing.assert_array_equal(given.dual_coef_, computed.dual_coef_)
    np.testing.assert_allclose(given.decision_function(K[:9]), computed.decision_function(X[:9]))
    assert given.support_vectors_.shape == (0, 0)
    assert get_tags(given).input_tags.pairwise
    assert not get_tags(computed).input_tags.pairwise
    scores = cross_val_score(KernelPerceptron(kernel=kernel), K, y, cv=3)
    ours = KernelPerceptron(kernel=Gaussian(0.5), gram_dtype="float64")
    np.testing.assert_array_equal(scores, cross_val_score(ours, X, y, cv=3))
    with pytest.raises(ValueError, match=r"square matrix K\(x_i, x_j\) to fit, got shape \(150, 4"):
        given.fit(X, y)


def test_sparse_precomputed_values(iris):
    X, y = iris
    K = Polynomial(2)(X)
    dense = KernelPerceptron(kernel="precomputed").fit(K, y)
    csr = KernelPerceptron(kernel="precomputed").fit(sparse.csr_array(K), y)
    np.testing.assert_array_equal(csr.dual_coef_, dense.dual_coef_)
    np.testing.assert_array_equal(csr.predict(sparse.csr_array(K)), dense.predict(K))


def cube(X, Z):
    return (X @ Z.T + 1) ** 3


def test_a_function_is_a_kernel(iris):
    X, y = iris
    by_function = KernelPerceptron(kernel=cube).fit(X, y)
    by_object = KernelPerceptron(kernel=Polynomial(3), gram_dtype="float64").fit(X, y)
    np.testing.assert_array_equal(by_function.dual_coef_, by_object.dual_coef_)
    np.testing.assert_array_equal(by_function.predict(X), by_object.predict(X))


@pytest.mark.parametrize("names", [["a", "b", "c"], [-7, 0, 12], [0.0, 1.0, 2.0]], ids=str)
def test_labels_of_any_kind(iris, names):
    X, y = iris
    names = np.array(names)
    learner = KernelPerceptron().fit(X, names[y])
    assert learner.classes_.tolist() == names.tolist()
    assert np.array_equal(learner.predict(X), names[KernelPerceptron().fit(X, y).predict(X)])


def test_data_frames_keep_their_names(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = KernelPerceptron().fit(frame, pd.Series(y))
    assert fitted.feature_names_in_.tolist() == list("abcd")
    assert np.array_equal(fitted.predict(frame), KernelPerceptron().fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[list("dcba")])


@pytest.mark.parametrize("predictor", ["last", "average", "voted", "best"])
def test_pickles_predict_the_same(iris, predictor):
    X, y = iris
    learner = KernelPerceptron(kernel=Linear() + 0.5 * Gaussian(), predictor=predictor).fit(X, y)
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.decision_function(X), learner.decision_function(X))


# ---------------------------------------------------------------- model selection


def test_grid_search_reaches_into_the_kernel(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), KernelPerceptron(kernel=Gaussian(), max_iter=3))
    grid = {"kernelperceptron__kernel__gamma": [0.01, 1.0], "kernelperceptron__max_iter": [1, 4]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    best = search.best_estimator_[-1]
    assert best.kernel_.gamma == search.best_params_["kernelperceptron__kernel__gamma"]
    for parameters, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        alone = clone(pipeline).set_params(**parameters)
        assert score == cross_val_score(alone, X, y, cv=3).mean()
    assert clone(best).get_params()["kernel__gamma"] == best.kernel.gamma


def test_solving_many_is_solving_each(iris):
    X, y = iris
    learners = [KernelPerceptron(max_iter=k) for k in (1, 3)]
    gram, rows = learners[0]._gram(X), np.arange(0, 150, 2)
    many = learners[0]._solve_many(learners, gram, y, rows)
    for learner, solution in zip(learners, many, strict=True):
        alone = learner._solve(gram, y, rows, Reporter())
        np.testing.assert_array_equal(solution.coef, alone.coef)
        np.testing.assert_array_equal(solution.scores, alone.scores)


def test_a_failed_fit_changes_nothing(iris):
    X, y = iris
    fitted = KernelPerceptron().fit(X, y)
    before = fitted.predict(X)
    with pytest.raises(ValueError, match="1 class"):
        fitted.fit(X[:, :2], np.zeros(len(y)))
    with pytest.raises(ValueError, match="max_iter"):
        fitted.set_params(max_iter=0).fit(X, y)
    assert fitted.n_features_in_ == 4
    assert np.array_equal(fitted.predict(X), before)
    with pytest.raises(NotFittedError):
        KernelPerceptron().predict(X)


# ---------------------------------------------------------------- callbacks


class Recorder:
    """A callback that writes down what it is told, and may ask to stop."""

    def __init__(self, stop_after=None):
        self.stop_after, self.ended, self.fits = stop_after, [], []

    def setup(self, estimator, context):
        self.max_subtasks = context.max_subtasks

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.ended.append(context.task_name)
        self.fits.append(fitted_estimator.decision_function(X))
        return self.stop_after is not None and len(self.ended) >= self.stop_after


@pytest.mark.parametrize("max_memory", [2048, 0], ids=["matrix", "blocks"])
@pytest.mark.parametrize("predictor", ["last", "average", "voted", "best"])
def test_what_a_callback_sees_is_a_fit_that_stopped_there(iris, predictor, max_memory):
    X, y = iris
    options = {"kernel": Linear(), "predictor": predictor, "max_memory": max_memory}
    recorder = Recorder()
    watched = KernelPerceptron(max_iter=4, **options).set_callbacks(recorder).fit(X, y)
    assert recorder.ended == [*(f"epoch {k}" for k in range(1, 5)), "fit"]
    assert recorder.max_subtasks == 4
    for epochs in (1, 3, 4):
        stopped = KernelPerceptron(max_iter=epochs, **options).fit(X, y)
        np.testing.assert_array_equal(recorder.fits[epochs - 1], stopped.decision_function(X))
    np.testing.assert_array_equal(watched.decision_function(X), recorder.fits[-1])


def test_a_callback_can_stop_the_fit(iris):
    X, y = iris
    recorder = Recorder(stop_after=2)
    learner = KernelPerceptron(kernel=Linear(), max_iter=9).set_callbacks(recorder).fit(X, y)
    assert learner.n_iter_.max() == 2
    np.testing.assert_array_equal(learner.decision_function(X), recorder.fits[1])
