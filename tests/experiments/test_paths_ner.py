"""The parts of the study of names: experts asked honestly, pools chosen on dev, probabilities averaged."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tagpool import CRF, Corpus, MaxEnt, Scheme, builtin_corpus
from tagpool.corpus.concatenation import concatenate
from tagpool.experiments import paths_ner
from tagpool.experiments.corpora import Split, in_scheme
from tagpool.experiments.names_collection import add_other_documents
from tagpool.experiments.names_experts import BESIDE, FIRST, MEMBERS, Member, Predictions, cross_validate, predict
from tagpool.experiments.paths_ner import POOLINGS, Pooling, average, best_of_each, correlations
from tagpool.experiments.study import Setting
from tagpool.optim.sgd import SGD
from tagpool.pools.two_stage.columns import add_columns

LABELS = ("B-PER", "E-PER", "O", "S-LOC")


def documents(count: int, part: str = "train", length: int = 5) -> Corpus:
    corpus = in_scheme(builtin_corpus(count, part=part), "bioes")
    return Corpus.from_columns({name: corpus.column(name) for name in corpus.columns}, documents=range(0, count, length))


def test_parts_put_together_keep_their_documents() -> None:
    result = concatenate([documents(20), documents(15, "dev")])
    assert result.document_starts == [0, 5, 10, 15, 20, 25, 30]
    assert result.words == documents(20).words + documents(15, "dev").words
    assert concatenate([builtin_corpus(3), builtin_corpus(2)]).document_starts == []


def test_a_first_stage_labels_no_document_that_it_was_trained_on() -> None:
    train = documents(40)
    met: list[list[str]] = []

    class Parrot:
        """Says of a sentence how many of its words' documents it has seen whole."""

        def __init__(self, learned: Corpus) -> None:
            self.learned = {tuple(words) for words in learned.words}

        def predict(self, corpus: Corpus) -> list[list[str]]:
            met.extend(words for words in corpus.words if tuple(words) in self.learned)
            return [["O"] * len(words) for words in corpus.words]

    unlike = Corpus.from_columns({"word": [[str(n)] for n in range(40)], "label": [["O"]] * 40}, documents=range(0, 40, 5))
    messages = cross_validate(FIRST[0], unlike, 4, lambda _, part: Parrot(part))
    assert met == []
    assert messages == [["O"]] * 40
    assert [len(item) for item in cross_validate(FIRST[0], train, 4, lambda _, part: Parrot(part))] == [
        len(item) for item in train.words
    ]


def test_members_have_their_bags_and_predict_legal_labels() -> None:
    train, dev = documents(60), documents(20, "dev")
    common: dict[str, Any] = {"resources": {}, "threads": 1, "quick": True}

    def make(features: str, epochs: int, **more: Any) -> Any:
        return CRF(features, trainer=SGD(epochs=epochs), **more)

    learned, view = add_columns(train, train.labels), add_columns(dev, dev.labels)
    both = Member("both", make, 20, ("ngrams",), sees="first")
    tagger = both.fit(learned, **common)
    assert "mention[-1..1]" in tagger.templates
    assert "ngrams" in tagger.templates
    assert "elsewhere(casing" not in tagger.templates.replace("elsewhere(stage, most)[0] & elsewhere(casing", "")
    messages = predict(tagger, view)
    assert messages.probabilities is not None
    order = np.argsort(np.array(tagger.labels_))
    for mine, theirs in zip(messages.probabilities, tagger.predict_marginals(view), strict=True):
        np.testing.assert_allclose(mine, theirs[:, order], atol=1e-6)
    assert "others[0]" not in tagger.templates
    wide_learned, wide = (add_other_documents(item, item.labels, [range(len(item))]) for item in (learned, view))
    beyond = Member("beyond", make, 20, ("ngrams",), sees="first", beyond=True).fit(wide_learned, **common)
    assert "others[0] & elsewhere(stage, most)[0]" in beyond.templates
    assert "known[-1..1]" in beyond.templates
    _assert_legal(predict(beyond, wide).labels)
    alone = Member("alone", lambda features, _, **more: MaxEnt(features, trainer=SGD(epochs=2), **more), 2, ("ngrams",), "first")
    _assert_legal(predict(alone.fit(learned, **common), view).labels)


