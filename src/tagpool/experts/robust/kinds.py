"""Kinds of robustness: the names in ``robust="case,lists"``, and the changes that each stands for."""

from __future__ import annotations

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.errors import InputError
from tagpool.features.groups import LISTS, groups_of
from tagpool.features.template import TemplateSet
from tagpool.perturbations.registry import PERTURBATIONS

AUTO = "auto"
CASE, GROUPS = "case", "groups"
CASES = ("lower", "upper", "title")
WEIGHTS = {"lower": 4}
"""Copies of a change compared with those of other changes of its kind: lower case is frequent, and loses all capitals."""
_OTHERS = (CASE, LISTS, GROUPS)


def known_kinds() -> tuple[str, ...]:
    """Return all kinds, also registered perturbations of others."""
    return (*PERTURBATIONS, *_OTHERS, AUTO)


def parse_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of a text, each once; an error for an unknown one.

    >>> parse_kinds("case, typos,case")
    ('case', 'typos')
    """
    kinds = tuple(dict.fromkeys(kind for part in text.split(",") if (kind := part.strip())))
    known = known_kinds()
    unknown = next((kind for kind in kinds if kind not in known), None)
    if unknown is not None or not kinds:
        got = f"unknown kind {unknown!r}" if unknown else "no kind"
        raise InputError(f"robust={text!r}: {got}; use some of {', '.join(known)}, with commas between them")
    if AUTO in kinds and len(kinds) > 1:
        raise InputError(f"robust={text!r}: auto chooses the kinds itself; use it alone")
    return kinds


def changes_of(kinds: tuple[str, ...], corpus: Corpus, templates: TemplateSet) -> dict[str, tuple[str, ...]]:
    """Return the changes of each kind: names of perturbations, or of groups of features.

    >>> from tagpool.features.parser import parse
    >>> corpus = Corpus.from_lists(word=[["Ann"]])
    >>> changes_of(("case", "groups"), corpus, parse("word[0]\\nshape[0]"))
    {'case': ('lower', 'upper', 'title'), 'groups': ('words', 'shapes')}
    """
    perturbs = [kind for kind in kinds if kind not in (LISTS, GROUPS)]
    if perturbs and WORD not in corpus.columns:
        raise InputError(
            f"robust: {perturbs[0]} needs words, and there is no column {WORD!r}; the columns are {', '.join(corpus.columns)}",
            source=corpus.source,
        )
    changes = {kind: _changes(kind, templates) for kind in kinds}
    if LISTS in changes and GROUPS in changes:
        changes[GROUPS] = tuple(group for group in changes[GROUPS] if group != LISTS)
    return changes


def _changes(kind: str, templates: TemplateSet) -> tuple[str, ...]:
    if kind == CASE:
        return CASES
    if kind not in (LISTS, GROUPS):
        return (kind,)
    groups = groups_of(templates)
    if kind == LISTS:
        if LISTS not in groups:
            advice = "leave out lists, or add templates such as gazetteer(cities)[0]"
            raise InputError(f"robust: the templates use no lists (gazetteers, clusters, embeddings); {advice}")
        return (LISTS,)
    if len(groups) < 2:
        advice = "leave out groups, or add templates of other kinds"
        raise InputError(f"robust: all templates are of one group ({', '.join(groups) or 'none'}); {advice}")
    return groups
