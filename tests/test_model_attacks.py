"""Headers made to do harm, each with a valid checksum, are refused for the right reason."""

import struct

import numpy as np
import pytest
from model_bytes import outcome, pack, unpack
from model_examples import MODELS, TRANSFORMERS

from kernlib import KernelPerceptron
from kernlib.persistence import ModelFileError, load_model, save_model
from kernlib.persistence.container import MAX_HEADER


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m"


def taken_apart(path, name):
    save_model(path, MODELS[name])
    return unpack(path.read_bytes())


ATTACKS = {
    "class os.system": (lambda h: h["model"].update({"class": "os.system"}), "unknown class"),
    "class of the library": (lambda h: h["model"].update({"class": "Learner"}), "unknown class"),
    "class list": (lambda h: h["model"].update({"class": ["Pegasos"]}), "unknown class"),
    "attribute __class__": (lambda h: h["model"]["state"].update(__class__=1), "'__class__'"),
    "attribute fit": (lambda h: h["model"]["state"].update(fit="x"), "no 'fit'"),
    "attribute predict": (lambda h: h["model"]["state"].update(predict=None), "no 'predict'"),
    "attribute _skl_callbacks": (
        lambda h: h["model"]["state"].update(_skl_callbacks=[]), "'_skl_callbacks'"),
    "attribute lam in state": (lambda h: h["model"]["state"].update(lam=1), "no 'lam'"),
    "attribute of another class": (lambda h: h["model"]["state"].update(votes_=[]), "'votes_'"),
    "parameter unknown": (lambda h: h["model"]["params"].update(loss_=1), "'loss_'"),
    "parameter wrong": (lambda h: h["model"]["params"].update(lam="x"), "lam must be"),
    "parameter estimator": (
        lambda h: h["model"]["params"].update(
            lam={"estimator": {"class": "Winnow", "params": {}, "state": {}}}), "lam must be one"),
    "parameter record": (
        lambda h: h["model"]["params"].update(lam=h["model"]["state"]["_runs"][0]), "lam must be"),
    "runs of numbers": (lambda h: h["model"]["state"].update(_runs=[1, 2, 3]), "_runs.0. must be"),
    "runs missing": (lambda h: h["model"]["state"].pop("_runs"), "belong to no attribute|_runs"),
    "run of another kind": (
        lambda h: h["model"]["state"]["_runs"][0]["record"].update({"class": "MulticlassRun"}),
        "must be an object with"),
    "run with a step -1": (
        lambda h: h["model"]["state"]["_runs"][0]["record"]["fields"].update(t=-1), "integer >= 0"),
    "array twice": (
        lambda h: h["model"]["state"].update(intercept_=h["model"]["state"]["coef_"]), "nowhere"),
    "shape negative": (lambda h: h["arrays"][0].update(shape=[-3]), "whole numbers"),
    "shape 1e18": (lambda h: h["arrays"][0].update(shape=[10**18]), "larger than|claims"),
    "shape a terabyte": (lambda h: h["arrays"][0].update(shape=[2**37]), "claims 1099511627776"),
    "shape empty but huge": (lambda h: h["arrays"][0].update(shape=[0, 2**61]), "any memory"),
    "shape float": (lambda h: h["arrays"][0].update(shape=[3.0]), "whole numbers"),
    "shape boolean": (lambda h: h["arrays"][0].update(shape=[True]), "whole numbers"),
    "shape of many dimensions": (lambda h: h["arrays"][0].update(shape=[1] * 99), "at most 8"),
    "shape too small": (lambda h: h["arrays"][0].update(shape=[1]), "belong to no|must|claims"),
    "dtype O": (lambda h: h["arrays"][0].update(dtype="|O"), "not allowed"),
    "dtype V": (lambda h: h["arrays"][0].update(dtype="|V8"), "not allowed"),
    "dtype of fields": (lambda h: h["arrays"][0].update(dtype=[["a", "<f8"]]), "not allowed"),
    "dtype big-endian": (lambda h: h["arrays"][0].update(dtype=">f8"), "not allowed"),
    "dtype empty strings": (
        lambda h: h["arrays"][0].update(dtype="<U0", shape=[10**12]), "not allowed"),
    "dtype newline": (lambda h: h["arrays"][0].update(dtype="<f8\n"), "not allowed"),
    "arrays missing": (lambda h: h.pop("arrays"), "no list of arrays"),
    "arrays extra": (
        lambda h: h["arrays"].append({"dtype": "<f8", "order": "C", "shape": [0]}), "no attribute"),
    "member extra": (lambda h: h.update(code="print()"), "must not consist"),
    "version list": (lambda h: h.update(sklearn=[1]), "version of sklearn"),
    "version with markup": (lambda h: h.update(sklearn="1\x1b[31m"), "version of sklearn"),
    "meta list": (lambda h: h.update(meta=[]), "meta must be"),
    "random_state text": (lambda h: h["model"]["params"].update(random_state="x"), "random_state"),
    "seed 1e30": (lambda h: h["model"]["params"].update(random_state=10**30), "64 bits"),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_are_refused(path, attack):
    header, body = taken_apart(path, "pegasos ovr average")
    change, message = ATTACKS[attack]
    change(header)
    text = outcome(path, pack(header, body))
    assert isinstance(text, str)
    with pytest.raises(ModelFileError, match=message):
        load_model(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not valid"),
        (b"[]", "of type list"),
        (b"null", "of type NoneType"),
        (b"[" * 10**4 + b"]" * 10**4, "too deep"),
        (b"[" * 10**6, "too deep"),
        (b'{"a":' * 10**5 + b"1" + b"}" * 10**5, "too deep"),
        (b'{"a":1,"a":2}', "twice"),
        (b'{"shape":NaN}', "NaN"),
        (b'{"shape":-Infinity}', "Infinity"),
        (b'{"a":1e999}', "too large"),
        (b'{"a":' + b"9" * 10**6 + b"}", "64 bits"),
        (b'{"a":-18446744073709551616}', "64 bits"),
        (b"\xff\xfe", "not valid"),
        ('{"a":"é"}'.encode(), "not valid"),
        (b'{"a":1} x', "not valid"),
        (b" " * (MAX_HEADER + 1), "does not fit"),
    ],
)
def test_headers_that_are_no_json(path, text, message):
    assert isinstance(outcome(path, pack(text, b"")), str)
    with pytest.raises(ModelFileError, match=message):
        load_model(path)


