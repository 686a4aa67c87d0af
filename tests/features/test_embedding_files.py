"""Embeddings: every file format, and errors of damaged files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagpool.errors import ResourceError
from tagpool.features.embeddings import Embeddings


def test_glove_and_word2vec(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("king 1 0.5\nqueen -2 1e-3\nking 9 9\n\n")
    glove = Embeddings.read(file)
    assert (glove.width, len(glove), glove.rows.row("queen"), glove.rows.row("king"), glove.rows.row("x")) == (2, 2, 1, 0, -1)
    assert glove.vectors.tolist() == [[1, 0.5], [-2, pytest.approx(1e-3)], [9, 9]]
    file.write_text("2 2\nking 1 0.5 \nqueen -2 1e-3\n")
    assert np.array_equal(Embeddings.read(file).vectors, glove.vectors[:2])
    file.write_text("2 2 2\n3 1 1\n")  # the words 2 and 3
    assert Embeddings.read(file).rows.row("3") == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("b 1", "expected 2 numbers after 'b', got 1"),
        ("b 1 2 3", "expected 2 numbers after 'b', got 3"),
        ("b", "expected 2 numbers after 'b', got 0"),
        ("b 1 x", "expected numbers after 'b'"),
        ("b nan 1", "expected finite numbers after 'b'"),
        ("b 1 inf", "expected finite numbers after 'b'"),
        ("b 1e39 1", "expected finite numbers after 'b'"),
    ],
)
def test_broken_vectors(line, message, tmp_path):
    file = tmp_path / "vectors.txt"
    for head, number in (("a 1 2\n", 2), ("2 2\na 1 2\n", 3)):
        file.write_text(f"{head}{line}\n")
        with pytest.raises(ResourceError, match=rf"vectors.txt:{number}: {message}"):
            Embeddings.read(file)


def test_numpy_files(tmp_path):
    inside, beside = tmp_path / "inside.npz", tmp_path / "beside.npz"
    vectors = np.array([[1, 2], [3, 4]], dtype=np.float16)
    np.savez(inside, vectors=vectors, words=np.array(["a", "é"]))
    np.savez(beside, vectors=vectors)
    with pytest.raises(ResourceError, match=r"beside.npz: expected an array 'words', or words.txt beside the file"):
        Embeddings.read(beside)
    (tmp_path / "words.txt.gz").write_bytes(gzip.compress("a\né\n".encode()))
    for path in (inside, beside):
        result = Embeddings.read(path)
        assert (result.rows.row("é"), result.vectors.dtype, result.vectors.tolist()) == (1, np.float32, [[1, 2], [3, 4]])
    (tmp_path / "words.txt").write_text("a\nb\nc\n")
    with pytest.raises(
        ResourceError, match=r"beside.npz: expected one vector for each of 3 words, got an array of shape \(2, 2\)"
    ):
        Embeddings.read(beside)
    (tmp_path / "words.txt").write_bytes(b"a\n\xff\n")
    with pytest.raises(ResourceError, match=r"words.txt:2: expected UTF-8"):
        Embeddings.read(beside)


def write_npz(path: Path, **arrays: Any) -> None:
    np.savez(path, **arrays)


def write_npy(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.zeros((2, 2)))


def write_damaged(path: Path) -> None:
    np.savez_compressed(path, vectors=np.random.default_rng(0).random((50, 50)), words=np.array(["x"] * 50))
    data = bytearray(path.read_bytes())
    data[300:400] = bytes(100)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: path.write_bytes(b"hello"), "expected a NumPy file"),
        (lambda path: path.write_bytes(b""), "expected a NumPy file"),
        (lambda path: path.write_bytes(b"PK\x03\x04 cut off"), "expected a NumPy file"),
        (write_damaged, "expected a NumPy file"),
        (write_npy, "expected a NumPy file"),
        (lambda path: path.mkdir(), "expected a NumPy file"),
        (lambda path: None, "there is no such file"),
        (lambda path: write_npz(path, other=np.zeros(2)), "expected a NumPy file with an array 'vectors'"),
        (lambda path: write_npz(path, vectors=np.array([[None]]), words=np.array(["a"])), "expected a NumPy file"),
        (lambda path: write_npz(path, vectors=np.array([["x"]]), words=np.array(["a"])), "all numbers"),
        (lambda path: write_npz(path, vectors=np.zeros(2), words=np.array(["a", "b"])), r"got an array of shape \(2,\)"),
        (lambda path: write_npz(path, vectors=np.zeros((0, 2)), words=np.array([], dtype=str)), "got an array of shape"),
        (lambda path: write_npz(path, vectors=np.array([[np.nan]]), words=np.array(["a"])), "not finite"),
        (lambda path: write_npz(path, vectors=np.array([[1e300]]), words=np.array(["a"])), "not finite"),
    ],
)
def test_broken_numpy_files(write, message, tmp_path):
    path = tmp_path / "x.npz"
    write(path)
    with pytest.raises(ResourceError, match=rf"x.npz: .*{message}"):
        Embeddings.read(path)


def test_bad_embeddings():
    for words, vectors in ((["a"], [[1], [2]]), (["a", "b"], [[1], [1, 2]]), (["a"], [["x"]]), ([1], [[1]]), (["\ud800"], [[1]])):
        with pytest.raises(ResourceError):
            Embeddings(words, vectors)
