"""``tagpool tag``: the text comes back as it was, with labels, however it is cut into blocks."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from enum import Enum
from pathlib import Path

import pytest
from cli.commands import CONLLU, fail, run, succeed, write
from hypothesis import given, settings
from hypothesis import strategies as st

import tagpool
from tagpool.cli.label_file import label_files
from tagpool.corpus import blocks as blocks_module
from tagpool.corpus.blocks import Blocks
from tagpool.corpus.formats import Format
from tagpool.tagging.conll import ConllTagger
from tagpool.tagging.labeller import Labeller


def expected_labels(model: Path, words: list[list[str]]) -> list[list[str]]:
    return tagpool.load(model).predict(words)


# CoNLL -------------------------------------------------------------------------------------------------------------------


def test_the_label_is_appended_and_score_reads_the_result(data: Path, tmp_path: Path) -> None:
    shown = succeed("tag", data / "ner.tagpool", data / "test.conll")
    before = (data / "test.conll").read_text().split("\n")
    assert [line.rpartition(" ")[0] if line else "" for line in shown.split("\n")] == before
    result = json.loads(succeed("score", write(tmp_path, "tagged.conll", shown), "--json"))
    separate = tagpool.load(data / "ner.tagpool").score(tagpool.read_corpus(data / "test.conll"))
    assert result["f1"] == pytest.approx(100 * separate)
    assert succeed("tag", data / "ner.tagpool", data / "test.conll", "--threads", 2) == shown


def test_the_output_is_not_an_input(data: Path, tmp_path: Path) -> None:
    text = write(tmp_path, "text.conll", (data / "test.conll").read_text())
    model = tmp_path / "m.tagpool"
    model.write_bytes((data / "ner.tagpool").read_bytes())
    for path in (text, model):
        before = path.read_bytes()
        assert f"--output {path}: this is an input file; choose another file" in fail("tag", model, text, "-o", path)
        assert path.read_bytes() == before


@st.composite
def texts(draw: st.DrawFn) -> tuple[bytes, list[list[str]]]:
    """A CoNLL text of word and tag, with all that may stand between sentences, and the words it has."""
    separator = draw(st.sampled_from(["\t", " ", "  "]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    words = st.text("aB1.é#-", min_size=1, max_size=4)
    out, sentences = [], []
    for _ in range(draw(st.integers(1, 6))):
        out += draw(st.lists(st.sampled_from(["# id = 7", "# a comment of many words", f"-DOCSTART- -X-{end}", ""]), max_size=3))
        sentence = draw(st.lists(words, min_size=1, max_size=4))
        if sentence[0].startswith("#"):
            sentence[0] = "x" + sentence[0]
        out += [f"{word}{separator}T" for word in sentence]
        out.append(draw(st.sampled_from(["", "", " "] if separator != "\t" else [""])))
        sentences.append(sentence)
    text = draw(st.sampled_from(["", "\ufeff"])) + end.join(out) + draw(st.sampled_from(["", end, f"{end}# the end of it{end}"]))
    return text.encode(), sentences


@settings(max_examples=150)
@given(texts(), st.sampled_from([7, 64, 1 << 20]))
def test_lines_are_kept_byte_for_byte_in_blocks_of_any_size(
    tmp_path_factory: pytest.TempPathFactory, data: Path, text: tuple[bytes, list[list[str]]], size: int
) -> None:
    content, sentences = text
    path = write(tmp_path_factory.getbasetemp(), "text.conll", content)
    stored, blocks_module._SIZE = blocks_module._SIZE, size
    try:
        expert = tagpool.load(data / "ner.tagpool")
        tagged = b"".join(ConllTagger(Labeller(expert), Blocks(path), "word,tag"))
    finally:
        blocks_module._SIZE = stored
    before, after = content.split(b"\n"), tagged.split(b"\n")
    assert len(before) == len(after)
    labels = []
    for old, new in zip(before, after, strict=True):
        if old == new:
            continue
        body, carriage = old.removesuffix(b"\r"), b"\r" if old.endswith(b"\r") else b""
        assert new.startswith(body)
        assert new.endswith(carriage)
        added = new.removesuffix(b"\r")[len(body) :].decode()
        assert added[0] == ("\t" if b"\t" in old else " ")
        labels.append(added[1:])
    assert labels == [label for sentence in expert.predict(sentences) for label in sentence]
    again = tagpool.read_corpus(write(path.parent, "again.conll", tagged), columns="word,tag,label")
    assert again.words == sentences


def test_columns_are_those_of_the_training_file_with_or_without_labels(data: Path, tmp_path: Path) -> None:
    model = data / "pos.tagpool"  # looks at word and pos, trained on word, pos, chunk, label
    whole = succeed("tag", model, data / "test.conll")
    labels = [line.split()[-1] for line in whole.splitlines() if line]
    rows = [line.split() for line in (data / "test.conll").read_text().split("\n")]
    without = write(tmp_path, "without.conll", "\n".join(" ".join(row[:3]) for row in rows))
    assert [line.split()[-1] for line in succeed("tag", model, without).splitlines() if line] == labels
    turned = write(tmp_path, "turned.conll", "\n".join(" ".join(row[1::-1]) for row in rows))
    shown = succeed("tag", model, turned, "--columns", "pos,word")
    assert [line.split()[-1] for line in shown.splitlines() if line] == labels
    words = write(tmp_path, "words.conll", "\n".join(" ".join(row[:1]) for row in rows))
    message = fail("tag", model, words)
    assert "the file has 1 column; the model reads word, pos and was trained with word, pos, chunk, label" in message
    assert "the input has word, tag; pos is missing" in fail("tag", model, turned, "--columns", "word,tag")
    assert "reads the columns word, pos" in fail("tag", model, words, "--format", "text")


def test_mistakes_are_named_with_the_line_of_the_whole_file(data: Path, tmp_path: Path) -> None:
    lines = "Ann\nleft\n\n" * 200_000  # several blocks
    bad = write(tmp_path, "bad.conll", lines + "two words\n")
    target = tmp_path / "out.conll"
    assert f"{bad}:600001: expected 1 column, got 2" in fail("tag", data / "ner.tagpool", bad, "-o", target)
    assert not target.exists()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["bad.conll"]
    mixed = write(tmp_path, "mixed.conll", "a\tT\n\n" * 300_000 + "b T\n")
    assert f"{mixed}:600001: expected 2 columns, got 1" in run("tag", data / "ner.tagpool", mixed, "--columns", "word,t").stderr


def test_output_files_are_written_whole_and_compressed(data: Path, tmp_path: Path) -> None:
    shown = succeed("tag", data / "ner.tagpool", data / "test.conll")
    source = write(tmp_path, "in.conll.gz", gzip.compress((data / "test.conll").read_bytes()))
    succeed("tag", data / "ner.tagpool", source, "-o", tmp_path / "out.conll.gz")
    assert gzip.decompress((tmp_path / "out.conll.gz").read_bytes()).decode() == shown
    latin = write(tmp_path, "latin.conll", "Zoë\nwas\n".encode("latin-1"))
    assert "expected UTF-8" in fail("tag", data / "ner.tagpool", latin)
    assert succeed("tag", data / "ner.tagpool", latin, "--encoding", "latin-1").startswith("Zoë ")
    assert "unknown encoding" in fail("tag", data / "ner.tagpool", latin, "--encoding", "klingon")


# More than the best ------------------------------------------------------------------------------------------------------


def test_nbest_repeats_sentences_with_probabilities_that_fit(data: Path) -> None:
    text = "# id = 1\nAnn\nleft\n\n-DOCSTART-\n\nOslo\n"
    shown = succeed("tag", data / "ner.tagpool", "-", "--nbest", 3, stdin=text)
    lattice = tagpool.load(data / "ner.tagpool").lattices([["Ann", "left"], ["Oslo"]])
    labels = tagpool.load(data / "ner.tagpool").labels_
    expected = ["# id = 1"]
    for number, (words, one) in enumerate(zip([["Ann", "left"], ["Oslo"]], lattice, strict=True)):
        if number:
            expected += ["", "-DOCSTART-", ""]
        for rank, (result, score) in enumerate(one.best_n(3), 1):
            expected += [""] * (rank > 1)
            expected += [f"# nbest = {rank} score {score:.6f} log-probability {one.log_probability(result):.6f}"]
            expected += [f"{word} {labels[label]}" for word, label in zip(words, result, strict=True)]
    assert shown == "\n".join(expected) + "\n"


def test_marginals_stand_before_the_label(data: Path, tmp_path: Path) -> None:
    plain = succeed("tag", data / "ner.tagpool", data / "test.conll")
    rows = [
        line.split() for line in succeed("tag", data / "ner.tagpool", data / "test.conll", "--probabilities").splitlines() if line
    ]
    assert [row[-1] for row in rows] == [line.split()[-1] for line in plain.splitlines() if line]
    expert = tagpool.load(data / "ner.tagpool")
    marginals = [row for item in expert.predict_marginals(tagpool.read_corpus(data / "test.conll")) for row in item]
    for row, probabilities in zip(rows, marginals, strict=True):
        assert float(row[-2]) == pytest.approx(probabilities[expert.labels_.index(row[-1])], abs=1e-6)


def test_scheme_allows_only_valid_sequences(data: Path, tmp_path: Path) -> None:
    # Without --scheme, a transition of the training labels may be used, valid or not.
    corpus = tagpool.Corpus.from_lists(
        word=[["Ann", "Lee"], ["x", "y"], ["x", "Lee"]], label=[["B-PER", "I-PER"], ["O", "O"], ["O", "I-PER"]]
    )
    model = tmp_path / "m"
    tagpool.MaxEnt("word[0]").fit(corpus).save(model)
    assert succeed("tag", model, "-", stdin="x\nLee\n") == "x O\nLee I-PER\n"
    assert succeed("tag", model, "-", "--scheme", "bio2", stdin="x\nLee\n") in (
        "x O\nLee O\n",
        "x O\nLee B-PER\n",
        "x B-PER\nLee I-PER\n",
    )
    assert "have another scheme" in fail("tag", model, "-", "--scheme", "bioes", stdin="x\n")
    assert "error: unknown tag scheme 'xyz'" in fail("tag", model, "-", "--scheme", "xyz", stdin="x\n")


# Other formats -----------------------------------------------------------------------------------------------------------


def test_jsonl_gets_labels_and_spans(data: Path, tmp_path: Path) -> None:
    text = " Dr. Okafor moved to New York."
    records = [{"text": text, "id": 7, "labels": [[0, 99, "WRONG"]]}, {"tokens": ["Ann", "left"], "labels": ["B-X", "O"]}]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    first, second = map(json.loads, succeed("tag", data / "ner.tagpool", "-", "--format", "jsonl", stdin=lines).splitlines())
    words = [token.text for token in tagpool.tokenize(text)]
    assert [first["labels"], second["labels"]] == expected_labels(data / "ner.tagpool", [words, ["Ann", "left"]])
    assert (first["text"], first["id"], first["tokens"]) == (text, 7, words)
    assert {text[start:end]: kind for start, end, kind in first["spans"]}.items() >= {"New York": "LOC"}.items()
    assert "spans" not in second
    rich = json.loads(
        succeed("tag", data / "ner.tagpool", "-", "--format", "jsonl", "--nbest", 2, "--probabilities", stdin=lines).splitlines()[
            1
        ]
    )
    assert len(rich["nbest"]) == len(rich["probabilities"]) == 2
    bad = run("tag", data / "ner.tagpool", "-", "--format", "jsonl", stdin='{"tokens": ["a"]}\nnonsense\n')
    assert (bad.returncode, json.loads(bad.stdout)["tokens"]) == (2, ["a"])
    assert "standard input:2: expected a JSON object" in bad.stderr
    assert "pos is missing" in fail("tag", data / "pos.tagpool", "-", "--format", "jsonl", stdin=lines)
    gold = write(tmp_path, "gold.jsonl", json.dumps({"text": text, "labels": [[21, 29, "LOC"]]}) + "\n")
    succeed("tag", data / "ner.tagpool", gold, "-o", tmp_path / "tagged.jsonl")
    assert json.loads(succeed("score", gold, tmp_path / "tagged.jsonl", "--json"))["types"]["LOC"]["recall"] == 100


def test_text_becomes_lines_of_word_and_label(data: Path) -> None:
    text = "Dr. Okafor moved to Oslo.\n\nRain fell.\r\n"
    shown = succeed("tag", data / "ner.tagpool", "-", "--format", "text", stdin=text)
    words = [["Dr.", "Okafor", "moved", "to", "Oslo", "."], ["Rain", "fell", "."]]
    labels = expected_labels(data / "ner.tagpool", words)
    blocks = ["\n".join(f"{w} {v}" for w, v in zip(*pair, strict=True)) for pair in zip(words, labels, strict=True)]
    assert shown == "\n\n".join(blocks) + "\n\n"
    probable = succeed("tag", data / "ner.tagpool", "-", "--format", "text", "--nbest", 2, "--probabilities", stdin=text)
    assert probable.count("# nbest = 2") == 2
    assert all(re.fullmatch(r"\S+ [01]\.[0-9]{6} \S+", line) for line in probable.splitlines() if line and line[0] != "#")


def test_conllu_keeps_its_ten_columns(data: Path, tmp_path: Path) -> None:
    source = write(tmp_path, "in.conllu", CONLLU)
    label = dict(zip(["In", "Oslo"], expected_labels(data / "ner.tagpool", [["In", "Oslo"]])[0], strict=True))
    shown = succeed("tag", data / "ner.tagpool", source)
    expected = CONLLU.replace("root\t_\t_\n", f"root\t_\tLabel={label['In']}\n")
    assert shown == expected.replace("SpaceAfter=No", f"SpaceAfter=No|Label={label['Oslo']}")
    tagger = tmp_path / "upos"
    tagpool.CRF("word[0]").fit(tagpool.read_corpus(source)).save(tagger)
    wrong = CONLLU.replace("ADP", "X").replace("PROPN", "X")
    assert succeed("tag", tagger, "-", "--format", "conllu", stdin=wrong) == CONLLU
    succeed("tag", tagger, write(tmp_path, "wrong.conllu", wrong), "-o", tmp_path / "right.conllu")
    assert json.loads(succeed("score", source, tmp_path / "right.conllu", "--json"))["accuracy"] == 100
    assert "Probability=" in succeed("tag", tagger, source, "--probabilities", "--nbest", 2)


def test_a_format_that_tag_does_not_write_is_refused(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class NewFormat(str, Enum):
        SLASHED = "slashed"

    source = write(tmp_path, "x.slashed", "Ann/B-PER left/O\n")
    monkeypatch.setattr("tagpool.tagging.files.format_to_read", lambda *_: NewFormat.SLASHED)
    with pytest.raises(tagpool.InputError, match=f"the format slashed; convert the file first: tagpool convert {source}"):
        label_files(data / "ner.tagpool", [source], tmp_path / "out")
    assert not (tmp_path / "out").exists()


TAGGED = {Format.CONLL, Format.CONLLU, Format.JSONL, Format.SPANS, Format.TEXT, Format.PARQUET, Format.SPACY}


def test_every_format_is_tagged(data: Path, tmp_path: Path) -> None:
    for kind in Format:
        source = tmp_path / "in"
        succeed("convert", data / "test.conll", "-o", source, "--to", kind.value)
        if kind not in TAGGED:
            message = fail("tag", data / "ner.tagpool", source, "--format", kind.value, "-o", tmp_path / "out")
            assert f"tagpool convert {source} --from {kind.value} -o FILE.conll" in message
            continue
        succeed("tag", data / "ner.tagpool", source, "--format", kind.value, "-o", tmp_path / "out")
        assert (tmp_path / "out").stat().st_size > source.stat().st_size / 2


# Streams and mishaps -----------------------------------------------------------------------------------------------------


MISHAPS = {
    "an empty file": ("", "expected sentences; the input is empty"),
    "only comments": ("# id = 1\n\n", "expected sentences; the input is empty"),
    "a binary file": (b"\x7fELF\0\0\1\n", "NUL byte"),
    "cut off gzip": (gzip.compress(b"Oslo\n" * 1000)[:-9], "gzip data is damaged or cut off"),
}


@pytest.mark.parametrize("name", MISHAPS)
def test_files_that_cannot_be_tagged(data: Path, tmp_path: Path, name: str) -> None:
    content, expected = MISHAPS[name]
    path = write(tmp_path, "in", content)
    message = fail("tag", data / "ner.tagpool", path, "-o", tmp_path / "out")
    assert expected in message
    assert str(path) in message
    assert [item.name for item in tmp_path.iterdir()] == ["in"]


def test_running_text_needs_its_format(data: Path) -> None:
    message = fail("tag", data / "ner.tagpool", "-", stdin="Ann Smith moved to Oslo.\n")
    assert "the file has 5 columns; the model reads word and was trained with word, pos, chunk, label; " in message
    assert "for running text use --format text, else name them, such as --columns word,pos,chunk,label,column1" in message
    message = fail("tag", data / "pos.tagpool", "-", stdin="Ann\n")
    assert "the file has 1 column; the model reads word, pos" in message
    assert "; add the missing columns" in message
    assert "--format text" not in message


def test_files_in_each_others_place(data: Path, tmp_path: Path) -> None:
    assert "got a model; use: tagpool tag" in fail("tag", data / "ner.tagpool", data / "ner.tagpool")
    swapped = fail("tag", data / "test.conll", data / "ner.tagpool")
    assert "expected a model, got a file that is not in the safetensors format; to label a text: tagpool tag MODEL" in swapped
    crfsuite = write(tmp_path, "names.crfsuite", b"lCRF" + bytes(100))
    for command in (["tag", crfsuite, data / "test.conll"], ["inspect", crfsuite]):
        assert "this is a model of CRFsuite; convert it first: tagpool convert FILE" in fail(*command)
    assert "there is no such file" in fail("tag", data / "no", data / "test.conll")
    assert "there is no such file" in fail("tag", data / "ner.tagpool", data / "no")
    assert "several files: name a folder" in fail("tag", data / "ner.tagpool", data)
    model = write(tmp_path, "damaged", (data / "ner.tagpool").read_bytes()[:-1])
    assert str(model) in fail("tag", model, data / "test.conll")
    assert "--columns is for CoNLL" in fail(
        "tag", data / "ner.tagpool", "-", "--format", "text", "--columns", "word", stdin="a\n"
    )


def test_a_model_of_given_features_is_for_python(tmp_path: Path) -> None:
    tagpool.CRF().fit([[["a"], ["b"]]], [["X", "Y"]]).save(tmp_path / "m")
    assert "trained on features from Python" in fail("tag", tmp_path / "m", "-", stdin="a\n")


@pytest.mark.parametrize("target", ["> /dev/full", "-o /dev/full"])
def test_a_full_disk(data: Path, target: str) -> None:
    command = f"{sys.executable} -m tagpool tag {data / 'ner.tagpool'} {data / 'test.conll'} {target}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "writing failed: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


# Bad records ------------------------------------------------------------------------------------------------------------
