"""Pools on the command line: they are tagged with, looked into and explained."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from cli.commands import fail, run, succeed, write

import tagpool
from tagpool import CRF, ElitistPool
from tagpool.experts.inside.linear import explain

# tag ---------------------------------------------------------------------------------------------------------------------

ALL = ("bagged", "elitist", "opinion", "mixed", "second")


@pytest.mark.parametrize("name", ALL)
def test_every_pool_tags_and_the_result_is_scored(data: Path, pools: Path, tmp_path: Path, name: str) -> None:
    model, test = pools / f"{name}.tagpool", tagpool.read_corpus(data / "test.conll")
    pool = tagpool.load(model)
    shown = succeed("tag", model, data / "test.conll")
    labels = [line.split()[-1] for line in shown.splitlines() if line]
    assert labels == [label for sentence in pool.predict(test) for label in sentence]
    result = json.loads(succeed("score", write(tmp_path, "tagged.conll", shown), "--json"))
    assert result["f1"] == pytest.approx(100 * pool.score(test))
    assert succeed("tag", model, data / "test.conll", "--threads", 2) == shown


@pytest.mark.parametrize("name", ALL)
def test_probabilities_and_n_best_of_pools(data: Path, pools: Path, name: str) -> None:
    model = pools / f"{name}.tagpool"
    pool, sentence = tagpool.load(model), ["Dr.", "Okafor", "left"]
    (marginals,), (labels,) = pool.predict_marginals([sentence]), pool.predict([sentence])
    shown = succeed("tag", model, "-", "--probabilities", stdin="\n".join(sentence) + "\n")
    for line, word, label, row in zip(shown.splitlines(), sentence, labels, marginals, strict=True):
        assert line.split()[::2] == [word, label]
        assert float(line.split()[1]) == pytest.approx(row[list(pool.labels_).index(label)], abs=2e-5)
    several = succeed("tag", model, "-", "--nbest", 3, "--probabilities", stdin="\n".join(sentence) + "\n").splitlines()
    assert [line.split()[:4] for line in several if line.startswith("#")] == [["#", "nbest", "=", str(n)] for n in (1, 2, 3)]
    assert [line.split()[-1] for line in several[1:4]] == labels
    logs = [float(line.split()[-1]) for line in several if line.startswith("#")]
    assert logs == sorted(logs, reverse=True)
    (lattice,) = pool.lattices([sentence])
    assert logs[0] == pytest.approx(lattice.log_probability(lattice.best().labels), abs=1e-3)


def test_only_valid_sequences(data: Path, tmp_path: Path) -> None:
    """Brute force: the best of all sequences that the scheme allows."""
    corpus = tagpool.Corpus.from_lists(word=[["a", "b", "c"], ["b", "b"]], label=[["O", "I-X", "B-X"], ["B-X", "I-X"]])
    crf = CRF("word[0]").fit(corpus)
    crf.save(tmp_path / "m")
    text = "a\nb\nc\n"
    shown = succeed("tag", tmp_path / "m", "-", "--probabilities", stdin=text)
    valid = succeed("tag", tmp_path / "m", "-", "--nbest", 99, "--scheme", "bio2", stdin=text)

    def read(printed: str) -> dict[tuple[str, ...], float]:
        blocks = [block.splitlines() for block in printed.strip().split("\n\n")]
        return {tuple(line.split()[-1] for line in lines[1:]): float(lines[0].split()[-1]) for lines in blocks}

    (lattice,) = crf.lattices([["a", "b", "c"]])
    everything = {tuple(crf.labels_[y] for y in labels): lattice.log_probability(labels) for labels, _ in lattice.best_n(99)}
    allowed = read(valid)
    assert sum(map(np.exp, everything.values())) == pytest.approx(1, abs=1e-4)
    expected = {
        labels: log for labels, log in everything.items() if "I-X" not in labels[:1] and ("O", "I-X") not in pairwise(labels)
    }
    assert set(allowed) == set(expected)
    total = np.log(sum(map(np.exp, expected.values())))
    for labels, log in expected.items():
        assert allowed[labels] == pytest.approx(log - total, abs=1e-4)
    # The probability of a label at a token is that of all sequences that have it there.
    for place, line in enumerate(shown.splitlines()):
        _, probability, label = line.split()
        assert float(probability) == pytest.approx(sum(np.exp(v) for k, v in everything.items() if k[place] == label), abs=1e-4)


# inspect and explain -----------------------------------------------------------------------------------------------------


def test_inspect_tells_of_members(data: Path, pools: Path) -> None:
    result = json.loads(succeed("inspect", pools / "bagged.tagpool", "--json", "--top", 1))
    pool = tagpool.load(pools / "bagged.tagpool")
    assert (result["kind"], result["combine"], result["member_weights"]) == ("bagging-pool", "sequence-product", "given")
    assert [(item["name"], item["weight"], item["bags"]) for item in result["members"]] == [
        ("shapes", 0.7, ["shapes"]),
        ("endings", 0.3, ["endings"]),
    ]
    for reported, member in zip(result["members"], pool, strict=True):
        assert (reported["features"], reported["weights"]) == (member.feature_count, member.weight_count)
        assert sum(reported["templates"].values()) == member.feature_count
        assert reported["training"] == {**member.summary_, "dev": pytest.approx(100 * member.summary_["dev"])}
    assert result["bytes"] == (pools / "bagged.tagpool").stat().st_size
    assert result["merges"]
    assert len(result["top_features"]["B-PER"]["positive"]) == 1
    shown = succeed("inspect", pools / "bagged.tagpool", "--label", "B-PER").splitlines()
    row = next(line.split() for line in shown if line.startswith("shape(word)[0]"))
    assert row == ["shape(word)[0]", f"{result['members'][0]['templates']['shape(word)[0]']:,}", "-"]
    assert any(line.startswith("for B-PER") for line in shown)


def test_inspect_tells_why_a_pool_is_no_single_expert(pools: Path) -> None:
    result = json.loads(succeed("inspect", pools / "mixed.tagpool", "--json"))
    assert not result["merges"]
    assert "transition-mixture" in result["reason"]
    assert "top_features" not in result
    assert "only a sequence-product" in succeed("inspect", pools / "mixed.tagpool")
    assert "only a sequence-product merges" in fail("inspect", pools / "mixed.tagpool", "--label", "B-PER")
    assert "transition features" in succeed("inspect", pools / "second.tagpool")


def test_inspect_tells_what_experts_share(pools: Path, tmp_path: Path) -> None:
    result = json.loads(succeed("inspect", pools / "elitist.tagpool", "--json"))
    pool = ElitistPool.load(pools / "elitist.tagpool")
    sharing = pool.sharing()
    assert result["sharing"]["total"]["sizes"] == list(sharing.total.sizes) == [item["weights"] for item in result["members"]]
    assert result["sharing"]["total"]["overlap"] == sharing.total.overlap.tolist()
    assert list(result["sharing"]["templates"]) == list(sharing.templates)
    assert [item["weight"] for item in result["members"]] == list(pool.weights_)
    assert "of one only" in succeed("inspect", pools / "elitist.tagpool")
    pool.save(tmp_path / "nameless", names=False)
    done = run("inspect", tmp_path / "nameless")
    assert done.returncode == 0
    assert "no names of features: the model was saved without them" in done.stdout
    assert json.loads(succeed("inspect", tmp_path / "nameless", "--json"))["sharing"] is None


def test_inspect_tells_of_pools_in_pools(pools: Path) -> None:
    result = json.loads(succeed("inspect", pools / "opinion.tagpool", "--json"))
    assert [item["kind"] for item in result["members"]] == ["bagging-pool", "elitist-pool"]
    assert [item["name"] for item in result["members"][0]["members"]] == ["shapes", "endings"]
    assert result["members"][1]["sharing"]["total"]["used"] > 0
    shown = succeed("inspect", pools / "opinion.tagpool", "--top", 0)
    assert "member 1: sequence-product of 2 members" in shown


@pytest.mark.parametrize("name", ALL)
def test_explain_shows_votes(pools: Path, name: str) -> None:
    model, words = pools / f"{name}.tagpool", ["Dr.", "Okafor", "moved", "to", "Oslo", "."]
    pool = tagpool.load(model)
    result = json.loads(succeed("explain", model, " ".join(words), "--json"))["tokens"]
    assert [token["word"] for token in result] == words
    assert [token["label"] for token in result] == pool.predict([words])[0]
    for number, (weight, member) in enumerate(zip(np.asarray(pool.weights_).tolist(), pool, strict=True)):
        (labels,), (marginals,) = member.predict([words]), member.predict_marginals([words])
        for token, label, row in zip(result, labels, marginals, strict=True):
            vote = token["votes"][number]
            assert (vote["weight"], vote["label"]) == (weight, label)
            assert vote["probability"] == pytest.approx(row[list(member.labels_).index(label)])
    if name in ("mixed", "second"):
        assert "contributions" not in result[0]
    else:
        expected = explain(pool.merge(), tagpool.Corpus.from_lists(word=[words]))
        assert [token["decisive"] for token in result] == [one.decisive for one in expected]
    shown = succeed("explain", model, " ".join(words), "--token", 5)
    assert shown.startswith("  5. Oslo  ")
    assert "0.700  shapes " in shown or name != "bagged"
