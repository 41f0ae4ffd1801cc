"""Glued numbers are formatted text, whatever type the run gave."""

import numpy as np
import pytest

from kernlib.report.glue import glue_number


@pytest.fixture
def glued(monkeypatch):
    """Collect what is handed to the notebook; a real display would start a shell."""
    records = []
    monkeypatch.setattr("myst_nb.glue", lambda *args, **kwargs: records.append((args, kwargs)))
    return records


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (0.12345, ".1%", "12.3%"),
        (np.float64(1234.5), ",.0f", "1,234"),
        (np.array([7]), "d", "7"),
        (np.int64(1200), ",d", "1,200"),
    ],
)
def test_text_is_glued_and_not_displayed(glued, value, spec, text):
    glue_number("chapter-value", value, spec)
    assert glued == [(("chapter-value", text), {"display": False})]
    assert type(glued[0][0][1]) is str


def test_array_of_several_numbers_is_refused(glued):
    with pytest.raises(ValueError, match="size 1"):
        glue_number("chapter-value", np.array([1, 2]), "d")
    assert not glued
