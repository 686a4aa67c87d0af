"""Hostile model files: an error, without a crash, a hang, much memory or access to other files.

``TAGPOOL_MUTANTS=20000`` uses that many mutants of model files instead of a few hundred, from ``TAGPOOL_FIRST_MUTANT`` on.
"""

from __future__ import annotations

import json
import os
import re
import resource
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import hostile
from oracles.mutants import Array, Content, seal

import tagpool
from tagpool import ModelError
from tagpool.compat.pycrfsuite.tagger import Tagger as CrfsuiteTagger

MUTANTS = int(os.environ.get("TAGPOOL_MUTANTS", "300"))
FIRST = int(os.environ.get("TAGPOOL_FIRST_MUTANT", "0"))
SENTENCE = [["Ann", "moved", "to", "New", "York"]]


@pytest.fixture(scope="module")
def blocks() -> dict[str, bytes]:
    return hostile.files()


@pytest.fixture
def load(blocks: dict[str, bytes], tmp_path: Path) -> Callable[..., Any]:
    """Load the file of a model after a change of its content."""

    def changed(name: str, change: Callable[[Content], object]) -> Any:
        content = Content.of(blocks[name])
        change(content)
        (tmp_path / "model").write_bytes(content.sealed())
        return tagpool.load(tmp_path / "model")

    return changed


def text(key: str, change: Callable[[Any], Any]) -> Callable[[Content], object]:
    """Change the JSON value of a metadata key."""
    return lambda content: content.texts.update({key: json.dumps(change(json.loads(content.texts[key])))})


def values(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Content], object]:
    """Change the values of an array."""

    def apply(content: Content) -> None:
        array = content.arrays[name]
        numbers = change(array.values)
        content.arrays[name] = Array(array.dtype, [len(numbers)] if len(array.shape) == 1 else array.shape, numbers.tobytes())

    return apply


