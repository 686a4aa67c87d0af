"""Sentences with coloured spans; with gold labels, gold is above the words and the prediction below where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tagpool.corpus.schemes import Span, is_plain, spans
from tagpool.errors import InputError, check_type
from tagpool.views.colours import colour_class, number_colours
from tagpool.views.html import Html, element, fragment, join, text
from tagpool.wording import counted

_WIDEST = 4  # tokens
_NO_BREAK = "\u00a0"  # keeps a type on the line of the last word


class LabelledSpan(NamedTuple):
    """Tokens ``start`` to ``end`` (exclusive) with a type, and the confidence of the prediction if it is known."""

    start: int
    end: int
    type: str
    confidence: float | None = None


@dataclass(frozen=True)
class SentenceView:
    """A labelled sentence: ``words``, the ``predicted`` spans, and the ``gold`` spans if they are known.

    ``colours`` are the numbers of ``number_colours``. With ``anchors``, every token is a button with the attribute
    ``data-token``, the number of the token from 0 on.
    """

    words: Sequence[str]
    predicted: Sequence[LabelledSpan]
    gold: Sequence[LabelledSpan] | None = None
    colours: Mapping[str, int] | None = None
    anchors: bool = False

    def html(self) -> Html:
        """Return the sentence as a paragraph."""
        colours = self.colours
        if colours is None:
            colours = number_colours(span.type for side in (self.predicted, self.gold or ()) for span in side)
        return _Renderer(replace(self, colours=colours), colours).paragraph()

    def _repr_html_(self) -> str:
        return fragment(self.html())


def spans_of(labels: Sequence[str], *, plain: bool | None = None, outside: str | None = "O") -> list[Span]:
    """Return the spans of labels; a plain label is a span of one token. None for ``plain``: the labels decide.

    >>> spans_of(["DT", "NN"]), spans_of(["B-PER", "I-PER", "O"])
    ([Span(start=0, end=1, type='DT'), Span(start=1, end=2, type='NN')], [Span(start=0, end=2, type='PER')])
    """
    if plain is None:
        plain = is_plain({label: labels.count(label) for label in set(labels)})
    if not plain:
        return spans(labels)
    return [Span(place, place + 1, label) for place, label in enumerate(labels) if label != outside]


def show(
    words: Sequence[str],
    labels: Sequence[str],
    *,
    gold: Sequence[str] | None = None,
    probabilities: Sequence[float] | None = None,
) -> SentenceView:
    """Return a labelled sentence, which a notebook displays with coloured spans.

    ``gold`` are the right labels. ``probabilities`` has one number per token, that of its label; the confidence of a span is
    the smallest of its tokens.

    >>> view = show(["Ann", "left"], ["B-PER", "O"], probabilities=[0.75, 1.0])
    >>> view.predicted
    [LabelledSpan(start=0, end=1, type='PER', confidence=0.75)]
    >>> "75%" in view._repr_html_()
    True
    """
    words, labels = _texts(words, "words"), _texts(labels, "labels")
    gold = None if gold is None else _texts(gold, "gold labels")
    if probabilities is not None and hasattr(probabilities, "tolist"):
        probabilities = probabilities.tolist()  # of NumPy
    if probabilities is not None:
        check_type(probabilities, Sequence, "a list of probabilities")
    for what, row in (("label", labels), ("gold label", gold), ("probability", probabilities)):
        if row is not None and len(row) != len(words):
            plural = "probabilities" if what == "probability" else ""
            raise InputError(f"expected {counted(len(words), what, plural)}, one per word, got {len(row)}")
    every = [*labels, *(gold or ())]
    plain = is_plain({label: every.count(label) for label in set(every)})
    predicted = [LabelledSpan(*span, _least(probabilities, span)) for span in spans_of(labels, plain=plain)]
    right = None if gold is None else [LabelledSpan(*span) for span in spans_of(gold, plain=plain)]
    return SentenceView(words, predicted, right)


def _texts(values: Sequence[str], what: str) -> list[str]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InputError(f"expected a list of {what}, got {values!r}")
    for value in values:
        check_type(value, str, f"{what} as text")
    return list(values)


def _least(probabilities: Sequence[float] | None, span: Span) -> float | None:
    if probabilities is None:
        return None
    values = probabilities[span.start : span.end]
    for value in values:
        if not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise InputError(f"expected probabilities from 0 to 1, got {value!r}")
    return float(min(values))


class _Renderer:
    """Writes the pieces of a sentence: text, spans on which both sides agree, and stretches on which they differ."""

    def __init__(self, view: SentenceView, colours: Mapping[str, int]) -> None:
        self.view, self.colours = view, colours
        self.predicted = list(view.predicted)
        self.gold = self.predicted if view.gold is None else list(view.gold)
        ends = {(span.start, span.end, span.type) for span in self.gold}
        self.right = {span.start: span for span in self.predicted if span[:3] in ends}
        self.gold_at = _by_token(self.gold)
        self.predicted_at = _by_token(self.predicted)

    def paragraph(self) -> Html:
        pieces: list[Html] = []
        place = 0
        while place < len(self.view.words):
            span = self.right.get(place)
            if span is not None:
                pieces.append(self._agreed(span))
                place = span.end
            elif place in self.gold_at or place in self.predicted_at:
                cell, place = self._differing(place)
                pieces.append(cell)
            else:
                pieces.append(self._token(place))
                place += 1
        # The direction of the text follows from its first letter.
        return element("p", join(pieces, " "), class_="tp-s", dir="auto")

    def _agreed(self, span: LabelledSpan) -> Html:
        tokens = [self._token(place) for place in range(span.start, span.end)]
        tokens[-1] = join([tokens[-1], _tag(span)], _NO_BREAK)
        if self.view.anchors:  # a line may break at a button
            tokens[-1] = element("span", tokens[-1], class_="tp-j")
        return element("span", join(tokens, " "), class_=f"tp-e {colour_class(self.colours, span.type)}")

    def _differing(self, start: int) -> tuple[Html, int]:
        """Return a cell of tokens with the same gold span and the same predicted span, and the token after them."""
        gold, predicted = self.gold_at.get(start), self.predicted_at.get(start)
        end = start + 1
        # A cell does not wrap, so it is short.
        while end < min(len(self.view.words), start + _WIDEST) and (gold, predicted) == (
            self.gold_at.get(end),
            self.predicted_at.get(end),
        ):
            end += 1
        above, below = self._side(gold, start, end, "gold"), self._side(predicted, start, end, "predicted")
        words = join((self._token(place) for place in range(start, end)), " ")
        return element("span", above, element("span", words), below, class_="tp-t"), end

    def _side(self, span: LabelledSpan | None, start: int, end: int, side: str) -> Html:
        """Return the part above or below the words of a cell; the first cell of a span also names the side."""
        if span is None:
            return element("i")
        first, last = start == span.start, end == span.end
        classes = [colour_class(self.colours, span.type), *(["tp-a"] if first else []), *(["tp-z"] if last else [])]
        title = f"{side}: {span.type}" if first else None
        return element("i", _tag(span) if first else Html(""), class_=" ".join(classes), title=title)

    def _token(self, place: int) -> Html:
        word = text(self.view.words[place])
        if self.view.anchors:
            return element("button", word, type="button", class_="tp-w", data_token=place)
        return word


def _tag(span: LabelledSpan) -> Html:
    """Return the type of a span, with its confidence as a percentage."""
    confidence = "" if span.confidence is None else Html(f"{_NO_BREAK}<small>{100 * span.confidence:.0f}%</small>")
    return element("b", span.type or "span", confidence)


def _by_token(side: Sequence[LabelledSpan]) -> dict[int, LabelledSpan]:
    return {place: span for span in side for place in range(span.start, span.end)}
