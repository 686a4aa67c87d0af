"""Fragments of the page, made of the views that reports and notebooks have, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tagpool.corpus.corpus import WORD
from tagpool.experts.inside.explanation import group_by_template
from tagpool.pools.explanation import TokenVotes
from tagpool.serve.forms import Form
from tagpool.serve.results import TaggedItem
from tagpool.views.colours import number_colours
from tagpool.views.explanation import Evidence, MemberVote, evidence_table, vote_table
from tagpool.views.html import Html, element, join
from tagpool.views.sentence import LabelledSpan, SentenceView, spans_of

_TOP = 10  # templates of an explanation
_FEATURES = 40  # features of the list below it
_VALUES = 3  # values that the text of a template shows


def tagged_view(tagged: TaggedItem, form: Form, threshold: float) -> dict[str, Any]:
    """Return a tagged text as HTML, with the numbers of its spans; those below a confidence are hidden."""
    colours = number_colours(span_type(label, plain=form.is_plain) for label in form.labels if label != "O")
    first = shown = hidden = 0
    paragraphs = []
    for sentence in tagged.item.sentences:
        words = sentence[WORD]
        rows = slice(first, first + len(words))
        spans = [
            LabelledSpan(span.start, span.end, span.type, _least(tagged.confidences, first + span.start, first + span.end))
            for span in spans_of(tagged.labels[rows], plain=form.is_plain)
        ]
        visible = [span for span in spans if span.confidence is None or span.confidence >= threshold]
        shown, hidden = shown + len(visible), hidden + len(spans) - len(visible)
        view = SentenceView(words, visible, colours=colours, anchors=True).html()
        paragraphs.append(element("div", view, class_="sentence", data_first=first))
        first += len(words)
    return {"html": join(paragraphs), "spans": shown, "hidden": hidden, "tokens": first}


def span_type(label: str, *, plain: bool) -> str:
    """Return the type of a label; of a plain label, the label.

    >>> span_type("B-PER", plain=False), span_type("NN-X", plain=True)
    ('PER', 'NN-X')
    """
    return label if plain else label.partition("-")[2]


def _least(confidences: Sequence[float] | None, start: int, end: int) -> float | None:
    return None if confidences is None else min(confidences[start:end])


def explanation_view(token: Any, labels: Sequence[str], instead: str | None) -> Html:
    """Return why a token has its label and not another one, which the reader chooses from a list."""
    evidence = token.features if isinstance(token, TokenVotes) else token
    other = getattr(evidence, "runner_up", None)
    parts = [element("h3", "Why ", element("b", token.label), " for “", token.word, "”?")]
    if other is not None:
        options = [element("option", label, value=label, selected=label == other) for label in labels if label != token.label]
        choice = element("select", *options, id="instead", autocomplete="off")
        parts.append(element("p", element("label", "and not ", choice), _probabilities(evidence)))
        parts += _contributions(evidence, other)
    if isinstance(token, TokenVotes):
        votes = [MemberVote(vote.member, vote.label, vote.probability, vote.weight) for vote in token.votes]
        parts += [element("h4", "Votes of the members"), vote_table(votes, label=token.label)]
    return for_strict_policy(join(parts))


def _probabilities(evidence: Any) -> Html:
    if not hasattr(evidence, "probability"):
        return element("span", f" ({evidence.distance})", class_="tp-soft")
    numbers = f" {100 * evidence.probability:.1f}% against {100 * evidence.runner_up_probability:.1f}%"
    if evidence.runner_up_probability > evidence.probability:
        numbers += ": the labels of the sentence are the best together, though not each alone"
    return element("span", numbers, class_="tp-soft")


def _contributions(evidence: Any, other: str) -> Iterator[Html]:
    """Yield bars by template, the features without which the label changes, and the single features."""
    groups = [Evidence(str(group), group.difference) for group in group_by_template(evidence.contributions)]
    if getattr(evidence, "transitions", 0.0):
        groups.append(Evidence("(neighbouring labels)", evidence.transitions))
        groups.sort(key=lambda one: -abs(one.difference))
    yield evidence_table(groups, label=evidence.label, instead=other, top=_TOP)
    decisive = getattr(evidence, "decisive", None)
    if decisive:
        names = join((element("code", name) for name in decisive[:_TOP]), ", ")
        more = f" and {len(decisive) - _TOP} more" if len(decisive) > _TOP else ""
        yield element("p", "It would be ", element("b", evidence.instead), " without ", names, more, ".")
    elif hasattr(evidence, "decisive"):
        yield element("p", "The neighbouring labels decide: no set of its features changes the label.")
    singles = [Evidence(one.feature, one.difference) for one in evidence.contributions]
    if singles:
        single = evidence_table(singles, label=evidence.label, instead=other, top=_FEATURES)
        yield element("details", element("summary", f"all features: {len(singles):,}"), single)


def for_strict_policy(html: Html) -> Html:
    """Return a fragment whose widths of bars are data: the policy of the page forbids attributes with styles."""
    return Html(html.replace(' style="--w:', ' data-w="'))


def document() -> str:
    """Return the document of the page; its script fills it."""
    head = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", "tagpool"),
        element("link", rel="icon", href="data:,"),
        element("link", rel="stylesheet", href="static/style.css"),
        element("link", rel="stylesheet", href="static/page.css"),
        element("script", src="static/page.js", type="module"),
    ]
    body = element("body", element("header", element("h1", "tagpool")), _main(), class_="tp tp-page")
    return f'<!doctype html>\n<html lang="en">\n<head>\n{join(head, chr(10))}\n</head>\n{body}\n</html>\n'


def _main() -> Html:
    slider = element("input", id="threshold", type="range", min="0", max="100", value="0", step="1", autocomplete="off")
    least = element("output", "0%", id="least", for_="threshold")
    groups = element("legend", "Feature groups")
    return element(
        "main",
        element("noscript", element("p", "This page needs JavaScript.")),
        element(
            "form",
            element("label", "Token of the server", element("input", id="token", type="password", autocomplete="off")),
            element("button", "Use token", type="submit"),
            id="login",
            hidden=True,
        ),
        element(
            "div",
            element("label", "Model", element("select", id="model", autocomplete="off")),
            element("label", "Compare with", element("select", id="other", autocomplete="off")),
            element("label", element("span", "Least confidence ", least), slider),
            element("fieldset", groups, element("div", id="groups"), id="group-choice", hidden=True),
            id="controls",
        ),
        element("label", "Text, one sentence per line", for_="text", id="text-label"),
        element("textarea", id="text", rows="3", spellcheck="false", dir="auto", autocomplete="off"),
        element("p", id="status", role="status"),
        element("div", id="sides"),
        element("p", "Press a token to see why it has its label, and why not another one.", id="hint", class_="tp-soft"),
        element("section", id="why", aria_label="Explanation", aria_live="polite", tabindex="-1", hidden=True),
        element(
            "section",
            element("h2", "Tag a file"),
            element(
                "label",
                "Drop a file here, or choose one: text (one sentence per line), .conll, .conllu or .jsonl",
                element("input", id="file", type="file", autocomplete="off"),
                id="drop",
            ),
            element("p", id="file-status", role="status"),
            element("a", "Download the result", id="download", hidden=True),
        ),
    )
