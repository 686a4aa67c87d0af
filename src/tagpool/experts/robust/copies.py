"""Perturbed copies of training sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
"""Copies for all kinds together, as a share of the sentences: it bounds the time of training."""
_UNIT_SHARE = 0.2  # of the words of a perturbed copy, for perturbations that an audit applies to few words


@dataclass(frozen=True)
class Copies:
    """Perturbed copies of sentences; ``sources`` has the number of the sentence that each is a copy of.

    ``counts`` has the number of copies by kind.
    """

    corpus: Corpus
    sources: list[int]
    counts: dict[str, int]


def make_copies(
    corpus: Corpus, changes: Mapping[str, Sequence[str]], *, seed: int, left_out: set[int], by_document: bool
) -> Copies:
    """Copy a part of the sentences for each kind, and perturb the copies.

    ``changes`` has the perturbations and groups of features of each kind; each copy has one of the perturbations.
    ``left_out`` has sentences that are not copied. With ``by_document`` whole documents are copied. The copies form documents of
    their own.
    """
    perturbing = {kind: found for kind, names in changes.items() if (found := [one for one in names if one in PERTURBATIONS])}
    share = min(SHARE, MOST / max(len(perturbing), 1))
    known = {label for row in corpus.labels for label in row}
    parts: list[Corpus] = []
    sources: list[int] = []
    counts: dict[str, int] = {}
    for kind, names in perturbing.items():
        random = Random(f"{seed} {kind}")
        shares = [WEIGHTS.get(name, 1) for name in names]
        turns: dict[str, list[int]] = {name: [] for name in names}
        for number in _drawn(corpus, share, random, by_document):
            if number not in left_out:
                turns[random.choices(names, shares)[0]].append(number)
        reasons = []
        counts[kind] = 0
        for name, numbers in turns.items():
            try:
                changed = _perturbed(corpus, numbers, name, seed)
            except NotApplicable as reason:
                reasons.append(reason.message)
                continue
            rows = zip(changed.words, changed.labels, corpus.select(numbers).words, strict=True)
            # In some schemes a changed sentence needs a label that no sentence has; the model has no weights for it.
            different = [at for at, (new, labels, old) in enumerate(rows) if new and new != old and known.issuperset(labels)]
            if different:
                parts.append(changed.select(different))
                sources += [numbers[at] for at in different]
                counts[kind] += len(different)
        if len(reasons) == len(names):
            raise NotApplicable(f"robust: {kind} does not apply: {reasons[0]}; leave it out", source=corpus.source)
    if perturbing and not parts:
        raise InputError("robust: no copy of a sentence differs from it; use more sentences", source=corpus.source)
    return Copies(concatenate(parts) if parts else corpus.select([]), sources, counts)


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
