"""``tagpool pool``: fit, apply, compare and estimate, from files as experts write them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli.commands import fail, run, succeed

from tagpool import builtin_corpus, load, read_corpus, write_corpus
from tagpool.corpus.corpus import Corpus

VOTES = ("--method", "mvote")


def noisy(corpus: Corpus, seed: int, types: str) -> list[list[str]]:
    """Labels of an expert that knows only some types, with some errors."""
    generator = np.random.default_rng(seed)
    return [[y if y[2:] in types and generator.random() < 0.9 else "O" for y in row] for row in corpus.labels]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pool")
    for part, count in (("train", 120), ("test", 60)):
        corpus = builtin_corpus(count, part=part).with_columns(["word", "label"])
        write_corpus(corpus, folder / f"{part}.conll")
        for name, types in (("a", "PER LOC"), ("b", "ORG LOC"), ("c", "PER ORG")):
            labelled = corpus.with_labels(noisy(corpus, ord(name), types))
            write_corpus(labelled, folder / f"{name}.{part}.{'jsonl' if name == 'c' else 'conll'}")
        several = corpus
        for name, types in (("a", "PER LOC"), ("b", "ORG LOC"), ("c", "PER ORG")):
            several = several.with_column(name, noisy(corpus, ord(name), types))
        write_corpus(several, folder / f"all.{part}.conll", columns="word,label,a,b,c")
    return folder


def experts(files: Path, part: str) -> list[str]:
    return [f"a={files}/a.{part}.conll", f"b={files}/b.{part}.conll", f"c={files}/c.{part}.jsonl"]


def test_a_pool_is_fitted_and_applied(files: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "names.pool", tmp_path / "pooled.conll"
    common = ("--method", "mvote", "--key", "label", "--scheme", "bio2", "--model", model)
    shown = succeed("pool", "fit", "--gold", files / "train.conll", "--experts", *experts(files, "train"), *common)
    assert "with probability 95% the mean loss of a sentence is at most" in shown
    assert "best expert" in shown
    succeed("pool", "apply", model, "--experts", *experts(files, "test"), "--output", out, "--confidence")
    created = read_corpus(out, columns="word,label,confidence")
    gold = read_corpus(files / "test.conll", columns="word,label")
    assert created.words == gold.words
    assert all(0 <= float(item) <= 1 for row in created.column("confidence") for item in row)
    pool = load(model)
    messages = {name: noisy(gold, ord(name), types) for name, types in (("a", "PER LOC"), ("b", "ORG LOC"), ("c", "PER ORG"))}
    assert created.labels == pool.predict(messages, words=gold.words)  # type: ignore[call-arg]
    again = succeed("pool", "apply", model, *experts(files, "test"))
    assert [line.split()[-1] for line in again.splitlines() if line] == [y for row in created.labels for y in row]


def test_columns_of_one_file_are_experts(files: Path, tmp_path: Path) -> None:
    several = files / "all.train.conll"
    result = json.loads(
        succeed(
            *(
                "pool",
                "fit",
                "--gold",
                several,
                "--columns",
                "word,label,a,b,c",
                "--model",
                tmp_path / "x.pool",
                "--json",
                *VOTES,
            ),
            *(f"{several}@a", f"{several}@b", f"third={several}@c"),
        )
    )
    assert result["weights"]["experts"] == ["a", "b", "third"]
    assert result["loss"] < result["best_expert"] + 1e-9
    assert 0 < result["beta"] < 1


def test_methods_are_compared_and_who_is_right_where_is_drawn(files: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    arguments = ("pool", "compare", "--gold", files / "train.conll", "--experts", *experts(files, "train"), "--draws", 200)
    picture = tmp_path / "right.png"
    result = json.loads(succeed(*arguments, "--json", "--plot", picture, "--folds", 3))
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert [item["name"] for item in result["experts"]] == ["a", "b", "c"]
    assert {"mvote", "espboost", "majority"} <= {item["name"] for item in result["methods"]}
    assert result["best_expert"] in "abc"
    assert all(item["interval"][0] <= item["f1"] <= item["interval"][1] for item in result["methods"])
    right = dict(zip(result["accuracy"]["types"], result["accuracy"]["rates"][0], strict=True))
    assert right["PER"] > 80 > 10 > right["ORG"]


def test_a_comparison_is_a_table_with_shades(files: Path) -> None:
    shown = succeed("pool", "compare", "--gold", files / "test.conll", *experts(files, "test"), "--draws", 100, "--folds", 2)
    assert "accuracy by type of gold label" in shown
    assert "█" in shown
    assert "against " in shown


def test_without_gold_labels_reliability_is_estimated(files: Path, tmp_path: Path) -> None:
    out = tmp_path / "pooled.conll"
    result = json.loads(succeed("pool", "estimate", "--experts", *experts(files, "test"), "--output", out, "--json"))
    assert result["estimated"] is True
    assert set(result["accuracy"]) == {"a", "b", "c"}
    assert all(10 < rate <= 100 for rate in result["accuracy"].values())
    assert len(read_corpus(out, columns="word,label")) == 60
    assert "estimated accuracy" in succeed("pool", "estimate", *experts(files, "test"), "--method", "dawid-skene")


def test_bad_input_is_refused_with_its_place(files: Path, tmp_path: Path) -> None:
    gold, model = files / "train.conll", tmp_path / "x.pool"
    one, two, _ = experts(files, "train")
    lines = (files / "b.train.conll").read_text().splitlines()
    short = tmp_path / "short.conll"
    short.write_text("\n".join(lines[:40]) + "\n")
    common = ("pool", "fit", "--gold", gold, "--model", model, *VOTES)
    shown = run("pool", "fit", "--gold", gold, "--model", tmp_path / "short.pool", *VOTES, one, short).stderr
    assert (
        "short.conll: 117 of 120 sentences of gold have no labels here: the expert is missing for them, which are more" in shown
    )
    assert "pool.beta = 'many': expected 'cv', a number above 0" in fail(*common, one, two, "--set", "pool.beta=many")
    assert "unknown key; did you mean pool.beta?" in fail(*common, one, two, "--set", "pool.betta=0.5")
    assert "beta = 0.5: unknown key; did you mean pool.beta?" in fail(*common, one, two, "--set", "beta=0.5")
    assert "--set pool=0.5: pool is a section" in fail(*common, one, two, "--set", "pool=0.5")
    assert "error: --method nope: expected one of auto, stacking, mvote, " in fail(*common[:-2], one, two, "--method", "nope")
    for command in (common, ("pool", "compare", "--gold", gold)):
        assert "error: --key nope: expected one of shared, position, label, length" in fail(*command, one, two, "--key", "nope")
    assert "two experts have the name 'a'" in fail(*common, one, one)
    assert "no such file" in fail(*common, one, tmp_path / "nowhere.conll").lower()
    assert not model.exists()
    succeed(*common, one, two)
    assert "expected the experts 'a', 'b', got 'a', 'c'" in fail("pool", "apply", model, one, experts(files, "train")[2])
    missing = fail("pool", "apply", model, one)
    assert "got 'a'; name the files, such as a=FILE; an expert that is missing has a file whose labels are all ?" in missing
    message = f"short.conll: 117 of 120 sentences of {files}/a.train.conll have no labels here"
    assert message in run("pool", "apply", model, one, f"b={short}").stderr
    assert "use tagpool pool apply" in fail("tag", model, gold)
    assert "expected two experts or more, got 1" in fail("pool", "estimate", one)


def test_a_path_pool_is_inspected(files: Path, tmp_path: Path) -> None:
    model = tmp_path / "x.pool"
    succeed("pool", "fit", "--gold", files / "train.conll", *experts(files, "train"), "--model", model, "--key", "label", *VOTES)
    result = json.loads(succeed("inspect", model, "--json"))
    pool = load(model)
    assert result["experts"] == list(pool.experts_) == ["a", "b", "c"]  # type: ignore[union-attr]
    assert result["weights"]["values"] == pool.weights_.tolist()  # type: ignore[union-attr]
    shown = succeed("inspect", model)
    assert "mvote, weights by label, β 0.95" in shown
    assert "with probability 95%" in shown
    assert all(state in shown for state in result["weights"]["states"])
    assert "a vote pool has no features" in fail("inspect", model, "--label", "O")


def changed(path: Path, to: Path, old: str, new: str) -> Path:
    """A file with one line replaced."""
    lines = path.read_text().splitlines()
    lines[lines.index(old)] = new
    to.write_text("\n".join(lines) + "\n")
    return to


def test_what_cannot_be_pooled_is_refused(files: Path, tmp_path: Path) -> None:
    one, two, _ = experts(files, "train")
    source = files / "b.train.conll"
    lines = source.read_text().splitlines()
    fewer = tmp_path / "fewer.conll"
    fewer.write_text("\n".join(lines[:2] + lines[3:]) + "\n")
    for command in (("pool", "fit", "--model", tmp_path / "x.pool", *VOTES), ("pool", "compare", "--draws", 100)):
        common = (*command, "--gold", files / "train.conll")
        shown = run(*common, one, fewer).stderr
        assert "fewer.conll: 1 of 120 sentences of gold have no labels here" in shown
        assert "1 sentence not in gold (the first in line 1), ignored" in shown
        (tmp_path / "x.pool").unlink(missing_ok=True)
        assert "a.train.conll:1: expected two experts or more, got 1: there is nothing to pool" in fail(*common, one)
        same = f"{files}/a.train.conll:1: all experts give the same label to every token as {files}/a.train.conll"
        assert same in fail(*common, one, f"again={files}/a.train.conll")
    for beta in ("0", "1", "1.5", "-1", "nan"):
        common = ("pool", "fit", "--model", tmp_path / "x.pool", "--gold", files / "train.conll", *VOTES)
        assert "a number above 0 to less than 1" in fail(*common, one, two, "--set", f"pool.beta={beta}")
    assert "pool.delta = 2: expected a number above 0" in fail(*common, one, two, "--set", "pool.delta=2")
    single = []
    for name in ("train", "a.train", "b.train"):
        single.append(tmp_path / f"single.{name}.conll")
        write_corpus(read_corpus(files / f"{name}.conll", columns="word,label")[:1], single[-1])
    common = ("pool", "fit", "--model", tmp_path / "x.pool", "--gold", single[0], *VOTES)
    end = len(single[0].read_text().splitlines())
    assert f"single.train.conll:{end}: expected two sentences or more, got 1" in fail(*common, *single[1:])
    assert not (tmp_path / "x.pool").exists()


def test_unknown_labels_are_refused_with_their_line_unless_allowed(files: Path, tmp_path: Path) -> None:
    one, two, three = experts(files, "train")
    lines = (files / "b.train.conll").read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.endswith(" B-ORG"))
    odd = changed(files / "b.train.conll", tmp_path / "odd.conll", lines[at], lines[at].replace("B-ORG", "B-FIRM"))
    model = tmp_path / "x.pool"
    common = ("pool", "fit", "--gold", files / "train.conll", "--model", model, *VOTES)
    refusal = f"odd.conll:{at + 1}: unknown label 'B-FIRM'; gold labels are "
    shown = fail(*common, one, three, odd)
    assert refusal in shown
    assert "--unknown allow" in shown
    assert refusal in fail("pool", "compare", "--gold", files / "train.conll", one, odd)
    succeed(*common, one, three, odd, "--unknown", "allow")
    # All of its labels are others: refused where the first one stands, though a second expert has them, too.
    other = tmp_path / "other.conll"
    other.write_text("\n".join(line and line.split(" ")[0] + " X" for line in lines) + "\n")
    assert "other.conll:1: unknown label 'X'" in fail(*common, one, f"o={other}", f"p={other}")
    # A pool that is applied knows the labels it was fitted with.
    succeed(*common, one, two)
    tests = experts(files, "test")
    text = (files / "b.test.conll").read_text().splitlines()
    at = next(number for number, line in enumerate(text) if line.endswith(" B-ORG"))
    new = changed(files / "b.test.conll", tmp_path / "new.conll", text[at], text[at].replace("B-ORG", "B-FIRM"))
    shown = fail("pool", "apply", model, tests[0], f"b={new}")
    assert f"new.conll:{at + 1}: unknown label 'B-FIRM'; the pool was fitted with" in shown
    succeed(*common, one, two, "--unknown", "allow")
    assert "B-" in succeed("pool", "apply", model, tests[0], f"b={new}")


def test_an_unknown_label_in_jsonl_has_its_line(files: Path, tmp_path: Path) -> None:
    one, _, _ = experts(files, "train")
    lines = (files / "c.train.jsonl").read_text().splitlines()
    record = json.loads(lines[6])
    record["labels"][0] = "B-FIRM"
    lines[6] = json.dumps(record)
    odd = tmp_path / "odd.jsonl"
    odd.write_text("\n".join(lines) + "\n")
    common = ("pool", "fit", "--gold", files / "train.conll", "--model", tmp_path / "x.pool")
    assert "odd.jsonl:7: unknown label 'B-FIRM'" in fail(*common, one, odd)
