r"""What a perceptron on a budget stores, and the four rules that keep it within the budget.

An entry is a coefficient :math:`a_s` of a point :math:`x_s` in a class :math:`k_s`; the scores are
:math:`f_k(x) = \sum_{s: k_s = k} a_s K(x_s, x)`.  Entries are kept in the order in which they came,
so that entry 0 is the oldest.  The loop over the examples is in ``kernlib/learners/budget.py``.
Tests: ``tests/learners/test_budget.py``.
"""

from typing import NamedTuple

import numpy as np

from kernlib._jit import add_row, jit_inline

POLICIES = ("margin", "oldest", "random", "project")
MARGIN, OLDEST, RANDOM, PROJECT = range(4)
DAMAGE, SCALE = range(2)  # places in Cache.tuned
SMALLEST_SCALE = 2.0**-100


class Cache(NamedTuple):
    """The entries, as compiled code takes them; the first three arrays have room for more."""

    point: np.ndarray  # the place of the entry's point in the Gram matrix at hand
    klass: np.ndarray  # its class, or binary problem
    alpha: np.ndarray  # its coefficient, divided by the scale
    size: np.ndarray  # (1,): the number of entries
    held: np.ndarray  # entries of each class
    mistakes: np.ndarray  # of each class, so far
    evictions: np.ndarray  # of each class, so far
    tuned: np.ndarray  # the Forgetron's Q, and the scale that its shrinking has come to
    member: np.ndarray  # Projectron: the entries of each class
    factor: np.ndarray  # Projectron: row s of the Cholesky factor of the Gram matrix of its class


def new_cache(n_problems: int) -> Cache:
    """Return a cache without entries, and without room for any."""
    nothing, zeros = np.zeros(0, dtype=np.intp), np.zeros(n_problems, dtype=np.intp)
    return Cache(
        point=nothing,
        klass=nothing,
        alpha=np.zeros(0),
        size=np.zeros(1, dtype=np.intp),
        held=zeros.copy(),
        mistakes=zeros.copy(),
        evictions=zeros,
        tuned=np.array([0.0, 1.0]),
        member=np.zeros((n_problems, 0), dtype=np.intp),
        factor=np.zeros((0, 0)),
    )


def with_room(cache: Cache, policy: int, budget: int, n_visits: int) -> Cache:
    """Return the cache with room for what ``n_visits`` examples may add, and one entry more."""
    n_problems = len(cache.held)
    room = min(budget, int(cache.size[0]) + n_visits * n_problems) + 1
    width = min(room, int(cache.held.max()) + n_visits) if policy == PROJECT else 0
    width = max(width, cache.member.shape[1])
    if room <= len(cache.point) and width == cache.member.shape[1]:
        return cache
    room = max(room, len(cache.point))
    return cache._replace(
        point=_extended(cache.point, (room,)),
        klass=_extended(cache.klass, (room,)),
        alpha=_extended(cache.alpha, (room,)),
        member=_extended(cache.member, (n_problems, width)),
        factor=_extended(cache.factor, (room if policy == PROJECT else 0, width)),
    )


