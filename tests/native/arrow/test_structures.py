"""Structures of Arrow: each is released once, and damaged ones are errors. pyarrow fills them, ctypes damages them."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from tagpool import Corpus, InputError


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)), ("release", ctypes.c_void_p), ("private", ctypes.c_void_p),
]  # fmt: skip
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)), ("release", ctypes.c_void_p),
    ("private", ctypes.c_void_p),
]  # fmt: skip
Stream._fields_ = [
    ("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", GET_ERROR), ("release", ctypes.c_void_p),
    ("private", ctypes.c_void_p),
]  # fmt: skip

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def address(function: Any) -> int | None:
    return ctypes.cast(function, ctypes.c_void_p).value


class Producer:
    """A stream of the batches of a table that counts releases. ``damage`` changes the structures of each batch."""

    def __init__(self, table: pa.Table, damage: Callable[[Schema, Array], object] = lambda schema, array: None) -> None:
        self.batches = table.to_batches()
        self.schema = table.schema
        self.damage = damage
        self.produced: list[str] = []
        self.released: list[str] = []
        self.error: ctypes.Array[ctypes.c_char] | None = None
        self._release = {
            "schema": RELEASE_SCHEMA(lambda one: self._count("schema", one)),
            "array": RELEASE_ARRAY(lambda one: self._count("array", one)),
            "stream": RELEASE_STREAM(lambda one: self._count("stream", one)),
        }
        self._owners: list[Any] = []
        functions = (
            GET_SCHEMA(self._get_schema),
            GET_NEXT(self._get_next),
            GET_ERROR(lambda _: self.error and ctypes.addressof(self.error)),
        )
        self.stream = Stream(*functions, address(self._release["stream"]), None)

    def _count(self, kind: str, one: Any) -> None:
        self.released.append(kind)
        one.contents.release = None

    def _copies(self, batch: Any) -> tuple[Schema, Array]:
        schema, array = Schema(), Array()
        batch._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
        self._owners.append((schema, array))
        self.damage(schema, array)
        return schema, array

    def _get_schema(self, _: Any, out: Any) -> int:
        schema, _ = self._copies(self.batches[0])
        return self._pass_on("schema", schema, out)

    def _get_next(self, _: Any, out: Any) -> int:
        if self.error is not None:
            return 5
        if not self.batches:
            out.contents.release = None
            return 0
        _, array = self._copies(self.batches.pop(0))
        return self._pass_on("array", array, out)

    def _pass_on(self, kind: str, structure: Any, out: Any) -> int:
        self.produced.append(kind)
        ctypes.memmove(out, ctypes.byref(structure), ctypes.sizeof(structure))
        out.contents.release = address(self._release[kind])
        return 0

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return new_capsule(ctypes.addressof(self.stream), b"arrow_array_stream", None)


TABLE = pa.table({"tokens": [["Ann", "left"], [], ["Rain"]], "labels": [["PER", "O"], [], ["O"]]})
DICTIONARY = pa.table({"tokens": pa.ListArray.from_arrays([0, 2, 3], pa.array(["a", "b", "a"]).dictionary_encode())})
VIEWS = pa.table({"tokens": pa.array([["a string of more than twelve bytes"], ["b"]], pa.list_(pa.string_view()))})


@pytest.mark.parametrize("table", [TABLE, DICTIONARY, VIEWS])
def test_everything_is_released_once(table: pa.Table) -> None:
    producer = Producer(pa.concat_tables([table, table]))
    producer.batches = producer.batches * 2 if len(producer.batches) == 1 else producer.batches
    corpus = Corpus.from_arrow(producer)
    gc.collect()
    assert corpus.words == table["tokens"].to_pylist() * (len(corpus) // len(table))
    assert producer.produced.count("array") >= 2
    assert sorted(producer.released) == sorted([*producer.produced, "stream"])
    assert "or one that was read already" in error_of(producer)


def item(array: Array) -> Array:
    return array.children[0].contents.children[0].contents


def set_int(structure: Any, name: str, value: int) -> None:
    setattr(structure, name, value)


def write(buffer: int | None, place: int, value: int, kind: Any = ctypes.c_int32) -> None:
    assert buffer is not None
    memory = ctypes.cast(buffer, ctypes.POINTER(kind))
    memory[place] = value


def copy_buffer(array: Array, number: int, size: int) -> int:
    """Replace a buffer by a copy, since those of pyarrow are shared by all exports."""
    block = ctypes.create_string_buffer(ctypes.string_at(array.buffers[number], size), size)
    BLOCKS.append(block)
    array.buffers[number] = ctypes.addressof(block)
    return ctypes.addressof(block)


BLOCKS: list[Any] = []

DAMAGE: dict[str, tuple[pa.Table, Callable[[Schema, Array], object], str]] = {
    "negative length": (TABLE, lambda s, a: set_int(item(a), "length", -1), "length -1"),
    "negative offset": (TABLE, lambda s, a: set_int(item(a), "offset", -1), "offset -1"),
    "huge offset": (TABLE, lambda s, a: set_int(item(a), "offset", 2**62), "offset 4611686018427387904"),
    "short values": (TABLE, lambda s, a: set_int(item(a), "length", 1), "of a list ends after its 1 values"),
    "short column": (TABLE, lambda s, a: set_int(a.children[1].contents, "length", 1), "a column is shorter than its batch"),
    "few buffers": (TABLE, lambda s, a: set_int(item(a), "n_buffers", 2), "an array has 2 buffers, expected 3"),
    "no children": (TABLE, lambda s, a: set_int(a.children[0].contents, "n_children", 0), "a list has no values"),
    "other columns": (TABLE, lambda s, a: set_int(a, "n_children", 1), "other columns than its schema"),
    "null batch": (TABLE, lambda s, a: set_int(a, "null_count", 1), "a batch has rows that are null"),
    "nulls without buffer": (TABLE, lambda s, a: set_int(item(a), "null_count", 1), "nulls, but no buffer of them"),
    "list ends before it begins": (
        TABLE, lambda s, a: write(copy_buffer(a.children[0].contents, 1, 16), 1, -5), "row 1 of a list ends after its 3 values",
    ),
    "list ends after its values": (
        TABLE, lambda s, a: write(copy_buffer(a.children[0].contents, 1, 16), 3, 9), "row 3 of a list ends after its 3 values",
    ),
    "string ends before it begins": (TABLE, lambda s, a: write(copy_buffer(item(a), 1, 16), 1, -2), "a string has the offsets"),
    "no strings": (TABLE, lambda s, a: item(a).buffers.__setitem__(2, None), "strings have no buffer"),
    "no offsets": (TABLE, lambda s, a: item(a).buffers.__setitem__(1, None), "an array has no values"),
    "invalid UTF-8": (
        TABLE, lambda s, a: write(copy_buffer(item(a), 2, 11), 0, 0xFF, ctypes.c_uint8), "a string is not valid UTF-8",
    ),
    "index after the dictionary": (
        DICTIONARY, lambda s, a: write(copy_buffer(item(a), 1, 12), 1, 7), "the index 7 of a dictionary of 2 strings",
    ),
    "negative index": (
        DICTIONARY, lambda s, a: write(copy_buffer(item(a), 1, 12), 0, -1), "the index -1 of a dictionary of 2 strings",
    ),
    "view of another buffer": (VIEWS, lambda s, a: write(copy_buffer(item(a), 1, 32), 2, 3), "a string is in buffer 3 of 1"),
    "view after its buffer": (VIEWS, lambda s, a: write(copy_buffer(item(a), 1, 32), 3, 99), "a string ends after its buffer"),
    "view of negative length": (VIEWS, lambda s, a: write(copy_buffer(item(a), 1, 32), 0, -3), "a string has the length -3"),
    "no type": (TABLE, lambda s, a: set_int(s.children[0].contents, "format", None), "a column has no type"),  # type: ignore[arg-type]
    "no item type": (TABLE, lambda s, a: set_int(s.children[0].contents, "n_children", 0), "a list has no type of its values"),
}  # fmt: skip


def error_of(producer: Producer) -> str:
    """Return the message of an error; its traceback, which refers to the reader, is gone."""
    try:
        Corpus.from_arrow(producer)
    except InputError as error:
        return str(error)
    return "no error"


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_structures(name: str) -> None:
    table, damage, message = DAMAGE[name]
    producer = Producer(table, damage)
    assert message in error_of(producer)
    assert sorted(producer.released) == sorted([*producer.produced, "stream"])


def test_errors_of_the_producer() -> None:
    producer = Producer(TABLE)
    producer.error = ctypes.create_string_buffer(b"the disk is gone")
    assert error_of(producer) == "reading the table failed: the disk is gone"
    assert sorted(producer.released) == ["schema", "stream"]


def test_a_capsule_of_something_else() -> None:
    class Wrong:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return new_capsule(1, b"other", None)

    with pytest.raises(InputError, match="returned no arrow_array_stream"):
        Corpus.from_arrow(Wrong())