def test_second_stages_see_the_labels_of_their_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    met: dict[str, list[Corpus]] = {}

    class Sayer:
        """Says one label of every token, and keeps what it was shown."""

        def __init__(self, name: str, label: str) -> None:
            self.name, self.label = name, label

        def fit(self, train: Corpus) -> Sayer:
            met.setdefault(f"{self.name} learned", []).append(train)
            return self

        def predict(self, corpus: Corpus) -> list[list[str]]:
            met.setdefault(f"{self.name} asked", []).append(corpus)
            return [[self.label] * len(words) for words in corpus.words]

    def member(name: str, label: str, sees: str = "") -> Member:
        return Member(name, lambda *_, **__: Sayer(name, label), 1, ("ngrams",), sees)

    monkeypatch.setattr(paths_ner, "FIRST", (member("places", "S-LOC"), member("people", "S-PER")))
    monkeypatch.setattr(paths_ner, "BESIDE", ())
    monkeypatch.setattr(paths_ner, "MEMBERS", (member("a", "O", "places"), member("b", "O", "people"), member("c", "O")))
    split = Split(documents(30), documents(10, "dev"), documents(15, "test"))
    on_dev, on_test = paths_ner._predict_all(split, {}, Setting())
    assert list(on_dev) == list(on_test) == ["places", "people", "a", "b", "c"]
    assert [len(item["a"].labels) for item in (on_dev, on_test)] == [10, 15]
    assert [len(item) for item in met["a learned"]] == [30]
    for name, kind in (("a", "LOC"), ("b", "PER")):
        for corpus in met[f"{name} learned"] + met[f"{name} asked"]:
            assert {cell for row in corpus.column("stage") for cell in row} == {kind}
            assert {cell.partition("/")[0] for row in corpus.column("others") for cell in row} == {kind, "-"}
    assert all("stage" not in corpus.columns for corpus in met["c learned"] + met["c asked"] + met["places learned"])
    assert sorted(len(item) for item in met["places learned"]) == [20, 20, 20, 30]  # by jackknife, and on all


def _assert_legal(said: list[list[str]]) -> None:
    rules = Scheme.BIOES.constraints(sorted({label for sentence in said for label in sentence}))
    number = {label: at for at, label in enumerate(rules.labels)}
    for sentence in said:
        assert rules.start[number[sentence[0]]]
        assert rules.end[number[sentence[-1]]]
        assert all(rules.transitions[number[a], number[b]] for a, b in pairwise(sentence))


def test_mean_probabilities_give_legal_labels() -> None:
    first = np.array([[0.6, 0.0, 0.4, 0.0], [0.0, 0.3, 0.7, 0.0]], np.float32)
    second = np.array([[0.5, 0.0, 0.3, 0.2], [0.0, 0.6, 0.4, 0.0]], np.float32)
    messages = [Predictions([], [first]), Predictions([], [second])]
    # Token by token it would be B-PER O, which is no name.
    assert average(messages, LABELS) == [["B-PER", "E-PER"]]
    assert average(messages[:1], LABELS) == [["O", "O"]]


def test_experts_without_probabilities_are_certain() -> None:
    unsure = Predictions([], [np.array([[0.0, 0.0, 0.6, 0.4]], np.float32)])
    assert average([unsure], LABELS) == [["O"]]
    assert average([unsure, Predictions([["S-LOC"]])], LABELS) == [["S-LOC"]]
    assert average([unsure, unsure, Predictions([["B-PER"]])], LABELS) == [["O"]]


