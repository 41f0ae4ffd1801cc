"""Splits: the protocols of the literature, and what cannot be split."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, StratifiedKFold

from kernlib import training
from kernlib.model_selection import WHOLE, Split, evaluate, repeated_splits
from kernlib.model_selection.splits import check_splits


def rows(*values):
    return np.array(values, dtype=int)


@given(
    n=st.integers(10, 60),
    n_runs=st.integers(1, 3),
    test_size=st.sampled_from([None, 0.1, 0.2, 0.5]),
    k=st.integers(2, 5),
)
def test_parts_of_a_run_are_disjoint_and_complete(n, n_runs, test_size, k):
    y = np.arange(n) % 2
    splits = repeated_splits(y, cv=KFold(k), n_runs=n_runs, test_size=test_size, random_state=0)
    assert len(splits) == n_runs * (k + (test_size is not None))
    for run in range(n_runs):
        folds = [s for s in splits if s.run == run and s.fold != WHOLE]
        whole = [s for s in splits if s.run == run and s.fold == WHOLE]
        test = whole[0].test if whole else rows()
        for split in folds:
            together = np.concatenate([split.train, split.validation, test])
            assert sorted(together) == list(range(n))
            assert len(split.test) == 0
        validated = np.concatenate([split.validation for split in folds])
        assert sorted(np.concatenate([validated, test])) == list(range(n))
        for split in whole:
            assert len(split.test) == np.ceil(test_size * n)
            assert sorted(np.concatenate([split.train, test])) == list(range(n))
            assert len(split.validation) == 0


def test_one_run_is_that_of_scikit_learn():
    y = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    ours = repeated_splits(y, cv=3)
    for split, (train, validation) in zip(ours, StratifiedKFold(3).split(y, y), strict=True):
        assert split.train.tolist() == train.tolist()
        assert split.validation.tolist() == validation.tolist()


def test_the_hold_out_protocol_of_the_first_document():
    """A seeded shuffle; the last fifth to test, the first three quarters of the rest to fit."""
    y = np.zeros(100)
    fold, whole = repeated_splits(y, cv="holdout", test_size=0.2, random_state=31415)
    fit_rows, test_rows = training.split_rows(100, 31415)
    assert whole.train.tolist() == fit_rows.tolist()
    assert whole.test.tolist() == test_rows.tolist()
    assert fold.train.tolist() == fit_rows[:60].tolist()
    assert fold.validation.tolist() == fit_rows[60:].tolist()


def test_folds_keep_the_order_of_the_shuffle():
    splits = repeated_splits(np.zeros(50), cv=KFold(5), n_runs=2, test_size=0.2, random_state=3)
    for run in (0, 1):
        *folds, whole = [split for split in splits if split.run == run]
        place = {row: p for p, row in enumerate(whole.train)}
        for split in folds:
            assert np.all(np.diff([place[row] for row in split.train]) > 0)
    assert splits[0].train.tolist() != splits[6].train.tolist()


def test_the_seed_decides_and_pairs_of_rows_serve_every_run():
    y = np.arange(20) % 2
    options = {"n_runs": 3, "test_size": 0.5}
    one, other = (repeated_splits(y, random_state=1, cv=2, **options) for _ in range(2))
    assert all(np.array_equal(a.train, b.train) for a, b in zip(one, other, strict=True))
    pairs = ((np.arange(5), np.arange(5, 10)) for _ in range(1))
    splits = repeated_splits(y, cv=pairs, random_state=1, **options)
    assert [(s.run, s.fold) for s in splits] == [(r, f) for r in range(3) for f in (0, WHOLE)]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cv": 1}, ValueError, "cv must be an integer >= 2, got cv=1"),
        ({"cv": True}, ValueError, "cv must be a number of folds, a share"),
        ({"cv": "five"}, ValueError, "cv must be a number of folds, a share.*got cv='five'"),
        ({"cv": 1.5}, ValueError, "must lie between 0 and 1, got 1.5"),
        ({"cv": float("nan")}, ValueError, "must lie between 0 and 1, got nan"),
        ({"cv": None}, ValueError, "cv=None needs a test part"),
        ({"cv": object()}, ValueError, "Expected `cv`"),
        ({"n_runs": 0}, ValueError, "n_runs must be an integer >= 1"),
        ({"n_runs": 1.5}, TypeError, "n_runs must be an integer"),
        ({"test_size": 0.0}, ValueError, "test_size must lie between 0 and 1"),
        ({"test_size": 3}, ValueError, "test_size must lie between 0 and 1, got 3"),
    ],
)
def test_what_makes_no_protocol_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        repeated_splits(np.arange(20) % 2, **options)


def test_a_class_that_a_fold_lacks_is_refused():
    y = np.repeat(["a", "b"], 10)
    splits = repeated_splits(y, cv=KFold(2))
    message = r"training rows of run 0, fold 0 must hold every class, but \['a'\] is missing"
    with pytest.raises(ValueError, match=message):
        evaluate(None, {}, np.zeros((20, 1)), y, splits)


def test_parts_without_rows_are_refused():
    codes, classes = rows(0, 1, 0, 1), rows(0, 1)
    with pytest.raises(ValueError, match="at least one split, got none"):
        check_splits([], codes, classes)
    unjudged = Split(0, 0, rows(0, 1), rows(), rows())
    with pytest.raises(ValueError, match=r"run 0, fold 0 must have .* got 2 and 0"):
        check_splits([unjudged], codes, classes)
    untrained = Split(2, WHOLE, rows(), rows(), rows(1))
    with pytest.raises(ValueError, match=r"run 2, whole must have .* got 0 and 1"):
        check_splits([untrained], codes, classes)
