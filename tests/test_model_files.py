"""Files that are no models are told apart; a write is complete or leaves no trace."""

import os
import pickle
import stat
import struct
import threading
import zipfile

import joblib
import numpy as np
import pytest
from model_examples import MODELS, X, same

import kernlib.persistence as persistence
from kernlib.persistence import ModelFileError, load_model, save_model, write_atomically
from kernlib.persistence.container import DIGEST, MAGIC, PREFIX, VERSION

# ---------------------------------------------------------------- files that are no models


@pytest.fixture
def saved(tmp_path):
    save_model(tmp_path / "m", MODELS["pipeline"], {"seed": 1})
    return tmp_path / "m"


def refused(path, message):
    with pytest.raises(ModelFileError, match=message) as caught:
        load_model(path)
    assert str(path) in str(caught.value)


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


def test_foreign_files_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "m"
    for protocol in range(2, 6):
        path.write_bytes(pickle.dumps(Bomb(), protocol=protocol))
        refused(path, "is a pickle.*never loaded")
    joblib.dump(Bomb(), path)
    refused(path, "is a pickle")
    joblib.dump(Bomb(), path, compress=("zlib", 3))
    refused(path, "zlib .joblib")
    joblib.dump(Bomb(), path, compress=("gzip", 3))
    refused(path, "gzip")
    with open(path, "wb") as file:
        np.savez(file, X)
    refused(path, "is a zip archive")
    with zipfile.ZipFile(path, "w"):
        pass
    refused(path, "empty zip")
    with open(path, "wb") as file:
        np.save(file, X)
    refused(path, r"\.npy")
    path.write_text('{"model": 1}')
    refused(path, "JSON text")
    path.write_text("a,b\n1,2\n")
    refused(path, "is not a model file of kernlib: it starts with b'a,b")
    assert not (tmp_path / "exploded").exists()


def test_missing_empty_and_strange_paths(tmp_path):
    refused(tmp_path / "none", "does not exist")
    refused(tmp_path, "is a folder")
    refused(tmp_path / "none" / "none", "does not exist")
    (tmp_path / "m").write_bytes(b"")
    refused(tmp_path / "m", "is empty")
    refused(tmp_path / "m" / "n", "cannot be read")
    for path in (0, None, 1.5):
        with pytest.raises(TypeError):
            load_model(path)
    save_model(os.fsencode(tmp_path / "m"), MODELS["winnow"])
    assert same(load_model(os.fsencode(tmp_path / "m"))[0], MODELS["winnow"])
    with pytest.raises(ValueError, match="null"):
        load_model("a\0b")


def test_a_large_foreign_file_is_not_read(tmp_path):
    with open(tmp_path / "m", "wb") as file:
        file.truncate(2**36)  # has no blocks on the disk
    refused(tmp_path / "m", "is not a model file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = threading.Thread(target=refused, args=(tmp_path / "pipe", "regular"), daemon=True)
    done.start()
    done.join(5)
    assert not done.is_alive()
    with pytest.raises(OSError, match="folder or a device"):
        save_model(tmp_path / "pipe", MODELS["winnow"])


def test_every_cut_is_noticed(saved):
    data = saved.read_bytes()
    for length in [*range(1, 60), *range(60, len(data), 97), len(data) - 1]:
        saved.write_bytes(data[:length])
        refused(saved, "is cut short")
    saved.write_bytes(data + b"\0")
    refused(saved, "1 bytes too many")


def test_every_flip_is_noticed(saved):
    data = bytearray(saved.read_bytes())
    for place in [*range(PREFIX.size + 20), *range(PREFIX.size + 20, len(data), 53)]:
        data[place] ^= 0x10
        saved.write_bytes(data)
        with pytest.raises(ModelFileError):
            load_model(saved)
        data[place] ^= 0x10
    data[-DIGEST - 1] ^= 1
    saved.write_bytes(data)
    refused(saved, "checksum")


def test_text_transfer_and_versions(saved):
    data = saved.read_bytes()
    saved.write_bytes(data.replace(b"\r\n", b"\n"))
    refused(saved, "transfer as text")
    rest = data[PREFIX.size :]
    for version, message in ((VERSION + 1, "newer kernlib"), (0, "version 0")):
        fields = list(struct.unpack("<12sIQQ", data[: PREFIX.size]))
        fields[1] = version
        saved.write_bytes(struct.pack("<12sIQQ", *fields) + rest)
        refused(saved, message)
    assert data.startswith(MAGIC)


# ---------------------------------------------------------------- all or nothing


class Interrupted(BaseException):
    pass


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, Interrupted, MemoryError])
@pytest.mark.parametrize("call", ["replace", "fsync"])
@pytest.mark.parametrize("there", [False, True])
def test_a_failed_write_changes_nothing(error, call, there, tmp_path, monkeypatch):
    path = tmp_path / "m"
    if there:
        save_model(path, MODELS["winnow"])
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def fail(*args):
        raise error

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(error):
        save_model(path, MODELS["pipeline"])
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_an_interrupt_between_two_arrays_changes_nothing(tmp_path, monkeypatch):
    save_model(tmp_path / "m", MODELS["winnow"])
    before = (tmp_path / "m").read_bytes()

    def interrupted(*args):
        yield b"half"
        assert len(list(tmp_path.iterdir())) == 2  # the draft is beside the file
        raise KeyboardInterrupt

    monkeypatch.setattr(persistence.container, "_pieces", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_model(tmp_path / "m", MODELS["pipeline"])
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [before]


def test_where_there_is_no_place_to_write(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"expected a folder to write m to.*Create it"):
        save_model(tmp_path / "none" / "m", MODELS["winnow"])
    with pytest.raises(OSError, match="is a folder"):
        save_model(tmp_path, MODELS["winnow"])


@pytest.mark.skipif(os.name == "nt", reason="rights and links of POSIX")
def test_rights_and_links_stay(tmp_path):
    old = os.umask(0o027)
    try:
        save_model(tmp_path / "m", MODELS["winnow"])
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == 0o640
    (tmp_path / "m").chmod(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "m")
    save_model(tmp_path / "link", MODELS["pipeline"])
    assert (tmp_path / "link").is_symlink()
    assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == 0o600
    assert same(load_model(tmp_path / "m")[0], MODELS["pipeline"])


def test_write_atomically(tmp_path):
    write_atomically(tmp_path / "f", b"one")
    write_atomically(str(tmp_path / "f"), b"two")
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"two"]
