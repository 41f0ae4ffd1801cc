"""Many classes, labels, data frames, model selection, and callbacks."""

import io
from contextlib import redirect_stdout

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlib import Pegasos, Perceptron, Winnow
from kernlib.learners.base import _canonical, binary_problems, label_codes

LEARNERS = [Perceptron(max_iter=7), Pegasos(n_steps=1000, random_state=0), Winnow(binarize=0.0)]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda e: type(e).__name__)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def test_binary_problems():
    codes = np.array([0, 1, 2, 1])
    assert [p.tolist() for p in binary_problems(codes, 3, "ovr")] == [
        [1, -1, -1, -1],
        [-1, 1, -1, 1],
        [-1, -1, 1, -1],
    ]
    assert [p.tolist() for p in binary_problems(codes, 3, "ovo")] == [
        [-1, 1, 0, 1],
        [-1, 0, 1, 0],
        [0, -1, 1, -1],
    ]
    assert {p.dtype for p in binary_problems(codes, 3, "ovo")} == {np.dtype(np.int8)}
    assert [p.tolist() for p in binary_problems(codes % 2, 2, "ovo")] == [[-1, 1, -1, 1]]


@pytest.mark.parametrize(
    "y",
    [
        np.tile(np.array([-128, 0, 127], dtype=np.int8), 100),
        np.tile(np.array([0, 255], dtype=np.uint8), 200),
        np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array([5, 3, 3, 9]),
        np.array([True, False, True]),
        np.array(["b", "a", "b"]),
        np.array([1.5, -2.0, 1.5]),
    ],
    ids=str,
)
def test_label_codes_are_those_of_unique(y):
    classes, codes = label_codes(y)
    expected, expected_codes = np.unique(y, return_inverse=True)
    assert classes.dtype == y.dtype
    assert classes.tolist() == expected.tolist()
    assert codes.tolist() == expected_codes.tolist()


@each_learner
def test_labels_of_any_kind(iris, learner):
    X, y = iris
    codes = clone(learner).fit(X, y).predict(X)
    strings = np.array(["setosa", "versicolor", "virginica"])
    for names in (
        strings,
        strings.astype(object),
        np.array([-7, 0, 12]),
        np.array([0.0, 1.0, 2.0]),
    ):
        fitted = clone(learner).fit(X, names[y])
        assert fitted.classes_.tolist() == names.tolist()
        assert np.array_equal(fitted.predict(X), names[codes])


@each_learner
def test_data_frames_keep_their_names(iris, learner):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = clone(learner).fit(frame, pd.Series(y))
    assert fitted.feature_names_in_.tolist() == list("abcd")
    assert np.array_equal(fitted.predict(frame), clone(learner).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[list("dcba")])


@each_learner
def test_model_selection_and_pipelines(iris, learner):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), clone(learner))
    scores = cross_val_score(pipeline, X, y)
    assert scores.shape == (5,)
    name = {"Perceptron": "max_iter", "Pegasos": "n_steps", "Winnow": "max_iter"}
    parameter = name[type(learner).__name__]
    search = GridSearchCV(clone(learner), {parameter: [1, 50]}, refit=True).fit(X, y)
    assert search.best_params_[parameter] in (1, 50)
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()


@each_learner
def test_a_failed_fit_changes_nothing(iris, learner):
    X, y = iris
    fitted = clone(learner).fit(X, y)
    before = fitted.predict(X)
    with pytest.raises(ValueError, match="1 class"):
        fitted.fit(X[:, :2], np.zeros(len(y)))
    assert fitted.n_features_in_ == 4
    assert np.array_equal(fitted.predict(X), before)
    fresh = clone(learner)
    with pytest.raises(ValueError, match="1 class"):
        fresh.fit(X, np.zeros(len(y)))
    with pytest.raises(NotFittedError):
        fresh.predict(X)


# ---------------------------------------------------------------- callbacks


class Recorder:
    """A callback that writes down what it is told, and may ask to stop."""

    def __init__(self, stop_after=None):
        self.stop_after, self.begun, self.ended, self.fits = stop_after, [], [], []

    def setup(self, estimator, context):
        self.max_subtasks = context.max_subtasks

    def teardown(self, estimator, context):
        self.torn_down = True

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.ended.append(context.task_name)
        self.fits.append(fitted_estimator.predict(X))
        return self.stop_after is not None and len(self.ended) >= self.stop_after


@each_learner
def test_callbacks_change_nothing_and_see_everything(iris, learner):
    X, y = iris
    recorder = Recorder()
    watched = clone(learner).set_callbacks(recorder).fit(X, y)
    plain = clone(learner).fit(X, y)
    np.testing.assert_allclose(watched.coef_, plain.coef_, rtol=1e-12)
    n_subtasks = len(recorder.ended) - 1
    assert recorder.begun == ["fit", *recorder.ended[:-1]]
    assert recorder.ended[-1] == "fit"
    assert recorder.torn_down
    if isinstance(learner, Pegasos):
        assert n_subtasks == recorder.max_subtasks == 100
    else:
        assert n_subtasks == watched.n_iter_.max() <= recorder.max_subtasks
    assert np.array_equal(recorder.fits[-1], plain.predict(X))


