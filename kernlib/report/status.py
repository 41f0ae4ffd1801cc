"""What a build did: how long each experiment took.

Tests: ``tests/report/test_status.py``.
"""

from __future__ import annotations

import pandas as pd

from kernlib.replication import store


def seconds() -> pd.DataFrame:
    """Return the stored experiments with the seconds that they took, the longest first."""
    rows = []
    for path in sorted(store.folder().glob("*.json")):
        about = store.loads(path.read_bytes()).attrs
        if "seconds" in about:
            rows.append((about["experiment"], about["runs"], float(about["seconds"])))
    found = pd.DataFrame(rows, columns=["experiment", "runs", "seconds"])
    return found.sort_values("seconds", ascending=False, ignore_index=True)
