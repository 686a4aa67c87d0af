"""StackedPool: properties, files, sentences without labels, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pools.small_experts import sample, stack

from tagpool import InputError, NotFittedError, StackedPool, load
from tagpool.experts.saving import SaveOptions
from tagpool.pools.stacked.training import make_folds


def quick(**parameters: Any) -> StackedPool:
    return StackedPool(l2=1.0, folds=2, unsupervised=False, **parameters)


def confidences(rows: Any) -> dict[str, list[list[float]]]:
    return {"one": [[0.9] * len(row) for row in rows]}


def test_order_kind_and_names_of_inputs_do_not_matter() -> None:
    corpus, experts = sample()
    pool, values = stack(), confidences(corpus.words)
    expected = pool.predict(experts, words=corpus, confidence=values)
    assert pool.predict(dict(reversed(experts.items())), words=corpus, confidence=values) == expected
    assert pool.predict(list(experts.values()), words=corpus, confidence=values) == expected
    generated = {name: map(iter, rows) for name, rows in experts.items()}
    generated_values = {"one": map(iter, values["one"])}
    assert pool.predict(generated, words=map(iter, corpus.words), confidence=generated_values) == expected
    one = quick().fit(experts, corpus)
    rows = {f"x{name}": map(tuple, rows) for name, rows in experts.items()}
    other = quick().fit(rows, map(iter, corpus.labels), words=map(iter, corpus.words))
    assert other.fitted.stack.to_bytes(SaveOptions()) == one.fitted.stack.to_bytes(SaveOptions())
    assert quick().fit(experts, corpus).to_bytes() == one.to_bytes()


def test_a_file_gives_the_same_labels_confidences_and_thresholds(tmp_path: Path) -> None:
    corpus, experts = sample()
    pool, values = stack(), confidences(corpus.words)
    pool.save(tmp_path / "pool")
    again = load(tmp_path / "pool")
    assert isinstance(again, StackedPool)
    options = {"words": corpus, "confidence": values}
    for one, other in zip(
        pool.predict_with_confidence(experts, **options), again.predict_with_confidence(experts, **options), strict=True
    ):
        assert list(map(list, one)) == list(map(list, other))
    assert again.predict_spans(experts, **options) == pool.predict_spans(experts, **options)
    assert [again.threshold(rate) for rate in (0.5, 0.7, 0.9)] == [pool.threshold(rate) for rate in (0.5, 0.7, 0.9)]
    assert again.missing_ == pool.missing_
    assert again.to_bytes() == pool.to_bytes()
    assert str(again.describe(top=2)).splitlines()[:5] == str(pool.describe(top=2)).splitlines()[:5]


def test_a_missing_expert_is_one_without_labels() -> None:
    corpus, experts = sample()
    fewer = {name: rows for name, rows in experts.items() if name != "one"}
    expected = stack().predict(fewer, words=corpus)
    assert stack().predict(experts | {"one": [None] * len(corpus)}, words=corpus) == expected
    assert stack().predict(experts | {"one": [[None] * len(row) for row in corpus.words]}, words=corpus) == expected


def test_sentences_without_labels_or_tokens() -> None:
    experts = {"capitals": [[], None, ["O"]], "one": [[], None, [None]], "two": [None, None, None]}
    words = [[], ["Ann", "left"], ["x"]]
    labels, confidence = stack().predict_with_confidence(experts, words=words)
    assert list(map(len, labels)) == list(map(len, confidence)) == [0, 2, 1]
    assert stack().predict_spans(experts, words=words)[0] == []
    assert stack().explain(experts, words=words).tokens == []
    assert stack().predict({"one": []}, words=[]) == []


def test_gold_may_be_partial_and_sentences_empty() -> None:
    corpus, experts = sample()
    partial = [[label if number % 2 else None for number, label in enumerate(row)] for row in corpus.labels]
    partial[0] = [None] * len(partial[0])
    pool = quick().fit({name: [[], *rows] for name, rows in experts.items()}, [[], *partial], words=[[], *corpus.words])
    assert pool.held_out_ is not None
    assert len(pool.held_out_.training.gold) == sum(any(row) for row in partial)
    unknown = quick().fit(experts, [row if number < 20 else None for number, row in enumerate(corpus.labels)], words=corpus)
    assert unknown.predict(experts, words=corpus)


def test_unknown_gold_labels_do_not_count_in_confidence() -> None:
    """Gold is unknown wherever the label is O: nothing that is counted is O."""
    corpus, experts = sample()
    gold = [[None if label == "O" else label for label in row] for row in corpus.labels]
    pool = quick().fit(experts, gold, words=corpus)
    assert pool.held_out_ is not None
    names = sum(label is not None for row in gold for label in row)
    assert 0 < len(pool.fitted.spans.probability) <= names


def test_sentences_that_no_expert_labels() -> None:
    corpus, experts = sample()
    without = {name: [None, *rows[1:]] for name, rows in experts.items()}
    for words in (None, corpus):
        StackedPool(l2=1.0, folds=2).fit(without, corpus.labels, words=words)
    missing = {"capitals": [None, *experts["capitals"][1:]], "one": experts["one"]}
    quick().fit(missing, [None, *corpus.labels[1:]])


def test_a_fold_may_have_one_label_only() -> None:
    corpus, experts = sample()
    gold = [["O"] * len(row) for row in corpus.labels]
    gold[3] = corpus.labels[3]
    assert len(set(gold[3])) > 1
    pool = quick().fit(experts, gold, words=corpus)
    assert pool.threshold(0.99) is None


@pytest.mark.parametrize("count", [1, 2])
def test_plain_labels_and_few_experts(count: int) -> None:
    corpus, _ = sample()
    tags = [["NAME" if word.istitle() else "WORD" for word in words] for words in corpus.words]
    experts = {f"e{number}": tags for number in range(count)}
    pool = StackedPool(l2=1.0, folds=2).fit(experts, tags, words=corpus)
    assert pool.predict(experts, words=corpus) == tags
    assert pool.fitted.f1 == pytest.approx(1)


def test_labels_only_of_experts_and_ten_gold_sentences() -> None:
    corpus, experts = sample()
    other = [["B-THING" if label == "B-PER" else label for label in row] for row in experts["capitals"]]
    gold = [row if number < 10 else None for number, row in enumerate(corpus.labels)]
    pool = StackedPool(l2=1.0, folds=2).fit(experts | {"capitals": other}, gold, words=corpus)
    assert len(pool.predict(experts | {"capitals": other}, words=corpus)) == len(corpus)


def test_documents_stay_together() -> None:
    units = [number // 4 for number in range(40)]
    folds = make_folds(units, 5, seed=1)
    assert sorted(number for fold in folds for number in fold) == list(range(40))
    assert all(len({units[number] for fold_number in [fold] for number in fold_number}) * 4 == len(fold) for fold in folds)
    corpus, experts = sample()
    pool = quick().fit(experts, corpus.labels, words=corpus, documents=units)
    assert pool.held_out_ is not None
    for fold in pool.held_out_.training.folds:
        outside = set(range(40)) - set(fold)
        assert not {units[number] for number in fold} & {units[number] for number in outside}


def test_an_explanation_names_the_expert() -> None:
    corpus, experts = sample()
    explanation = stack().explain(experts, words=corpus, number=3)
    assert [token.word for token in explanation.tokens] == corpus.words[3]
    assert all(set(token.losses) == set(experts) for token in explanation.tokens)
    assert "decided by" in str(explanation)


def test_refusals() -> None:
    corpus, experts = sample()
    labels, count = corpus.labels, len(corpus)

    def refuse(
        message: str, gold: Any = labels, predictions: Any = experts, pool: StackedPool | None = None, **options: Any
    ) -> None:
        with pytest.raises(InputError, match=message):
            (quick() if pool is None else pool).fit(predictions, gold, **{"words": corpus} | options)

    refuse("no sentence has gold labels; use an UnsupervisedPool", [None] * count)
    refuse("no sentence has gold labels; use an UnsupervisedPool", [[None] * len(row) for row in labels])
    refuse("expected two gold sentences or more, got 1", [labels[0], *[None] * (count - 1)])
    refuse("every gold label is 'O': there is nothing to learn from", [["O"] * len(row) for row in labels])
    refuse(f"expected 5 sentences, as gold has, got {count}", labels[:5])
    refuse("sentence 1: expected .* labels, as the others have", [labels[0][1:], *labels[1:]])
    refuse("expected the predictions of experts, got none", predictions={})
    refuse(f"documents: expected a number for each of {count} sentences, got 3", documents=[1, 2, 3])
    refuse("abstain: there is no expert 'absent'", pool=StackedPool(abstain="absent"))
    refuse("confidence: there is no expert 'absent'; the experts are", confidence={"absent": []})
    refuse(f"confidence of one: expected {count} sentences, got 1", confidence={"one": [None]})
    for value in ("x", float("nan"), 1.5):
        rows = [[value] * len(row) for row in labels]
        refuse("confidence of one, sentence 1: expected numbers from 0 to 1, or None", confidence={"one": rows})
    refuse("confidence of one, sentence 1: expected .* numbers, got 1", confidence={"one": [[0.5] for _ in labels]})
    pool = stack()
    for message, predictions, options in (
        ("the pool was fitted with words: give those of the sentences as words=", experts, {}),
        ("expected one of the experts capitals, one, two, got other", {"other": labels}, {"words": corpus}),
        ("confidence: there is no expert 'absent'", experts, {"words": corpus, "confidence": {"absent": []}}),
        ("there is no sentence 99", experts, {"words": corpus, "number": 99}),
    ):
        with pytest.raises(InputError, match=message):
            pool.explain(predictions, **options)
    with pytest.raises(NotFittedError):
        StackedPool().predict(experts)
    values = {"one": [np.full(len(row), 0.5, np.float32) for row in labels]}
    quick().fit(experts, labels, words=corpus, confidence=values)
