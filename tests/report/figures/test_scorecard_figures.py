"""Figures of the scorecard draw every number."""

import pandas as pd

from kernlib.report.figures import scorecard as figures


def test_every_verdict_has_its_mark():
    card = pd.DataFrame(
        {
            "published": [0.1, 0.2, 0.3],
            "ours": [0.1, 0.25, 0.0],
            "verdict": ["exact", "not reproduced", "exact"],
        }
    )
    ax = figures.plot_theirs_and_ours(card)
    drawn = {c.get_label(): c.get_offsets().tolist() for c in ax.collections}
    assert drawn == {"exact (1)": [[0.1, 0.1]], "not reproduced (1)": [[0.2, 0.25]]}
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_bars_add_up_to_the_numbers():
    counts = pd.DataFrame(
        {"document": ["a", "b", "all"], "exact": [1, 2, 3], "not reproduced": [4, 0, 4]}
    )
    ax = figures.plot_counts(counts)
    assert sum(bar.get_width() for bar in ax.patches) == 7
