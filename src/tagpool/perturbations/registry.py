"""The perturbations by name; :func:`register` adds one."""

from __future__ import annotations

from tagpool.errors import InputError, check_type
from tagpool.perturbations.case import CASES
from tagpool.perturbations.characters import DIACRITICS, DIGITS
from tagpool.perturbations.names import NAMES
from tagpool.perturbations.ocr import OCR
from tagpool.perturbations.perturbation import Perturbation
from tagpool.perturbations.tokenisation import PUNCTUATION, SPACES, TOKENS
from tagpool.perturbations.typos import TYPOS

PERTURBATIONS: dict[str, Perturbation] = {
    one.name: one for one in (*CASES, TYPOS, OCR, SPACES, PUNCTUATION, DIACRITICS, DIGITS, TOKENS, NAMES)
}
"""The perturbations by name."""


def register(perturbation: Perturbation) -> Perturbation:
    """Add a perturbation under its name, for :func:`tagpool.perturb`, audits and training; return it.

    >>> from tagpool import Corpus, perturb
    >>> def reverse(corpus):
    ...     return lambda text: [word[::-1] if text.happens() else word for word in text.words]
    >>> _ = register(Perturbation("reversed", "words spelled backwards", reverse))
    >>> perturb(Corpus.from_lists(word=[["on", "top"]]), "reversed").words
    [['no', 'pot']]
    >>> _ = PERTURBATIONS.pop("reversed")
    """
    check_type(perturbation, Perturbation, "a perturbation; make one with Perturbation(name, summary, prepare)")
    if perturbation.name in PERTURBATIONS:
        raise InputError(f"there is a perturbation {perturbation.name} already; choose another name")
    PERTURBATIONS[perturbation.name] = perturbation
    return perturbation
