"""Tampered model files with a valid checksum."""

from __future__ import annotations

import json
import random
import re

from tagpool import _native


def resigned(block: bytes, old: str, new: str) -> bytes:
    """The block with other words in its header."""
    header, data = _parts(block)
    assert old in header
    return _sealed(header.replace(old, new), data)


def with_byte(block: bytes, where: float, by: int) -> bytes:
    """The block with one byte of its arrays changed, at a part of their length."""
    header, data = _parts(block)
    place = int(where * len(data))
    return _sealed(header, data[:place] + bytes([data[place] ^ by]) + data[place + 1 :])


def with_changed_array(block: bytes, generator: random.Random) -> bytes:
    """The block with extreme numbers in one of its arrays."""
    header, data = _parts(block)
    arrays = [entry for name, entry in json.loads(header).items() if name != "__metadata__"]
    begin, end = generator.choice(arrays)["data_offsets"]
    values = bytearray(data)
    for _ in range(generator.randrange(1, 4)):
        if end > begin:
            place = generator.randrange(begin, end)
            width = min(generator.choice([1, 2, 4, 8]), end - place)
            values[place : place + width] = generator.choice([b"\0", b"\xff", b"\x7f", b"\1"]) * width
    return _sealed(header, bytes(values))


def _parts(block: bytes) -> tuple[str, bytes]:
    length = int.from_bytes(block[:8], "little")
    return block[8 : 8 + length].decode(), block[8 + length :]


def _sealed(header: str, data: bytes) -> bytes:
    header += " " * (-len(header.encode()) % 8)
    checksum = re.search('"checksum":"([0-9a-f]{16})"', header)[1]
    zeroed = header.replace(checksum, "0" * 16).encode()
    result = _native.combine(_native.xxh64(zeroed), _native.xxh64(data))
    sealed = header.replace(checksum, f"{result:016x}").encode()
    return len(sealed).to_bytes(8, "little") + sealed + data
