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


class AlmostOne:
    """A generator at the end of its range, where rounding could leave the table."""

    def random(self, n):
        return np.full(n, np.nextafter(1.0, 0.0))


def test_the_largest_draw_is_the_last_row_of_positive_weight():
    weights = np.array([0.1, 0.2, 0.7, 0.0])
    assert VisitingOrder(ROWS, "replacement", AlmostOne(), weights).take(1).tolist() == [8]
    assert VisitingOrder(ROWS, "replacement", AlmostOne()).take(1).tolist() == [13]


def test_streams_are_reproducible_and_differ():
    one, two = streams(7, 2)
    again, _ = streams(7, 2)
    first = one.random(4)
    assert np.array_equal(first, again.random(4))
    assert not np.array_equal(first, two.random(4))
    assert not np.array_equal(first, streams(8, 1)[0].random(4))
    from_state = streams(np.random.RandomState(0), 1)[0].random(4)
    assert np.array_equal(from_state, streams(np.random.RandomState(0), 1)[0].random(4))


def test_no_seed_follows_numpys_global_state():
    draws = []
    for _ in range(2):
        np.random.seed(3)  # noqa: NPY002 - what scikit-learn's random_state=None means
        draws.append(streams(None, 1)[0].random())
    assert draws[0] == draws[1] != streams(None, 1)[0].random()
