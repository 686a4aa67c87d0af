"""Hostile model files: real files with one part changed, and a checksum that fits.

A mutation knows the structure of the file. It changes metadata as JSON values, arrays in type, shape and values, and the files of
members inside the file of a pool.
"""

from __future__ import annotations

import copy
import functools
import json
import random
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tagpool import _native

SIZES = {"U8": 1, "U16": 2, "U32": 4, "U64": 8, "F16": 2, "F32": 4}
DTYPES = {"U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64, "F16": np.float16, "F32": np.float32}
TEXTS = ("", "x", "{}", "[]", "null", "-1", "0", "4294967295", "1e999", "\0", "[" * 100_000, '{"a":' * 5000, f'"{"y" * 3000}"')
VALUES: tuple[Any, ...] = (
    *(0, -1, 1, 2, 65, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, 2**53, 2**63, 2**64, 10**400),
    *(0.5, 1e308, float("nan"), float("inf"), None, True, False, "", "x", "../../etc/passwd", "a" * 3000, "\ud800", [], {}),
    *([[]], [0], {"a": 1}, [1, 2, 3], [[0, 0]], "word", "number", "gazetteer", "elsewhere", "embedding", "bias"),
)


@dataclass
class Array:
    """An array of a model file."""

    dtype: str
    shape: list[int]
    data: bytes

    @property
    def values(self) -> np.ndarray:
        return np.frombuffer(self.data, DTYPES.get(self.dtype, np.uint8)).copy()  # a mutation may name another type


@dataclass
class Content:
    """Metadata and arrays of a model file."""

    texts: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, block: bytes) -> Content:
        length = int.from_bytes(block[:8], "little")
        header = json.loads(block[8 : 8 + length])
        texts = header.pop("__metadata__")
        arrays = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            arrays[name] = Array(entry["dtype"], entry["shape"], block[8 + length + begin : 8 + length + end])
        return cls(texts, arrays)

    def sealed(self) -> bytes:
        """The file with a checksum that fits. Sizes of arrays are those of their data; shapes may contradict them."""
        header: dict[str, Any] = {"__metadata__": self.texts | {"checksum": "0" * 16}}
        parts, offset = [], 0
        for name, array in sorted(self.arrays.items(), key=lambda item: -SIZES.get(item[1].dtype, 1)):
            header[name] = {"dtype": array.dtype, "shape": array.shape, "data_offsets": [offset, offset + len(array.data)]}
            offset += len(array.data)
            parts.append(array.data)
        # Lone surrogates are not valid UTF-8, which a hostile file may contain.
        text = json.dumps(header, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return seal(text, b"".join(parts))


def seal(header: bytes, data: bytes) -> bytes:
    """A file of a header, whose checksum is zeros, and data."""
    header += b" " * (-len(header) % 8)
    checksum = _native.combine(_native.xxh64(header), _native.xxh64(data))
    header = header.replace(b'"checksum": "' + b"0" * 16, f'"checksum": "{checksum:016x}'.encode(), 1)
    return len(header).to_bytes(8, "little") + header + data


def mutate_json(value: Any, chance: random.Random) -> Any:
    """A copy of a JSON value with one node changed."""
    root = [copy.deepcopy(value)]
    nodes: list[tuple[Any, Any]] = [(root, 0)]
    for parent, key in nodes:  # grows in the loop
        inner = parent[key]
        if isinstance(inner, dict):
            nodes += [(inner, name) for name in inner]
        elif isinstance(inner, list):
            nodes += [(inner, number) for number in range(len(inner))]
    parent, key = chance.choice(nodes)
    old, action = parent[key], chance.random()
    if action < 0.12 and parent is not root:
        del parent[key]
    elif action < 0.2 and isinstance(parent, list) and parent is not root:
        parent.insert(key, copy.deepcopy(old))
    elif action < 0.4 and isinstance(old, bool):
        parent[key] = not old
    elif action < 0.6 and isinstance(old, int):
        parent[key] = old + chance.choice([-1, 1, 2, 64, 1000, -old - 1, old])
    elif action < 0.7:
        other_parent, other_key = chance.choice(nodes)
        parent[key] = copy.deepcopy(other_parent[other_key])
    else:
        parent[key] = copy.deepcopy(chance.choice(VALUES))
    return root[0] if root else None


def mutate_text(text: str, chance: random.Random) -> str:
    """Another text: hostile JSON, or the old JSON with one node changed."""
    if chance.random() < 0.15:
        return chance.choice(TEXTS)
    try:
        value = json.loads(text)
    except ValueError:
        place = chance.randrange(len(text) + 1)
        added = chance.choice(["", "0", "[", "(", "\n", "word[0]\n", "é", "999999999", "use x from /etc/passwd\n"])
        return text[:place] + added + text[place + 1 :]
    return json.dumps(mutate_json(value, chance))


def mutate_values(values: np.ndarray, chance: random.Random) -> np.ndarray:
    """Other values of the same type: out of range, out of order, or not finite."""
    if not values.size:
        return np.zeros(chance.choice([1, 2, 100]), values.dtype)
    place = chance.randrange(values.size)
    if values.dtype.kind == "f":
        values[place] = chance.choice([np.nan, np.inf, -np.inf, 6e4, -6e4, 0.0, -0.0])
        return values
    top = int(np.iinfo(values.dtype).max)
    whole = int(values[place])
    action = chance.random()
    if action < 0.6:
        choices = [0, 1, top, top - 1, top // 2, whole + 1, whole - 1, whole * 2, values.size, values.size - 1]
        choices.append(chance.randrange(top))
        values[place] = chance.choice(choices) & top
    elif action < 0.7:
        values[:] = chance.choice([0, top, top - 1])
    elif action < 0.8:
        values = values[::-1]
    elif action < 0.9:
        values = np.sort(values)
    else:
        values[place], values[-1] = values[-1], values[place]
    return values


def mutate_array(name: str, content: Content, chance: random.Random) -> None:
    """Change an array of the content: its presence, name, type, shape or values."""
    array = content.arrays[name]
    action = chance.random()
    if action < 0.06:
        del content.arrays[name]
    elif action < 0.09:
        content.arrays[name + "x"] = content.arrays.pop(name)
    elif action < 0.15:
        array.dtype = chance.choice(["U8", "U16", "U32", "U64", "F16", "F32", "F64", "BOOL", ""])
        size = SIZES.get(array.dtype, 1)
        array.data += b"\0" * (-len(array.data) % size)
        if chance.random() < 0.8:
            array.shape = [len(array.data) // size]
    elif action < 0.2:
        shapes = [[], [0], [-1], [2**48, 2**48], [1, *array.shape], [*array.shape, 0], array.shape[::-1], [1.5], ["x"], [2**63]]
        array.shape = chance.choice(shapes)
    elif action < 0.4:
        values = array.values
        count = chance.choice([0, 1, values.size - 1, values.size + 1, values.size // 2, values.size * 2])
        values = np.resize(values, max(count, 0)) if values.size else np.zeros(max(count, 0), values.dtype)
        array.data = values.tobytes()
        width = array.shape[1] if len(array.shape) == 2 else 0
        array.shape = [values.size // width, width] if width else [values.size]
    elif action < 0.45:
        content.arrays[name] = copy.deepcopy(content.arrays[chance.choice(list(content.arrays))])
    else:
        values = array.values
        for _ in range(chance.choice([1, 1, 1, 3, 20])):
            values = mutate_values(values, chance)
        array.data = values.tobytes()
        if int(np.prod(array.shape, dtype=object)) != values.size:
            array.shape = [values.size]


def mutate_names(packed: bytes, chance: random.Random) -> bytes:
    """Other compressed names: a bomb, a part, other texts, or trailing data."""
    try:
        text = zlib.decompress(packed)
    except zlib.error:  # changed before
        text = packed
    place = chance.randrange(len(text) + 1)
    names = text.split(b"\0")
    if chance.random() < 0.3:
        return chance.choice(bombs())
    changed = text[:place] + chance.choice([b"\0", b"=", b"\xff", b"x", b""]) + text[place + 1 :]
    texts = [changed, changed, b"\0".join(reversed(names)), b"\0".join([*names, names[0]]), b"\0".join(names[1:]), b""]
    return chance.choice([zlib.compress(chance.choice(texts)), packed[: len(packed) // 2], packed + b"more"])


@functools.cache
def bombs() -> list[bytes]:
    """Small compressed texts of many names."""
    return [zlib.compress(text) for text in (b"\0" * 50_000_000, b"word[0]=a" * 20_000_000, b"word[0]=a\0" * 5_000_000)]


def mutate(block: bytes, chance: random.Random) -> bytes:
    """The file with one part changed."""
    if block[:4] == b"lCRF":
        return mutate_crfsuite(block, chance)
    content = Content.of(block)
    members = [name for name in content.arrays if name.startswith("member")]
    if members and chance.random() < 0.6:
        name = chance.choice(members)
        array = content.arrays[name]
        array.data = mutate(array.data, chance)
        array.shape = [len(array.data)]
        return content.sealed()
    for _ in range(chance.choice([1, 1, 1, 2])):
        if chance.random() < 0.55:
            key = chance.choice(list(content.texts))
            if chance.random() < 0.1:
                del content.texts[key]
            else:
                content.texts[key] = mutate_text(content.texts[key], chance)
        elif content.arrays:
            name = chance.choice(list(content.arrays))
            if name in ("names", "history.names") and chance.random() < 0.5:
                data = mutate_names(content.arrays[name].data, chance)
                content.arrays[name] = Array("U8", [len(data)], data)
            else:
                mutate_array(name, content, chance)
    return content.sealed()


def mutate_crfsuite(block: bytes, chance: random.Random) -> bytes:
    """A CRFsuite file with some 32-bit numbers or bytes changed; most of them in headers."""
    out = bytearray(block)
    for _ in range(chance.choice([1, 1, 2, 5])):
        bound = chance.choice([48, 200, 4000, len(out)])
        place = min(chance.randrange(bound) & ~3, len(out) - 4)
        old = struct.unpack_from("<I", out, place)[0]
        choices = [0, 1, 2**32 - 1, 2**31, len(out), len(out) - 4, old + 1, old - 1, old ^ (1 << chance.randrange(32))]
        struct.pack_into("<I", out, place, chance.choice([*choices, chance.randrange(2**32)]) & 0xFFFFFFFF)
    if chance.random() < 0.1:
        del out[chance.randrange(len(out)) :]
    if chance.random() < 0.1:
        place = chance.randrange(len(out) + 1)
        out[place : place + 8] = struct.pack("<d", chance.choice([float("nan"), float("inf"), 1e308, -1e308]))
    return bytes(out)
