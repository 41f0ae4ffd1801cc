from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kernlib.datasets import load_mnist
from kernlib.replication import claims, engine, published, romano2021, store
from kernlib.replication.romano2021 import beyond, common, tables, variants
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

EXPERIMENTS = [e for e in engine.REGISTRY.values() if e.document == "romano2021"]
TIMES = ("matrix_seconds", "prediction_seconds")


@pytest.fixture(scope="module")
def digits():
    return load_mnist()


@pytest.fixture(scope="module")
def problem(digits):
    return common.document_problem(digits)


@pytest.fixture(autouse=True, scope="module")
def shared_store(tmp_path_factory):
    """One store for the module: an experiment that several tests need runs once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(store.VARIABLE, str(tmp_path_factory.mktemp("store")))
        yield


# ---------------------------------------------------------------- its way of computing


def test_powers_wrap_as_python_says(problem):
    few = problem.products[:6, :6]
    for degree in (2, 3, 4, 5, 6):
        wrapped, exact = common.wrapped_power(few, degree), problem.exact(degree)
        for place, product in np.ndenumerate(few):
            power = (1 + int(product)) ** degree
            rest = power % 2**64
            assert wrapped[place] == float(rest - 2**64 if rest >= 2**63 else rest)
            assert exact[place] == pytest.approx(power)


def test_products_are_those_of_the_pixels(problem):
    rows = [[int(x) for x in row] for row in problem.X[:3]]
    for i in range(3):
        for j in range(3):
            assert problem.products[i, j] == sum(
                a * b for a, b in zip(rows[i], rows[j], strict=True)
            )


def test_split_is_that_of_a_sampled_table(digits):
    """The document samples a table with the label in front, and permutes its index."""
    data = pd.DataFrame({"label": digits.target})
    data = data.sample(frac=0.2, random_state=123)
    train = data.sample(frac=0.7, random_state=123)
    test = data.drop(train.index)
    order = np.random.RandomState(seed=123).permutation(train.index)
    ours = common.document_rows(len(digits.target))
    assert np.array_equal(ours[0], order)
    assert np.array_equal(ours[1], test.index)


def test_epochs_are_those_of_the_plain_algorithm(problem):
    """Sums anew at each step, as the document; 120 rows, wrapped kernel, no copy taken back."""
    n, n_epochs = 120, 3
    values = problem.wrapped(3)[:n, :n]
    codes = problem.codes[:n]
    states = common.epochs(values, codes, np.arange(n), n_epochs, "last")
    for digit in np.unique(codes):
        y = np.where(codes == digit, 1.0, -1.0)
        alpha = np.zeros(n)
        for state in states:
            mistakes = 0
            for t in range(n):
                if np.sign(np.sum(alpha * y * values[:, t])) != y[t]:
                    alpha[t] += 1
                    mistakes += 1
            assert np.array_equal(state.coef[digit], alpha * y)
            assert state.mistakes[digit] == mistakes


@pytest.mark.parametrize("degree", common.DEGREES)
def test_counts_of_its_own_way(problem, degree):
    """The wrapped kernel and the last iterate alone give every printed count of a degree."""
    states = problem.epochs(problem.wrapped(degree), 11)
    errors = [problem.test_errors(state.scores) for state in states]
    sweep = published.table("romano2021_degree_errors")
    for line in sweep[sweep["degree"] == str(degree)].to_dict("records"):
        epochs = common.SWEEP_EPOCHS[line["predictor"]]
        assert errors[epochs - 1] == int(line["printed"])
    by_epoch = published.table("romano2021_epoch_errors")
    for line in by_epoch[by_epoch["degree"] == str(degree)].to_dict("records"):
        assert errors[int(line["epochs"]) - 1] == int(line["printed"])


@pytest.mark.slow
def test_every_published_count_is_exact_in_its_own_way(digits):
    for made in (tables.degrees, tables.epochs):
        ours = made(digits)
        theirs = ours[ours["variant"] == AS_CODED].set_index(["row", "quantity"])["value"]
        for line in made.published().to_dict("records"):
            assert round(theirs[line["row"], line["quantity"]], 3) == float(line["printed"]), line
        card = engine.scorecard(made, ours)
        assert set(card["verdict"]) == {"exact", "as the code, not the text"}
        for line in card.to_dict("records"):
            # A count that is not the printed one is never called exact.
            assert round(line["ours"], 3) == line["published"]


@pytest.mark.slow
def test_without_overflow_no_degree_fails(digits):
    ours = tables.degrees(digits)
    errors = ours[ours["quantity"] == "test_errors"].set_index(["variant", "row"])["value"]
    for variant in (CORRECTED, tables.NO_OVERFLOW, tables.SCALED):
        assert errors[variant].max() < 60
    assert errors[AS_PRINTED].equals(errors[CORRECTED])


@pytest.mark.slow
def test_both_names_are_one_array_after_eleven_or_ten_epochs(digits):
    """As their code, the two predictors agree at each epoch; the corrected ones do not."""
    ours = tables.epochs(digits)
    ours = ours[ours["quantity"] == "test_errors"].set_index(["variant", "row"])["value"]
    for variant, same in ((AS_CODED, True), (tables.NO_OVERFLOW, True), (CORRECTED, False)):
        average = [ours[variant, f"average 2 {e}"] for e in range(1, 11)]
        smallest = [ours[variant, f"min_training_error 2 {e}"] for e in range(1, 11)]
        assert (average == smallest) == same


def test_true_predictors_are_made_of_the_epochs(problem):
    values = problem.exact(2)
    made = variants._made_of(problem, values)
    states = problem.epochs(values)
    assert np.array_equal(made["last"], states[-1].scores)
    assert np.allclose(made["mean of the epochs"], sum(s.scores for s in states) / len(states))
    # All ten problems are clean in the end, so the best epoch is the last that changed.
    assert np.array_equal(made["least training error"], states[-1].scores)
    assert not np.allclose(made["mean after every example"], states[-1].scores)


def test_wrapped_matrix_is_no_kernel(digits):
    ours = variants.overflow(digits).set_index(["variant", "row", "quantity"])["value"]
    for degree in common.DEGREES:
        row = f"degree {degree}"
        assert ours[CORRECTED, row, "smallest_eigenvalue"] > 0
        beyond_int64 = ours[CORRECTED, row, "share_beyond_int64"] > 0
        assert beyond_int64 == (degree > 2)
        assert beyond_int64 == (ours[CORRECTED, row, "bits_of_largest"] >= 63)
        assert (ours[AS_CODED, row, "smallest_eigenvalue"] < 0) == beyond_int64
        assert (ours[AS_CODED, row, "share_negative"] > 0) == beyond_int64


# ---------------------------------------------------------------- experiments in general


def few_digits(digits, n=1500):
    return SimpleNamespace(data=digits.data[:n], target=digits.target[:n], is_twin=False)


def marked(made):
    timed = [pytest.mark.slow] if made.name == "matrix_seconds" else []
    return pytest.param(made, id=made.name, marks=timed)


@pytest.mark.parametrize("made", [marked(made) for made in EXPERIMENTS])
def test_schema_and_determinism(made, digits):
    given = () if made.data is None else (few_digits(digits),)
    first, second = (made.compute(*given, runs=2, seed=3) for _ in range(2))
    assert list(first.columns[: len(engine.OURS)]) == engine.OURS
    assert np.all(np.isfinite(first["value"]))
    assert not first.duplicated(["variant", "row", "quantity", "run"]).any()
    if made.name in TIMES:
        first, second = (t[t["quantity"] != "seconds"] for t in (first, second))
    pd.testing.assert_frame_equal(first, second)


def test_repeats_are_independent_streams_for_any_number_of_threads(digits, monkeypatch):
    few = few_digits(digits)
    three = beyond.repeats.compute(few, runs=3, seed=1)
    monkeypatch.setattr(beyond, "Parallel", lambda **options: list)
    monkeypatch.setattr(beyond, "delayed", lambda f: f)
    two = beyond.repeats.compute(few, runs=2, seed=1)
    first = three[three["run"] < 2].reset_index(drop=True)
    pd.testing.assert_frame_equal(first, two)
    by_run = [part["value"].to_numpy() for _, part in three.groupby("run")]
    assert not np.array_equal(by_run[0], by_run[1])


def test_cross_validation_never_sees_the_test_digits(problem):
    values = problem.exact(2)
    changed = values.copy()
    changed[problem.n_train :] = changed[:, problem.n_train :] = 1.0
    errors = [beyond._validation_errors(problem, K) for K in (values, changed)]
    assert np.array_equal(*errors)


def test_every_figure_is_covered():
    lines = engine.coverage("romano2021")
    assert len(lines) > 0
    assert np.all((lines["experiments"] != "") | (lines["reason"] != ""))


def test_left_out_is_done_or_has_a_reason():
    names = {made.name for made in EXPERIMENTS}
    for item, answer in beyond.LEFT_OUT.items():
        assert answer in names or len(answer.split()) > 5, item


def test_every_claim_is_dealt_with():
    ids = set(published.claims("romano2021")["id"])
    assert ids == {name for document, name in claims.REGISTRY if document == "romano2021"}
    assert romano2021.__all__


@pytest.mark.slow
def test_findings(digits):
    found = claims.findings("romano2021", runs=2, data={"mnist": digits}).set_index("id")
    outcomes = found["outcome"]
    for name in ("R20", "R21", "R22", "R24", "R25", "R26", "R27", "R28", "R29", "R30", "R32"):
        assert outcomes[name] == "holds", name
    for name in ("R14", "R15", "R17", "R18"):
        assert outcomes[name] == "does not hold", name
    decided = found[found["outcome"].isin(["holds", "does not hold"])]
    assert np.all(decided["evidence"] != "")
