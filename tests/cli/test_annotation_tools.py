"""``convert`` from and to the formats of annotation tools, and ``agreement``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed, write

CROWD = (
    '{"tokens": ["Ann", "Lee", "left"], "workers": {"w1": ["B-PER", "I-PER", "O"], "w2": ["B-PER", "O", "O"]}}\n'
    '{"tokens": ["In", "Oslo"], "workers": {"w1": ["O", "B-LOC"], "w2": ["O", "B-LOC"]}}\n'
)
TASK = {"text": "Ann left.", "spans": [{"start": 0, "end": 3, "label": "PER"}], "relations": [{}], "answer": "accept"}


@pytest.mark.parametrize(
    ("name", "to"),
    [
        ("a.jsonl", "prodigy"),
        ("a.jsonl", "doccano"),
        ("a.json", "label-studio"),
        ("a.ann", None),
        ("a.tsv", "webanno"),
        ("a.xmi", None),
        ("a.zip", None),
        ("a.conllup", None),
    ],
)
def test_convert_to_a_tool_and_back(tmp_path: Path, name: str, to: str | None) -> None:
    gold = write(tmp_path, "gold.conll", "Ann B-PER\nLee I-PER\nleft O\n\nOslo B-LOC\n\n")
    succeed("convert", gold, "-o", tmp_path / name, *(["--to", to] if to else []))
    options = ["--from", "doccano"] if to == "doccano" else []
    assert succeed("convert", tmp_path / name, *options, "--keep", "word,label").rstrip() == Path(
        gold
    ).read_text().rstrip().replace(
        "Ann B-PER", "-DOCSTART- O\n\nAnn B-PER" if name in ("a.ann", "a.tsv", "a.xmi", "a.zip") else "Ann B-PER"
    )


def test_convert_counts_what_is_lost(tmp_path: Path) -> None:
    tasks = write(tmp_path, "a.jsonl", json.dumps(TASK) + "\n")
    done = run("convert", tasks, "-o", tmp_path / "a.json", "--to", "label-studio", "--json")
    assert json.loads(done.stdout) == {
        "to": "label-studio",
        "sentences": 1,
        "tokens": 3,
        "not_read": {"relations": 1},
        "not_written": {},
    }
    assert done.stderr == "not read, since a corpus has no place for it: relations (1)\n"
    columns = write(tmp_path, "b.conll", "Ann NNP B-PER\n")
    assert (
        "not kept, since brat has no place for it: column pos (1)\n" in run("convert", columns, "-o", tmp_path / "b.ann").stderr
    )
    assert "brat has two files" in fail("convert", columns, "--to", "brat")


def test_convert_reads_a_folder_of_brat(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path, f"{name}.txt", f"Ann {name} left")
        write(tmp_path, f"{name}.ann", "T1\tPER 0 5\tAnn " + name)
    document = ["-DOCSTART-", "O", "Ann", "B-PER", "{}", "I-PER", "left", "O"]
    expected = [word.format(name) for name in "ab" for word in document]
    assert succeed("convert", tmp_path, "--keep", "word,label").split() == expected


def test_other_commands_read_tasks_with_a_warning(tmp_path: Path) -> None:
    tasks = write(tmp_path, "a.jsonl", json.dumps(TASK) + "\n")
    done = run("score", tasks, tasks, "--json")
    assert (json.loads(done.stdout)["f1"], "warning: " in done.stderr) == (100.0, True)
    assert "a.jsonl: not read: relations (1)" in done.stderr


def test_agreement_of_a_crowd(tmp_path: Path) -> None:
    crowd = write(tmp_path, "crowd.jsonl", CROWD)
    done = run("agreement", f"{crowd}@*", "--disputes", tmp_path / "d.jsonl")
    assert done.stderr == f"1 of 2 sentences in dispute written to {tmp_path / 'd.jsonl'}\n"
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[1][:4] == ["w1", "w2", "2", "50.00"]
    assert [row[0] for row in rows[2:]] == ["type", "all", "LOC", "PER"]
    (record,) = map(json.loads, (tmp_path / "d.jsonl").read_text().splitlines())
    assert (record["sentence"], record["differences"], record["workers"]["w2"]) == (1, 2.0, ["B-PER", "O", "O"])
    assert record["disputed"][1] == {"text": "Ann Lee", "start": 0, "end": 2, "type": "PER", "annotators": ["w1"]}
    again = json.loads(succeed("agreement", f"{tmp_path / 'd.jsonl'}@*", "--json"))
    assert (again["pairs"][0]["f1"], again["disputed"]) == (0.0, 1)


def test_agreement_of_files_in_several_formats(tmp_path: Path) -> None:
    first = write(tmp_path, "ann.jsonl", json.dumps(TASK) + "\n")
    write(tmp_path, "bob.txt", "Ann left.\n")
    second = write(tmp_path, "bob.ann", "T1\tPERSON 0 3\tAnn\n")
    third = write(tmp_path, "carl.conll", "Ann B-PER\nleft O\n. O\n")
    result = json.loads(succeed("agreement", first, second, third, "--map", "PERSON=PER", "--json"))
    assert [(pair["first"], pair["second"], pair["f1"]) for pair in result["pairs"]] == [
        ("ann", "bob", 100.0),
        ("ann", "carl", 100.0),
        ("bob", "carl", 100.0),
    ]
    assert (result["alpha"]["alpha"], result["types"]["PER"]["tokens"]) == (1.0, 3)


def test_agreement_refuses_what_it_cannot_compare(tmp_path: Path) -> None:
    crowd = write(tmp_path, "crowd.jsonl", CROWD)
    assert "there is no agreement of one annotator; name the files" in fail("agreement", crowd)
    assert "this is an input file" in fail("agreement", f"{crowd}@*", "--disputes", crowd)
    assert "both write to standard output" in fail("agreement", f"{crowd}@*", "--disputes", "-", "--json")
    other = write(tmp_path, "other.conll", "Rain O\n")
    assert "only 0 of 1 sentence" in fail("agreement", write(tmp_path, "one.conll", "Ann B-PER\n"), other)


def test_texts_of_brat_are_not_replaced(tmp_path: Path) -> None:
    columns = write(tmp_path, "c.txt", "Ann B-PER\nleft O\n")
    message = f"error: {columns}: the text of the annotations {tmp_path / 'c.ann'} would replace this file; choose another name"
    assert fail("convert", columns, "-o", tmp_path / "c.ann").startswith(message)
    assert (sorted(tmp_path.iterdir()), Path(columns).read_text()) == ([tmp_path / "c.txt"], "Ann B-PER\nleft O\n")
    write(tmp_path, "c.ann", "T1\tX 0 3\tAnn\n")  # fits the input, which would be replaced
    assert "c.txt: this is an input file" in fail("convert", columns, "-o", tmp_path / "c.ann")
    assert Path(columns).read_text() == "Ann B-PER\nleft O\n"


def test_texts_of_annotations_that_are_replaced_are_replaced(tmp_path: Path) -> None:
    first, second = write(tmp_path, "1.conll", "Ann B-PER\n"), write(tmp_path, "2.conll", "In O\nOslo B-LOC\n")
    for source, text in ((first, "Ann"), (second, "In Oslo")):
        succeed("convert", source, "-o", tmp_path / "a.ann")
        assert (tmp_path / "a.txt").read_text() == text
    write(tmp_path, "a.ann", "")  # a text that is not annotated yet
    assert "would replace this file" in fail("convert", first, "-o", tmp_path / "a.ann")


def test_the_same_text_is_kept(tmp_path: Path) -> None:
    text = write(tmp_path, "a.txt", "Ann left.\nIt rains.\n\n")
    succeed("convert", text, "--from", "text", "-o", tmp_path / "a.ann")
    assert (Path(text).read_text(), (tmp_path / "a.ann").read_text()) == ("Ann left.\nIt rains.\n\n", "")
    other = write(tmp_path, "b.txt", "Ann left.\n\nIt rains.\n")
    assert "would replace this file" in fail("convert", other, "--from", "text", "-o", tmp_path / "b.ann")
    assert Path(other).read_text() == "Ann left.\n\nIt rains.\n"


def test_files_that_are_read_with_an_input_are_inputs(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "Ann left.\n")
    spans = write(tmp_path, "b.ann", "T1\tPER 0 3\tAnn\n")
    assert "this is an input file" in fail("convert", spans, "-o", tmp_path / "b.txt", "--to", "conll")
    succeed("convert", spans, "-o", tmp_path / "b.xmi")
    assert "this is an input file" in fail("convert", tmp_path / "b.xmi", "-o", tmp_path / "TypeSystem.xml", "--to", "conll")
    assert (tmp_path / "b.txt").read_text() == "Ann left.\n"


@pytest.mark.parametrize("to", ["conll", "conllu", "jsonl", "prodigy", "text", "brat", "conllup"])
def test_other_lines_of_conllu_are_counted(tmp_path: Path, to: str) -> None:
    rows = "# global.columns = ID FORM TAGPOOL:LABEL\n# newdoc id = d\n1-2\tdont\t_\n1\tdo\tO\n2\tnt\tB-X\n2.1\te\t_\n\n"
    source = write(tmp_path, "a.conllup", rows)
    done = json.loads(succeed("convert", source, "-o", tmp_path / "b.ann", "--to", to, "--json"))
    counts = {"comments": 1, "multiword tokens": 1, "empty nodes": 1}
    if to in ("conll", "conllu"):
        del counts["comments"]
    lost = {kind: count for kind, count in done["not_written"].items() if kind in ("comments", "multiword tokens", "empty nodes")}
    assert lost == ({} if to == "conllup" else counts)
    if to in ("conll", "conllu"):  # the document is marked once
        lines = (tmp_path / "b.ann").read_text().splitlines()
        assert (lines[0], len(lines)) == ("# newdoc id = d", 4)


@pytest.mark.parametrize(
    ("name", "to", "message"),
    [
        ("a.jsonl", "prodigy", 'a.jsonl:1: "tokens": expected a list of non-empty strings'),
        ("a.jsonl", "doccano", 'a.jsonl:2: "tokens": expected a list of non-empty strings'),
        ("a.json", "label-studio", "a.json:1: expected a JSON object"),
        ("a.tsv", "webanno", "tagpool tag does not write the format webanno"),
        ("a.ann", "brat", "tagpool tag does not write the format brat"),
    ],
)
def test_tag_says_that_files_of_tools_are_converted_first(tmp_path: Path, data: Path, name: str, to: str, message: str) -> None:
    gold = write(tmp_path, "gold.conll", "Ann B-PER\nleft O\n\nIn O\nc++) O\n\n")
    succeed("convert", gold, "-o", tmp_path / name, "--to", to)
    error = fail("tag", data / "ner.tagpool", tmp_path / name, "-o", tmp_path / "out")
    assert message in error
    assert re.search("convert .* first: tagpool convert ", error)
    assert "-o FILE.conll" in error
