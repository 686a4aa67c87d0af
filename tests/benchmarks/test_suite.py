"""The suite runs to its tables on generated corpora in the layout of TAGPOOL_DATA."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest

import tagpool

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PARTS = {"train": 60, "dev": 20, "test": 30}
# Names of train, dev and test, and the columns of each file.
LAYOUT = {
    "conll2003/eng.{}.gz": (("train", "testa", "testb"), ("word", "pos", "chunk", "label")),
    "conll2002/esp.{}.gz": (("train", "testa", "testb"), ("word", "pos", "label")),
    "conll2002/ned.{}.gz": (("train", "testa", "testb"), ("word", "pos", "label")),
    "conll2000/{}.txt.gz": (("train", "", "test"), ("word", "pos", "chunk")),
    "wnut17/{}.tsv.gz": (("train", "dev", "test"), ("word", "label")),
    "bc2gm/{}.tsv.gz": (("train", "devel", "test"), ("word", "label")),
    "ud-ewt/en_ewt-ud-{}.tsv.gz": (("train", "dev", "test"), ("word", "pos", "chunk")),
    "wsj-pos/{}.tsv.gz": (("train_00-18", "dev_19-21", "test_22-24"), ("word", "pos")),
}
ROW_SETS = ("affiliation-address", "name-header", "name-citation", "date", "table")


def write(path: Path, sentences: Iterable[Iterable[Iterable[str]]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt") as file:
        file.writelines("".join("\t".join(row) + "\n" for row in rows) + "\n" for rows in sentences)


def field_rows(sentence: tagpool.Sentence) -> list[list[str]]:
    """Rows as GROBID writes them: a label begins with I- if it begins a field."""
    kinds = [f"<{label[2:] or 'other'}>" for label in sentence["chunk"]]
    begins = [label[0] != "I" for label in sentence["chunk"]]
    labels = [f"I-{kind}" if begin else kind for kind, begin in zip(kinds, begins, strict=True)]
    return [[word, word.lower(), word[:1], label] for word, label in zip(sentence.words, labels, strict=True)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    corpora = {part: tagpool.builtin_corpus(count, part=part) for part, count in PARTS.items()}
    for pattern, (names, columns) in LAYOUT.items():
        for name, corpus in zip(names, corpora.values(), strict=True):
            if name:
                write(folder / pattern.format(name), (zip(*(one[column] for column in columns), strict=True) for one in corpus))
    marked = [[["-DOCSTART-", *["O"] * 7]] if i % 3 == 0 else [] for i in range(PARTS["train"])]
    opinions = [[[word, *[label] * 7] for word, label in zip(s.words, s["label"], strict=True)] for s in corpora["train"]]
    write(
        folder / "noisebench/noisebench.conll.gz", [rows for pair in zip(marked, opinions, strict=True) for rows in pair if rows]
    )
    for number, name in enumerate(ROW_SETS):
        rows = [field_rows(sentence) for sentence in corpora["train"]]
        if name == "table":  # its rows have two widths
            rows[1::2] = [[[*row[:-1], "0", row[-1]] for row in sequence] for sequence in rows[1::2]]
        write(folder / "grobid" / f"{name}-{number}.train.gz", rows)
    return folder


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from suite import corpora, processes, task, templates, tutorial  # noqa: PLC0415 - not on the path before

    return SimpleNamespace(corpora=corpora, processes=processes, task=task, templates=templates, tutorial=tutorial)


def test_every_corpus_is_read_and_split(suite: SimpleNamespace, data: Path, tmp_path: Path) -> None:
    for name, source in suite.corpora.SOURCES.items():
        assert source.is_in(data)
        task = suite.task.prepare(source, data, tmp_path / name)
        train, test = task.read("train"), task.read("test")
        assert task.columns[0] == "word"
        assert task.columns[-1] == "label"
        assert task.tokens["train"] == train.token_count > 5 * test.token_count / 3
        if not task.has_dev:  # settings are chosen on sentences that are not trained on
            most, rest = task.read("most"), task.read("rest")
            units = [len(part.document_starts) or len(part) for part in (train, most, rest)]
            assert units[1:] == [units[0] - units[0] // 10, units[0] // 10]
            assert [*most.words, *rest.words] != train.words
            assert sorted([*most.words, *rest.words]) == sorted(train.words)
    grobid = suite.task.prepare(suite.corpora.SOURCES["grobid-table"], data, tmp_path / "rows")
    assert grobid.columns == ("word", "column1", "column2", "label")
    assert grobid.source.read(data / "grobid").test.words == tagpool.builtin_corpus(60).words[9::10]
    documents = suite.corpora.SOURCES["noisebench"].read(data / "noisebench")
    assert documents.test.words == [words for i, words in enumerate(tagpool.builtin_corpus(60).words) if i // 3 in (9, 19)]


def test_the_small_corpus_ends_before_its_limit(suite: SimpleNamespace, tmp_path: Path) -> None:
    sentence = [["word", "NN", "O", "O"]] * 3_000
    for part in ("train", "testa", "testb"):
        write(tmp_path / f"conll2003/eng.{part}.gz", [sentence] * 5)
    split = suite.corpora.SOURCES["conll2003-small"].read(tmp_path / "conll2003")
    assert (split.train.token_count, split.dev, len(split.test)) == (9_000, None, 5)


def test_tutorial_features(suite: SimpleNamespace) -> None:
    sentence = {"word": ["U.S.", "won", "3"], "pos": ["NNP", "VBD", "CD"], "chunk": ["B", "B", "B"], "column1": ["a", "b", "c"]}
    first, second, third = suite.tutorial.features(sentence)
    assert first[:7] == [
        "bias", "word.lower=u.s.", "word[-3:]=.S.", "word[-2:]=S.", "word.isupper=True", "word.istitle=True", "word.isdigit=False"
    ]  # fmt: skip
    assert first[7:11] == ["postag=NNP", "postag[:2]=NN", "column1=a", "BOS"]
    assert second[-12:] == [
        "-1:word.lower=u.s.", "-1:word.istitle=True", "-1:word.isupper=True", "-1:postag=NNP", "-1:postag[:2]=NN", "-1:column1=a",
        "+1:word.lower=3", "+1:word.istitle=False", "+1:word.isupper=False", "+1:postag=CD", "+1:postag[:2]=CD", "+1:column1=c",
    ]  # fmt: skip
    assert third[-1] == "EOS"


def test_templates_are_the_tutorial_except_for_the_named_differences(suite: SimpleNamespace) -> None:
    corpus = tagpool.builtin_corpus(40)
    columns = {"word": corpus.words, "pos": corpus.column("pos"), "column1": corpus.column("chunk")}
    corpus = tagpool.Corpus.from_lists(**columns)
    encoder = tagpool.Encoder(suite.templates.tutorial_templates(corpus.columns)).fit(corpus)
    names = {"position[0]=first": "BOS", "position[0]=last": "EOS", "bias[0]=1": "bias"}
    for place in (-1, 0, 1):
        offset = f"{place:+}:" if place else ""
        names |= {f"lower(word)[{place}]": f"{offset}word.lower", f"prefix(pos, 2)[{place}]": f"{offset}postag[:2]"}
        names |= {f"pos[{place}]": f"{offset}postag", f"column1[{place}]": f"{offset}column1"}
    names |= {"suffix(word, 2)[0]": "word[-2:]", "suffix(word, 3)[0]": "word[-3:]"}

    def renamed(feature: str) -> str:
        template, _, value = feature.partition("=")
        return names.get(feature) or f"{names[template]}={value}"

    for number, sentence in enumerate(corpus):
        columns_of = {name: sentence[name] for name in corpus.columns}
        described = encoder.describe(corpus, number)
        for strings, token in zip(suite.tutorial.features(columns_of), described, strict=True):
            expected = {one for one in strings if ".is" not in one and not is_whole_affix(one, strings)}
            assert {renamed(name) for name, _ in token if not name.startswith("capitals")} == expected


def is_whole_affix(feature: str, features: list[str]) -> bool:
    """Whether a feature is an affix as long as its word or tag."""
    values = dict(one.split("=", 1) for one in features if "=" in one)
    name, _, value = feature.partition("=")
    if name.startswith("word["):
        return value.lower() == values["word.lower"]
    return name.endswith("postag[:2]") and value == values[name[:-4]]


def test_costs_are_those_of_the_command_alone(suite: SimpleNamespace) -> None:
    megabyte = 1 << 20
    mine = b"x" * (200 * megabyte)  # Linux counts the memory of a parent as the peak of its child
    small, large = (
        suite.processes.run([sys.executable, "-S", "-c", f"b'x' * {count * megabyte}"]).peak / megabyte for count in (1, 100)
    )
    del mine
    assert small < 60
    assert 100 < large < 160
    code = "import time\nwhile time.process_time() < 0.3: pass"
    assert suite.processes.run([sys.executable, "-c", code]).cpu >= 0.3
    with pytest.raises(SystemExit, match=r"exit code 1\n(.|\n)*ZeroDivisionError"):
        suite.processes.run([sys.executable, "-c", "1 / 0"])


def run_suite(data: Path, *arguments: object) -> str:
    command = [sys.executable, str(BENCHMARKS / "run_suite.py"), *map(str, arguments)]
    done = subprocess.run(command, env={**os.environ, "TAGPOOL_DATA": str(data)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_suite_runs_to_its_tables(data: Path, tmp_path: Path) -> None:
    out, page, peers = (tmp_path / name for name in ("figures.json", "suite.md", "peers.json"))
    common = ("--repeat", 1, "--json", out, "--peers", peers, "--write", page)
    run_suite(data, "wnut17", "grobid-date", *common)
    records = json.loads(out.read_text())
    first = {(record["corpus"], record["mode"], record["side"]): record for record in records}
    for corpus in ("wnut17", "grobid-date"):
        for setting in ("c1=0.1 c2=0.1", "c1=0 c2=1"):
            ours, theirs = (first[corpus, "drop-in", f"{side} {setting}"]["test"] for side in ("drop-in", "python-crfsuite"))
            assert ours["f1"] == pytest.approx(theirs["f1"], abs=1)
        low, high = first[corpus, "defaults", "tagpool"]["test"]["interval"]
        assert low <= first[corpus, "defaults", "tagpool"]["test"]["f1"] <= high
    # A process with Python and a model takes more than 5 MB and 10 ms.
    assert all(record["peak"] > 5e6 and record["cpu"] > 0.01 for record in records)
    assert "dev" in first["wnut17", "defaults", "tagpool"]
    assert "dev" not in first["grobid-date", "defaults", "tagpool"]
    text = page.read_text()
    assert "earlier run" not in text
    for title in ("Pure defaults", "The same features", "The drop-in", "Cold start", "Corpora"):
        assert f"## {title}\n" in text
    # One row for each corpus, and two for the settings of the drop-in.
    assert [text.count(f"\n| {corpus} |") for corpus in ("wnut17", "grobid-date")] == [4, 4]

    run_suite(data, "wnut17", *common, "--modes", "defaults", "--seeds", 2)
    again = json.loads(out.read_text())
    chosen = next(record for record in again if record["side"].startswith("python-crfsuite") and record["mode"] == "defaults")
    assert chosen["cpu"] == first["wnut17", "defaults", chosen["side"]]["cpu"]  # stored, not measured again
    assert "earlier run" in page.read_text()
    seeds = [record for record in again if record["side"] == "tagpool" and record["mode"] == "defaults"]
    assert [record["seed"] for record in seeds] == [1, 2]
    assert seeds[0]["test"] == first["wnut17", "defaults", "tagpool"]["test"]
    mean = sum(record["test"]["f1"] for record in seeds) / 2
    assert f"| {mean:.2f} ± " in page.read_text()


def test_scores_are_those_of_the_command(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    run_suite(data, "conll2000", "--modes", "defaults", "--no-peers", "--repeat", 1, "--held-out", "--json", out)
    record = json.loads(out.read_text())[0]
    train, test = (tagpool.read_corpus(data / "conll2000" / f"{part}.txt.gz") for part in ("train", "test"))
    assert record["test"]["f1"] == pytest.approx(100 * tagpool.CRF().fit(train).score(test))
    most = [i for i in range(len(train)) if i % 10 != 9]
    held_out = tagpool.CRF().fit(train.select(most)).score(train.select(range(9, len(train), 10)))
    assert record["dev"]["f1"] == pytest.approx(100 * held_out)


def test_bad_names_are_refused(data: Path) -> None:
    for arguments, message in ((["conll1999"], "no corpus conll1999; there are conll2003"), (["--modes", "x"], "no mode x")):
        command = [sys.executable, str(BENCHMARKS / "run_suite.py"), *arguments]
        done = subprocess.run(command, env={**os.environ, "TAGPOOL_DATA": str(data)}, capture_output=True, text=True)
        assert done.returncode == 2
        assert message in done.stderr
