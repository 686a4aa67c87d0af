"""Groups of features, by what their templates read."""

from __future__ import annotations

from tagpool.features.groups import groups_of
from tagpool.features.parser import parse


def test_numbers_and_labels_are_in_no_group() -> None:
    assert groups_of(parse("number(score)[0]\nbias\nlabel[-1] & pos[0]")) == ("pos",)


def test_each_term_of_a_conjunction_has_its_group() -> None:
    assert groups_of(parse("shape(word)[0] & pos[0]\ngazetteer(cities, lower(word))[0]")) == ("shapes", "pos", "lists")
