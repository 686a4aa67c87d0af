"""The corpora of ``users``: words with their labels, and no other column, since new text has words only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines
from tagpool.corpus.formats import read_corpus, write_corpus
from tagpool.errors import InputError
from tagpool.experiments.corpora import (
    Split,
    conll2000,
    conll2003,
    folder,
    gene_mentions,
    in_scheme,
    lowered,
    require_file,
    spanish,
    wnut17,
)
from tagpool.experiments.study import Setting
from tagpool.experiments.users_processes import DEV, LOWER, TEST, TRAIN, file_of

SCHEME = "bio2"
_COLUMNS = ("word", "label")
_QUICK = (1000, 300)  # sentences of training, and of dev and test
_TENTH = 10
_OTHER = "other"  # GROBID's label of what is no field


@dataclass(frozen=True)
class Source:
    """A corpus: the function that reads it, and its measure. Those in quick runs are one of each kind."""

    read: Callable[[Setting], Split]
    measure: str = "F1"
    quick: bool = False


def dutch(setting: Setting) -> Split:
    """Return Dutch names of CoNLL-2002."""
    place = folder(setting) / "conll2002"
    parts = (
        read_corpus(require_file(place / f"ned.{part}.gz"), columns="word,pos,label") for part in ("train", "testa", "testb")
    )
    return Split(*(in_scheme(part, SCHEME) for part in parts))


def english_tags(setting: Setting) -> Split:
    """Return universal parts of speech of the English Web Treebank."""
    place = folder(setting) / "ud-ewt"
    paths = (require_file(place / f"en_ewt-ud-{part}.tsv.gz") for part in ("train", "dev", "test"))
    return Split(*(read_corpus(path, columns="word,xpos,label") for path in paths))


def cited_names(setting: Setting) -> Split:
    """Return the parts of authors' names in citations, from GROBID. Every tenth sequence is test, and of the rest dev."""
    place = folder(setting) / "grobid"
    path = require_file(next(iter(sorted(place.glob("name-citation*.train.gz"))), place / "name-citation.train.gz"))
    rows = list(_sequences(path))
    words, labels = ([[token[column] for token in row] for row in rows] for column in (0, 1))
    rest, test = _without_tenth(in_scheme(Corpus.from_lists(word=words, label=labels), SCHEME))
    return Split(*_without_tenth(rest), test)


SOURCES = {
    "CoNLL-2003": Source(lambda setting: conll2003(setting, SCHEME), quick=True),
    "WNUT-17": Source(lambda setting: wnut17(setting, SCHEME)),
    "BC2GM": Source(lambda setting: gene_mentions(setting, SCHEME)),
    "Spanish": Source(lambda setting: spanish(setting, SCHEME)),
    "Dutch": Source(dutch),
    "CoNLL-2000": Source(conll2000),
    "EWT tags": Source(english_tags, "accuracy", quick=True),
    "GROBID": Source(cited_names, quick=True),
}


def read_split(source: Source, setting: Setting) -> Split:
    """Return the words and labels of a corpus. Dev sentences with labels that no training sentence has are left out."""
    split = source.read(setting)
    train, dev, test = (part.with_columns(_COLUMNS).drop_empty() for part in (split.train, split.dev, split.test))
    if setting.quick:
        train, dev, test = train[: _QUICK[0]], dev[: _QUICK[1]], test[: _QUICK[1]]
    known = {label for labels in train.labels for label in labels}
    return Split(train, dev.select([number for number, labels in enumerate(dev.labels) if known.issuperset(labels)]), test)


def write_split(split: Split, files: Path) -> None:
    """Write the files that the models read: training, dev and test sentences, and those of the test in lower case."""
    files.mkdir()
    parts = {TRAIN: split.train, DEV: split.dev, TEST: split.test, LOWER: lowered(split.test)}
    for name, part in parts.items():
        write_corpus(part, file_of(files, name), columns=_COLUMNS, separator="\t")


def _without_tenth(corpus: Corpus) -> tuple[Corpus, Corpus]:
    """Return the sentences without every tenth one, and every tenth one."""
    rest, held_out = (
        corpus.select([number for number in range(len(corpus)) if (number % _TENTH == _TENTH - 1) == wanted])
        for wanted in (False, True)
    )
    return rest, held_out


def _sequences(path: Path) -> Iterator[list[tuple[str, str]]]:
    """Yield the words and labels of GROBID's feature rows, with labels as BIO2 has them."""
    row: list[tuple[str, str]] = []
    for number, line in enumerate([*read_lines(path), ""], 1):
        cells = line.split()
        if cells:
            row.append((cells[0], _label(cells[-1], path, number)))
        elif row:
            yield row
            row = []


def _label(label: str, path: Path, line: int) -> str:
    field = label.removeprefix("I-")
    if not (field.startswith("<") and field.endswith(">")):
        raise InputError(f"expected a label such as <surname> or I-<surname>, got {label!r}", source=str(path), line=line)
    kind = field[1:-1]
    return "O" if kind == _OTHER else f"{'B' if label != field else 'I'}-{kind}"
