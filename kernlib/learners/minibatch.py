r"""Pegasos with several examples in a step: their mean sub-gradient at the same w.

Update: :math:`w \leftarrow (1 - 1/t)\,w + \frac{1}{\lambda t k}\sum_{i\in A} g_i x_i`, with
:math:`g_i = -\ell'(y_i\langle w, x_i\rangle)\,y_i` and A the k examples of step t.
Run by ``Pegasos(batch_size=k)``, whose docstring has the pseudocode; this is Figure 2 of its
reference [1].  Tests: ``tests/learners/test_pegasos.py``.
"""

import numpy as np

from kernlib._jit import jit
from kernlib.learners.losses import pull
from kernlib.learners.scaled import add_example, into_ball, mean_weight, scale, scaled_score


@jit
def _minibatch_loop(X, y, c, r, order, batch, loss, lam, radius, first, bias, v, z, t, mass, sq):
    """As ``_pegasos_loop``, with the mean of ``batch`` sub-gradients at the same w in a step."""
    steps = np.empty(batch)
    for start in range(0, len(order), batch):  # L2
        visits = order[start : start + batch]
        t += 1  # L3, L5
        q = scale(lam, t)
        mass += mean_weight(t, first)
        for b, i in enumerate(visits):
            s = scaled_score(X, i, bias, v)
            if r is not None:
                s += q * r[i]
            steps[b] = pull(loss, float(y[i]), s, q) / len(visits)  # L4
            if c is not None:
                steps[b] *= c[i]
        for b, i in enumerate(visits):
            if steps[b] != 0.0:  # L6
                sq += add_example(X, i, steps[b], bias, radius, first, mass, v, z)  # L7
        if radius < np.inf:
            sq = into_ball(lam * t * radius, sq, mass, v, z)  # L8
    return t, mass, sq  # L9
