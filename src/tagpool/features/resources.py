"""Resources of templates: gazetteers, clusters and ambiguity classes. Embeddings are in ``embeddings.py``.

Readers support common formats, ``.gz`` or not. The native core has the only copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import STANDARD_STREAM, check_path, read_lines, write_text
from tagpool.errors import InputError, ResourceError, check_type
from tagpool.features.brown import Text, brown_rows
from tagpool.features.tag_counts import SHARE, TRAINING_MINIMUM, TagCounts
from tagpool.wording import counted

Lexicon = _native.WordLexicon | _native.PhraseLexicon | _native.VectorLexicon

_Classes = TypeVar("_Classes", bound="WordClasses")
_Fail = Callable[[str], ResourceError]
_SUFFIXES = (".gz", ".txt", ".lst", ".list", ".tsv")


def _lines(path: str | Path) -> list[str]:
    try:
        return read_lines(path)
    except InputError as error:
        raise ResourceError(error.message, source=error.source, line=error.line) from None


def _list_name(path: Path) -> str:
    name = path.name
    while name.endswith(_SUFFIXES) and "." in name[1:]:
        name = name.rsplit(".", 1)[0]
    return name


def as_text(text: object) -> str:
    """Return the text; raise an error unless it is a string without lone surrogates."""
    if not isinstance(text, str):
        raise ResourceError(f"expected text (str), got {type(text).__name__}: {str(text)[:40]}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ResourceError(f"{text!r}: expected text, got a lone surrogate") from None
    return text


class Gazetteer:
    """Named lists of phrases.

    A file is one list with the name of the file and one phrase per line; in a ``.tsv`` file each phrase is followed by a tab and
    the name of its list. A folder means all its files except hidden ones. Phrases are split at blanks and matched word by word.

    >>> gazetteer = Gazetteer({"cities": ["New York", "Oslo"]})
    >>> len(gazetteer), gazetteer.lists
    (2, ('cities',))
    """

    kind: ClassVar[str] = "gazetteer"

    def __init__(self, lists: Mapping[str, Iterable[str]]) -> None:
        advice = "give each list a name, such as {'cities': ['Oslo', 'New York']}, or read a file with Gazetteer.read(path)"
        check_type(lists, Mapping, f"a dict of lists of phrases; {advice}", ResourceError)
        for name, phrases in lists.items():
            if isinstance(phrases, str) or not isinstance(phrases, Iterable):
                got = "one string" if isinstance(phrases, str) else type(phrases).__name__
                raise ResourceError(f"{as_text(name)!r}: expected a list of phrases, got {got}")
        self._texts = {as_text(name): "\n".join(map(as_text, phrases)).encode() for name, phrases in lists.items()}
        if not any(text.strip() for text in self._texts.values()):
            raise ResourceError("the gazetteer has no phrases")
        self._native: dict[str, _native.PhraseLexicon] = {}
        self.from_file = False

    def __reduce__(self) -> tuple[object, ...]:
        return Gazetteer, ({name: text.decode().split("\n") for name, text in self._texts.items()},)

    @classmethod
    def read(cls, path: str | Path) -> Gazetteer:
        """Read a file or a folder."""
        check_path(path)
        root = Path(path)
        lists: dict[str, list[str]] = {}
        for file in _visible_files(root) if root.is_dir() else [root]:
            lines = _lines(file)
            empty = next((number for number, line in enumerate(lines, 1) if not line.strip()), None)
            if empty is not None and any(map(str.strip, lines)):  # a sign of a damaged file
                raise ResourceError("expected a phrase, got an empty line; remove it", source=file, line=empty)
            if ".tsv" not in file.suffixes[-2:]:
                lists.setdefault(_list_name(file), []).extend(lines)
                continue
            for number, line in enumerate(lines, 1):
                phrase, tab, name = line.rpartition("\t")
                if not tab or not name.strip():
                    raise ResourceError("expected a phrase, a tab and the name of its list", source=file, line=number)
                lists.setdefault(name.strip(), []).append(phrase)
        if not any(phrase.strip() for phrases in lists.values() for phrase in phrases):
            raise ResourceError("the gazetteer has no phrases", source=root)
        gazetteer = cls(lists)
        gazetteer.from_file = str(path) != STANDARD_STREAM
        return gazetteer

    @property
    def lists(self) -> tuple[str, ...]:
        """Names of the lists."""
        return tuple(self._texts)

    def __len__(self) -> int:
        return self.phrases("", _native.WordFunction([])).phrase_count

    @property
    def lexicons(self) -> list[Lexicon]:
        """Native lexicons of this resource."""
        return list(self._native.values())

    def phrases(self, key: str | None, function: _native.WordFunction) -> _native.PhraseLexicon:
        """Return the phrases with a function applied to each word, as it is applied to tokens.

        ``key`` identifies the function for caching; None disables it.
        """
        lexicon = self._native.get(key) if key is not None else None
        if lexicon is None:
            lexicon = _native.PhraseLexicon()
            for name, text in self._texts.items():
                lexicon.add_list(name, text, function)
            if key is not None:
                self._native[key] = lexicon
        return lexicon


def _visible_files(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(path for path in files if not any(part.startswith(".") for part in path.relative_to(folder).parts))


class WordClasses:
    """One class per word; base of clusters and ambiguity classes."""

    kind: ClassVar[str] = ""

    def __init__(self, classes: Mapping[str, str]) -> None:
        advice = f"write it as {{'word': 'class'}}, or read a file with {type(self).__name__}.read(path)"
        check_type(classes, Mapping, f"a dict of words and their classes; {advice}", ResourceError)
        self.from_file = False
        self.native = _native.WordLexicon()
        for word, value in classes.items():
            self.native.add(as_text(word), as_text(value))
        if not len(self.native):
            raise ResourceError(f"no words: the {self.kind} resource is empty")

    def __len__(self) -> int:
        return len(self.native)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (dict(self.native.items()),)

    @classmethod
    def _read(cls: type[_Classes], path: str | Path, parse: Callable[[str, _Fail], tuple[str, str]]) -> _Classes:
        """Read a file; ``parse`` returns the word and the class of a line. The first line of a word counts."""
        classes: dict[str, str] = {}
        for number, line in enumerate(_lines(path), 1):
            if line.strip():
                classes.setdefault(*parse(line, partial(ResourceError, source=path, line=number)))
        if not classes:
            raise ResourceError(f"expected lines of {cls.kind}, got none: the file is empty", source=path)
        resource = cls(classes)
        resource.from_file = str(path) != STANDARD_STREAM
        return resource

    @property
    def lexicons(self) -> list[Lexicon]:
        """Native lexicons of this resource."""
        return [self.native]

    def get(self, word: str) -> str | None:
        """Return the class of a word, or None."""
        return self.native.value(word)


class Clusters(WordClasses):
    """Brown clusters: a bit string for each word. Words with a long common prefix are similar.

    ``counts`` has the number of occurrences of each word, if it is known.

    >>> Clusters({"London": "0110", "Paris": "0110"}).get("Paris")
    '0110'
    """

    kind: ClassVar[str] = "cluster"

    def __init__(self, classes: Mapping[str, str], counts: Mapping[str, int] | None = None) -> None:
        super().__init__(classes)
        self.counts = dict(counts or {})

    def __reduce__(self) -> tuple[object, ...]:
        return Clusters, (dict(self.native.items()), self.counts)

    @classmethod
    def brown(
        cls,
        text: Text,
        *,
        k: int = 1000,
        min_count: int = 1,
        simplify: bool = False,
        lower: bool = False,
        encoding: str = "utf-8",
        on_step: Callable[[int, int], object] | None = None,
    ) -> Clusters:
        """Cluster the words of a text into ``k`` clusters.

        ``text`` is a file of tokenised text, one sentence per line with blanks between words (``.gz`` or not, ``-`` for standard
        input); a list of files; a :class:`Corpus`; or lists of words. Words that occur fewer than ``min_count`` times get no
        cluster. ``simplify`` replaces runs of digits by one 0, ``lower`` lowercases: look words up in the same way, as in
        ``cluster(brown, simplify(word))``. ``on_step`` is called with the steps done and their total. The order of the
        sentences does not matter.

        >>> text = [f"{the} cat sees {the} dog sees {the} cat".split() for the in ("a", "the")]
        >>> clusters = Clusters.brown(text, k=3)
        >>> {word: clusters.get(word) for word in sorted(clusters.counts)}
        {'a': '11', 'cat': '0', 'dog': '0', 'sees': '10', 'the': '11'}
        """
        steps = [_native.Step(name) for name, chosen in (("simplify", simplify), ("lower", lower)) if chosen]
        rows = brown_rows(text, k, min_count, _native.WordFunction(steps), encoding, on_step)
        return cls({word: bits for bits, word, _ in rows}, {word: count for _, word, count in rows})

    @classmethod
    def read(cls, path: str | Path) -> Clusters:
        """Read ``bits TAB word [TAB count]`` lines; :meth:`brown` makes clusters from text."""

        def parse(line: str, fail: _Fail) -> tuple[str, str]:
            bits, *others = line.split("\t")
            if len(others) not in (1, 2):
                raise fail(f"expected bits TAB word [TAB count], got {counted(len(others) + 1, 'column')}")
            if not bits or bits.strip("01"):
                raise fail(f"expected a bit string such as 0110, got {bits[:40]!r}")
            return others[0], bits

        return cls._read(path, parse)

    def write(self, path: str | Path) -> None:
        """Write ``bits TAB word TAB count`` lines (without counts if they are unknown); ``.gz`` is compressed."""
        bits = dict(self.native.items())
        ends = {word: f"\t{count}" for word, count in self.counts.items()}
        write_text(path, "".join(f"{bits[word]}\t{word}{ends.get(word, '')}\n" for word in self.counts or bits))

    @property
    def cluster_count(self) -> int:
        """Number of clusters."""
        return len({bits for _, bits in self.native.items()})


class AmbiguityClasses(WordClasses):
    """Possible tags of words, joined by ``_``.

    >>> corpus = Corpus.from_lists(word=[["to", "run"]] * 5, label=[["TO", "VB"]] * 3 + [["TO", "NN"]] * 2)
    >>> AmbiguityClasses.from_corpus(corpus).get("run")
    'VB_NN'
    """

    kind: ClassVar[str] = "ambiguity"

    @classmethod
    def read(cls, path: str | Path) -> AmbiguityClasses:
        """Read ``word TAB tags`` lines, the tags separated by blanks, the most frequent first."""

        def parse(line: str, fail: _Fail) -> tuple[str, str]:
            word, _, tags = line.partition("\t")
            if not word or not tags.strip():
                raise fail(f"expected word TAB tags, got {line[:60]!r}")
            return word, "_".join(tags.split())

        return cls._read(path, parse)

    @classmethod
    def from_corpus(cls, corpus: Corpus, *, min_count: int = TRAINING_MINIMUM, share: float = SHARE) -> AmbiguityClasses:
        """Return the tags of each word in labelled text, most frequent first.

        Words with fewer than ``min_count`` occurrences get no class: a single occurrence would make the gold tag a feature. A
        tag with less than ``share`` of a word's occurrences is dropped.
        """
        counts = TagCounts()
        counts.add_training(corpus, min_count=min_count)
        return cls.from_counts(counts, share=share)

    @classmethod
    def from_counts(cls, counts: TagCounts, *, share: float = SHARE, min_count: int = 1) -> AmbiguityClasses:
        """Return the tags of counted words; see :class:`TagCounts`."""
        check_type(counts, TagCounts, "TagCounts; for a corpus, use AmbiguityClasses.from_corpus(corpus)")
        return cls({word: "_".join(tags) for word, tags in counts.tags(share=share, min_count=min_count).items()})
