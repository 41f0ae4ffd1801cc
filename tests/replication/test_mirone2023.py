import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from kernlib.datasets import load_usps
from kernlib.gram import Pairs
from kernlib.learners.kernel_base import Reporter
from kernlib.learners.kernel_pegasos import KernelPegasos
from kernlib.learners.sampling import VisitingOrder, streams
from kernlib.replication import claims, engine, mirone2023, published, store
from kernlib.replication.mirone2023 import (
    beyond,
    common,
    lambda_claims,
    tables,
    theory,
    variants,
)
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

EXPERIMENTS = [e for e in engine.REGISTRY.values() if e.document == "mirone2023"]


@pytest.fixture(scope="module")
def digits():
    return load_usps()


def few_digits(digits, n=250):
    return SimpleNamespace(data=digits.data[:n], target=digits.target[:n], is_twin=False)


@pytest.fixture(scope="module")
def few(digits):
    return few_digits(digits)


@pytest.fixture(scope="module")
def gram(few):
    return common.gram_of(common.CODE, Pairs(common.pixels(few)))


@pytest.fixture(autouse=True, scope="module")
def shared_store(tmp_path_factory):
    """One store for the module: an experiment that several tests need runs once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(store.VARIABLE, str(tmp_path_factory.mktemp("store")))
        yield


# ---------------------------------------------------------------- its way of computing


def program_kernel(gamma, a, b):
    return np.exp((-1 / 2 * gamma) * (np.linalg.norm((a - b), ord=1) ** 2))


def test_kernel_is_the_program_s(few, gram):
    X = common.pixels(few)
    for i, j in ((0, 0), (0, 1), (5, 17), (30, 31)):
        assert gram.matrix[i, j] == pytest.approx(program_kernel(0.25, X[i], X[j]), rel=1e-10)


def test_formula_is_the_text_s(few):
    X = common.pixels(few)[:5]
    values = common.gram_of(common.FORMULA, Pairs(X)).matrix
    distance = np.linalg.norm(X[1] - X[3])
    assert values[1, 3] == pytest.approx(np.exp(-(distance**2) / (2 * 0.25)), rel=1e-9)


def program(K, y, draws, lam):
    """Train as the program does: the stored examples, in their order."""
    stored = []
    for t, i in enumerate(draws, start=1):
        eta = 1 / (lam * t)
        if y[i] * (eta * sum(y[s] * K[s, i] for s in stored)) < 1:
            stored.append(i)
    return stored


@pytest.mark.parametrize("kernel", [common.CODE, common.FORMULA])
def test_predictors_are_those_of_the_program(few, kernel):
    gram = common.gram_of(kernel, Pairs(common.pixels(few)))
    codes = few.target
    cut = common.cuts(len(codes), 1, 5)[2]
    lambdas, steps = ("1e-10", "1e-3", "1e5"), (30, 150)
    states = list(common.pegasos_states(gram, codes, cut, lambdas, steps))
    for digit in (0, 1, 6):
        order = VisitingOrder(np.arange(len(cut.train)), "replacement", cut.draws[digit].copy())
        draws = cut.train[order.take(steps[-1])]
        y = np.where(codes == digit, 1, -1)
        for state in states:
            for k, name in enumerate(lambdas):
                stored = program(gram.matrix, y, draws[: state.n_steps], float(name))
                counts = np.bincount(stored, minlength=len(codes))
                scale = float(name) * state.n_steps
                assert np.allclose(state.coef[digit, k] * scale, counts * y, rtol=1e-12)
                assert state.violations[digit, k] == len(stored)
                scores = [sum(y[s] * gram.matrix[s, j] for s in stored) for j in range(len(codes))]
                # Other points are summed at the end, in the order of the rows: rounding apart.
                assert np.array_equal(state.scores[digit, k][cut.train], np.take(scores, cut.train))
                terms = np.abs(gram.matrix[stored]).sum(axis=0)
                apart = np.abs(state.scores[digit, k] - scores)
                assert np.all(apart <= 1e-15 * len(stored) * terms)


def test_digit_is_what_the_program_s_table_says():
    signs = np.array([[-1, 1, 1], [-1, -1, -1], [-1, 0, -1], [0, 0, 1], [1, 1, 1]]).T
    rows = pd.DataFrame(signs).T.idxmax(axis=1)  # as the program, a row for each point
    assert np.array_equal(common.first_positive(signs * 1e-200), rows)


def test_argmax_takes_the_largest_score():
    scores = np.array([[-3.0, 0.1], [-1.0, 0.3], [-2.0, 0.2]])
    assert common.largest(scores).tolist() == [1, 1]
    assert common.first_positive(scores).tolist() == [0, 0]


@pytest.mark.parametrize("output", ["last", "average"])
def test_shared_draws_are_those_of_the_learner(few, gram, output):
    cut = common.cuts(len(few.target), 1, 0)[0]
    cut = common.Cut(0, cut.train, cut.test, streams(11, 1) * common.DIGITS)
    learner = KernelPegasos(lam=1e-5, n_steps=300, offset=0, output=output, random_state=11)
    solved = learner._solve(gram, few.target, cut.train, Reporter())
    (state,) = common.pegasos_states(gram, few.target, cut, ["1e-5"], [300], output)
    assert np.allclose(state.coef[:, 0], solved.coef, rtol=1e-12, atol=0)
    scores = solved.scores_on(gram, np.arange(len(gram))).T
    factor = 1e-5 * 300 if output == "last" else 1.0
    assert np.allclose(state.scores[:, 0], scores * factor, rtol=1e-9, atol=0)


def test_fewer_steps_are_the_first_of_more(few, gram):
    cut = common.cuts(len(few.target), 1, 0)[1]
    alone = next(common.pegasos_states(gram, few.target, cut, steps=(500,)))
    first, second = common.pegasos_states(gram, few.target, cut, steps=(500, 800))
    for a, b in zip(alone, first, strict=True):
        assert np.array_equal(a, b)
    assert np.all(second.violations >= first.violations)


def test_large_lambda_stores_every_draw(few, gram):
    """The sum of t - 1 values up to 1 is below lambda t for lambda >= 1."""
    cut = common.cuts(len(few.target), 1, 0)[0]
    (state,) = common.pegasos_states(gram, few.target, cut, ["1e5"], [400])
    assert np.all(state.violations == 400)


# ---------------------------------------------------------------- folds


def test_every_point_is_judged_once():
    made = common.cuts(9298, 2, 3)
    assert [cut.run for cut in made] == [0] * 5 + [1] * 5
    for run in (0, 1):
        judged = np.concatenate([cut.test for cut in made if cut.run == run])
        assert np.array_equal(np.sort(judged), np.arange(9298))
    for cut in made:
        assert np.array_equal(np.sort(np.concatenate([cut.train, cut.test])), np.arange(9298))
        assert len(cut.train) in (7438, 7439)


def test_draws_are_independent_and_those_of_their_run():
    one, two = common.cuts(100, 1, 3), common.cuts(100, 2, 3)
    for a, b in zip(one, two, strict=False):
        assert np.array_equal(a.train, b.train)
        assert np.array_equal(a.draws, b.draws)
    starts = {tuple(state) for cut in two for state in cut.draws}
    assert len(starts) == 2 * common.FOLDS * common.DIGITS
    assert len({tuple(state) for state in two[0].shared().draws}) == 1


# ---------------------------------------------------------------- tables


def test_preview_is_in_the_data(digits):
    ours = tables.preview(digits).pivot(index="row", columns="quantity", values="value")
    assert len(ours) == 10
    assert np.all(ours["matching_rows"] == 1)
    assert np.all(ours["matching_cells"] == ours["cells"])
    moved = SimpleNamespace(data=digits.data[:, ::-1], target=digits.target)
    none = tables.preview.compute(moved, runs=1, seed=0)
    assert none.loc[none["quantity"] == "matching_rows", "value"].max() == 0


def test_one_number_is_printed():
    (line,) = tables.cv_errors.published().to_dict("records")
    assert line["row"] in {f"{name} {T}" for name in common.LAMBDAS for T in common.STEPS}
    claim = published.claims("mirone2023").set_index("id").loc["M36"]
    assert line["printed"] == claim["printed"]
    assert line["row"] == f"{claim['lambda']} {claim['T']}"


def test_errors_are_means_over_the_folds(few):
    ours = tables.cv_errors(few, runs=1)
    gram = common.gram_of(common.FORMULA, Pairs(common.pixels(few)))
    wrong = []
    for cut in common.cuts(len(few.target), 1, 0):
        *_, last = common.pegasos_states(gram, few.target, cut)
        labels = last.scores[:, 2].argmax(axis=0)
        wrong.append(np.mean(labels[cut.test] != few.target[cut.test]))
    assert tables.grid(ours, CORRECTED).loc["1e-3", 7438] == pytest.approx(np.mean(wrong))


@pytest.mark.slow
def test_the_printed_cell_comes_out_of_the_program_only(digits):
    """One run, the printed lambda: the program's kernel and rule are near, the text's are not."""
    (line,) = tables.cv_errors.published().to_dict("records")
    printed = float(line["printed"].rstrip("%")) / 100
    pairs, folds = Pairs(common.pixels(digits)), common.cuts(9298, 1, 0)
    errors = {}
    for kernel, names in tables.VARIANTS.items():
        made = common.cross_validated(
            common.gram_of(kernel, pairs), digits.target, folds, [variants.BEST]
        )
        for variant, part in common.as_variants(made, names).groupby("variant"):
            errors[variant] = tables.grid(part, variant).loc[variants.BEST, 7438]
    assert errors[AS_CODED] > errors[AS_PRINTED] > errors[CORRECTED]
    nearest = min(errors, key=lambda variant: abs(errors[variant] - printed))
    assert nearest == AS_CODED


# ---------------------------------------------------------------- slips


def test_nearest_stored_is_the_nearest_neighbour(few, gram):
    codes = few.target
    cut = common.cuts(len(codes), 1, 0)[0]
    (state,) = common.pegasos_states(gram, codes, cut, ["1e-5"], [200])
    found = variants._of_nearest(gram, codes, cut, state)
    X = common.pixels(few)
    neighbour = KNeighborsClassifier(1, metric="manhattan").fit(X[cut.train], codes[cut.train])
    labels = neighbour.predict(X[cut.test])
    assert found["1nn_error"] == np.mean(labels != codes[cut.test])
    said = common.largest(state.scores[:, 0])[cut.test]
    assert found["argmax_same_as_1nn"] == np.mean(said == labels)
    same = []
    for digit in range(10):
        stored = np.flatnonzero(state.coef[digit, 0])
        neighbour.fit(X[stored], codes[stored] == digit)
        says = np.sign(state.scores[digit, 0, cut.test])
        same.append(np.mean(says == np.where(neighbour.predict(X[cut.test]), 1, -1)))
    assert found["same_as_nearest_stored"] == pytest.approx(np.mean(same))


def test_shares_of_the_kernel_are_counted(few):
    ours = variants.kernel_values(few).set_index(["variant", "quantity"])["value"]
    for variant, kernel in variants.KERNELS.items():
        K = common.gram_of(kernel, Pairs(common.pixels(few))).matrix
        off = K[~np.eye(len(K), dtype=bool)]
        assert ours[variant, "zeros"] == np.mean(off == 0)
        tiny = np.finfo(float).tiny
        assert ours[variant, "subnormals"] == pytest.approx(np.mean((off > 0) & (off < tiny)))
        assert ours[variant, "below_rounding"] == pytest.approx(np.mean(off < 2**-53))


def test_lowest_of_runs_after_one_another():
    cells = np.array([[1.0, 9.0], [5.0, 2.0], [3.0, 4.0]])
    # 1 against 2, 5 against 4, 3 against 9.
    assert variants._lowest(cells).tolist() == pytest.approx([2 / 3, 1 / 3])
    assert variants._lowest(np.ones((4, 5))).tolist() == pytest.approx([0.2] * 5)


def test_nine_slots_do_not_take_25_results():
    ours = variants.slots().set_index("variant")["value"]
    assert ours[AS_CODED] == variants.SLOTS < ours[CORRECTED]


def test_kernel_values_of_the_program_are_counted():
    """One digit, one lambda, every draw stored: 0 + 1 + ... and one for each point and stored."""
    stored = {T: np.array([[T]]) for T in (4, 10)}
    counted = beyond._program_values(stored, 10, n_points=7)
    assert counted == pytest.approx(10 * 10 / 2 + 7 * 10)
    assert abs(counted - (sum(range(10)) + 7 * 10)) <= 10 / 2  # the evenly growing store


# ---------------------------------------------------------------- theory


def test_excess_is_within_the_bounds():
    ours = theory.bounds(runs=2).pivot(index=["run", "row"], columns="quantity", values="value")
    assert np.all(ours["excess"] <= ours["bound"])
    assert np.all(ours["excess"] > 0)


def test_features_of_the_map_are_counted():
    ours = theory.feature_map().pivot(index="row", columns="quantity", values="value")
    assert np.array_equal(ours["features"], ours["formula"])
    assert np.all(ours["distinct_features"] <= ours["features"])


def test_slips_of_the_theory():
    ours = theory.slips().set_index(["variant", "quantity"])["value"]
    assert ours[CORRECTED, "lambdas_above_1"] < ours[AS_PRINTED, "lambdas_above_1"]
    assert ours[CORRECTED, "jump_of_slope"] == pytest.approx(1)
    # At the largest margin the coefficients sum to |w|^2, the inverse of its square.
    assert ours[CORRECTED, "sum_of_coefficients"] > 1.5
    assert ours[CORRECTED, "errors_of_linear_program"] == 0


# ---------------------------------------------------------------- experiments in general


def without_seconds(table):
    return table[table["quantity"] != "seconds"].reset_index(drop=True)


def marked(made):
    many = [pytest.mark.slow] if made.name == "other_kernels" else []
    return pytest.param(made, id=made.name, marks=many)


@pytest.mark.parametrize("made", [marked(made) for made in EXPERIMENTS])
def test_schema_and_determinism(made, few):
    given = () if made.data is None else (few,)
    first, second = (made.compute(*given, runs=1, seed=3) for _ in range(2))
    assert list(first.columns[: len(engine.OURS)]) == engine.OURS
    assert np.all(np.isfinite(first["value"]))
    assert not first.duplicated(["variant", "row", "quantity", "run"]).any()
    pd.testing.assert_frame_equal(without_seconds(first), without_seconds(second))


@pytest.mark.parametrize("name", ["cv_errors", "nearest_neighbour", "averages", "finer_grid"])
def test_a_matrix_is_gone_before_the_next_is_made(few, monkeypatch, name):
    made, alive = [], []

    def watched(kernel, pairs):
        gc.collect()  # what compiling left behind
        alive.append(sum(ref() is not None for ref in made))
        gram = common.gram_of(kernel, pairs)
        made.append(weakref.ref(gram))
        return gram

    for module in (tables, variants, beyond):
        monkeypatch.setattr(module, "gram_of", watched)
    engine.REGISTRY[f"mirone2023.{name}"].compute(few, runs=1, seed=0)
    assert alive == [0, 0]


def test_runs_are_independent_streams_for_any_number_of_threads(few, monkeypatch):
    three = tables.cv_errors.compute(few, runs=3, seed=1)
    monkeypatch.setattr(common, "Parallel", lambda **options: list)
    monkeypatch.setattr(common, "delayed", lambda f: f)
    two = tables.cv_errors.compute(few, runs=2, seed=1)
    order = ["variant", "row", "quantity", "run"]
    first = three[three["run"] < 2].sort_values(order).reset_index(drop=True)
    pd.testing.assert_frame_equal(first, two.sort_values(order).reset_index(drop=True))
    by_run = [part["value"].to_numpy() for _, part in three.groupby("run")]
    assert not np.array_equal(by_run[0], by_run[1])


def test_every_figure_is_covered():
    lines = engine.coverage("mirone2023")
    assert len(lines) > 0
    assert np.all((lines["experiments"] != "") | (lines["reason"] != ""))


def test_left_out_is_done_or_has_a_reason():
    names = {made.name for made in EXPERIMENTS}
    for item, answer in beyond.LEFT_OUT.items():
        assert answer in names or len(answer.split()) > 5, item


# ---------------------------------------------------------------- claims


def test_every_claim_is_dealt_with():
    ids = set(published.claims("mirone2023")["id"])
    assert ids == {name for document, name in claims.REGISTRY if document == "mirone2023"}
    assert mirone2023.__all__


def test_settings_are_those_that_the_claims_state():
    values = published.claims("mirone2023").set_index("id")["value"]
    assert values["M21"] == ";".join(common.LAMBDAS)
    assert values["M22"] == ";".join(str(T) for T in common.STEPS)
    assert float(values["M16"]) == float(values["M17"]) == float(values["M18"]) == common.GAMMA
    assert int(values["M09"]) == int(values["M24"]) == common.FOLDS
    assert int(values["M10"]) == len(common.LAMBDAS) * len(common.STEPS)
    assert int(values["M11"]) == common.DIGITS
    assert int(values["M23"]) == variants.SLOTS


def test_a_lambda_is_lowest_beyond_noise_or_not():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(20, 1))  # of the draws, which all lambdas share
    own = 0.01 * rng.normal(size=(20, 3))
    clear = noise + own + [1.0, 0.0, 1.0]
    assert lambda_claims.lowest_beyond_noise(clear, [1])
    assert not lambda_claims.lowest_beyond_noise(clear, [0])
    assert lambda_claims.lowest_beyond_noise(clear, [0, 1])
    assert not lambda_claims.lowest_beyond_noise(noise + own, [1])
    assert not lambda_claims.lowest_beyond_noise(clear[:1], [1])  # one run says nothing


@pytest.mark.slow
def test_findings(few):
    found = claims.findings("mirone2023", runs=2, data={"usps": few}).set_index("id")
    for name in ("M01", "M04", "M05", "M06", "M12", "M13", "M15"):
        assert found["outcome"][name] == "holds", name
    for name in ("M02", "M08", "M14", "M23"):  # 250 digits are not 9298
        assert found["outcome"][name] == "does not hold", name
    decided = found[found["outcome"].isin(["holds", "does not hold"])]
    assert np.all(decided["evidence"] != "")
