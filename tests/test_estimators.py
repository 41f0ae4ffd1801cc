"""scikit-learn's own checks, on every public learner and on each of its main variants."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernlib import (
    BudgetPerceptron,
    KernelPegasos,
    KernelPerceptron,
    KernelSVM,
    Pegasos,
    Perceptron,
    Winnow,
)

# A stochastic learner makes other draws on duplicated rows than on weighted ones, so the two
# fits agree in their optimum and not to the 1e-7 that these checks ask for.  The exact
# statements are in tests/learners/test_pegasos.py and test_kernel_pegasos.py: equal objectives,
# and equal iterates when the draws are mapped through the cumulative weights.
SHUFFLED_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": "two shuffled stochastic runs are compared",
    "check_sample_weight_equivalence_on_sparse_data": "two shuffled stochastic runs are compared",
}

LEARNERS = [
    Perceptron(),
    Perceptron(predictor="average", shuffle=True),
    Perceptron(predictor="voted"),
    Perceptron(predictor="best", multi_class="ovo"),
    Pegasos(),
    Pegasos(lam=0.1, loss="logistic", output="average"),
    Pegasos(lam=0.1, batch_size=4, sampling="reshuffle", output="average", project=True),
    Pegasos(multi_class="ovo", sampling="permutation"),
    Pegasos(multi_class="crammer_singer"),
    Winnow(binarize=0.0),
    KernelPegasos(n_steps=2000),
    # No polynomial here: check_class_weight_classifiers has features of size 60, so that cubic
    # kernel values reach 1e10 and the method, kernel or explicit features alike, is far from its
    # optimum after any number of steps that a test has time for.
    KernelPegasos(lam=0.1, n_steps=2000, loss="logistic", output="average"),
    KernelPegasos(n_steps=2000, multi_class="ovo", sampling="reshuffle", max_memory=0),
    KernelPerceptron(),
    KernelPerceptron(predictor="average", shuffle=True, kernel="poly"),
    KernelPerceptron(predictor="voted", max_memory=0),
    KernelPerceptron(predictor="best", multi_class="ovo", kernel="exponential"),
    BudgetPerceptron(),
    BudgetPerceptron(policy="oldest", budget=20, max_memory=0),
    BudgetPerceptron(policy="random", budget=20, shuffle=True),
    BudgetPerceptron(policy="project", budget=20, kernel="poly"),
    KernelSVM(tol=1e-9),
    KernelSVM(kernel="linear", multi_class="ovr", tol=1e-9),
    KernelSVM(lam=0.01, fit_intercept=False, tol=1e-9),
]


def expected_failures(learner):
    return SHUFFLED_WEIGHTS if isinstance(learner, (Pegasos, KernelPegasos)) else {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(LEARNERS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
