import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlib.learners.sampling import SAMPLINGS, VisitingOrder, streams

ROWS = np.array([3, 5, 8, 13])


def order(sampling, rows=ROWS, weights=None, seed=0):
    return VisitingOrder(rows, sampling, streams(seed, 1)[0], weights)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@given(cuts=st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_pieces_do_not_matter(sampling, cuts):
    whole = order(sampling).take(sum(cuts))
    pieces = order(sampling)
    taken = [pieces.take(n) for n in cuts if n > 0]
    assert np.array_equal(whole, np.concatenate([*taken, np.empty(0, dtype=int)]))


def test_cyclic_is_the_given_order():
    assert order("cyclic").take(10).tolist() == [3, 5, 8, 13, 3, 5, 8, 13, 3, 5]


def test_permutation_is_kept_and_reshuffle_is_new():
    kept = order("permutation").take(40).reshape(10, 4)
    new = order("reshuffle").take(40).reshape(10, 4)
    assert {tuple(sorted(epoch)) for epoch in np.vstack([kept, new]).tolist()} == {(3, 5, 8, 13)}
    assert len({tuple(epoch) for epoch in kept.tolist()}) == 1
    assert len({tuple(epoch) for epoch in new.tolist()}) > 1


def test_draws_are_uniform_or_in_proportion_to_the_weights():
    n = 40_000
    share = np.bincount(order("replacement").take(n), minlength=14)[ROWS] / n
    assert np.all(np.abs(share - 0.25) < 5 * np.sqrt(0.25 * 0.75 / n))
    weights = np.array([1.0, 0.0, 2.0, 5.0])
    share = np.bincount(order("replacement", weights=weights).take(n), minlength=14)[ROWS] / n
    assert share[1] == 0
    assert np.all(np.abs(share - weights / 8) < 5 * np.sqrt(0.25 / n))


@given(weights=st.lists(st.integers(0, 4), min_size=4, max_size=4), seed=st.integers(0, 99))
def test_integer_weights_draw_what_duplicates_draw(weights, seed):
    if sum(weights) == 0:
        return
    duplicates = np.repeat(ROWS, weights)
    positions = order("replacement", rows=np.arange(len(duplicates)), seed=seed).take(50)
    weighted = order("replacement", weights=np.array(weights, dtype=float), seed=seed).take(50)
    assert np.array_equal(duplicates[positions], weighted)


def test_the_largest_draw_is_the_last_row_of_positive_weight():
    """The generator at the end of its range, where rounding could leave the table."""
    almost_one = np.array([2**64 - 1, 0, 0, 0], dtype=np.uint64)
    weights = np.array([0.1, 0.2, 0.7, 0.0])
    assert VisitingOrder(ROWS, "replacement", almost_one.copy(), weights).take(1).tolist() == [8]
    assert VisitingOrder(ROWS, "replacement", almost_one.copy()).take(1).tolist() == [13]


def numpys_generator(seed):
    """Return NumPy's generator, seeded as the first of our streams."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(0,))))


@pytest.mark.parametrize("n", [1, 7, 8000, 2**20])
def test_draws_are_numpys_number_for_number(n):
    expected = np.floor(n * numpys_generator(5).random(1000))
    assert np.array_equal(order("replacement", rows=np.arange(n), seed=5).take(1000), expected)


def test_weighted_draws_look_up_numpys_numbers():
    weights = np.array([0.5, 0.0, 0.125, 2.0])
    uniform = numpys_generator(5).random(1000) * weights.sum()
    expected = [next(row for row, end in zip(ROWS, np.cumsum(weights), strict=True) if u < end)
                for u in uniform]  # fmt: skip
    assert order("replacement", weights=weights, seed=5).take(1000).tolist() == expected


def test_all_orders_are_equally_likely():
    """Each of 4! orders has its share of 24 000 epochs, as far as chance allows."""
    n = 24_000
    epochs = order("reshuffle").take(4 * n).reshape(n, 4)
    places = np.searchsorted(ROWS, epochs) @ 4 ** np.arange(4)
    _, counts = np.unique(places, return_counts=True)
    assert len(counts) == 24
    assert np.all(np.abs(counts - n / 24) < 5 * np.sqrt(n / 24))


def test_streams_are_reproducible_and_differ():
    one, two = streams(7, 2)
    again, _ = streams(7, 2)
    assert np.array_equal(one, again)
    assert np.array_equal(one, streams(np.int64(7), 1)[0])
    others = [two, streams(8, 1)[0], streams(2**64 + 7, 1)[0]]
    assert len({tuple(state.tolist()) for state in [one, *others]}) == 4
    from_state = streams(np.random.RandomState(0), 1)[0]
    assert np.array_equal(from_state, streams(np.random.RandomState(0), 1)[0])


def test_draws_of_different_streams_are_unrelated():
    n = 10_000
    rows = np.arange(1000)
    draws = [VisitingOrder(rows, "replacement", state).take(n) for state in streams(0, 3)]
    draws.append(VisitingOrder(rows, "replacement", streams(1, 1)[0]).take(n))
    correlations = np.corrcoef(draws)[np.triu_indices(4, k=1)]
    assert np.all(np.abs(correlations) < 5 / np.sqrt(n))


def test_no_seed_follows_numpys_global_state():
    states = []
    for _ in range(2):
        np.random.seed(3)  # noqa: NPY002 - what scikit-learn's random_state=None means
        states.append(streams(None, 1)[0].tolist())
    assert states[0] == states[1] != streams(None, 1)[0].tolist()
