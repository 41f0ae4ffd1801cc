"""Model files taken apart and put together again with a valid checksum."""

import hashlib
import json
import struct
import tracemalloc
import warnings

from kernlib.persistence import ModelFileError, load_model
from kernlib.persistence.container import MAGIC, PREFIX, VERSION


def unpack(data):
    _, _, _, length = PREFIX.unpack(data[: PREFIX.size])
    end = PREFIX.size + length
    return json.loads(data[PREFIX.size : end]), data[end:-32]


def pack(header, body):
    """Return a file with a valid prefix and checksum."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    length = PREFIX.size + len(text) + len(body) + 32
    data = struct.pack("<12sIQQ", MAGIC, VERSION, length, len(text)) + text + body
    return data + hashlib.sha256(data).digest()


def outcome(path, data):
    """Load ``data``: the model if there is one, else the message."""
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*was written with scikit-learn")
            model, meta = load_model(path)
    except ModelFileError as error:
        return str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 60 * len(data) + 2**20
    assert isinstance(meta, dict)
    return model
