"""Suggested sentences as records of annotation tools: text with character offsets, proposed spans and their probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tagpool.auditing.suggestions import Suggestion
from tagpool.corpus.annotations.json_writing import token_fields
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.text import blanks_of, texts

Record = dict[str, Any]


def suggestion_records(kind: str, corpus: Corpus, suggestions: Sequence[Suggestion], model: str) -> list[Record]:
    """Return one record per sentence in a form of ``SUGGESTION_FORMS``; ``model`` is the name of the model.

    >>> from tagpool.corpus.schemes import Span
    >>> corpus = Corpus.from_lists(word=[["Ann", "left"]])
    >>> suggestion = Suggestion(0, ["B-PER", "O"], [0.9, 1.0], [(Span(0, 1, "PER"), 0.8)], 0.1)
    >>> suggestion_records("prodigy", corpus, [suggestion], "ner")[0]["spans"]
    [{'start': 0, 'end': 3, 'token_start': 0, 'token_end': 0, 'label': 'PER', 'score': 0.8}]
    """
    part = corpus.select(one.sentence for one in suggestions)
    write = SUGGESTION_FORMS[kind]
    rows = zip(suggestions, part.words, blanks_of(part), texts(part), strict=True)
    return [write(_Text(one, words, blanks, text, model)) for one, words, blanks, text in rows]


class _Text:
    """A suggested sentence as text, with the places of its tokens."""

    def __init__(self, one: Suggestion, words: Sequence[str], blanks: Sequence[str], text: str, model: str) -> None:
        self.one, self.words, self.blanks, self.text, self.model = one, words, blanks, text, model
        self.starts: list[int] = []
        place = 0
        for word, blank in zip(words, blanks, strict=True):
            self.starts.append(place)
            place += len(word) + len(blank)

    def token_fields(self) -> Record:
        """Return the places of the tokens if they are not those of the text."""
        return token_fields(self.text, [(start, start + len(word)) for start, word in zip(self.starts, self.words, strict=True)])

    def places(self) -> list[tuple[int, int, str, float]]:
        """Return the spans with their first character, the one after the last, type and probability."""
        return [
            (self.starts[span.start], self.starts[span.end - 1] + len(self.words[span.end - 1]), span.type, score)
            for span, score in self.one.spans
        ]


def _tokens(text: _Text) -> Record:
    one = text.one
    return {"tokens": text.words, "labels": one.labels, "scores": one.scores, "expected_errors": one.expected_errors}


def _prodigy(text: _Text) -> Record:
    """Return a task; ``token_end`` is the last token of the span."""
    tokens = [
        {"text": word, "start": start, "end": start + len(word), "id": number, "ws": bool(blank)}
        for number, (word, blank, start) in enumerate(zip(text.words, text.blanks, text.starts, strict=True))
    ]
    spans = [
        {"start": start, "end": end, "token_start": span.start, "token_end": span.end - 1, "label": kind, "score": score}
        for (start, end, kind, score), (span, _) in zip(text.places(), text.one.spans, strict=True)
    ]
    meta = {"expected_errors": text.one.expected_errors, "model": text.model}
    return {"text": text.text, "tokens": tokens, "spans": spans, "score": _mean(text.one.scores), "meta": meta}


def _label_studio(text: _Text) -> Record:
    """Return a task with a prediction; the labelling configuration has ``<Labels name="label" toName="text">``."""
    result = [
        {
            "id": f"span{number}",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": start, "end": end, "text": text.text[start:end], "labels": [kind]},
            "score": score,
        }
        for number, (start, end, kind, score) in enumerate(text.places())
    ]
    prediction = {"model_version": text.model, "score": _mean(text.one.scores), "result": result}
    data = {"text": text.text} | text.token_fields()
    return {"data": data, "predictions": [prediction], "meta": {"expected_errors": text.one.expected_errors}}


def _doccano(text: _Text) -> Record:
    spans = [[start, end, kind] for start, end, kind, _ in text.places()]
    return {"text": text.text, "label": spans, "expected_errors": text.one.expected_errors} | text.token_fields()


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)


SUGGESTION_FORMS: dict[str, Callable[[_Text], Record]] = {
    "tokens": _tokens,
    "prodigy": _prodigy,
    "label-studio": _label_studio,
    "doccano": _doccano,
}
"""Forms of the records by name."""
