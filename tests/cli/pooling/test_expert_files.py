"""Files of experts on the command line: ``FILE@*``, folders of brat, gold in other formats, maps, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed

from tagpool import InputError, builtin_corpus, write_corpus
from tagpool.cli.pooling.expert_files import parse_experts, read_expert_set, read_experts
from tagpool.corpus.jsonl import character_spans

VOTES = ("--method", "mvote")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One corpus as CoNLL, as columns of experts, as spaCy's records, as brat's files and as a crowd."""
    folder = tmp_path_factory.mktemp("experts")
    corpus = builtin_corpus(60).with_columns(["word", "label"])
    write_corpus(corpus[:40], folder / "gold.conll")
    weak = [["O" if label.endswith("LOC") else label for label in row] for row in corpus.labels]
    columns = (
        corpus.with_column("a", weak).with_column("b", corpus.labels).with_column("c", [["O"] * len(r) for r in corpus.labels])
    )
    write_corpus(columns, folder / "all.conll")
    (folder / "brat").mkdir()
    records, crowd = [], []
    for number, (words, labels) in enumerate(zip(corpus.words, corpus.labels, strict=True)):
        text = " ".join(words)
        spans = character_spans(words, [" "] * len(words), labels)
        ents = [{"start": a, "end": b, "label": "PERSON" if kind == "PER" else kind} for a, b, kind in spans]
        records.append({"text": text, "ents": ents})
        crowd.append({"tokens": words, "labels": labels, "workers": {f"w{number % 3}": labels, "w9": weak[number]}})
        lines = [f"T{i}\t{kind} {a} {b}\t{text[a:b]}\n" for i, (a, b, kind) in enumerate(spans, 1)]
        (folder / "brat" / f"{number:02}.ann").write_text("".join(lines))
        (folder / "brat" / f"{number:02}.txt").write_text(f"{text}\n")
    for name, rows in (("spacy", records[::-1]), ("crowd", crowd)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_every_column_is_an_expert(files: Path, tmp_path: Path) -> None:
    options = ("--columns", "word,label,a,b,c", "--gold", files / "all.conll", "--model", tmp_path / "x.pool", "--json", *VOTES)
    shown = json.loads(succeed("pool", "fit", f"{files}/all.conll@*", *options))
    assert shown["weights"]["experts"] == ["a", "b", "c"]
    shown = json.loads(succeed("pool", "fit", f"x={files}/all.conll@*", *options))
    assert shown["weights"]["experts"] == ["x.a", "x.b", "x.c"]


def test_every_worker_is_an_expert(files: Path, tmp_path: Path) -> None:
    crowd = files / "crowd.jsonl"
    shown = json.loads(succeed("pool", "fit", "--gold", crowd, f"{crowd}@*", "--model", tmp_path / "x.pool", "--json", *VOTES))
    assert shown["weights"]["experts"] == ["w0", "w9", "w1", "w2"]


def test_formats_give_the_same_union(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [f"spacy={files}/spacy.jsonl", f"brat={files}/brat"]
    result = read_expert_set(arguments, str(files / "gold.conll"), maps=["spacy:PERSON=PER"])
    assert result.labels["spacy"] == result.labels["brat"]
    assert sum(row is not None for row in result.gold) == 40
    assert len(result.corpus) == 60
    known = result.with_gold()
    assert known.labels["spacy"] == known.gold
    notes = capsys.readouterr().err
    assert "20 sentences not in gold (the first in line 1), which is normal: they are used without gold labels" in notes
    assert "expert 'brat' equals the gold labels" in notes


def test_gold_may_have_any_format(files: Path) -> None:
    result = read_expert_set([f"b={files}/brat", f"s={files}/spacy.jsonl"], str(files / "brat"), maps=["PERSON=PER"])
    assert result.with_gold().labels["s"] == result.with_gold().gold
    result = read_expert_set([f"b={files}/brat", f"s={files}/spacy.jsonl"], maps=["PERSON=PER"])
    assert set(result.gold) == {None} if len(result.corpus) else False


def test_the_first_expert_has_the_words(files: Path) -> None:
    corpus, labels = read_experts([f"{files}/brat", f"{files}/spacy.jsonl"], None, "utf-8", maps=["PERSON=PER"])
    assert labels["brat"] == labels["spacy"]
    assert corpus.words == builtin_corpus(60).words


def test_unknown_types_are_refused_with_advice_that_works(files: Path, tmp_path: Path) -> None:
    arguments, gold = [f"spacy={files}/spacy.jsonl", f"brat={files}/brat"], str(files / "gold.conll")
    with pytest.raises(InputError, match=r"spacy\.jsonl:\d+: unknown label 'B-PERSON'; .*with --map spacy:PERSON=PER, or allow"):
        read_expert_set(arguments, gold, maps=[])
    assert "rename them with --map spacy:PERSON=PER" in fail(
        "pool", "fit", "--gold", gold, *arguments, "--model", tmp_path / "x.pool"
    )
    read_expert_set(arguments, gold, maps=["spacy:PERSON=PER"])


def test_mistakes_are_named(files: Path, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"two experts have the name 'a', in x\.conll and y\.conll; name them, such as first=x\.conll"
    ):
        parse_experts(["a=x.conll", "a=y.conll"])
    common = ("pool", "fit", "--gold", files / "gold.conll", "--model", tmp_path / "x.pool")
    all_columns = f"{files}/all.conll@*"
    assert "all.conll: @* needs the names of the columns; name its columns with --columns" in fail(*common, all_columns)
    assert "two experts have the name 'w0', in" in fail(
        *common, f"{files}/crowd.jsonl@*", f"x={files}/crowd.jsonl@w0", f"w0={files}/brat"
    )
    none = tmp_path / "none.conll"
    none.write_text(
        "".join(f"{line.split()[0]} O\n" if line else "\n" for line in (files / "gold.conll").read_text().splitlines())
    )
    shown = fail("pool", "fit", "--gold", none, "--model", tmp_path / "x.pool", f"{files}/brat", f"{files}/spacy.jsonl")
    assert "none.conll: every gold label is 'O', and a pool learns nothing from them; choose the column" in shown
    ten = tmp_path / "ten.conll"
    write_corpus(builtin_corpus(10).with_columns(["word", "label"]), ten)
    small = run("pool", "fit", "--gold", ten, "--model", tmp_path / "x.pool", f"{files}/brat", f"{files}/crowd.jsonl@w9")
    assert "note: 10 gold sentences: too few for reliable weights; label 30 or more" in small.stderr
    assert small.returncode == 0
