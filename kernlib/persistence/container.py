r"""The bytes of a model file: a JSON header and raw arrays in one checked container.

===========  =====================================================================
bytes        content
===========  =====================================================================
12           ``\x89kernlib\r\n\x1a`` (a transfer as text changes it)
4            version of the format, unsigned, like all numbers little-endian
8            length of the whole file
8            length of the header
…            header: JSON in ASCII; ``"arrays"`` lists dtype, shape and order of each
…            the arrays, one after the other in the order of that list, nothing between
32           sha256 of everything before
===========  =====================================================================

Arrays have no offsets, so they cannot overlap, and their sizes must add up to the file's.
Nothing is allocated on the word of a number that the length of the file does not cover.
What the header means is the matter of ``writer.py`` and ``reader.py``.
Tests: ``tests/test_persistence.py`` and ``tests/test_model_fuzz.py``.
"""

import hashlib
import json
import math
import os
import re
import stat
import struct
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from kernlib._atomic import replacing

MAGIC = b"\x89kernlib\r\n\x1a\n"
VERSION = 1
PREFIX = struct.Struct("<12sIQQ")
DIGEST = hashlib.sha256().digest_size
# Parsed JSON takes up to thirty times its length in memory; everything long is an array.
MAX_HEADER = 4 * 2**20
MAX_NDIM = 8
MAX_INTEGER = 2**64
DTYPE = re.compile(r"\|[biu]1|<[iuf][248]|<U[1-9][0-9]{0,5}")

FOREIGN = {
    b"\x80": "is a pickle, which can run any code when it is loaded, so it is never loaded here",
    b"PK\x03\x04": "is a zip archive (such as .npz or .skops)",
    b"PK\x05\x06": "is an empty zip archive",
    b"\x93NUMPY": "is a single array in NumPy's .npy format",
    b"\x1f\x8b": "is compressed by gzip (joblib writes pickles so)",
    b"\x78": "looks compressed by zlib (joblib writes pickles so)",
    b"BZh": "is compressed by bzip2",
    b"\xfd7zXZ": "is compressed by xz",
    b"{": "looks like JSON text",
}


class ModelFileError(ValueError):
    """A model file that cannot be read or written; the message says why and what to do."""


# ---------------------------------------------------------------- reading


