"""Attributes of spaCy's tokens as columns of a corpus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

EMPTY = "_"  # value of a token without the attribute


class Attribute(NamedTuple):
    """Attribute of tokens: its name in spaCy, empty if every token has it, and its value."""

    name: str
    value: Callable[[Any], str]


TAGS = Attribute("TAG", lambda token: str(token.tag_))
PARTS = Attribute("POS", lambda token: str(token.pos_))
LEMMAS = Attribute("LEMMA", lambda token: str(token.lemma_))
FEATURES = Attribute("MORPH", lambda token: str(token.morph))
RELATIONS = Attribute("DEP", lambda token: str(token.dep_))

ATTRIBUTES = {
    "tag": TAGS,
    "pos": PARTS,
    "lemma": LEMMAS,
    "morph": FEATURES,
    "dep": RELATIONS,
    "xpos": TAGS,
    "upos": PARTS,
    "feats": FEATURES,
    "deprel": RELATIONS,
    "word": Attribute("", lambda token: str(token.text)),
    "space": Attribute("", lambda token: str(token.whitespace_)),
    "norm": Attribute("", lambda token: str(token.norm_)),
    "shape": Attribute("", lambda token: str(token.shape_)),
}
"""Attributes by the names of columns."""
READ = ("tag", "pos", "lemma", "morph", "dep")
"""Columns of a corpus that is read from a .spacy file, if documents have them."""
WRITTEN = {"tag": "tags", "xpos": "tags", "pos": "pos", "upos": "pos", "lemma": "lemmas", "morph": "morphs", "feats": "morphs"}
"""Arguments of a new document by the names of columns."""
