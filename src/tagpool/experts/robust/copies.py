"""Copies of training sentences: perturbed ones, and ones that lack a group of features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

from tagpool.corpus.concatenation import concatenate
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.robust.kinds import WEIGHTS
from tagpool.perturbations.perturb import perturb
from tagpool.perturbations.perturbation import NotApplicable
from tagpool.perturbations.registry import PERTURBATIONS

SHARE = 0.3
"""Share of the sentences that are copied for one kind."""
MOST = 0.6
"""Share of the sentences that are copied for all kinds together: it bounds the time of training."""
_UNIT_SHARE = 0.2  # of the words of a perturbed copy, for perturbations that an audit applies to few words


@dataclass(frozen=True)
class Copies:
    """Copies of sentences, the perturbed ones first; ``sources`` has the number of the sentence that each is a copy of.

    ``missing`` has the group of features that each lacks. ``counts`` has the number of copies by kind.
    """

    corpus: Corpus
    sources: list[int]
    missing: list[str | None]
    counts: dict[str, int]

    @property
    def perturbed(self) -> int:
        """Number of perturbed copies."""
        return self.missing.count(None)


def make_copies(
    corpus: Corpus, changes: Mapping[str, Sequence[str]], *, seed: int, left_out: set[int], by_document: bool
) -> Copies:
    """Copy a part of the sentences for each kind, and change the copies.

    ``changes`` has the perturbations and groups of features of each kind; each copy has one of them. ``left_out`` has sentences
    that are not copied. With ``by_document`` whole documents are copied. The copies form documents of their own.
    """
    share = min(SHARE, MOST / max(len(changes), 1))
    labels = {label for row in corpus.labels for label in row}
    perturbed, lacking = _Parts(labels), _Parts(labels)
    for kind, names in changes.items():
        random = Random(f"{seed} {kind}")
        chosen = [number for number in _drawn(corpus, share, random, by_document) if number not in left_out]
        shares = [WEIGHTS.get(name, 1) for name in names]
        turns: dict[str, list[int]] = {name: [] for name in names}
        for number in chosen:
            turns[random.choices(names, shares)[0]].append(number)
        reasons = []
        for name, numbers in turns.items():
            if name not in PERTURBATIONS:
                lacking.add(kind, corpus, numbers, name)
                continue
            try:
                perturbed.add(kind, _perturbed(corpus, numbers, name, seed), numbers, None, before=corpus)
            except NotApplicable as reason:
                reasons.append(reason.message)
        if len(reasons) == len(names):
            raise NotApplicable(f"robust: {kind} does not apply: {reasons[0]}; leave it out", source=corpus.source)
    parts = [*perturbed.corpora, *lacking.corpora]
    if not parts:
        raise InputError("robust: no copy of a sentence differs from it; use more sentences", source=corpus.source)
    return Copies(
        concatenate(parts),
        [*perturbed.sources, *lacking.sources],
        [*perturbed.missing, *lacking.missing],
        {kind: perturbed.counts.get(kind, 0) + lacking.counts.get(kind, 0) for kind in changes},
    )


class _Parts:
    """Copies that are collected part by part."""

    def __init__(self, known: Iterable[str]) -> None:
        self.known = set(known)  # labels of the sentences
        self.corpora: list[Corpus] = []
        self.sources: list[int] = []
        self.missing: list[str | None] = []
        self.counts: dict[str, int] = {}

    def add(self, kind: str, changed: Corpus, numbers: list[int], group: str | None, *, before: Corpus | None = None) -> None:
        """Add copies of sentences with these numbers; with ``before``, without those that did not change."""
        if before is not None:
            rows = zip(changed.words, changed.labels, before.select(numbers).words, strict=True)
            # In some schemes a changed sentence needs a label that no sentence has; the model has no weights for it.
            different = [at for at, (new, labels, old) in enumerate(rows) if new and new != old and self.known.issuperset(labels)]
            changed, numbers = changed.select(different), [numbers[at] for at in different]
        else:
            changed = changed.select(numbers)
        if not numbers:
            return
        self.corpora.append(changed)
        self.sources += numbers
        self.missing += [group] * len(numbers)
        self.counts[kind] = self.counts.get(kind, 0) + len(numbers)


def _drawn(corpus: Corpus, share: float, random: Random, by_document: bool) -> list[int]:
    """Return the numbers of drawn sentences, or those of drawn documents, in order."""
    if not by_document:
        return [number for number in range(len(corpus)) if random.random() < share]
    bounds = [*corpus.document_starts, len(corpus)]
    return [number for first, last in pairwise(bounds) if random.random() < share for number in range(first, last)]


def _perturbed(corpus: Corpus, numbers: list[int], name: str, seed: int) -> Corpus:
    chosen = corpus.select(numbers)
    if not numbers:
        return chosen
    options: dict[str, Any] = {"known": corpus} if name == "names" else {}
    share = 1.0 if PERTURBATIONS[name].usual_share == 1 else max(_UNIT_SHARE, PERTURBATIONS[name].usual_share)
    return perturb(chosen, name, share=share, seed=seed, **options)
