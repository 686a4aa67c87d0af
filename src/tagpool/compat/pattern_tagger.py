"""PatternTagger: a CRF on the observations of a Wapiti pattern file, which is written as a text model of Wapiti."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tagpool.compat.conversion import from_expert
from tagpool.compat.wapiti.patterns import Rows, attributes_of, parse_wapiti_patterns
from tagpool.corpus.files import write_bytes
from tagpool.errors import InputError
from tagpool.experts.linear.crf import CRF


class PatternTagger:
    """A tagger of rows of columns, whose features are the observations of Wapiti's patterns.

    Args:
        patterns: The text of a pattern file. A line ``b`` is the only one that may begin with ``b`` or ``*``.
        crf: The learner (default: ``CRF(inner_scheme="same")``); its transitions are those of ``b``.

    >>> rows, labels = [[["Ann", "X"], ["left", "x"]]] * 3, [["PER", "O"]] * 3
    >>> tagger = PatternTagger("u:word=%x[0,0]\\nu:before=%x[-1,1]\\nb").fit(rows, labels)
    >>> tagger.predict([[["Ann", "X"], ["Ann", "X"]]])
    [['PER', 'O']]
    """

    def __init__(self, patterns: str, crf: CRF | None = None) -> None:
        lines = [line.split("#")[0].rstrip() for line in patterns.removeprefix("\ufeff").split("\n")]
        self.lines = [line[0].lower() + line[1:] for line in lines if line]
        self.crf = CRF(inner_scheme="same") if crf is None else crf
        parsed = parse_wapiti_patterns("\n".join(self.lines))
        self._unary = [pattern for pattern, line in zip(parsed, self.lines, strict=True) if line[0] == "u"]
        for line in self.lines:
            if line[0] != "u" and line != "b":
                raise InputError(f"pattern {line!r}: its weights depend on label bigrams; use u, and one line b")

    def fit(self, rows: Sequence[Rows], labels: Sequence[Sequence[str]]) -> PatternTagger:
        """Train on sentences, each a row of columns per token, with their labels."""
        self.crf.fit([attributes_of(self._unary, sentence) for sentence in rows], labels)
        return self

    def predict(self, rows: Sequence[Rows]) -> list[list[str]]:
        """Return the best labels of sentences."""
        return self.crf.predict([attributes_of(self._unary, sentence) for sentence in rows])

    def save(self, path: str | Path) -> None:
        """Write a text model that ``wapiti label -m`` reads; it has the same labels."""
        lines = self.lines if "b" in self.lines else [*self.lines, "b"]
        write_bytes(path, from_expert(self.crf).to_wapiti(lines).encode("utf-8", "surrogateescape"))
