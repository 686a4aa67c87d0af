"""Tag schemes: the parts of a label, and the labels that may follow each other. Sequences are in :mod:`tagpool.corpus.schemes`.

The schemes are those of Ramshaw and Marcus (1995), Tjong Kim Sang and Veenstra (EACL 1999), and Ratinov and Roth (CoNLL 2009):

========  ======================================================================================================
``iob1``  ``I-X`` inside a span; ``B-X`` only on the first token of a span that touches one of the same type
``bio2``  ``B-X`` on the first token of every span, ``I-X`` on the others (also called IOB2 or BIO)
``bioes`` as BIO2, with ``E-X`` on the last token and ``S-X`` on a span of one token (IOBES)
``bilou`` as BIOES, with the letters ``L`` (last) and ``U`` (unit)
``plain`` labels without spans, such as parts of speech
========  ======================================================================================================

One rule reads every mixture of them, valid or not, as conlleval does. A token *continues* the span of the previous token if that
one is ``B`` or ``I``, this one is ``I`` or ``E``, and their types are equal. Every other token that is not outside starts a new
span. The type is the text after the first hyphen; it may be missing (``B``, ``I``).

Deviation: the conlleval of 2004 has the letters ``B I O E`` only, and does not separate ``E-X B-X``; here ``E`` and ``S`` (``L``
and ``U``) always end their span, as in its later versions. It also reads an unknown label with a hyphen (``-X-``) as a span; here
an unknown label is outside. On the letters of IOB1 and BIO2 there is no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tagpool.errors import SchemeError, check_type

if TYPE_CHECKING:
    from tagpool.corpus.constraints import SchemeConstraints


class Scheme(str, Enum):
    """Tag scheme; the values are the names in files and on the command line."""

    IOB1 = "iob1"
    BIO2 = "bio2"
    BILOU = "bilou"
    BIOES = "bioes"
    PLAIN = "plain"

    @classmethod
    def of(cls, name: Scheme | str) -> Scheme:
        """Return the scheme of a name; case does not matter, and BIO, IOB2 and IOBES are aliases.

        >>> Scheme.of("IOB2")
        <Scheme.BIO2: 'bio2'>
        """
        if isinstance(name, Scheme):
            return name
        check_type(name, str, f"a tag scheme; use one of {', '.join(s.value for s in cls)}", SchemeError)
        lower = name.lower()
        return cls(_ALIASES.get(lower, lower))

    @classmethod
    def _missing_(cls, value: object) -> Scheme:
        raise SchemeError(f"unknown tag scheme {value!r}; use one of {', '.join(s.value for s in cls)}")

    @property
    def label(self) -> str:
        """Name in messages."""
        return "plain" if self is Scheme.PLAIN else self.value.upper()

    def constraints(self, labels: Sequence[str]) -> SchemeConstraints:
        """Return the transitions that this scheme allows between labels, as arrays for a lattice.

        >>> import numpy as np
        >>> from tagpool import Lattice
        >>> constraints = Scheme.BIO2.constraints(["O", "B-PER", "I-PER"])
        >>> constraints.transitions.astype(int).tolist(), constraints.start.tolist()
        ([[1, 1, 0], [1, 1, 1], [1, 1, 1]], [True, True, False])
        >>> lattice = Lattice(nodes=[[0, 4, 0], [2, 0, 0], [0, 3, 2]], edges=np.zeros((3, 3)))
        >>> once = {"at_most_once": [constraints.chunk("PER")], "continues": constraints.continues}
        >>> [constraints.labels[label] for label in constraints.constrain(lattice).best(**once).labels]
        ['B-PER', 'O', 'O']
        """
        from tagpool.corpus.constraints import make_constraints

        return make_constraints(self, labels)


_ALIASES = {"bio": "bio2", "iob2": "bio2", "iob": "iob1", "iobes": "bioes"}
_ROLES = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S"}
_LETTERS = {Scheme.IOB1: "BIO", Scheme.BIO2: "BIO", Scheme.BIOES: "BIOES", Scheme.BILOU: "BILOU"}
# Letters of a span of one token; of the first, an inner and the last token of a longer span.
_ONE, _FIRST, _INSIDE, _LAST = range(4)
_PLACES = {Scheme.BIO2: "BBII", Scheme.BIOES: "SBIE", Scheme.BILOU: "UBIL"}


class LabelParts(NamedTuple):
    """Parts of a label: its role (O, B, I, E or S; E for L, S for U), its type, and its letter.

    ``letter`` is ``""`` if no span scheme has the label (``NN``, ``-X-``, ``O-X``); such a label is outside.
    """

    role: str
    type: str
    letter: str


@lru_cache(maxsize=1 << 16)
def label_parts(label: str | None) -> LabelParts:
    """Split a label into its parts; None, the sentence boundary, is outside.

    >>> label_parts("L-PER-x")
    LabelParts(role='E', type='PER-x', letter='L')
    >>> label_parts("NN")
    LabelParts(role='O', type='', letter='')
    """
    if label is None or label == "O":
        return LabelParts("O", "", "O")
    letter, hyphen, kind = label.partition("-")
    role = _ROLES.get(letter)
    if role is None:
        return LabelParts("O", "", "")
    # "B-" reads as "B", but is a label of no scheme: conversion would not restore it.
    return LabelParts(role, kind, "" if hyphen and not kind else letter)


def join_label(letter: str, kind: str) -> str:
    """Join a letter and a type; the letter alone if the type is empty."""
    return f"{letter}-{kind}" if kind else letter


def place_label(scheme: Scheme, kind: str, *, first: bool, last: bool, touches: bool) -> str:
    """Return the label of a token by its position in a span of type ``kind``.

    ``touches``: it is the first token of a span directly after another span of the same type.

    >>> place_label(Scheme.BILOU, "PER", first=True, last=True, touches=False)
    'U-PER'
    """
    if scheme is Scheme.IOB1:
        return join_label("B" if touches else "I", kind)
    starting, later = (_ONE, _LAST) if last else (_FIRST, _INSIDE)
    return join_label(_PLACES[scheme][starting if first else later], kind)


def continues(previous: str | None, following: str | None) -> bool:
    """Return whether ``following`` continues the span of the previous label, as conlleval reads it.

    >>> continues("B-PER", "I-PER"), continues("B-PER", "I-LOC"), continues("E-PER", "I-PER")
    (True, False, False)
    """
    before, here = label_parts(previous), label_parts(following)
    return before.role in "BI" and here.role in "IE" and before.type == here.type


def legal_transition(previous: str | None, following: str | None, scheme: Scheme | str) -> bool:
    """Return whether ``following`` may come directly after ``previous``; None stands for the boundary of the sentence.

    A label that the scheme does not have is never legal, on either side. Plain labels may follow each other freely.

    >>> legal_transition("O", "I-PER", "bio2"), legal_transition("O", "I-PER", "iob1")
    (False, True)
    >>> legal_transition("B-PER", None, "bioes")
    False
    """
    scheme = Scheme.of(scheme)
    if scheme is Scheme.PLAIN:
        return True
    return has_label(scheme, previous) and expected_instead(previous, following, scheme) is None


def expected_instead(previous: str | None, label: str | None, scheme: Scheme) -> str | None:
    """Describe the labels allowed after ``previous`` instead of ``label``; None if ``label`` is allowed.

    A label unknown to the scheme is one violation: the label after it is checked as if it were outside.

    >>> expected_instead("B-PER", "O", Scheme.BIOES)
    "'I-PER' or 'E-PER'"
    """
    if scheme is Scheme.PLAIN:
        return None
    if not has_label(scheme, label):
        return "'O' or a label with one of the letters " + ", ".join(_LETTERS[scheme].replace("O", ""))
    before, here = label_parts(previous if has_label(scheme, previous) else None), label_parts(label)
    same_type = before.role != "O" and before.type == here.type
    if scheme is Scheme.IOB1:
        return repr(join_label("I", here.type)) if here.role == "B" and not same_type else None
    if scheme is Scheme.BIO2:
        return repr(join_label("B", here.type)) if here.role == "I" and not same_type else None
    # BIOES and BILOU: a span opened by B must continue until E, and I and E must continue an open span.
    letters = _PLACES[scheme]
    is_open, continuing = before.role in "BI", here.role in "IE"
    if is_open and not (continuing and same_type):
        return f"{join_label('I', before.type)!r} or {join_label(letters[_LAST], before.type)!r}"
    if continuing and not is_open:
        return f"{join_label('B', here.type)!r} or {join_label(letters[_ONE], here.type)!r}"
    return None


def has_label(scheme: Scheme, label: str | None) -> bool:
    """Return whether a scheme has the label; None, the boundary, is in every scheme."""
    letter = label_parts(label).letter
    return scheme is Scheme.PLAIN or (letter != "" and letter in _LETTERS[scheme])