def test_pools_are_tried_on_documents_that_they_have_not_learned_from() -> None:
    gold = [["B-PER", "E-PER"], ["S-LOC", "O"]] * 20
    corpus = Corpus.from_columns({"word": [["a", "b"]] * 40, "label": gold}, documents=range(0, 40, 8))
    # Each expert is wrong in one document only: without that document nothing speaks against it.
    wrong = [["O", "S-LOC"]] * 8
    messages = {f"not {at}": gold[:at] + wrong + gold[at + 8 :] for at in range(0, 40, 8)}
    assert Pooling("best").out_of_fold(messages, corpus) == wrong * 5
    assert sum(map(list.__eq__, Pooling("best").pool().fit(messages, corpus).predict(messages), gold)) == 32


def test_the_best_way_of_each_method_comes_first_by_what_it_reached() -> None:
    reached = {pooling: float(number % 7) for number, pooling in enumerate(POOLINGS)}
    chosen = best_of_each(reached)
    assert len({item.method for item in chosen}) == len(chosen) == len({item.method for item in POOLINGS})
    assert [reached[item] for item in chosen] == sorted((reached[item] for item in chosen), reverse=True)
    assert reached[chosen[0]] == max(reached.values())
    for item in chosen:
        assert reached[item] == max(f1 for other, f1 in reached.items() if other.method == item.method)


@pytest.mark.parametrize("pooling", POOLINGS, ids=str)
def test_every_way_to_pool_has_a_name_of_its_own(pooling: Pooling) -> None:
    assert [str(item) for item in POOLINGS].count(str(pooling)) == 1


def test_experts_have_names_of_their_own() -> None:
    names = [member.name for member in (*FIRST, *MEMBERS, *BESIDE)]
    assert len(set(names)) == len(names)


def test_columns_of_a_collection_do_not_depend_on_the_document_itself() -> None:
    words = [["Ann", "Lee"], ["Ann", "Lee"], ["ann", "Lee", "Street"], ["Ann"]]
    labels = [["B-PER", "E-PER"], ["S-ORG", "O"], ["B-LOC", "I-LOC", "E-LOC"], ["O"]]
    corpus = Corpus.from_columns({"word": words}, documents=[0, 1, 2, 3])
    whole = [range(4)]
    added = add_other_documents(corpus, labels, whole)
    for number in range(4):
        changed = [["O"] * len(row) if at == number else row for at, row in enumerate(labels)]
        again = add_other_documents(corpus, changed, whole)
        for name in ("others", "known"):
            assert again.column(name)[number] == added.column(name)[number]
    nothing = add_other_documents(corpus, [["O"] * len(row) for row in labels], whole)
    assert {cell for row in nothing.column("known") for cell in row} == {"-"}
    # Small letters do not count: "ann" is a place in the third sentence only.
    assert added.column("others")[3] == ["ORG/2s"]
    assert added.column("known")[:2] == [["ORG/U", "-"], ["PER/B", "PER/L"]]


def test_collections_do_not_see_each_other() -> None:
    corpus = Corpus.from_columns({"word": [["Ann"]] * 4}, documents=range(4))
    labels = [["S-PER"], ["S-ORG"], ["S-PER"], ["S-ORG"]]
    added = add_other_documents(corpus, labels, [[0, 2], [3, 1]])
    assert added.column("others") == [["PER/1a"], ["ORG/1a"], ["PER/1a"], ["ORG/1a"]]
    assert added.column("known") == [["PER/U"], ["ORG/U"], ["PER/U"], ["ORG/U"]]
    assert add_other_documents(corpus, labels, [[0], [1], [2], [3]]).column("others") == [["-"]] * 4


def test_correlations_of_errors_are_those_of_numpy() -> None:
    rng = np.random.default_rng(1)
    wrong = rng.random((2, 300)) < 0.3
    gold = [["O"] * 300]
    first, second = ([["S-PER" if cell else "O" for cell in row]] for row in wrong)
    table = correlations(gold, {"a": first, "b": second, "never wrong": gold})
    assert [row[1] for row in table.lines] == ["1.00", f"{np.corrcoef(wrong)[0, 1]:.2f}", "0.00"]


def test_every_first_stage_is_looked_at_and_looks_at_none() -> None:
    assert all(not first.sees for first in FIRST)
    assert {member.sees for member in (*MEMBERS, *BESIDE)} - {""} == {first.name for first in FIRST}
