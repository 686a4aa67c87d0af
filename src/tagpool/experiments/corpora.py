"""The templates of the experiments, and their corpora and resources from the folder that TAGPOOL_DATA names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines
from tagpool.corpus.formats import read_corpus
from tagpool.corpus.schemes import convert_many, detect
from tagpool.errors import InputError
from tagpool.experiments.study import Setting
from tagpool.features.embeddings import Embeddings
from tagpool.features.resources import AmbiguityClasses, Clusters, Gazetteer

_QUICK = (2500, 800)  # sentences of training, and of dev and test
_QUICK_PART = 4  # a quick run uses every fourth handwritten word
_CLUSTERS = 1000, 100  # number of clusters of newswire, and of a quick run
PIXELS = 16 * 8


@dataclass(frozen=True)
class Split:
    """Training, dev and test sentences."""

    train: Corpus
    dev: Corpus
    test: Corpus


# The resources of templates by name: their class, and their file or folder.
_RESOURCES: dict[str, tuple[Any, str]] = {
    "lexicons": (Gazetteer, "gazetteers"),
    "names": (Gazetteer, "gazetteers"),
    "phrases": (Gazetteer, "nlp4j-lexica/en-named-entity-gazetteers-simplified-lowercase.tsv.gz"),
    "possible": (AmbiguityClasses, "nlp4j-lexica/en-ambiguity-classes-simplified.tsv.gz"),
    "possible_small": (AmbiguityClasses, "nlp4j-lexica/en-ambiguity-classes-simplified-lowercase.tsv.gz"),
    "brown": (Clusters, "brown-clusters/spacy_en_c1000.txt.gz"),
    "tweets": (Clusters, "brown-clusters/twitter_50mpaths2.txt.gz"),
    "glove": (Embeddings, "glove/glove.6B.100d.subset.f16.npz"),
}


def read_resources(setting: Setting, *names: str) -> dict[str, Any]:
    """Return resources by name."""
    return {name: _RESOURCES[name][0].read(folder(setting) / _RESOURCES[name][1]) for name in names}


def templates(*names: str) -> str:
    """Return the texts of template files, one after the other."""
    place = files("tagpool.experiments.templates")
    return "\n".join(place.joinpath(f"{name}.txt").read_text("utf-8") for name in names)


def folder(setting: Setting) -> Path:
    """Return the folder of the corpora; raise an error if it is not set."""
    if setting.data is None or not setting.data.is_dir():
        where = "is not set" if setting.data is None else f"names {setting.data}, which is no folder"
        raise InputError(f"this experiment needs the real corpora, and TAGPOOL_DATA {where}: set it, or give --data FOLDER")
    return setting.data


def conll2003(setting: Setting, scheme: str = "bioes") -> Split:
    """Return English names of CoNLL-2003, with labels in a scheme."""
    place = folder(setting) / "conll2003"
    parts = [_read(place / f"eng.{part}.gz", "word,pos,chunk,label") for part in ("train", "testa", "testb")]
    return _split(setting, *(in_scheme(part, scheme) for part in parts))


def wnut17(setting: Setting, scheme: str = "bioes") -> Split:
    """Return emerging names of WNUT-17."""
    place = folder(setting) / "wnut17"
    paths = [next(iter(sorted(place.glob(f"*{part}*"))), place / part) for part in ("train", "dev", "test")]
    parts = [_read(path, "word,label") for path in paths]
    return _split(setting, *(in_scheme(part, scheme) for part in parts))


def spanish(setting: Setting, scheme: str = "bioes") -> Split:
    """Return Spanish names of CoNLL-2002."""
    place = folder(setting) / "conll2002"
    parts = [_read(place / f"esp.{part}.gz", "word,pos,label") for part in ("train", "testa", "testb")]
    return _split(setting, *(in_scheme(part, scheme) for part in parts))


def gene_mentions(setting: Setting, scheme: str = "bioes") -> Split:
    """Return gene mentions of BioCreative II."""
    place = folder(setting) / "bc2gm"
    parts = [_read(place / f"{part}.tsv.gz", "word,label") for part in ("train", "devel", "test")]
    return _split(setting, *(in_scheme(part, scheme) for part in parts))


def conll2000(setting: Setting) -> Split:
    """Return chunks of CoNLL-2000; every tenth sentence of the training file is dev."""
    place = folder(setting) / "conll2000"
    train, test = (_read(place / f"{part}.txt.gz", "word,pos,label") for part in ("train", "test"))
    rest, held_out = ([i for i in range(len(train)) if (i % 10 == 9) == is_dev] for is_dev in (False, True))
    return _split(setting, train.select(rest), train.select(held_out), test)


def journal_split(setting: Setting) -> Split:
    """Return words of the Wall Street Journal with their tags: sections 0 to 18, 19 to 21 and 22 to 24."""
    split = _split(setting, *_journal(setting))
    # A subset of the training sentences may lack a rare tag; drop dev sentences with unknown tags.
    known = {label for sentence in split.train.labels for label in sentence}
    return replace(split, dev=split.dev.select([i for i, labels in enumerate(split.dev.labels) if known.issuperset(labels)]))


def journal(setting: Setting, without: Collection[int]) -> Corpus:
    """Return tagged words of the Wall Street Journal without some sections."""
    place = folder(setting) / "wsj-pos"
    corpus = concatenate(_journal(setting))
    rows = _read(place / "sections.tsv.gz", "section,sentences,tokens").column
    names, lengths = ([int(cell) for row in rows(name) for cell in row if cell != name] for name in ("section", "sentences"))
    sections = [name for name, length in zip(names, lengths, strict=True) for _ in range(length)]
    if len(sections) != len(corpus):
        raise InputError(f"{place}: the sections have {len(sections)} sentences, the files {len(corpus)}")
    chosen = [number for number, section in enumerate(sections) if section not in without]
    return corpus.select(chosen[: _QUICK[0]] if setting.quick else chosen)


def _journal(setting: Setting) -> list[Corpus]:
    place = folder(setting) / "wsj-pos"
    return [_read(place / f"{part}.tsv.gz", "word,label") for part in ("train_00-18", "dev_19-21", "test_22-24")]


def journal_parts(setting: Setting) -> tuple[Corpus, Corpus]:
    """Return the same words in two parts: sections 00 to 18, and 19 to 24."""
    train, *rest = _journal(setting)
    others = concatenate(rest)
    return (train[: _QUICK[0]], others[: _QUICK[1]]) if setting.quick else (train, others)


def handwriting(setting: Setting) -> tuple[Corpus, list[int]]:
    """Return handwritten words, one token per letter with pixels in the columns p0, p1, ...; and the fold of each word."""
    path = require_file(folder(setting) / "ocr-letters" / "letter.data.gz")
    rows = [line.split("\t") for line in read_lines(path)]
    for number, cells in enumerate(rows, 1):
        if len(cells) != 6 + PIXELS or not cells[5].isdigit():
            raise InputError(
                f"expected id, letter, next id, word, position, fold and {PIXELS} pixels, got {len(cells)} columns",
                source=str(path),
                line=number,
            )
    words = [list(letters) for _, letters in groupby(rows, key=lambda cells: cells[3])]
    folds = [int(word[0][5]) for word in words]
    columns = {f"p{pixel}": [[cells[6 + pixel] for cells in word] for word in words] for pixel in range(PIXELS)}
    corpus = Corpus.from_lists(**columns, label=[[cells[1] for cells in word] for word in words])
    step = _QUICK_PART if setting.quick else 1
    return corpus.select(range(0, len(words), step)), folds[::step]


def pronunciations(setting: Setting) -> list[tuple[str, list[str]]]:
    """Return words of letters only with their first pronunciation, without stress, in alphabetical order."""
    path = require_file(folder(setting) / "cmudict" / "cmudict-0.7a.txt.gz")
    phones: dict[str, list[str]] = {}
    for number, line in enumerate(read_lines(path), 1):
        word, *rest = line.split() or [""]
        if len(rest) < 2 or not rest[0].isdigit():
            raise InputError("expected a word, the number of the variant, and phones", source=str(path), line=number)
        if rest[0] == "1" and word.isalpha():
            phones[word] = [phone.rstrip("012") for phone in rest[1:]]
    return sorted(phones.items())


def newswire_clusters(setting: Setting) -> Clusters:
    """Return Brown clusters of the words of Reuters-21578; fewer in a quick run."""
    text = require_file(folder(setting) / "reuters21578" / "sentences.txt.gz")
    return Clusters.brown(text, k=_CLUSTERS[setting.quick], min_count=5)


def lowered(corpus: Corpus) -> Corpus:
    """Return the sentences in lower case."""
    words = [[word.lower() for word in sentence] for sentence in corpus.words]
    columns = {name: words if name == "word" else corpus.column(name) for name in corpus.columns}
    return Corpus.from_lists(**columns)


def only_type(corpus: Corpus, kind: str) -> Corpus:
    """Return the sentences with chunks of one type only."""
    labels = [[label if label[2:] == kind else "O" for label in sentence] for sentence in corpus.labels]
    return corpus.with_labels(labels)


def in_scheme(corpus: Corpus, scheme: str) -> Corpus:
    """Return the sentences with labels in a scheme."""
    labels, _ = convert_many(corpus.labels, detect(corpus.labels).scheme, scheme, repair=True)
    return corpus.with_labels(labels)


def _read(path: Path, columns: str) -> Corpus:
    return read_corpus(require_file(path), columns=columns)


def require_file(path: Path) -> Path:
    """Return a path; raise an error if there is no such file."""
    if not path.is_file():
        raise InputError(f"no file {path}: TAGPOOL_DATA must name the folder of the corpora")
    return path


def _split(setting: Setting, train: Corpus, dev: Corpus, test: Corpus) -> Split:
    if setting.quick:
        train, dev, test = train[: _QUICK[0]], dev[: _QUICK[1]], test[: _QUICK[1]]
    return Split(train, dev, test)