def test_what_a_callback_sees_is_a_fit_that_stopped_there(iris):
    X, y = iris
    for predictor in ("last", "average", "voted", "best"):
        recorder = Recorder()
        Perceptron(max_iter=4, predictor=predictor).set_callbacks(recorder).fit(X, y)
        for epochs in (1, 3):
            stopped = Perceptron(max_iter=epochs, predictor=predictor).fit(X, y)
            assert np.array_equal(recorder.fits[epochs - 1], stopped.predict(X))
    recorder = Recorder()
    options = {"lam": 0.01, "output": "average", "random_state": 0}
    Pegasos(n_steps=700, **options).set_callbacks(recorder).fit(X, y)
    stopped = Pegasos(n_steps=70, **options).fit(X, y)
    assert np.array_equal(recorder.fits[9], stopped.predict(X))


@pytest.mark.parametrize(
    ("learner", "attribute"), [(0, "n_iter_"), (1, "n_steps_"), (2, "n_iter_")]
)
def test_a_callback_can_stop_the_fit(iris, learner, attribute):
    X, y = iris
    stopped = clone(LEARNERS[learner]).set_callbacks(Recorder(stop_after=2)).fit(X, y)
    assert getattr(stopped, attribute).max() == {0: 2, 1: 20, 2: 2}[learner]
    assert stopped.predict(X).shape == y.shape


def test_record_objective_sets_the_pace_of_reports(iris):
    X, y = iris
    recorder = Recorder()
    Pegasos(n_steps=1000, record_objective=250).set_callbacks(recorder).fit(X, y)
    assert recorder.ended == [
        "steps 1 to 250",
        "steps 251 to 500",
        "steps 501 to 750",
        "steps 751 to 1000",
        "fit",
    ]


@each_learner
def test_scikit_learns_own_callbacks(iris, learner):
    X, y = iris
    monitor = ScoringMonitor(scoring="accuracy")
    printed = io.StringIO()
    with redirect_stdout(printed):
        fitted = clone(learner).set_callbacks(monitor, ProgressBar()).fit(X, y)
    scores = monitor.get_logs().data_as_pandas["accuracy"]
    assert scores.iloc[0] == fitted.score(X, y)  # the fit itself is the first row
    assert len(scores) > 2
    assert type(learner).__name__ in printed.getvalue()


def test_progress_bar_reaches_through_a_grid_search(iris):
    X, y = iris
    printed = io.StringIO()
    search = GridSearchCV(Pegasos(n_steps=200, random_state=0), {"lam": [0.1, 1.0]}, cv=2)
    with redirect_stdout(printed):
        search.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(X, y)
    assert "Pegasos" in printed.getvalue()
    assert search.best_estimator_.n_steps_.tolist() == [200, 200, 200]


def csr(*entries):
    """Return a matrix of 2 x 3 with these entries (row, column, value), in this order."""
    rows, columns, values = zip(*sorted(entries, key=lambda entry: entry[0]), strict=True)
    starts = np.searchsorted(rows, [0, 1, 2])
    return sparse.csr_matrix((np.array(values, float), np.array(columns), starts), shape=(2, 3))


def test_entries_out_of_order_are_taken_as_they_are():
    X = csr((0, 2, 1.0), (0, 0, 5.0), (1, 1, 2.0), (1, 0, 3.0))
    assert not X.has_canonical_format
    assert _canonical(X) is X


@pytest.mark.parametrize("entries", [[(0, 1, 1.0), (0, 1, 2.0)], [(1, 2, 1), (1, 0, 1), (1, 2, 4)]])
def test_entries_that_come_twice_are_added_up(entries):
    X = csr(*entries)
    found = _canonical(X)
    assert found is not X
    assert found.has_canonical_format
    assert np.array_equal(found.toarray(), X.toarray())
    assert len(X.data) == len(entries)  # the caller's matrix stays


def test_the_same_column_in_two_rows_is_no_repetition():
    X = csr((0, 2, 1.0), (0, 0, 1.0), (1, 2, 2.0), (1, 0, 2.0))
    assert _canonical(X) is X


LINEAR = [
    Perceptron(max_iter=3),
    Winnow(max_iter=3, binarize=0.0),
    *(
        Pegasos(lam=0.1, n_steps=200, random_state=0, project=project, multi_class=multi_class)
        for project in (False, True)
        for multi_class in ("ovr", "crammer_singer")
    ),
    Pegasos(lam=0.1, n_steps=50, batch_size=4, output="average", random_state=0),
]


@pytest.mark.parametrize("learner", LINEAR, ids=str)
def test_entries_stored_in_parts_are_their_sum(learner):
    rng = np.random.default_rng(3)
    whole = (rng.random((40, 6)) < 0.5) * 2.0
    y = rng.integers(2 if isinstance(learner, Winnow) else 3, size=40)
    i, j = np.nonzero(whole)
    order = np.argsort(np.append(i, i), kind="stable")
    starts = np.append(0, np.cumsum(2 * np.bincount(i, minlength=40)))
    parts = sparse.csr_array((np.ones(2 * len(i)), np.append(j, j)[order], starts), whole.shape)
    assert not parts.has_canonical_format
    found, expected = clone(learner).fit(parts, y), clone(learner).fit(whole, y)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-9, atol=1e-12)
