"""What is saved comes back to the bit, or is refused with advice."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from model_examples import FEW, FRAME, MODELS, RNG, TRANSFORMERS, X, Y, pegasos, rows_for, same
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import kernlib.persistence as persistence
from kernlib import BudgetPerceptron, Pegasos, Perceptron, Winnow, kernels
from kernlib.kernels import Kernel
from kernlib.persistence import ModelFileError, load_model, save_model
from kernlib.persistence.kinds import BY_CLASS
from kernlib.preprocessing import AddConstant


@pytest.mark.parametrize("name", MODELS | TRANSFORMERS)
def test_everything_comes_back(name, tmp_path):
    model = (MODELS | TRANSFORMERS)[name]
    save_model(tmp_path / "a", model, {"name": name})
    again, meta = load_model(tmp_path / "a")
    assert meta == {"name": name}
    assert same(model, again)
    save_model(tmp_path / "b", model, {"name": name})
    save_model(tmp_path / "c", again, {"name": name})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() == (tmp_path / "c").read_bytes()


@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_the_same_to_the_bit(name, tmp_path):
    save_model(tmp_path / "m", MODELS[name])
    again, _ = load_model(str(tmp_path / "m"))
    rows = rows_for(name)
    assert same(MODELS[name].decision_function(rows), again.decision_function(rows))
    assert same(MODELS[name].predict(rows), again.predict(rows))


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transforms_are_the_same_to_the_bit(name, tmp_path):
    save_model(tmp_path / "m", TRANSFORMERS[name])
    again, _ = load_model(tmp_path / "m")
    rows = FRAME if name == "polynomial" else rows_for(name)
    assert same(TRANSFORMERS[name].transform(rows), again.transform(rows))


@pytest.mark.parametrize("features", [1, 2, 3, 16, 33, 257])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_bits_at_other_sizes(features, classes, tmp_path):
    rows = RNG.normal(size=(70, features))
    model = Pegasos(**FEW).fit(rows, np.arange(70) % classes)
    save_model(tmp_path / "m", model)
    again, _ = load_model(tmp_path / "m")
    for part in (rows, rows[:1], rows[:7]):
        assert same(model.decision_function(part), again.decision_function(part))


def test_probabilities_come_back(tmp_path):
    model = MODELS["pegasos logistic"]
    save_model(tmp_path / "m", model)
    assert same(load_model(tmp_path / "m")[0].predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("start", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"output": "average"},
        {"multi_class": "crammer_singer", "output": "average"},
        {"multi_class": "ovo", "project": True},
        {"loss": "logistic", "batch_size": 4},
        {"prior": np.ones((3, 8))},
        {"class_weight": {0: 1, 1: 2, 2: 3}},
    ],
)
def test_partial_fit_goes_on(start, options, tmp_path):
    model = Pegasos(n_steps=100, random_state=0, **options)
    model = model.fit(X, Y) if start == "fit" else model.partial_fit(X, Y, classes=[0, 1, 2])
    save_model(tmp_path / "m", model)
    again, _ = load_model(tmp_path / "m")
    before = model.coef_.copy()
    for rows in (slice(40), slice(40, 60)):
        model.partial_fit(X[rows], Y[rows])
        again.partial_fit(X[rows], Y[rows])
    assert not np.array_equal(before, model.coef_)
    assert same(model, again)


def test_fit_and_clone_work_after_loading(tmp_path):
    for name in ("pegasos ovr last", "pipeline", "outliers"):
        save_model(tmp_path / "m", MODELS[name])
        again, _ = load_model(tmp_path / "m")
        assert same(clone(again).fit(X, Y), clone(MODELS[name]).fit(X, Y))


def test_loaded_arrays_are_our_own(tmp_path):
    save_model(tmp_path / "m", MODELS["pegasos ovr last"])
    again, _ = load_model(tmp_path / "m")
    again.coef_ += 1
    assert again.coef_.flags.owndata
    assert same(load_model(tmp_path / "m")[0], MODELS["pegasos ovr last"])


def test_big_endian_and_strided_arrays_are_stored_by_value(tmp_path):
    prior = np.ones((6, 16), dtype=">f8")[::2, ::2]
    save_model(tmp_path / "m", pegasos(prior=prior))
    again, _ = load_model(tmp_path / "m")
    assert np.array_equal(again.prior, prior)
    assert again.prior.dtype == np.dtype("f8")


def test_the_order_in_memory_stays(tmp_path):
    for name, order in (("array", "c_contiguous"), ("fortran", "f_contiguous")):
        save_model(tmp_path / "m", MODELS[f"pegasos prior {name}"])
        assert getattr(load_model(tmp_path / "m")[0].prior.flags, order)


def test_empty_strings_and_odd_text(tmp_path):
    odd = {"": 1.0, "naïve ☃ 𝕏 \x00": 2.0, "\ud800": 3.0}
    model = Perceptron().fit(X, np.array(["", "☃", "𝕏y"])[Y])
    save_model(tmp_path / "m", model, odd)
    again, meta = load_model(tmp_path / "m")
    assert meta == odd
    assert same(model, again)


# ---------------------------------------------------------------- meta and versions


def test_meta_comes_back(tmp_path):
    meta = {"a": [1, 2.5, None, True, "x"], "b": {"c": {}, "d": []}, "e": (1, 2), "big": 2**63}
    save_model(tmp_path / "m", MODELS["winnow"], meta)
    assert load_model(tmp_path / "m")[1] == meta | {"e": [1, 2]}
    save_model(tmp_path / "m", MODELS["winnow"], {"loss": np.float64(0.25)})
    assert same(load_model(tmp_path / "m")[1], {"loss": 0.25})
    save_model(tmp_path / "m", MODELS["winnow"])
    assert load_model(tmp_path / "m")[1] == {}


SELF: list = []
SELF.append(SELF)


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ([1], "meta must be a dict, got list"),
        ({"a": {1: 2}}, r"meta\['a'\] must have strings as keys, got 1"),
        ({"a": [0, np.int64(3)]}, r"meta\['a'\]\[1\] must be .* of type int64. Convert"),
        ({"a": float("nan")}, "finite number"),
        ({"a": 2**64}, "64 bits"),
        ({"a": {1, 2}}, "type set"),
        ({"a": SELF}, "nested more than"),
    ],
)
def test_meta_that_is_no_json_is_refused(meta, message, tmp_path):
    with pytest.raises(TypeError, match=message):
        save_model(tmp_path / "m", MODELS["winnow"], meta)
    assert list(tmp_path.iterdir()) == []


def test_another_scikit_learn_warns(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(persistence.sklearn, "__version__", "1.9.0.dev0")
        save_model(tmp_path / "m", MODELS["pipeline"])
    with pytest.warns(UserWarning, match=r"written with scikit-learn 1\.9\.0\.dev0, this is"):
        again, _ = load_model(tmp_path / "m")
    assert same(again, MODELS["pipeline"])


# ---------------------------------------------------------------- what is not saved


class Sub(Perceptron):
    pass


def _marked():
    model = Perceptron().fit(X, Y)
    model.note_ = "mine"
    return model


def _changed(model, **attributes):
    model = pickle.loads(pickle.dumps(model))
    for name, value in attributes.items():
        setattr(model, name, value)
    return model


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression(), "must be one of Perceptron.*got LogisticRegression"),
        (Sub().fit(X, Y), "got Sub"),
        ("a string", "got str"),
        (_marked(), "Perceptron must have the attributes.*'note_'.*meta"),
        (make_pipeline(FunctionTransformer(), Perceptron()).fit(X, Y), "got FunctionTransformer"),
        (
            pegasos(prior=FrozenEstimator(LogisticRegression().fit(X, Y))),
            "Pegasos.prior.estimator must be.*got LogisticRegression.*as an array",
        ),
        (
            Perceptron(shuffle=True, random_state=np.random.RandomState(0)).fit(X, Y),
            "Perceptron.random_state cannot be stored: it is a RandomState. Use an integer",
        ),
        (pegasos(prior=pd.DataFrame(np.ones((3, 8)))), r"prior.*DataFrame.*to_numpy\(\)"),
        (_changed(MODELS["winnow"], alpha=2 + 1j), "Winnow.alpha cannot be stored.*complex"),
        (_changed(MODELS["winnow"], alpha=2**64), "Winnow.alpha cannot be stored.*int"),
        (_changed(MODELS["winnow"], coef_=np.ones(3, dtype=object)), "coef_ must.*dtype object"),
        (_changed(MODELS["winnow"], coef_=np.ones(3, "M8[s]")), r"coef_ must.*datetime64"),
        (_changed(MODELS["winnow"], coef_=np.ma.ones(3)), "coef_ cannot.*Masked"),
        (_changed(MODELS["winnow"], coef_=sparse.coo_array(np.ones((3, 7)))), r"tocsr\(\)"),
        (_changed(MODELS["winnow"], alpha=SELF), "nested more than"),
        (_changed(MODELS["pegasos balanced"], class_weight={(1, 2): 3}), "labels as keys"),
        (_changed(MODELS["pegasos balanced"], class_weight={np.nan: 3}), "labels as keys"),
    ],
)
def test_what_cannot_be_stored_is_named(model, message, tmp_path):
    with pytest.raises(TypeError, match=message):
        save_model(tmp_path / "m", model)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Perceptron(), "not fitted. Fit it first"),
        (make_pipeline(StandardScaler(), Perceptron().fit(X, Y)), "StandardScaler.*not fitted"),
        (FrozenEstimator(Winnow()), "not fitted"),
        (_changed(MODELS["pipeline"], memory="folder"), "memory must be one of"),
        (_changed(MODELS["perceptron last ovr"], predictor="voted"), "needs votes_.*Fit again"),
        (_changed(MODELS["perceptron last ovr"], multi_class="pairs"), "multi_class must be"),
        (_changed(MODELS["perceptron last ovr"], coef_=np.full((3, 7), np.nan)), "coef_.*finite"),
        (_changed(MODELS["pegasos ovr last"], coef_=np.ones((3, 6))), "6 features, other.* 7"),
        (_changed(MODELS["pegasos ovr last"], coef_=np.ones((2, 7))), "problems"),
        (_changed(MODELS["pegasos ovr last"], multi_class_="crammer_singer"), "runs"),
        (_changed(MODELS["pegasos ovr last"], prior=np.ones((3, 3))), "prior must have shape"),
        (_changed(MODELS["pegasos ovr last"], n_features_in_=True), "integer >= 1, got True"),
        (_changed(MODELS["pegasos ovr last"], classes_=np.array([2, 1, 0])), "labels, sorted"),
        (_changed(TRANSFORMERS["polynomial"], degree=2), "n_output_features_|_max_degree"),
        (_changed(TRANSFORMERS["minmax"], feature_range=(1, 0)), "feature_range"),
        (_changed(MODELS["winnow"], encoding_="ternary"), "encoding_ must be one of"),
        (
            make_pipeline(None, AddConstant().fit(X), make_pipeline(None, Perceptron().fit(X, Y))),
            "step 'perceptron' takes 7 features, gets 8",
        ),
    ],
)
def test_contradictions_are_not_saved(model, message, tmp_path):
    with pytest.raises(ModelFileError, match=f"cannot save this.*(?:{message})"):
        save_model(tmp_path / "m", model)
    assert list(tmp_path.iterdir()) == []


def test_callbacks_are_not_stored(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Perceptron(max_iter=2).set_callbacks(ProgressBar())
        model.__dict__.update(vars(Perceptron(max_iter=2).fit(X, Y)))
    save_model(tmp_path / "m", model)
    assert same(load_model(tmp_path / "m")[0], Perceptron(max_iter=2).fit(X, Y))


def test_a_stream_does_not_go_on_from_a_file(tmp_path):
    learner = BudgetPerceptron(budget=9).partial_fit(X, Y, classes=[0, 1, 2])
    save_model(tmp_path / "m", learner)
    again, _ = load_model(tmp_path / "m")
    assert np.array_equal(again.predict(X), learner.predict(X))
    with pytest.raises(ValueError, match="state of its stream, which a model file does not hold"):
        again.partial_fit(X, Y)


def test_every_kernel_has_model_files():
    ours = {k for k in vars(kernels).values() if isinstance(k, type) and issubclass(k, Kernel)}
    assert ours - {Kernel, kernels.FromFunction} <= set(BY_CLASS)
