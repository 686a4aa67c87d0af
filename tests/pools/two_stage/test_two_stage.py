"""TwoStageTagger: columns of the second stage against a slow version; folds, files, refusals."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagpool import CRF, SGD, BaggingPool, Corpus, Encoder, InducingTagger, MaxEnt, OpinionPool, builtin_corpus, load
from tagpool.corpus.schemes import spans
from tagpool.errors import InputError, ModelError, NotFittedError
from tagpool.pools.parallel_fits import TrainingCorpora
from tagpool.pools.two_stage.columns import TEMPLATES, add_columns, label_types, mention_column
from tagpool.pools.two_stage.pool import TwoStageTagger

FEATURES = "word[-1..1]\nshape(word, short)[0]"
WORDS = ["lee", "Lee", "ann", "Ann", "of", "acme"]
LABELS = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG"]


def crf(**parameters: Any) -> CRF:
    return CRF(FEATURES, trainer=SGD(epochs=2), **parameters)


def in_documents(count: int, part: str = "train") -> Corpus:
    corpus = builtin_corpus(count, part=part)  # type: ignore[arg-type]
    columns = {name: corpus.column(name) for name in ("word", "label")}
    return Corpus.from_columns(columns, documents=range(0, count, 6))


@pytest.fixture(scope="module")
def train() -> Corpus:
    return in_documents(120)


@pytest.fixture(scope="module")
def dev() -> Corpus:
    return in_documents(60, "dev")


@pytest.fixture(scope="module")
def pool(train: Corpus, dev: Corpus) -> TwoStageTagger:
    return TwoStageTagger(crf(), folds=3).fit(train, dev=dev)


# Input of the second stage ------------------------------------------------------------------------------------------------


@st.composite
def labelled(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]]]:
    words = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=4))
    labels = [draw(st.lists(st.sampled_from(LABELS), min_size=len(row), max_size=len(row))) for row in words]
    return words, labels


@given(labelled())
def test_mentions_are_the_longest_phrases_labelled_elsewhere(case: tuple[list[list[str]], list[list[str]]]) -> None:
    words, labels = [[word.lower() for word in row] for row in case[0]], case[1]
    result = mention_column(words, labels)
    entities = [(n, a, b, kind) for n, row in enumerate(labels) for a, b, kind in spans(row)]
    for n, row in enumerate(words):
        for at in range(len(row)):
            best = "-"
            for length in range(len(row), 0, -1):
                starts = range(max(0, at - length + 1), min(at, len(row) - length) + 1)
                for start in starts:
                    others = [
                        kind
                        for m, a, b, kind in entities
                        if words[m][a:b] == row[start : start + length] and (m, a) != (n, start)
                    ]
                    if others and best == "-":
                        most = max(Counter(others).values())
                        kind = next(kind for kind in others if Counter(others)[kind] == most)
                        place = "U" if length == 1 else {start: "B", start + length - 1: "L"}.get(at, "I")
                        best = f"{kind}/{place}"
            assert result[n][at] == best


@given(labelled())
def test_elsewhere_is_the_majority_of_other_mentions(case: tuple[list[list[str]], list[list[str]]]) -> None:
    words, labels = case
    corpus = add_columns(Corpus.from_columns({"word": words}, documents=[0]), labels)
    encoder = Encoder("elsewhere(stage, most)[0]").fit(corpus)
    kinds = label_types(labels)
    places = [(n, at) for n, row in enumerate(words) for at in range(len(row))]
    for n, at in places:
        same = [(m, b) for m, b in places if words[m][b].lower() == words[n][at].lower()]
        counts = Counter(kinds[m][b] for m, b in same if (m, b) != (n, at))
        order = list(dict.fromkeys(kinds[m][b] for m, b in same))
        expected = sorted(counts, key=lambda kind: (-counts[kind], order.index(kind)))[:1]
        assert encoder.describe(corpus, n)[at] == [(f"elsewhere(stage, most)[0]={kind}", 1.0) for kind in expected]


def test_other_documents_have_no_effect() -> None:
    words, labels = [["Lee"], ["Lee"]], [["B-PER"], ["O"]]
    assert add_columns(Corpus.from_columns({"word": words}, documents=[0]), labels).column("mention") == [["-"], ["PER/U"]]
    assert add_columns(Corpus.from_columns({"word": words}, documents=[0, 1]), labels).column("mention") == [["-"], ["-"]]
    assert add_columns(Corpus.from_lists(word=words), labels).column("mention") == [["-"], ["-"]]


# Training ------------------------------------------------------------------------------------------------------------------


class Spy(CRF):
    """Records the training sentences and the tagged sentences of all instances."""

    learned: ClassVar[list[list[list[str]]]] = []
    inputs: ClassVar[list[list[list[str]]]] = []

    def fit(self, sentences: Any, *rest: Any, **options: Any) -> Any:
        self.seen = sentences.words
        Spy.learned.append(sentences.words)
        return super().fit(sentences, *rest, **options)

    def predict(self, sentences: Any) -> list[list[str]]:
        asked = sentences.words
        Spy.inputs.append(asked)
        assert len(self.seen) == 60 or not any(sentence in self.seen for sentence in asked), "a fold has seen what it labels"
        return super().predict(sentences)


def test_no_first_stage_labels_documents_it_has_learned_from(train: Corpus) -> None:
    Spy.learned, Spy.inputs = [], []
    whole = train.select(range(60))
    TwoStageTagger(Spy(FEATURES, trainer=SGD(epochs=1)), crf(), folds=4).fit(whole)
    *folds, last = Spy.learned
    assert last == whole.words
    assert len(folds) == len(Spy.inputs) == 4
    assert sorted(sentence for part in Spy.inputs for sentence in part) == sorted(whole.words)
    for learned, asked in zip(folds, Spy.inputs, strict=True):
        assert sorted(learned + asked) == sorted(whole.words)
        assert len(asked) % 6 == 0, "whole documents"


def test_the_second_stage_equals_a_tagger_on_the_same_columns(train: Corpus, dev: Corpus, pool: TwoStageTagger) -> None:
    def fit_stages(stages: dict[str, tuple[CRF, TrainingCorpora]]) -> list[CRF]:
        return [stage.fit(corpora.train, dev=corpora.dev) for stage, corpora in stages.values()]

    second = CRF(FEATURES + TEMPLATES, trainer=SGD(epochs=2))
    second.fit(
        add_columns(train, pool._fit_first(TrainingCorpora(train, dev), fit_stages)[1]),
        dev=add_columns(dev, pool.first_.predict(dev)),
    )
    assert second.predict(pool.second_input(dev)) == pool.predict(dev) == pool.second_.predict(pool.second_input(dev))
    assert pool.first_.predict(dev) == crf().fit(train, dev=dev).predict(dev)


def test_the_pool_does_not_depend_on_the_threads(train: Corpus, dev: Corpus, pool: TwoStageTagger, tmp_path: Any) -> None:
    again = TwoStageTagger(crf(), folds=3, threads=2).fit(train, dev=dev)
    again.save(tmp_path / "again")
    pool.save(tmp_path / "pool")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "pool").read_bytes()


@pytest.mark.parametrize(
    "stage",
    [
        MaxEnt(FEATURES, trainer=SGD(epochs=2)),
        InducingTagger(FEATURES, epochs=2),
        BaggingPool(CRF("word[0]\n[a]\nword[-1]\n[b]\nword[1]", trainer=SGD(epochs=1))),
    ],
    ids=lambda stage: type(stage).__name__,
)
def test_stages_of_every_kind_and_their_files(stage: Any, train: Corpus, tmp_path: Any) -> None:
    messages: list[str] = []
    pool = TwoStageTagger(stage, folds=2).fit(train, on_epoch=lambda name, _: messages.append(name))
    assert {name.split(",")[0] for name in messages} == {"fold 1", "fold 2", "first stage", "second stage"}
    pool.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert isinstance(again, TwoStageTagger)
    assert again.predict(train) == pool.predict(train)
    assert again.labels_ == pool.labels_
    assert (again.folds, again.seed, again.added_templates) == (2, 1, TEMPLATES)
    assert again.predict([]) == []
    if isinstance(stage, InducingTagger):
        with pytest.raises(InputError, match="the second stage is a InducingTagger, which has no probabilities"):
            again.lattices(train)
    else:
        assert [len(item) for item in again.predict_marginals(train)] == [len(sentence) for sentence in train]


def test_it_is_a_tagger_like_others(pool: TwoStageTagger, dev: Corpus) -> None:
    assert 0.3 < pool.score(dev) <= 1
    assert [len(rows) for rows in pool.predict_marginals(dev)] == [len(sentence) for sentence in dev]
    nested = OpinionPool([pool, CRF(FEATURES, trainer=SGD(epochs=2)).fit(dev)], weights=[1.0, 0.0])
    assert nested.predict(dev) == pool.predict(dev)
    assert nested.lattices(dev)[0].best().labels.tolist() == pool.lattices(dev)[0].best().labels.tolist()
    reported = pool.votes(dev, 7)
    assert [item.label for item in reported] == pool.predict(dev)[7]
    assert [vote.member for vote in reported[0].votes] == ["first stage", "second stage"]
    assert set(pool.summary_) == {"first stage", "second stage"}
    assert pool.get_params()["first__l2"] == 1.0
    with pytest.raises(InputError, match="do not merge into one model"):
        pool.merge()


# Bad input -----------------------------------------------------------------------------------------------------------------


def test_refusals(train: Corpus, pool: TwoStageTagger) -> None:
    without = Corpus.from_lists(word=train.words, label=train.labels)
    with pytest.raises(InputError, match="the corpus has no documents; mark them with -DOCSTART-"):
        TwoStageTagger(crf()).fit(without)
    with pytest.raises(InputError, match="folds=50: expected 2 to 20, the number of documents"):
        TwoStageTagger(crf(), folds=50).fit(train)
    with pytest.raises(InputError, match=r"folds=1\): expected a whole number from 2"):
        TwoStageTagger(crf(), folds=1).fit(train)
    with pytest.raises(InputError, match=r"first='ner'\): expected"):
        TwoStageTagger("ner").fit(train)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="given features have no documents"):
        TwoStageTagger(crf()).fit([[["a"]]], [["O"]])
    with pytest.raises(InputError, match="one weight per sentence"):
        TwoStageTagger(crf()).fit(train, sample_weight=[1.0])
    with pytest.raises(NotFittedError, match="TwoStageTagger is not fitted"):
        TwoStageTagger(crf()).predict(train)
    with pytest.raises(InputError, match="column 'stage', which two stages add"):
        pool.predict(train.with_column("stage", train.labels))
    with pytest.raises(InputError, match="unknown field 'stag'"):
        TwoStageTagger(crf(), CRF("stag[0]"), folds=2).fit(train)


def test_a_damaged_file_is_refused(pool: TwoStageTagger, tmp_path: Any) -> None:
    pool.save(tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    (tmp_path / "m").write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelError):
        load(tmp_path / "m")
