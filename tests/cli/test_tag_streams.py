"""``tagpool tag`` on streams: labels as they come, interruptions, and bad records after earlier output."""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import CONLLU, fail, run, succeed, write

import tagpool


def test_a_stream_is_tagged_as_it_comes_and_may_be_left(data: Path) -> None:
    command = [sys.executable, "-m", "tagpool", "tag", str(data / "ner.tagpool"), "-"]
    (their_input, our_output), (our_input, their_output) = os.pipe(), os.pipe()
    process = subprocess.Popen(command, stdin=their_input, stdout=their_output, stderr=subprocess.PIPE)
    os.close(their_input)
    os.close(their_output)
    try:
        for _ in range(3):  # an answer to each sentence while the stream is open
            os.write(our_output, b"Oslo\n\n")
            assert os.read(our_input, 1000).startswith(b"Oslo ")
        os.close(our_input)
        with contextlib.suppress(BrokenPipeError):  # an endless stream
            for _ in range(10_000):
                os.write(our_output, b"Oslo\n\n" * 10_000)
        _, message = process.communicate()
        assert message == b""
        assert process.returncode == 0
    finally:
        os.close(our_output)
        process.kill()


def test_ctrl_c_says_what_was_written(data: Path, tmp_path: Path) -> None:
    for options, stored in (([], "the labels so far are written"), (["-o", str(tmp_path / "out")], "nothing was written")):
        command = [sys.executable, "-m", "tagpool", "tag", str(data / "ner.tagpool"), "/dev/stdin", *options]
        reading, writing = os.pipe()
        # Discard its output: a full pipe that is not read would block both processes.
        process = subprocess.Popen(command, stdin=reading, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        os.close(reading)
        try:
            # A pipe holds 64 KiB: when all this has gone in, the command is at work.
            for _ in range(4):
                os.write(writing, b"Oslo\n\n" * 10_000)
            process.send_signal(signal.SIGINT)
            _, message = process.communicate()
        finally:
            os.close(writing)
            process.kill()
        assert process.returncode == 130
        assert message == f"interrupted; {stored}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_sentence_that_never_ends_is_an_error(data: Path) -> None:
    reading, writing = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # fewer and longer pieces: the text so far is searched after each of them
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 20)
    endless = subprocess.Popen(["yes", ("Oslo\n" * 1000).rstrip()], stdout=writing)
    os.close(writing)
    command = [sys.executable, "-m", "tagpool", "tag", str(data / "ner.tagpool"), "-"]
    done = subprocess.run(command, stdin=reading, capture_output=True, text=True, check=False)
    os.close(reading)
    endless.wait()
    assert done.returncode == 2
    assert "standard input:1: no blank line between sentences in" in done.stderr


GOOD = '{"text": "Ann left"}'
BAD_JSON = ["{", "5", '{"text": 5}', '{"text": "x", "text": ["y"]}', '{"tokens": ["a", ""]}', '{"no": 1}', '{"text": "\\ud800"}']
BAD_BYTES = [b"\xff", b"a\0b"]


