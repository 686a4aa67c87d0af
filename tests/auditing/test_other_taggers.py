"""Labellers of spaCy pipelines, CRFsuite models and commands, with real ones."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tagpool import Corpus, InputError
from tagpool.auditing.command import CommandLabeller
from tagpool.auditing.crfsuite_model import CrfsuiteLabeller
from tagpool.auditing.spacy_pipeline import SpacyLabeller

WORDS = [["Ann", "Lee", "left", "Oslo"], ["Rain"], [], ["Bea", "slept"]]
GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O"], [], ["B-PER", "O"]]
CORPUS = Corpus.from_lists(word=WORDS, label=GOLD)


# Commands ---------------------------------------------------------------------------------------------------------------


def command(tmp_path: Path, code: str, **options: Any) -> CommandLabeller:
    """Return the labeller of a Python script whose lines of input are ``lines``."""
    path = tmp_path / "tagger.py"
    path.write_text(f"import sys\nlines = sys.stdin.read().split('\\n')\n{code}\n")
    return CommandLabeller(f"{sys.executable} '{path}'", **options)


CAPITALS = "for line in lines:\n    print(f'{line}\\tx {\"B-PER\" if line.istitle() else \"O\"}' if line else '')"


def test_a_command_reads_words_and_writes_labels(tmp_path: Path) -> None:
    labels = command(tmp_path, CAPITALS).labels(CORPUS)
    assert labels == [["B-PER" if word.istitle() else "O" for word in row] for row in WORDS]


def test_words_of_all_scripts_reach_the_command(tmp_path: Path) -> None:
    code = "for line in lines:\n    print('W-' + line if line else '')"
    corpus = Corpus.from_lists(word=[["Żółć", "东京"], ["#", "a\u0301"]])
    assert command(tmp_path, code).labels(corpus) == [["W-Żółć", "W-东京"], ["W-#", "W-a\u0301"]]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("sys.exit('no model here')", r"ended with exit code 1; its messages: no model here"),
        ("sys.exit(3)", r"ended with exit code 3 and wrote no message"),
        ("import os; os.kill(os.getpid(), 9)", r"was ended by signal 9"),
        ("sys.stderr.write('x\\n' * 9); sys.exit(1)", r"\(the last 5 of 9 lines\): x / x / x / x / x$"),
        ("print('O')", r"expected labels for 3 sentences, got 1; the first that differs is sentence 1 \(4 words, 1 label\)"),
        ("", r"expected labels for 3 sentences, got 0"),
        ("print('O\\nO\\nO\\nO\\n\\nO\\n\\nO')", r"sentence 4: expected 2 labels, one per word, got 1"),
        ("print('O\\n' * 7)", r"expected labels for 3 sentences, got 1"),
        ("sys.stdout.buffer.write(b'\\xff')", "expected output in UTF-8"),
        ("import os\nfor line in lines: print(f'T{os.getpid()}' if line else '')", "not deterministic"),
    ],
)
def test_commands_that_fail(tmp_path: Path, code: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        command(tmp_path, code).labels(Corpus.from_lists(word=WORDS))


def test_a_command_that_does_not_end_is_stopped_with_its_children(tmp_path: Path) -> None:
    code = "import subprocess\nsubprocess.Popen(['sleep', '60'])\nimport time\ntime.sleep(60)"
    begin = time.monotonic()
    with pytest.raises(InputError, match=r"did not end within 0.5 s; allow more \(--timeout\)"):
        command(tmp_path, code, timeout=0.5).labels(CORPUS)
    assert time.monotonic() - begin < 30


def test_commands_that_cannot_start() -> None:
    for text, message in [
        ("no-such-command-here", "cannot start 'no-such-command-here': No such file"),
        ("'unclosed", "expected a command: No closing quotation"),
        ("  ", "expected a command, such as"),
    ]:
        with pytest.raises(InputError, match=message):
            CommandLabeller(text).labels(CORPUS)
    with pytest.raises(InputError, match="timeout=0: expected"):
        CommandLabeller("cat", timeout=0)
    with pytest.raises(InputError, match=r"sentence 1: the word 'New York' has blanks"):
        CommandLabeller("cat").labels(Corpus.from_lists(word=[["New York"]]))


def test_large_inputs_and_outputs_do_not_block(tmp_path: Path) -> None:
    corpus = Corpus.from_lists(word=[["Ann", "x" * 200]] * 20_000)
    code = "sys.stderr.write('m' * 300_000)\n" + CAPITALS
    assert command(tmp_path, code).labels(corpus) == [["B-PER", "O"]] * 20_000


# CRFsuite ---------------------------------------------------------------------------------------------------------------


def features_of(words: list[str]) -> list[list[str]]:
    return [[f"word={word}", f"title={word.istitle()}"] for word in words]


@pytest.fixture(scope="module")
def crfsuite_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pycrfsuite = pytest.importorskip("pycrfsuite")
    trainer = pycrfsuite.Trainer(verbose=False)
    for words, labels in zip(WORDS, GOLD, strict=True):
        if words:
            trainer.append(features_of(words), labels)
    path = tmp_path_factory.mktemp("crfsuite") / "model.crfsuite"
    trainer.train(str(path))
    return path


def test_a_crfsuite_model_gives_the_labels_and_probabilities_of_python_crfsuite(crfsuite_model: Path) -> None:
    pycrfsuite = pytest.importorskip("pycrfsuite")
    tagger = pycrfsuite.Tagger()
    tagger.open(str(crfsuite_model))
    labeller = CrfsuiteLabeller(crfsuite_model, features_of)
    labels = labeller.labels(CORPUS)
    assert labels == [tagger.tag(features_of(words)) if words else [] for words in WORDS]
    for words, row, sure in zip(WORDS, labels, labeller.confidences(CORPUS), strict=True):
        if words:
            tagger.set(features_of(words))
        assert sure == pytest.approx([tagger.marginal(label, place) for place, label in enumerate(row)])


def test_feature_functions_of_tuples(crfsuite_model: Path) -> None:
    corpus = CORPUS.with_column("pos", [["X"] * len(row) for row in WORDS])
    labeller = CrfsuiteLabeller(crfsuite_model, lambda rows: features_of([word for word, _ in rows]), columns=["word", "pos"])
    assert labeller.labels(corpus) == CrfsuiteLabeller(crfsuite_model, features_of).labels(CORPUS)
    with pytest.raises(InputError, match="no column 'pos'"):
        labeller.labels(CORPUS)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda words: features_of(words)[1:], r"sentence 1 \(4 words\): .* features of 3 words for a sentence of 4 words"),
        (lambda words: [[word[9]] for word in words], r"sentence 1 \(4 words\): the tagger raised IndexError"),
        (lambda words: "abc", "no list of features for each word: 'abc'"),
        (lambda words: [object() for _ in words], "features that CRFsuite does not take"),
    ],
)
def test_feature_functions_that_fail(crfsuite_model: Path, function: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        CrfsuiteLabeller(crfsuite_model, function).labels(CORPUS)


def test_files_that_are_no_crfsuite_models(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        CrfsuiteLabeller(tmp_path / "none", features_of)
    (tmp_path / "text").write_text("Ann B-PER\n")
    with pytest.raises(InputError, match="text: "):
        CrfsuiteLabeller(tmp_path / "text", features_of)


# spaCy ------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pipeline() -> Any:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(
        [{"label": "PERSON", "pattern": "Ann Lee"}, {"label": "GPE", "pattern": "Oslo"}, {"label": "PERSON", "pattern": "Bea"}]
    )
    tags = nlp.add_pipe("attribute_ruler")
    tags.add([[{"IS_TITLE": True}]], {"TAG": "NNP", "POS": "PROPN"})
    tags.add([[{"IS_LOWER": True}]], {"TAG": "VBD", "POS": "VERB"})
    return nlp


def test_entities_of_a_spacy_pipeline(pipeline: Any, tmp_path: Path) -> None:
    mapping = {"PERSON": "PER", "GPE": "LOC"}
    assert SpacyLabeller(pipeline, "mine", mapping).labels(CORPUS) == GOLD
    bioes = CORPUS.with_labels([["B-PER", "E-PER", "O", "S-LOC"], ["O"], [], ["S-PER", "O"]])
    assert SpacyLabeller(pipeline, "mine", mapping).labels(bioes) == bioes.labels
    pipeline.to_disk(tmp_path / "saved")
    assert SpacyLabeller.load(str(tmp_path / "saved"), mapping).labels(CORPUS) == GOLD


def test_parts_of_speech_are_those_of_the_gold_labels(pipeline: Any) -> None:
    for first, second in (("NNP", "VBD"), ("PROPN", "VERB")):
        gold = [[first if word.istitle() else second for word in row] for row in WORDS]
        assert SpacyLabeller(pipeline, "mine").labels(CORPUS.with_labels(gold)) == gold
    assert SpacyLabeller(pipeline, "mine", what="pos").labels(Corpus.from_lists(word=[["Ann", "left"]])) == [["PROPN", "VERB"]]


def test_failures_of_a_spacy_pipeline_name_the_sentence(pipeline: Any) -> None:
    spacy = pytest.importorskip("spacy")

    def fails(document: Any) -> Any:
        if document[0].text == "Rain":
            raise RuntimeError("wet")
        return document

    spacy.language.Language.component("fails-on-rain", func=fails)
    broken = spacy.blank("en")
    broken.add_pipe("fails-on-rain")
    with pytest.raises(InputError, match=r"mine: sentence 2 \(1 word\): the tagger raised .*wet"):
        SpacyLabeller(broken, "mine").labels(CORPUS)
    with pytest.raises(InputError, match=r"no-such-pipeline: spaCy cannot load this pipeline"):
        SpacyLabeller.load("no-such-pipeline")
    with pytest.raises(InputError, match="expected a spaCy pipeline, got int"):
        SpacyLabeller(3, "mine")
    with pytest.raises(InputError, match="what='lemma'"):
        SpacyLabeller(pipeline, "mine", what="lemma")  # type: ignore[arg-type]
