r"""The Milan twin: our model of the Milan table, for those who do not have it.

Eight correlated Gaussians z behind softplus, fold, cosine and sine; two noisy copies of x6; and an
exact cubic rule for the label.  The label rule makes no mistake on the table itself; means and
covariances were fitted to it.  Nothing else of the table is here: 53 numbers, no row.
Tests: ``tests/datasets/test_twin.py``.
"""

import hashlib
import json
from typing import Any

import numpy as np

from kernlib.datasets.facts import TWIN, bunch

FEATURES = [f"x{j}" for j in range(1, 11)]

# Order: z1, z2, z4, z5, z6, z7, z8, z9.
MEANS = (0.944, 0.516, 0.545, 0.979, 0.566, 0.975, 0.635, 0.052)
# Lower triangle; good to about 0.1, to 0.3 for z5 and z6, which show only through their angle.
COVARIANCE = (
    (3.80,),
    (0.892, 4.22),
    (0.841, 1.40, 3.25),
    (0.761, 0.713, 1.09, 4.08),
    (1.20, 0.576, 0.814, 0.860, 4.615),
    (0.684, 0.859, 1.095, 0.720, 1.30, 4.675),
    (1.006, 1.089, 1.559, 1.984, 0.999, 1.598, 4.896),
    (1.556, 1.196, 0.628, 1.533, 0.411, 1.173, 1.068, 3.131),
)
X3_OFFSET = 99.9
X10_OFFSET = -55.5
COPY_NOISE = 0.1  # standard deviation, the same for x3 and x10
# Coefficients of the label's score.
LABEL = {"x2*x9": 1.0, "x1*x4*x8": -0.5, "x5": 1.0, "x7": 0.25, "x6": -0.5, "1": -1.5}


def parameters() -> dict[str, Any]:
    """Return every number of the model, by name."""
    return {
        "means": MEANS,
        "covariance": COVARIANCE,
        "x3_offset": X3_OFFSET,
        "x10_offset": X10_OFFSET,
        "copy_noise": COPY_NOISE,
        "label": LABEL,
    }


def label_score(X: np.ndarray) -> np.ndarray:
    """Return the cubic whose sign is the label, for each row (x1, ..., x10)."""
    x1, x2, _, x4, x5, x6, x7, x8, x9, _ = np.asarray(X).T
    one = np.ones_like(x1)
    values = {"x2*x9": x2 * x9, "x1*x4*x8": x1 * x4 * x8, "x5": x5, "x7": x7, "x6": x6, "1": one}
    return np.sum([LABEL[monomial] * value for monomial, value in values.items()], axis=0)


def make_milan_twin(n: int = 10_000, *, seed: int = 0, return_X_y: bool = False) -> Any:
    r"""Draw rows from our model of the Milan table.

    Parameters
    ----------
    n : int, default=10_000
        Number of rows; the table has 10000.
    seed : int, default=0
        The same seed gives the same rows.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (n, 10) float64; ``target`` (n,) int64, -1 or +1; ``is_twin`` is True;
        ``sha256`` is that of the model's parameters, n and seed; ``feature_names``, ``name``,
        ``source``, ``DESCR``, ``seed``.

    Notes
    -----
    With z from a Gaussian and independent noises e, e' of standard deviation 0.1::

        x1 = log(1 + exp(z1))   x4 = -|z4|       x5 = cos(z5)        x6 = sin(z6)
        x2, x7, x8, x9 = z2, z7, z8, z9
        x3 = 99.9 - x6 + e      x10 = -55.5 + x6 + e'
        y  = sign(x2 x9 - x1 x4 x8 / 2 + x5 + x7 / 4 - x6 / 2 - 3/2)

    There is no label noise, and x3 and x10 play no part in the label: the classes are linearly
    separable in the space of cubic features.

    Examples
    --------
    >>> from kernlib.datasets import make_milan_twin
    >>> twin = make_milan_twin(5, seed=1)
    >>> twin.data.shape, twin.is_twin
    ((5, 10), True)
    """
    _check_count("n", n)
    rng = np.random.default_rng(seed)
    z = np.array(MEANS) + rng.standard_normal((n, len(MEANS))) @ _factor().T
    noise = COPY_NOISE * rng.standard_normal((n, 2))
    z1, z2, z4, z5, z6, z7, z8, z9 = z.T
    x6 = np.sin(z6)
    x3, x10 = X3_OFFSET - x6 + noise[:, 0], X10_OFFSET + x6 + noise[:, 1]
    columns = [np.logaddexp(0, z1), z2, x3, -np.abs(z4), np.cos(z5), x6, z7, z8, z9, x10]
    X = np.column_stack(columns)
    y = np.where(label_score(X) > 0, 1, -1)
    if return_X_y:
        return X, y
    recipe = json.dumps(parameters() | {"n": int(n), "seed": int(seed)}, sort_keys=True)
    digest = hashlib.sha256(recipe.encode()).hexdigest()
    note = f"This copy: n={n}, seed={seed}."
    return bunch(
        TWIN,
        X,
        y,
        list(FEATURES),
        sha256=digest,
        notes=(note,),
        is_twin=True,
        seed=seed,
        is_original=False,
    )


def _factor() -> np.ndarray:
    """Return the Cholesky factor of the covariance of z."""
    lower = np.zeros((len(MEANS), len(MEANS)))
    for j, row in enumerate(COVARIANCE):
        lower[j, : len(row)] = row
    return np.linalg.cholesky(lower + np.tril(lower, -1).T)


def _check_count(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(
            f"{name} must be an integer >= 1 (the number of rows), got {value!r}. "
            "The Milan table has 10000 rows."
        )
