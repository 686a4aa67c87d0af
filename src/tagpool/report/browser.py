"""The error browser: every sentence with an error, as HTML with the data that ``browser.js`` filters and exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tagpool.evaluation.error_kinds import KINDS, SpanError
from tagpool.experts.inside.explanation import Contribution, group_by_template
from tagpool.report.figures import Evaluation
from tagpool.report.members import describe_span, votes_for
from tagpool.report.reasons import MOST, Reasons, reasons_of
from tagpool.report.systems import span_confidence
from tagpool.views.explanation import Evidence, MemberVote, evidence_table, vote_table
from tagpool.views.html import Html, element, inline_json, join
from tagpool.views.sentence import LabelledSpan, SentenceView, spans_of

_TOP = 5  # templates of an error
_FRAME = 40  # bytes of the element of a sentence
_LARGE = 20  # a sentence with more than this part of the room is large
_TOGETHER = 6  # members from which on equal votes are one row


@dataclass(frozen=True)
class ErrorBrowser:
    """The HTML of the browser, its data for JavaScript, and the numbers of sentences and reasons that were left out."""

    html: Html
    data: dict[str, Any]
    left_out: int
    without_reasons: int


def build_browser(evaluation: Evaluation, others: Sequence[Evaluation], colours: Mapping[str, int], *, room: int) -> ErrorBrowser:
    """Return the browser of a system in at most ``room`` bytes; ``others`` are compared systems.

    If the room is too small, first reasons and then sentences are left out, those of the least confident errors first (without
    confidences, the last ones). A sentence that takes a large share of the room alone is left out before others.
    """
    builder = _Builder(evaluation, others, colours)
    controls = _controls(evaluation, others, builder.types)
    left = room - len(controls.encode())
    items: dict[int, _Item] = {}
    order = sorted(evaluation.errors, key=lambda number: (-(builder.confidence(number) or 0.0), number))
    for number in order:
        item = builder.item(number)
        if left < item.size:
            if item.size > room // _LARGE:
                continue  # others fit
            break
        left -= item.size
        items[number] = item
    without = 0
    for number in items if builder.has_reasons else ():
        reasons = builder.reasons_for(number) if left > 0 else None
        if reasons is not None and len(reasons.encode()) <= left:
            left -= len(reasons.encode())
            items[number].parts.append(reasons)
            without += builder.explained > MOST
        else:
            left, without = 0, without + 1
    shown = [items[number] for number in sorted(items)]
    data = {
        "labels": builder.label_names,
        "types": builder.types,
        "others": [other.system.name for other in others],
        "kinds": list(KINDS),
        "items": [item.record for item in shown],
    }
    listed = element("div", *(element("article", *item.parts, tabindex="-1") for item in shown), id="tp-list")
    return ErrorBrowser(join([controls, listed]), data, len(order) - len(items), without)


@dataclass
class _Item:
    """A sentence with errors: the parts of its element, and its data for JavaScript."""

    parts: list[Html]
    record: list[Any]

    @property
    def size(self) -> int:
        """Number of bytes, without reasons."""
        return sum(len(part.encode()) for part in self.parts) + len(inline_json(self.record).encode()) + _FRAME


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
        self.has_reasons = self.reasons is not None or bool(self.system.members)
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
        right = [at for at, other in enumerate(self.others) if number not in other.errors]
        record = [
            number,
            sorted({self.kind_numbers[kind] for kind in counts}),
            sorted({self.type_numbers[span.type] for error in errors for span in (error.gold, error.predicted) if span}),
            None if confidence is None else round(confidence, 3),
            right,
            words if any(" " in word for word in words) else " ".join(words),
            self._runs(gold),
            self._runs(predicted),
        ]
        return _Item([heading, view.html()], record)

    def reasons_for(self, number: int) -> Html:
        """Return the reasons of the errors of a sentence, collapsed."""
        words = self.evaluation.words[number]
        return join(self._why(number, error, words) for error in self.evaluation.errors[number])

    def _runs(self, labels: Sequence[str]) -> list[int]:
        """Return labels as runs: the number of a label, how often it follows, and so on."""
        runs: list[int] = []
        for label, run in groupby(labels):
            runs += [self.label_numbers[label], len(list(run))]
        return runs

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
        if self.reasons is not None:
            self.explained += 1
            evidence = self.reasons(number, error) if self.explained <= MOST else None
            if self.explained > MOST:
                text = f"Features are listed for {MOST:,} errors, the most confident ones first."
                parts.append(element("p", text, class_="tp-soft"))
            elif evidence is None:
                parts.append(element("p", "The model does not know the gold label.", class_="tp-soft"))
            else:
                groups = group_by_template(Contribution(one.feature, 0.0, one.difference) for one in evidence)
                rows = [Evidence(str(group), group.difference) for group in groups]
                parts.append(evidence_table(rows, label=label, instead=instead, top=_TOP))
        if self.system.members:
            votes = votes_for(self.system, number, error, words, plain=self.evaluation.plain)
            votes = votes if len(votes) < _TOGETHER else _group(votes)
            parts.append(vote_table(votes, label=describe_span(error.predicted, words), gold=describe_span(error.gold, words)))
        if not parts:
            return Html("")
        summary = element("summary", f"{error.kind}: why {label}, not {instead}?")
        return element("details", summary, *parts)


def _group(votes: Sequence[MemberVote]) -> list[MemberVote]:
    """Return one row for equal votes, with the sum of their weights, the most frequent vote first."""
    groups: dict[str, list[MemberVote]] = {}
    for vote in votes:
        groups.setdefault(vote.label, []).append(vote)
    rows = []
    for label, group in sorted(groups.items(), key=lambda entry: -len(entry[1])):
        weights = [vote.weight for vote in group if vote.weight is not None]
        name = group[0].member if len(group) == 1 else f"{len(group)} of {len(votes)}"
        rows.append(MemberVote(name, label, None, sum(weights) if weights else None))
    return rows


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
    kinds = element("fieldset", element("legend", "sentences by kind of error"), *boxes)
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
