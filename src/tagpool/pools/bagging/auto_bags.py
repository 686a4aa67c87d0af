"""Automatic bags: templates that reduce each other's weights go to different bags.

A learner is trained on all templates, and again without each family of templates. The pressure of a family on another is
1 - |w with it| / |w without it|. The families under most pressure are divided by the cut with the most pressure across it; both
bags share the others. Held-out sentences decide how many families are divided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.inside.inspection import iterate_weights, template_of
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import feature_names
from tagpool.features.template import Call, Field, Template, TemplateSet, Term
from tagpool.optim.checkpoint import Checkpoint
from tagpool.pools.bagging.bags import BagInputs, Bags, resources_for
from tagpool.pools.bagging.partitions import View
from tagpool.pools.combination import SEQUENCE_PRODUCT
from tagpool.pools.opinion.pool import OpinionPool
from tagpool.pools.parallel_fits import Job, TrainingCorpora, fit_all, same_scheme, variant
from tagpool.pools.weight_learning import HeldOut, maximise_f1

if TYPE_CHECKING:
    from tagpool.pools.bagging.pool import BaggingPool

_MAX_SENTENCES = 2000  # to train on
_MAX_DIVIDED = 10  # families; all 2^9 cuts are compared

Candidate = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Families by number: shared by both bags, and of each bag."""


def find_bags(inputs: BagInputs) -> Bags:
    """Divide the templates into two bags, ignoring the bags that they have."""
    pool, corpora = inputs.pool, inputs.corpora
    families = _families(inputs.templates)
    if len(families) < 2:
        raise InputError(f"bags='auto': expected at least two kinds of templates, got only {', '.join(families)}")
    train, dev = corpora.train, corpora.dev
    if dev is None:
        train, dev = train.split(0.2, seed=pool.seed)
    if len(train) > _MAX_SENTENCES:
        train = train.split(_MAX_SENTENCES / len(train), seed=pool.seed)[1]
    search = _Search(pool, inputs.templates, families, inputs.resources, train, dev, inputs.checkpoint)
    pressure = search.pressure()
    candidates = _candidates(pressure)
    scores, score_without_bags = search.evaluate(candidates)
    best = max(range(len(candidates)), key=lambda index: (scores[index], -index))
    names = list(families)
    shared, *sides = candidates[best]
    bags = {"+".join(names[index] for index in side): search.select((*shared, *side)) for side in sides}
    return Bags(
        {name: View(bag) for name, bag in bags.items()},
        {name: tuple(map(str, bag)) for name, bag in bags.items()},
        _explain(names, pressure, candidates[best], scores[best], score_without_bags),
    )


def _families(templates: TemplateSet) -> dict[str, list[Template]]:
    """Return the templates by their functions: all suffixes, all conjunctions of two words, one lexicon, ..."""
    families: dict[str, list[Template]] = {}
    for template in templates:
        families.setdefault("&".join(dict.fromkeys(map(_function, template.terms))), []).append(template)
    return families


