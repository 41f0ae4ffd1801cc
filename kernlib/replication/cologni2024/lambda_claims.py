"""What document 1 says about lambda and about logistic Pegasos, decided by the experiments.

Tests: ``tests/replication/test_cologni2024.py``.
"""

import numpy as np
import pandas as pd

from kernlib.replication.claims import Finding, claim
from kernlib.replication.cologni2024.claims import by_run, least, means, stated
from kernlib.replication.cologni2024.logistic import LAMBDAS, grid_edges, overflow
from kernlib.replication.cologni2024.tables import (
    logistic_lambda,
    pegasos_lambda,
    pegasos_poly2_lambda,
)
from kernlib.replication.cologni2024.variants import EXACT, small_lambda
from kernlib.replication.engine import Experiment
from kernlib.replication.verdicts import AS_CODED


def _decide_lambda(name: str, table: Experiment) -> None:
    def decide(made: pd.DataFrame) -> Finding:
        """Holds if this lambda of the printed grid has the least mean validation error."""
        errors = means(made)
        best, named = least(errors), stated(name)
        rows = {row: by_run(made, row, "validation_error") for row in errors}
        chosen = np.array(list(rows))[np.argmin(list(rows.values()), axis=0)]
        evidence: dict[str, float | str] = {
            "least mean error at": best,
            "its error": errors[best],
            "error at the stated": errors[named],
            "runs that choose the stated": float(np.mean(chosen == named)),
        }
        return Finding(best == named, evidence)

    claim(name, tables=(table,))(decide)


_decide_lambda("C34", pegasos_lambda)
_decide_lambda("C37", logistic_lambda)


@claim("C39", tables=(pegasos_poly2_lambda, grid_edges))
def edge_of_the_grid(made: pd.DataFrame, wider: pd.DataFrame) -> Finding:
    """Holds if it has the least mean validation error of the printed grid; below it, the next."""
    errors = means(made)
    below = means(wider)
    evidence: dict[str, float | str] = {
        "least mean error at": least(errors),
        "error at 0.001": errors["0.001"],
        "error at 0.0001": below["expanded pegasos 0.0001"],
    }
    return Finding(least(errors) == stated("C39"), evidence)


@claim("C36", tables=(pegasos_lambda, small_lambda))
def overfits(made: pd.DataFrame, exact: pd.DataFrame) -> Finding:
    """Holds if below 0.1 the training error is less and the validation error more, and above both.

    The exact minimum of the same objective tells overfitting from too few steps.
    """
    train, validation = means(made, "training_error"), means(made)
    small = [lam for lam in train if float(lam) < 0.1]
    large = [lam for lam in train if float(lam) > 0.1]
    over = all(train[v] < train["0.1"] and validation[v] > validation["0.1"] for v in small)
    under = all(train[v] > train["0.1"] and validation[v] > validation["0.1"] for v in large)
    evidence = {
        "training error at 0.0001": train["0.0001"],
        "at 0.1": train["0.1"],
        "at 100": train["100"],
        "exact minimum at 0.0001": means(exact, "training_error", EXACT)["0.0001"],
        "its validation error": means(exact, "validation_error", EXACT)["0.0001"],
    }
    return Finding(over and under, evidence)


# ---------------------------------------------------------------- logistic


@claim("C15", tables=(overflow,))
def unscaled_overflows(table: pd.DataFrame) -> Finding:
    """Holds if for each lambda of the logistic grid exp overflows on unscaled data."""
    exponent = means(table, "exponent_over_limit", AS_CODED)
    over = {lam: exponent[f"unscaled {lam:g}"] for lam in LAMBDAS}
    evidence = {f"exponent over limit at {lam:g}": value for lam, value in over.items()}
    return Finding(all(value > 1 for lam, value in over.items() if lam >= 0.1), evidence)


@claim("C42", tables=(grid_edges,))
def quoted_lambda(table: pd.DataFrame) -> Finding:
    """Holds if the training error at the quoted lambda is nearer the printed one than at 0.1."""
    train, validation = means(table, "training_error"), means(table)
    quoted, best = "expanded logistic 0.001", "expanded logistic 0.1"
    printed = float(stated("C44"))
    evidence = {
        "training error at 0.001": train[quoted],
        "at 0.1": train[best],
        "validation error at 0.001": validation[quoted],
        "at 0.1, too": validation[best],
    }
    return Finding(abs(train[quoted] - printed) < abs(train[best] - printed), evidence)


@claim("C45", tables=(overflow,))
def small_lambdas_overflow(table: pd.DataFrame) -> Finding:
    """Holds if on the expansion every dropped lambda overflows, and no lambda that was kept."""
    exponent = means(table, "exponent_over_limit", AS_CODED)
    error = means(table, "validation_error", AS_CODED)
    dropped = [exponent[f"expanded {lam:g}"] for lam in LAMBDAS if lam < 0.1]
    kept = [exponent[f"expanded {lam:g}"] for lam in LAMBDAS if lam >= 0.1]
    evidence = {
        "least exponent over limit, dropped": min(dropped),
        "largest, kept": max(kept),
        "not expanded, at 0.01": exponent["linear 0.01"],
        "validation error without overflow, at 0.001": error["expanded 0.001"],
        "at 0.1": error["expanded 0.1"],
    }
    return Finding(min(dropped) > 1 > max(kept), evidence)
