"""Part I; part II has ``test_sample_complexity.py``."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kernlib.datasets import load_usps
from kernlib.kernels import Gaussian, Polynomial
from kernlib.learners.budget import BudgetPerceptron
from kernlib.learners.kernel_base import Reporter
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.learners.kernel_svm import KernelSVM
from kernlib.replication import claims, engine, published, store
from kernlib.replication.dellaporta2020 import (
    beyond,
    common,
    comparison,
    forgetron,
    perceptrons,
    plain,
    reduced,
    sample_complexity,
    svm,
    variants,
)
from kernlib.replication.dellaporta2020 import claims as prose
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

PART_TWO = sample_complexity.__name__
EXPERIMENTS = [
    e
    for e in engine.REGISTRY.values()
    if e.document == "dellaporta2020" and e.compute.__module__ != PART_TWO
]
PART_ONE = [f"D{k:02d}" for k in range(1, 59)]
N_FEW, EACH = 700, 60


@pytest.fixture(scope="module")
def usps():
    return load_usps()


@pytest.fixture(scope="module")
def few(usps):
    """Some digits, at least 60 of each."""
    data, target = np.asarray(usps.data), np.asarray(usps.target)
    of_each = [np.flatnonzero(target == k)[:EACH] for k in range(10)]
    rest = np.setdiff1d(np.arange(len(target)), np.concatenate(of_each))[: N_FEW - 10 * EACH]
    rows = np.sort(np.concatenate([*of_each, rest]))
    return SimpleNamespace(data=data[rows], target=target[rows], is_twin=False)


@pytest.fixture(scope="module")
def digits(few):
    return common.Digits.of(few, slice(0, None, 2))


@pytest.fixture(autouse=True, scope="module")
def shared_store(tmp_path_factory):
    """One store for the module: an experiment that several tests need runs once; small sets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(store.VARIABLE, str(tmp_path_factory.mktemp("store")))
        patch.setattr(forgetron, "PER_DIGIT", 40)
        patch.setattr(forgetron, "PER_DIGIT_206", 41)
        patch.setattr(reduced, "PER_DIGIT", 40)
        yield


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Lists instead of arrays take seconds: one epoch of them is enough here."""
    for module in (beyond, comparison):
        monkeypatch.setattr(
            module,
            "plain_forgetron",
            lambda K, c, rows, b, e: plain.plain_forgetron(K, c, rows, b, 1),
        )


# ---------------------------------------------------------------- perceptrons


def by_hand(K, codes, rows, epochs, rule):
    """Perceptrons as the document writes them: all sums anew.  Scores, and online mistakes."""
    W = np.zeros((10, len(K)))
    for _ in range(epochs):
        wrong = 0
        for t in rows:
            s = W @ K[:, t]
            wrong += s.argmax() != codes[t]
            for k in range(10):
                y = 1.0 if codes[t] == k else -1.0
                if y * s[k] <= 0:
                    W[k, t] = rule(W[k, t], s[k], y)
    return W @ K, wrong


@pytest.mark.parametrize("epochs", [2, 5, 40])
def test_online_error_is_that_of_the_plain_algorithm(digits, epochs):
    gram = digits.gram(Polynomial(degree=2, coef0=0), "float64")
    rows = np.arange(len(digits.codes))[::-2]
    scores, online = common.with_online_error(gram, digits.codes, rows, epochs)
    expected, wrong = by_hand(gram.matrix, digits.codes, rows, epochs, lambda w, s, y: w + y)
    assert np.allclose(scores, expected)
    assert online * len(rows) == pytest.approx(wrong)
    assert wrong > 0 if epochs == 2 else wrong == 0 or epochs == 5


def test_printed_update_never_starts(digits):
    gram = digits.gram(Polynomial(degree=2, coef0=0), "float64")
    rows = np.arange(0, len(digits.codes), 2)
    for sign in (0.0, 1.0, -1.0):
        f = np.zeros((10, len(gram)))
        variants._printed_loop(gram.matrix, digits.codes, rows, 2, sign, f)
        expected, _ = by_hand(
            gram.matrix, digits.codes, rows, 2,
            lambda w, s, y, sign=sign: w - (np.sign(s) if s != 0 else sign),
        )  # fmt: skip
        assert np.allclose(f, expected)
        assert np.all(f == 0) == (sign == 0)


def test_overwriting_is_the_plain_rule(digits):
    gram = digits.gram(Polynomial(degree=2, coef0=0), "float64")
    K, codes, rows = gram.matrix, digits.codes, np.arange(0, len(digits.codes), 2)
    scores = perceptrons.overwriting_scores(gram, codes, rows, 3)
    added = KernelPerceptron(max_iter=3, multi_class="ovo")._solve(gram, codes, rows, Reporter())
    pairs = [(i, j) for i in range(10) for j in range(i + 1, 10)]
    for (i, j), f in zip(pairs, scores, strict=True):
        alpha = np.zeros(len(K))
        for _ in range(3):
            for t in rows[np.isin(codes[rows], (i, j))]:
                y = 1.0 if codes[t] == j else -1.0
                if np.sign(alpha @ K[t]) != y:
                    alpha[t] = y
        assert np.allclose(f, alpha @ K)
    assert not np.allclose(scores, added.scores)


def test_majority_counts_votes_and_takes_the_first_of_equals():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(10, 200))  # 5 classes
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    labels = common.majority(scores, 5)
    tied = 0
    for point, label in enumerate(labels):
        votes = [0] * 5
        for (i, j), score in zip(pairs, scores[:, point], strict=True):
            votes[j if score > 0 else i] += 1
        assert label == votes.index(max(votes))
        tied += votes.count(max(votes)) > 1
    assert tied > 0


def test_cuts_of_all_digits():
    first, second = common.cuts(9298, 0, 2)
    assert (len(first.train), len(first.test)) == (7438, 1860)
    assert np.array_equal(np.sort(np.concatenate([first.train, first.test])), np.arange(9298))
    assert not np.array_equal(first.train, second.train)
    held = [points for _, points in first.folds()]
    assert np.array_equal(np.concatenate(held), first.train)
    for rows, points in first.folds():
        assert len(np.intersect1d(rows, points)) == 0


def test_choice_is_the_first_of_the_least_validation_errors():
    values = {"1": (0.3, 0.5), "2": (0.1, 0.6), "3": (0.1, 0.7)}
    rows = [
        common.line(row, quantity, value, run=4)
        for row, pair in values.items()
        for quantity, value in zip(("validation_error", "test_error"), pair, strict=True)
    ]
    made = common.chosen_rows(engine.tidy(rows), "d*", n_printed=2)
    assert sorted(set(made["row"])) == ["mean", "run 1", "run 2"]
    assert set(made.loc[made["quantity"] == "d*", "value"]) == {2.0}
    assert set(made.loc[made["quantity"] == "test_error", "value"]) == {0.6}
    assert set(made["run"]) == {4}


def test_confusions_add_up_to_the_test_error(few):
    ours = perceptrons.confusion(few, runs=2)
    counts = ours.groupby("run")["value"].sum()
    chosen = perceptrons.ova_polynomial_cv(few, runs=2)
    chosen = chosen[(chosen["row"] == "mean") & (chosen["quantity"] == "test_error")]
    assert np.allclose(counts / (N_FEW / 5), chosen.set_index("run")["value"])


def test_published_spread_is_online_not_after_training(few):
    """After training the error jumps with the last mistakes, as the test error does."""
    ours = perceptrons.ova_polynomial(few, runs=4)
    ours = ours[(ours["row"] == "1") & (ours["quantity"] == "train_error")]
    spread = ours.groupby("variant")["value"].std()
    assert spread[AS_PRINTED] < spread[perceptrons.AFTER]


# ---------------------------------------------------------------- budget


def test_plain_forgetron_is_the_library_with_margin_removal():
    rng = np.random.default_rng(1)
    Z = rng.integers(-3, 4, size=(60, 4))
    K, codes, rows = ((Z @ Z.T) ** 2).astype(float), rng.integers(0, 3, 60), rng.permutation(60)
    gram = common.Gram(
        Polynomial(degree=2, coef0=0), common.Pairs(Z.astype(float)), dtype="float64"
    )
    assert np.array_equal(gram.matrix, K)
    for budget in (1, 5, 20, 10_000):
        learner = BudgetPerceptron(budget=budget, max_iter=3)
        solution = learner._solve(gram, codes, rows, Reporter())
        coef = plain.plain_forgetron(K, codes, rows, budget, 3)
        assert np.array_equal(solution.coef, coef)
        assert np.count_nonzero(coef) <= budget


def test_online_error_on_a_budget(digits, monkeypatch):
    monkeypatch.setattr(forgetron, "BUDGET", 40)
    gram = digits.gram(Polynomial(degree=3, coef0=0), "float64")
    rows = np.arange(0, len(digits.codes), 2)
    scores, online = forgetron.budgeted_online(gram, digits.codes, rows)
    learner = BudgetPerceptron(budget=40, max_iter=common.EPOCHS)
    solution = learner._solve(gram, digits.codes, rows, Reporter())
    assert np.allclose(scores, solution.scores)
    monkeypatch.setattr(forgetron, "BUDGET", 10**6)  # without removals it is the perceptron
    scores, online = forgetron.budgeted_online(gram, digits.codes, rows)
    expected = common.with_online_error(gram, digits.codes, rows)
    assert np.allclose(scores, expected[0])
    assert online == expected[1]


def test_reduced_set_has_equally_many_of_each_digit(usps, monkeypatch):
    monkeypatch.setattr(forgetron, "PER_DIGIT", 100)
    digits, cut = forgetron.reduced_run(usps, 3, engine.seeds(0, 1)[0])
    assert np.array_equal(np.bincount(digits.codes), np.full(10, 100))
    assert (len(cut.train), len(cut.test), cut.run) == (800, 200, 3)
    both = [forgetron.balanced(usps.target, np.random.default_rng(0), replace=r) for r in (0, 1)]
    assert [len(np.unique(rows)) == 1000 for rows in both] == [True, False]


def test_pool_is_drawn_from_with_replacement(few):
    pool = reduced._from_pool(few.target, np.random.default_rng(0), 5)
    assert np.array_equal(np.bincount(few.target[pool]), np.full(10, forgetron.PER_DIGIT))
    distinct = np.unique(pool)
    assert np.all(np.bincount(few.target[distinct]) <= 5)
    assert len(distinct) > 40


# ---------------------------------------------------------------- SVM


def test_machines_along_c_solve_each_problem(digits):
    """Reused or not, each has the optimum's objective; the last two are equal here."""
    gram = digits.gram(Gaussian(gamma=0.0117), "float64")
    rows = np.arange(0, len(digits.codes), 2)
    K = gram.matrix
    made = svm.along_c(gram, digits.codes, rows, svm.CS)
    for C, solution in zip(svm.CS, made, strict=True):
        learner = KernelSVM(C=C)
        alone = learner._solve(gram, digits.codes, rows, Reporter())
        values = [np.abs(beta).sum() - beta @ K @ beta / 2 for beta in solution.coef]
        assert np.allclose(values, alone.fitted["dual_objective_"], rtol=1e-3)
        assert np.abs(solution.coef).max() <= C
        [scores] = svm.scores_on(gram, [solution], rows)
        assert np.allclose(scores, (solution.coef @ K[:, rows]) + solution.intercept[:, None])
    assert np.array_equal(made[-1].coef, made[-2].coef)
    assert not np.array_equal(made[0].coef, made[1].coef)


