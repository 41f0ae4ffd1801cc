"""The README's table of results is that of the built book."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = {
    "all": "scorecard-numbers",
    "hold, exactly or within noise": "scorecard-agree",
    "hold only if a slip": "scorecard-code",
    "are not reproduced": "scorecard-not",
    "cannot be counts": "scorecard-impossible",
    "have too wide a spread": "scorecard-uninformative",
}


def test_the_counts_are_those_of_the_book():
    glued = json.loads(
        (ROOT / "book/_build/jupyter_execute/scorecard.glue.json").read_text(encoding="utf8")
    )
    text = (ROOT / "README.md").read_text(encoding="utf8")
    for row, key in ROWS.items():
        stated = re.search(rf"^\| {re.escape(row)}[^|]*\| (\d+) \|", text, re.M)
        assert stated, row
        shown = json.dumps(glued[key])
        assert re.search(rf"'{stated[1]}'", shown), f"{row}: {stated[1]} here, the book has {shown}"
