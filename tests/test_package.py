"""The package as a user meets it: imports, command line, version; and what no file may hold."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import kernlib
from kernlib.cli import main

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = Path(sys.executable).parent
HEAVY = ["numpy", "numba", "sklearn", "scipy", "matplotlib", "pandas"]


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("module", ["kernlib", "kernlib.cli", "kernlib.__main__"])
def test_import_is_light(module):
    code = f"import sys, {module}; print([m for m in {HEAVY} if m in sys.modules])"
    assert run(sys.executable, "-c", code).stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["Perceptron", "Pegasos", "Winnow"])
def test_public_names_load(name):
    assert name in kernlib.__all__
    assert name in dir(kernlib)
    assert getattr(kernlib, name).__name__ == name


def test_star_import_gives_the_public_names():
    namespace: dict = {}
    exec("from kernlib import *", namespace)
    assert set(kernlib.__all__) <= set(namespace)


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(AttributeError, match=r"'Perceptro'.*public names are Perceptron, Pegasos"):
        _ = kernlib.Perceptro


def test_help_and_version(capsys):
    assert main(["--help"]) == 0
    assert "usage: kernlib" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"kernlib {kernlib.__version__}\n"


def test_without_arguments_shows_help(capsys):
    assert main([]) == 0
    assert "usage: kernlib" in capsys.readouterr().out


def test_wrong_usage_exits_2(capsys):
    assert main(["--no-such-option"]) == 2
    assert "--no-such-option" in capsys.readouterr().err


def test_runs_as_module_and_as_script():
    for command in ([sys.executable, "-m", "kernlib"], [str(SCRIPTS / "kernlib")]):
        done = run(*command, "--version")
        assert (done.returncode, done.stdout) == (0, f"kernlib {kernlib.__version__}\n")


def test_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8"))
    assert str(citation["version"]) == kernlib.__version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    newest = re.search(r"^## \[(\d[^\]]*)\]", changelog, re.M)
    assert newest is not None
    assert newest[1] == kernlib.__version__


def test_citation_file_is_valid():
    done = run(str(SCRIPTS / "cffconvert"), "--validate", "-i", str(ROOT / "CITATION.cff"))
    assert done.returncode == 0, done.stdout + done.stderr


# Assembled from pieces, so that this file does not match itself.
FORBIDDEN = {
    "a package registry": r"\b(?:pypi|pythonhosted|npmjs|debian|anaconda)" + r"\.(?:org|com)\b",
    "a path of one machine": r"(?<![\w.$}*])/(?:work|root|home|tmp)" + r"/\w",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names_a_registry_or_a_machine(what):
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pattern = re.compile(FORBIDDEN[what])
    found = []
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file() and (hit := pattern.search(path.read_text("utf8", errors="replace"))):
            found.append(f"{name}: {hit[0]}")
    assert not found


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("a package registry", "https://" + "pypi" + ".org/simple"),
        ("a path of one machine", "open('/" + "home/me/data.csv')"),
    ],
)
def test_rule_sees_what_it_forbids(what, text):
    assert re.search(FORBIDDEN[what], text)


NAMED_FILE = re.compile(r"``((?:book|tests|kernlib|tools|benchmarks)/[\w/]+\.\w+)``")


def test_files_named_in_the_sources_exist():
    sources = sorted((ROOT / "kernlib").rglob("*.py"))
    named = [
        (path, name) for path in sources for name in NAMED_FILE.findall(path.read_text("utf8"))
    ]
    assert len(named) > 10
    missing = [f"{path.name}: {name}" for path, name in named if not (ROOT / name).is_file()]
    assert not missing


def test_the_oracle_knows_nothing_of_the_library():
    source = (ROOT / "tests" / "reference.py").read_text(encoding="utf8")
    assert not re.search(r"^\s*(?:import|from)\s+kernlib", source, re.M)
