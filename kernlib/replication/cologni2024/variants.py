r"""Document 1's slips, each re-enacted beside the way that was meant.

The wrong label inside the sum of kernel Pegasos, its factor and its draws; the constant that is
expanded twice; "small lambda overfits"; a scaler that saw the validation rows; single runs
without a seed.  Logistic Pegasos is in ``logistic.py``, rates that no part of the table can give
in ``rates.py``.  Tests: ``tests/replication/test_cologni2024.py``.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.svm import LinearSVC

from kernlib.gram import Gram
from kernlib.kernels import Exponential, Kernel, Polynomial
from kernlib.learners.kernel_pegasos_run import KernelRun, Rule
from kernlib.learners.losses import loss_values
from kernlib.learners.perceptron import Perceptron
from kernlib.learners.sampling import VisitingOrder, streams
from kernlib.model_selection import error_rate
from kernlib.preprocessing import expansion
from kernlib.replication.cologni2024.common import (
    CHOSEN,
    EXPANDED_STEPS,
    N_FIT,
    RUNS,
    STEPS,
    Parts,
    Rows,
    expanded,
    fit_and_validate,
    over_seeds,
    pegasos,
    train_and_test,
)
from kernlib.replication.cologni2024.description import scaling
from kernlib.replication.cologni2024.kernels import (
    Errors,
    Problem,
    kernel_perceptron,
    pegasos_errors,
)
from kernlib.replication.cologni2024.tables import (
    logistic_lambda,
    logistic_poly2_lambda,
    pegasos_lambda,
    pegasos_poly2_lambda,
)
from kernlib.replication.engine import experiment, seeds, tidy
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED, CORRECTED

MANY_RUNS = 200
SLIP_KERNELS: dict[str, Kernel] = {
    "polynomial 3": Polynomial(degree=3),
    "exponential 1": Exponential.with_length(1.0),
}
SLIP_LAMBDAS = (0.001, 0.1)


# ---------------------------------------------------------------- kernel Pegasos as printed


def printed_counts(gram: Gram, n: int, order: Any, lams: Any, n_steps: int) -> np.ndarray:
    """Run the printed pseudocode on the first n points; return the counts alpha, by lambda.

    Its margin has y_i twice, so none: it trains as if all labels were +1.
    """
    lam = np.array(lams)
    rule = Rule("hinge", lam, np.zeros(len(lam), dtype=np.int64), 0)
    run = KernelRun(gram, np.arange(n), np.ones((len(lam), n)), None, order, rule)
    run.advance(n_steps)
    return np.rint(run.coefficients()[:, :n] * n_steps * lam[:, np.newaxis])


def _printed_pegasos(
    problem: Problem, kernel: Kernel, runs: int, seed: int
) -> Iterator[tuple[int, float, Errors]]:
    """Yield the errors of the printed pseudocode; it predicts with the labels in their place."""
    gram = problem.gram(kernel)
    K: Any = gram.matrix
    n = problem.n_fit
    y = 2.0 * problem.codes[:n] - 1.0

    def one(stream: Any) -> list[Errors]:
        state = streams(int(stream.generate_state(1)[0]), 1)[0]  # the draws of KernelPegasos
        order = VisitingOrder(np.arange(n), "replacement", state)
        alphas = printed_counts(gram, n, order, SLIP_LAMBDAS, STEPS)
        return [problem.errors(f[:, np.newaxis]) for f in (alphas * y) @ K[:n]]

    tasks = (delayed(one)(stream) for stream in seeds(seed, runs))
    for run, found in enumerate(Parallel(n_jobs=-1, prefer="threads")(tasks)):
        for lam, errors in zip(SLIP_LAMBDAS, found, strict=True):
            yield run, lam, errors


def _both_errors(variant: str, row: str, run: int, errors: Any) -> Rows:
    for quantity, value in zip(("training_error", "validation_error"), errors, strict=True):
        yield {"variant": variant, "row": row, "quantity": quantity, "run": run, "value": value}


@experiment("anomaly 2", "algorithm 4", data="milan", runs=RUNS)
def kernel_pegasos_slips(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """What each slip of the printed kernel Pegasos costs.

    As printed: y_i inside the sum.  As their code: y_j, and the factor 1 / (lam t).  Corrected:
    1 / (lam (t - 1)).  All see the same draws.
    """
    problem = Problem.of(fit_and_validate(data))
    same = (SLIP_LAMBDAS, runs, seed)

    def rows() -> Rows:
        for name, kernel in SLIP_KERNELS.items():
            made = {
                AS_PRINTED: _printed_pegasos(problem, kernel, runs, seed),
                AS_CODED: pegasos_errors(problem, kernel, *same, offset=0),
                CORRECTED: pegasos_errors(problem, kernel, *same, offset=1),
            }
            for variant, found in made.items():
                for run, lam, errors in found:
                    yield from _both_errors(variant, f"{name} {lam:g}", run, errors)

    return tidy(rows())


@experiment("anomaly 2", data=None, runs=RUNS)
def draws_out_of_range(runs: int, seed: int) -> pd.DataFrame:
    """How soon a draw from 0, ..., n is the number that none of the n examples has."""
    rows: list[dict[str, Any]] = []
    for run, stream in enumerate(seeds(seed, runs)):
        outside = np.random.default_rng(stream).integers(N_FIT + 1, size=STEPS) == N_FIT
        line = {"row": f"{N_FIT} rows", "run": run}
        rows.append(line | {"quantity": "crashed", "value": float(outside.any())})
        first = float(np.argmax(outside)) if outside.any() else float(STEPS)
        rows.append(line | {"quantity": "steps_before", "value": first})
        survives = float((1 - 1 / (N_FIT + 1)) ** STEPS)
        rows.append(line | {"quantity": "chance_to_finish", "value": survives})
    return tidy(rows)


# ---------------------------------------------------------------- twice the constant


@experiment("anomaly 6", data="milan", runs=RUNS)
def distinct_columns(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors on the expansion as it is, 77 columns, and on its 66 distinct ones (corrected)."""
    linear = train_and_test(data)
    forms = {
        AS_PRINTED: expanded(linear),
        CORRECTED: linear.mapped(lambda X: expansion(2).fit_transform(X[:, :-1])),
    }
    lam = CHOSEN["expanded pegasos"]
    makers: dict[str, Any] = {
        "Perceptron": lambda s: Perceptron(fit_intercept=False),
        "Pegasos (hinge)": lambda s: pegasos(lam, s, n_steps=EXPANDED_STEPS),
    }

    def rows() -> Rows:
        for variant, parts in forms.items():
            for name, make in makers.items():
                for run, (_, train, test) in enumerate(over_seeds(make, parts, runs, seed)):
                    line = {"variant": variant, "row": name, "run": run}
                    yield line | {"quantity": "training_error", "value": train}
                    yield line | {"quantity": "test_error", "value": test}
                    yield line | {"quantity": "columns", "value": float(parts.X.shape[1])}

    return tidy(rows())


