"""Bags found by themselves: templates that keep each other's weights down belong to different bags.

An expert is trained on all templates, and once more without each family of them. Where a family is left out, the weights of
those it kept down grow: its pressure on another family is 1 - |w with it| / |w without it|. Families under much pressure of each
other are put apart (the cut with the most pressure across it), the rest is shared by both bags. How much is shared is decided on
held-out sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.inside.inspection import template_of
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import feature_names
from tagpool.features.template import Call, Field, Template, TemplateSet, Term
from tagpool.pools.bagging.bags import resources_for
from tagpool.pools.combination import SEQUENCE_PRODUCT
from tagpool.pools.opinion.pool import OpinionPool
from tagpool.pools.parallel_fits import Job, fit_all, variant
from tagpool.pools.weight_learning import HeldOut, best_on_grid

_MOST_SENTENCES = 2000  # to look for bags on
_MOST_APART = 10  # families that all cuts are tried for: 2^9 of them
_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class FoundBags:
    """The templates of each bag, and how they were found, in words."""

    bags: dict[str, TemplateSet]
    words: str


def find_bags(
    expert: Expert,
    templates: TemplateSet,
    resources: Mapping[str, Any],
    train: Corpus,
    dev: Corpus | None,
    *,
    seed: int,
    threads: int,
) -> FoundBags:
    """Two bags of the templates, whatever bags they have."""
    if expert.hash_size is not None:
        raise InputError(
            "bags='auto' looks at the weights of single templates, and hashed features have none: leave out hash_size"
        )
    families = _families(templates)
    if len(families) < 2:
        raise InputError(f"bags='auto': expected at least two kinds of templates, got only {', '.join(families)}")
    if dev is None:
        train, dev = train.split(0.2, seed=seed)
    sample = _sample(train, seed)
    search = _Search(expert, templates, resources, sample, dev, threads)
    names = list(families)
    pressure = search.pressure(families)
    candidates = _candidates(pressure)
    found = search.judged([[[names[index] for index in side] for side in each] for each in candidates], families)
    best = max(range(len(candidates)), key=lambda index: (found.scores[index], -index))
    shared, *sides = candidates[best]
    bags = {
        "+".join(names[index] for index in side): _chosen(templates, families, [names[index] for index in (*shared, *side)])
        for side in sides
    }
    return FoundBags(bags, _words(names, pressure, candidates[best], found.scores[best], found.one))


def _families(templates: TemplateSet) -> dict[str, list[Template]]:
    """Templates by the functions they are made of: all affixes of a kind, all conjunctions of two words, a lexicon."""
    found: dict[str, list[Template]] = {}
    for template in templates:
        found.setdefault("&".join(dict.fromkeys(map(_kind, template.terms))), []).append(template)
    return found


def _kind(term: Term) -> str:
    expression = term.expression
    if isinstance(expression, Field):
        return expression.name
    inner: Any = expression
    while isinstance(inner, Call) and inner.expression is not None and inner.function in ("lower", "simplify"):
        inner = inner.expression
    if isinstance(inner, Field):
        return expression.function
    return str(inner.resource or inner.function)


@dataclass(frozen=True)
class _Judged:
    scores: list[float]  # of each candidate
    one: float  # of one expert on all templates


@dataclass(frozen=True)
class _Search:
    expert: Expert
    templates: TemplateSet
    resources: Mapping[str, Any]
    train: Corpus
    dev: Corpus
    threads: int

    def _fitted(self, sets: Sequence[TemplateSet]) -> list[Expert]:
        jobs = [
            Job(
                "bags='auto'",
                variant(
                    self.expert, templates=str(each), resources=resources_for(each, self.resources), threads=1, warm_start=False
                ),
                self.train,
            )
            for each in sets
        ]
        fit_all(jobs, self.threads)
        return [job.expert for job in jobs]

    def pressure(self, families: Mapping[str, Sequence[Template]]) -> FloatArray:
        """[i, j]: how much family i keeps the weights of family j down, from 0 to 1."""
        names = list(families)
        without = [_chosen(self.templates, families, [name for name in names if name != left_out]) for left_out in names]
        everything, *others = (_norms(each, families) for each in self._fitted([self.templates, *without]))
        found = np.zeros((len(names), len(names)))
        for i, j in product(range(len(names)), repeat=2):
            if i != j and others[i][j] > 0:
                found[i, j] = max(0.0, 1 - everything[j] / others[i][j])
        return found

    def judged(self, candidates: Sequence[Sequence[Sequence[str]]], families: Mapping[str, Sequence[Template]]) -> _Judged:
        """The F1 of every candidate (shared families, then those of each bag) on the held-out sentences."""
        sets = [_chosen(self.templates, families, [*shared, *side]) for shared, *sides in candidates for side in sides]
        one, *members = self._fitted([self.templates, *sets])
        scores, begin = [], 0
        for _, *sides in candidates:
            pool = members[begin : begin + len(sides)]
            begin += len(sides)
            shares = best_on_grid([HeldOut(pool, self.dev, self.dev.labels)], SEQUENCE_PRODUCT)
            scores.append(OpinionPool(pool, weights=shares).score(self.dev))
        return _Judged(scores, one.score(self.dev))


def _sample(train: Corpus, seed: int) -> Corpus:
    if len(train) <= _MOST_SENTENCES:
        return train
    return train.split(_MOST_SENTENCES / len(train), seed=seed)[1]


def _chosen(templates: TemplateSet, families: Mapping[str, Sequence[Template]], names: Sequence[str]) -> TemplateSet:
    wanted = {id(template) for name in names for template in families[name]}
    return templates.keep(tuple(each for each in templates if id(each) in wanted))


def _norms(expert: Expert, families: Mapping[str, Sequence[Template]]) -> list[float]:
    """The length of the weights of each family."""
    family_of = {
        key: number for number, each in enumerate(families.values()) for template in each for key, _ in template.expand()
    }
    squares = np.zeros(len(families) + 1)  # the last: features of no family
    names = feature_names(expert)
    for begin in range(0, len(names), _AT_ONCE):
        part = names[begin : begin + _AT_ONCE]
        weights = expert._fitted().weights_of(part).reshape(len(part), -1).astype(np.float64)
        owners = [family_of.get(template_of(name), len(families)) for name in part]
        squares += np.bincount(owners, (weights**2).sum(axis=1), minlength=len(squares))
    found: list[float] = np.sqrt(squares[:-1]).tolist()
    return found


Candidate = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Families by number: shared by both bags, and of each bag."""


