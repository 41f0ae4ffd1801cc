"""What the README shows works word for word."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf8")
# Run by .ci/run as a whole, which test_ci.py checks; the packages are installed there too.
ELSEWHERE = ("make ", "apt-get ", "fonts-", "pip install")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.M | re.S)


def commands() -> list[str]:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [line.partition("#")[0].strip() for line in lines]


def test_every_command_is_known():
    other = [c for c in commands() if not c.startswith(("kernlib ", *ELSEWHERE))]
    assert not other, f"no test runs {other}"
    assert sum(c.startswith("kernlib ") for c in commands()) >= 5


@pytest.mark.slow
def test_the_commands_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLIB_STORE", str(tmp_path / "store"))
    for command in commands():
        if command.startswith("kernlib "):
            words = [sys.executable, "-m", *shlex.split(command)]
            done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{command}\n{done.stderr}"
            assert done.stdout, command


def test_the_example_runs(capsys):
    [example] = blocks("python")
    exec(compile(example, "README.md", "exec"), {})
    assert float(capsys.readouterr().out) > 0.9  # it learned; the tests of learners say more


def test_local_links_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), f"the README links to {target}"
