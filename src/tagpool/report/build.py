"""Building of reports: :func:`make_report` and its result."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_lines, source_name, write_text
from tagpool.errors import InputError, MemoryFor, check_type
from tagpool.evaluation.alignment import align
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.optim.watch import Epoch
from tagpool.report import sections
from tagpool.report.browser import ErrorBrowser, build_browser
from tagpool.report.figures import Draws, Evaluation, compare
from tagpool.report.members import member_figures
from tagpool.report.model_card import model_card
from tagpool.report.systems import System, describe_abstained, from_rows, run_tagger
from tagpool.views.colours import number_colours
from tagpool.views.html import Html, element, fragment, join, page, read_asset
from tagpool.wording import counted

SIZE = 2_000_000
"""Bytes of a report, about (default)."""
_LEAST_ROOM = 50_000  # bytes for the errors
_PACKAGE = "tagpool.report"
_MODEL = "model"  # the name of the first system
Systems = SequenceTagger | Sequence[Sequence[str]]


@dataclass(frozen=True)
class Report:
    """Report on a system: ``figures`` are all numbers (rates from 0 to 1), ``html`` the file.

    ``left_out`` is the number of sentences with errors that did not fit. A notebook displays the figures without the errors.
    """

    figures: Mapping[str, Any]
    html: str = field(repr=False)
    left_out: int
    overview: Html = field(repr=False)

    def save(self, path: str | Path) -> None:
        """Write the report as one HTML file, which is complete or absent."""
        with MemoryFor(f"write {path}"):
            write_text(path, self.html)

    def _repr_html_(self) -> str:
        return fragment(_styles(), self.overview)


@dataclass
class ReportData:
    """The parts of a report: the systems, the first of which is the one that is described, and further data.

    ``experts`` is True if the members of the first system are experts and not members of a model. ``facts`` are rows of the model
    card. ``on_step`` is called with the name of each step.
    """

    corpus: Corpus
    systems: list[System]
    train: Corpus | None = None
    log: Sequence[Epoch] = ()
    experts: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)
    draws: Draws = field(default_factory=Draws)
    size: int = SIZE
    on_step: Callable[[str], object] | None = None

    def step(self, name: str) -> None:
        """Report a step."""
        if self.on_step is not None:
            self.on_step(name)


def make_report(
    model: Systems,
    test: Corpus,
    *,
    compare: Mapping[str, Systems] | None = None,
    experts: Mapping[str, Sequence[Sequence[str]]] | None = None,
    train: Corpus | None = None,
    draws: int = 10_000,
    seed: int = 1,
    size: int = SIZE,
) -> Report:
    """Return a report on the errors of a tagger, a pool, or the labels of any system.

    Args:
        model: A fitted tagger or pool, or the labels of the test sentences.
        test: A corpus with gold labels.
        compare: Other taggers or labels by name; the report has the differences with their intervals.
        experts: Labels of experts by name, if ``model`` has the labels of their pool; the report shows their agreement.
        train: The training data, for scores of known and unknown words and by frequency.
        draws: Bootstrap draws for the intervals.
        seed: Seed of the draws.
        size: Largest size of the file in bytes, about; further errors are left out, and the report says how many.

    >>> from tagpool import CRF, builtin_corpus
    >>> train, test = builtin_corpus(100), builtin_corpus(50, part="test")
    >>> report = make_report(CRF("ner").fit(train), test, train=train, draws=200)
    >>> sorted(report.figures["systems"][0]["errors"])
    ['both', 'boundary', 'missed', 'spurious', 'type']
    >>> report.html.startswith("<!doctype html>")
    True
    """
    check_type(
        test, Corpus, "a corpus with gold labels; make one with read_corpus(path) or Corpus.from_lists(word=..., label=...)"
    )
    test.require_labels()
    if train is not None:
        check_type(train, Corpus, "train: a corpus with labels")
        train.require_labels()
    for systems in (compare, experts):
        check_type(systems if systems is not None else {}, Mapping, "a dict of systems by name, such as {'old': labels}")
    if compare and _MODEL in compare:
        raise InputError(f"compare: {_MODEL!r} is the name of the first system; choose another name")
    described = [_system(label, one, test) for label, one in {_MODEL: model, **(compare or {})}.items()]
    if experts:
        described[0].members = [_system(label, rows, test) for label, rows in experts.items()]
    log = getattr(described[0].tagger, "log_", ())
    data = ReportData(test, described, train, log, bool(experts), draws=Draws(draws, seed), size=size)
    return build_report(data)


def build_report(data: ReportData) -> Report:
    """Return the report on the parts."""
    if not len(data.corpus) or not data.corpus.token_count:
        raise InputError("expected sentences with tokens, got none", source=data.corpus.source)
    with MemoryFor("make the report"):
        return _Builder(data).build()


def read_log(path: str | Path) -> list[Epoch]:
    """Read the log of a training: one line of JSON per epoch (``tagpool train --set output.log=FILE``).

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log.jsonl")
    >>> _ = path.write_text('{"number": 1, "total": 2, "loss": 0.5, "score": 0.75}')
    >>> read_log(path)[0].score
    0.75
    """
    epochs = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
            epochs.append(Epoch.from_dict({key: value for key, value in fields.items() if key in Epoch.__dataclass_fields__}))
        except (ValueError, TypeError, AttributeError, RecursionError):
            expected = 'expected an epoch of a training as JSON, such as {"number": 1, "total": 9, "loss": 0.5}'
            advice = "tagpool train --set output.log=FILE writes such a file"
            raise InputError(f"{expected}; {advice}", source=source_name(path), line=number) from None
    if not epochs:
        raise InputError("the log has no epochs", source=source_name(path))
    return epochs


def _system(name: str, model: Any, test: Corpus) -> System:
    if isinstance(model, SequenceTagger):
        return run_tagger(name, model, test)
    if isinstance(model, Corpus):
        model = model.labels
    check_type(model, (list, tuple), f"{name}: a fitted tagger or the labels of each sentence")
    return from_rows(name, test, model)


class _Builder:
    def __init__(self, data: ReportData) -> None:
        self.data, self.main = data, data.systems[0]
        # All systems are scored in the same way: by token if neither gold nor any system has spans.
        self.plain = all(align(data.corpus.labels, one.labels).plain for one in data.systems)
        data.step("scores")
        self.evaluations = [Evaluation(data.corpus, one, plain=self.plain, draws=data.draws) for one in data.systems]
        self.only_accuracy = all(one.score.only_accuracy for one in self.evaluations)

    def build(self) -> Report:
        figures = self._figures()
        overview = self._overview(figures)
        self.data.step("errors")
        kinds = {kind for one in self.evaluations for kind in one.counts.types}
        source = self.data.corpus.source
        title = f"{self.main.name}: report on {Path(source_name(source)).name if source else 'the test data'}"
        script = read_asset("browser.js", _PACKAGE)
        empty = self._page(title, overview, ErrorBrowser(Html(""), {}, 0, 0), script)
        room = max(self.data.size - len(empty.encode()), _LEAST_ROOM)
        browser = build_browser(self.evaluations[0], self.evaluations[1:], number_colours(kinds), room=room)
        figures |= {"left_out": browser.left_out, "without_reasons": browser.without_reasons}
        html = self._page(title, overview, browser, script)
        return Report(figures, html, browser.left_out, overview)

    def _figures(self) -> dict[str, Any]:
        first, *others = self.evaluations
        figures: dict[str, Any] = {"plain": self.plain}
        figures["systems"] = [one.to_dict(self.data.train) for one in self.evaluations]
        self.data.step("comparisons")
        figures["comparisons"] = [compare(first, other) for other in others]
        if self.main.members:
            figures["experts"] = member_figures(self.data.corpus, self.main, plain=self.plain)
        if self.data.log:
            figures["log"] = [epoch.to_dict() for epoch in self.data.log]
        figures["card"] = model_card(self.main, self.data.corpus, self.data.train, self.data.facts)
        return figures

    def _overview(self, figures: Mapping[str, Any]) -> Html:
        systems = figures["systems"]
        only = self.only_accuracy
        parts = [_heading("Summary"), sections.summary(systems, only_accuracy=only)]
        parts += [_note(note) for one in self.data.systems if (note := describe_abstained(one))]
        if not only and not any(one["score"]["gold"] or one["score"]["predicted"] for one in systems):
            parts.append(_note("There are no spans, neither gold nor predicted: F1 is 0/0, which is written as 0."))
        if figures["comparisons"]:
            parts.append(sections.comparisons(figures["comparisons"], self.main.name, only_accuracy=only))
        parts += [sections.error_kinds(systems), sections.group_tables(systems, plain=self.plain, only_accuracy=only)]
        if self.data.train is None:
            parts.append(_note("Known and unknown words and training frequencies need the training data (--train)."))
        plots = sections.plots(systems, self.data.log, plain=self.plain)
        parts += [_heading("Plots"), plots or _note("There is nothing to plot.")]
        if "experts" in figures:
            noun = "expert" if self.data.experts else "member"
            parts += [_heading(f"{noun.capitalize()}s"), sections.members(figures["experts"], noun=noun)]
        return join([*parts, _heading("Model card"), sections.card(figures["card"])])

    def _page(self, title: str, overview: Html, browser: ErrorBrowser, script: str) -> Html:
        count = len(self.evaluations[0].errors)
        facts = [f"{counted(count, 'sentence')} with errors of {counted(self.evaluations[0].alignment.sentences, 'sentence')}"]
        if browser.left_out:
            facts.append(f"{counted(browser.left_out, 'sentence')} left out")
        if browser.without_reasons:
            facts.append(f"{counted(browser.without_reasons, 'sentence')} without all reasons")
        last = "the last ones" if self.main.probabilities is None else "those with the least confident errors"
        least = f" (very long ones and {last}, to limit size and time)" if len(facts) > 1 else ""
        errors = [element("p", f"{'; '.join(facts)}{least}."), browser.html] if count else [_note("None.")]
        members = [] if not self.main.members else ["Experts" if self.data.experts else "Members"]
        names = ["Summary", "Plots", *members, "Model card", "Errors"]
        links = [element("a", name, href=f"#{_anchor(name)}") for name in names]
        body = element(
            "main", element("h1", title), element("nav", *links, aria_label="sections"), overview, _heading("Errors"), *errors
        )
        return page(title, _styles(), body, script=script if count else "", data=browser.data if count else None)


def _styles() -> Html:
    lines = (line.strip() for line in read_asset("browser.css", _PACKAGE).splitlines())
    return Html(f"<style>{''.join(lines)}</style>")


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def _heading(name: str) -> Html:
    return element("h2", name, id=_anchor(name))


def _note(text: str) -> Html:
    return element("p", text, class_="tp-soft")
