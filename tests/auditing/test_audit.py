"""An audit has the losses that scoring by hand gives, and says what does not apply."""

from __future__ import annotations

from typing import Any

import pytest

import tagpool
from tagpool import (
    CRF,
    SGD,
    BaggingPool,
    Corpus,
    Gazetteer,
    InducingTagger,
    InputError,
    TwoStageTagger,
    builtin_corpus,
    perturb,
    score,
)
from tagpool.auditing.advice import advise
from tagpool.auditing.audit import audit
from tagpool.auditing.labellers import labeller_of
from tagpool.auditing.parts import parts_of
from tagpool.auditing.result import AuditRow
from tagpool.evaluation.significance import Interval
from tagpool.evaluation.versions import Difference

TRAIN, TEST = builtin_corpus(150), builtin_corpus(80, part="test")
TEXT = "word[0]\n[ends]\nsuffix(word, 1..3)[0]\n[shapes]\nshape(word)[-1..1]\n[all]\nlower(word)[0] & shape(word)[0]\npos[0]"


@pytest.fixture(scope="module")
def crf() -> CRF:
    return CRF(TEXT, trainer=SGD(epochs=5)).fit(TRAIN)


@pytest.fixture(scope="module")
def full(crf: CRF) -> Any:
    return audit(crf, TEST, train=TRAIN, names={"dev": builtin_corpus(50, part="dev")}, by=["pos"], seed=3)


def test_text_rows_are_scores_of_perturbed_text(crf: CRF, full: Any) -> None:
    clean = score(TEST.labels, crf.predict(TEST)).f1
    assert full.score == pytest.approx(clean)
    for name, options in {
        "lower": {},
        "tokens": {},
        "typos": {"share": 0.1},
        "names: of the training text": {"names": TRAIN},
        "names: made up": {"known": [word for row in TRAIN.words for word in row]},
    }.items():
        changed = perturb(TEST, name.partition(":")[0], seed=3, **options)
        row = full.row(name)
        assert row.score == pytest.approx(score(changed.labels, crf.predict(changed)).f1)
        assert row.loss.value == pytest.approx(clean - row.score)
        assert row.loss.interval.low <= row.loss.value <= row.loss.interval.high


def test_rates_are_from_0_to_1(full: Any) -> None:
    result = full.to_dict()
    assert (result["score"], result["interval"]) == (full.score, list(full.interval))
    assert [row.get("score") for row in result["rows"]] == [row.score for row in full.rows]
    assert all(abs(row["loss"]) <= 1 for row in result["rows"] if "loss" in row)


def test_feature_rows_are_scores_without_the_templates(crf: CRF, full: Any) -> None:
    expected = {
        "group ends": crf.without("ends"),
        "shape": crf.without("shapes", templates="lower(word)[0] & shape(word)[0]"),
        "column pos": crf.without(templates="pos[0]"),
        "words": crf.without(templates="word[0]\nlower(word)[0] & shape(word)[0]"),
    }
    for name, model in expected.items():
        assert full.row(name).score == pytest.approx(score(TEST.labels, model.predict(TEST)).f1), name
    titles = [part.title for part in parts_of(crf)]
    assert len(titles) == len(set(titles))
    assert {"group ends", "group shapes", "group all", "shape", "words"} <= set(titles)
    assert "suffix" not in titles  # the group ends has the same templates


def test_worth_and_dependence_add_up(crf: CRF, full: Any) -> None:
    without = CRF("word[0]\n[ends]\nsuffix(word, 1..3)[0]\n[all]\npos[0]", trainer=SGD(epochs=5)).fit(TRAIN)
    row = full.row("shape")
    assert row.worth.value == pytest.approx(full.score - score(TEST.labels, without.predict(TEST)).f1)
    assert row.dependence.value == pytest.approx(row.loss.value - row.worth.value)
    values = [one.dependence.value for one in full.dependence]
    assert values == sorted(values, reverse=True)
    assert not any(one.name.startswith("template") for one in full.dependence)
    assert full.notes == []  # the model trained again is the same


def test_a_model_from_a_file_is_trained_as_before(crf: CRF, full: Any, tmp_path: Any) -> None:
    crf.save(tmp_path / "a.tagpool")
    again = audit(tagpool.load(tmp_path / "a.tagpool"), TEST, train=TRAIN, only=["features"], seed=3)
    rows = {row.name: row for row in full.rows}
    for row in again.rows:
        assert row == rows[row.name]


def test_another_training_text_gives_no_dependence(crf: CRF) -> None:
    result = audit(crf, TEST, train=builtin_corpus(15), only=["features"])
    assert not result.dependence
    assert "give the training and dev text" in result.notes[0]


