"""Model card: facts about a model and the data of a report, as rows of a name and a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tagpool
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import detect
from tagpool.experts.inside.inspection import features_by_template
from tagpool.experts.metadata import MAX_FACTS, read_object
from tagpool.experts.saving import has_names, json_parameters
from tagpool.report.systems import System
from tagpool.wording import counted

_TEMPLATES = 100  # templates that the card lists
_LABELS = 60
_NAMES = {"dev": "dev score", "label": "label column", "step": "step size"}  # of the summary of a training


def model_card(system: System, corpus: Corpus, train: Corpus | None, facts: Mapping[str, str]) -> list[list[str]]:
    """Return the rows of a model card; ``facts`` are further rows, such as the names of files.

    >>> from tagpool import CRF, builtin_corpus
    >>> from tagpool.report.systems import run_tagger
    >>> corpus = builtin_corpus(20)
    >>> card = dict(model_card(run_tagger("crf", CRF("word[0]", seed=7).fit(corpus), corpus), corpus, None, {}))
    >>> card["kind"], card["seed"], card["templates"]
    ('crf', '7', 'word[0]')
    """
    rows = [[name, value] for name, value in facts.items()]
    rows.append(["test data", f"{_size(corpus)}; labels: {detect(corpus.labels).description}"])
    if train is not None:
        rows.append(["training data (--train)", _size(train)])
    rows.append(["tagpool version", tagpool.__version__])
    tagger = system.tagger
    if tagger is None:
        return [*rows, ["model", "none: the labels come from a file"]]
    rows.append(["kind", tagger.kind])
    labels = list(tagger.labels_)
    more = f" and {len(labels) - _LABELS} more" if len(labels) > _LABELS else ""
    rows.append(["labels", f"{len(labels)}: {', '.join(labels[:_LABELS])}{more}"])
    if system.seconds:
        speed = corpus.token_count / system.seconds
        rows.append(["measured speed", f"tokens per second: {_rounded(speed):,} ({system.seconds:.2g} s for the test data)"])
    taggers = tagger.single_taggers()
    if tagger.members_:
        rows.append(["members", ", ".join(f"{name}" for name in getattr(tagger, "names_", ())) or str(len(tagger.members_))])
    rows.append(["features", f"{sum(one.feature_count for one in taggers):,}"])
    rows.append(["weights", f"{sum(one.weight_count for one in taggers):,}"])
    rows += _training_rows(taggers[0], of_many=len(taggers) > 1)
    return rows


def _training_rows(tagger: Any, *, of_many: bool) -> list[list[str]]:
    """Return rows about the training of a tagger, the first of those of a pool."""
    of = " of the first member" if of_many else ""
    summary = dict(tagger.summary_)
    rows = []
    if "sentences" in summary:
        size = f"{counted(summary.pop('sentences'), 'sentence')}, {counted(summary.pop('tokens'), 'token')}"
        rows.append([f"training data{of}", size])
    if isinstance(summary.get("dev"), float):
        summary["dev"] = f"F1 {100 * summary['dev']:.2f}"
    for key, value in summary.items():
        if value is None:
            continue
        name = _NAMES.get(key, key)
        rows.append([f"{name}{of}", ", ".join(map(str, value)) if isinstance(value, list) else _short(value)])
    stored = tagger._fitted().text("parameters")  # a model that was not saved has its parameters in the tagger only
    parameters = read_object(stored, "parameters", most=MAX_FACTS) if stored else json_parameters(tagger)
    seed = parameters.pop("seed", None)
    if seed is not None:
        rows.append([f"seed{of}", str(seed)])
    shown = {name: value for name, value in parameters.items() if value is not None and name not in ("features", "trainer")}
    rows.append([f"parameters{of}", ", ".join(f"{name} {_short(value)}" for name, value in shown.items())])
    rows.append([f"configuration{of}", tagger._fitted().text("config") or ""])
    if has_names(tagger):
        keys = list(features_by_template(tagger))
        more = [f"and {len(keys) - _TEMPLATES} more"] if len(keys) > _TEMPLATES else []
        rows.append([f"templates{of}", "; ".join(keys[:_TEMPLATES] + more)])
    return [row for row in rows if row[1]]


def _size(corpus: Corpus) -> str:
    documents = f", {counted(len(corpus.document_starts), 'document')}" if corpus.document_starts else ""
    return f"{counted(len(corpus), 'sentence')}, {counted(corpus.token_count, 'token')}{documents}"


def _rounded(number: float) -> int:
    """Return a number with two digits: a measured speed is not more exact.

    >>> _rounded(123_456.0)
    120000
    """
    return int(float(f"{number:.1e}"))


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
