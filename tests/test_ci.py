"""What runs by itself: the workflow, the script that it calls, the targets that this calls."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / ".ci/run"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def jobs(workflow: Path) -> dict:
    parsed = yaml.safe_load(workflow.read_text(encoding="utf8"))
    assert isinstance(parsed["jobs"], dict)
    return parsed["jobs"]


@pytest.fixture(scope="module")
def targets() -> dict[str, str]:
    """Return the targets of the Makefile and what each depends on."""
    text = (ROOT / "Makefile").read_text(encoding="utf8")
    return dict(re.findall(r"^([a-z]+):([^#\n]*)", text, re.M))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflow_is_one_that_the_host_accepts(workflow):
    for name, job in jobs(workflow).items():
        assert "runs-on" in job, name
        assert job["steps"], name
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]), step
        assert set(job.get("needs", "").split()) <= set(jobs(workflow)), name


def test_workflow_runs_what_a_contributor_runs():
    steps = [
        step for workflow in WORKFLOWS for job in jobs(workflow).values() for step in job["steps"]
    ]
    assert [step["run"] for step in steps if "run" in step] == ["bash .ci/run"]


def test_workflow_publishes_pages_and_pdf():
    kept = {
        step["with"]["name"]: step["with"]["path"]
        for step in jobs(ROOT / ".github/workflows/ci.yml")["test"]["steps"]
        if step.get("uses", "").startswith("actions/upload-artifact@")
    }
    assert kept == {"book-html": "book/_build/html", "book-pdf": "book/_build/latex/kernlib.pdf"}
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
    assert config["latex"]["latex_documents"]["targetname"] == "kernlib.tex"


def test_script_runs_all_checks_in_order(targets):
    called = re.findall(r"^make (\w+)$", SCRIPT.read_text(encoding="utf8"), re.M)
    assert called == ["test", "browser", "pdf"]
    assert set(called) <= set(targets)
    assert targets["test"].split() == ["lint", "imports", "types", "unit", "nbval"]


def test_script_is_sound():
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    done = subprocess.run(["bash", "-n", str(SCRIPT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert SCRIPT.stat().st_mode & 0o111, "it can be called by its name"


def test_script_names_the_packages_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    script = SCRIPT.read_text(encoding="utf8")
    wanted = {
        word
        for line in re.findall(r"^(?:.*\|\| )?need \w+ (.+)$", script, re.M)
        for word in line.split()
    }
    assert len(wanted) >= 8
    missing = sorted(package for package in wanted if package not in readme)
    assert not missing, f"the README does not name {missing}"
