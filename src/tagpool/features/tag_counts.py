"""TagCounts: counts of words with tags, and the ambiguity classes derived from them (Choi 2016)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import write_text
from tagpool.corpus.rows import as_rows
from tagpool.errors import InputError, check_type
from tagpool.wording import counted

SHARE = 0.2
TRAINING_MINIMUM = 5


class TagCounts:
    """Counts of the tags of words, in labelled text and in text that a tagger has labelled.

    ``simplify`` replaces runs of digits by one 0, as ``ambiguity(classes, simplify(word))`` looks words up.

    >>> counts = TagCounts()
    >>> counts.add([["to", "run"]] * 8 + [["a", "run"]] * 3, [["TO", "VB"]] * 8 + [["DT", "NN"]] * 3)
    >>> counts.tags()["run"]
    ['VB', 'NN']
    """

    def __init__(self, *, simplify: bool = False) -> None:
        self._simplify = _native.WordFunction([_native.Step("simplify")]) if simplify else None
        self._counts: dict[str, Counter[str]] = {}
        self._forms: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def add(self, words: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> None:
        """Count the tags of sentences."""
        words, tags = as_rows(words), as_rows(tags, "tags")
        for sentence, labels in zip(words, tags, strict=True):
            check_type(sentence, Sequence, "a list of words for each sentence")
            check_type(labels, Sequence, "a list of tags for each sentence")
            for word, label in zip(sentence, labels, strict=True):
                form = word if self._simplify is None else self._form(word, self._simplify)
                self._counts.setdefault(form, Counter())[label] += 1

    def add_training(self, corpus: Corpus, *, min_count: int = TRAINING_MINIMUM) -> None:
        """Count the training text of a model: only words that occur at least ``min_count`` times.

        A single occurrence would make the gold tag a feature.
        """
        check_type(corpus, Corpus, "a Corpus; make one with read_corpus(path) or Corpus.from_lists(word=...)")
        counted = TagCounts(simplify=self._simplify is not None)
        counted.add(corpus.words, corpus.labels)
        for word, counts in counted._counts.items():
            if counts.total() >= min_count:
                self._counts.setdefault(word, Counter()).update(counts)

    def tags(self, *, share: float = SHARE, min_count: int = 1) -> dict[str, list[str]]:
        """Return the tags of words with ``min_count`` occurrences, most frequent first, without tags below ``share``."""
        tags_of: dict[str, list[str]] = {}
        for word, counts in self._counts.items():
            for text in (word, *counts):  # not in add, which is called for every token
                check_type(text, str, "words and tags as text")
            total = counts.total()
            frequent = [tag for tag, count in counts.items() if count >= share * total]
            if frequent and total >= min_count:
                tags_of[word] = sorted(frequent, key=lambda tag: (-counts[tag], tag))
        return tags_of

    def write(self, path: str | Path, *, share: float = SHARE, min_count: int = 1) -> int:
        """Write ``word TAB tags`` lines, sorted by word, for ``AmbiguityClasses.read``; return their number."""
        tags_of = self.tags(share=share, min_count=min_count)
        if not tags_of:
            raise InputError(f"no word occurs {counted(min_count, 'time')} with a tag that has a share of {share:g}")
        for tag in {tag for tags in tags_of.values() for tag in tags}:
            if len(tag.split()) != 1:
                raise InputError(f"the tag {tag!r} has blanks, which separate tags in a file of classes")
        write_text(path, "".join(f"{word}\t{' '.join(tags_of[word])}\n" for word in sorted(tags_of)))
        return len(tags_of)

    def _form(self, word: str, simplify: _native.WordFunction) -> str:
        if word not in self._forms:
            self._forms[word] = simplify.values(word)[0]
        return self._forms[word]
