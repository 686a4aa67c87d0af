"""CorpusFacts: what a training must know of a corpus before it is encoded, counted in blocks."""

from __future__ import annotations

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.features.automatic import FEW_VALUES, SCRIPT_WORDS


class CorpusFacts:
    """Numbers of sentences and tokens, and the first distinct values of each column.

    >>> facts = CorpusFacts()
    >>> facts.add(Corpus.from_lists(word=[["Ann", "left", "Ann"]], label=[["PER", "O", "PER"]]))
    >>> facts.tokens, facts.sample().words
    (3, [['Ann', 'left']])
    """

    def __init__(self) -> None:
        self.sentences = self.tokens = 0
        self.source: str | None = None
        self.label_column: str | None = None
        self._values: dict[str, dict[str, None]] = {}

    def add(self, corpus: Corpus) -> None:
        """Count the next block."""
        if not self._values:
            self._values = {name: {} for name in corpus.columns}
            self.source, self.label_column = corpus.source, corpus.label_column
        self.sentences += len(corpus)
        self.tokens += corpus.token_count
        for name, values in self._values.items():
            most = None if name == self.label_column else SCRIPT_WORDS if name == WORD else FEW_VALUES + 1
            if most is None or len(values) < most:
                strings = corpus.strings(name)
                values.update(dict.fromkeys(strings[number] for number in corpus.native.distinct(name)))

    def sample(self) -> Corpus:
        """Return a sentence with these values, in order of occurrence. Templates chosen for it are those for the corpus."""
        longest = max(map(len, self._values.values()))
        columns = {
            name: [[*values, *[next(reversed(values))] * (longest - len(values))]] for name, values in self._values.items()
        }
        return Corpus.from_columns(columns, label_column=self.label_column, source=self.source)
