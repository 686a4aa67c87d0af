"""Commands of pools that learn: fit, apply, explain, suggest, distill and demo."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed
from pools.small_experts import capitals, careless

from tagpool import OutputError, builtin_corpus, load, read_corpus, write_corpus
from tagpool.cli.pooling import demo
from tagpool.evaluation.scores import score

NAMES = ("capitals", "one", "two")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gold sentences, the files of three experts, all of them in one file, and a stack."""
    folder = tmp_path_factory.mktemp("stacking")
    corpus = builtin_corpus(60, seed=4).with_columns(["word", "label"])
    write_corpus(corpus[:40], folder / "gold.conll")
    several = corpus
    for name, rows in zip(NAMES, (capitals(corpus), careless(corpus, 1), careless(corpus, 2, 0.5)), strict=True):
        write_corpus(corpus.with_labels(rows), folder / f"{name}.conll")
        several = several.with_column(name, rows)
    write_corpus(several, folder / "all.conll", columns="word,label,capitals,one,two")
    renamed = [["B-PERSON" if label == "B-PER" else label for label in row] for row in capitals(corpus)]
    write_corpus(corpus.with_labels(renamed), folder / "person.conll")
    write_corpus(corpus, folder / "test.conll")
    succeed(
        "pool", "fit", "--gold", folder / "gold.conll", *experts(folder), "--method", "stacking", "--model", folder / "x.pool"
    )
    return folder


def experts(folder: Path) -> list[Path]:
    return [folder / f"{name}.conll" for name in NAMES]


def labels_of(text: str) -> list[str]:
    return [line.split()[-1] for line in text.splitlines() if line]


def test_the_default_compares_methods(files: Path, tmp_path: Path) -> None:
    arguments = ("pool", "fit", "--gold", files / "gold.conll", *experts(files), "--scheme", "bio2")
    result = json.loads(succeed(*arguments, "--model", tmp_path / "x.pool", "--json"))
    assert result["candidates"][0]["name"] == "majority"
    assert {"stacking", "weighted votes", "best expert"} <= {candidate["name"] for candidate in result["candidates"]}
    assert (result["gold_sentences"], result["sentences"]) == (40, 60)
    assert result["method"] in result["reason"]
    assert "B-" in succeed("pool", "apply", tmp_path / "x.pool", *experts(files))


def test_columns_and_files_give_the_same_labels(files: Path) -> None:
    by_file = succeed("pool", "apply", files / "x.pool", *experts(files))
    columns = ("--columns", "word,label,capitals,one,two")
    by_column = succeed("pool", "apply", files / "x.pool", f"{files}/all.conll@*", *columns)
    assert labels_of(by_file) == labels_of(by_column)
    pooled = labels_of(by_file)
    gold = [label for row in read_corpus(files / "test.conll", columns="word,label").labels for label in row]
    assert score([gold], [pooled]).f1 > 0.8


def test_types_are_renamed(files: Path) -> None:
    expected = succeed("pool", "apply", files / "x.pool", *experts(files))
    others = [f"capitals={files}/person.conll", *experts(files)[1:]]
    assert succeed("pool", "apply", files / "x.pool", *others, "--map", "capitals:PERSON=PER") == expected


def test_missing_and_new_experts_are_noted(files: Path) -> None:
    shown = run("pool", "apply", files / "x.pool", files / "one.conll", f"new={files}/two.conll")
    assert shown.returncode == 0
    assert "note: missing experts: capitals (" in shown.stderr
    assert "note: new: not in the pool; fit it again to use new experts fully" in shown.stderr
    message = "expected experts of the pool (capitals, one, two), got new; name the files, such as capitals=FILE"
    assert message in fail("pool", "apply", files / "x.pool", f"new={files}/two.conll")


def test_certain_spans_are_kept_and_others_reviewed(files: Path, tmp_path: Path) -> None:
    sure, check = tmp_path / "sure.conll", tmp_path / "check.jsonl"
    common = ("pool", "apply", files / "x.pool", *experts(files))
    pool = load(files / "x.pool")
    rate = next(rate / 100 for rate in range(95, 5, -5) if pool.threshold(rate / 100) is not None)  # type: ignore[union-attr]
    shown = run(*common, "--precision", rate, "--review", check, "--output", sure)
    assert shown.returncode == 0, shown.stderr
    assert f"precision at least {rate:g} with probability 0.95" in shown.stderr
    everything = labels_of(succeed(*common))
    sure_labels = [label for row in read_corpus(sure, columns="word,label").labels for label in row]
    assert all(label in ("O", other) for label, other in zip(sure_labels, everything, strict=True))
    records = [json.loads(line) for line in check.read_text().splitlines()]
    summary = json.loads(succeed(*common, "--precision", rate, "--output", sure, "--json", "--quiet"))
    assert (summary["output"], summary["sentences_to_review"]) == (str(sure), len(records))
    assert 0 < summary["kept_spans"] < summary["spans"]
    assert "--json and --output - both write to standard output" in fail(*common, "--json")
    lowest = [min(span["probability"] for span in record["uncertain"]) for record in records]
    assert read_corpus(check).label_column == "label"  # the file can be corrected, and used as gold
    for record in records:
        assert all(record["labels"][span["token_start"]] != "O" for span in record["uncertain"])
    assert lowest == sorted(lowest)
    assert "--review needs --precision" in fail(*common, "--review", check)
    assert "expected a precision and a level between 0 and 1" in fail(*common, "--precision", 2)


