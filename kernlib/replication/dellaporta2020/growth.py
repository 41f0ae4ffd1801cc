r"""Growth laws: which function of n describes m(n), fitted and compared rather than read off.

Each law is fitted by least squares on :math:`\ln m` (the spread of m grows with m), and they are
compared by Akaike's criterion; slopes come with a 95 % bootstrap interval over the runs.
Tests: ``tests/replication/test_sample_complexity.py``.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.optimize import least_squares

# name: m as a function of n and the parameters, which are positive; where they start
LAWS: dict[str, tuple[Callable[..., np.ndarray], tuple[float, ...]]] = {
    "a n": (lambda n, a: a * n, (1.0,)),
    "a + b n": (lambda n, a, b: a + b * n, (1.0, 1.0)),
    "a ln n": (lambda n, a: a * np.log(n), (3.0,)),
    "a + b ln n": (lambda n, a, b: a + b * np.log(n), (1.0, 3.0)),
    "a n^b": (lambda n, a, b: a * n**b, (1.0, 1.0)),
    "a n^2": (lambda n, a: a * n**2, (1.0,)),
    "a 2^(b n)": (lambda n, a, b: a * 2.0 ** (b * n), (1.0, 0.5)),
}


def fit_law(name: str, n: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the parameters of a law, and Akaike's criterion (less is better)."""
    law, start = LAWS[name]

    def residuals(logs: np.ndarray) -> np.ndarray:
        return np.asarray(np.log(law(n, *np.exp(logs))) - np.log(m))

    found = least_squares(residuals, np.log(start))
    variance = max(float(np.mean(found.fun**2)), 1e-12)
    return np.exp(found.x), len(n) * np.log(variance) + 2 * (len(start) + 1)


def laws(means: pd.Series) -> pd.DataFrame:
    """Return every law fitted to m, indexed by n: parameters and criterion, best first."""
    n, m = means.index.to_numpy(dtype=np.float64), means.to_numpy(dtype=np.float64)
    rows = []
    for name in LAWS:
        parameters, criterion = fit_law(name, n, m)
        rows.append({"law": name, "parameters": parameters, "aic": criterion})
    return pd.DataFrame(rows).sort_values("aic", ignore_index=True)


def slope(table: pd.DataFrame, law: str, seed: int = 0, resamples: int = 400) -> pd.Series:
    """Return a law's last parameter with a 95 % interval, the runs drawn again with replacement."""
    wide = table.pivot(index="n", columns="run", values="value")
    n = wide.index.to_numpy(dtype=np.float64)
    rng = np.random.default_rng(seed)

    def last(columns: np.ndarray) -> float:
        return float(fit_law(law, n, wide.to_numpy()[:, columns].mean(axis=1))[0][-1])

    runs = wide.shape[1]
    again = [last(rng.integers(0, runs, runs)) for _ in range(resamples)]
    low, high = np.quantile(again, [0.025, 0.975])
    return pd.Series({"value": last(np.arange(runs)), "low": low, "high": high})
