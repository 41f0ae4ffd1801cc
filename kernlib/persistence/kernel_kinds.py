"""Kernels and kernel learners in model files: what each has learned, what must fit together.

Tests: ``tests/test_persistence.py`` and ``tests/test_model_fuzz.py``.
"""

from typing import Any

import numpy as np

from kernlib.kernels import (
    Constant,
    Exponential,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Multiple,
    Polynomial,
    Precomputed,
    Product,
    SquaredL1,
    Sum,
)
from kernlib.learners.budget import BudgetPerceptron
from kernlib.learners.kernel_pegasos import KernelPegasos
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.learners.kernel_svm import KernelSVM
from kernlib.persistence.container import ModelFileError
from kernlib.persistence.kind import CLASSIFIER, EPOCHS, NAMES, SPLIT, Kind, check_problems
from kernlib.persistence.rules import (
    Rule,
    Sizes,
    array,
    list_of,
    one_of,
    record,
    text,
    whole,
)

ONE_ROW = np.zeros((1, 1))


def _check_kernel(kernel: Any, sizes: Sizes) -> None:
    kernel.resolved(ONE_ROW)


def _resolved(value: Any, where: str, sizes: Sizes) -> None:
    """A kernel with numbers for all its parameters."""
    if not isinstance(value, Kernel) or value.resolved(ONE_ROW) != value:
        raise ModelFileError(f"{where} must be a kernel whose parameters are numbers.")


def _check_learner(learner: Any, sizes: Sizes) -> None:
    learner._check_parameters()
    if not sizes:
        return
    check_problems(sizes, learner.multi_class_ == "ovo")
    support, vectors = learner.support_, learner.support_vectors_
    given = isinstance(learner.kernel_, Precomputed)
    expected = (0, 0) if given else (sizes["vectors"], sizes["features"])
    if vectors.shape != expected:
        raise ModelFileError(f"support_vectors_ must have shape {expected}, got {vectors.shape}.")
    if np.any(support < 0) or np.any(np.diff(support) <= 0):
        raise ModelFileError("support_ must hold increasing row numbers.")
    if given and len(support) > 0 and support[-1] >= sizes["features"]:
        raise ModelFileError(f"support_ must hold numbers below {sizes['features']}.")


def _check_perceptron(learner: Any, sizes: Sizes) -> None:
    _check_learner(learner, sizes)
    if not sizes:
        return
    expected = {"votes_"} if learner.predictor == "voted" else {"dual_coef_"}
    if expected != {"votes_", "dual_coef_"} & vars(learner).keys():
        raise ModelFileError(
            f"predictor={learner.predictor!r} needs {min(expected)} and nothing else to predict "
            "with: it was changed after the fit. Fit again."
        )
    for votes in vars(learner).get("votes_", ()):
        # The compiled vote does not check where it reads.
        if np.any(votes.mistakes < 0) or np.any(votes.mistakes >= sizes["vectors"]):
            raise ModelFileError("votes_ must name places among the support vectors.")
        if np.any(votes.counts < 0):
            raise ModelFileError("votes_ must hold counts of 0 or more.")


COEFFICIENTS: dict[str, Rule] = {"dual_coef_": array("f", "problems", "vectors")}
SUPPORT: dict[str, Rule] = {
    "kernel_": _resolved,
    "gram_dtype_": one_of("float32", "float64"),
    "gram_note_": text,
    "support_": array("i", "vectors"),
    "support_vectors_": array("f", None, None, csr=True),
    "n_support_": array("i", "problems"),
    "intercept_": array("f", "problems"),
}
KERNEL_LEARNER = CLASSIFIER | SUPPORT | SPLIT
VOTES: dict[str, Rule] = {"votes_": list_of(record("KernelVotes"), "problems")}
SOLVED: dict[str, Rule] = {
    "n_iter_": array("i", "problems"),
    "dual_objective_": array("f", "problems"),
    "dual_gap_": array("f", "problems"),
}
STEPS = dict.fromkeys(("n_steps_", "n_violations_"), array("i", "problems"))
COUNTS = dict.fromkeys(("n_mistakes_", "n_evictions_"), array("i", "problems"))
BUDGET_EPOCHS: dict[str, Rule] = {
    "n_iter_": whole("epochs"),
    "mistakes_per_epoch_": array("i", "problems", "epochs"),
}
KERNELS = ("kernel", "kernel_")

KERNEL_KINDS = [
    *(Kind(cls, _check_kernel) for cls in (
        Constant, Linear, Polynomial, Gaussian, Exponential, Laplacian, SquaredL1, Precomputed)),
    Kind(Sum, _check_kernel, nested=("left", "right")),
    Kind(Product, _check_kernel, nested=("left", "right")),
    Kind(Multiple, _check_kernel, nested=("kernel",)),
    Kind(KernelPerceptron, _check_perceptron, KERNEL_LEARNER | EPOCHS,
         NAMES | COEFFICIENTS | VOTES, nested=KERNELS),
    Kind(KernelPegasos, _check_learner, KERNEL_LEARNER | COEFFICIENTS | STEPS, NAMES,
         nested=KERNELS),
    Kind(KernelSVM, _check_learner, KERNEL_LEARNER | COEFFICIENTS | SOLVED, NAMES, nested=KERNELS),
    Kind(BudgetPerceptron, _check_learner, KERNEL_LEARNER | COEFFICIENTS | COUNTS,
         NAMES | BUDGET_EPOCHS, nested=KERNELS, left_out=("_run", "_begun")),
]  # fmt: skip
