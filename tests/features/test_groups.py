"""Groups of features: sentences that lack a group have exactly the other features."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tagpool import Encoder, Gazetteer, builtin_corpus
from tagpool.errors import InputError
from tagpool.features.groups import NOTHING, SeparateColumns, group_of, groups_of
from tagpool.features.parser import parse

TEMPLATES = parse(
    "bias\nword[-1..1]\nshape(word)[0] & pos[0]\nsuffix(word, 1..3)[0]\ngazetteer(cities, lower(word))[-1..1]\n"
    "gazetteer(cities)[0]\ncapitals(word, -1..1)[0]\ndisjunction(word, 1..4)[0]\nelsewhere(lower(word))[0]\nword[0]\n"
)
RESOURCES = {"cities": Gazetteer({"cities": ["Oslo", "New York", "Paris"]})}
CORPUS = builtin_corpus(120)


def features_of(encoder: Encoder, corpus: object) -> list[list[str]]:
    encoded = encoder.transform(corpus)  # type: ignore[arg-type]
    names, starts, ids = encoder.feature_names, encoded.starts.tolist(), encoded.ids.tolist()
    return [[names[one] for one in ids[begin:end]] for begin, end in pairwise(starts)]


@pytest.mark.parametrize("groups", [[], ["words"], ["lists", "pos"], list(groups_of(TEMPLATES))])
def test_separate_columns_do_not_change_features(groups: list[str]) -> None:
    plain = Encoder(TEMPLATES, resources=RESOURCES).fit(CORPUS)
    separate = SeparateColumns.of(TEMPLATES, groups)
    encoder = Encoder(separate.templates, resources=RESOURCES)
    encoded = encoder.fit_transform(separate.with_columns(CORPUS, [None] * len(CORPUS)))
    assert encoder.feature_names == plain.feature_names
    assert encoded.ids.tolist() == plain.transform(CORPUS).ids.tolist()


@pytest.mark.parametrize("group", groups_of(TEMPLATES))
def test_a_sentence_lacks_exactly_the_templates_of_its_group(group: str) -> None:
    plain = Encoder(TEMPLATES, resources=RESOURCES).fit(CORPUS)
    separate = SeparateColumns.of(TEMPLATES, [group])
    encoder = Encoder(separate.templates, resources=RESOURCES).fit(separate.with_columns(CORPUS, [None] * len(CORPUS)))
    gone = {key for template in TEMPLATES if group in map(group_of, template.terms) for key, _ in template.expand()}
    missing = [group if number % 2 else None for number in range(len(CORPUS))]
    ends = CORPUS.offsets().tolist()
    rows = zip(features_of(plain, CORPUS), features_of(encoder, separate.with_columns(CORPUS, missing)), strict=True)
    for token, (before, after) in enumerate(rows):
        sentence = next(number for number, end in enumerate(ends[1:]) if token < end)
        # The edges of a sentence, and the window of capitals, have values of their own.
        others = [name for name in before if name.rpartition("=")[0] not in gone or "=_B" in name]
        shown = [name for name in after if not (missing[sentence] == "shapes" and name.startswith("capitals("))]
        assert shown == (others if missing[sentence] else before)


def test_numbers_and_labels_are_in_no_group() -> None:
    assert groups_of(parse("number(score)[0]\nbias\nlabel[-1] & pos[0]")) == ("pos",)


def test_the_word_without_features_is_not_a_usual_word() -> None:
    assert NOTHING not in {word for words in CORPUS.words for word in words}
    with pytest.raises(InputError, match="no column"):
        SeparateColumns.of(parse("tag[0]"), ["tag"]).with_columns(CORPUS, [None] * len(CORPUS))
