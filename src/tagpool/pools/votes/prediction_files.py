"""Prediction files: the labels of an expert for the sentences of a gold corpus.

All formats of :mod:`tagpool.corpus.annotations` are read. Sentences are matched by their text, and labels are aligned to the gold
tokens. A label ``?`` abstains.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tagpool.corpus.annotations.reading import read_annotations
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import check_path, source_name
from tagpool.errors import InputError
from tagpool.pools.expert_files.collecting import collect_labels
from tagpool.pools.expert_files.expert_labels import ExpertSource, LabelRow, ScoreRow


@dataclass
class PredictionFile:
    """Labels of an expert for every gold sentence, with confidences, and notes on what did not fit.

    A sentence is None if the file does not have it; a label is None if the expert abstains. Confidences are None if unknown.
    """

    labels: list[LabelRow]
    notes: list[str] = field(default_factory=list)
    confidence: list[ScoreRow] = field(default_factory=list)


def read_predictions(
    path: str | Path,
    gold: Corpus,
    *,
    columns: str | None = None,
    label: str | None = None,
    encoding: str = "utf-8",
    gold_name: str = "gold",
) -> PredictionFile:
    """Read the file of an expert; an InputError names the line if its sentences are not those of the gold corpus.

    The gold corpus needs no labels; ``gold_name`` is its name in messages. ``label`` is a column or an annotator of the file.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "spans.jsonl")
    >>> _ = path.write_text('{"text": "Ann Lee left.", "labels": [[0, 7, "PER"], [9, 12, "ACT"]]}')
    >>> gold = Corpus.from_lists(word=[["Ann", "Lee", "left", "."]], label=[["B-PER", "I-PER", "O", "O"]])
    >>> read_predictions(path, gold).labels
    [['B-PER', 'I-PER', 'B-ACT', 'O']]
    """
    check_path(path)
    file = read_annotations(path, column=label, columns=columns, encoding=encoding)
    if len(file.names) != 1:
        raise InputError("expected the labels of one expert; choose a column with label=...", source=source_name(path))
    source = ExpertSource(source_name(path), {"expert": file.names[0]}, file.annotations)
    result = collect_labels([source], gold, extend=False, gold_name=gold_name)
    return PredictionFile(result.labels["expert"], result.notes, result.confidence.get("expert", [None] * len(gold)))
