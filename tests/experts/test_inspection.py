"""What inspect and explain compute: against all weights laid out, brute force over sets of features, and lattices."""

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
from tagpool.experts.inside.explanation import explain
from tagpool.experts.inside.inspection import (
    features_by_template,
    strongest_features,
    strongest_transition_features,
    strongest_transitions,
    strongest_trigrams,
    template_of,
)
from tagpool.experts.linear.expert import Expert
from tagpool.experts.saving import feature_names, history_names

WORDS = ["Ann", "Bob", "moved", "to", "Oslo", "Bergen", ".", "Dr.", "x1"]
TEMPLATES = "word[0]\nshape[0]\nsuffix(word, 1)[0]\nword[-1] & shape[0]\nbias[0]"


@cache
def trained(kind: type[Expert] = CRF, **parameters: Any) -> Expert:
    return kind(TEMPLATES, trainer=SGD(epochs=4), **parameters).fit(builtin_corpus(120))


EXPERTS = [{"kind": CRF}, {"kind": MaxEnt}, {"kind": CRF, "pairs": "observed"}, {"kind": CRF, "hash_size": 512}]


# inspection --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", EXPERTS[:3])
def test_strongest_features_are_those_of_all_weights(parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tagpool.experts.inside.inspection._AT_ONCE", 7)  # what is looked at in parts is the same
    expert = trained(**parameters)
    names = feature_names(expert)
    weights = expert._fitted().weights_of(names).reshape(len(names), -1)
    for number, label in enumerate(expert.labels_):
        pairs = sorted(zip(names, map(float, weights[:, number]), strict=True), key=lambda pair: (-pair[1], pair[0]))
        found = strongest_features(expert, top=5)[label]
        assert found.speaking_for == [pair for pair in pairs[:5] if pair[1] > 0]
        pairs.sort(key=lambda pair: (pair[1], pair[0]))
        assert found.speaking_against == [pair for pair in pairs[:5] if pair[1] < 0]


def test_features_can_be_looked_at_by_label_and_template() -> None:
    expert = trained()
    found = strongest_features(expert, top=3, labels=["B-PER"], template="word[0]")
    assert list(found) == ["B-PER"]
    assert {template_of(name) for side in found["B-PER"] for name, _ in side} == {"word[0]"}
    counts = features_by_template(expert)
    assert sum(counts.values()) == expert._fitted().feature_count
    assert counts["bias[0]"] == 1
    with pytest.raises(tagpool.InputError, match="no feature comes from a template 'nonsense'; the templates are word"):
        strongest_features(expert, template="nonsense")
    with pytest.raises(tagpool.InputError, match="'B-X' is none of the model's labels"):
        strongest_features(expert, labels=["B-X"])


def test_transitions_have_the_weights_lattices_have() -> None:
    expert = trained()
    (lattice,) = expert.lattices([["Ann"]])
    number = {label: index for index, label in enumerate(expert.labels_)}
    found = strongest_transitions(expert, top=10_000)
    assert len(found) == np.count_nonzero(lattice.edges) + np.count_nonzero(lattice.start) + np.count_nonzero(lattice.end)
    assert [abs(one.weight) for one in found] == sorted((abs(one.weight) for one in found), reverse=True)
    for before, after, weight in found:
        if before is None:
            expected = lattice.start[number[after or ""]]
        elif after is None:
            expected = lattice.end[number[before]]
        else:
            expected = lattice.edges[number[before], number[after]]
        assert weight == expected
    some = strongest_transitions(expert, top=10_000, labels=["B-PER"])
    assert some == [one for one in found if "B-PER" in (one.before, one.after)]
    assert strongest_transitions(trained(kind=MaxEnt)) == []


def test_trigrams_and_features_of_transitions() -> None:
    """Against all weights laid out."""
    templates = TEMPLATES + "\nlabel[-1] & shape[0]\nlabel[-1] & word[0]"
    crf = CRF(templates, order=2, trainer=SGD(epochs=3)).fit(builtin_corpus(120))
    model, labels = crf._fitted(), crf.labels_
    pairs = [(None, label) for label in labels] + [(labels[a], labels[b]) for a, b in model.states().reshape(-1, 2)]
    weights = model.trigrams().reshape(len(pairs), len(labels))
    expected = {(*pair, label): row[j] for pair, row in zip(pairs, weights, strict=True) for j, label in enumerate(labels)}
    found = strongest_trigrams(crf, top=len(expected))
    assert {one[:3]: one.weight for one in found} == {key: weight for key, weight in expected.items() if weight}
    assert [abs(one.weight) for one in found] == sorted((abs(one.weight) for one in found), reverse=True)
    assert strongest_trigrams(crf, top=3) == found[:3]
    chosen = strongest_trigrams(crf, top=len(expected), labels=["B-PER"])
    assert chosen == [one for one in found if "B-PER" in one[:3]] != found
    names = history_names(crf)
    every = strongest_transition_features(crf, top=10**6)
    assert len(every) == len(model.history_weights_of(names)[2]) > 100
    for one in every[:50]:
        _, cells, values = model.history_weights_of([one.feature])
        cell = labels.index(one.before) * len(labels) + labels.index(one.after)
        assert values[cells.tolist().index(cell)] == one.weight
    assert [abs(one.weight) for one in every] == sorted((abs(one.weight) for one in every), reverse=True)
    by_shape = strongest_transition_features(crf, top=10**6, template="label[-1]&shape(word)[0]", labels=["B-LOC"])
    assert {template_of(one.feature) for one in by_shape} == {"label[-1]&shape(word)[0]"}
    assert all("B-LOC" in (one.before, one.after) for one in by_shape)
    counts = features_by_template(crf)
    assert counts["label[-1]&word[0]"] == sum(template_of(name) == "label[-1]&word[0]" for name in names)
    assert list(counts)[-2:] == ["label[-1]&shape(word)[0]", "label[-1]&word[0]"]
    assert strongest_trigrams(trained()) == strongest_transition_features(trained()) == []


# explanation -------------------------------------------------------------------------------------------------------------


def described(expert: Expert, corpus: Corpus, place: int) -> dict[str, float]:
    """A token's features with their values, those without weights included."""
    found: dict[str, float] = {}
    for name, value in expert._fitted().encoder(1).describe(corpus.native, 0)[place]:
        found[name] = found.get(name, 0.0) + value
    return found


def label_without(
    expert: Expert, lattice: Lattice, place: int, features: dict[str, float], missing: set[str], favoured: str | None = None
) -> str:
    """Tags again, with the token's scores summed over the features it has left; a label may be favoured in what is a tie."""
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
        assert sum(each.score for each in one.contributions) == pytest.approx(lattice.nodes[place, label], abs=1e-5)
        assert one.probability == pytest.approx(lattice.marginals()[place, label])
        assert one.runner_up_probability == pytest.approx(max(np.delete(lattice.marginals()[place], label)))
        swapped = best.copy()
        swapped[place] = runner_up
        lead = sum(each.difference for each in one.contributions) + one.transitions
        assert lead == pytest.approx(lattice.score(best) - lattice.score(swapped), abs=1e-5)


@pytest.mark.parametrize("parameters", EXPERTS)
@given(words=sentences)
def test_decisive_features_decide_and_no_fewer_do(parameters: dict[str, Any], words: list[str]) -> None:
    expert = trained(**parameters)
    corpus = Corpus.from_lists(word=[words])
    (lattice,) = expert.lattices([words])
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
    assert explain(nameless, corpus) == explain(trained(), corpus)  # names of a sentence's features are made anew
    with pytest.raises(tagpool.InputError, match="without the names"):
        strongest_features(nameless)
    nameless.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "nameless").read_bytes()
    tagpool.load(tmp_path / "m").save(tmp_path / "without", names=False)
    assert (tmp_path / "without").stat().st_size == (tmp_path / "nameless").stat().st_size


def test_given_features_are_not_explained() -> None:
    given_features = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
    with pytest.raises(tagpool.InputError, match="only features of templates can be explained"):
        explain(given_features, Corpus.from_lists(word=[["a"]]))
    assert strongest_features(given_features)["X"].speaking_for[0][0] == "a"