def test_without_certain_spans_all_are_reviewed(files: Path, tmp_path: Path) -> None:
    sure, check = tmp_path / "sure.conll", tmp_path / "check.jsonl"
    common = ("pool", "apply", files / "x.pool", *experts(files))
    shown = run(*common, "--precision", 0.9999, "--review", check, "--output", sure)
    assert shown.returncode == 0, shown.stderr
    assert "kept no spans, all are to review: the gold sentences of the pool" in shown.stderr
    assert "do not show a precision of 0.9999 with probability 0.95; the highest that they show is 0." in shown.stderr
    assert "fit the pool with gold sentences of more documents, a few of each" in shown.stderr
    assert {label for row in read_corpus(sure, columns="word,label").labels for label in row} == {"O"}
    uncertain = sum(len(json.loads(line)["uncertain"]) for line in check.read_text().splitlines())
    assert uncertain == sum(label.startswith("B-") for label in labels_of(succeed(*common))) > 0


def test_a_sentence_is_explained(files: Path) -> None:
    arguments = ("pool", "explain", files / "x.pool", *experts(files), "--sentence", 3)
    tokens = json.loads(succeed(*arguments, "--json"))
    assert [token["word"] for token in tokens] == read_corpus(files / "test.conll", columns="word,label").words[2]
    assert set(tokens[0]["votes"]) == set(NAMES)
    assert "decided by" in succeed(*arguments)
    assert "--sentence 99: there are 60 sentences" in fail(*arguments[:-1], 99)


def test_sentences_are_suggested(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "check.jsonl"
    for options in ((), ("--pool", files / "x.pool")):
        succeed("pool", "suggest", *experts(files), "--gold", files / "gold.conll", "--count", 5, "--output", out, *options)
        records = [json.loads(line) for line in out.read_text().splitlines()]
        assert len(records) == 5
        assert all(record["expected_errors"] >= 0 for record in records)
        gold = read_corpus(files / "gold.conll", columns="word,label").words
        assert not any(record["tokens"] in gold for record in records)
    done = run("pool", "suggest", *experts(files), "--pool", files / "x.pool", "--count", 5, "--output", out, "--json", "-q")
    summary = json.loads(done.stdout)
    assert (done.stderr, summary["sentences"]) == ("", 5)
    assert summary["expected_errors"] >= 0


def test_a_pool_becomes_a_tagger(files: Path, tmp_path: Path) -> None:
    model = tmp_path / "names.tagpool"
    shown = succeed(
        *("pool", "distill", files / "x.pool", *experts(files), "--gold", files / "gold.conll", "--model", model, "--samples", 2)
    )
    assert "learned from 60 sentences, 40 with gold labels" in shown
    assert load(model).score(read_corpus(files / "gold.conll", columns="word,label")) > 0.8  # type: ignore[union-attr]


def test_pools_are_inspected(files: Path, tmp_path: Path) -> None:
    assert json.loads(succeed("inspect", files / "x.pool", "--json"))["experts"] == list(NAMES)
    assert "F1 lost without it" in succeed("inspect", files / "x.pool", "--top", 1)
    model = tmp_path / "u.pool"
    succeed("pool", "estimate", *experts(files), "--method", "dawid-skene", "--model", model)
    assert "estimated accuracy" in succeed("inspect", model)
    assert "use tagpool pool apply" in fail("tag", model, files / "gold.conll")
    assert len(labels_of(succeed("pool", "apply", model, *experts(files)))) > 60


def test_what_a_pool_lacks_is_named(files: Path, tmp_path: Path) -> None:
    votes = tmp_path / "votes.pool"
    succeed("pool", "fit", "--gold", files / "gold.conll", *experts(files), "--method", "majority", "--model", votes)
    assert "distill needs probabilities" in fail("pool", "distill", votes, *experts(files), "--model", tmp_path / "x")
    assert "explain needs probabilities" in fail("pool", "explain", votes, *experts(files))
    assert "--precision needs a stacked pool" in fail("pool", "apply", votes, *experts(files), "--precision", 0.9)
    common = ("pool", "fit", "--gold", files / "gold.conll", *experts(files), "--model", tmp_path / "x")
    assert "--abstain is for --method auto and stacking" in fail(*common, "--method", "mvote", "--abstain", "one")
    assert "abstain: there is no expert 'absent'" in fail(*common, "--method", "stacking", "--abstain", "absent")
    assert not (tmp_path / "x").exists()


def test_the_demonstration(tmp_path: Path) -> None:
    arguments = ("pool", "demo", "--sentences", 200, "--gold", 40)
    facts = json.loads(succeed(*arguments, "--results", tmp_path / "results", "--json"))
    assert facts["f1"]["pool with 40 gold sentences"] > facts["f1"]["majority"] - 5
    assert {"gold.conll", "rule.conll", "names.pool", "names.tagpool"} <= {p.name for p in (tmp_path / "results").iterdir()}


def test_the_folder_of_a_demonstration_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="file/x: creating the folder failed: Not a directory; choose another with --results"):
        demo._write_files(tmp_path / "file" / "x", builtin_corpus(2), {}, 1, 1)


def test_an_interrupt_leaves_no_file(files: Path, tmp_path: Path) -> None:
    command = ["pool", "fit", "--gold", files / "gold.conll", *experts(files), "--model", tmp_path / "x.pool"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tagpool", *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stderr is not None
        process.stderr.readline()  # the first step
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, message
    assert b"Traceback" not in message
    assert list(tmp_path.iterdir()) == []