def test_rows_are_ordered_and_seeded(crf: CRF, full: Any) -> None:
    losses = [row.loss.value for row in full.rows if row.loss is not None]
    assert losses == sorted(losses, reverse=True)
    assert all(row.reason for row in full.rows[len(losses) :])
    assert all(row.advice for row in full.rows[: len(losses)])
    options: dict[str, Any] = {"only": ["typos", "names"], "train": TRAIN, "seed": 3}
    few = audit(crf, TEST, **options)
    assert list(few.rows) == [row for row in full.rows if row.perturbation in ("typos", "names") and "dev" not in row.name]
    assert audit(crf, TEST, **{**options, "seed": 4}).row("typos") != few.row("typos")


def test_columns_are_slices(full: Any) -> None:
    rows = [row for row in full.rows if row.name.startswith("pos = ")]
    assert sum(row.gold for row in rows) == full.gold


def test_plain_labels_have_accuracy() -> None:
    columns = {"word": TEST.words, "label": TEST.column("pos")}
    plain = Corpus.from_columns(columns)
    tagger = CRF("word[0]\nsuffix(word, 2)[0]", trainer=SGD(epochs=2)).fit(
        Corpus.from_lists(word=TRAIN.words, label=TRAIN.column("pos"))
    )
    result = audit(tagger, plain, only=["lower", "names", "spaces", "slices"])
    assert result.metric == "accuracy"
    assert result.score == pytest.approx(score(plain.labels, tagger.predict(plain)).accuracy)
    assert result.gold == plain.token_count
    assert "plain labels have no spans" in result.row("names: made up").reason
    split = perturb(plain, "spaces", share=0.1)
    assert result.row("spaces").score == pytest.approx(score(split.labels, tagger.predict(split)).accuracy)


def test_what_does_not_apply_has_a_reason() -> None:
    rows = [["東京", "へ", "7"], ["大阪", "へ"]] * 10
    corpus = Corpus.from_lists(word=rows, label=[["B-LOC", "O", "O"], ["B-LOC", "O"]] * 10)
    result = audit(lambda sentences: [["O"] * len(words) for words in sentences], corpus)
    reasons = {row.name: row.reason for row in result.rows if row.reason}
    assert "no upper and lower case" in reasons["lower"]
    assert "punctuation" in reasons["punctuation (50% of punctuation marks)"]
    assert "training text" in reasons["names: of the training text"]
    assert "not tagpool's" in reasons["features"]
    assert all(row.loss is None and row.score is None for row in result.rows if row.reason)
    assert 'tagpool.perturb(train, "' not in str([row.advice for row in result.rows])  # F1 is 0, and nothing is lost


def test_plain_labels_with_an_outside_label_are_scored_as_usual() -> None:
    rows = [["PER" if label.endswith("PER") else "O" for label in labels] for labels in TEST.labels]
    corpus = Corpus.from_lists(word=TEST.words, label=rows)
    guess = [["PER" if word.istitle() else "O" for word in words] for words in TEST.words]
    result = audit(lambda sentences: [["PER" if word.istitle() else "O" for word in words] for words in sentences], corpus)
    assert (result.metric, result.plain) == ("F1", True)
    assert result.score == pytest.approx(score(rows, guess).f1)


def test_models_without_removable_features_have_one_reason() -> None:
    tagger = InducingTagger(epochs=2).fit(TRAIN)
    result = audit(tagger, TEST, train=TRAIN, only=["features"])
    assert [(row.name, row.score) for row in result.rows] == [("features", None)]
    assert "only be removed from a CRF or MaxEnt" in result.rows[0].reason


def test_resources_are_parts() -> None:
    cities = sorted(
        {
            word
            for words, labels in zip(TRAIN.words, TRAIN.labels, strict=True)
            for word, label in zip(words, labels, strict=True)
            if label == "B-LOC"
        }
    )
    crf = CRF(
        "word[0]\ngazetteer(cities)[0]\nshape(word)[0]",
        resources={"cities": Gazetteer({"cities": cities})},
        trainer=SGD(epochs=3),
    ).fit(TRAIN)
    row = audit(crf, TEST, train=TRAIN, only=["features"]).row("resource cities")
    assert row.worth is not None
    assert "--robust lists" in row.advice or not row.is_significant


