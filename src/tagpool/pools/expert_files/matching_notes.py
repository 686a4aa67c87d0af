"""Messages on the matching of annotations to sentences, and errors if too few of them match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tagpool.corpus.annotations.annotation import Annotation
from tagpool.errors import InputError
from tagpool.pools.expert_files.matching import Matches, match_annotations
from tagpool.wording import counted


@dataclass(frozen=True)
class Reference:
    """Sentences that a file is matched to. ``expected`` are the numbers of those that every expert should have.

    ``name`` is that of their file in messages.
    """

    sentences: Sequence[Sequence[str]]
    expected: Sequence[int]
    name: str

    def match(self, annotations: Sequence[Annotation]) -> Matches:
        """Match annotations by their text; records without a text by their number."""
        nameless = next((one for one in annotations if not one.has_text), None)
        if nameless is None:
            return match_annotations(annotations, self.sentences)
        if not self.expected:
            message = "the first expert needs the text of its records, if there are no gold sentences"
            advice = 'add it, as {"text": ..., "entities": [...]}, or name another expert first'
            raise InputError(f"{message}; {advice}", source=nameless.source, line=nameless.line)
        if len(annotations) != len(self.expected):
            message = (
                f"records without a text need one record per sentence: {self.name} has {counted(len(self.expected), 'sentence')}"
            )
            advice = 'add the text to every record, as {"text": ..., "entities": [...]}'
            raise InputError(
                f"{message}, the file {counted(len(annotations), 'record')}; {advice}", source=nameless.source, line=nameless.line
            )
        for number, one in zip(self.expected, annotations, strict=True):
            if not one.has_text:
                one.add_text(" ".join(self.sentences[number]))
        return Matches(list(zip(self.expected, annotations, strict=True)))

    def check(self, matches: Matches, is_crowd: bool) -> None:
        """Raise an error if no sentence matches, or most sentences of both sides do not; annotators of a crowd have few."""
        expected = set(self.expected)
        matched = len(expected.intersection(matches.numbers))
        others = len(matches.extra)
        if not expected or (matched and is_crowd) or (matched and (2 * matched >= len(expected) or matched >= others)):
            return
        if not matches.extra:
            return  # all sentences match others that an expert has added
        first = matches.extra[0]
        ours, theirs = (_beginning(words) for words in (first.tokens, self.sentences[self.expected[0]]))
        amount = f"{matched:,} of {counted(len(expected), 'sentence')}"
        raise InputError(
            f"only {amount} of {self.name} are here, and {counted(others, 'other')}; this one begins {ours!r}, the first of "
            f"{self.name} {theirs!r}; give the labels of the same sentences, with the same words or text",
            source=first.source,
            line=first.token_line(0),
        )

    def describe(self, path: str, annotations: Sequence[Annotation], matches: Matches, extended: bool) -> list[str]:
        """Return notes on sentences that are missing, more, changed or in another order, and on names that are not in a text."""
        notes = [note for one in annotations for note in one.notes]
        lost = [(one, name) for one in annotations for name in one.not_located]
        if lost:
            amount = counted(len(lost), "named entity", "named entities")
            reason = f"{lost[0][1]!r} is not in the text, or only inside another entity"
            notes.append(lost[0][0].at(f"{reason}; {amount} of {path} ignored for this reason"))
        for number, one in matches.changed[:1]:
            place = next(i for i, (a, b) in enumerate(zip(one.tokens, self.sentences[number], strict=True)) if a != b)
            words = f"the word is {one.tokens[place]!r}, in {self.name} {self.sentences[number][place]!r}"
            notes.append(one.at(f"{words}; check that the sentences are the same", one.token_line(place)))
        missing = len(set(self.expected).difference(matches.numbers))
        facts = []
        if missing:
            total = counted(len(self.expected), "sentence")
            advice = ", which are more than half; check that the file is complete" if 2 * missing > len(self.expected) else ""
            facts.append(f"{missing:,} of {total} of {self.name} have no labels here: the expert is missing for them{advice}")
        if matches.extra and self.expected:
            line = matches.extra[0].token_line(0)
            use = "which is normal: they are used without gold labels" if extended else "ignored"
            facts.append(f"{counted(len(matches.extra), 'sentence')} not in {self.name} (the first in line {line}), {use}")
        if not matches.in_order and self.expected:
            facts.append(f"the sentences are in another order than in {self.name}: matched by their text")
        return [*notes, *([f"{path}: {'; '.join(facts)}"] if facts else [])]


def _beginning(words: Sequence[str]) -> str:
    return " ".join(words[:6])[:60]
