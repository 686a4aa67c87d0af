"""Tagging of items, and the results as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tagpool import _native
from tagpool.corpus.corpus import WORD, Corpus
from tagpool.corpus.faults import NameFaults
from tagpool.corpus.schemes import Span, spans
from tagpool.serve.forms import Form
from tagpool.serve.limits import invalid
from tagpool.serve.requests import Item
from tagpool.wording import counted

_DIGITS = 6  # of a probability


@dataclass(frozen=True)
class TaggedItem:
    """An item with the label of every token, the confidence of each label (if wanted), and spans in token numbers."""

    item: Item
    labels: list[str]
    confidences: list[float] | None
    spans: list[Span]

    def span_confidence(self, span: Span) -> float | None:
        """Return the smallest confidence of the tokens of a span."""
        return None if self.confidences is None else min(self.confidences[span.start : span.end])

    def to_dict(self) -> dict[str, Any]:
        """Return the item as a JSON value."""
        item = self.item
        result: dict[str, Any] = {"tokens": item.words, "offsets": item.places, "labels": self.labels}
        result["confidences"] = self.confidences
        result["spans"] = [
            {
                "start": (start := item.places[span.start][0]),
                "end": (end := item.places[span.end - 1][1]),
                "type": span.type,
                "text": item.text[start:end],
                "first_token": span.start,
                "last_token": span.end - 1,
                "confidence": self.span_confidence(span),
            }
            for span in self.spans
        ]
        return result


def tag_items(form: Form, items: Sequence[Item], *, confidence: bool) -> list[TaggedItem]:
    """Tag items with one call of the model.

    >>> from tagpool import CRF
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]]))
    >>> item = Item("Ann left", [(0, 3), (4, 8)], [{"word": ["Ann", "left"]}])
    >>> tag_items(Form(crf), [item], confidence=False)[0].spans
    [Span(start=0, end=1, type='PER')]
    """
    for item in items:
        check_columns(form, item)
    sentences = [sentence for item in items for sentence in item.sentences]
    if not sentences:
        return [TaggedItem(item, [], [] if confidence and form.has_probabilities else None, []) for item in items]
    labels, probabilities = form.tag(build_corpus(form, items), confidence=confidence)
    results = []
    number = 0
    for item in items:
        rows = range(number, number + len(item.sentences))
        number = rows.stop
        results.append(
            TaggedItem(
                item,
                [label for row in rows for label in labels[row]],
                None if probabilities is None else [round(one, _DIGITS) for row in rows for one in probabilities[row]],
                [] if form.is_plain else _shifted_spans([labels[row] for row in rows]),
            )
        )
    return results


def build_corpus(form: Form, items: Sequence[Item]) -> Corpus:
    """Return the corpus of items; each is a document if the model reads documents."""
    sentences = [sentence for item in items for sentence in item.sentences]
    names = dict.fromkeys((WORD, *form.columns))
    starts: list[int] = []
    if form.by_document:
        number = 0
        for item in items:
            if item.sentences:
                starts.append(number)
            number += len(item.sentences)
    rows = [tuple(sentence[name] for name in names) for sentence in sentences]
    # Requests have lists of strings only, which Corpus.from_columns would check again.
    with NameFaults(purpose="build the corpus"):
        return Corpus(_native.Columns.from_lists(list(names), rows, starts, []))


def check_columns(form: Form, item: Item) -> None:
    """Raise an error that says which columns to send if the model reads columns that the item does not have."""
    for sentence in item.sentences:
        missing = [name for name in form.columns if name not in sentence]
        if missing:
            first = item.sentences[0][WORD][0]
            example = ", ".join(f'"{name}": ["..."]' for name in missing)
            raise invalid(
                f"the model reads {counted(len(missing), 'further column')}: {', '.join(missing)}; "
                f'send "tokens" with "columns", one value per token, such as '
                f'{{"tokens": ["{first[:40]}"], "columns": {{{example}}}}}'
            )


def _shifted_spans(sentences: Sequence[list[str]]) -> list[Span]:
    """Return the spans of sentences, with tokens counted over all of them."""
    result: list[Span] = []
    offset = 0
    for labels in sentences:
        result += [Span(span.start + offset, span.end + offset, span.type) for span in spans(labels)]
        offset += len(labels)
    return result