def _extended(old: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    new = np.zeros(shape, dtype=old.dtype)
    new[tuple(slice(n) for n in old.shape)] = old
    return new


# ---------------------------------------------------------------- in and out


@jit_inline
def enter(K, t, k, y, merge, f, cache):
    """Add y K(x_t, .) to f_k; with ``merge`` to the entry of t in k, if there is one."""
    n = cache.size[0]
    s = n
    if merge:
        s = 0
        while s < n and not (cache.point[s] == t and cache.klass[s] == k):
            s += 1
    if s == n:
        cache.point[n], cache.klass[n], cache.alpha[n] = t, k, 0.0
        cache.size[0] += 1
        cache.held[k] += 1
    a = y / cache.tuned[SCALE]
    cache.alpha[s] += a
    add_row(K, t, a, f[k])


@jit_inline
def remove(K, s, f, cache):
    """Take entry s out; the later ones move up."""
    k = cache.klass[s]
    cache.evictions[k] += 1
    cache.held[k] -= 1
    if cache.held[k] == 0:
        f[k, :] = 0.0  # exactly: what rounding leaves would decide the next mistake
    else:
        add_row(K, cache.point[s], -cache.alpha[s], f[k])
    n = cache.size[0] - 1
    for r in range(s, n):
        cache.point[r] = cache.point[r + 1]
        cache.klass[r] = cache.klass[r + 1]
        cache.alpha[r] = cache.alpha[r + 1]
    cache.size[0] = n


# ---------------------------------------------------------------- whom to remove


@jit_inline
def largest_margin(diag, f, cache):
    """Return the entry with the largest margin without itself, the oldest of equals."""
    largest, found = -np.inf, 0
    for s in range(cache.size[0]):
        i, a = cache.point[s], cache.alpha[s]
        without = f[cache.klass[s], i] - a * diag[i]
        margin = without if a > 0.0 else -without  # the sign of a is the label
        if margin > largest:
            largest, found = margin, s
    return found


@jit_inline
def shrink_for_oldest(f, cache):
    """Shrink all coefficients so far that the oldest entry may go, and return it.

    The damage of the removal, Psi(sigma phi, phi mu), is a phi^2 + 2 sigma phi with
    a = sigma^2 - 2 sigma mu; phi is the largest in (0, 1] for which it fits into the room.
    """
    scale = cache.tuned[SCALE]
    alpha = scale * cache.alpha[0]
    sigma = abs(alpha)
    mu = (scale if alpha > 0.0 else -scale) * f[cache.klass[0], cache.point[0]]
    room = 15.0 / 32.0 * cache.mistakes.sum() - cache.tuned[DAMAGE]
    a = sigma * sigma - 2.0 * sigma * mu
    phi = 1.0
    if a + 2.0 * sigma > room:
        phi = room / (sigma + np.sqrt(max(0.0, sigma * sigma + a * room)))
    cache.tuned[DAMAGE] += (a * phi + 2.0 * sigma) * phi
    cache.tuned[SCALE] *= phi
    if cache.tuned[SCALE] < SMALLEST_SCALE:
        settle(f, cache)
    return 0


@jit_inline
def settle(f, cache):
    """Multiply everything by the scale, which is 1 then."""
    scale = cache.tuned[SCALE]
    if scale == 1.0:
        return
    for s in range(cache.size[0]):
        cache.alpha[s] *= scale
    for k in range(f.shape[0]):
        for j in range(f.shape[1]):
            f[k, j] *= scale
    cache.tuned[SCALE] = 1.0


# ---------------------------------------------------------------- or project


@jit_inline
def read_scores(K, t, f, cache):
    """Compute f at point t: a projection moves many coefficients, a sum is cheaper than that."""
    for k in range(len(f)):
        f[k, t] = 0.0
    for s in range(cache.size[0]):
        f[cache.klass[s], t] += cache.alpha[s] * K[t, cache.point[s]]


@jit_inline
def enter_or_project(K, t, k, y, budget, tolerance, cache):
    """Store y K(x_t, .) if there is room and it is new, else add its projection on class k.

    With the Cholesky factor L of the Gram matrix of the class, and L z = K(x_t, stored points):
    the squared distance from their span is K(x_t, x_t) - z'z, the projection's coefficients
    are the d of L' d = z.
    """
    n, n_k, members = cache.size[0], cache.held[k], cache.member[k]
    z = cache.factor[n]  # where it belongs if the point is stored
    distance = float(K[t, t])
    for j in range(n_k):
        s = members[j]
        row = cache.factor[s]
        value = float(K[t, cache.point[s]])
        for i in range(j):
            value -= row[i] * z[i]
        z[j] = value / row[j]
        distance -= z[j] * z[j]
    if n < budget and distance > tolerance * K[t, t]:
        z[n_k] = np.sqrt(distance)
        cache.point[n], cache.klass[n], cache.alpha[n] = t, k, y
        members[n_k] = n
        cache.size[0] += 1
        cache.held[k] += 1
        return
    for j in range(n_k - 1, -1, -1):
        row = cache.factor[members[j]]
        z[j] /= row[j]
        for i in range(j):
            z[i] -= row[i] * z[j]
        cache.alpha[members[j]] += y * z[j]
