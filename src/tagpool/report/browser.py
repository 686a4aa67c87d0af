"""The error browser: every sentence with an error, as HTML with the data that ``browser.js`` filters and exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tagpool.report.error_kinds import KINDS, SpanError
from tagpool.report.figures import Evaluation
from tagpool.report.members import describe_span, votes_for
from tagpool.report.reasons import MOST, Reasons, reasons_of
from tagpool.report.systems import span_confidence
from tagpool.views.explanation import evidence_table, vote_table
from tagpool.views.html import Html, element, inline_json, join
from tagpool.views.sentence import LabelledSpan, SentenceView, spans_of

_TOP = 5  # features of an error
_LABEL = 40  # letters of a span in the heading of its reason


@dataclass(frozen=True)
class ErrorBrowser:
    """The HTML of the browser, its data for JavaScript, and the number of sentences that were left out."""

    html: Html
    data: dict[str, Any]
    left_out: int


@dataclass(frozen=True)
class _Item:
    """A sentence with errors."""

    html: Html
    record: list[Any]
    size: int


def build_browser(evaluation: Evaluation, others: Sequence[Evaluation], colours: Mapping[str, int], *, room: int) -> ErrorBrowser:
    """Return the browser of a system in at most ``room`` bytes; ``others`` are compared systems.

    If the room is too small, the sentences with the least confident errors are left out, or the last ones without confidence.
    """
    builder = _Builder(evaluation, others, colours)
    items: list[_Item] = []
    left = room - len(_controls(evaluation, others, builder.types).encode())
    order = sorted(evaluation.errors, key=lambda number: (-(builder.confidence(number) or 0.0), number))
    for number in order:
        item = builder.item(number)
        left -= item.size
        if left < 0:
            break
        items.append(item)
    items.sort(key=lambda item: item.record[0])
    data = {
        "labels": builder.label_names,
        "types": builder.types,
        "others": [other.system.name for other in others],
        "kinds": list(KINDS),
        "items": [item.record for item in items],
    }
    left_out = len(order) - len(items)
    listed = element("div", *(item.html for item in items), id="tp-list")
    return ErrorBrowser(join([_controls(evaluation, others, builder.types), listed]), data, left_out)


class _Builder:
    def __init__(self, evaluation: Evaluation, others: Sequence[Evaluation], colours: Mapping[str, int]) -> None:
        self.evaluation, self.others, self.colours = evaluation, others, colours
        self.system = evaluation.system
        self.label_numbers = {label: number for number, label in enumerate(evaluation.alignment.labels)}
        self.label_names = list(evaluation.alignment.labels)
        self.types = sorted(evaluation.counts.types)
        self.type_numbers = {kind: number for number, kind in enumerate(self.types)}
        self.kind_numbers = {kind: number for number, kind in enumerate(KINDS)}
        self.reasons: Reasons | None = reasons_of(self.system, evaluation.corpus)
        self.explained = 0

    def confidence(self, number: int) -> float | None:
        """Return the confidence of the most confident error of a sentence."""
        values = [span_confidence(self.system, number, *_place(error)) for error in self.evaluation.errors[number]]
        return max((value for value in values if value is not None), default=None)

    def item(self, number: int) -> _Item:
        errors = self.evaluation.errors[number]
        words, gold, predicted = (rows[number] for rows in (self.evaluation.words, self.evaluation.gold, self.system.labels))
        confidence = self.confidence(number)
        counts = Counter(error.kind for error in errors)
        badges = [element("span", f"{kind}{f' ×{count}' if count > 1 else ''}", class_="tp-k") for kind, count in counts.items()]
        link = element("a", f"sentence {number + 1}", href=f"#n={number + 1}")
        sure = [] if confidence is None else [element("span", f"{100 * confidence:.0f}% confident", class_="tp-soft")]
        heading = element("div", join([link, *badges, *sure], " "), class_="tp-head")
        view = self._view(number, words, gold, predicted)
        whys = [self._why(number, error, words) for error in errors]
        html = element("article", heading, view.html(), *whys, tabindex="-1")
        right = [at for at, other in enumerate(self.others) if number not in other.errors]
        record = [
            number,
            sorted({self.kind_numbers[kind] for kind in counts}),
            sorted({self.type_numbers[span.type] for error in errors for span in (error.gold, error.predicted) if span}),
            None if confidence is None else round(confidence, 3),
            right,
            words,
            [self.label_numbers[label] for label in gold],
            [self.label_numbers[label] for label in predicted],
        ]
        return _Item(html, record, len(html.encode()) + len(inline_json(record).encode()) + 1)

    def _view(self, number: int, words: Sequence[str], gold: Sequence[str], predicted: Sequence[str]) -> SentenceView:
        plain = self.evaluation.plain
        sides = [spans_of(row, plain=plain) for row in (gold, predicted)]
        if plain:  # every token has a label; those of the right ones would hide the errors
            sides = [[span for span in side if gold[span.start] != predicted[span.start]] for side in sides]
        below = [LabelledSpan(*span, span_confidence(self.system, number, span.start, span.end)) for span in sides[1]]
        return SentenceView(words, below, [LabelledSpan(*span) for span in sides[0]], self.colours)

    def _why(self, number: int, error: SpanError, words: Sequence[str]) -> Html:
        label, instead = (_heading(error, span, words) for span in (error.predicted, error.gold))
        parts = []
        if self.reasons is not None and self.explained < MOST:
            evidence = self.reasons(number, error)
            self.explained += 1
            if evidence is None:
                parts.append(element("p", "The model does not know the gold label.", class_="tp-soft"))
            else:
                parts.append(evidence_table(evidence, label=label, instead=instead, top=_TOP))
        if self.system.members:
            votes = votes_for(self.system, number, error, words, plain=self.evaluation.plain)
            parts.append(vote_table(votes, label=describe_span(error.predicted, words), gold=describe_span(error.gold, words)))
        if not parts:
            return Html("")
        summary = element("summary", f"{error.kind}: why {label}, not {instead}?")
        return element("details", summary, *parts)


def _heading(error: SpanError, span: Any, words: Sequence[str]) -> str:
    """Return the name of a side of an error: the type, with the words if both sides have it."""
    if span is None:
        return "no span"
    same = error.gold is not None and error.predicted is not None and error.gold.type == error.predicted.type
    text = describe_span(span, words)
    return text if same or error.kind in ("missed", "spurious", "both") else f"{span.type}"


def _place(error: SpanError) -> tuple[int, int]:
    span = error.predicted or error.gold
    assert span is not None
    return span.start, span.end


def _controls(evaluation: Evaluation, others: Sequence[Evaluation], types: Sequence[str]) -> Html:
    """Return the filters; ``browser.js`` fills in the counts."""
    boxes = [
        element(
            "label",
            element("input", type="checkbox", name="k", value=kind, checked=True),
            f" {kind} ",
            element("span", class_="tp-soft", data_count=kind),
            title=meaning,
        )
        for kind, meaning in KINDS.items()
        if evaluation.error_counts()[kind]
    ]
    kinds = element("fieldset", element("legend", "kind of error"), *boxes)
    options = [element("option", "every type", value=""), *(element("option", kind, value=kind) for kind in types)]
    chosen = element("label", "type ", element("select", *options, name="t"))
    orders = {"": "order of the text", "high": "most confident first", "low": "least confident first"}
    if evaluation.system.probabilities is None:
        orders = {"": "order of the text"}
    sort = element(
        "label", "sort ", element("select", *(element("option", text, value=key) for key, text in orders.items()), name="s")
    )
    search = element(
        "label", "search ", element("input", type="search", name="q", autocomplete="off", placeholder="word or feature")
    )
    parts = [chosen, sort, search]
    if others:
        names = [other.system.name for other in others]
        choices = [element("option", "any", value="")]
        for number, name in enumerate(names):
            choices.append(element("option", f"right in {name}", value=f"right{number}"))
            choices.append(element("option", f"wrong in {name}, too", value=f"wrong{number}"))
        parts.append(element("label", "other systems ", element("select", *choices, name="o")))
    buttons = [
        element("button", "export JSONL", type="button", id="tp-jsonl"),
        element("button", "export CoNLL", type="button", id="tp-conll"),
        element("button", "open all reasons", type="button", id="tp-open"),
    ]
    help_text = element(
        "p",
        "Keys: ",
        join((element("kbd", key) for key in ("j", "k")), " "),
        " or arrows for the next and previous sentence, ",
        element("kbd", "o"),
        " for the reasons, ",
        element("kbd", "/"),
        " for the search. Gold is above the words, the prediction below.",
        class_="tp-soft",
    )
    shown = element("span", id="tp-shown", role="status")
    form = element("form", kinds, element("div", *parts), element("div", *buttons, " ", shown), id="tp-filters")
    return join([form, help_text])
