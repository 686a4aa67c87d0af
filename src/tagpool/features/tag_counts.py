"""TagCounts: how often each word was seen with each tag, and the ambiguity classes that follow from it (Choi 2016)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import write_text
from tagpool.errors import InputError

SHARE = 0.2
TRAINING_MINIMUM = 5


class TagCounts:
    """Counts the tags of words, in labelled text and in text that a tagger has labelled.

    With ``simplify`` runs of digits are one 0, as ``ambiguity(classes, simplify(word))`` looks words up.

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
        """Counts sentences with their tags."""
        for sentence, labels in zip(words, tags, strict=True):
            for word, label in zip(sentence, labels, strict=True):
                form = word if self._simplify is None else self._form(word)
                self._counts.setdefault(form, Counter())[label] += 1

    def add_training(self, corpus: Corpus, *, min_count: int = TRAINING_MINIMUM) -> None:
        """Counts labelled text that a model is trained on: only words seen at least ``min_count`` times there.

        A word seen once would carry its own gold tag as a feature.
        """
        own = TagCounts(simplify=self._simplify is not None)
        own.add(corpus.words, corpus.labels)
        for word, counts in own._counts.items():
            if counts.total() >= min_count:
                self._counts.setdefault(word, Counter()).update(counts)

    def tags(self, *, share: float = SHARE, min_count: int = 1) -> dict[str, list[str]]:
        """The tags of each word that was seen ``min_count`` times, most frequent first, without those below a ``share``."""
        found: dict[str, list[str]] = {}
        for word, counts in self._counts.items():
            total = counts.total()
            ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
            kept = [tag for tag, count in ranked if count >= share * total]
            if kept and total >= min_count:
                found[word] = kept
        return found

    def write(self, path: str | Path, *, share: float = SHARE, min_count: int = 1) -> int:
        """Writes ``word TAB tags`` lines in the order of the words, as ``AmbiguityClasses.read`` reads them; returns how many."""
        found = self.tags(share=share, min_count=min_count)
        if not found:
            raise InputError(f"no word was seen {min_count:,} times with a tag that has a share of {share:g}")
        for tag in {tag for tags in found.values() for tag in tags}:
            if len(tag.split()) != 1:
                raise InputError(f"the tag {tag!r} has blanks, which stand between tags in a file of classes")
        write_text(path, "".join(f"{word}\t{' '.join(found[word])}\n" for word in sorted(found)))
        return len(found)

    def _form(self, word: str) -> str:
        form = self._forms.get(word)
        if form is None and self._simplify is not None:
            form = self._forms[word] = self._simplify.values(word)[0]
        return form or word