def test_nested_estimators_end(path):
    node = {"class": "Winnow", "params": {}, "state": {}}
    for _ in range(300):
        node = {
            "class": "FrozenEstimator",
            "params": {"estimator": {"estimator": node}},
            "state": {},
        }
    header = {"kernlib": "0", "sklearn": "0", "meta": {}, "model": node, "arrays": []}
    assert "nested more than" in outcome(path, pack(header, b""))


def test_an_unfitted_model_is_refused(path):
    for node in (
        {"class": "Winnow", "params": {}, "state": {}},
        {"class": "Pipeline", "params": {"steps": [{"tuple": ["a", {"estimator": {
            "class": "Winnow", "params": {}, "state": {}}}]}]}, "state": {}},
    ):  # fmt: skip
        header = {"kernlib": "0", "sklearn": "0", "meta": {}, "model": node, "arrays": []}
        assert "not fitted" in outcome(path, pack(header, b""))


def test_a_huge_expansion_is_refused_at_once(path):
    save_model(path, TRANSFORMERS["polynomial"])
    header, body = unpack(path.read_bytes())
    for degree in (10**9, 65, {"tuple": [1, 10**18]}, {"tuple": []}, {"tuple": ["a", "b"]}):
        for n_features in (3, 10**6, 10**18, 2**63):
            header["model"]["params"]["degree"] = degree
            header["model"]["state"]["n_features_in_"] = n_features
            header["model"]["state"].pop("feature_names_in_", None)
            assert isinstance(outcome(path, pack(header, body)), str)
    header["model"]["params"]["memory"] = "folder"
    assert "memory" in outcome(path, pack(header, body))


def test_a_cache_folder_is_refused(path):
    header, body = taken_apart(path, "pipeline in a pipeline")
    header["model"]["params"]["memory"] = "folder"
    assert "memory must be one of" in outcome(path, pack(header, body))


