"""The drift of new text: no alarms for text like the reference, alarms for other text, and errors that say what to do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tagpool
from tagpool import CRF, SGD, Corpus, InducingTagger, InputError, MaxEnt, OpinionPool, builtin_corpus, measure_drift
from tagpool.auditing.comparison import Comparison, TextSums
from tagpool.auditing.known_words import ModelWords, TextWords, unknown_words
from tagpool.auditing.labellers import labeller_of
from tagpool.auditing.resampling import Resampler
from tagpool.auditing.text_measures import (
    FEATURES,
    FIRST_KIND,
    MISSING,
    SCORED,
    SPANS,
    SPANS_SURE,
    SURE,
    TOKENS,
    UNKNOWN,
    TextMeasures,
)
from tagpool.auditing.unweighted import count_unweighted
from tagpool.corpus.schemes import spans

TEMPLATES = "word[-1..1]\nsuffix(word, 1..3)[0]\nshape(word)[0]"
TRAIN, REFERENCE = builtin_corpus(300), builtin_corpus(400, part="dev")
NEW = builtin_corpus(300, part="test")
KINDS = ["unknown words", "features without weight", "confidence per token", "confidence per span", "labels"]


@pytest.fixture(scope="module")
def crf() -> CRF:
    return CRF(TEMPLATES, trainer=SGD(epochs=8)).fit(TRAIN)


def changed(corpus: Corpus, change: Any) -> Corpus:
    return Corpus.from_lists(word=[[change(word) for word in row] for row in corpus.words])


def alarms(drift: tagpool.Drift) -> dict[str, set[str]]:
    measures: dict[str, set[str]] = {}
    for row in drift.alarms:
        measures.setdefault(row.text, set()).add(row.measure)
    return measures


def test_changed_text_raises_alarms_and_other_text_none(crf: CRF) -> None:
    texts = {
        "like it": NEW,
        "part": NEW[:60],
        "one": NEW[:1],
        "lower": changed(NEW, str.lower),
        "foreign": changed(NEW, lambda word: word[::-1] + "ø"),
        "empty": Corpus.from_lists(word=[[]]),
    }
    drift = measure_drift(crf, texts, REFERENCE)
    measures = alarms(drift)
    assert set(measures) == {"lower", "foreign"}
    assert measures["foreign"] >= {"unknown words", "features without weight"}
    assert "labels" in measures["lower"]
    assert (drift.known_from, drift.units) == ("the model", "20 runs of about 20 sentences")
    assert {row.reason for row in drift.rows if row.text == "empty"} == {"no words"}
    strengths = [-math.inf if row.strength is None else row.strength for row in drift.rows]
    assert strengths == sorted(strengths, reverse=True)
    assert [row.alarm for row in drift.rows] == [strength > 1 for strength in strengths]
    for row in drift.alarms:
        assert row.value is not None
        assert row.limit is not None
        assert (row.value < row.limit) == row.measure.startswith("confidence")
        assert row.advice
    assert drift.to_dict()["alarms"] == len(drift.alarms)
    numbers = [value for row in drift.to_dict()["rows"] for value in row.values() if isinstance(value, float)]
    assert all(map(math.isfinite, numbers))
    assert [row["value"] for row in drift.to_dict()["rows"]] == [row.value for row in drift.rows]


def test_the_result_depends_on_the_seed_only(crf: CRF) -> None:
    first, second, other = (measure_drift(crf, NEW, REFERENCE, seed=seed).to_dict() for seed in (1, 1, 2))
    assert first == second
    assert first != other
    values = [{row["measure"]: row["value"] for row in result["rows"]} for result in (first, other)]
    assert values[0] == values[1]


def test_measures_against_a_slow_computation(crf: CRF) -> None:
    """Every sum of every sentence, computed word by word."""
    labeller = labeller_of(crf)
    words = ModelWords.of(crf, "word")
    assert words is not None
    table = TextMeasures(labeller, words, NEW, features=True).reference
    encoder = crf._fitted().encoder(1)
    known = set(tagpool.Encoder(TEMPLATES).fit(TRAIN).feature_names)
    labels, tables = crf.predict(NEW), crf.predict_proba(NEW)
    for number in range(0, len(NEW), 37):
        row = table[number]
        features = [name for token in encoder.describe(NEW.native, number) for name, _ in token]
        weighted = np.abs(crf._fitted().weights_of(features).reshape(len(features), -1)).max(axis=1) > 0
        assert all(name in known for name, has in zip(features, weighted, strict=True) if has)
        assert (row[FEATURES], row[MISSING]) == (len(features), (~weighted).sum())
        text = NEW.words[number]
        assert row[TOKENS] == len(text)
        assert row[UNKNOWN] == sum(not np.abs(crf._fitted().weights_of([f"word[0]={word}"])).max() > 0 for word in text)
        sure = [tables[number][place, crf.labels_.index(label)] for place, label in enumerate(labels[number])]
        assert row[SURE] == pytest.approx(sum(sure))
        predicted = spans(labels[number])
        assert row[SPANS] == len(predicted)
        assert row[SPANS_SURE] == pytest.approx(sum(min(sure[span.start : span.end]) for span in predicted))


def test_shares_of_labels(crf: CRF) -> None:
    measures = TextMeasures(labeller_of(crf), None, NEW, features=False)
    shares = dict(zip(measures.kinds, measures.shares(measures.reference.sum(axis=0)).tolist(), strict=True))
    labels = [label.removeprefix("B-").removeprefix("I-") for row in crf.predict(NEW) for label in row]
    assert shares == pytest.approx({kind: labels.count(kind) / len(labels) for kind in measures.kinds})


def test_blocks_of_large_texts_do_not_change_the_counts(crf: CRF, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = count_unweighted(crf, NEW)
    monkeypatch.setattr("tagpool.auditing.unweighted._TOKENS", 50)
    parts = count_unweighted(crf, NEW)
    assert np.array_equal(whole[0], parts[0])
    assert np.array_equal(whole[1], parts[1])


def test_words_of_a_selection_are_looked_up_by_their_own_numbers() -> None:
    corpus = Corpus.from_lists(word=[["a", "b"], ["c", "a"], ["d"]])
    known = TextWords(Corpus.from_lists(word=[["a", "d"]]), "training")
    assert unknown_words(corpus, known).tolist() == [False, True, True, False, False]
    assert unknown_words(corpus.select([2, 1]), known).tolist() == [False, True, False]
    assert unknown_words(corpus.select([]), known).tolist() == []


def test_no_more_false_alarms_than_stated() -> None:
    """Texts and references from one population of documents that differ from each other: the simulated level holds."""
    random = np.random.default_rng(4)
    counts = {"documents": 0, "sentences": 0}
    runs = 100
    for run in range(runs):
        for unit in counts:
            documents = unit == "documents"
            reference = _population(random, 40 if documents else 400, documents)
            texts = {str(number): _population(random, size, documents) for number, size in enumerate((1, 3, 30))}
            counts[unit] += _has_alarm(reference, texts, documents, level=0.9, seed=run)
    # Three standard deviations above 10%.
    for unit, count in counts.items():
        assert count / runs <= 0.1 + 3 * math.sqrt(0.09 / runs), unit


def _population(random: np.random.Generator, count: int, documents: bool) -> list[np.ndarray[Any, Any]]:
    """Return documents of sentences of 10 words: sums for each sentence, whose shares vary by document."""
    result = []
    for _ in range(count):
        length = int(random.integers(3, 12)) if documents else 1
        unknown, sure, names = random.beta(3, 20), random.beta(30, 2), random.beta(2, 10)
        table = np.zeros((length, FIRST_KIND + 2))
        table[:, [TOKENS, SCORED]] = 10
        table[:, UNKNOWN] = random.binomial(10, unknown if documents else 0.13, length)
        table[:, FEATURES] = 100
        table[:, MISSING] = random.binomial(100, unknown if documents else 0.13, length)
        table[:, SURE] = 10 * sure if documents else random.binomial(10, 0.9, length)
        table[:, FIRST_KIND] = random.binomial(10, names if documents else 0.17, length)
        table[:, FIRST_KIND + 1] = 10 - table[:, FIRST_KIND]
        result.append(table)
    return result


class _Sums:
    """Sums of a reference, as TextMeasures has them."""

    kinds = ("PER", "O")

    def __init__(self, reference: np.ndarray[Any, Any]) -> None:
        self.reference = reference

    def shares(self, sums: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return sums[..., FIRST_KIND:] / sums[..., TOKENS, None]


def _has_alarm(reference: Any, texts: Any, documents: bool, *, level: float, seed: int) -> bool:
    table = np.concatenate(reference)
    count = len(reference)
    bounds = np.concatenate([[0], np.cumsum([len(one) for one in reference])]).tolist()
    if not documents:
        bounds = [count * number // math.isqrt(count) for number in range(math.isqrt(count) + 1)]
    sampler = Resampler(table, table[:, TOKENS].astype(np.int64), bounds, documents=documents, draws=1000, seed=seed)
    sums = {name: TextSums(np.concatenate(one).sum(axis=0), len(one) if documents else None) for name, one in texts.items()}
    rows = Comparison(_Sums(table), sampler).rows(sums, level)  # type: ignore[arg-type]
    return any(row.alarm for row in rows)


@pytest.mark.parametrize(
    ("count", "words", "documents"), [(3000, 1, True), (30_000, 1, True), (30, 1000, True), (3000, 10, False)]
)
def test_limits_of_large_texts_follow_from_their_size(count: int, words: int, documents: bool) -> None:
    """The limit of a mean of independent documents is that of a normal distribution, whatever is drawn for it."""
    random = np.random.default_rng(5)
    table = np.zeros((2000, FIRST_KIND + 2))
    table[:, [TOKENS, SCORED]] = 10
    table[:, UNKNOWN] = 10 * random.random(2000)
    table[:, FIRST_KIND] = 10
    sampler = Resampler(table, table[:, TOKENS].astype(np.int64), list(range(2001)), documents=documents, seed=1)
    sums = TextSums(np.array([count * words * 10.0, count * words * 5, 0, 0, 0, 0, 0, 0, count * words * 10, 0]), count)
    rows = Comparison(_Sums(table), sampler).rows({"text": sums}, 0.99)  # type: ignore[arg-type]
    row = next(row for row in rows if row.measure == "unknown words")
    units = count if documents else count * words
    spread = (table[:, UNKNOWN] / 10).std() * math.sqrt(1 / units + 1 / 2000)
    assert row.limit is not None
    assert row.usual is not None
    applicable = sum(not one.reason for one in rows)
    expected = stats.norm.isf(0.01 / applicable) * spread
    assert expected <= row.limit - row.usual <= 1.35 * expected


def test_other_taggers_are_compared_by_words_and_labels(crf: CRF) -> None:
    texts = {"like it": NEW, "lower": changed(NEW, str.lower), "foreign": changed(NEW, lambda word: word[::-1] + "ø")}
    for train, known_from in ((None, "half of the reference"), (TRAIN, "the training text")):
        drift = measure_drift(lambda rows: crf.predict(rows), texts, REFERENCE, train=train)
        assert {row.measure for row in drift.rows if row.value is not None} == {"unknown words", "labels"}
        assert set(alarms(drift)) == {"lower", "foreign"}
        assert drift.known_from == known_from
        assert bool(drift.notes) == (train is None)
        reasons = {row.measure: row.reason for row in drift.rows if row.reason}
        assert reasons["confidence per token"] == "the tagger has no probabilities"
        assert reasons["features without weight"] == "the tagger does not say which features have weights"


def test_gold_labels_do_not_matter(crf: CRF) -> None:
    plain = Corpus.from_lists(word=NEW.words)
    other = plain.with_labels([["X" for _ in row] for row in NEW.words])
    results = [measure_drift(crf, text, REFERENCE).to_dict() for text in (plain, other, NEW)]
    assert results[0] == results[1] == results[2]


def test_other_kinds_of_models() -> None:
    few = SGD(epochs=2)
    maxent = MaxEnt("suffix(word, 1..2)[0]", trainer=few).fit(TRAIN)  # does not read whole words
    drift = measure_drift(maxent, NEW, REFERENCE)
    assert drift.known_from == "half of the reference"
    assert {row.measure for row in drift.rows if row.value is not None} == set(KINDS)
    inducing = measure_drift(InducingTagger("word[0]", epochs=1).fit(TRAIN), NEW, REFERENCE, train=TRAIN)
    assert {row.measure for row in inducing.rows if row.value is not None} == {"unknown words", "labels"}
    pool = OpinionPool([CRF("word[0]", trainer=few).fit(TRAIN), CRF("word[-1]", trainer=few).fit(TRAIN)])
    pool.fit(REFERENCE)
    drift = measure_drift(pool, NEW, REFERENCE)
    assert {row.measure for row in drift.rows if row.value is not None} == set(KINDS)


def test_texts_with_plain_labels_have_no_spans() -> None:
    train, reference, new = (
        Corpus(builtin_corpus(200, part=part).native, label_column="pos") for part in ("train", "dev", "test")
    )
    tagger = CRF("word[0]\nsuffix(word, 1..2)[0]", trainer=SGD(epochs=2)).fit(train)
    drift = measure_drift(tagger, new, reference)
    reasons = {row.measure: row.reason for row in drift.rows if row.reason}
    assert reasons == {"confidence per span": "no probabilities, or no spans in the reference"}
    assert not drift.alarms


def test_the_training_text_as_reference_is_noted(crf: CRF) -> None:
    drift = measure_drift(crf, NEW, TRAIN)
    assert any("as large as the training text" in note for note in drift.notes)
    rows = {row.measure: row for row in measure_drift(crf, NEW, TRAIN, train=TRAIN).rows}
    assert rows["unknown words"].reason == "no unknown words in the reference; is it the training text?"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"new": {}}, "expected at least one new text"),
        ({"new": Corpus.from_lists(word=[[]])}, "the new texts have no words"),
        ({"new": {"a": "text"}}, "expected the text 'a' as a Corpus, got str"),
        ({"new": [NEW]}, "expected a dict of texts by name, .* got list"),
        ({"reference": NEW[:99]}, "expected at least 100 sentences in the reference, got 99"),
        (
            {"reference": REFERENCE[:150], "tagger": lambda rows: [["O"] * len(row) for row in rows]},
            "expected at least 200 sentences in the reference, one half of which has the known words; got 150; .*--train",
        ),
        ({"reference": None}, "expected the reference as a Corpus, got NoneType"),
        ({"train": "train.conll"}, "expected the training text as a Corpus, got str"),
        ({"level": 1.0}, "level=1.0: expected a number from 0.5 to below 1"),
        ({"level": "high"}, "level='high': expected"),
        ({"tagger": 3}, "expected a tagger"),
    ],
)
def test_mistakes(crf: CRF, arguments: dict[str, Any], message: str) -> None:
    values = {"tagger": crf, "new": NEW, "reference": REFERENCE} | arguments
    with pytest.raises(InputError, match=message):
        measure_drift(values.pop("tagger"), values.pop("new"), values.pop("reference"), **values)


def test_a_text_without_the_columns_of_the_model_is_an_error() -> None:
    tagger = CRF("word[0]\npos[0]", trainer=SGD(epochs=1)).fit(TRAIN)
    with pytest.raises(InputError, match="pos"):
        measure_drift(tagger, {"new": Corpus.from_lists(word=NEW.words)}, REFERENCE)
