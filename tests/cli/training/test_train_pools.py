"""``tagpool train --learner`` with pools: what is written, what is refused, and what Ctrl-C leaves behind."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import BAGS, fail, run, succeed

import tagpool
from tagpool import CRF, SGD, BaggingPool, ElitistPool, OpinionPool


def keys(*settings: str) -> list[object]:
    return [word for setting in settings for word in ("--set", setting)]


def files(data: Path, *more: str) -> list[object]:
    return ["--train", data / "train.conll", "--dev", data / "dev.conll", *more]


# train -------------------------------------------------------------------------------------------------------------------


def test_bagging_from_the_command_is_bagging_from_python(data: Path, pools: Path, tmp_path: Path) -> None:
    model, log = tmp_path / "m", tmp_path / "l"
    options = [
        "--features",
        pools / "bags.txt",
        "--seed",
        3,
        *keys("learner.expert.trainer.epochs=2", "learner.expert.l2=0.5", "learner.weights=dev"),
    ]
    options += keys(f"output.log={log}")
    done = run("train", "--learner", "bagging", *files(data), "--model", model, *options, "--json")
    assert done.returncode == 0, done.stderr
    train, dev = tagpool.read_corpus(data / "train.conll"), tagpool.read_corpus(data / "dev.conll")
    expected = BaggingPool(CRF(BAGS, l2=0.5, seed=3, patience=5, trainer=SGD(epochs=2)), weights="dev", seed=3).fit(
        train, dev=dev
    )
    result = tagpool.load(model)
    assert isinstance(result, BaggingPool)
    assert result.weights_.tolist() == expected.weights_.tolist()
    assert result.predict(dev) == expected.predict(dev)
    reported = json.loads(done.stdout)
    assert (reported["learner"], reported["combine"], reported["merged"]) == ("bagging-pool", "sequence-product", False)
    assert [member["name"] for member in reported["members"]] == ["shapes", "endings"]
    assert [member["weight"] for member in reported["members"]] == expected.weights_.tolist()
    assert reported["best_dev_f1"] == pytest.approx(100 * expected.score(dev))
    assert reported["bytes"] == model.stat().st_size
    assert "shapes:  epoch 2/2  loss" in done.stderr
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["member"], line["number"]) for line in lines] == [(n, e) for n in ("shapes", "endings") for e in (1, 2)]


def test_the_same_pool_whatever_the_threads(data: Path, pools: Path, tmp_path: Path) -> None:
    for kind, epochs in (("bagging", "learner.expert.trainer.epochs=2"), ("elitist", "learner.epochs=2")):
        blocks = []
        for threads in (1, 2):
            options = ["--learner", kind, "--features", pools / "bags.txt", *keys(epochs), "--threads", threads]
            succeed("train", *files(data), "--model", tmp_path / "m", *options)
            blocks.append((tmp_path / "m").read_bytes())
        assert blocks[0] == blocks[1]


SCHEMES = {
    '{both = ["shapes", "endings"]}': ["both"],
    "random:3": ["part 1", "part 2", "part 3"],
    "sequential:2": ["part 1", "part 2"],
    "positions": ["before", "here", "after"],
    "labels": ["O", "MISC", "LOC", "PER", "ORG"],
}


@pytest.mark.parametrize("bags", SCHEMES)
def test_bags_may_be_chosen(data: Path, pools: Path, tmp_path: Path, bags: str) -> None:
    options = [
        *keys(f"learner.bags={bags}", "learner.expert.trainer.epochs=1"),
        "--features",
        pools / "bags.txt",
        "--model",
        tmp_path / "m",
    ]
    result = json.loads(succeed("train", "--learner", "bagging", "--train", data / "train.conll", *options, "--json"))
    assert [member["name"] for member in result["members"]] == SCHEMES[bags]
    inspected = json.loads(succeed("inspect", tmp_path / "m", "--json"))
    assert inspected["members"][0].get("bags") == (["shapes", "endings"] if "=" in bags else None)
    labels = {member["name"]: member.get("labels") for member in inspected["members"]}
    assert (labels.get("PER") == ["B-PER", "I-PER"]) == (bags == "labels")


def test_bags_may_be_found_and_shares_on_folds(data: Path, pools: Path, tmp_path: Path) -> None:
    options = [
        "--features",
        pools / "bags.txt",
        *keys("learner.expert.trainer.epochs=1"),
        "--train",
        data / "train.conll",
        "--model",
        tmp_path / "m",
    ]
    succeed("train", "--learner", "bagging", *keys("learner.bags=auto"), *options)
    assert isinstance(result := tagpool.load(tmp_path / "m"), BaggingPool)
    assert result.auto_ is not None
    assert result.auto_.splitlines()[0] in succeed("inspect", tmp_path / "m", "--top", 0)
    done = run("train", "--learner", "bagging", *keys("learner.weights=kfold"), *options)
    assert "endings, fold 2:  epoch 1/1" in done.stderr


def test_elitist_pools(data: Path, pools: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    options = ["--features", pools / "bags.txt", "--seed", 4, *keys("features.min_count=2")]
    more = ["epochs=3", "experts=2", "penalty=l1", "strength=0.2", "mu=0.1", "weights=learned", "expert=crf", "pairs=observed"]
    result = json.loads(
        succeed(
            "train",
            "--learner",
            "elitist",
            *files(data),
            "--model",
            model,
            *options,
            *keys(*(f"learner.{key}" for key in more)),
            "--json",
        )
    )
    pool = tagpool.load(model)
    assert isinstance(pool, ElitistPool)
    wanted = {"experts": 2, "expert": "crf", "penalty": "l1", "strength": 0.2, "mu": 0.1, "weights": "learned", "epochs": 3}
    wanted |= {"pairs": "observed", "min_count": 2, "seed": 4, "patience": 5}
    assert {name: getattr(pool, name) for name in wanted} == wanted
    assert [member["weight"] for member in result["members"]] == list(pool.weights_)
    assert result["best_dev_f1"] == pytest.approx(100 * pool.score(tagpool.read_corpus(data / "dev.conll")))


def test_opinion_pools_of_models(data: Path, pools: Path, tmp_path: Path) -> None:
    model, dev = tmp_path / "m", tagpool.read_corpus(data / "dev.conll")
    members = keys(f'learner.members=["{data}/ner.tagpool", "{pools}/elitist.tagpool"]')
    learned = [*members, *keys("learner.weights=likelihood")]
    done = succeed("train", "--learner", "opinion", *learned, "--dev", data / "dev.conll", "--model", model, "--json")
    result = json.loads(done)
    loaded = [tagpool.load(data / "ner.tagpool"), tagpool.load(pools / "elitist.tagpool")]
    expected = OpinionPool(loaded, weights="likelihood").fit(dev)
    assert [item["weight"] for item in result["members"]] == expected.weights_.tolist()
    again = tagpool.load(model)
    assert [type(member) for member in again] == [CRF, ElitistPool]
    assert again.predict(dev) == expected.predict(dev)
    # The training file does where there is no dev file; given shares need neither.
    succeed("train", "--learner", "opinion", *learned, "--train", data / "dev.conll", "--model", tmp_path / "n")
    assert tagpool.load(tmp_path / "n").weights_.tolist() == again.weights_.tolist()
    succeed("train", "--learner", "opinion", *members, *keys("learner.weights=[0.25, 0.75]"), "--model", tmp_path / "n")
    assert tagpool.load(tmp_path / "n").weights_.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("kind", ["bagging", "elitist", "opinion"])
def test_collapsed_pools_are_single_experts_that_say_the_same(data: Path, pools: Path, tmp_path: Path, kind: str) -> None:
    dev = tagpool.read_corpus(data / "dev.conll")
    epochs = "learner.epochs=2" if kind == "elitist" else "learner.expert.trainer.epochs=2"
    options: list[object] = ["--features", pools / "bags.txt", *keys(epochs), "--train", data / "train.conll"]
    if kind == "opinion":
        options = keys(f'learner.members=["{pools}/bagged.tagpool", "{data}/ner.tagpool"]')
    merge = keys("output.merge=true")
    succeed("train", "--learner", kind, *options, "--model", tmp_path / "pool")
    result = json.loads(succeed("train", "--learner", kind, *options, "--model", tmp_path / "one", *merge, "--json"))
    one = tagpool.load(tmp_path / "one")
    assert type(one) is CRF
    assert one.predict(dev) == tagpool.load(tmp_path / "pool").predict(dev)
    assert result["merged"]
    assert "merged from a pool" in succeed("inspect", tmp_path / "one") or kind == "elitist"
    # A single model can be continued, and made smaller.
    more = keys("learner.trainer.epochs=1")
    succeed("train", "--from", tmp_path / "one", "--train", data / "dev.conll", "--model", tmp_path / "more", *more)
    small = keys("output.size=small", "output.names=false")
    succeed("train", "--learner", kind, *options, "--model", tmp_path / "small", *merge, *small)
    assert (tmp_path / "small").stat().st_size < 0.8 * (tmp_path / "one").stat().st_size


@pytest.mark.parametrize("combine", ["sequence-product", "sequence-mixture"])
def test_members_of_pools_are_made_smaller_like_single_experts(data: Path, pools: Path, tmp_path: Path, combine: str) -> None:
    dev = tagpool.read_corpus(data / "dev.conll")
    options: list[object] = [
        "--learner",
        "bagging",
        *keys(f"learner.combine={combine}", "learner.expert.trainer.epochs=2"),
        "--features",
        pools / "bags.txt",
    ]
    options += ["--train", data / "train.conll"]
    succeed("train", *options, "--model", tmp_path / "whole")
    whole = tagpool.load(tmp_path / "whole").predict_marginals(dev)
    sizes = [(tmp_path / "whole").stat().st_size]
    small_files = ["output.size=small", "output.names=false"]
    for count in (1, 2):
        succeed("train", *options, *keys(*small_files[:count]), "--model", tmp_path / "small")
        sizes.append((tmp_path / "small").stat().st_size)
        small = tagpool.load(tmp_path / "small").predict_marginals(dev)
        assert max(float(abs(a - b).max()) for a, b in zip(whole, small, strict=True)) < 0.1
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.6 * sizes[0]
    assert "sequence-" in succeed("inspect", tmp_path / "small")


def test_dropout(data: Path, pools: Path, tmp_path: Path) -> None:
    options = ["--features", pools / "bags.txt", *keys("learner.trainer.epochs=2"), "--train", data / "train.conll"]
    result = {}
    for drop in ("features", "templates", "bags"):
        succeed(
            "train", *options, "--model", tmp_path / "m", *keys("learner.trainer.dropout=0.5", f"learner.trainer.drop={drop}")
        )
        result[drop] = (tmp_path / "m").read_bytes()
        expected = CRF(BAGS, trainer=SGD(epochs=2, dropout=0.5, drop=drop)).fit(tagpool.read_corpus(data / "train.conll"))
        dev = tagpool.read_corpus(data / "dev.conll")
        assert [item.tobytes() for item in tagpool.load(tmp_path / "m").predict_marginals(dev)] == [
            item.tobytes() for item in expected.predict_marginals(dev)
        ]
    assert len(set(result.values())) == 3


BAGGING = ["--learner", "bagging"]
NONSENSE = {
    "an unknown learner": (["--learner", "jury"], "expected one of crf, maxent, inducing, bagging, elitist, opinion"),
    "bags without a pool": (keys("learner.bags=auto"), "learner.bags = 'auto': unknown key of this learner; bagging has it"),
    "experts of a bagging": ([*BAGGING, *keys("learner.experts=2")], "did you mean learner.expert.kind?"),
    "a pool that is continued": ([*BAGGING, "--from", "x"], "a pool is trained from the start; drop --from"),
    "l2 of an elitist pool": (["--learner", "elitist", *keys("learner.l2=0")], "learner.l2 = 0: unknown key"),
    "l2 of a bagging": ([*BAGGING, *keys("learner.l2=0")], "learner.l2 = 0: unknown key; did you mean learner.expert.l2?"),
    "no members": (["--learner", "opinion"], "learner.members is missing"),
    "templates of members": (["--learner", "opinion", "--features", "ner"], "members of the pool have their own features"),
    "members that are not models": (["--learner", "opinion", *keys('learner.members=["{bags}"]')], "expected a model"),
    "members that are no list": (["--learner", "opinion", *keys("learner.members=a")], "expected model files"),
    "weights of opinions by em": (
        ["--learner", "opinion", *keys('learner.members=["{model}"]', "learner.weights=em")],
        "learner.weights = 'em': expected 'uniform', 'dev', 'likelihood'",
    ),
    "members for bagging": ([*BAGGING, *keys('learner.members=["x"]')], "unknown key"),
    "merging one model": (keys("output.merge=true"), "only a sequence-product of members"),
    "merging a mixture": ([*BAGGING, *keys("output.merge=true", "learner.combine=sequence-mixture")], "not sequence-mixture"),
    "merging transition features": (
        [*BAGGING, *keys("output.merge=true"), "--features", "[a]\nlabel[-1] & word[0]"],
        "transition features",
    ),
    "an unknown size": (keys("output.size=tiny"), "expected 'full' or 'small'"),
    "no bags": ([*BAGGING, "--features", "word[0]"], "expected at least two kinds of templates, got only word"),
    "a bag that is not there": ([*BAGGING, *keys('learner.bags={a=["b"]}'), "--features", "{bags}"], "no bag 'b'"),
    "bags by no scheme": ([*BAGGING, *keys("learner.bags=random")], "expected 'auto', 'random:N'"),
    "no parts": ([*BAGGING, *keys("learner.bags=random:0")], "expected 'auto', 'random:N'"),
    "an unknown combination": ([*BAGGING, *keys("learner.combine=sum")], "expected 'sequence-product'"),
    "em for a product": ([*BAGGING, *keys("learner.weights=em")], "mixture"),
    "dev without dev": ([*BAGGING, *keys("learner.weights=dev")], "learner.weights = 'dev' needs held-out sentences; add --dev"),
    "weights that are no numbers": ([*BAGGING, *keys("learner.weights=0.5,x")], "expected 'uniform', 'dev'"),
    "too many weights": ([*BAGGING, *keys("learner.weights=[0.5, 0.2, 0.3]"), "--features", "{bags}"], "expected 2 numbers"),
    "elitist weights on dev": (["--learner", "elitist", *keys("learner.weights=dev")], "expected 'uniform', 'learned'"),
    "an elitist perceptron": (["--learner", "elitist", *keys("learner.expert=perceptron")], "expected 'crf' or 'maxent'"),
    "mu beyond 1": (["--learner", "elitist", *keys("learner.mu=2")], "from 0 to 1"),
    "dropout of lbfgs": (
        keys("learner.trainer.kind=lbfgs", "learner.trainer.dropout=0.5"),
        "learner.trainer.dropout = 0.5: unknown",
    ),
    "everything dropped": (keys("learner.trainer.dropout=1"), "from 0 to less than 1"),
    "dropping something else": (keys("learner.trainer.drop=words"), "expected 'features', 'templates' or 'bags'"),
    "dropping bags that are not there": (
        [*keys("learner.trainer.dropout=0.5", "learner.trainer.drop=bags"), "--features", "word[0]"],
        "the templates have no [bags]",
    ),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_what_makes_no_sense_is_said_and_leaves_nothing(data: Path, pools: Path, tmp_path: Path, name: str) -> None:
    options, expected = NONSENSE[name]
    filled = [
        str(item).replace("{bags}", str(pools / "bags.txt")).replace("{model}", str(data / "ner.tagpool")) for item in options
    ]
    log = keys(f"output.log={tmp_path}/l")
    assert expected in fail("train", "--train", data / "train.conll", "--model", tmp_path / "m", *log, *filled)
    assert list(tmp_path.iterdir()) == []


def test_sentences_are_required_where_they_are_needed(data: Path, tmp_path: Path) -> None:
    assert "--train is missing" in fail("train", "--model", tmp_path / "m")
    assert "--model is missing" in fail("train", "--train", data / "train.conll")
    members = ["--learner", "opinion", *keys(f'learner.members=["{data}/ner.tagpool"]')]
    message = fail("train", *members, *keys("learner.weights=likelihood"), "--model", tmp_path / "m")
    assert "learner.weights = 'likelihood' needs sentences; add --dev FILE" in message
    CRF("word[0]").fit([["a", "b"]], [["X", "Y"]]).save(tmp_path / "other")
    both = keys(f'learner.members=["{data}/ner.tagpool", "{tmp_path}/other"]')
    assert "members must have the same labels" in fail("train", "--learner", "opinion", *both, "--model", tmp_path / "m")


# Ctrl-C ------------------------------------------------------------------------------------------------------------------


LONG = [*BAGGING, *keys("learner.expert.trainer.epochs=100000", "learner.expert.trainer.tolerance=0")]


def interrupted(until: str, *options: object, times: int = 1) -> tuple[int, str]:
    """Trains for very long, and interrupts when a line has been seen that begins so."""
    command = [sys.executable, "-m", "tagpool", "train", *map(str, options)]
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
        return process.wait(), "".join(seen) + rest
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_a_whole_pool_of_members_as_they_stood(data: Path, pools: Path, tmp_path: Path, threads: int) -> None:
    options = [*LONG, "--features", pools / "bags.txt", "--model", tmp_path / "m", "--threads", threads]
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
    options = [
        "--learner",
        "elitist",
        *keys("learner.epochs=100000"),
        "--features",
        pools / "bags.txt",
        "--model",
        tmp_path / "m",
    ]
    code, message = interrupted("epoch 3/", "--train", data / "train.conll", *options)
    assert code == 130
    assert "interrupted; the pool as its members stood" in message
    pool = tagpool.load(tmp_path / "m")
    assert isinstance(pool, ElitistPool)
    assert len(list(pool)) == 3
    assert pool.summary_["dev"] is None


@pytest.mark.parametrize(("until", "times"), [("reading", 1), ("encoding", 1)])
def test_ctrl_c_before_the_first_epoch_keeps_nothing_half(
    data: Path, pools: Path, tmp_path: Path, until: str, times: int
) -> None:
    options = [*LONG, "--features", pools / "bags.txt", "--model", tmp_path / "m", *keys(f"output.log={tmp_path}/l")]
    code, message = interrupted(until, "--train", data / "train.conll", *options, times=times)
    assert code == 130, message
    assert "Traceback" not in message
    stored = "was written to" in message  # the first epoch may have been faster
    assert stored or "nothing was" in message
    assert (tmp_path / "m").exists() == stored


def test_a_terminal_gets_a_bar_for_each_member(data: Path, pools: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    options = [
        "--learner",
        "bagging",
        "--features",
        pools / "bags.txt",
        "--train",
        data / "train.conll",
        *keys("learner.expert.trainer.epochs=3"),
    ]
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
    assert process.wait() == 0
    os.close(ours)
    assert b"shapes:  epoch 3/3" in shown
    assert b"endings:  epoch 3/3" in shown
