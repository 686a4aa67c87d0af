"""Templates of conjunctions, ranked by the weights of the conjunctions; other learners can train on them."""

from __future__ import annotations

from collections import defaultdict

import pytest

import tagpool
from tagpool import CRF, SGD, Corpus, InducingTagger, InputError, induced_templates
from tagpool.experts.inducing.inspection import top_conjunctions
from tagpool.experts.inducing.templates import _conjunction, _terms, conjunction_templates
from tagpool.features.parser import parse

TEMPLATES = "word[-1..1]\nshape(word, short)[-1..1]\nsuffix(word, 2)[0]\nlabel[-1]\nlabel[-2]"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return tagpool.builtin_corpus(200, seed=4)


@pytest.fixture(scope="module")
def tagger(corpus: Corpus) -> InducingTagger:
    return InducingTagger(TEMPLATES, epochs=4).fit(corpus)


def test_strengths_are_sums_over_conjunctions(tagger: InducingTagger) -> None:
    sums: dict[frozenset[str], float] = defaultdict(float)
    for pair, _, weight in top_conjunctions(tagger, top=10**9):
        sums[frozenset(name.partition("=")[0] for name in pair.split(" & "))] += abs(weight)
    result = conjunction_templates(tagger)
    assert len(result) > 5
    for item in result:
        keys = frozenset(str(term) for term in item.template.terms)
        assert item.strength == pytest.approx(sums.pop(keys), rel=1e-4)
        assert item.conjunctions > 0
    assert [item.strength for item in result] == sorted((item.strength for item in result), reverse=True)
    # Excluded: labels further back, two features of one template, and functions of the word itself.
    shapes = [{f"word[{place}]", f"shape(word, short)[{place}]"} for place in (-1, 0, 1)]
    assert {frozenset({"word[0]", "suffix(word, 2)[0]"})} <= set(sums)
    assert all(len(keys) == 1 or "label[-2]" in keys or keys in [*shapes, {"word[0]", "suffix(word, 2)[0]"}] for keys in sums)


def test_a_crf_trains_on_them(tagger: InducingTagger, corpus: Corpus) -> None:
    plain = induced_templates(tagger, n=3)
    assert [str(item) for item in plain][:3] == ["word[-1..1]", "shape(word, short)[-1..1]", "suffix(word, 2)[0]"]
    assert [str(item) for item in plain][3:] == [
        str(item.template) for item in conjunction_templates(tagger) if not item.template.is_history
    ][:3]
    crf = CRF(plain, trainer=SGD(epochs=2)).fit(corpus)
    assert crf.feature_count > CRF(TEMPLATES.split("\nlabel")[0], trainer=SGD(epochs=1)).fit(corpus).feature_count
    bagged = induced_templates(tagger, n=3, bag="joint")
    assert bagged.bags == ("joint",)
    assert len(bagged.restrict("joint").templates) == 6
    assert len(bagged.restrict("base").templates) == 3
    with_labels = induced_templates(tagger, n=10**6, transitions=True)
    assert any(item.is_history for item in with_labels)
    assert not any(item.is_history for item in induced_templates(tagger, n=10**6))
    assert "label[-2]" not in str(with_labels)
    CRF(with_labels, trainer=SGD(epochs=1)).fit(corpus)


@pytest.mark.parametrize(
    ("first", "second", "follows"),
    [
        ("word[0]", "suffix(word, 2)[0]", True),
        ("word[1]", "suffix(word, 2)[0]", False),
        ("lower(word)[0]", "suffix(lower(word), 2)[0]", True),
        ("lower(word)[0]", "suffix(word, 2)[0]", False),
        ("suffix(word, 3)[0]", "suffix(word, 2)[0]", True),
        ("suffix(word, 3)[0]", "prefix(word, 2)[0]", False),
        ("cluster(c)[0]", "cluster(c, 4)[0]", True),
        ("cluster(c, 6)[0]", "cluster(d, 4)[0]", False),
        ("word[0]", "gazetteer(places)[0]", False),
        ("word[0]", "pos[0]", False),
    ],
)
def test_terms_that_follow_from_each_other_are_not_joined(first: str, second: str, follows: bool) -> None:
    terms_of = _terms(parse(f"{first}\n{second}"))
    assert (_conjunction(first, second, terms_of) is None) == follows
    assert (_conjunction(second, first, terms_of) is None) == follows


def test_templates_from_a_file_and_of_existing_conjunctions(tagger: InducingTagger, corpus: Corpus, tmp_path) -> None:
    tagger.save(tmp_path / "m")
    assert induced_templates(tagpool.load(tmp_path / "m")) == induced_templates(tagger)
    first = conjunction_templates(tagger)[0].template
    again = InducingTagger(f"{TEMPLATES}\n{first}", epochs=2).fit(corpus)
    names = [str(item) for item in induced_templates(again, n=10**6)]
    assert len(names) == len(set(names))


def test_refusals(tagger: InducingTagger, tmp_path) -> None:
    for n in (0, -1, 2.5, True):
        with pytest.raises(InputError, match="expected a whole number of at least 1"):
            induced_templates(tagger, n=n)
    tagger.save(tmp_path / "m", names=False)
    with pytest.raises(InputError, match="saved without names of features"):
        induced_templates(tagpool.load(tmp_path / "m"))
