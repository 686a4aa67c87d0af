"""``tagpool train --pool``: what is written, what is refused, and what Ctrl-C leaves behind."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import BAGS, fail, run, succeed

import tagpool
from tagpool import CRF, SGD, BaggingPool, ElitistPool, MaxEnt, OpinionPool


def files(data: Path, *more: str) -> list[object]:
    return ["--train", data / "train.conll", "--dev", data / "dev.conll", *more]


# train -------------------------------------------------------------------------------------------------------------------


def test_bagging_from_the_command_is_bagging_from_python(data: Path, pools: Path, tmp_path: Path) -> None:
    model, log = tmp_path / "m", tmp_path / "l"
    options = ["--features", pools / "bags.txt", "--epochs", 2, "--l2", 0.5, "--alpha", "dev", "--seed", 3, "--log", log]
    done = run("train", "--pool", "bagging", *files(data), "--model", model, *options, "--json")
    assert done.returncode == 0, done.stderr
    train, dev = tagpool.read_corpus(data / "train.conll"), tagpool.read_corpus(data / "dev.conll")
    expected = BaggingPool(CRF(BAGS, l2=0.5, seed=3, patience=5, trainer=SGD(epochs=2)), weights="dev", seed=3).fit(
        train, dev=dev
    )
    found = tagpool.load(model)
    assert isinstance(found, BaggingPool)
    assert found.weights_.tolist() == expected.weights_.tolist()
    assert found.predict(dev) == expected.predict(dev)
    told = json.loads(done.stdout)
    assert (told["pool"], told["combine"], told["collapsed"]) == ("bagging-pool", "sequence-product", False)
    assert [member["name"] for member in told["members"]] == ["shapes", "endings"]
    assert [member["weight"] for member in told["members"]] == expected.weights_.tolist()
    assert told["best_dev_f1"] == pytest.approx(100 * expected.score(dev))
    assert told["bytes"] == model.stat().st_size
    assert "shapes:  epoch 2/2  loss" in done.stderr
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["member"], line["number"]) for line in lines] == [(n, e) for n in ("shapes", "endings") for e in (1, 2)]


def test_the_same_pool_whatever_the_threads(data: Path, pools: Path, tmp_path: Path) -> None:
    for kind in ("bagging", "elitist"):
        blocks = []
        for threads in (1, 2):
            options = ["--pool", kind, "--features", pools / "bags.txt", "--epochs", 2, "--threads", threads]
            succeed("train", *files(data), "--model", tmp_path / "m", *options)
            blocks.append((tmp_path / "m").read_bytes())
        assert blocks[0] == blocks[1]


SCHEMES = {
    "both=shapes,endings": ["both"],
    "random:3": ["part 1", "part 2", "part 3"],
    "sequential:2": ["part 1", "part 2"],
    "positions": ["before", "here", "after"],
    "labels": ["LOC", "MISC", "O", "ORG", "PER"],
}


@pytest.mark.parametrize("bags", SCHEMES)
def test_bags_may_be_chosen(data: Path, pools: Path, tmp_path: Path, bags: str) -> None:
    options = ["--bags", bags, "--features", pools / "bags.txt", "--epochs", 1, "--model", tmp_path / "m"]
    found = json.loads(succeed("train", "--pool", "bagging", "--train", data / "train.conll", *options, "--json"))
    assert sorted(member["name"] for member in found["members"]) == sorted(SCHEMES[bags])
    inspected = json.loads(succeed("inspect", tmp_path / "m", "--json"))
    assert inspected["members"][0].get("bags") == (["shapes", "endings"] if "=" in bags else None)
    labels = [member.get("labels") for member in inspected["members"]]
    assert (["B-PER", "I-PER"] in labels) == (bags == "labels")


def test_bags_may_be_found_and_shares_on_folds(data: Path, pools: Path, tmp_path: Path) -> None:
    options = ["--features", pools / "bags.txt", "--epochs", 1, "--train", data / "train.conll", "--model", tmp_path / "m"]
    succeed("train", "--pool", "bagging", "--bags", "auto", *options)
    assert isinstance(found := tagpool.load(tmp_path / "m"), BaggingPool)
    assert found.auto_ is not None
    assert found.auto_.splitlines()[0] in succeed("inspect", tmp_path / "m", "--top", 0)
    done = run("train", "--pool", "bagging", "--alpha", "kfold", *options)
    assert "endings, fold 2:  epoch 1/1" in done.stderr


def test_elitist_pools(data: Path, pools: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    options = ["--features", pools / "bags.txt", "--epochs", 3, "--experts", 2, "--penalty", "l1", "--strength", 0.2, "--mu", 0.1]
    more = ["--alpha", "learned", "--expert", "crf", "--pairs", "observed", "--min-count", 2, "--seed", 4]
    found = json.loads(succeed("train", "--pool", "elitist", *files(data), "--model", model, *options, *more, "--json"))
    pool = tagpool.load(model)
    assert isinstance(pool, ElitistPool)
    wanted = {"experts": 2, "expert": "crf", "penalty": "l1", "strength": 0.2, "mu": 0.1, "weights": "learned", "epochs": 3}
    wanted |= {"pairs": "observed", "min_count": 2, "seed": 4, "patience": 25}
    assert {name: getattr(pool, name) for name in wanted} == wanted
    assert [member["weight"] for member in found["members"]] == list(pool.weights_)
    assert found["best_dev_f1"] == pytest.approx(100 * pool.score(tagpool.read_corpus(data / "dev.conll")))


def test_opinion_pools_of_models(data: Path, pools: Path, tmp_path: Path) -> None:
    model, dev = tmp_path / "m", tagpool.read_corpus(data / "dev.conll")
    members = ["--member", data / "ner.tagpool", "--member", pools / "elitist.tagpool"]
    found = json.loads(
        succeed(
            "train",
            "--pool",
            "opinion",
            *members,
            "--alpha",
            "likelihood",
            "--dev",
            data / "dev.conll",
            "--model",
            model,
            "--json",
        )
    )
    loaded = [tagpool.load(data / "ner.tagpool"), tagpool.load(pools / "elitist.tagpool")]
    expected = OpinionPool(loaded, weights="likelihood").fit(dev)
    assert [each["weight"] for each in found["members"]] == expected.weights_.tolist()
    again = tagpool.load(model)
    assert [type(member) for member in again] == [CRF, ElitistPool]
    assert again.predict(dev) == expected.predict(dev)
    # The training file does where there is no dev file; given shares need neither.
    succeed(
        "train", "--pool", "opinion", *members, "--alpha", "likelihood", "--train", data / "dev.conll", "--model", tmp_path / "n"
    )
    assert (tmp_path / "n").read_bytes() == model.read_bytes()
    succeed("train", "--pool", "opinion", *members, "--alpha", "0.25,0.75", "--model", tmp_path / "n")
    assert tagpool.load(tmp_path / "n").weights_.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("kind", ["bagging", "elitist", "opinion"])
def test_collapsed_pools_are_single_experts_that_say_the_same(data: Path, pools: Path, tmp_path: Path, kind: str) -> None:
    dev = tagpool.read_corpus(data / "dev.conll")
    options: list[object] = ["--features", pools / "bags.txt", "--epochs", 2, "--train", data / "train.conll"]
    if kind == "opinion":
        options = ["--member", pools / "bagged.tagpool", "--member", data / "ner.tagpool"]
    succeed("train", "--pool", kind, *options, "--model", tmp_path / "pool")
    found = json.loads(succeed("train", "--pool", kind, *options, "--model", tmp_path / "one", "--collapse", "--json"))
    one = tagpool.load(tmp_path / "one")
    assert type(one) is (MaxEnt if kind == "elitist" else CRF)
    assert one.predict(dev) == tagpool.load(tmp_path / "pool").predict(dev)
    assert found["collapsed"]
    assert "merged from a pool" in succeed("inspect", tmp_path / "one") or kind == "elitist"
    # A single expert may go on, and be made smaller.
    succeed("train", "--from", tmp_path / "one", "--train", data / "dev.conll", "--model", tmp_path / "more", "--epochs", 1)
    succeed("train", "--pool", kind, *options, "--model", tmp_path / "half", "--collapse", "--half", "--no-names")
    assert (tmp_path / "half").stat().st_size < 0.8 * (tmp_path / "one").stat().st_size


@pytest.mark.parametrize("combine", ["sequence-product", "sequence-mixture"])
def test_members_of_pools_are_made_smaller_like_single_experts(data: Path, pools: Path, tmp_path: Path, combine: str) -> None:
    dev = tagpool.read_corpus(data / "dev.conll")
    options = ["--pool", "bagging", "--combine", combine, "--features", pools / "bags.txt", "--epochs", 2]
    options += ["--train", data / "train.conll"]
    succeed("train", *options, "--model", tmp_path / "whole")
    whole = tagpool.load(tmp_path / "whole").predict_marginals(dev)
    sizes = [(tmp_path / "whole").stat().st_size]
    for smaller in (["--half"], ["--half", "--prune", 0.01], ["--half", "--prune", 0.01, "--no-names"]):
        succeed("train", *options, *smaller, "--model", tmp_path / "small")
        sizes.append((tmp_path / "small").stat().st_size)
        small = tagpool.load(tmp_path / "small").predict_marginals(dev)
        assert max(float(abs(a - b).max()) for a, b in zip(whole, small, strict=True)) < 0.1
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.6 * sizes[0]
    assert "sequence-" in succeed("inspect", tmp_path / "small")


def test_dropout(data: Path, pools: Path, tmp_path: Path) -> None:
    options = ["--features", pools / "bags.txt", "--epochs", 2, "--train", data / "train.conll"]
    found = {}
    for drop in ("features", "templates", "bags"):
        succeed("train", *options, "--model", tmp_path / "m", "--dropout", 0.5, "--drop", drop)
        found[drop] = (tmp_path / "m").read_bytes()
        expected = CRF(BAGS, trainer=SGD(epochs=2, dropout=0.5, drop=drop)).fit(tagpool.read_corpus(data / "train.conll"))
        dev = tagpool.read_corpus(data / "dev.conll")
        assert [each.tobytes() for each in tagpool.load(tmp_path / "m").predict_marginals(dev)] == [
            each.tobytes() for each in expected.predict_marginals(dev)
        ]
    assert len(set(found.values())) == 3


NONSENSE = {
    "an unknown pool": (["--pool", "jury"], "expected one of bagging, elitist, opinion"),
    "bags without a pool": (["--bags", "a=base"], "--bags is for --pool bagging, and there is no --pool"),
    "experts of a bagging": (["--pool", "bagging", "--experts", 2], "--experts is for --pool elitist"),
    "going on with a pool": (["--pool", "bagging", "--from", "x"], "--from is not for --pool bagging"),
    "l2 of an elitist pool": (["--pool", "elitist", "--l2", 0], "--l2 is not for --pool elitist"),
    "no members": (["--pool", "opinion"], "--member MODEL"),
    "training members again": (["--pool", "opinion", "--member", "x", "--epochs", 2], "trained already"),
    "members that are none": (["--pool", "opinion", "--member", "{bags}"], "expected a model"),
    "shares of opinions by em": (
        ["--pool", "opinion", "--member", "{model}", "--alpha", "em"],
        "expected 'uniform', 'dev', 'likelihood'",
    ),
    "members for bagging": (["--pool", "bagging", "--member", "x"], "--member is for --pool opinion"),
    "collapsing one expert": (["--collapse"], "there is no --pool"),
    "collapsing a mixture": (["--pool", "bagging", "--collapse", "--combine", "sequence-mixture"], "only a sequence-product"),
    "collapsing hashes": (["--pool", "bagging", "--collapse", "--hash-size", 9], "hashed features"),
    "collapsing features of transitions": (
        ["--pool", "bagging", "--collapse", "--features", "[a]\nlabel[-1] & word[0]"],
        "features of transitions",
    ),
    "a pruned elitist pool": (["--pool", "elitist", "--prune", 0.1], "with --collapse"),
    "no bags": (["--pool", "bagging"], "the templates have no bags"),
    "a bag that is not there": (["--pool", "bagging", "--bags", "a=b", "--features", "{bags}"], "no bag 'b'"),
    "bags by no scheme": (["--pool", "bagging", "--bags", "random"], "expected NAME=BAG,BAG"),
    "no parts": (["--pool", "bagging", "--bags", "random:0"], "expected NAME=BAG,BAG"),
    "names and a scheme": (["--pool", "bagging", "--bags", "a=base", "--bags", "auto"], "--bags auto: expected NAME=BAG,BAG"),
    "two bags of one name": (["--pool", "bagging", "--bags", "a=base", "--bags", "a=base"], "two members called 'a'"),
    "an unknown combination": (["--pool", "bagging", "--combine", "sum"], "expected 'sequence-product'"),
    "em for a product": (["--pool", "bagging", "--alpha", "em"], "for mixtures"),
    "dev without dev": (["--pool", "bagging", "--alpha", "dev"], "--alpha dev needs held-out sentences: --dev FILE"),
    "shares that are no numbers": (["--pool", "bagging", "--alpha", "0.5,x"], "expected numbers with commas"),
    "too many shares": (["--pool", "bagging", "--alpha", "0.5,0.2,0.3", "--features", "{bags}"], "expected 2 numbers"),
    "elitist shares on dev": (["--pool", "elitist", "--alpha", "dev"], "expected 'uniform', 'learned'"),
    "an elitist perceptron": (["--pool", "elitist", "--expert", "perceptron"], "expected 'maxent' or 'crf'"),
    "mu beyond 1": (["--pool", "elitist", "--mu", 2], "from 0 to 1"),
    "drop without dropout": (["--drop", "bags"], "give both"),
    "dropout of lbfgs": (["--dropout", 0.5, "--trainer", "lbfgs"], "only the trainer sgd"),
    "everything dropped": (["--dropout", 1], "from 0 to less than 1"),
    "dropping something else": (["--dropout", 0.5, "--drop", "words"], "expected one of features, templates, bags"),
    "dropping bags that are not there": (["--dropout", 0.5, "--drop", "bags", "--features", "word[0]"], "no [bags] to leave out"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_what_makes_no_sense_is_said_and_leaves_nothing(data: Path, pools: Path, tmp_path: Path, name: str) -> None:
    options, expected = NONSENSE[name]
    filled = [
        str(each).replace("{bags}", str(pools / "bags.txt")).replace("{model}", str(data / "ner.tagpool")) for each in options
    ]
    log = [] if "opinion" in filled else ["--log", tmp_path / "l"]
    assert expected in fail("train", "--train", data / "train.conll", "--model", tmp_path / "m", *log, *filled)
    assert list(tmp_path.iterdir()) == []


def test_sentences_are_asked_for_where_they_are_needed(data: Path, tmp_path: Path) -> None:
    assert "--train is missing" in fail("train", "--model", tmp_path / "m")
    members = ["--pool", "opinion", "--member", data / "ner.tagpool"]
    assert "--alpha likelihood needs sentences" in fail("train", *members, "--alpha", "likelihood", "--model", tmp_path / "m")
    other = CRF("word[0]").fit([["a", "b"]], [["X", "Y"]])
    other.save(tmp_path / "other")
    message = fail("train", *members, "--member", tmp_path / "other", "--model", tmp_path / "m")
    assert "members must have the same labels" in message


# Ctrl-C ------------------------------------------------------------------------------------------------------------------


def interrupted(until: str, *options: object, times: int = 1) -> tuple[int, str]:
    """Trains for very long, and interrupts when a line has been seen that begins so."""
    command = [sys.executable, "-m", "tagpool", "train", "--epochs", "100000", *map(str, options)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        seen = []
        for line in process.stderr:
            seen.append(line)
            if line.startswith(until):
                process.send_signal(signal.SIGINT)
                times -= 1
                until = "interrupted:"
            if not times:
                break
        rest = process.stderr.read()
        return process.wait(timeout=60), "".join(seen) + rest
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_a_whole_pool_of_members_as_they_stood(data: Path, pools: Path, tmp_path: Path, threads: int) -> None:
    options = ["--pool", "bagging", "--features", pools / "bags.txt", "--model", tmp_path / "m", "--threads", threads]
    code, message = interrupted("shapes:  epoch 3/", "--train", data / "train.conll", *options)
    assert code == 130
    assert "Traceback" not in message
    assert "interrupted; the pool as its members stood was written to" in message
    pool = tagpool.load(tmp_path / "m")
    assert isinstance(pool, BaggingPool)
    assert pool.names_ == ("shapes", "endings")
    assert pool.summary_["shapes"]["epochs"] >= 3
    assert pool.summary_["endings"]["epochs"] >= 1
    assert pool.score(tagpool.read_corpus(data / "train.conll")) > 0.5


def test_ctrl_c_keeps_an_elitist_pool_with_its_members(data: Path, pools: Path, tmp_path: Path) -> None:
    options = ["--pool", "elitist", "--features", pools / "bags.txt", "--model", tmp_path / "m"]
    code, message = interrupted("epoch 3/", "--train", data / "train.conll", *options)
    assert code == 130
    assert "interrupted; the model as it stood" in message
    pool = tagpool.load(tmp_path / "m")
    assert isinstance(pool, ElitistPool)
    assert len(list(pool)) == 3
    assert pool.summary_["dev"] is None


@pytest.mark.parametrize(("until", "times"), [("reading", 1), ("encoding", 1)])
def test_ctrl_c_before_the_first_epoch_keeps_nothing_half(
    data: Path, pools: Path, tmp_path: Path, until: str, times: int
) -> None:
    options = ["--pool", "bagging", "--features", pools / "bags.txt", "--model", tmp_path / "m", "--log", tmp_path / "l"]
    code, message = interrupted(until, "--train", data / "train.conll", *options, times=times)
    assert code == 130, message
    assert "Traceback" not in message
    kept = "was written to" in message  # the first epoch may have been faster
    assert kept or "nothing was" in message
    assert (tmp_path / "m").exists() == kept


def test_a_terminal_gets_a_bar_for_each_member(data: Path, pools: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    options = ["--pool", "bagging", "--features", pools / "bags.txt", "--train", data / "train.conll", "--epochs", 3]
    command = [sys.executable, "-m", "tagpool", "train", "--model", tmp_path / "m", *options]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # how Linux says that the other side is gone
        pass
    assert process.wait(timeout=60) == 0
    os.close(ours)
    assert b"shapes:  epoch 3/3" in shown
    assert b"endings:  epoch 3/3" in shown
