"""A page of likely annotation errors: sentences with the annotated spans above the words and the proposed ones below."""

from __future__ import annotations

from collections.abc import Sequence

from tagpool.auditing.mistakes import MISTAKE_KINDS, Mistake
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Span
from tagpool.views.colours import number_colours
from tagpool.views.html import Html, element, join, page, table
from tagpool.views.sentence import LabelledSpan, SentenceView
from tagpool.wording import counted

_AROUND = 12  # words before and after the spans


def mistake_page(title: str, corpus: Corpus, mistakes: Sequence[Mistake], places: Sequence[str]) -> Html:
    """Return a page with the mistakes in their order; ``places`` are their places in the files.

    >>> corpus = Corpus.from_lists(word=[["Ann", "<left>"]], label=[["O", "O"]])
    >>> mistake = Mistake(0, "missed", None, Span(0, 1, "PER"), 0.9)
    >>> "&lt;left&gt;" in mistake_page("names", corpus, [mistake], ["names.conll:1"])
    True
    """
    colours = number_colours(span.type for one in mistakes for span in (one.annotated, one.proposed) if span is not None)
    articles = [
        element("article", _heading(number, one, place), _view(corpus[one.sentence].words, one, colours).html())
        for number, (one, place) in enumerate(zip(mistakes, places, strict=True), 1)
    ]
    legend = element("p", "Above the words: the annotation. Below: the proposal, where it differs.", class_="tp-soft")
    counts = {kind: sum(one.kind == kind for one in mistakes) for kind in MISTAKE_KINDS}
    kinds = table(["kind", "meaning", "number"], [[kind, text, counts[kind]] for kind, text in MISTAKE_KINDS.items()], left=2)
    facts = element("p", counted(len(mistakes), "likely mistake"), ", the most likely first.")
    return page(title, element("main", element("h1", title), facts, kinds, legend, *articles))


def _heading(number: int, one: Mistake, place: str) -> Html:
    score = element("span", f"score {one.score:.2f}", class_="tp-soft")
    return element("div", join([element("b", f"{number}. {one.kind}"), place, score], " · "), class_="tp-head")


def _view(words: Sequence[str], one: Mistake, colours: dict[str, int]) -> SentenceView:
    """Return the part of a sentence around a mistake."""
    first, last = max(one.start - _AROUND, 0), min(one.end + _AROUND, len(words))
    shown = [*(["…"] if first else []), *words[first:last], *(["…"] if last < len(words) else [])]
    offset = first - (1 if first else 0)

    def side(span: Span | None) -> list[LabelledSpan]:
        return [] if span is None else [LabelledSpan(span.start - offset, span.end - offset, span.type)]

    return SentenceView(shown, side(one.proposed), side(one.annotated), colours)
