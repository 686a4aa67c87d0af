"""The changes that ``robust="auto"`` cures: those of the dev set that cost an ordinary model significantly many points of F1."""

from __future__ import annotations

import math

from tagpool.corpus.corpus import WORD, Corpus
from tagpool.experts.robust.dev_sets import Scores
from tagpool.experts.robust.kinds import CASE, CASES, GROUPS
from tagpool.features.groups import LISTS, groups_of
from tagpool.features.template import TemplateSet
from tagpool.perturbations.registry import PERTURBATIONS

_WIDTH = 1.96  # standard errors: chance exceeds them in 5% of the cases


def possible_changes(corpus: Corpus, templates: TemplateSet) -> list[str]:
    """Return the perturbations of words, and the groups of features if there are several."""
    groups = groups_of(templates)
    perturbations = list(PERTURBATIONS) if WORD in corpus.columns else []
    return perturbations + [group for group in groups if len(groups) > 1 and group not in perturbations]


def find_weaknesses(audited: Scores | None) -> dict[str, tuple[str, ...]]:
    """Return the kinds of robustness that a model lacks, with the changes of each.

    >>> find_weaknesses(Scores(0.9, {"lower": 0.5, "upper": 0.89, "typos": 0.8}, {"lower": 200, "upper": 200, "typos": 200}, 200))
    {'case': ('lower',), 'typos': ('typos',)}
    """
    weak: dict[str, tuple[str, ...]] = {}
    for name, score in audited.changed.items() if audited is not None else ():
        assert audited is not None
        error = math.hypot(_error(audited.clean, audited.size), _error(score, audited.sizes[name]))
        if audited.clean - score > _WIDTH * error:
            kind = CASE if name in CASES else name if name in PERTURBATIONS or name == LISTS else GROUPS
            weak[kind] = (*weak.get(kind, ()), name)
    return weak


def _error(score: float, size: int) -> float:
    """Return the standard error of a score of this many spans."""
    return math.sqrt(max(score * (1 - score), 0.0) / max(size, 1))