def test_csr_parts_must_fit(path):
    header, body = taken_apart(path, "perceptron csr")
    votes = header["model"]["state"]["votes_"][0]["record"]["fields"]["rows"]["csr"]
    sizes = [np.dtype(a["dtype"]).itemsize * int(np.prod(a["shape"])) for a in header["arrays"]]
    for part, values in (("indices", (-1, 7, 2**31 - 1)), ("indptr", (-1, 1, 2**31 - 1))):
        start = sum(sizes[: votes[part]])
        for value in values:
            bad = body[:start] + struct.pack("<i", value) + body[start + 4 :]
            assert "fit together" in outcome(path, pack(header, bad))
    votes["shape"] = [10**15, 7]
    assert "fit together" in outcome(path, pack(header, body))


def test_impossible_values_of_a_dtype(path):
    header, body = taken_apart(path, "perceptron voted ovr")
    header["arrays"][0] = {"dtype": "|b1", "order": "C", "shape": [len(body)]}
    assert "neither 0 nor 1" in outcome(path, pack(header, b"\x02" * len(body)))
    header["arrays"][0] = {"dtype": "<U2", "order": "C", "shape": [1]}
    assert "do not exist" in outcome(path, pack(header, struct.pack("<2I", 65, 0x110000)))


def test_bytes_beside_the_arrays_are_refused(path):
    header, body = taken_apart(path, "winnow")
    assert "has 3 bytes that belong to no array" in outcome(path, pack(header, body + b"abc"))
    assert "are left" in outcome(path, pack(header, body[:-1]))


def array_start(header, number):
    """Return where an array begins in the body."""
    sizes = [np.dtype(a["dtype"]).itemsize * int(np.prod(a["shape"])) for a in header["arrays"]]
    return sum(sizes[:number])


@pytest.mark.parametrize("place", [-1, 10**6, 2**62])
def test_a_vote_outside_the_support_vectors_is_refused(path, place):
    header, body = taken_apart(path, "kernel perceptron voted ovr")
    votes = header["model"]["state"]["votes_"][0]["record"]["fields"]
    start = array_start(header, votes["mistakes"]["array"])
    bad = body[:start] + struct.pack("<q", place) + body[start + 8 :]
    assert "places among the support vectors" in outcome(path, pack(header, bad))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("rbf", "must be a kernel"),
        (None, "must be a kernel"),
        (
            {"estimator": {"class": "Gaussian", "params": {"gamma": "scale"}, "state": {}}},
            "numbers",
        ),
        (
            {"estimator": {"class": "Gaussian", "params": {"gamma": -1.0}, "state": {}}},
            "gamma must",
        ),
        ({"estimator": {"class": "Winnow", "params": {}, "state": {}}}, "must be a kernel"),
        ({"estimator": {"class": "Sum", "params": {"left": 1, "right": 2}, "state": {}}}, "kernel"),
    ],
)
def test_a_kernel_that_is_none_is_refused(path, kernel, message):
    header, body = taken_apart(path, "kernel perceptron last ovr")
    header["model"]["state"]["kernel_"] = kernel
    assert message in outcome(path, pack(header, body))


def test_nested_kernels_end(path):
    header, body = taken_apart(path, "kernel perceptron last ovr")
    node = {"estimator": {"class": "Linear", "params": {}, "state": {}}}
    for _ in range(300):
        params = {"kernel": node, "factor": 2.0}
        node = {"estimator": {"class": "Multiple", "params": params, "state": {}}}
    header["model"]["params"]["kernel"] = node
    assert "nested more than" in outcome(path, pack(header, body))


def test_support_vectors_must_fit_the_features(path):
    header, body = taken_apart(path, "kernel perceptron last ovr")
    vectors = header["arrays"][header["model"]["state"]["support_vectors_"]["array"]]
    vectors["shape"] = vectors["shape"][::-1]
    assert "support_vectors_ must have shape" in outcome(path, pack(header, body))


def test_support_of_a_precomputed_kernel_must_be_columns(path):
    header, body = taken_apart(path, "kernel perceptron precomputed")
    number = header["model"]["state"]["support_"]["array"]
    end = array_start(header, number + 1)
    bad = body[: end - 8] + struct.pack("<q", 10**6) + body[end:]
    assert "numbers below" in outcome(path, pack(header, bad))


def test_a_function_is_not_stored(path):
    model = KernelPerceptron(kernel=np.inner, max_iter=1).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(TypeError, match=r"cannot be stored|must be one of"):
        save_model(path, model)
    assert not path.exists()
