"""BaggingPool: one expert for each bag of features, trained apart and combined (Sutton, Sindelar and McCallum 2006, BAGGING).

An expert trained on all features at once leans on the strongest of them, and the weights of the others stay small: when the
strong ones go missing, little is left. Trained apart, every bag learns what it can.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, NotFittedError
from tagpool.experts.inputs import are_given_features, as_corpus
from tagpool.experts.linear.expert import Expert
from tagpool.experts.training_data import UNKNOWN
from tagpool.features.encoder import load_resources
from tagpool.features.presets import load_templates
from tagpool.features.template import TemplateSet
from tagpool.pools.bagging.auto_bags import find_bags
from tagpool.pools.bagging.bags import bags_of, resources_for
from tagpool.pools.bagging.label_wise import merged
from tagpool.pools.bagging.partitions import BagScheme, View
from tagpool.pools.combination import SEQUENCE_PRODUCT, check_combination
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.member_weights import check_shares, uniform
from tagpool.pools.members import Member, check_members
from tagpool.pools.parallel_fits import Job, OnEpoch, fit_all, variant
from tagpool.pools.pool import Pool
from tagpool.pools.weight_learning import HeldOut, best_on_grid, by_expectation, most_likely

Self = TypeVar("Self", bound="BaggingPool")
_WAYS = ("uniform", "dev", "kfold", "em", "likelihood")


class BaggingPool(Pool):
    """One expert for each bag of features, combined.

    ``expert`` is what is trained on every bag: a CRF or MaxEnt, whose templates have bags. ``bags`` are those of the templates
    (None), or names with the bags of templates each member gets, ``{"all": ["ngrams", "lexicons"], "words": ["base"]}``, or
    "auto" (found by how much templates keep each other's weights down), or a scheme: ``RandomParts(2)``, ``SequentialParts(2)``,
    ``Positions()``, ``LabelWise()``. ``combine`` is sequence-product (one model again, see
    ``collapse``), sequence-mixture, transition-product or transition-mixture.

    ``weights`` of the members: "uniform", a list, or how they are found: "dev" (the best F1 on ``dev``), "kfold" (the same
    on held-out parts of the training sentences, ``folds`` of them), and on ``dev``, or such parts where there is none,
    "likelihood" (products) or "em" (mixtures). Bags are trained side by side on ``threads``; the result does not depend on them.

    >>> from tagpool import CRF, builtin_corpus
    >>> crf = CRF("word[-1..1]\\n[shapes]\\nshape(word)[-1..1]\\n[endings]\\nsuffix(word, 1..3)[0]")
    >>> bagged = BaggingPool(crf, weights="dev").fit(builtin_corpus(200), dev=builtin_corpus(60, part="dev"))
    >>> bagged.names_
    ('shapes', 'endings')
    >>> type(bagged.merge()).__name__
    'CRF'
    """

    kind = "feature-bagging"
    members_: tuple[Expert, ...]
    names_: tuple[str, ...]
    bags_: dict[str, tuple[str, ...]]
    auto_: str | None
    _shares: FloatArray | None = None

    def __init__(
        self,
        expert: Expert,
        *,
        bags: Mapping[str, Sequence[str]] | BagScheme | str | None = None,
        combine: str = SEQUENCE_PRODUCT,
        weights: str | Sequence[float] | FloatArray = "uniform",
        folds: int = 2,
        seed: int = 1,
        threads: int = 1,
    ) -> None:
        self.expert = expert
        self.bags = bags
        self.combine = combine
        self.weights = weights
        self.folds = folds
        self.seed = seed
        self.threads = threads

    # Training -----------------------------------------------------------------------------------------------------------

    def fit(
        self: Self,
        sentences: Corpus | Sequence[Any],
        labels: Sequence[Sequence[str | None]] | None = None,
        *,
        dev: Corpus | tuple[Any, Any] | None = None,
        sample_weight: Sequence[float] | FloatArray | None = None,
        on_epoch: OnEpoch | None = None,
    ) -> Self:
        """Trains a member on each bag, then finds their shares.

        ``dev`` decides when each member's training stops, as for experts, and may decide the shares. ``on_epoch`` is called with
        the name of the bag (of a member trained without a fold: "name, fold 1") and the :class:`Epoch`, and may return False to
        stop that training.
        """
        self._check()
        if not isinstance(sentences, Corpus) and are_given_features(sentences):
            raise InputError("given features have no bags: use templates, with the features of each bag under its [name]")
        train = as_corpus(sentences, labels, unknown=UNKNOWN)
        held_out = None if dev is None else as_corpus(*dev) if isinstance(dev, tuple) else as_corpus(dev)
        if isinstance(self.weights, str) and self.weights == "dev" and held_out is None:
            raise InputError("weights='dev' needs a dev set: fit(train, dev=...), or weights='kfold'")
        self._shares = None  # a fit that fails leaves nothing half fitted
        templates = load_templates(self.expert.templates)
        resources = load_resources(templates, self.expert.resources or {})
        chosen, bags, words = self._choose(templates, resources, train, held_out)
        if not isinstance(self.weights, str):
            check_shares(self.weights, len(chosen))
        jobs = self._jobs(chosen, resources, train, held_out, sample_weight)
        parts = self._fold_jobs(chosen, resources, train, sample_weight) if self._needs_folds(held_out) else []
        fit_all([*jobs, *(job for part, _ in parts for job in part)], self.threads, on_epoch)
        members = tuple(job.expert for job in jobs)
        for member in members:
            member.threads = self.threads
        if held_out is not None and not parts:
            parts = [(jobs, held_out)]
        shares = self._learned(members, [([job.expert for job in part], corpus) for part, corpus in parts])
        self.members_, self.names_, self.bags_, self.auto_, self._shares = members, tuple(chosen), bags, words, shares
        return self

    def _check(self) -> None:
        check_combination(self.combine)
        if not isinstance(self.expert, Expert) or isinstance(self.expert, ElitistPool):
            raise InputError(f"expert={self.expert!r}: expected an expert such as CRF('ner-bagging')")
        for name, least in (("folds", 2), ("seed", 0), ("threads", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
                raise InputError(f"{name}={value!r}: expected a whole number from {least} on")
        if not isinstance(self.weights, str):
            return
        if self.weights not in _WAYS:
            raise InputError(f"weights={self.weights!r}: expected {', '.join(_WAYS)} or a list of numbers")
        if self.weights == "em" and not self.combine.endswith("mixture"):
            raise InputError(f"weights='em' is for mixtures, and combine={self.combine!r} is a product; use 'likelihood'")
        if self.weights == "likelihood" and not self.combine.endswith("product"):
            raise InputError(f"weights='likelihood' is for products, and combine={self.combine!r} is a mixture; use 'em'")

    def _choose(
        self, templates: TemplateSet, resources: Mapping[str, Any], train: Corpus, dev: Corpus | None
    ) -> tuple[dict[str, View], dict[str, tuple[str, ...]], str | None]:
        """What each member looks at, how that is called, and how it was found."""
        if isinstance(self.bags, str) and self.bags == "auto":
            found = find_bags(self.expert, templates, resources, train, dev, seed=self.seed, threads=self.threads)
            views = {name: View(each) for name, each in found.bags.items()}
            return views, {name: tuple(map(str, each)) for name, each in found.bags.items()}, found.words
        if isinstance(self.bags, BagScheme):
            views = self.bags.views(templates, self._labels(train))
            if not views:
                raise InputError(f"bags={self.bags!r}: there is nothing for a member to look at")
            return views, {name: view.labels or tuple(map(str, view.templates)) for name, view in views.items()}, None
        named = bags_of(templates, self.bags)
        return {name: View(templates.restrict(*each)) for name, each in named.items()}, named, None

    def _labels(self, corpus: Corpus) -> list[str]:
        """The labels to learn, in the order they are met."""
        met = dict.fromkeys(label for row in corpus.labels for label in row)
        return [label for label in met if label not in (UNKNOWN, self.expert.unknown_label)]

    def _jobs(
        self,
        chosen: Mapping[str, View],
        resources: Mapping[str, Any],
        train: Corpus,
        dev: Corpus | None,
        weights: Any,
        suffix: str = "",
    ) -> list[Job]:
        each = max(1, self.threads // len(chosen))
        found = []
        for name, view in chosen.items():
            own = resources_for(view.templates, resources)
            expert = variant(self.expert, templates=str(view.templates), resources=own, threads=each, warm_start=False)
            expert._part = view.part
            if view.labels is None:
                found.append(Job(name + suffix, expert, train, dev, weights))
                continue
            kept = (*view.labels, UNKNOWN, *filter(None, [self.expert.unknown_label]))
            held_out = None if dev is None else merged(dev, kept)
            found.append(Job(name + suffix, expert, merged(train, kept), held_out, weights, self._labels(train)))
        return found

    def _needs_folds(self, dev: Corpus | None) -> bool:
        return isinstance(self.weights, str) and (
            self.weights == "kfold" or (self.weights in ("em", "likelihood") and dev is None)
        )

    def _fold_jobs(
        self, chosen: Mapping[str, View], resources: Mapping[str, Any], train: Corpus, weights: Any
    ) -> list[tuple[list[Job], Corpus]]:
        """For every fold: the members to be trained on the rest of the sentences, and the fold."""
        if self.folds > len(train):
            raise InputError(f"folds={self.folds}: expected at most {len(train)}, the number of sentences")
        order = list(range(len(train)))
        random.Random(self.seed).shuffle(order)
        found = []
        for fold in range(self.folds):
            held_out = sorted(order[fold * len(order) // self.folds : (fold + 1) * len(order) // self.folds])
            rest = sorted(set(order).difference(held_out))
            own = None if weights is None else np.asarray(weights)[rest]
            jobs = self._jobs(chosen, resources, train.select(rest), None, own, f", fold {fold + 1}")
            found.append((jobs, train.select(held_out)))
        return found

    def _learned(self, members: Sequence[Expert], parts: Sequence[tuple[Sequence[Expert], Corpus]]) -> FloatArray:
        if not isinstance(self.weights, str):
            return check_shares(self.weights, len(members))
        if self.weights == "uniform" or len(members) == 1:
            return uniform(len(members))
        unknown = {UNKNOWN, self.expert.unknown_label}
        held_out = []
        for experts, corpus in parts:
            chosen = [index for index, labels in enumerate(corpus.labels) if unknown.isdisjoint(labels)]
            if chosen:
                known = corpus.select(chosen)
                held_out.append(HeldOut(experts, known, known.labels))
        if not held_out:
            raise InputError(f"weights={self.weights!r}: no held-out sentence has labels for all its tokens")
        if self.weights == "em":
            return by_expectation(held_out, self.combine)
        if self.weights == "likelihood":
            return most_likely(held_out, self.combine, threads=self.threads)
        return best_on_grid(held_out, self.combine)

    # What was learned ---------------------------------------------------------------------------------------------------

    @property
    def is_fitted(self) -> bool:
        """Whether there is anything to tag with."""
        return self._shares is not None

    @property
    def summary_(self) -> dict[str, Any]:
        """What is remembered of the training, by bag."""
        self._members_and_weights()
        return {name: member.summary_ for name, member in zip(self.names_, self.members_, strict=True)}

    def _members_and_weights(self) -> tuple[tuple[Member, ...], FloatArray]:
        if self._shares is None:
            raise NotFittedError("the BaggingPool was not fitted: call fit(corpus) first, or load a model")
        return self.members_, self._shares

    def _combination(self) -> str:
        return check_combination(self.combine)

    def record(self) -> dict[str, Any]:
        """What a file keeps beside the members."""
        return super().record() | {
            "combine": self.combine,
            "names": self.names_,
            "bags": self.bags_,
            "auto": self.auto_,
            "scheme": repr(self.bags) if isinstance(self.bags, BagScheme) else None,
            "folds": int(self.folds),
            "seed": int(self.seed),
        }

    def restore(self, members: Sequence[Expert], shares: FloatArray, record: Mapping[str, Any]) -> None:
        """Makes this the pool that a file tells of."""
        check_combination(self.combine)
        self.members_ = tuple(members)
        check_members(self.members_, "BaggingPool")
        self.names_ = tuple(map(str, record["names"]))
        if len(self.names_) != len(members):
            raise ValueError("not one name a member")
        self.bags_ = {str(name): tuple(map(str, each)) for name, each in dict(record["bags"]).items()}
        self.auto_ = None if record["auto"] is None else str(record["auto"])
        if self.auto_ is not None:
            self.bags = "auto"
        elif record["scheme"] is None:
            self.bags = {name: list(each) for name, each in self.bags_.items()}
        self.folds, self.seed = int(record["folds"]), int(record["seed"])
        self._shares = shares
