"""The model card of a model: metadata in YAML, and facts about the training as Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import tagpool
from tagpool.corpus.schemes import Scheme, detect
from tagpool.errors import InputError
from tagpool.experts.inside.inspection import features_by_template
from tagpool.experts.saving import has_names
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.visible import one_line
from tagpool.wording import counted

_TEMPLATES = 30  # that the card lists


def model_card(model: SequenceTagger, file: str, metadata: Mapping[str, Any]) -> str:
    """Return the text of a model card; ``metadata`` is added to the YAML, and replaces equal keys.

    >>> from tagpool import CRF, Corpus
    >>> crf = CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]]))
    >>> model_card(crf, "model.tagpool", {"license": "mit"}).splitlines()[:4]
    ['---', 'library_name: "tagpool"', 'pipeline_tag: "token-classification"', 'tags: ["tagpool", "sequence-labelling", "crf"]']
    """
    header: dict[str, Any] = {
        "library_name": "tagpool",
        "pipeline_tag": "token-classification",
        "tags": ["tagpool", "sequence-labelling", model.kind],
        **metadata,
    }
    lines = ["---", *(f"{_key(key)}: {_yaml(key, value)}" for key, value in header.items()), "---", ""]
    labels = list(model.labels_)
    scheme = detect([labels]).scheme
    kinds = sorted({label.partition("-")[2] for label in labels if label != "O"} if scheme is not Scheme.PLAIN else labels)
    lines += [
        f"# A {model.kind} of tagpool",
        "",
        f"A sequence labelling model of tagpool {tagpool.__version__}. It runs on a CPU.",
        "",
        f"- {'Types' if scheme is not Scheme.PLAIN else 'Labels'}: {', '.join(map(_code, kinds))}",
        f"- Columns that it reads: {', '.join(map(_code, model.columns)) or 'given features'}",
        *_facts(model),
        "",
        "## Use",
        "",
        "```python",
        "import tagpool",
        "",
        f'model = tagpool.from_pretrained("...")  # this repository, or a folder with {file}',
        'print(model.predict([["Ann", "Smith", "moved", "to", "Oslo", "."]]))',
        "```",
        "",
    ]
    return "\n".join(lines)


def _facts(model: SequenceTagger) -> list[str]:
    """Return facts about the training; of a pool, the number of its members, too."""
    taggers = model.single_taggers()
    lines = [f"- Members: {counted(len(taggers), 'tagger')}"] if len(taggers) > 1 else []
    weights = sum(tagger.weight_count for tagger in taggers)
    lines.append(f"- Size: {counted(sum(tagger.feature_count for tagger in taggers), 'feature')}, {counted(weights, 'weight')}")
    summary = taggers[0].summary_
    if "sentences" in summary:
        lines.append(f"- Training data: {counted(summary['sentences'], 'sentence')}, {counted(summary['tokens'], 'token')}")
    if isinstance(summary.get("dev"), float):
        lines.append(f"- F1 on the dev set of the training: {100 * summary['dev']:.2f}")
    if has_names(taggers[0]):
        templates = list(features_by_template(taggers[0]))
        more = [f"and {len(templates) - _TEMPLATES} more"] if len(templates) > _TEMPLATES else []
        lines.append(f"- Templates: {', '.join([*map(_code, templates[:_TEMPLATES]), *more])}")
    return lines


def _code(text: str) -> str:
    """Return a text as code in Markdown."""
    shown = one_line(text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def _key(key: Any) -> str:
    if not isinstance(key, str) or not key.replace("_", "a").replace("-", "a").isalnum():
        raise InputError(f"card: expected keys of letters, digits, - and _, got {key!r}")
    return key


def _yaml(key: str, value: Any) -> str:
    """Return a value in YAML, of which JSON is a part."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        raise InputError(f"card: {key}: expected texts, numbers, lists or dicts, got {value!r:.80}") from None
