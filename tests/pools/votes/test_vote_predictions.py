"""Experts from files, taggers, functions and pipelines; predictions by cross-validation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import spacy

from tagpool import (
    CRF,
    LBFGS,
    SGD,
    Corpus,
    InputError,
    MaxEnt,
    VotePool,
    builtin_corpus,
    cross_val_predict,
    from_spacy,
    predictions_of,
)
from tagpool import read_predictions as read

WORDS = [["Ann", "Lee", "left", "."], ["Rain", "in", "Oslo"]]
LABELS = [["B-PER", "I-PER", "O", "O"], ["O", "O", "B-LOC"]]
GOLD = Corpus.from_lists(word=WORDS, label=LABELS)


def write(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


def conll(words=WORDS, labels=LABELS, extra="") -> list[str]:
    lines = []
    for one, other in zip(words, labels, strict=True):
        lines += [f"{word} {extra}{label}" for word, label in zip(one, other, strict=True)] + [""]
    return lines[:-1]


def test_all_formats_are_read_alike(tmp_path):
    tokens = [json.dumps({"tokens": w, "labels": y}) for w, y in zip(WORDS, LABELS, strict=True)]
    spans = [
        json.dumps({"text": "Ann Lee left.", "labels": [[0, 7, "PER"]]}),
        json.dumps({"text": " Rain in  Oslo", "entities": [{"start": 10, "end": 14, "label": "LOC"}]}),
    ]
    for path in (
        write(tmp_path, "a.conll", *conll()),
        write(tmp_path, "b.conll", "-DOCSTART- -X- O", "", *conll(extra="X ")),
        write(tmp_path, "c.jsonl", *tokens),
        write(tmp_path, "d.jsonl", *spans),
    ):
        result = read(path, GOLD)
        assert result.labels == LABELS
        assert result.notes == []
    several = write(tmp_path, "e.conll", *[line and f"{line} O" for line in conll()])
    assert read(several, GOLD, columns="word,first,second", label="first").labels == LABELS
    assert read(several, GOLD, columns="word,first,second", label="second").labels == [["O"] * 4, ["O"] * 3]


def test_spans_follow_the_scheme_of_gold_and_mismatches_are_noted(tmp_path):
    bioes = Corpus.from_lists(word=WORDS, label=[["B-PER", "E-PER", "O", "O"], ["O", "O", "S-LOC"]])
    path = write(
        tmp_path,
        "spans.jsonl",
        json.dumps({"text": "Ann Lee left.", "labels": [[1, 7, "PER"], [4, 12, "ORG"], [7, 8, "GAP"]]}),
        json.dumps({"text": "Rain in Oslo"}),
    )
    result = read(path, bioes)
    assert result.labels == [["B-PER", "E-PER", "O", "O"], ["O", "O", "O"]]
    assert [note.split("spans.jsonl:")[1] for note in result.notes] == [
        "1: span [1, 7, 'PER'] cuts a token: extended to whole tokens",
        "1: span [4, 12, 'ORG'] overlaps the previous one: ignored",
        "1: span [7, 8, 'GAP'] contains no token: ignored",
    ]


def test_a_question_mark_abstains_and_other_words_are_noted(tmp_path):
    path = write(tmp_path, "a.conll", *conll(words=[WORDS[0], ["Rain", "at", "Oslo"]], labels=[["?"] * 4, LABELS[1]]))
    result = read(path, GOLD)
    assert result.labels == [[None] * 4, LABELS[1]]
    assert result.notes[0].endswith("a.conll:7: the word is 'at', in gold 'in'; check that the sentences are the same")


@pytest.mark.parametrize(
    ("name", "lines", "match"),
    [
        ("a.conll", ["# c", "More O", "", "Oslo O"], r"a\.conll:2: only 0 of 2 sentences of gold are here, and 2 others"),
        (
            "a.jsonl",
            ['{"text": "Ann left."}'],
            r"a\.jsonl:1: only 0 of 2 .* and 1 other; this one begins 'Ann left \.', the first of gold 'Ann Lee left",
        ),
        ("a.jsonl", ["[]", "[]", "[]"], r"a\.jsonl:1: records without a text need one record per sentence: gold has 2 sentences"),
        ("a.jsonl", ['{"text": "Ann Lee left."}', '{"text": 3}'], r'a\.jsonl:2: "text": expected a string'),
        ("a.jsonl", ['{"text": "Ann Lee left.", "labels": 3}'], r"a\.jsonl:1: .*expected spans"),
        ("a.jsonl", ["3"], r"a\.jsonl:1: expected a JSON object"),
        ("a.conll", ["Ann"], r"a\.conll:1: expected at least 2 columns, got 1"),
    ],
)
def test_files_that_do_not_fit_are_refused_with_their_line(tmp_path, name, lines, match):
    with pytest.raises(InputError, match=match):
        read(write(tmp_path, name, *lines), GOLD)


@pytest.mark.parametrize(
    ("name", "lines", "labels", "note"),
    [
        ("a.conll", conll(WORDS[:1], LABELS[:1]), [LABELS[0], None], "1 of 2 sentences of gold have no labels here"),
        ("a.conll", [*conll(), "", "More O"], LABELS, "1 sentence not in gold (the first in line 10), ignored"),
        ("a.conll", conll(WORDS[::-1], LABELS[::-1]), LABELS, "the sentences are in another order than in gold"),
        ("a.jsonl", ['{"text": "Rain in Oslo"}'], [None, ["O"] * 3], "1 of 2 sentences of gold have no labels here"),
    ],
)
def test_sentences_are_matched_by_their_text(tmp_path, name, lines, labels, note):
    result = read(write(tmp_path, name, *lines), GOLD)
    assert result.labels == labels
    assert note in result.notes[-1]


def test_taggers_and_functions_are_experts():
    train, test = builtin_corpus(80), builtin_corpus(20, part="test")
    crf = CRF("word[0]\nshape(word)[0]", trainer=SGD(epochs=3)).fit(train)

    def nothing(sentences):
        return [["O"] * len(words) for words in sentences]

    result = predictions_of({"crf": crf, "nothing": nothing}, test)
    assert result == {"crf": crf.predict(test), "nothing": [["O"] * len(words) for words in test.words]}
    pool = VotePool(key="shared").fit(result, test)
    assert pool.mean_loss(result, test) <= VotePool("best").fit(result, test).mean_loss(result, test) + 1e-9
    with pytest.raises(InputError, match="x: expected a tagger or a function, got int"):
        predictions_of({"x": 3}, test)
    with pytest.raises(InputError, match="x: expected labels for 20 sentences, got 1"):
        predictions_of({"x": lambda sentences: [["O"]]}, test)
    with pytest.raises(InputError, match="x: expected a list of labels for every sentence, got 7"):
        predictions_of({"x": lambda sentences: 7}, test)


def test_cross_val_predict_trains_without_the_labelled_sentences():
    # Words that occur once: only a tagger trained on a sentence knows its labels.
    corpus = Corpus.from_lists(word=[[f"w{n}"] for n in range(30)], label=[["a" if n % 3 else "b"] for n in range(30)])
    experts = {"crf": CRF("word[0]", l2=0.01, trainer=LBFGS()), "maxent": MaxEnt("word[0]", l2=0.01, trainer=LBFGS())}
    messages: list[str] = []
    result = cross_val_predict(experts, corpus, 3, on_fit=messages.append)
    assert len(messages) == 6
    for name, expert in experts.items():
        assert not expert.is_fitted
        right = sum(a == b for a, b in zip(result[name], corpus.labels, strict=True))
        assert right <= 20
        assert sum(a == b for a, b in zip(expert.fit(corpus).predict(corpus), corpus.labels, strict=True)) == 30
    with pytest.raises(InputError, match="x: expected a tagger of tagpool, got int"):
        cross_val_predict({"x": 3}, corpus)


def test_a_spacy_pipeline_is_an_expert():
    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ann Lee"}, {"label": "LOC", "pattern": "Oslo"}])
    assert predictions_of({"ruler": from_spacy(pipeline)}, GOLD) == {"ruler": LABELS}
    assert from_spacy(pipeline, what="tag")(WORDS) == [["_"] * 4, ["_"] * 3]


def test_other_objects_are_not_pipelines():
    with pytest.raises(InputError, match="expected a spaCy pipeline, got int"):
        from_spacy(3)
    with pytest.raises(InputError, match="what='mood': expected entities, tag or pos"):
        from_spacy(3, what="mood")


def test_experts_need_names():
    with pytest.raises(InputError, match=r"expected a dict of experts by name, such as \{'crf': crf\}, got list"):
        predictions_of([CRF("word[0]")], builtin_corpus(5))
