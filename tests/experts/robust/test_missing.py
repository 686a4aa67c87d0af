"""Sentences without a group of features: their number, and exactly the features that are left."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tagpool import Encoder, Gazetteer, builtin_corpus
from tagpool.experts.robust.missing import MOST, SHARE, choose_missing, without_group
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.groups import group_of, groups_of
from tagpool.features.parser import parse

TEMPLATES = parse(
    "bias\nword[-1..1]\nshape(word)[0] & pos[0]\nsuffix(word, 1..3)[0]\ngazetteer(cities, lower(word))[-1..1]\n"
    "gazetteer(cities)[0]\ncapitals(word, -1..1)[0]\ndisjunction(word, 1..4)[0]\nelsewhere(lower(word))[0]\nword[0]\n"
    "label[-1] & shape(word)[0]\nlabel[-1] & pos[0]\n"
)
RESOURCES = {"cities": Gazetteer({"cities": ["Oslo", "New York", "Paris"]})}
CORPUS = builtin_corpus(120)


def features_of(encoder: Encoder, encoded: EncodedCorpus) -> list[list[str]]:
    names, history = encoder.feature_names, encoder.history_names
    assert encoded.history is not None
    rows = [
        [[known[one] for one in native.ids()[begin:end]] for begin, end in pairwise(native.starts().tolist())]
        for native, known in ((encoded.native, names), (encoded.history, history))
    ]
    return [first + second for first, second in zip(*rows, strict=True)]


@pytest.mark.parametrize("group", groups_of(TEMPLATES))
def test_exactly_the_templates_of_the_group_are_gone(group: str) -> None:
    encoder = Encoder(TEMPLATES, resources=RESOURCES, history=True)
    encoded = encoder.fit_transform(CORPUS)
    gone = {key for template in TEMPLATES if group in map(group_of, template.terms) for key, _ in template.expand()}
    before, after = features_of(encoder, encoded), features_of(encoder, without_group(encoder, encoded, group))
    assert after == [[name for name in row if name.partition("=")[0] not in gone] for row in before]
    assert after != before


@pytest.mark.parametrize("count", [1, 3, 8])
def test_the_number_of_sentences_is_bounded(count: int) -> None:
    groups = tuple(f"group {number}" for number in range(count))
    missing = choose_missing(1000, {"case": ("lower",), "groups": groups}, seed=1)
    expected = 1000 * min(count * SHARE, MOST)
    assert missing.counts.keys() == {"groups"}
    assert missing.counts["groups"] == sum(map(len, missing.sentences.values()))
    assert 0.9 * expected < missing.counts["groups"] < 1.1 * expected