def _function(term: Term) -> str:
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
class _Search:
    """Trainings on parts of the templates; families are numbered."""

    pool: BaggingPool
    templates: TemplateSet
    families: Mapping[str, Sequence[Template]]
    resources: Mapping[str, Any]
    train: Corpus
    dev: Corpus
    checkpoint: Checkpoint | None

    def select(self, numbers: Sequence[int]) -> TemplateSet:
        """Return the templates of these families."""
        families = list(self.families.values())
        selected = {id(template) for number in numbers for template in families[number]}
        return self.templates.keep(tuple(template for template in self.templates if id(template) in selected))

    def _fit(self, sets: Sequence[TemplateSet], name: str) -> list[Expert]:
        like = same_scheme(self.pool.expert)
        experts = [
            variant(like, templates=str(one), resources=resources_for(one, self.resources), threads=1, warm_start=False)
            for one in sets
        ]
        jobs = [Job("bags='auto'", expert, TrainingCorpora(self.train)) for expert in experts]
        fit_all(jobs, self.pool.threads, checkpoint=None if self.checkpoint is None else self.checkpoint.part(name))
        return experts

    def pressure(self) -> FloatArray:
        """Return [i][j]: the relative reduction of the weights of family j by family i, from 0 to 1."""
        numbers = range(len(self.families))
        without = [self.select([number for number in numbers if number != removed]) for removed in numbers]
        all_norms, *norms_without = (
            _norms(expert, self.families) for expert in self._fit([self.templates, *without], "pressure")
        )
        pressure = np.zeros((len(numbers), len(numbers)))
        for i, j in product(numbers, repeat=2):
            if i != j and norms_without[i][j] > 0:
                pressure[i, j] = max(0.0, 1 - all_norms[j] / norms_without[i][j])
        return pressure

    def evaluate(self, candidates: Sequence[Candidate]) -> tuple[list[float], float]:
        """Return the held-out F1 of every candidate, and of one model without bags."""
        one, *members = self._fit(
            [self.templates, *(self.select((*shared, *side)) for shared, *sides in candidates for side in sides)], "candidates"
        )
        scores = []
        for left, right in zip(members[::2], members[1::2], strict=True):
            weights = maximise_f1([HeldOut([left, right], self.dev, self.dev.labels)], SEQUENCE_PRODUCT)
            scores.append(OpinionPool([left, right], weights=weights.tolist()).score(self.dev))
        return scores, one.score(self.dev)


def _norms(expert: Expert, families: Mapping[str, Sequence[Template]]) -> list[float]:
    """Return the norm of the weights of each family."""
    family_of = {
        key: number for number, family in enumerate(families.values()) for template in family for key, _ in template.expand()
    }
    squares = np.zeros(len(families) + 1)  # the last: features without a family
    for names, weights in iterate_weights(expert._fitted(), feature_names(expert)):
        owners = [family_of.get(template_of(name), len(families)) for name in names]
        squares += np.bincount(owners, (weights.astype(np.float64) ** 2).sum(axis=1), minlength=len(squares))
    norms: list[float] = np.sqrt(squares[:-1]).tolist()
    return norms


def _candidates(pressure: FloatArray) -> list[Candidate]:
    """Return the best cuts of the 2, 3, ... 10 families under most pressure."""
    mutual = pressure + pressure.T
    order = sorted(range(len(mutual)), key=lambda index: (-mutual[index].max(), index))
    candidates: list[Candidate] = []
    for count in range(2, min(len(order), _MAX_DIVIDED) + 1):
        divided = sorted(order[:count])
        sides = _best_cut(mutual[np.ix_(divided, divided)])
        left, right = (tuple(divided[index] for index in np.flatnonzero(sides == side)) for side in (0, 1))
        shared = tuple(index for index in range(len(mutual)) if index not in divided)
        candidates.append((shared, left, right))
    return candidates


def _best_cut(mutual: FloatArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the side (0 or 1) of each family in the cut with the most pressure; the first family is on side 0."""
    count = len(mutual)
    best, best_sides = -1.0, np.zeros(count, np.int64)
    for number in range(1, 1 << (count - 1)):
        sides = np.array([0, *((number >> bit) & 1 for bit in range(count - 1))])
        across = float(mutual[np.ix_(sides == 0, sides == 1)].sum())
        if across > best:
            best, best_sides = across, sides
    return best_sides


def _explain(names: Sequence[str], pressure: FloatArray, candidate: Candidate, score: float, score_without_bags: float) -> str:
    shared, left, right = candidate
    strongest = [
        (pressure[i, j], names[i], names[j]) for i, j in (*product(left, right), *product(right, left)) if pressure[i, j] > 0
    ]
    because = "; ".join(f"{a} reduces the weights of {b} by {value:.0%}" for value, a, b in sorted(strongest, reverse=True)[:3])
    return (
        f"two bags, {' + '.join(names[i] for i in left)} and {' + '.join(names[i] for i in right)}, "
        f"with {' + '.join(names[i] for i in shared) or 'nothing'} in both: {because or 'no family reduces weights of another'}. "
        f"Held-out F1 {100 * score:.2f} with bags, {100 * score_without_bags:.2f} for one model on all templates."
    )
