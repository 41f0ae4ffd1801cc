"""How time and memory grow with the examples, the features, the classes and the steps.

One fit a line, the median of some rounds after a warm-up; the memory is what the fit allocates at
its peak, as NumPy reports it to ``tracemalloc``, without the data.  Sizes double or more, so that a
line fitted to the logarithms says the exponent.  ``--quick`` takes smaller sizes and one round.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
from side_by_side import Row, is_quick, report

from kernlib import KernelPegasos, KernelPerceptron, KernelSVM, Pegasos
from kernlib.kernels import Gaussian, Polynomial

Case = tuple[str, str, int, Callable[[], object]]


def blobs(m: int, d: int, classes: int):
    """Return m points around as many centres as classes; they overlap."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((classes, d))
    y = rng.integers(0, classes, m)
    return centres[y] + 1.5 * rng.standard_normal((m, d)), y


def measured(work: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return the median seconds of a work, and the largest memory that it takes, in MiB."""
    work()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(np.median(seconds)), peak / 2**20


def fit(learner, m: int, d: int, classes: int) -> Callable[[], object]:
    X, y = blobs(m, d, classes)
    return lambda: learner.fit(X, y)


def cases(small: int) -> Iterator[Case]:
    """Yield learner, axis, size and work; ``small`` divides the sizes."""
    perceptron = KernelPerceptron(kernel=Polynomial(degree=3), max_iter=3)
    for m in (1000, 2000, 4000, 8000):
        yield "kernel perceptron", "m", m // small, fit(perceptron, m // small, 64, 5)
    for d in (32, 128, 512, 2048):
        yield "kernel perceptron", "d", d, fit(perceptron, 3000 // small, d, 5)
    for k in (4, 8, 16, 32):
        yield "kernel perceptron", "classes", k, fit(perceptron, 4000 // small, 64, k)
    for T in (40_000, 80_000, 160_000, 320_000):
        pegasos = KernelPegasos(
            kernel=Gaussian(gamma=0.01), lam=1e-4, n_steps=T // small, random_state=0
        )
        yield "kernel Pegasos", "T", T // small, fit(pegasos, 2000, 20, 2)
    for T in (200_000, 400_000, 800_000, 1_600_000):
        linear = Pegasos(lam=1e-4, n_steps=T // small, random_state=0)
        yield "linear Pegasos", "T", T // small, fit(linear, 5000, 50, 2)
    for m in (20_000, 40_000, 80_000, 160_000):
        epoch = Pegasos(lam=1e-4, n_steps=m // small, random_state=0)
        yield "linear Pegasos, one epoch", "m", m // small, fit(epoch, m // small, 100, 2)
    for d in (32, 128, 512, 2048):
        epoch = Pegasos(lam=1e-4, n_steps=20_000 // small, random_state=0)
        yield "linear Pegasos, one epoch", "d", d, fit(epoch, 20_000 // small, d, 2)
    svm = KernelSVM(kernel=Gaussian(gamma=0.01), C=1.0)
    for m in (750, 1500, 3000, 6000):
        yield "KernelSVM", "m", m // small, fit(svm, m // small, 20, 2)


def main() -> None:
    quick = is_quick(__doc__)
    rows: list[Row] = []
    for learner, axis, size, work in cases(10 if quick else 1):
        seconds, megabytes = measured(work, 1 if quick else 3)
        rows.append(
            {"learner": learner, "axis": axis, "size": size, "seconds": seconds,
             "megabytes": megabytes}
        )  # fmt: skip
    report("growth", rows)


if __name__ == "__main__":
    main()
