"""A page says which data it ran on."""

from types import SimpleNamespace

import pytest

from kernlib.report.notes import data_note


@pytest.mark.parametrize(("is_twin", "word"), [(True, "**twin**"), (False, "**original**")])
def test_note_names_the_data(is_twin, word):
    shown = data_note(SimpleNamespace(is_twin=is_twin))._repr_mimebundle_()["text/markdown"]
    assert word in shown