@pytest.mark.parametrize("kind", ["bagging", "two-stage"])
def test_pools(kind: str) -> None:
    base = CRF("word[0]\n[ends]\nsuffix(word, 2)[0]\n[case]\nshape(word)[0]", trainer=SGD(epochs=2))
    pool: Any = BaggingPool(base) if kind == "bagging" else TwoStageTagger(base, CRF("word[0]", trainer=SGD(epochs=2)))
    documents = Corpus.from_columns({name: TRAIN.column(name) for name in TRAIN.columns}, documents=range(0, 150, 15))
    result = audit(pool.fit(documents), TEST, train=documents, only=["features", "lower"])
    if kind == "bagging":
        assert result.row("group ends").score is not None
    assert any("single taggers" in note for note in result.notes) or kind == "two-stage"
    assert "--learner crf --robust case" in result.row("lower").advice or not result.row("lower").is_significant


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test": [["a"]]}, "expected a corpus"),
        ({"test": Corpus.from_lists(word=[["a"]])}, "no label column"),
        ({"test": Corpus.from_lists(word=[["a"]], label=[["O"]])}, "no spans, so that F1 is not defined"),
        ({"test": Corpus.from_lists(word=[[]], label=[[]])}, "no words"),
        ({"only": ["nonsense"]}, "only='nonsense'"),
        ({"only": "lower"}, "only='lower'"),
        ({"by": ["genre"]}, "no column 'genre'"),
        ({"names": 3}, "a dict of corpora"),
        ({"train": 3}, "expected a corpus"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_arguments(crf: CRF, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        audit(crf, **{"test": TEST, **arguments})


def test_failures_name_the_change() -> None:
    def fragile(sentences: list[list[str]]) -> list[list[str]]:
        for words in sentences:
            if all(word == word.upper() for word in words) and len(words) > 4:
                raise ValueError("capitals")
        return [["O"] * len(words) for words in sentences]

    quiet = TEST.select([n for n, words in enumerate(TEST.words) if any(word != word.upper() for word in words)])
    with pytest.raises(InputError, match=r"change upper: .*sentence \d+ .*ValueError: capitals"):
        audit(fragile, quiet, only=["upper"])


def test_the_advice_knows_what_a_model_was_trained_for() -> None:
    crf = CRF("word[-1..1]\nshape(word)[0]\nsuffix(word, 1..3)[0]", robust="case,groups").fit(TRAIN)
    crf.summary_["robust"]["share"] = 1.0
    labeller = labeller_of(crf)
    loss = Difference(0.5, Interval(0.4, 0.6), 0.001)
    lower, shapes = AuditRow("text", "lower", loss=loss, perturbation="lower"), AuditRow("features", "group shapes", loss=loss)
    assert advise(lower, labeller) == "the model was trained for this with --robust case: label such text to lose less"
    assert advise(shapes, labeller) == "the model was trained for this with --robust groups"
    assert "train on such text, too" in advise(AuditRow("text", "typos", loss=loss, perturbation="typos"), labeller)


def test_advice_is_significant_only() -> None:
    assert not AuditRow("text", "x", reason="r").is_significant


def test_slices_with_few_spans_have_no_score() -> None:
    """Every draw of a slice with one wrong span has the same score, 0: its p value would mean nothing."""
    words = [[f"w{number}"] for number in range(40)] + [["rare", "x", "x", "x", "x", "x", "x", "x", "x", "x"]]
    labels = [["B-X"]] * 40 + [["B-X", *["O"] * 9]]
    test = Corpus.from_lists(word=words, label=labels)
    result = audit(lambda sentences: [["O" if len(row) > 1 else "B-X", *["O"] * (len(row) - 1)] for row in sentences], test)
    row = result.row("sentence length 10–19")
    assert (row.loss, row.gold) == (None, 1)
    assert row.reason == "it has 1 gold span, and a score needs 10 or more"
    assert result.row("sentence length 1–9").loss is not None


def test_a_tagger_without_any_right_span_has_a_note() -> None:
    test = builtin_corpus(30)
    result = audit(lambda sentences: [["O"] * len(row) for row in sentences], test, only=["lower"])
    assert result.score == 0
    assert any("finds no span of the test set" in note for note in result.notes)
    assert not audit(lambda _: test.labels, test, only=["digits"]).notes


def test_the_advice_of_a_gain_says_so() -> None:
    test = builtin_corpus(60)
    gold = {tuple(word.lower() for word in words): labels for words, labels in zip(test.words, test.labels, strict=True)}

    def tag(sentences: list[list[str]]) -> list[list[str]]:
        """Return the gold labels of text in lower case only."""
        return [gold.get(tuple(words), ["O"] * len(words)) for words in sentences]

    assert audit(tag, test, only=["lower"]).row("lower").advice == "no loss: the score is higher"
