"""Word embeddings: one vector per word, in the formats of GloVe, word2vec (text) and NumPy."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagpool import _native
from tagpool.corpus.files import check_path, read_lines
from tagpool.errors import InputError, ResourceError, check_type
from tagpool.features.resources import Lexicon, as_text
from tagpool.wording import counted


class Embeddings:
    """Vectors of equal width.

    >>> embeddings = Embeddings(["king", "queen"], [[1.0, 0.0], [0.9, 0.1]])
    >>> embeddings.width, len(embeddings)
    (2, 2)
    """

    kind: ClassVar[str] = "embedding"

    def __init__(self, words: Sequence[str], vectors: ArrayLike) -> None:
        check_type(words, (Sequence, np.ndarray), "a list of words; read a file with Embeddings.read(path)", ResourceError)
        try:
            with np.errstate(over="ignore"):  # too large numbers become infinite and raise an error below
                self.vectors: NDArray[np.float32] = np.ascontiguousarray(vectors, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise ResourceError(f"expected vectors of equal width, all numbers: {error}") from None
        if self.vectors.ndim != 2 or self.vectors.shape[0] != len(words) or self.vectors.size == 0:
            raise ResourceError(
                f"expected one vector for each of {counted(len(words), 'word')}, got an array of shape {self.vectors.shape}"
            )
        if not np.isfinite(self.vectors).all():
            raise ResourceError("the vectors have values that are not finite numbers")
        self.rows = _native.RowLexicon()
        for row, word in enumerate(words):
            self.rows.add(as_text(word), row)
        self.from_file = False

    def __reduce__(self) -> tuple[object, ...]:
        words = self.rows.words()
        return Embeddings, (words, self.vectors[[self.rows.row(word) for word in words]])

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        """Dimension of the vectors."""
        return int(self.vectors.shape[1])

    @cached_property
    def native(self) -> _native.VectorLexicon:
        """Native vectors, for learners in which each dimension is a feature."""
        return _native.VectorLexicon(self.rows, self.vectors)

    @property
    def lexicons(self) -> list[Lexicon]:
        """Native lexicons of this resource."""
        return [self.native]

    @classmethod
    def read(cls, path: str | Path) -> Embeddings:
        """Read GloVe or word2vec text (``word 0.1 0.2 ...``, with or without a header line), or ``.npz``.

        An ``.npz`` file has an array ``vectors``, and the words in an array ``words`` or in ``words.txt`` (or ``.gz``) beside it.
        """
        check_path(path)
        try:
            embeddings = cls._read_npz(Path(path)) if Path(path).suffix == ".npz" else cls._read_text(Path(path))
        except InputError as error:
            raise ResourceError(error.message, source=error.source or path, line=error.line) from None
        embeddings.from_file = True
        return embeddings

    @classmethod
    def _read_npz(cls, path: Path) -> Embeddings:
        try:
            # Opened here: NumPy does not close a file that it fails to read.
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                vectors = arrays["vectors"]
                words = [str(word) for word in arrays["words"]] if "words" in arrays else None
        except FileNotFoundError:
            raise ResourceError("there is no such file", source=path) from None
        # A single array has no __enter__: a TypeError, or an AttributeError before Python 3.11.
        except (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, BadZipFile, zlib.error) as error:
            raise ResourceError(f"expected a NumPy file with an array 'vectors': {error}", source=path) from None
        if words is None:
            beside = [path.with_name("words.txt"), path.with_name("words.txt.gz")]
            word_list = next((file for file in beside if file.exists()), None)
            if word_list is None:
                raise ResourceError("expected an array 'words', or words.txt beside the file", source=path)
            words = read_lines(word_list)
        return cls(words, vectors)

    @classmethod
    def _read_text(cls, path: Path) -> Embeddings:
        lines = read_lines(path)
        first = 1 if lines and len(lines[0].split()) == 2 and all(part.isdigit() for part in lines[0].split()) else 0
        words: list[str] = []
        vectors: list[NDArray[np.float32]] = []
        for number, line in enumerate(lines[first:], first + 1):
            if not line.strip():
                continue
            word, _, rest = line.rstrip().partition(" ")
            try:
                with np.errstate(over="ignore"):
                    vector = np.array(rest.split(), dtype=np.float32)
            except ValueError:
                raise ResourceError(f"expected numbers after {word!r}", source=path, line=number) from None
            width = len(vectors[0]) if vectors else len(vector)
            if len(vector) != width or not width:
                message = f"expected {counted(width, 'number') if width else 'some numbers'} after {word!r}, got {len(vector)}"
                raise ResourceError(message, source=path, line=number)
            if not np.isfinite(vector).all():
                raise ResourceError(f"expected finite numbers after {word!r}", source=path, line=number)
            words.append(word)
            vectors.append(vector)
        if not words:
            raise ResourceError("expected vectors, got none: the file is empty", source=path)
        return cls(words, np.stack(vectors))
