import os
from pathlib import Path

import numpy as np
import platformdirs
import pytest

from kernlib.datasets import load_milan


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Point the user's folders into ``tmp_path``, and forget where the Milan table is."""
    monkeypatch.delenv("KERNLIB_MILAN", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *a, **k: str(tmp_path / "cache"))
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *a, **k: str(tmp_path / "data"))
    return tmp_path


@pytest.fixture(scope="session")
def milan_file() -> Path:
    """The real table.  A path that is set but wrong fails in the tests: it must not skip them."""
    if not os.environ.get("KERNLIB_MILAN"):
        pytest.skip("the Milan table is its owner's: set KERNLIB_MILAN to its path to run this")
    return Path(os.environ["KERNLIB_MILAN"])


@pytest.fixture(scope="session")
def milan(milan_file):
    table = load_milan(milan_file)
    assert table.is_original, "KERNLIB_MILAN names another table than the published report's"
    return table


@pytest.fixture
def table_text():
    """A small made-up table in the Milan format."""
    rng = np.random.default_rng(0)
    rows = [",".join(map(repr, row)) for row in rng.normal(size=(6, 10)).tolist()]
    labels = ["1", "-1"] * 3
    body = [f"{row},{label}" for row, label in zip(rows, labels, strict=True)]
    return "\n".join([",".join([f"x{j}" for j in range(1, 11)] + ["y"]), *body, ""])
