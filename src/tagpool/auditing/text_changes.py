"""The changes of text that an audit makes: every registered perturbation at its usual share, and three kinds of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tagpool.corpus.corpus import Corpus
from tagpool.perturbations.perturb import perturb
from tagpool.perturbations.perturbation import NotApplicable, Perturbation
from tagpool.perturbations.registry import PERTURBATIONS

_ALWAYS_ALL = 1.0


@dataclass(frozen=True)
class TextChange:
    """A row of an audit: the ``perturbation`` and a function that returns the changed corpus."""

    title: str
    perturbation: str
    make: Callable[[], Corpus]


def text_changes(test: Corpus, train: Corpus | None, names: Mapping[str, Corpus], seed: int) -> list[TextChange]:
    """Return the changes of a test set. ``names`` are further sources of names, such as those of other regions."""
    changes: list[TextChange] = []
    for name, perturbation in PERTURBATIONS.items():
        if name != "names":
            changes.append(TextChange(_title(perturbation), name, _simple(test, perturbation, seed)))
            continue
        changes.append(TextChange("names: made up", name, lambda: perturb(test, "names", seed=seed, known=_words(train))))
        changes.append(TextChange("names: of the training text", name, lambda: _replaced(test, train, seed)))
        for source, corpus in names.items():
            changes.append(TextChange(f"names: of {source}", name, _names_of(test, corpus, seed)))
    return changes


def _simple(test: Corpus, perturbation: Perturbation, seed: int) -> Callable[[], Corpus]:
    return lambda: perturb(test, perturbation, share=perturbation.usual_share, seed=seed)


def _names_of(test: Corpus, source: Corpus, seed: int) -> Callable[[], Corpus]:
    return lambda: perturb(test, "names", seed=seed, names=source)


def _replaced(test: Corpus, train: Corpus | None, seed: int) -> Corpus:
    if train is None:
        raise NotApplicable("needs the training text: --train FILE (train=...)")
    return perturb(test, "names", seed=seed, names=train)


def _words(train: Corpus | None) -> list[str]:
    return [] if train is None else sorted({word for row in train.words for word in row})


def _title(perturbation: Perturbation) -> str:
    if perturbation.usual_share == _ALWAYS_ALL:
        return perturbation.name
    return f"{perturbation.name} ({100 * perturbation.usual_share:g}% of {perturbation.unit}s)"