def _tag_bytes(data: Path, content: bytes, *options: object, model: str = "ner.tagpool") -> tuple[int, bytes, str]:
    command = [sys.executable, "-m", "tagpool", "tag", str(data / model), "-", *map(str, options)]
    done = subprocess.run(command, input=content, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def test_jsonl_without_tokens_has_an_empty_result(data: Path) -> None:
    lines = ['{"text": ""}', GOOD, '{"text": " \\n ", "id": 7}', '{"tokens": []}', '{"tokens": [], "meta": []}']
    for options in ([], ["--nbest", "2", "--probabilities"]):
        shown = succeed("tag", data / "ner.tagpool", "-", "--format", "jsonl", *options, stdin="\n".join(lines) + "\n")
        records = [json.loads(line) for line in shown.splitlines()]
        assert [record["tokens"] for record in records] == [[], ["Ann", "left"], [], [], []]
        assert [record["labels"] for record in records if not record["tokens"]] == [[]] * 4
        assert records[2]["id"] == 7
        assert records[0]["spans"] == records[2]["spans"] == []
        if options:
            assert records[0]["nbest"] == [{"labels": [], "score": 0.0, "log_probability": 0.0}]
            assert records[0]["probabilities"] == []
    # A model of several columns, of which a text has one.
    assert json.loads(succeed("tag", data / "pos.tagpool", "-", "--format", "jsonl", stdin='{"text": ""}\n'))["labels"] == []


def test_blank_text_has_an_empty_result(data: Path) -> None:
    assert succeed("tag", data / "ner.tagpool", "-", "--format", "text", stdin="\n  \n\n") == ""
    with_blanks = succeed("tag", data / "ner.tagpool", "-", "--format", "text", stdin="\nAnn left\n \nRain\n")
    assert with_blanks == succeed("tag", data / "ner.tagpool", "-", "--format", "text", stdin="Ann left\nRain\n")


@pytest.mark.parametrize("bad", [*map(str.encode, BAD_JSON), *BAD_BYTES, b'{"text": "' + b"x " * 200_000 + b'"}'])
def test_a_bad_record_of_jsonl(data: Path, bad: bytes) -> None:
    good = GOOD.encode()
    before = succeed("tag", data / "ner.tagpool", "-", "--format", "jsonl", stdin=f"{GOOD}\n{GOOD}\n")
    content = b"\n".join([good, good, bad, good, bad]) + b"\n"
    code, output, message = _tag_bytes(data, content, "--format", "jsonl")
    assert (code, output.decode()) == (2, before)
    assert message.startswith("error: standard input:3: ")
    assert message.endswith("; skip such records with --keep-going\n")
    code, output, message = _tag_bytes(data, content, "--format", "jsonl", "--keep-going")
    records = [json.loads(line) for line in output.splitlines()]
    assert code == 1
    assert [sorted(record) for record in records if "error" in record] == [["error", "line"]] * 2
    assert [record.get("line") for record in records] == [None, None, 3, None, 5]
    assert [record.get("labels") for record in records][3] == json.loads(before.splitlines()[0])["labels"]
    lines = message.splitlines()
    assert [line.startswith(f"error: standard input:{n}: ") for n, line in zip((3, 5), lines, strict=False)] == [True, True]
    assert lines[2:] == ["error: standard input: skipped 2 bad records"]


BAD_SENTENCES = {
    "columns": (b"Oslo NNP B-NP O\nis\n\n", 2),
    "bytes": (b"Oslo NNP B-NP O\nis VBZ B-VP O\n\xff\xfe VBZ B-VP O\n\n", 3),
    "nul": (b"Os\0lo NNP B-NP O\n\n", 1),
}


@pytest.mark.parametrize("name", BAD_SENTENCES)
def test_a_bad_sentence_of_conll(data: Path, tmp_path: Path, name: str) -> None:
    bad, place = BAD_SENTENCES[name]
    good = b"Ann NNP B-NP O\nleft VBD B-VP O\n\n"
    alone = succeed("tag", data / "ner.tagpool", "-", stdin=good.decode())
    content = good + good + bad + b"# note = 1\n" + good + bad
    code, output, message = _tag_bytes(data, content)
    assert (code, output.decode()) == (2, alone * 2)
    assert message.startswith(f"error: standard input:{6 + place}: ")
    code, output, message = _tag_bytes(data, content, "--keep-going")
    assert code == 1
    comment = f"# skipped = standard input:{6 + place}: "
    pieces = output.decode().split("\n\n")
    assert pieces[2].startswith(comment)
    assert "\n\n".join([*pieces[:2], *pieces[3:4]]) + "\n\n" == alone * 2 + "# note = 1\n" + alone
    assert pieces[4].startswith("# skipped = standard input:")
    assert message.endswith("error: standard input: skipped 2 bad records\n")
    # The comments are no tokens.
    tagged = write(tmp_path, "tagged.conll", output)
    assert tagpool.read_corpus(tagged, columns="word,pos,chunk,label,predicted").words == [["Ann", "left"]] * 3
    code, output, _ = _tag_bytes(data, content, "--keep-going", "-o", tmp_path / "out")
    assert (code, output) == (1, b"")
    assert (tmp_path / "out").read_bytes() == tagged.read_bytes()


def test_a_bad_sentence_of_conllu(data: Path) -> None:
    good = CONLLU
    bad = "1\tOslo\t_\n\n"
    alone = succeed("tag", data / "ner.tagpool", "-", "--format", "conllu", stdin=good)
    code, output, message = _tag_bytes(data, (good + bad + good).encode(), "--format", "conllu", "--keep-going")
    assert code == 1
    first, skipped, last = re.split(r"(# skipped = [^\n]*\n\n)", output.decode())
    assert first == last == alone
    assert skipped.startswith("# skipped = standard input:7: ")
    code, output, message = _tag_bytes(data, (good + bad + good).encode(), "--format", "conllu")
    assert (code, output.decode()) == (2, alone)
    assert message.startswith("error: standard input:7: ")


@pytest.mark.parametrize("bad", [b"\xff", b"a\0b", b"x " * 200_000])
def test_a_bad_line_of_text(data: Path, bad: bytes) -> None:
    alone = succeed("tag", data / "ner.tagpool", "-", "--format", "text", stdin="Ann left\n")
    content = b"\n".join([b"Ann left", b"", bad, b"Ann left", bad]) + b"\n"
    code, output, message = _tag_bytes(data, content, "--format", "text")
    assert (code, output.decode()) == (2, alone)
    assert message.startswith("error: standard input:3: ")
    code, output, message = _tag_bytes(data, content, "--format", "text", "--keep-going")
    pieces = re.split(r"# skipped = standard input:(\d+): [^\n]*\n\n", output.decode())
    assert (code, pieces) == (1, [alone, "3", alone, "5", ""])


def test_invalid_bytes_of_another_encoding(data: Path) -> None:
    content = b"Ann left\nZo\x81 \xe9\nAnn left\n"
    alone = succeed("tag", data / "ner.tagpool", "-", "--format", "text", stdin="Ann left\n")
    options = ["--format", "text", "--encoding", "cp1252"]
    code, output, message = _tag_bytes(data, content, *options)
    assert (code, output.decode()) == (2, alone)
    assert message.startswith("error: standard input:2: expected cp1252, got invalid bytes")
    code, output, _ = _tag_bytes(data, content, *options, "--keep-going")
    assert code == 1
    assert output.decode().startswith(alone + "# skipped = standard input:2: expected cp1252")
    assert output.decode().endswith(alone)


def test_output_before_unreadable_input_is_written(data: Path, tmp_path: Path) -> None:
    cut = gzip.compress(f"{GOOD}\n".encode() * 3)[:-5]
    path = write(tmp_path, "in.jsonl.gz", cut)
    done = run("tag", data / "ner.tagpool", path)
    assert done.returncode == 2
    assert [json.loads(line)["tokens"] for line in done.stdout.splitlines()] == [["Ann", "left"]] * 3
    assert "gzip data is damaged or cut off" in done.stderr


def test_a_file_is_not_written_after_a_bad_record(data: Path, tmp_path: Path) -> None:
    bad = write(tmp_path, "bad.jsonl", f"{GOOD}\n{{\n{GOOD}\n")
    target = tmp_path / "out.jsonl"
    message = fail("tag", data / "ner.tagpool", bad, "-o", target)
    assert f"{bad}:2: " in message
    assert f"; {target} is not written, since it would be incomplete; skip such records with --keep-going" in message
    assert not target.exists()
    target.write_text("old")
    assert "(the old file is kept); skip such records with --keep-going" in fail("tag", data / "ner.tagpool", bad, "-o", target)
    assert target.read_text() == "old"
    done = run("tag", data / "ner.tagpool", bad, "-o", target, "--keep-going")
    assert done.returncode == 1
    assert "skipped 1 bad record" in done.stderr
    assert len(target.read_text().splitlines()) == 3
    done = run("tag", data / "ner.tagpool", bad)
    assert len(done.stdout.splitlines()) == 1
    assert "is not written" not in done.stderr
