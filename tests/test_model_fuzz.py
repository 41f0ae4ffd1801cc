"""Whatever the bytes are: a model, or ModelFileError; no code runs, no memory is wasted.

Mutated headers are signed again, so that not the checksum but the checks behind it refuse them.
"""

import copy
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_bytes import outcome, pack, unpack
from model_examples import MODELS

from kernlib.persistence import save_model

BASES = [
    "perceptron voted ovr",
    "perceptron csr",
    "perceptron average ovo",
    "object labels",
    "winnow binarize",
    "pegasos ovr average",
    "pegasos crammer_singer last",
    "pegasos prior frozen",
    "pegasos named weights",
    "pipeline of a frame",
    "pipeline in a pipeline",
    "outliers",
]
FUZZ = settings(
    max_examples=300,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name in BASES:
        save_model(folder / "m", MODELS[name], {"seed": 0})
        FILES[name] = (folder / "m").read_bytes()
    return folder / "fuzzed"


FILES: dict[str, bytes] = {}


def usable(model, path):
    """A model that was accepted predicts, and can be saved again."""
    save_model(path, model)
    rows = np.ones((2, model.n_features_in_))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            assert model.predict(rows).shape == (2,)
        except ValueError as error:  # a scaler may turn rows into infinity, or rename them
            if not any(word in str(error) for word in ("NaN", "infinity", "feature names")):
                raise


# ---------------------------------------------------------------- bytes


@given(st.data())
@FUZZ
def test_flips_cuts_and_splices(files, data):
    good = bytearray(FILES[data.draw(st.sampled_from(BASES))])
    other = FILES[data.draw(st.sampled_from(BASES))]
    place = data.draw(st.integers(0, len(good) - 1))
    kind = data.draw(st.sampled_from(["flip", "cut", "splice", "insert", "drop", "noise"]))
    if kind == "flip":
        good[place] ^= data.draw(st.integers(1, 255))
    elif kind == "cut":
        del good[place:]
    elif kind == "splice":
        start = data.draw(st.integers(0, len(other) - 1))
        spliced = bytes(good[:place]) + other[start:]
        if spliced in FILES.values():
            return
        good[:] = spliced
    elif kind == "insert":
        good[place:place] = data.draw(st.binary(min_size=1, max_size=40))
    elif kind == "drop":
        del good[place : place + data.draw(st.integers(1, 40))]
    else:
        good[:] = data.draw(st.binary(max_size=200))
    assert isinstance(outcome(files, bytes(good)), str)


@given(st.data())
@FUZZ
def test_signed_bodies(files, data):
    header, body = unpack(FILES[data.draw(st.sampled_from(BASES))])
    body = bytearray(body)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(body) - 1))
        noise = data.draw(st.binary(min_size=1, max_size=9))
        body[place : place + len(noise)] = noise
    model = outcome(files, pack(header, bytes(body)))
    if not isinstance(model, str):
        usable(model, files)


# ---------------------------------------------------------------- headers

NASTY = [
    None, True, False, -1, 0, 1, 2, 7, 2**31, 2**62, 10**18, 10**30, 0.5, -0.0, 1e308, 1e-320,
    "", "x", "O", "C", "F", "<f8", "|O8", "<U999999", "__class__", "os.system", "ovo", "voted",
    "crammer_singer", "Pegasos", "Pipeline", "Votes", [], [[]], {}, [-1], [10**18], [0, 10**18],
    [0] * 9, {"array": 0}, {"array": -1}, {"array": True}, {"array": 10**30}, {"scalar": 0},
    {"float": "nan"}, {"float": "inf"}, {"float": "1"}, {"tuple": []}, {"tuple": 1}, {"dict": []},
    {"dict": [[[], 1]]}, {"dict": [[1, 2], [1, 2]]}, {"dict": {"a": 1}}, {"dict": [[{}, 1]]},
    {"strings": {"shape": [1], "items": ["x"]}}, {"strings": {"shape": [10**18], "items": []}},
    {"csr": {}}, {"csr": {"matrix": True, "shape": [1, 1], "data": 0, "indices": 1, "indptr": 2}},
    {"record": {"class": "Votes", "fields": {}}}, {"record": {"class": [], "fields": {}}},
    {"estimator": {"class": "Winnow", "params": {}, "state": {}}}, {"estimator": 1},
    {"a": 1, "b": 2},
]  # fmt: skip


def nodes(tree, path=()):
    """Return the paths of all nodes below the root."""
    pairs = (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree)
        if isinstance(tree, list)
        else ()
    )
    return [p for key, child in pairs for p in [(*path, key), *nodes(child, (*path, key))]]


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def mutate(data, header):
    places = nodes(header)
    draw_place = st.integers(0, len(places) - 1).map(places.__getitem__)
    # A copy: a later mutation may go inside.
    draw_nasty = st.integers(0, len(NASTY) - 1).map(lambda i: copy.deepcopy(NASTY[i]))
    path = data.draw(draw_place)
    parent, key = at(header, path[:-1]), path[-1]
    kind = data.draw(st.sampled_from(["nasty", "nasty", "delete", "copy", "rename", "add"]))
    if kind == "nasty":
        parent[key] = data.draw(draw_nasty)
    elif kind == "delete":
        del parent[key]
    elif kind == "copy":
        parent[key] = copy.deepcopy(at(header, data.draw(draw_place)))
    elif isinstance(parent, dict):
        name = data.draw(st.sampled_from(["__class__", "fit", "_runs", "coef_", "votes_", "x"]))
        parent[name] = parent.pop(key) if kind == "rename" else data.draw(draw_nasty)
    else:
        parent.insert(key, data.draw(draw_nasty))


@pytest.mark.parametrize("name", BASES)
@given(st.data())
@settings(FUZZ, max_examples=120)
def test_signed_headers(files, name, data):
    header, body = unpack(FILES[name])
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(data, header)
    model = outcome(files, pack(header, body))
    if not isinstance(model, str):
        usable(model, files)


@pytest.mark.slow
@pytest.mark.parametrize("name", BASES)
def test_every_node_with_every_nasty_value(files, name):
    header, body = unpack(FILES[name])
    refused = 0
    places = nodes(header)
    for path in places[:: max(1, len(places) // 12)]:
        parent, key = at(header, path[:-1]), path[-1]
        kept = parent[key]
        for value in NASTY:
            parent[key] = value
            refused += isinstance(outcome(files, pack(header, body)), str)
        parent[key] = kept
    assert refused > 300
    assert not isinstance(outcome(files, pack(header, body)), str)
