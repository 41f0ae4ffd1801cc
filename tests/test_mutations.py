"""Break each update rule on purpose: the tests must notice, every time.

Each mutant is a copy of the library with one rule changed, run through the tests that compare
the loops with their twins, in plain Python (no compilation).  A mutant that survives means that
a test is missing; one whose text is not found means that this list is out of date.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


PULL = "pull(loss, float(y[i]), s, q)"
SHARE = "1.0 / len(visits) if own - best < q else 0.0"
PROMOTE, DEMOTE = "scale_row(X, i, alpha, w)", "scale_row(X, i, 1.0 / alpha, w)"
NEARER, FARTHER = "add_example(X, i, steps[b]", "add_example(X, i, -steps[b]"


def step_rules(step: str) -> dict[str, list[tuple[str, str]]]:
    """Return the rules that every Pegasos loop has; ``step`` is how far an example moves w."""
    return {
        "sign of the update": [(step, f"-({step})")],
        "no shrinkage": [("q = scale(lam, t)", "q = lam"), (step, f"({step}) / t")],
        "step 1/(lam (t+1))": [("scale(lam, t)", "scale(lam, t + 1)")],
        "weights ignored": [("if c is not None", "if False")],
        "prior ignored": [("if r is not None", "if False")],
        "no mean": [("mass += mean_weight(t, first)", "pass")],
        "no projection": [("if radius < np.inf", "if False")],
    }


# (file in kernlib/learners, its tests): what is broken: old text, new text
RULES = {
    ("perceptron", "perceptron"): {
        "sign of the update": [("add_row(X, i, y[i], w)", "add_row(X, i, -y[i], w)")],
        "<= to <": [("bias * w[-1]) <= 0.0", "bias * w[-1]) < 0.0")],
        "sign of b": [("w[-1] += bias", "w[-1] -= bias")],
        "no b": [("+ bias * w[-1]) <=", ") <=")],
        "mean before the example": [("self.seen - times + 1", "self.seen - times")],
        "best aliased": [("self.w.copy(), error", "self.w, error")],
        "best: last of equals": [("if error <", "if error <=")],
        "no early stop": [("self.done = n == 0", "pass")],
    },
    ("winnow", "winnow"): {
        "> to >=": [("i, w) > threshold", "i, w) >= threshold")],
        "demotion promotes": [(DEMOTE, PROMOTE)],
        "promotion demotes": [(PROMOTE, DEMOTE)],
        "no early stop": [("if not counts or counts[-1] > 0", "if True")],
    },
    ("pegasos_run", "pegasos"): step_rules(PULL),
    ("minibatch", "pegasos"): {"sum for mean": [(" / len(visits)", "")], **step_rules(PULL)},
    ("losses", "pegasos"): {
        "< to <=": [("y * s < q", "y * s <= q")],
        "margin 1 to 0": [("y * s < q", "y * s < 0.0")],
        "logistic slope, m > 0": [("y * e / (1.0 + e)", "y / (1.0 + e)")],
        "logistic slope, m < 0": [("1.0 + np.exp(m)", "1.0 + np.exp(-m)")],
    },
    ("scaled", "pegasos"): {
        "step 1/(lam (t+1))": [("lam * (t - 1) if", "lam * t if")],
        "mean of later iterates": [("1.0 / (t - 1) if", "1.0 / t if")],
        "mean starts late": [("0 < first <= t", "0 < first < t")],
        "ball: mean not told": [("z[j] -= mass", "z[j] -= 0.0 * mass")],
        "ball: norm not told": [("return limit * limit", "return sq_norm")],
        "norm: cross term": [("change = 2.0 * g", "change = g")],
        "norm: constant feature": [("+ bias * bias)", ")")],
        "no b": [("v[-1] += bias * g", "pass")],
    },
    ("crammer_singer", "crammer_singer"): {
        "< to <=": [("own - best < q", "own - best <= q")],
        "rival pulled nearer": [(FARTHER, NEARER)],
        "last of equal rivals": [("elif s > best", "elif s >= best")],
        **step_rules(SHARE),
    },
}
MUTANTS = [
    pytest.param(file, tests, changes, id=f"{file}: {what}")
    for (file, tests), rules in RULES.items()
    for what, changes in rules.items()
]


def run_tests(copy: Path, tests: str) -> subprocess.CompletedProcess:
    command = [
        sys.executable, "-m", "pytest", f"tests/learners/test_{tests}.py", "-x", "-q",
        "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile", "mutants",
        "-k", "pseudocode or definition or mean_is",
    ]  # fmt: skip
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(copy)}
    return subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the library and its tests."""
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("kernlib", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("tests", ["perceptron", "winnow", "pegasos", "crammer_singer"])
def test_unchanged_copy_passes(copy, tests):
    done = run_tests(copy, tests)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("file", "tests", "changes"), MUTANTS)
def test_mutant_is_noticed(copy, file, tests, changes):
    path = copy / "kernlib" / "learners" / f"{file}.py"
    source = path.read_text(encoding="utf8")
    for old, new in changes:
        assert source.count(old) == 1, f"{old!r} must occur once in {file}.py"
        source = source.replace(old, new)
    path.write_text(source, encoding="utf8")
    done = run_tests(copy, tests)
    assert done.returncode == 1, f"not noticed (exit {done.returncode}):\n{done.stdout[-2000:]}"
    assert " failed" in done.stdout
