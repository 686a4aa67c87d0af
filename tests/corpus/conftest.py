from __future__ import annotations

from collections.abc import Callable

import pytest

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.formats import read_corpus

Reader = Callable[..., Corpus]


@pytest.fixture(scope="session")
def read(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Writes text or bytes to a file of this name and reads it as a corpus; one folder for all, so that Hypothesis may use it."""
    folder = tmp_path_factory.mktemp("read")

    def read(content: str | bytes, name: str = "file.conll", **options: object) -> Corpus:
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_corpus(path, **options)  # type: ignore[arg-type]

    return read
