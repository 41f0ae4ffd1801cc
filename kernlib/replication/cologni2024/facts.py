"""Document 1's statements about its table and its kernel perceptron, as numbers.

Tests: ``tests/replication/test_cologni2024.py``.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

from kernlib.learners.kernel_base import Reporter
from kernlib.learners.kernel_perceptron import KernelPerceptron
from kernlib.preprocessing import scaler
from kernlib.replication.cologni2024.common import (
    Rows,
    expanded,
    fit_and_validate,
    raw_parts,
    train_and_test,
)
from kernlib.replication.cologni2024.kernels import (
    EPOCHS,
    Problem,
    code_kernel,
    text_kernel,
)
from kernlib.replication.engine import experiment, not_repeated, tidy
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED

GAMMAS = ("0.01", "0.1", "1")

not_repeated(
    "cologni2024",
    {
        "algorithm 1": "Pseudocode without numbers: it is the loop of kernlib's Perceptron.",
        "algorithm 2": "Pseudocode without numbers: it is the loop of kernlib's Pegasos.",
        "algorithm 3": "Pseudocode without numbers: it is the loop of kernlib's KernelPerceptron.",
        "listing sec 5.1": "Code without numbers: kernlib.kernels.Polynomial with coef0 = 1.",
        "listing sec 5.1 (2)": (
            "Code without numbers: not the Gaussian of its formula but "
            "kernlib.kernels.Exponential; both are in kernel_perceptron and kernel_pegasos."
        ),
    },
)


@experiment("section 2", data="milan", deterministic=True)
def facts(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Counts and ranges of the table, its parts and its scaled forms."""
    X, y = np.asarray(data.data), np.asarray(data.target)
    raw = raw_parts(data)
    scaled = train_and_test(data)
    standard = scaled.X[:, :-1]
    normal = scaler("normalize").fit_transform(raw.X)
    values = {
        "n_points": len(y),
        "n_features": X.shape[1],
        "lowest_label": y.min(),
        "highest_label": y.max(),
        "n_labels": len(np.unique(y)),
        "n_missing": np.count_nonzero(np.isnan(X)),
        "n_duplicates": len(raw.X) - len(np.unique(raw.X, axis=0)),
        "largest_mean": np.abs(standard.mean(axis=0)).max(),
        "least_deviation": standard.std(axis=0).min(),
        "largest_deviation": standard.std(axis=0).max(),
        "lowest_normalised": normal.min(),
        "highest_normalised": normal.max(),
        "n_weights": scaled.X.shape[1],
        "n_expanded": expanded(scaled).X.shape[1],
        "n_distinct": len(np.unique(expanded(scaled).X[:100], axis=1).T),
    }
    return tidy(
        {"row": "data", "quantity": name, "value": float(value)} for name, value in values.items()
    )


@experiment("section 5.2", data="milan", deterministic=True)
def nearest_neighbour(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Share of validation rows that the kernel perceptron labels as 1-NN does, by width.

    1-NN among all rows that it was fitted on, and among its support vectors only.
    """
    parts = fit_and_validate(data)
    problem = Problem.of(parts)
    points = np.arange(len(problem.codes))
    outer = points[problem.n_fit :]

    def neighbour(rows_of: np.ndarray) -> np.ndarray:
        one = KNeighborsClassifier(1).fit(parts.X[rows_of], problem.codes[rows_of])
        return np.asarray(one.predict(parts.X_out))

    def rows() -> Rows:
        of_all = neighbour(points[: problem.n_fit])
        error = float(np.mean(of_all != problem.codes[outer]))
        yield {"variant": AS_CODED, "row": "1-NN", "quantity": "validation_error", "value": error}
        for variant, kernel_of in ((AS_PRINTED, text_kernel), (AS_CODED, code_kernel)):
            for gamma in GAMMAS:
                kernel = kernel_of("gaussian", "", gamma)
                gram = problem.gram(kernel)
                learner = KernelPerceptron(kernel=kernel, max_iter=EPOCHS)
                found = learner._solve(gram, problem.codes, points[: problem.n_fit], Reporter())
                codes = (found.scores_on(gram, outer)[:, 0] > 0).astype(int)
                del gram  # before the next one is made
                line = {"variant": variant, "row": f"gaussian {gamma}"}
                same = {"as_1nn": of_all, "as_1nn_of_support": neighbour(found.support())}
                for quantity, labels in same.items():
                    yield line | {"quantity": quantity, "value": float(np.mean(codes == labels))}
                share = len(found.support()) / problem.n_fit
                yield line | {"quantity": "support_share", "value": share}

    return tidy(rows())
