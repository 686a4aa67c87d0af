"""Description: facts about a model, as JSON values and as text, and that of a single tagger."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from tagpool.experts.inside.inspection import TopFeatures, features_by_template, label_numbers, top_features
from tagpool.experts.metadata import MAX_FACTS, read_object
from tagpool.experts.robust.decision import describe_robust
from tagpool.experts.saving import has_names
from tagpool.experts.tagger import Tagger
from tagpool.visible import one_line
from tagpool.wording import counted

# Parameters that the text leaves out: other lines have them, or they do not describe the model.
_NOT_SHOWN = ("features", "templates", "resources", "trainer", "patience", "epochs", "threads", "warm_start")


_WIDEST = 200  # a longer cell does not widen its column: one long name would make every row as long


@dataclass(frozen=True)
class Description:
    """Facts about a model: ``facts`` are JSON values, ``str`` gives the text."""

    facts: dict[str, Any]
    text: str

    def __str__(self) -> str:
        return self.text


def text_table(headers: Sequence[str], rows: Sequence[Sequence[object]], *, texts: Collection[int] = (0,)) -> str:
    """A table with the columns ``texts`` aligned to the left, and the others to the right.

    >>> print(text_table(["label", "weight"], [["PER", 1.5], ["O", 10.25]]))
    label  weight
    PER       1.5
    O       10.25
    """
    cells = [[one_line(str(cell)) for cell in row] for row in (headers, *rows)]
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        columns = enumerate(zip(row, widths, strict=True))
        padded = [cell.ljust(width) if number in texts else cell.rjust(width) for number, (cell, width) in columns]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


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
        "parameters": read_object(model.text("parameters"), "parameters", most=MAX_FACTS),
        "top_features": {label: one._asdict() for label, one in best.items()},
    } | {title: [list(row) for row in rows] for title, (_, rows) in tables.items()}
    lines = _summary_lines(facts)
    if facts["templates"]:
        rows = [[key, f"{count:,}"] for key, count in facts["templates"].items()]
        lines += ["", text_table(["template", "features"], rows)]
    if not named:
        lines += ["", "no names of features: the model was saved without them"]
    for label, one in best.items():
        lines += _top_features_table(label, one)
    for headers, rows in tables.values():
        lines += _weight_table(headers, rows)
    return Description(facts, "\n".join(lines))


def _summary_lines(facts: dict[str, Any]) -> list[str]:
    """Labels, counts, training and parameters as text."""
    lines = [f"{counted(len(facts['labels']), 'label')}: {', '.join(facts['labels'])}"]
    columns = f"; columns: {', '.join(facts['columns'])}" if facts["columns"] else ""
    conjunctions = f" ({counted(facts['conjunction_count'], 'conjunction')})" if facts["conjunction_count"] else ""
    lines.append(f"{counted(facts['features'], 'feature')}{conjunctions}, {counted(facts['weights'], 'weight')}{columns}")
    training = facts["training"]
    if training:
        parts = []
        if "sentences" in training:  # not for models of other tools
            parts.append(f"trained on {counted(training['sentences'], 'sentence')}, {counted(training['tokens'], 'token')}")
        if "epochs" in training:  # not for merged pools
            parts.append(f"{training['trainer']}, {counted(training['epochs'], 'epoch')}")
        elif "trainer" in training:
            parts.append(training["trainer"])
        if training.get("dev") is not None:
            parts.append(f"dev F1 {100 * training['dev']:.2f}")
        lines.append(", ".join(parts))
        if robust := training.get("robust"):
            lines.append(describe_robust(robust))
    parameters = [
        f"{name} {value}" for name, value in facts["parameters"].items() if name not in _NOT_SHOWN and value is not None
    ]
    if parameters:
        lines.append(", ".join(parameters))
    return [*map(one_line, lines)]


def _weight_table(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """A blank line and a table of rows that end in a weight; nothing if there are no rows."""
    if not rows:
        return []
    cells = [[*row[:-1], f"{row[-1]:+.3f}"] for row in rows]
    return ["", text_table([*headers, "weight"], cells, texts=range(len(headers)))]


def _top_features_table(label: str, top: TopFeatures) -> list[str]:
    """A blank line and the features for and against a label, side by side; empty without features."""
    rows = [[*_cells(one), *_cells(other)] for one, other in zip_longest(top.positive, top.negative)]
    if not rows:
        return []
    return ["", text_table([f"for {label}", "weight", f"against {label}", "weight"], rows, texts=(0, 2))]


def _cells(feature: tuple[str, float] | None) -> list[str]:
    return ["", ""] if feature is None else [feature[0], f"{feature[1]:+.3f}"]
