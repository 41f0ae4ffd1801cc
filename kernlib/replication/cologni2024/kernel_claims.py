"""What document 1 says about its kernels, decided by the experiments.

Tests: ``tests/replication/test_cologni2024.py``.
"""

import pandas as pd

from kernlib.replication.claims import Finding, claim
from kernlib.replication.cologni2024.claims import above, by_run, least, means, stated
from kernlib.replication.cologni2024.facts import nearest_neighbour
from kernlib.replication.cologni2024.kernels import kernel_pegasos, kernel_perceptron
from kernlib.replication.verdicts import AS_CODED, AS_PRINTED

NEARLY_ALL = 0.95
SMALL_WIDTHS = ("gaussian 0.01", "gaussian 0.1")


@claim("C48", tables=(kernel_perceptron,))
def fits_all(table: pd.DataFrame) -> Finding:
    """Holds if the training errors of the two smallest widths are 0, with the code's kernel."""
    theirs, text = (means(table, "training_error", v) for v in (AS_CODED, AS_PRINTED))
    evidence = {f"{row}, code": theirs[row] for row in SMALL_WIDTHS}
    evidence |= {f"{row}, formula": text[row] for row in SMALL_WIDTHS}
    return Finding(all(theirs[row] == float(stated("C48")) for row in SMALL_WIDTHS), evidence)


@claim("C49", tables=(nearest_neighbour,))
def acts_as_nearest_neighbour(table: pd.DataFrame) -> Finding:
    """Holds if 95 % of the validation rows get the label of the nearest row, at width 0.01."""
    row = SMALL_WIDTHS[0]
    same = means(table, "as_1nn", AS_CODED)[row]
    evidence = {
        "same label as 1-NN": same,
        "as 1-NN among the support vectors": means(table, "as_1nn_of_support", AS_CODED)[row],
        "support vectors, share of the rows": means(table, "support_share", AS_CODED)[row],
        "error of 1-NN": means(table, "validation_error", AS_CODED)["1-NN"],
    }
    return Finding(same >= NEARLY_ALL, evidence)


def _by_degree(table: pd.DataFrame) -> tuple[list[float], list[float]]:
    """Return training and validation errors of degrees 1 to 4."""
    rows = [f"polynomial {degree}" for degree in (1, 2, 3, 4)]
    train, validation = means(table, "training_error"), means(table)
    return [train[row] for row in rows], [validation[row] for row in rows]


@claim("C50", tables=(kernel_perceptron,))
def degree_4_overfits(table: pd.DataFrame) -> Finding:
    """Holds if degree 4 has the largest gap, and a higher validation error than degree 3."""
    train, validation = _by_degree(table)
    gaps = [v - t for t, v in zip(train, validation, strict=True)]
    evidence = {f"gap of degree {d}": gap for d, gap in enumerate(gaps, start=1)}
    evidence |= {"validation error of degree 3": validation[2], "of degree 4": validation[3]}
    return Finding(gaps[3] == max(gaps) and validation[3] > validation[2], evidence)


@claim("C51", tables=(kernel_perceptron,))
def low_degrees_underfit(table: pd.DataFrame) -> Finding:
    """Holds if both errors of degrees 1 and 2 are above those of degree 3."""
    train, validation = _by_degree(table)
    evidence = {f"training error of degree {d}": train[d - 1] for d in (1, 2, 3)}
    evidence |= {f"validation error of degree {d}": validation[d - 1] for d in (1, 2, 3)}
    holds = min(train[:2]) > train[2] and min(validation[:2]) > validation[2]
    return Finding(holds, evidence)


def _best_of_48(table: pd.DataFrame) -> tuple[str, dict[str, float | str]]:
    """Return the row with the least mean validation error, and what stands beside it."""
    text = means(table)
    code = text | means(table, variant=AS_CODED)
    gaussians = {row: value for row, value in text.items() if "gaussian" in row}
    best = least(code)
    return best, {
        "best": best,
        "its error": code[best],
        "error of the stated": code[f"{stated('C56')} polynomial {stated('C57')}"],
        "best with the formula's Gaussian": least(text),
        "least of the formula's Gaussians": gaussians[least(gaussians)],
    }


@claim("C56", tables=(kernel_pegasos,))
def best_lambda(table: pd.DataFrame) -> Finding:
    """Holds if the least mean validation error of the 48 is at this lambda."""
    best, evidence = _best_of_48(table)
    return Finding(best.split()[0] == stated("C56"), evidence)


@claim("C57", tables=(kernel_pegasos,))
def best_kernel(table: pd.DataFrame) -> Finding:
    """Holds if the least mean validation error of the 48 is of this degree."""
    best, evidence = _best_of_48(table)
    return Finding(best.split()[1:] == ["polynomial", stated("C57")], evidence)


@claim("C60", tables=(kernel_pegasos,))
def degrees_at_the_chosen_lambda(table: pd.DataFrame) -> Finding:
    """Holds if degree 4 fits better and validates worse than 3, and degrees 1 and 2 do neither.

    Runs share their draws; a difference counts from 99 % on (one-sided paired t test).
    """
    lam = stated("C56")
    rows = [f"{lam} polynomial {degree}" for degree in (1, 2, 3, 4)]
    train = [by_run(table, row, "training_error") for row in rows]
    validation = [by_run(table, row, "validation_error") for row in rows]
    over = above(train[2], train[3]) and above(validation[3], validation[2])
    under = all(above(e[d], e[2]) for e in (train, validation) for d in (0, 1))
    evidence = {f"training error of degree {d}": e.mean() for d, e in enumerate(train, start=1)}
    evidence |= {f"validation error of degree {d}": e.mean() for d, e in enumerate(validation, 1)}
    return Finding(over and under, evidence)


@claim("C61", tables=(kernel_pegasos,))
def lambdas_at_the_chosen_degree(table: pd.DataFrame) -> Finding:
    """Holds if validation errors below 0.1 are higher than at 0.1, and those above higher still."""
    errors = means(table)
    of = {lam: errors[f"{lam} polynomial 3"] for lam in ("0.001", "0.01", "0.1", "1", "10", "100")}
    below, above = [of["0.001"], of["0.01"]], [of["1"], of["10"], of["100"]]
    evidence = {f"validation error at {lam}": error for lam, error in of.items()}
    return Finding(of["0.1"] < min(below) and max(below) < min(above), evidence)
