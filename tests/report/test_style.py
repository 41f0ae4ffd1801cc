"""Looks that do not depend on colour alone, in a style that is part of the package."""

import matplotlib as mpl
import pytest

from kernlib.report import style


@pytest.mark.parametrize("looks", [list(style.LOOK.values()), style.VARIANTS])
@pytest.mark.parametrize("part", ["color", "linestyle", "marker"])
def test_looks_differ_in_every_respect(looks, part):
    values = [look[part] for look in looks]
    assert len(set(values)) == len(values)


def test_style_file_is_part_of_the_package():
    with mpl.rc_context():
        style.use_style()
        assert mpl.rcParams["axes.spines.top"] is False
