"""Tiny generated problems for figures and tests.

Tests: ``tests/datasets/test_toy.py``.
"""

import numpy as np

Problem = tuple[np.ndarray, np.ndarray]


def make_separable(n: int = 100, d: int = 2, *, margin: float = 0.5, seed: int = 0) -> Problem:
    """Return a linearly separable problem whose largest margin is ``margin``.

    Parameters
    ----------
    n, d : int
        Number of rows, at least 2, and of columns.
    margin : float, default=0.5
        The largest distance, over all hyperplanes that separate the classes, between the
        hyperplane and the nearest row.  It is reached by one through the origin.
    seed : int, default=0
        The same seed gives the same rows.

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), -1 or +1

    Examples
    --------
    >>> from kernlib.datasets import make_separable
    >>> X, y = make_separable(50, 3, margin=0.2)
    >>> X.shape, sorted(set(y.tolist()))
    ((50, 3), [-1, 1])
    """
    _check_size("n", n, 2)
    _check_size("d", d, 1)
    _check_positive("margin", margin)
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    y = rng.permutation(np.where(np.arange(n) % 2 == 0, 1, -1))
    along = margin + np.abs(rng.standard_normal(n))
    across = rng.standard_normal((n, d))
    across -= np.outer(across @ u, u)
    # Two rows face each other at distance 2 margin, so that no hyperplane does better than u's.
    nearest = [int(np.argmax(y == 1)), int(np.argmax(y == -1))]
    along[nearest] = margin
    across[nearest] = 0
    return across + np.outer(y * along, u), y


def make_xor(n: int = 200, *, gap: float = 0.1, seed: int = 0) -> Problem:
    """Return points of the square [-1, 1] x [-1, 1] with the sign of x1 x2 as label.

    Parameters
    ----------
    n : int, default=200
        Number of rows.
    gap : float in [0, 1), default=0.1
        No point is nearer to an axis than this.
    seed : int, default=0
        The same seed gives the same rows.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,), -1 or +1

    Examples
    --------
    >>> from kernlib.datasets import make_xor
    >>> X, y = make_xor(8)
    >>> bool((y == (X[:, 0] * X[:, 1] > 0) * 2 - 1).all())
    True
    """
    _check_size("n", n, 1)
    if not 0 <= gap < 1:
        raise ValueError(
            f"gap must be >= 0 and < 1 (the distance from the axes), got {gap!r}. Try gap=0.1."
        )
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], size=(n, 2))
    # 1 - uniform lies in (0, 1]: no point on an axis even without a gap.
    X = signs * (gap + (1 - gap) * (1 - rng.random((n, 2))))
    return X, signs.prod(axis=1)


def make_rings(
    n: int = 200, *, radii: tuple[float, float] = (1.0, 2.0), noise: float = 0.1, seed: int = 0
) -> Problem:
    """Return two rings around the origin: +1 on the inner one, -1 on the outer one.

    Parameters
    ----------
    n : int, default=200
        Number of rows.
    radii : tuple of two floats, default=(1.0, 2.0)
        The inner and the outer radius.
    noise : float >= 0, default=0.1
        Standard deviation of the radius.
    seed : int, default=0
        The same seed gives the same rows.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,), -1 or +1

    Examples
    --------
    >>> from kernlib.datasets import make_rings
    >>> X, y = make_rings(6, noise=0)
    >>> bool(((X**2).sum(axis=1).round(9) == (y == 1) * 1 + (y == -1) * 4).all())
    True
    """
    _check_size("n", n, 1)
    if len(radii) != 2 or not 0 < radii[0] < radii[1]:
        raise ValueError(f"radii must be (inner, outer) with 0 < inner < outer, got {radii!r}.")
    if not 0 <= noise < np.inf:
        raise ValueError(
            f"noise must be >= 0 (a standard deviation), got {noise!r}. Try noise=0.1."
        )
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.where(np.arange(n) % 2 == 0, 1, -1))
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = np.where(y == 1, *radii) + noise * rng.standard_normal(n)
    return radius[:, np.newaxis] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def make_first_coordinate(m: int = 100, n: int = 20, *, seed: int = 0) -> Problem:
    """Return uniform points of {-1, 1}^n with their first coordinate as label.

    One relevant feature among n: the problem on which Winnow's bound grows with log n, the
    perceptron's with n.

    Parameters
    ----------
    m, n : int
        Number of rows and of columns.
    seed : int, default=0
        The same seed gives the same rows.

    Returns
    -------
    X : ndarray of shape (m, n), -1.0 or 1.0
    y : ndarray of shape (m,), -1 or +1

    Examples
    --------
    >>> from kernlib.datasets import make_first_coordinate
    >>> X, y = make_first_coordinate(30, 5)
    >>> bool((X[:, 0] == y).all())
    True
    """
    _check_size("m", m, 1)
    _check_size("n", n, 1)
    signs = np.random.default_rng(seed).choice([-1, 1], size=(m, n))
    return signs.astype(np.float64), signs[:, 0].copy()


def _check_size(name: str, value: object, minimum: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
        raise ValueError(
            f"{name} must be an integer >= {minimum}, got {value!r}. Typical values: 10 to 10000."
        )


def _check_positive(name: str, value: float) -> None:
    if not 0 < value < np.inf:
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}. Try {name}=0.5.")
