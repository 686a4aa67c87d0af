"""Tasks: corpora and features that both sides train and tag with.

CoNLL-2000 with the chunking template of CRFsuite's example, and CoNLL-2003 with the preset ``ner``; without the real corpora,
the same two on the built-in corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peers
from measure import HERE, data_folder

import tagpool
from tagpool.corpus.schemes import convert_many, detect
from tagpool.features.resource_files import shipped_phrases

TEMPLATE = HERE / "templates" / "crfsuite.txt"
TITLES = frozenset(shipped_phrases("titles"))
_BUILT_IN = {"train": 3000, "dev": 500, "test": 1000}


@dataclass(frozen=True, eq=False)
class Task:
    """A corpus with templates and settings.

    ``settings`` have the best F1 on held-out sentences (the part ``choosing``; observed pairs where they
    cost less than 0.05 F1).
    """

    name: str
    kind: str  # which features of peers.py: chunk or ner
    templates: str
    columns: tuple[str, ...]
    folder: Path
    settings: Mapping[str, Any]

    def path(self, part: str) -> Path:
        return self.folder / f"{self.kind}-{part}"

    @property
    def titles(self) -> Path:
        return self.folder / "titles"

    def read(self, part: str) -> tagpool.Corpus:
        return tagpool.read_corpus(self.path(f"{part}.conll"), columns=self.columns)

    def has(self, part: str) -> bool:
        return self.path(f"{part}.conll").exists()

    def inputs(self, corpus: tagpool.Corpus) -> list[Any]:
        """Return sentences as lists of words, or as dicts of columns."""
        words = corpus.column("word")
        if self.kind == "ner":
            return list(words)
        return [{"word": w, "pos": p} for w, p in zip(words, corpus.column("pos"), strict=True)]

    def features(self, corpus: tagpool.Corpus) -> Callable[[], list[peers.Features]]:
        """Return a function that computes the features in plain Python, as users of python-crfsuite do."""
        words = corpus.column("word")
        if self.kind == "ner":
            return lambda: [peers.ner_features(w, TITLES) for w in words]
        tags = corpus.column("pos")
        return lambda: [peers.chunk_features(w, p) for w, p in zip(words, tags, strict=True)]


def prepare(folder: Path) -> list[Task]:
    """Write the corpora to files, with BIO2 labels, and return the tasks."""
    (folder / "titles").write_text("\n".join(sorted(TITLES)))
    real = data_folder()
    names = ("CoNLL-2000", "CoNLL-2003") if real else ("built-in chunks", "built-in names")
    chunks = Task(names[0], "chunk", str(TEMPLATE), ("word", "pos", "label"), folder, {"l2": 0.3, "pairs": "observed"})
    entities = Task(names[1], "ner", "ner", ("word", "pos", "chunk", "label"), folder, {"l2": 2.0, "pairs": "all"})
    for part, count in _BUILT_IN.items():
        if real is None:
            corpus = tagpool.builtin_corpus(count, part=part)
            _write(chunks, part, corpus.with_columns({"word": "word", "pos": "pos", "chunk": "label"}))
            _write(entities, part, corpus)
            continue
        if part != "dev":  # CoNLL-2000 has none
            _write(chunks, part, tagpool.read_corpus(real / "conll2000" / f"{part}.txt.gz", columns=chunks.columns))
        file = {"train": "eng.train.gz", "dev": "eng.testa.gz", "test": "eng.testb.gz"}[part]
        _write(entities, part, tagpool.read_corpus(real / "conll2003" / file, columns=entities.columns))
    return [chunks, entities]


def _write(task: Task, part: str, corpus: tagpool.Corpus) -> None:
    labels, _ = convert_many(corpus.labels, detect(corpus.labels).scheme, "bio2", repair=True)
    tagpool.write_corpus(corpus.with_labels(labels), task.path(f"{part}.conll"), columns=task.columns)
