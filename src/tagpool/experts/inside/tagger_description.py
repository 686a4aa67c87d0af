"""Description of a single tagger: training, parameters, features, and the largest weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tagpool.experts.inside.description import Description, text_table, top_features_table, weight_table
from tagpool.experts.inside.inspection import TopFeatures, features_by_template, label_numbers, top_features
from tagpool.experts.saving import has_names
from tagpool.experts.tagger import Tagger

# Parameters that the text leaves out: other lines have them, or they do not describe the model.
_NOT_SHOWN = ("features", "templates", "resources", "trainer", "patience", "epochs", "threads", "warm_start")


def describe(tagger: Tagger, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
    """The description of a fitted tagger.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]]))
    >>> print(str(describe(crf, top=0)).splitlines()[0])
    2 labels: PER, O
    """
    label_numbers(tagger, labels)
    model = tagger._fitted()
    named = has_names(tagger)
    best: dict[str, TopFeatures] = top_features(tagger, top=top, labels=labels, template=template) if named else {}
    tables = tagger._weight_tables(top, labels, template)
    facts: dict[str, Any] = {
        "kind": tagger.kind,
        "labels": list(tagger.labels_),
        "columns": list(model.columns),
        "features": model.feature_count,
        "conjunction_count": getattr(tagger, "conjunction_count", 0),
        "weights": model.weight_count,
        "names": named,
        "templates": features_by_template(tagger) if named else {},
        "training": tagger.summary_,
        "parameters": json.loads(model.text("parameters") or "{}"),
        "top_features": {label: one._asdict() for label, one in best.items()},
    } | {title: [list(row) for row in rows] for title, (_, rows) in tables.items()}
    lines = summary_lines(facts)
    if facts["templates"]:
        rows = [[key, f"{count:,}"] for key, count in facts["templates"].items()]
        lines += ["", text_table(["template", "features"], rows)]
    if not named:
        lines += ["", "no names of features: the model was saved without them"]
    for label, one in best.items():
        lines += top_features_table(label, one)
    for headers, rows in tables.values():
        lines += weight_table(headers, rows)
    return Description(facts, "\n".join(lines))


def summary_lines(facts: dict[str, Any]) -> list[str]:
    """Labels, counts, training and parameters as text."""
    lines = [f"{len(facts['labels'])} labels: {', '.join(facts['labels'])}"]
    columns = f"; columns: {', '.join(facts['columns'])}" if facts["columns"] else ""
    conjunctions = f" ({facts['conjunction_count']:,} conjunctions)" if facts["conjunction_count"] else ""
    lines.append(f"{facts['features']:,} features{conjunctions}, {facts['weights']:,} weights{columns}")
    training = facts["training"]
    if training:
        parts = []
        if "sentences" in training:  # not for models of other tools
            parts.append(f"trained on {training['sentences']:,} sentences, {training['tokens']:,} tokens")
        if "epochs" in training:  # not for merged pools
            parts.append(f"{training['trainer']}, {training['epochs']} epochs")
        elif "trainer" in training:
            parts.append(training["trainer"])
        if training.get("dev") is not None:
            parts.append(f"dev F1 {100 * training['dev']:.2f}")
        lines.append(", ".join(parts))
    parameters = [
        f"{name} {value}" for name, value in facts["parameters"].items() if name not in _NOT_SHOWN and value is not None
    ]
    if parameters:
        lines.append(", ".join(parameters))
    return lines