def test_underflow_to_zero_changes_no_label(few):
    """At gamma = 0.1 float32 has zeros where float64 has values below 1e-38."""
    digits = common.Digits.of(few)
    [cut] = common.cuts(len(digits.codes), 0, 1)
    labels = [
        svm.machines(
            digits.gram(Gaussian(gamma=0.1), dtype), digits.codes, cut.train, cut.test, [1.0]
        )[0]
        for dtype in ("float32", "float64")
    ]
    assert np.array_equal(*labels)


def test_intercept_decides_where_the_kernel_is_narrow(few):
    ours = variants.wide_machines(few, runs=2)
    mean = ours.groupby(["row", "quantity"])["value"].mean()
    narrow = mean["0.10000"]
    assert narrow["C = 1, test_error"] > 5 * narrow["C = 1, no intercept, test_error"]
    assert narrow["C = 1, votes of the intercept"] > 0.3


# ---------------------------------------------------------------- the printed numbers


def test_printed_cells_are_read_with_their_spread():
    numbers = perceptrons.ova_polynomial.published()
    line = numbers[(numbers["row"] == "1") & (numbers["quantity"] == "test_error")].iloc[0]
    assert (line["printed"], line["std"], line["runs"]) == ("9.37%", "1.54%", 20)
    assert len(numbers) == 14
    assert len(perceptrons.confusion.published()) == 100