def put(place: int, value: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Replace one value."""

    def apply(numbers: np.ndarray) -> np.ndarray:
        numbers[place] = value
        return numbers

    return apply


def edit(*path: Any, value: Any) -> Callable[[Any], Any]:
    """Replace one node of a JSON value."""

    def apply(root: Any) -> Any:
        node = root
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = value
        return root

    return apply


def test_every_mutant_is_an_error_or_a_valid_model(blocks: dict[str, bytes]) -> None:
    assert list(hostile.run(blocks, range(FIRST, FIRST + MUTANTS))) == []


def test_unchanged_files_pass(blocks: dict[str, bytes], tmp_path: Path) -> None:
    for name, block in blocks.items():
        (tmp_path / name).write_bytes(block)
        hostile.use(tmp_path / name)
        if block[:4] != b"lCRF":
            (tmp_path / name).write_bytes(Content.of(block).sealed())
            assert tagpool.load(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("transitions", lambda content: content.arrays.pop("edges"), "transition features without"),
        ("transitions", values("history.cells", put(0, 2**32 - 1)), "'history.cells' has a label out of range"),
        ("transitions", values("history.starts", lambda numbers: numbers[::-1]), "does not fit 'history.weights'"),
        ("crf", values("features.weights", put(3, np.nan)), "'?features.weights\"? has a weight that is not finite"),
        ("small", values("features.weights", put(3, np.inf)), "has a weight that is not finite"),
        ("crf", values("edges", put(0, np.inf)), "has a weight that is not finite"),
        ("crf", values("forbidden", lambda numbers: numbers[:-1]), "does not match its size"),
        ("inducing", values("forbidden", lambda numbers: np.append(numbers, numbers[0])), "does not match its size"),
        ("crf", values("forbidden", lambda numbers: np.full_like(numbers, 255)), None),
        ("crf", values("features.places", lambda numbers: np.where(numbers == 2**32 - 1, numbers, 2**32 - 2)), "points outside"),
        ("crf", values("features.fingerprints", lambda numbers: np.maximum(numbers, 1)), "too few free slots"),
        ("crf", text("labels", lambda labels: ["Z", "Z", *labels[2:]]), "'Z' occurs twice"),
        ("crf", text("labels", lambda labels: ["B-X", "B-X", "B-X", *labels[3:]]), "a label occurs three times"),
        ("crf", text("labels", lambda labels: ["B-X", "B-X", *labels[2:]]), None),
        ("maxent", text("labels", lambda labels: [labels[0], *labels[:-1]]), "a label occurs twice"),
        ("inducing", text("labels", lambda labels: [labels[0], *labels[:-1]]), "a label occurs twice"),
        ("elitist", text("labels", lambda labels: [labels[0], *labels[:-1]]), "a label occurs twice"),
        ("crf", text("labels", lambda labels: labels + [f"L{n}" for n in range(70_000)]), "more than 65,535 labels"),
        ("crf", text("program", edit("atoms", 0, "kind", value="bias")), None),
        ("crf", text("program", edit("atoms", 0, "steps", value=[["ngrams", 0, 3]])), "empty range 0..3"),
        ("crf", text("program", edit("atoms", 0, "steps", value=[["ngrams", 1, 2**31 - 1]])), "an integer from 0 to 512"),
        ("crf", text("program", edit("atoms", 0, "steps", value=[["ngrams", 1, 2], ["lower", 0, 0]])), "has several values"),
        ("crf", text("program", edit("atoms", 0, "steps", value=[["lower", 0, 0]] * 33)), "nested more than 32 deep"),
        ("crf", text("program", edit("templates", 0, value=["k", *[[0, 0]] * 65])), "more than 64 terms"),
        ("crf", text("program", edit("templates", 0, value=["a=b", [0, 0]])), "a key without ="),
        ("crf", text("program", edit("templates", value=[["k", [0, 0]]] * 65_536)), "more than 65,535 templates"),
        ("crf", values("program.words.0.words.ends", lambda numbers: numbers[::-1]), "out of order"),
        ("crf", values("program.words.0.words.bytes", put(0, 0xFF)), "not UTF-8"),
        ("crf", values("program.phrases.0.sets", put(0, 99)), "invalid entry"),
        ("crf", values("program.phrases.0.hashes", lambda numbers: np.full_like(numbers, 5)), "a phrase twice"),
        ("crf", lambda content: content.texts.update(labels="[" * 100_000), "nested more than 64"),
        ("crf", lambda content: content.texts.update(labels="[" + "0," * 600_000 + "0]"), "more than 524288 values"),
        ("inducing", text("online", edit("slots", value=2**32 - 1)), "wrong sizes"),
        ("inducing", text("online", edit("backs", value=[[0]])), "distance 1 to 8"),
        ("inducing", lambda content: content.arrays.pop("history.places"), "previous labels are missing"),
        ("inducing", values("pairs.bits", lambda numbers: np.full_like(numbers, 2**64 - 1)), "different conjunctions"),
        ("inducing", values("joined.places", put(0, 2**32 - 2)), "points outside"),
        ("inducing", values("history.templates", put(0, 9)), "unknown template"),
        ("inducing", lambda content: content.texts.update({"inducing.beam": "4294967295"}), "1 to 1024"),
        ("inducing", lambda content: content.texts.update({"inducing.beam": "9" * 5000}), "not a whole number"),
        ("inducing", lambda content: content.texts.update({"inducing.slots": "²"}), "not a whole number"),
        ("elitist", lambda content: content.texts.update(alpha=json.dumps([0.1] * 11)), "2 to 10 finite weights"),
        ("elitist", lambda content: content.texts.update(parameters="[1]"), "not a JSON object"),
        ("opinion", lambda content: content.texts.update(members="1" * 20), "not a whole number"),
        ("opinion", lambda content: content.texts.update(record="[" * 100_000), "not valid JSON"),
        ("votes", lambda content: content.texts.update(record="[" + "[]," * 300_000 + "1]"), "more than 262,144 values"),
        ("votes", text("record", edit("guarantees", "delta", value="x")), "guarantees"),
        ("votes", text("record", edit("guarantees", "highest", value=None)), "guarantees"),
    ],
)
def test_rules_of_the_format(load, name: str, change: Callable[[Content], object], message: str | None) -> None:
    if message is None:
        load(name, change).predict(SENTENCE)
    else:
        with pytest.raises(ModelError, match=message) as caught:
            load(name, change)
        assert caught.value.source is not None


def test_transition_features_without_templates(load) -> None:
    """The model takes given features, which have no transition features."""
    model = load("transitions", lambda content: content.texts.pop("program"))
    assert [rows.shape for rows in model.predict_proba(hostile.GIVEN)] == [(2, len(model.labels_)), (1, len(model.labels_))]


def test_whether_an_atom_is_total_is_derived(load, blocks: dict[str, bytes]) -> None:
    """Every atom is declared as total, also those with no value or several values for a word."""

    def declare(program: Any) -> Any:
        return program | {"atoms": [atom | {"total": True} for atom in program["atoms"]]}

    expected = load("crf", lambda content: None)
    model = load("crf", text("program", declare))
    assert model.predict(hostile.SENTENCES) == expected.predict(hostile.SENTENCES)
    assert str(model.explain(SENTENCE[0])) == str(expected.explain(SENTENCE[0]))


def test_conjunctions_of_many_values(load) -> None:
    """A template with 64 terms of n-grams would have 10^60 values."""
    steps = {"steps": [["ngrams", 1, 9]]}

    def conjoin(program: Any) -> Any:
        return program | {"atoms": [program["atoms"][0] | steps], "templates": [["k", *[[0, 0]] * 64]]}

    model = load("maxent", text("program", conjoin))
    with pytest.raises(tagpool.InputError, match="more than 65536 values per token"):
        model.predict(SENTENCE)


@pytest.mark.parametrize("size", [50_000_000, 1_000_000_000])
def test_compressed_names_are_bounded(load, size: int) -> None:
    packer = zlib.compressobj()
    packed = b"".join(packer.compress(b"word[0]=a\0" * 100_000) for _ in range(size // 1_000_000)) + packer.flush()

    def compress(content: Content) -> None:
        content.arrays["names"] = Array("U8", [len(packed)], packed)

    model = load("maxent", compress)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelError, match="names of features take more memory"):
        model.describe()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < (4 * len(packed) >> 10) + (64 << 10)


@pytest.mark.parametrize("packed", [b"", b"x", zlib.compress(b"a")[:-1], zlib.compress(b"a") + b"b", zlib.compress(b"\xff")])
def test_damaged_names(load, packed: bytes) -> None:
    model = load("maxent", lambda content: content.arrays.update(names=Array("U8", [len(packed)], packed)))
    with pytest.raises(ModelError, match="not compressed UTF-8"):
        model.describe()


@pytest.mark.parametrize(
    ("summary", "message"),
    [
        ({"sentences": "x", "tokens": 1}, "'sentences' is 'x'"),
        ({"sentences": 1}, "incomplete"),
        ({"epochs": 1.5, "trainer": "sgd"}, "'epochs' is '1.5'"),
        ({"epochs": 2}, "incomplete"),
        ({"dev": "x"}, "'dev' is 'x'"),
        ({"columns": [1]}, "'columns' is"),
        ([], "not a JSON object"),
    ],
)
def test_damaged_summaries(load, summary: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load("crf", lambda content: content.texts.update(summary=json.dumps(summary))).describe()


@pytest.mark.parametrize(
    "templates",
    [
        "word[-64..64] & word[-64..64] & word[-64..64]",
        "prefix(" * 12 + "word" + ", 1..512)" * 12 + "[0]",
        "word[",
        "word[-64..64]\n" * 5000,
    ],
)
def test_templates_of_a_model_are_limited(load, templates: str) -> None:
    model = load("crf", lambda content: content.texts.update(templates=templates))
    with pytest.raises(ModelError, match="damaged metadata 'templates'"):
        model.without("lexicons")


def test_arrays_do_not_overlap(blocks: dict[str, bytes], tmp_path: Path) -> None:
    """A byte in several arrays would let a small file take much memory."""
    content = Content.of(blocks["crf"])
    sealed = content.sealed()
    length = int.from_bytes(sealed[:8], "little")
    header = json.loads(sealed[8 : 8 + length])
    begin, end = header["features.places"]["data_offsets"]
    header["copy"] = {"dtype": "U8", "shape": [end - begin], "data_offsets": [begin, end]}
    header["__metadata__"]["checksum"] = "0" * 16
    (tmp_path / "model").write_bytes(seal(json.dumps(header, ensure_ascii=False).encode(), sealed[8 + length :]))
    with pytest.raises(ModelError, match="does not follow the array before it"):
        tagpool.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"edges": {', '"features.weights": {', "two arrays have the name"),
        ('"kind": "crf"', '"kind": "crf", "kind": "crf"', "two texts have the key"),
        ('"kind": "crf"', ", ".join(f'"k{number}": ""' for number in range(1100)), "more than 1,024 metadata keys"),
        ('"kind": "crf"', '"kind": "\udc80"', "the header is not UTF-8"),
        ('"shape": [', '"shape": [1, 1, 1, 1, 1, 1, 1, 1, ', "more than 8 dimensions"),
    ],
)
def test_names_and_counts_of_the_header(blocks: dict[str, bytes], tmp_path: Path, old: str, new: str, message: str) -> None:
    content = Content.of(blocks["crf"])
    content.texts["checksum"] = "0" * 16
    sealed = content.sealed()
    length = int.from_bytes(sealed[:8], "little")
    header = re.sub(r'"checksum": "\w+"', f'"checksum": "{"0" * 16}"', sealed[8 : 8 + length].decode())
    assert old in header
    changed = header.replace(old, new, 1).encode("utf-8", "surrogateescape")
    (tmp_path / "model").write_bytes(seal(changed, sealed[8 + length :]))
    with pytest.raises(ModelError, match=message):
        tagpool.load(tmp_path / "model")


def test_nested_pools_take_little_memory(blocks: dict[str, bytes], tmp_path: Path) -> None:
    """Every level of a nested pool shares the memory of the file."""
    content = Content.of(blocks["maxent"])
    filling = np.random.default_rng(1).bytes(20_000_001)
    content.arrays["filling"] = Array("U8", [len(filling)], filling)
    block = content.sealed()
    for _ in range(8):
        record = {"member_weights": [1.0], "weights": "uniform"}
        texts = {"kind": "opinion-pool", "version": "2", "members": "1", "record": json.dumps(record), "format": "tagpool"}
        block = Content(texts, {"members.0": Array("U8", [len(block)], block)}).sealed()
    (tmp_path / "pool").write_bytes(block)

    assert hostile.run_limited(lambda: tagpool.load(tmp_path / "pool").predict(SENTENCE), len(block)) == 0


def test_damaged_dictionaries_of_crfsuite(blocks: dict[str, bytes], tmp_path: Path) -> None:
    """The text of a label is damaged: every call is an error, also the second one."""
    block = bytearray(blocks["crfsuite"])
    at_labels = struct.unpack_from("<I", block, 32)[0]
    backward = struct.unpack_from("<I", block, at_labels + 20)[0]
    struct.pack_into("<I", block, at_labels + backward + 4, 2**31)
    (tmp_path / "model").write_bytes(block)
    for _ in range(2):
        with pytest.raises(ModelError, match="the dictionary of labels has a record outside its bounds"):
            CrfsuiteTagger().open(tmp_path / "model")


def test_a_crfsuite_file_with_many_labels(blocks: dict[str, bytes], tmp_path: Path) -> None:
    labels = [f"L{number}" for number in range(20_000)]
    none = np.zeros(0)
    transitions = np.zeros(len(labels) ** 2)
    block = tagpool._native.write_crfsuite(labels, [], none.astype(np.uint32), none.astype(np.uint16), none, transitions)
    (tmp_path / "model").write_bytes(block)
    with pytest.raises(ModelError, match="the transitions of 20000 labels take 3051 MB"):
        CrfsuiteTagger().open(tmp_path / "model")


def test_a_model_stays_the_same_if_its_file_changes(blocks: dict[str, bytes], tmp_path: Path) -> None:
    """A truncated file would end a process that has mapped it."""
    path = tmp_path / "model"
    for name in ("crf", "elitist", "opinion"):
        path.write_bytes(blocks[name])
        model: Any = tagpool.load(path)
        expected = model.predict(hostile.SENTENCES)
        with path.open("r+b") as file:
            file.write(b"\0" * len(blocks[name]))
        assert model.predict(hostile.SENTENCES) == expected
        os.truncate(path, 0)
        assert model.predict(hostile.SENTENCES) == expected
    path.write_bytes(blocks["crfsuite"])
    tagger = CrfsuiteTagger()
    tagger.open(path)
    expected = tagger.tag([["a"], ["b"]])
    os.truncate(path, 0)
    assert tagger.tag([["b"], ["a"]])
    assert tagger.tag([["a"], ["b"]]) == expected


def test_mapped_models_are_equal(blocks: dict[str, bytes], tmp_path: Path) -> None:
    for name in ("crf", "inducing", "elitist", "opinion", "votes"):
        (tmp_path / name).write_bytes(blocks[name])
        mapped, copied = tagpool.load(tmp_path / name, mmap=True), tagpool.load(tmp_path / name)
        assert str(mapped.describe()) == str(copied.describe())
        is_mapped = str(tmp_path / name) in Path("/proc/self/maps").read_text()
        assert is_mapped == (name != "votes")  # the weights of a vote pool are copied
        del mapped
