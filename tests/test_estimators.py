"""scikit-learn's own checks, on every public learner and on each of its main variants."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernlib import Pegasos, Perceptron, Winnow

# A stochastic learner makes other draws on duplicated rows than on weighted ones, so the two
# fits agree in their optimum and not to the 1e-7 that these checks ask for.  The exact
# statements are in tests/learners/test_pegasos.py: equal objectives, and equal iterates when
# the draws are mapped through the cumulative weights.
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
]


def expected_failures(learner):
    return SHUFFLED_WEIGHTS if isinstance(learner, Pegasos) else {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(LEARNERS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
