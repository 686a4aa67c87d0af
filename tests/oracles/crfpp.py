"""Text models of CRF++'s as the binary ones that CRF++ itself tags with: what ``crf_learn --convert`` does."""

from __future__ import annotations

import struct


def binary_of(text: str) -> bytes:
    """The binary model: a head, labels, templates, a double array of observations, and weights in single precision."""
    head, labels, templates, observations, weights = (block.split("\n") for block in text.rstrip("\n").split("\n\n"))
    fields = dict(line.split(": ") for line in head)
    numbers = {key.encode(): int(number) for number, key in (line.split(" ", 1) for line in observations)}
    names = b"".join(label.encode() + b"\0" for label in labels)
    lines = b"".join(template.encode() + b"\0" for template in templates)
    lines += b"\0" * (-(len(names) + len(lines)) % 4)
    array = double_array(numbers)
    return b"".join(
        [
            struct.pack("<IidIII", 100, 0, float(fields["cost-factor"]), len(weights), int(fields["xsize"]), len(array)),
            struct.pack("<I", len(names)) + names,
            struct.pack("<I", len(lines)) + lines,
            array,
            struct.pack(f"<{len(weights)}f", *map(float, weights)),
        ]
    )


def double_array(numbers: dict[bytes, int]) -> bytes:
    """A trie in two arrays: from a node with the base b, the byte c leads to the place b + c + 1 if that is checked with b."""
    base: dict[int, int] = {}
    check: dict[int, int] = {}
    used: set[int] = set()

    def insert(place: int, keys: dict[bytes, int]) -> None:
        below: dict[int, dict[bytes, int]] = {}
        for key, number in keys.items():
            below.setdefault(key[0] + 1 if key else 0, {})[key[1:]] = number
        begin = 1
        while begin in used or any(begin + letter in check for letter in below):
            begin += 1
        used.add(begin)
        base[place] = begin
        check.update((begin + letter, begin) for letter in below)
        for letter, rest in below.items():
            if letter == 0:
                base[begin] = -rest[b""] - 1
            else:
                insert(begin + letter, rest)

    insert(0, numbers)
    size = max(check, default=0) + 300  # any byte may be tried at any node
    return b"".join(struct.pack("<iI", base.get(place, 0), check.get(place, 0)) for place in range(size))
