"""The labelled corpora under TAGPOOL_DATA: where their files are, and how they are split."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import tagpool
from tagpool.corpus.files import read_lines

HELD_OUT = 10  # every tenth document or sentence
_SMALL = 10_000  # tokens
LEFT_OUT = {
    "ocr-letters": "its rows are pixels, and the defaults read words",
    "ptb-sample": "a part of wsj-pos",
    "mturk-conll2003": "opinions of crowd workers; 92% of its sentences are in conll2003",
}


class Split(NamedTuple):
    """Sentences of a corpus. ``dev`` is None if the corpus has no such file."""

    train: tagpool.Corpus
    dev: tagpool.Corpus | None
    test: tagpool.Corpus


@dataclass(frozen=True)
class Source:
    """A corpus: its folder, a function that reads and splits it, and what a reader of the table must know.

    ``named``: the columns have no default names, so they are given with --columns. ``plain``: labels are scored by token.
    """

    name: str
    folder: str
    read: Callable[[Path], Split]
    note: str = ""
    named: bool = False
    plain: bool | None = None

    def is_in(self, data: Path) -> bool:
        return (data / self.folder).is_dir()


def hold_out(corpus: tagpool.Corpus) -> tuple[tagpool.Corpus, tagpool.Corpus]:
    """Separate every tenth document, whose sentences share names; every tenth sentence if no documents are marked."""
    starts = sorted({0, *corpus.document_starts}) if corpus.document_starts else list(range(len(corpus)))
    units = list(itertools.starmap(range, itertools.pairwise([*starts, len(corpus)])))
    is_out = [number % HELD_OUT == HELD_OUT - 1 for number in range(len(units))]
    rest, held_out = (
        corpus.select(sentence for unit, out in zip(units, is_out, strict=True) if out == wanted for sentence in unit)
        for wanted in (False, True)
    )
    return rest, held_out


def _files(columns: str, *names: str, keep: Mapping[str, str] | None = None) -> Callable[[Path], Split]:
    """Return a reader of two or three files: train, perhaps dev, test. ``keep`` maps columns to new names."""

    def read(folder: Path) -> Split:
        parts = [tagpool.read_corpus(folder / name, columns=columns) for name in names]
        if keep is not None:
            parts = [part.with_columns(keep) for part in parts]
        train, *dev, test = parts
        return Split(train, dev[0] if dev else None, test)

    return read


def _first(read: Callable[[Path], Split], train: int, dev: int) -> Callable[[Path], Split]:
    """Return a reader of the first sentences only."""

    def read_first(folder: Path) -> Split:
        split = read(folder)
        return Split(split.train[:train], split.dev and split.dev[:dev], split.test)

    return read_first


def _small(read: Callable[[Path], Split]) -> Callable[[Path], Split]:
    """Return a reader of the first 10,000 tokens, without dev."""

    def read_small(folder: Path) -> Split:
        split = read(folder)
        last = int((split.train.offsets() <= _SMALL).sum()) - 1
        return Split(split.train[:last], None, split.test)

    return read_small


def _rows(pattern: str) -> Callable[[Path], Split]:
    """Return a reader of GROBID's feature rows. Rows of one file may differ in width: they keep the columns that all have."""

    def read(folder: Path) -> Split:
        path = next(iter(sorted(folder.glob(pattern))), folder / pattern)
        sequences = list(_sequences(read_lines(path)))
        width = min(len(row) for rows in sequences for row in rows) - 1
        names = ["word", *(f"column{i}" for i in range(1, width))]
        columns = {name: [[row[place] for row in rows] for rows in sequences] for place, name in enumerate(names)}
        corpus = tagpool.Corpus.from_lists(**columns, label=[[row[-1] for row in rows] for rows in sequences])
        train, test = hold_out(corpus)
        return Split(train, None, test)

    return read


def _sequences(lines: Iterable[str]) -> Iterable[list[list[str]]]:
    rows: list[list[str]] = []
    for line in lines:
        fields = line.split()
        if fields:
            rows.append(fields)
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _opinions(folder: Path) -> Split:
    """Read the gold column of NoiseBench, and hold out every tenth document."""
    corpus = tagpool.read_corpus(folder / "noisebench.conll.gz", columns="word,label,expert,best,crowd,distant,weak,llm")
    train, test = hold_out(corpus.with_columns({"word": "word", "label": "label"}))
    return Split(train, None, test)


_CONLL2003 = _files("word,pos,chunk,label", "eng.train.gz", "eng.testa.gz", "eng.testb.gz")
_EWT = tuple(f"en_ewt-ud-{part}.tsv.gz" for part in ("train", "dev", "test"))
_JOURNAL = _files("word,label", "train_00-18.tsv.gz", "dev_19-21.tsv.gz", "test_22-24.tsv.gz")
_TENTH = "every tenth sequence held out as test"

SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source("conll2003", "conll2003", _CONLL2003),
        Source("conll2003-small", "conll2003", _small(_CONLL2003), "the first 10,000 tokens, without dev"),
        Source("conll2000", "conll2000", _files("word,pos,label", "train.txt.gz", "test.txt.gz"), "no dev"),
        Source("conll2002-esp", "conll2002", _files("word,pos,label", "esp.train.gz", "esp.testa.gz", "esp.testb.gz")),
        Source("conll2002-ned", "conll2002", _files("word,pos,label", "ned.train.gz", "ned.testa.gz", "ned.testb.gz")),
        Source("wnut17", "wnut17", _files("word,label", *(f"{part}.tsv.gz" for part in ("train", "dev", "test")))),
        Source("bc2gm", "bc2gm", _files("word,label", *(f"{part}.tsv.gz" for part in ("train", "devel", "test")))),
        Source("noisebench", "noisebench", _opinions, "the clean column; every tenth document held out as test"),
        Source("ud-ewt-xpos", "ud-ewt", _files("word,label,upos", *_EWT, keep={"word": "word", "label": "label"})),
        Source("ud-ewt-upos", "ud-ewt", _files("word,xpos,label", *_EWT, keep={"word": "word", "label": "label"})),
        Source(
            "wsj-pos",
            "wsj-pos",
            _first(_JOURNAL, 10_000, 2_000),
            "the first 10,000 of 38,219 training and 2,000 of 5,527 dev sentences; all of test",
        ),
        *(
            Source(f"grobid-{kind}", "grobid", _rows(f"{kind}*.train.gz"), _TENTH, named=True, plain=True)
            for kind in ("affiliation-address", "name-header", "name-citation", "date", "table")
        ),
    )
}