def read_container(path: str) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return the header and the arrays of the file, or raise ``ModelFileError``."""
    data, header_length = _read_bytes(path)
    body = len(data) - DIGEST
    if hashlib.sha256(data[:body]).digest() != data[body:]:
        raise ModelFileError(
            "is damaged: its checksum does not match its content. Copy it again (as binary), or "
            "train the model again."
        )
    start = PREFIX.size + header_length
    header = parse_header(bytes(data[PREFIX.size : start]))
    return header, _cut_arrays(header.pop("arrays", None), data[start:body])


def _read_bytes(path: str) -> tuple[memoryview, int]:
    """Return all bytes of the file, and the length of the header, once the prefix allows it."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise ModelFileError("is a folder, expected a model file. Name a file in it.")
        if not stat.S_ISREG(mode):  # a pipe or a device might never end
            raise ModelFileError("is not a regular file. Copy the model to one first.")
        with open(path, "rb") as file:
            prefix = file.read(PREFIX.size)
            length = os.fstat(file.fileno()).st_size
            header_length = _check_prefix(prefix, length)
            data = prefix + file.read(length - len(prefix))
    except FileNotFoundError:
        raise ModelFileError(
            "does not exist, expected a model file. Check the path, or train and save a model."
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFileError(f"cannot be read: {reason}. Check the path and its rights.") from error
    if len(data) != length:
        raise ModelFileError("changes while it is read. Wait until it is complete.")
    return memoryview(data), header_length


def _check_prefix(prefix: bytes, size: int) -> int:
    """Check what comes before the header of a file of ``size`` bytes; return its length."""
    if size == 0:
        raise ModelFileError("is empty, expected a model file. Train and save the model again.")
    opening = prefix[: len(MAGIC)]
    if opening != MAGIC:
        raise _not_ours(opening, size)
    if size < PREFIX.size + DIGEST or len(prefix) < PREFIX.size:
        raise ModelFileError(f"is cut short after {size} bytes. Copy it again.")
    _, version, length, header_length = PREFIX.unpack(prefix)
    if version > VERSION:
        raise ModelFileError(
            f"has format version {version}, this kernlib reads up to {VERSION}. Install a newer "
            "kernlib, or train the model again with this one."
        )
    if version < 1:
        raise ModelFileError("has format version 0, which never existed: it is damaged.")
    if size < length:
        raise ModelFileError(
            f"is cut short: it has {size} of its {length} bytes. Copy or train it again."
        )
    if size > length:
        raise ModelFileError(
            f"has {size - length} bytes too many after its end. Copy or train it again."
        )
    if header_length > min(MAX_HEADER, length - PREFIX.size - DIGEST):
        raise ModelFileError(
            f"claims a header of {header_length} bytes, which does not fit: it is damaged. Copy or "
            "train it again."
        )
    return int(header_length)


def _not_ours(opening: bytes, length: int) -> ModelFileError:
    if MAGIC.startswith(opening):
        return ModelFileError(f"is cut short after {length} bytes. Copy it again.")
    if opening.startswith(MAGIC[:8]):
        return ModelFileError("is damaged, as by a transfer as text. Copy it again, as binary.")
    for start, what in FOREIGN.items():
        if opening.startswith(start):
            return ModelFileError(
                f"{what}, expected a model file of kernlib. Train the model again and store it "
                "with kernlib.persistence.save_model."
            )
    return ModelFileError(
        f"is not a model file of kernlib: it starts with {opening!r}, expected {MAGIC!r}. Check "
        "the path."
    )


# ---------------------------------------------------------------- the header


def format_header(header: dict[str, Any]) -> bytes:
    """Return the header as JSON; the same header always gives the same bytes."""
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode("ascii")
    if len(text) > MAX_HEADER:
        raise ModelFileError(
            f"needs a header of {len(text)} bytes, at most {MAX_HEADER} are read. Pass long lists "
            "as NumPy arrays, and shorten meta."
        )
    return text


def parse_header(text: bytes) -> dict[str, Any]:
    """Return the header as a dict; numbers are finite and of at most 64 bits, keys unique."""
    try:
        header = json.loads(
            text.decode("ascii"),
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_short_integer,
        )
    except (ValueError, RecursionError) as error:
        reason = "too deep" if isinstance(error, RecursionError) else str(error)
        raise ModelFileError(f"has a header that is not valid: {reason}. Train again.") from None
    if not isinstance(header, dict):
        raise ModelFileError(f"has a header of type {type(header).__name__}, expected an object.")
    return header


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _finite_float(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError("a number is too large")
    return number


def _short_integer(text: str) -> int:
    if len(text) > 20 or abs(number := int(text)) >= MAX_INTEGER:
        raise ValueError("an integer has more than 64 bits")
    return number


# ---------------------------------------------------------------- arrays


def check_shape(shape: Any, itemsize: int) -> tuple[int, ...]:
    """Return ``shape`` as a tuple if an array can have it."""
    if not (isinstance(shape, list) and len(shape) <= MAX_NDIM):
        raise ModelFileError(f"has a shape that is no list of at most {MAX_NDIM} numbers.")
    if not all(type(n) is int and n >= 0 for n in shape):
        raise ModelFileError(f"has the shape {shape!r:.99}, expected whole numbers >= 0.")
    # NumPy counts an empty array's other dimensions, too.
    if math.prod(max(n, 1) for n in shape) * itemsize >= 2**62:
        raise ModelFileError(f"has the shape {shape!r:.99}, which is larger than any memory.")
    return tuple(shape)


def _cut_arrays(table: Any, data: memoryview) -> list[np.ndarray]:
    """Return copies of the arrays that the bytes hold, in native byte order."""
    if not isinstance(table, list):
        raise ModelFileError("has no list of arrays in its header.")
    arrays, offset = [], 0
    for place, entry in enumerate(table):
        if not (isinstance(entry, dict) and entry.keys() == {"dtype", "order", "shape"}):
            raise ModelFileError(f"must give dtype, order and shape of array {place}.")
        name, order = entry["dtype"], entry["order"]
        if not (isinstance(name, str) and DTYPE.fullmatch(name)):
            raise ModelFileError(f"has array {place} of dtype {name!r:.99}, which is not allowed.")
        if not (isinstance(order, str) and order in ("C", "F")):
            raise ModelFileError(f"has array {place} in order {order!r:.99}, expected C or F.")
        dtype = np.dtype(name)
        layout: Literal["C", "F"] = "F" if order == "F" else "C"
        shape = check_shape(entry["shape"], dtype.itemsize)
        n_bytes = math.prod(shape) * dtype.itemsize
        if n_bytes > len(data) - offset:
            raise ModelFileError(
                f"claims {n_bytes} bytes for array {place}, but {len(data) - offset} are left."
            )
        raw = np.ndarray(shape, dtype, buffer=data, offset=offset, order=layout)
        _check_values(raw, place)
        arrays.append(raw.astype(dtype.newbyteorder("=")))
        offset += n_bytes
    if offset != len(data):
        raise ModelFileError(f"has {len(data) - offset} bytes that belong to no array.")
    return arrays


def _check_values(raw: np.ndarray, place: int) -> None:
    """Refuse bytes that are no value of their dtype: NumPy would trust them."""
    flat = raw.reshape(-1, order="A")
    if raw.dtype.kind == "b" and np.any(flat.view(np.uint8) > 1):
        raise ModelFileError(f"has array {place} with truth values that are neither 0 nor 1.")
    if raw.dtype.kind == "U" and np.any(flat.view("<u4") > 0x10FFFF):
        raise ModelFileError(f"has array {place} with characters that do not exist.")


# ---------------------------------------------------------------- writing


def describe(array: np.ndarray) -> dict[str, Any]:
    """Return the header's entry for an array; its data follow the same order."""
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    return {"dtype": array.dtype.str, "order": order, "shape": list(array.shape)}


def write_container(
    path: str | os.PathLike[str], header: dict[str, Any], arrays: Sequence[np.ndarray]
) -> None:
    """Write header and arrays to ``path``: all of it, or nothing."""
    table = [describe(array) for array in arrays]
    text = format_header(header | {"arrays": table})
    n_bytes = PREFIX.size + len(text) + sum(array.nbytes for array in arrays) + DIGEST
    digest = hashlib.sha256()
    with replacing(path) as file:
        for piece in _pieces(PREFIX.pack(MAGIC, VERSION, n_bytes, len(text)), text, arrays, table):
            digest.update(piece)
            file.write(piece)
        file.write(digest.digest())


def _pieces(
    prefix: bytes, text: bytes, arrays: Sequence[np.ndarray], table: list[dict[str, Any]]
) -> Iterator[bytes]:
    yield prefix
    yield text
    for array, entry in zip(arrays, table, strict=True):
        yield array.tobytes(order=entry["order"])  # one at a time: a copy of one, not of all