def test_printed_means_are_those_of_the_printed_runs():
    """So the spread is the population's: divided by the number of runs."""
    for made, parameter in (
        (perceptrons.ova_polynomial_cv, "d*"),
        (perceptrons.ova_gaussian_cv, "c*"),
        (perceptrons.ovo_polynomial_cv, "d*"),
        (forgetron.forgetron_cv, "d*"),
        (svm.svm_c_cv, "C*"),
    ):
        numbers = made.published()
        for quantity, scale in ((parameter, 1.0), ("test_error", 100.0)):
            part = numbers[numbers["quantity"] == quantity].set_index("row")
            values = part["printed"].str.rstrip("%").astype(float)
            runs = values[[f"run {k}" for k in range(1, 21)]].to_numpy()
            unit = 1.01e-2 if scale == 100 or parameter != "c*" else 1.01e-4
            assert values["mean"] == pytest.approx(runs.mean(), abs=unit)
            assert float(part["std"]["mean"].rstrip("%")) == pytest.approx(runs.std(), abs=unit)


def test_granularity_of_the_forgetron():
    found = reduced.granularity(runs=1).set_index(["row", "quantity"])["value"]
    assert found["figure 16", "fits 206"] == 1
    assert found["figure 16", "fits 200"] == 0
    assert found["figure 15(a)", "multiples of 1/1000"] == 7
    assert found["figure 15(b)", "multiples of 1/1000"] < 7


