"""Parts of a model that can be missing: feature groups, resources, kinds of features, and single templates.

A kind of features is a word function (*suffix*), the words themselves, or another column (*column pos*). All templates that read
it belong to the part, also conjunctions with others: the information is missing completely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tagpool.corpus.corpus import WORD
from tagpool.experts.saving import fitted_templates
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.features.functions import HISTORY_FIELD
from tagpool.features.template import Template, TemplateSet, Term, unnest

GROUP, RESOURCE, KIND, TEMPLATE = "group", "resource", "features", "template"
COLUMN = "column"
"""The beginning of the names of columns."""
_SIMPLE = {"lower"}  # functions that only change how words are written


@dataclass(frozen=True)
class Part:
    """Templates that are removed together; ``kind`` is group, resource, features or template."""

    kind: str
    name: str
    templates: tuple[Template, ...]

    @property
    def title(self) -> str:
        """Name in tables."""
        return self.name if self.kind == KIND else f"{self.kind} {self.name}"


def parts_of(tagger: SequenceTagger) -> list[Part]:
    """Return the parts of a model, without those that equal an earlier one or are all of its templates.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[0]\\n[ends]\\nsuffix(word, 2..3)[0]\\npos[0]").fit(builtin_corpus(50))
    >>> [part.title for part in parts_of(crf)]
    ['group ends', 'words', 'suffix', 'column pos']
    """
    templates = templates_of(tagger)
    parts: list[Part] = []
    seen: set[frozenset[Template]] = {frozenset(templates), frozenset()}
    for kind, name, chosen in _candidates(templates):
        if (key := frozenset(chosen)) not in seen:
            seen.add(key)
            parts.append(Part(kind, name, tuple(chosen)))
    return parts


def templates_of(tagger: SequenceTagger) -> list[Template]:
    """Return the distinct templates of a model and its members, without those of previous labels."""
    sets: list[TemplateSet] = [fitted_templates(one) for one in tagger.single_taggers()]
    return list(dict.fromkeys(template for one in sets for template in one))


def keys_of(templates: Iterable[Template], left: Iterable[Template]) -> set[str]:
    """Return the keys of templates, without those that other templates have, too."""
    return _expanded(templates) - _expanded(left)


def _expanded(templates: Iterable[Template]) -> set[str]:
    return {key for template in templates for key, _ in template.expand()}


def _candidates(templates: list[Template]) -> Iterator[tuple[str, str, list[Template]]]:
    for bag in dict.fromkeys(bag for template in templates for bag in template.bags):
        # A template of several groups is missing when all of them are; as in SequenceTagger.without.
        yield GROUP, bag, [template for template in templates if template.bags == (bag,)]
    for resource in dict.fromkeys(name for template in templates for name in template.resources):
        yield RESOURCE, resource, [template for template in templates if resource in template.resources]
    kinds = {template: {_kind(term) for term in template.terms} - {""} for template in templates}
    for kind in dict.fromkeys(kind for one in kinds.values() for kind in sorted(one)):
        yield KIND, kind, [template for template in templates if kind in kinds[template]]
    for template in templates:
        if kinds[template]:
            yield TEMPLATE, str(template), [template]


def _kind(term: Term) -> str:
    """Return the kind of information that a term reads; none for the bias and previous labels."""
    calls, field = unnest(term.expression)
    functions = [call.function for call in calls if call.function not in _SIMPLE]
    if functions:
        return "" if functions[0] == "bias" else functions[0]
    if field is None or field.name == HISTORY_FIELD:
        return ""
    return "words" if field.name == WORD else f"{COLUMN} {field.name}"
