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
    ("kernel_pegasos_loop", "kernel_pegasos"): {
        "sign of the update": [("A[p, i[v]] += g  # L6", "A[p, i[v]] -= g  # L6")],
        "sign of the scores": [("pulls[p, v] = g", "pulls[p, v] = -g")],
        "offset ignored": [("since = t - offset[p]", "since = t - 1")],
        "other offset": [("since = t - offset[p]", "since = t - 1 + offset[p]")],
        "step 1/(lam (t+1))": [("scale(lam[p], since + 1)", "scale(lam[p], since + 2)")],
        "lambda of the first problem": [("scale(lam[p], since", "scale(lam[0], since")],
        "weights ignored": [("g *= c[i[v]]", "g *= 1.0")],
        "pending rows forgotten": [("near[p, u] += g", "near[p, u] += 0.0 * g")],
        "next visit not told": [
            (
                "for u in range(v + 1, n):\n                        near",
                "for u in range(v + 2, n):\n                        near",
            )
        ],
        "scores of a block ago": [("near[p, v] = F[p, i[v]]", "near[p, v] = F[p, i[0]]")],
        "the last four count": [("picked[n] = pulls.shape[1] - 1", "picked[n] = 0")],
        "a row of four lost": [(" + g3 * row3[j]", "")],
        "two: a row of four lost": [(" + g3 * x3", "")],
        "two: the other's row lost": [(" + e3 * x3", "")],
        "two: the other's pulls": [
            ("h, e = F[q, left:right], pulls[q]", "h, e = F[q, left:right], pulls[p]")
        ],
        "two: the other's places": [
            ("!= 0.0 or pulls[min(p + 1, len(pulls) - 1), v] != 0.0", "!= 0.0")
        ],
        "two: the first's places": [("if pulls[p, v] != 0.0 or pulls[", "if pulls[")],
        "columns cut": [("min(left + TILE, stop)", "min(left + TILE, stop - 1)")],
        "columns left out are stale": [("F[:, width:] = 0.0", "pass")],
        "no mean": [("mass[p] += 1.0 / since", "pass")],
        "mean of later iterates": [("1.0 / since", "1.0 / (since + 1)")],
        "mean starts late": [("0 < first <= t", "0 < first < t")],
        "mean not told": [("Z[p, i[v]] += mass[p] * g", "pass")],
        "violations not counted": [("n_pulls[p] += 1", "pass")],
    },
    ("kernel_pegasos_run", "kernel_pegasos"): {
        "columns of rows left out": [("max()) + 1", "max())")],
        "block: coefficients lost": [("self.A[:, points], self.Z[:, points] = A, Z", "pass")],
        "block: scores lost": [("out += self.A[:, part]", "out += 0 * self.A[:, part]")],
    },
    ("kernel_perceptron_run", "kernel_perceptron"): {
        "sign of the update": [("add_row(G, i, y, f[k])", "add_row(G, i, -y, f[k])")],
        "sign of the coefficient": [("a[k, i] += y", "a[k, i] -= y")],
        "<= to <": [("y * f[k, i] <= 0.0", "y * f[k, i] < 0.0")],
        "other classes visited": [("            if y == 0:\n                continue\n", "")],
        "others' examples counted": [("= i, k, seen[k]", "= i, k, seen.sum()")],
        "best: last of equals": [("errors < self.best_errors", "errors <= self.best_errors")],
        "best aliased": [("np.empty_like(self.a), np.empty_like(self.f)", "self.a, self.f")],
        "no early stop": [("self.active[:, mistakes == 0] = 0", "pass")],
        "best: scores of a block's turn": [("self.lazy.catch_up()", "pass")],
    },
    ("kernel_history", "kernel_perceptron"): {
        "mean before the example": [("self.seen[k] - times + 1", "self.seen[k] - times")],
        "mean not divided": [("sums / max(1, self.seen[k])", "sums")],
        "vote of the score before": [("np.append(since[1:], 0)", "np.append(0, since[:-1])")],
        "0 votes": [("s > 0.0", "s >= 0.0")],
    },
    ("kernel_blocks", "kernel_perceptron"): {
        "mistakes not passed on": [("self._add_mistakes(first, second)", "pass")],
        "earlier visits forgotten": [("self._add_mistakes(second, first)", "pass")],
        "leaf from 0": [("self.f[:, part].copy(), self", "0 * self.f[:, part].copy(), self")],
    },
    ("kernel_lazy", "kernel_perceptron"): {
        "mistakes not passed on": [
            ("        _add_mistakes(self", "        0 and _add_mistakes(self")
        ],
        "mistakes passed on again": [("self.n_added = len(mistakes)", "pass")],
        "own mistakes twice": [("block.n_added = len(self._mistakes)", "pass")],
        "new support vectors unknown": [
            ("self.n_values = new.stop", "self.n_values = len(support) + 1")
        ],
        "place of another": [("self._n_support + np.arange(len(new))", "np.arange(len(new))")],
        "sign of the label lost": [
            (
                "self._place[points], log[:, 1], signs",
                "self._place[points], log[:, 1], np.abs(signs)",
            )
        ],
        "epochs not summed": [("a[:, block.points] += change", "a[:, block.points] = change")],
    },
    ("budget_policies", "budget"): {
        "sign of the update": [("a = y / cache.tuned[SCALE]", "a = -y / cache.tuned[SCALE]")],
        "newcomer shrunk": [("a = y / cache.tuned[SCALE]", "a = y")],
        "never merged": [("if merge:", "if False:")],
        "term stays": [("-cache.alpha[s], f[k])", "0.0 * cache.alpha[s], f[k])")],
        "rounding stays": [("if cache.held[k] == 0:", "if False:")],
        "later ones do not move up": [("cache.alpha[r] = cache.alpha[r + 1]", "pass")],
        "margin: with itself": [("i] - a * diag[i]", "i]")],
        "margin: label ignored": [("without if a > 0.0 else -without", "without")],
        "margin: smallest": [("-np.inf, 0", "np.inf, 0"), ("margin > largest", "margin < largest")],
        "margin: youngest of equals": [("margin > largest", "margin >= largest")],
        "oldest: no shrinking": [("if a + 2.0 * sigma > room", "if False")],
        "oldest: always shrinking": [("if a + 2.0 * sigma > room", "if True")],
        "oldest: no cross term": [("sigma * sigma - 2.0 * sigma * mu", "sigma * sigma")],
        "oldest: sign of mu": [("scale if alpha > 0.0 else -scale", "scale")],
        "oldest: damage forgotten": [("(a * phi + 2.0 * sigma) * phi", "0.0")],
        "oldest: room": [("15.0 / 32.0", "0.5")],
        "oldest: other root": [("(sigma + np.sqrt(", "(sigma + 0.5 * np.sqrt(")],
        "oldest: underflow": [("SMALLEST_SCALE = 2.0**-100", "SMALLEST_SCALE = 0.0")],
        "project: sign": [("+= y * z[j]", "-= y * z[j]")],
        "project: budget ignored": [("n < budget and distance", "distance")],
        "project: dependent stored": [("distance > tolerance * K[t, t]", "distance > -np.inf")],
        "project: distance": [("distance -= z[j] * z[j]", "pass")],
        "project: forward step": [("value -= row[i] * z[i]", "pass")],
        "project: backward step": [("z[i] -= row[i] * z[j]", "pass")],
    },
    ("budget_run", "budget"): {
        "<= to <": [("if y * f[k, t] > 0.0:", "if y * f[k, t] >= 0.0:")],
        "one more than the budget": [("cache.size[0] > budget", "cache.size[0] > budget + 1")],
        "random: newcomer may go": [("draws[v, k] * budget", "draws[v, k] * (budget + 1)")],
        "oldest: merged": [("policy != OLDEST", "True")],
        "blocks: scores forgotten": [("self.coef(m) @", "0 * self.coef(m) @")],
        "blocks: points mixed up": [("np.searchsorted(used, point)", "point % len(used)")],
        "scale not settled": [("    settle(f, cache)", "    pass")],
    },
    ("smo", "kernel_svm"): {
        "sign of the update": [("E[k] - t * (row_i", "E[k] + t * (row_i")],
        "partner's row forgotten": [("(row_i[k] - row_j[k])", "row_i[k]")],
        "i: may not grow": [("_place(highest, E, up)", "_place(highest, E, 0.0 * up)")],
        "i: not the first": [("if hits > 0:", "if hits > 1:")],
        "j: first-order choice": [("rise * rise / max(diag_i + diag[k]", "rise + 0.0 * (diag_i")],
        "j: curvature without 2": [("diag_i + diag[k] - 2.0 *", "diag_i + diag[k] - ")],
        "j: curvature may be 0": [("2.0 * row_i[k], FLAT)", "2.0 * row_i[k], 1.0)")],
        "step: curvature without 2": [("diag[i] + diag[j] - 2.0 *", "diag[i] + diag[j] - ")],
        "box of i": [("min(t, room_i, room_j)", "min(t, room_j)")],
        "box of j": [("min(t, room_i, room_j)", "min(t, room_i)")],
        "not quite at the bound": [("upper[i] if t == room_i else before_i + t", "before_i + t")],
        "j not moved": [("else before_j - t", "else before_j")],
        "j stays in up": [("up[j], low[j] = 0.0, (0.0 if", "up[j], low[j] = up[j], (0.0 if")],
        "i stays out of low": [("else -np.inf), 0.0\n", "else -np.inf), low[i]\n")],
        "stop: >= to >": [("if not highest - lowest >= tol", "if not highest - lowest > tol")],
        "free point ignored": [
            ("highest, lowest = E[n] + up[n], E[n] + low[n]", "highest, lowest = -np.inf, np.inf")
        ],
        "last step not told": [
            ("    _move(t, row_i, row_j, E, up, low)\n    return max", "    return max")
        ],
        "row of another point": [("G[points[i]]", "G[points[0]]")],
    },
    ("svm_dual", "kernel_svm"): {
        "box of the other class": [("np.where(y < 0, -C, 0.0)", "np.where(y > 0, -C, 0.0)")],
        "no free point": [("0.0 if fit_intercept else np.inf", "0.0")],
        "dual: half forgotten": [("(self.y + self.E[:-1]) / 2)", "(self.y + self.E[:-1]))")],
        "gap: without b": [("(self.E[:-1] - b)", "self.E[:-1]")],
        "b: mean over all": [("self.E[inside].mean()", "self.E[:-1].mean()")],
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
@pytest.mark.parametrize("tests", sorted({tests for _, tests in RULES}))
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
