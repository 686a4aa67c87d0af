"""inspect and explain against dense weights, brute force over sets of features, and lattices."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagpool
from tagpool import CRF, SGD, Corpus, Lattice, MaxEnt, builtin_corpus
from tagpool.corpus.schemes import Scheme
from tagpool.experts.inside.inspection import (
    features_by_template,
    template_of,
    top_features,
    top_transition_features,
    top_transitions,
)
from tagpool.experts.inside.linear import explain
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import feature_names, history_names

WORDS = ["Ann", "Bob", "moved", "to", "Oslo", "Bergen", ".", "Dr.", "x1"]
TEMPLATES = "word[0]\nshape[0]\nsuffix(word, 1)[0]\nword[-1] & shape[0]\nbias[0]"


@cache
def trained(kind: type[Expert] = CRF, **parameters: Any) -> Expert:
    return kind(TEMPLATES, trainer=SGD(epochs=4), **parameters).fit(builtin_corpus(120))


EXPERTS = [{"kind": CRF}, {"kind": MaxEnt}, {"kind": CRF, "pairs": "observed"}]


# inspection --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", EXPERTS[:3])
def test_top_features_are_those_of_all_weights(parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tagpool.experts.inside.inspection._CELLS", 40)  # chunks do not change the result
    expert = trained(**parameters)
    names = feature_names(expert)
    weights = expert._fitted().weights_of(names).reshape(len(names), -1)
    for number, label in enumerate(expert.labels_):
        pairs = sorted(zip(names, map(float, weights[:, number]), strict=True), key=lambda pair: (-pair[1], pair[0]))
        result = top_features(expert, top=5)[label]
        assert result.positive == [pair for pair in pairs[:5] if pair[1] > 0]
        pairs.sort(key=lambda pair: (pair[1], pair[0]))
        assert result.negative == [pair for pair in pairs[:5] if pair[1] < 0]


def test_features_can_be_looked_at_by_label_and_template() -> None:
    expert = trained()
    result = top_features(expert, top=3, labels=["B-PER"], template="word[0]")
    assert list(result) == ["B-PER"]
    assert {template_of(name) for side in result["B-PER"] for name, _ in side} == {"word[0]"}
    counts = features_by_template(expert)
    assert sum(counts.values()) == expert._fitted().feature_count
    assert counts["bias[0]"] == 1
    with pytest.raises(tagpool.InputError, match="no feature has the template 'nonsense'; the templates are word"):
        top_features(expert, template="nonsense")
    with pytest.raises(tagpool.InputError, match="unknown label 'B-X'"):
        top_features(expert, labels=["B-X"])


def test_transitions_have_the_weights_lattices_have() -> None:
    expert = trained()
    (lattice,) = expert.lattices([["Ann"]])
    number = {label: index for index, label in enumerate(expert.labels_)}
    result = top_transitions(expert, top=10_000)
    assert len(result) == np.count_nonzero(lattice.edges) + np.count_nonzero(lattice.start) + np.count_nonzero(lattice.end)
    assert [abs(one.weight) for one in result] == sorted((abs(one.weight) for one in result), reverse=True)
    for before, after, weight in result:
        if before is None:
            expected = lattice.start[number[after or ""]]
        elif after is None:
            expected = lattice.end[number[before]]
        else:
            expected = lattice.edges[number[before], number[after]]
        assert weight == expected
    some = top_transitions(expert, top=10_000, labels=["B-PER"])
    assert some == [one for one in result if "B-PER" in (one.before, one.after)]
    assert top_transitions(trained(kind=MaxEnt)) == []


def test_transition_features_have_the_weights_of_the_model() -> None:
    crf = CRF(TEMPLATES + "\nlabel[-1] & shape[0]\nlabel[-1] & word[0]", trainer=SGD(epochs=3)).fit(builtin_corpus(120))
    model, labels = crf._fitted(), crf.labels_
    names = history_names(crf)
    every = top_transition_features(crf, top=10**6)
    assert len(every) == len(model.history_weights_of(names)[2]) > 100
    for one in every[:50]:
        _, cells, values = model.history_weights_of([one.feature])
        cell = labels.index(one.before) * len(labels) + labels.index(one.after)
        assert values[cells.tolist().index(cell)] == one.weight
    assert [abs(one.weight) for one in every] == sorted((abs(one.weight) for one in every), reverse=True)
    by_shape = top_transition_features(crf, top=10**6, template="label[-1]&shape(word)[0]", labels=["B-LOC"])
    assert {template_of(one.feature) for one in by_shape} == {"label[-1]&shape(word)[0]"}
    assert all("B-LOC" in (one.before, one.after) for one in by_shape)
    counts = features_by_template(crf)
    assert counts["label[-1]&word[0]"] == sum(template_of(name) == "label[-1]&word[0]" for name in names)
    assert list(counts)[-2:] == ["label[-1]&shape(word)[0]", "label[-1]&word[0]"]
    assert top_transition_features(trained()) == []


# explanation -------------------------------------------------------------------------------------------------------------


def described(expert: Expert, corpus: Corpus, place: int) -> dict[str, float]:
    """The features of a token with their values, also those without weights."""
    result: dict[str, float] = {}
    for name, value in expert._fitted().encoder(1).describe(corpus.native, 0)[place]:
        result[name] = result.get(name, 0.0) + value
    return result


def label_without(
    expert: Expert, lattice: Lattice, place: int, features: dict[str, float], missing: set[str], favoured: str | None = None
) -> str:
    """Tags again with the scores of the remaining features of a token; ``favoured`` wins ties."""
    left = {name: value for name, value in features.items() if name not in missing}
    weights = expert._fitted().weights_of(list(left)).reshape(len(left), len(expert.labels_)).astype(float)
    nodes = lattice.nodes.copy()
    nodes[place] = np.array(list(left.values())) @ weights
    if favoured is not None:
        nodes[place, expert.labels_.index(favoured)] += 2e-4
    return expert.labels_[Lattice(nodes, lattice.edges, lattice.start, lattice.end).best().labels[place]]


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)


@pytest.mark.parametrize("parameters", EXPERTS)
@given(words=sentences)
def test_contributions_add_up_to_the_scores(parameters: dict[str, Any], words: list[str]) -> None:
    expert = trained(**parameters)
    (lattice,) = expert.lattices([words])
    best = lattice.best().labels
    assert [expert.labels_[label] for label in best] == [one.label for one in explain(expert, Corpus.from_lists(word=[words]))]
    for place, one in enumerate(explain(expert, Corpus.from_lists(word=[words]))):
        label, runner_up = expert.labels_.index(one.label), expert.labels_.index(one.runner_up)
        assert sum(item.score for item in one.contributions) == pytest.approx(lattice.nodes[place, label], abs=1e-5)
        assert one.probability == pytest.approx(lattice.marginals()[place, label])
        assert one.runner_up_probability == pytest.approx(max(np.delete(lattice.marginals()[place], label)))
        swapped = best.copy()
        swapped[place] = runner_up
        lead = sum(item.difference for item in one.contributions) + one.transitions
        assert lead == pytest.approx(lattice.score(best) - lattice.score(swapped), abs=1e-5)


@pytest.mark.parametrize("parameters", EXPERTS)
@given(words=sentences)
def test_decisive_features_decide_and_no_fewer_do(parameters: dict[str, Any], words: list[str]) -> None:
    expert = trained(**parameters)
    corpus = Corpus.from_lists(word=[words])
    (lattice,) = expert.lattices([words])
    lattice = Scheme.BIO2.constraints(expert.labels_).constrain(lattice)
    for place, one in enumerate(explain(expert, corpus)):
        features = described(expert, corpus, place)
        assert one.feature_count == len(features)
        smallest = len(features) if one.decisive is None else len(one.decisive) - 1
        if one.decisive is not None:
            assert label_without(expert, lattice, place, features, set(one.decisive)) == one.instead != one.label
        for size in range(smallest + 1):
            for missing in combinations(features, size):
                assert label_without(expert, lattice, place, features, set(missing), one.label) == one.label


def test_models_from_files_are_explained_the_same(tmp_path: Any) -> None:
    corpus = Corpus.from_lists(word=[["Dr.", "Bob", "moved"]])
    trained().save(tmp_path / "m")
    assert explain(tagpool.load(tmp_path / "m"), corpus) == explain(trained(), corpus)
    trained().save(tmp_path / "nameless", names=False)
    nameless = tagpool.load(tmp_path / "nameless")
    assert explain(nameless, corpus) == explain(trained(), corpus)  # the names of features follow from the sentence
    with pytest.raises(tagpool.InputError, match="without names"):
        top_features(nameless)
    nameless.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "nameless").read_bytes()
    tagpool.load(tmp_path / "m").save(tmp_path / "without", names=False)
    assert (tmp_path / "without").stat().st_size == (tmp_path / "nameless").stat().st_size


def test_given_features_are_not_explained() -> None:
    given_features = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
    with pytest.raises(tagpool.InputError, match="only features of templates can be explained"):
        explain(given_features, Corpus.from_lists(word=[["a"]]))
    assert top_features(given_features)["X"].positive[0][0] == "a"


# methods -----------------------------------------------------------------------------------------------------------------


def test_methods_of_a_tagger() -> None:
    crf = trained()
    words = ["Mr.", "Smith", "left", "Oslo", "."]
    explanation = crf.explain(words)
    assert explanation == explain(crf, Corpus.from_lists(word=[words])) == crf.explain({"word": words})
    assert explanation == crf.explain(Corpus.from_lists(word=[["x"], words]), 1)
    shown = str(explanation)
    assert shown.splitlines()[0] == f"  1. Mr.  {explanation[0].heading}"
    assert f"label {explanation[1].instead} without" in explanation.text(1)
    assert crf.top_features("B-PER", 3) == top_features(crf, top=3)["B-PER"]
    assert str(crf.top_features("B-PER", 1)).splitlines()[0].endswith(crf.top_features("B-PER").positive[0][0])
    with pytest.raises(tagpool.InputError, match="number=2: the corpus has 1 sentence"):
        crf.explain(Corpus.from_lists(word=[words]), 2)
    assert crf.columns == ("word",)
    assert not crf.reads_documents
    assert not crf.takes_features
    assert crf.merge() is crf.single_taggers()[0] is crf
    assert (crf.members_, crf.weights_) == ((), ())
    assert np.array_equal(crf.predict_proba([words])[0], crf.predict_marginals([words])[0])


def test_a_tagger_without_probabilities_says_so() -> None:
    tagger = tagpool.InducingTagger("word[0]").fit(builtin_corpus(20))
    for method in (tagger.lattices, tagger.predict_proba):
        with pytest.raises(tagpool.InputError, match="InducingTagger has no probabilities; use a CRF or MaxEnt"):
            method([["Ann"]])


def test_description() -> None:
    description = trained().describe(top=2, labels=["B-PER"])
    assert description.facts["features"] == trained().feature_count
    assert list(description.facts["top_features"]) == ["B-PER"]
    text = str(description)
    assert "for B-PER" in text
    assert "against B-LOC" not in text
    assert "trained on 120 sentences" in text


def test_without_a_group_of_features() -> None:
    crf = CRF("word[0]\n[shapes]\nshape[0]\n[both, shapes]\nsuffix(word, 1)[0]", trainer=SGD(epochs=2)).fit(builtin_corpus(60))
    keys = features_by_template(crf.without("shapes"))
    assert list(keys) == ["word[0]", "suffix(word, 1)[0]"]
    assert list(features_by_template(crf.without("shapes", "both"))) == ["word[0]"]
    assert list(features_by_template(crf.without(templates="word[0]"))) == ["shape(word)[0]", "suffix(word, 1)[0]"]
    with pytest.raises(tagpool.TemplateError, match="no group 'x'; the groups are shapes, both"):
        crf.without("x")
    with pytest.raises(tagpool.InputError, match="has no template pos"):
        crf.without(templates="pos[0]")
    with pytest.raises(tagpool.InputError, match="only be removed from a CRF or MaxEnt"):
        tagpool.InducingTagger("word[0]\n[a]\nshape[0]").fit(builtin_corpus(20)).without("a")
    with pytest.raises(tagpool.InputError, match="transition features"):
        CRF("word[0]\n[a]\nlabel[-1] & word[0]", trainer=SGD(epochs=1)).fit(builtin_corpus(20)).without("a")
    with pytest.raises(tagpool.InputError, match="given features"):
        CRF().fit([[["a"], ["b"]]], [["X", "Y"]]).without("a")