def test_first_settled():
    """Settled: never again more than half a point above the mean of the last ten epochs."""
    curve = np.full(30, 0.03)
    curve[:4] = 0.05
    curve[6] = 0.036
    rows = [
        common.line(f"2 {e}", "test_error", v, parameter=2.0, epoch=e)
        for e, v in enumerate(curve, start=1)
    ]
    assert prose.first_settled(engine.tidy(rows)) == {2.0: 8}
    assert prose.first_settled(engine.tidy(rows).assign(value=0.1)) == {2.0: 1}


# ---------------------------------------------------------------- experiments in general


def marked(made):
    slow = made.name in ("joint_grid", "svm_kernels", "polynomial_scale", "precision")
    return pytest.param(made, id=made.name, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("made", [marked(made) for made in EXPERIMENTS])
def test_schema_determinism_and_every_published_number(made, few):
    given = () if made.data is None else (few,)
    first = made(*given, runs=2, seed=3)
    assert list(first.columns[: len(engine.OURS)]) == engine.OURS
    assert np.all(np.isfinite(first["value"]))
    assert not first.duplicated(["variant", "row", "quantity", "run"]).any()
    if made.published is not None:
        assert len(engine.scorecard(made, first)) == len(made.published())
    second = made.compute(*given, runs=2, seed=3)
    timed = first["quantity"] == "seconds"
    pd.testing.assert_frame_equal(first[~timed], second[~timed], check_dtype=False)


@pytest.mark.parametrize(
    "made", [perceptrons.ova_polynomial, forgetron.forgetron_cv, svm.svm_c], ids=lambda e: e.name
)
def test_runs_are_independent_streams_for_any_number_of_threads(made, few, monkeypatch):
    three = made(few, runs=3, seed=1)
    monkeypatch.setattr(common, "in_threads", lambda work, items: [work(i) for i in items])
    monkeypatch.setattr(forgetron, "in_threads", common.in_threads)
    two = made.compute(few, runs=2, seed=1)
    keys = ["variant", "row", "quantity", "run"]
    both = three[three["run"] < 2].merge(two, on=keys, how="outer", suffixes=("", "_alone"))
    assert len(both) == len(two)
    assert np.array_equal(both["value"], both["value_alone"])
    by_run = three[three["quantity"] == "test_error"].pivot_table(
        index=["variant", "row"], columns="run", values="value"
    )
    assert not np.array_equal(by_run[0], by_run[1])


def test_sign_of_zero_gives_the_first_digit(few):
    ours = variants.sign_of_zero(few, runs=2)
    ours = ours[ours["variant"] == AS_PRINTED].set_index("run")["value"]
    for cut in common.cuts(N_FEW, 0, 2):
        assert ours[cut.run] == pytest.approx(np.mean(few.target[cut.test] != 0))


def test_vectorised_has_the_same_coefficients(few, monkeypatch):
    monkeypatch.setattr(beyond, "EPOCHS", 1)
    ours = beyond.vectorised.compute(few, runs=1, seed=0)
    found = ours.set_index(["variant", "row", "quantity"])["value"]
    assert found[CORRECTED, "reduced set", "equal coefficients"] == 1
    assert found[CORRECTED, "reduced set", "seconds"] < found[AS_CODED, "reduced set", "seconds"]


def test_every_figure_is_covered():
    lines = engine.coverage("dellaporta2020")
    assert len(lines) == 27
    assert np.all((lines["experiments"] != "") | (lines["reason"] != ""))


@pytest.mark.parametrize("answers", [beyond.LEFT_OUT, variants.ANOMALIES], ids=["left", "doubts"])
def test_lists_are_dealt_with(answers):
    names = {made.name for made in EXPERIMENTS}
    for item, answer in answers.items():
        assert answer in names or len(answer.split()) > 5, item


def test_every_claim_is_dealt_with():
    ids = set(published.claims("dellaporta2020")["id"])
    assert ids == {name for document, name in claims.REGISTRY if document == "dellaporta2020"}


@pytest.mark.parametrize("name", PART_ONE)
def test_findings_have_evidence(name, few):
    made = claims.REGISTRY["dellaporta2020", name]
    assert made.reason
    if made.decide is None:
        assert made.outcome == "used"
        return
    tables = [e(runs=2, seed=3, **({} if e.data is None else {"data": few})) for e in made.tables]
    finding = made.decide(*tables)
    assert isinstance(finding.holds, (bool, np.bool_))
    assert finding.evidence


@pytest.mark.slow
def test_published_tables_on_the_real_digits(usps):
    """Few runs of the fast tables: what is printed agrees, and the other variants do not."""
    card = engine.scorecard(perceptrons.ova_polynomial, perceptrons.ova_polynomial(usps, runs=3))
    assert np.mean(card["tentative"] == "within noise") > 0.7
    ours = perceptrons.ovo_polynomial(usps, runs=3)
    card = engine.scorecard(perceptrons.ovo_polynomial, ours)
    assert np.mean(card["tentative"] == "within noise") > 0.7
    ours = reduced.reduced_set(usps, runs=5)
    test = ours[ours["quantity"] == "test_error"].groupby(["variant", "row"])["value"].mean()
    frame = published.table("dellaporta2020_fig15_forgetron_vs_perceptron")
    printed = frame[frame["algorithm"] == forgetron.PERCEPTRON].set_index("param_value")
    for degree, error in printed["test_error"].astype(float).items():
        assert test[AS_PRINTED, degree] > 2 * error
