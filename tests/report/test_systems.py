"""Systems: probabilities of labels in parts of a corpus, and labels of files with gaps."""

from __future__ import annotations

import numpy as np
import pytest

from tagpool import CRF, SGD, Corpus, InputError, builtin_corpus
from tagpool.report import systems
from tagpool.report.systems import describe_abstained, from_rows, run_tagger, span_confidence

CORPUS = Corpus.from_lists(word=[["Ann", "left"], ["Oslo"], []], label=[["B-P", "O"], ["B-L"], []])


@pytest.mark.parametrize(
    "templates", ["word[0]\nshape(word)[0]", "word[0]\nelsewhere(shape(word))[0]"], ids=["sentences", "documents"]
)
def test_probabilities_do_not_depend_on_the_parts(templates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    test = builtin_corpus(40, part="test")
    test = Corpus.from_columns({"word": test.words, "label": test.labels}, documents=range(0, 40, 7))
    tagger = CRF(templates, trainer=SGD(epochs=2)).fit(builtin_corpus(60))
    number = {label: at for at, label in enumerate(tagger.labels_)}
    expected = [
        [float(row[number[label]]) for row, label in zip(marginals, labels, strict=True)]
        for marginals, labels in zip(tagger.predict_proba(test), tagger.predict(test), strict=True)
    ]
    for most in (1, 500, 1 << 22):
        monkeypatch.setattr(systems, "_SCORES", most)
        system = run_tagger("a", tagger, test)
        assert system.probabilities is not None
        for one, other in zip(system.probabilities, expected, strict=True):
            assert np.allclose(one, other)


def test_missing_labels_count_as_outside() -> None:
    system = from_rows("a", CORPUS, [["B-P", None], None, []])
    assert system.labels == [["B-P", "O"], ["O"], []]
    assert describe_abstained(system) == "a: 2 tokens without a label; they count as O"
    assert describe_abstained(from_rows("a", CORPUS, CORPUS.labels)) is None
    with pytest.raises(InputError, match="none of the test sentences"):
        from_rows("a", CORPUS, [None, None, None])


def test_confidences_are_used_if_all_tokens_have_one() -> None:
    system = from_rows("a", CORPUS, CORPUS.labels, [[0.5, 0.25], [1.0], None])
    assert system.probabilities == [[0.5, 0.25], [1.0], []]
    assert span_confidence(system, 0, 0, 2) == 0.25
    assert from_rows("a", CORPUS, CORPUS.labels, [[0.5, None], [1.0], []]).probabilities is None
    assert span_confidence(from_rows("a", CORPUS, CORPUS.labels), 0, 0, 1) is None


@pytest.mark.parametrize("rows", [[], [["O"], ["O"], []], [["O", "O"], ["O"], [], []]])
def test_other_sentences_are_an_error(rows: list[list[str]]) -> None:
    with pytest.raises(InputError, match=r"a.*: expected .* as in the test sentences"):
        from_rows("a", CORPUS, rows)