def _candidates(pressure: FloatArray) -> list[Candidate]:
    """The best cuts of the families under most pressure, from two of them to ten."""
    mutual = pressure + pressure.T
    order = sorted(range(len(mutual)), key=lambda index: (-mutual[index].max(), index))
    found: list[Candidate] = []
    for count in range(2, min(len(order), _MOST_APART) + 1):
        apart = sorted(order[:count])
        sides = _best_cut(mutual[np.ix_(apart, apart)])
        left, right = (tuple(apart[index] for index in np.flatnonzero(sides == side)) for side in (0, 1))
        shared = tuple(index for index in range(len(mutual)) if index not in apart)
        found.append((shared, left, right))
    return found


def _best_cut(mutual: FloatArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The side (0 or 1) of each family in the cut with the most pressure across it; the first family is on side 0."""
    count = len(mutual)
    best, found = -1.0, np.zeros(count, np.int64)
    for number in range(1, 1 << (count - 1)):
        sides = np.array([0, *((number >> bit) & 1 for bit in range(count - 1))])
        across = float(mutual[np.ix_(sides == 0, sides == 1)].sum())
        if across > best:
            best, found = across, sides
    return found


def _words(names: Sequence[str], pressure: FloatArray, found: Candidate, score: float, one: float) -> str:
    shared, left, right = found
    strongest = [
        (pressure[i, j], names[i], names[j]) for i, j in (*product(left, right), *product(right, left)) if pressure[i, j] > 0
    ]
    because = "; ".join(
        f"{a} keeps the weights of {b} down by {value:.0%}" for value, a, b in sorted(strongest, reverse=True)[:3]
    )
    return (
        f"two bags, {' + '.join(names[i] for i in left)} and {' + '.join(names[i] for i in right)}, "
        f"with {' + '.join(names[i] for i in shared) or 'nothing'} in both: {because or 'no pressure was found'}. "
        f"Held-out F1 {100 * score:.2f} for the bags, {100 * one:.2f} for one expert on all templates."
    )