# ---------------------------------------------------------------- small lambda


def objective(w: np.ndarray, X: np.ndarray, y: np.ndarray, lam: float) -> float:
    """Return the regularised mean hinge loss."""
    return float(lam / 2 * (w @ w) + np.mean(loss_values("hinge", y * (X @ w))))


def exact_svm(parts: Parts, lam: float) -> LinearSVC:
    """Return the minimiser of Pegasos' objective, by liblinear."""
    C = 1 / (lam * len(parts.y))
    made = LinearSVC(loss="hinge", C=C, fit_intercept=False, max_iter=1_000_000, random_state=0)
    return made.fit(parts.X, parts.y)


SMALL_LAMBDAS = (0.0001, 0.001, 0.01, 0.1)
EXACT = "exact minimum"


@experiment("anomaly 7", data="milan", runs=RUNS)
def small_lambda(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Errors and objective of Pegasos' last iterate after T steps, and of the exact minimum."""
    parts = fit_and_validate(data)

    def lines(variant: str, row: str, run: int, learner: Any, lam: float) -> Rows:
        train = error_rate(learner, parts.X, parts.y)
        other = error_rate(learner, parts.X_out, parts.y_out)
        value = objective(learner.coef_[0], parts.X, parts.y, lam)
        yield from _both_errors(variant, row, run, (train, other))
        yield {"variant": variant, "row": row, "run": run, "quantity": "objective", "value": value}

    def rows() -> Rows:
        for lam in SMALL_LAMBDAS:
            minimum = exact_svm(parts, lam)
            for run in range(runs):
                yield from lines(EXACT, f"{lam:g}", run, minimum, lam)
            for T in (STEPS // 10, STEPS, 10 * STEPS):
                fits = over_seeds(lambda s, v=lam, n=T: pegasos(v, s, n_steps=n), parts, runs, seed)
                for run, (learner, _, _) in enumerate(fits):
                    yield from lines(f"T = {T}", f"{lam:g}", run, learner, lam)

    return tidy(rows())


# ---------------------------------------------------------------- leak and seeds


def _choices(ours: pd.DataFrame, variant: str) -> pd.Series:
    """Return the row with the least validation error, the first of equals, in each run."""
    part = ours[(ours["variant"] == variant) & (ours["quantity"] == "validation_error")]
    by_run = part.pivot_table(index="run", columns="row", values="value", sort=False)
    return by_run.idxmin(axis=1)


@experiment("anomaly 9", data="milan", runs=RUNS)
def leak(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Whether the same parameter is chosen when the scaler does not see the validation rows.

    From the lambda tables and the kernel perceptron's, whose corrected variants have no leak.
    """
    made = {
        "pegasos": pegasos_lambda,
        "logistic": logistic_lambda,
        "expanded pegasos": pegasos_poly2_lambda,
        "expanded logistic": logistic_poly2_lambda,
        "kernel perceptron": kernel_perceptron,
    }

    def rows() -> Rows:
        for name, repeated in made.items():
            ours = repeated(data, runs=min(runs, repeated.runs), seed=seed)
            chosen = [_choices(ours, variant) for variant in (AS_PRINTED, CORRECTED)]
            for run, (theirs, clean) in enumerate(zip(*chosen, strict=True)):
                same = float(theirs == clean)
                yield {"row": name, "quantity": "same_choice", "run": run, "value": same}
            errors = ours[ours["quantity"] == "validation_error"]
            wide = errors.pivot_table(index=["run", "row"], columns="variant", values="value")
            shifts = (wide[AS_PRINTED] - wide[CORRECTED]).abs().groupby("run").max()
            for run, shift in enumerate(shifts):
                yield {"row": name, "quantity": "largest_shift", "run": run, "value": shift}

    return tidy(rows())


@experiment("anomaly 10", data="milan", runs=MANY_RUNS)
def single_runs(data: Any, runs: int, seed: int) -> pd.DataFrame:
    """Test error of Pegasos at its chosen lambda over many seeds, and of the tuned Pegasos."""
    parts = train_and_test(data)
    fits = over_seeds(lambda s: pegasos(CHOSEN["pegasos"], s), parts, runs, seed)
    fixed = tidy(
        {"row": "lambda 0.1", "quantity": "test_error", "run": run, "value": test}
        for run, (_, _, test) in enumerate(fits)
    )
    tuned_runs = scaling(data, runs=min(runs, scaling.runs), seed=seed)
    again = tuned_runs[tuned_runs["row"] == "Pegasos Standardization"].assign(row="lambda tuned")
    return pd.concat([fixed, again])
