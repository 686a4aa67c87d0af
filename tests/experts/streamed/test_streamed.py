"""Training with a memory budget: the same bytes as in memory, clear errors, and no files that stay."""

from __future__ import annotations

import errno
import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagpool import (
    CRF,
    LBFGS,
    OWLQN,
    SGD,
    BaggingPool,
    Checkpoint,
    Corpus,
    Encoder,
    InputError,
    LabelledFiles,
    MaxEnt,
    _native,
    builtin_corpus,
    read_corpus,
)
from tagpool.corpus import blocks
from tagpool.corpus.conll import format_conll
from tagpool.errors import OutputError
from tagpool.experts.saving import to_bytes
from tagpool.experts.streamed.budget import Budget
from tagpool.experts.streamed.facts import CorpusFacts
from tagpool.experts.streamed.spool import Spool
from tagpool.features.automatic import choose_templates

SCRIPT = """
from tagpool import CRF, LBFGS, SGD, LabelledFiles, read_corpus
memory = {memory}
files = read_corpus("{path}") if memory is None else LabelledFiles("{path}")
tagger = CRF(trainer={trainer}).fit(files, memory=memory)
if "{out}":
    tagger.save("{out}")
print(next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
WORDS = "word[-1..1]\nshape(word)[-1..1]\nsuffix(word, 1..3)[0]"
HISTORY = "word[-1..1]\nlabel[-1] & word[0]\nword[-1] & word[0]"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streamed") / "train.conll"
    path.write_text(format_conll(builtin_corpus(1200)), encoding="utf-8")
    return path


LEARNERS: dict[str, Any] = {
    "sgd": lambda: CRF(trainer=SGD(epochs=3)),
    "dropout": lambda: CRF(WORDS, trainer=SGD(epochs=2, dropout=0.3, drop="templates")),
    "threads": lambda: CRF(WORDS, trainer=SGD(epochs=2), threads=2),
    "min_count": lambda: CRF(HISTORY, trainer=SGD(epochs=2), min_count=2),
    "observed": lambda: CRF(WORDS, trainer=SGD(epochs=2), pairs="observed"),
    "frequent": lambda: CRF(WORDS, trainer=SGD(epochs=2), pairs="frequent"),
    "bilou": lambda: CRF(WORDS, trainer=SGD(epochs=2), inner_scheme="bilou"),
    "lbfgs": lambda: CRF(WORDS, trainer=LBFGS(iterations=5, warm_up=1)),
    "lbfgs history": lambda: CRF(HISTORY, trainer=LBFGS(iterations=4, warm_up=0), pairs="observed"),
    "owlqn": lambda: CRF(WORDS, l1=0.5, trainer=OWLQN(iterations=5)),
    "maxent": lambda: MaxEnt(WORDS, trainer=SGD(epochs=2)),
    "maxent lbfgs": lambda: MaxEnt(WORDS, trainer=LBFGS(iterations=4)),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_models_have_the_same_bytes(name: str, path: Path) -> None:
    in_memory = LEARNERS[name]().fit(builtin_corpus(1200))
    streamed = LEARNERS[name]().fit(LabelledFiles(path), memory="4G")
    assert to_bytes(streamed) == to_bytes(in_memory)
    assert [epoch.loss for epoch in streamed.log_] == [epoch.loss for epoch in in_memory.log_]


def test_a_dev_set_ends_both_trainings_alike(path: Path) -> None:
    dev = builtin_corpus(100, part="dev")
    in_memory = CRF(WORDS).fit(builtin_corpus(1200), dev=dev)
    streamed = CRF(WORDS).fit(builtin_corpus(1200), dev=dev, memory="4G")  # a corpus is accepted, too
    assert to_bytes(streamed) == to_bytes(in_memory)


def test_several_blocks_have_the_order_of_memory(tmp_path: Path) -> None:
    corpus = builtin_corpus(30_000)
    assert corpus.token_count > _native.BLOCK_TOKENS  # two blocks
    path = tmp_path / "large.conll"
    path.write_text(format_conll(corpus), encoding="utf-8")
    for make in (
        lambda: CRF("word[0]\nsuffix(word, 2..3)[0]", trainer=SGD(epochs=2)),
        lambda: MaxEnt("word[0]", trainer=LBFGS(iterations=3, warm_up=0)),
    ):
        assert to_bytes(make().fit(LabelledFiles(path), memory="4G")) == to_bytes(make().fit(corpus))


def test_two_files_are_one_corpus(tmp_path: Path) -> None:
    corpus = builtin_corpus(300)
    for name, part in (("a", corpus[:100]), ("b", corpus[100:])):
        (tmp_path / name).write_text(format_conll(part), encoding="utf-8")
    files = LabelledFiles(tmp_path / "a", tmp_path / "b")
    streamed = CRF(WORDS, trainer=SGD(epochs=2)).fit(files, memory="4G")
    assert to_bytes(streamed) == to_bytes(CRF(WORDS, trainer=SGD(epochs=2)).fit(corpus))


@pytest.mark.parametrize(
    "text",
    [
        "-DOCSTART- O\n\nAnn PER\nleft O\n\n-DOCSTART- O\n\nann O\n",  # the first block has no sentence
        "Ann PER\n\nann O\n\nann PER\n\n-DOCSTART- O\n\nleft O\n",  # sentences before the first mark are a document
        "Ann PER\n\nann O\n\nann PER\n",
    ],
)
def test_documents_are_those_of_memory(text: str, tmp_path: Path) -> None:
    path = tmp_path / "documents.conll"
    path.write_text(text, encoding="utf-8")
    templates = "word[0]\nelsewhere(casing(word), joined)[0]"
    with patch.object(blocks, "_SIZE", 8):
        streamed = CRF(templates).fit(LabelledFiles(path), memory="4G")
    assert to_bytes(streamed) == to_bytes(CRF(templates).fit(read_corpus(path)))


def test_a_training_resumes_from_its_checkpoint(path: Path, tmp_path: Path) -> None:
    expected = CRF(WORDS, trainer=SGD(epochs=4)).fit(LabelledFiles(path), memory="4G")

    def stop(epoch: Any) -> None:
        if epoch.number == 2:
            raise KeyboardInterrupt

    options: dict[str, Any] = {"memory": "4G", "checkpoint": Checkpoint(tmp_path / "run", every=0)}
    with pytest.raises(KeyboardInterrupt):
        CRF(WORDS, trainer=SGD(epochs=4)).fit(LabelledFiles(path), on_epoch=stop, **options)
    resumed = CRF(WORDS, trainer=SGD(epochs=4)).fit(LabelledFiles(path), **options)
    assert to_bytes(resumed) == to_bytes(expected)


@pytest.mark.parametrize(
    ("tagger", "options", "message"),
    [
        (lambda: CRF(trainer="fobos"), {}, "the trainer fobos needs all sentences in memory; use one of sgd, lbfgs, owlqn"),
        (lambda: CRF(robust="case"), {}, "robust needs all sentences in memory"),
        (lambda: CRF(class_weight="balanced"), {}, "class_weight needs all"),
        (lambda: CRF(truecase=True), {}, "truecase needs all"),
        (lambda: CRF(), {"sample_weight": [1.0]}, "sample_weight needs all"),
        (lambda: CRF(warm_start=True).fit(builtin_corpus(20)), {}, r"warm_start \(--from\) needs all sentences in memory"),
        (lambda: BaggingPool(CRF(WORDS)), {}, "for the learners crf and maxent, not for bagging"),
        (lambda: CRF(), {"memory": "2 elephants"}, "expected a size such as 2G or 500M"),
        (lambda: CRF(), {"memory": "1M"}, "more than the budget of 1 MB; use memory"),
    ],
)
def test_what_is_not_supported_is_an_error(tagger: Any, options: dict[str, Any], message: str, path: Path) -> None:
    with pytest.raises(InputError, match=message):
        tagger().fit(LabelledFiles(path), **({"memory": "4G"} | options))


def test_lists_of_sentences_are_refused() -> None:
    with pytest.raises(InputError, match=r"LabelledFiles\(path\)"):
        CRF().fit([["a", "b"]], [["A", "B"]], memory="1G")


def test_files_of_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="convert it with tagpool convert --to conll"):
        LabelledFiles(tmp_path / "a.jsonl")
    with pytest.raises(InputError, match="that can be read twice"):
        LabelledFiles("-")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: a memory budget needs a file that can be read twice, not a stream"):
        LabelledFiles(tmp_path / "pipe")
    with pytest.raises(InputError, match="at least one file"):
        LabelledFiles()


def test_a_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("a A\n\nb B\n\nc\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.conll:5: "):
        CRF().fit(LabelledFiles(path), memory="4G")


@pytest.mark.parametrize("trainer", [SGD(epochs=2), LBFGS(iterations=8)])
def test_advice_on_the_budget_works(path: Path, trainer: Any) -> None:
    with pytest.raises(InputError) as caught:
        CRF(trainer=trainer).fit(LabelledFiles(path), memory="1M")
    advice = caught.value.message.split("--memory ")[1].split(")")[0]
    script = SCRIPT.format(path=str(path), trainer=repr(trainer), memory=repr(advice), out="")
    peak = int(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout)
    assert peak <= 1.15 * Budget(advice).limit


@pytest.mark.skipif("TAGPOOL_SCALE" not in os.environ, reason="takes a minute; make scale runs it")
def test_a_million_tokens_with_a_tiny_budget(tmp_path: Path) -> None:
    path = tmp_path / "train.conll"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(format_conll(builtin_corpus(20_000, seed=seed)) for seed in range(1, 6))
    peaks = []
    for memory in (None, "420M"):
        script = SCRIPT.format(path=str(path), trainer="SGD(epochs=2)", memory=repr(memory), out=str(tmp_path / f"{memory}"))
        peaks.append(int(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout))
    assert (tmp_path / "None").read_bytes() == (tmp_path / "420M").read_bytes()
    assert peaks[1] <= 1.15 * Budget("420M").limit < peaks[0]


def test_no_file_stays(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen: list[list[Path]] = []
    CRF(WORDS, trainer=SGD(epochs=2)).fit(LabelledFiles(path), memory="4G", on_epoch=lambda _: seen.append([*tmp_path.iterdir()]))
    assert seen == [[], []]  # the file has no name


def test_a_full_disk_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tagpool.experts.streamed.spool.os.pwrite", fail)
    tagger = CRF(WORDS)
    with pytest.raises(OutputError, match="No space left on device; free some space, or set the environment variable TMPDIR"):
        tagger.fit(LabelledFiles(path), memory="4G")
    assert not tagger.is_fitted


@pytest.mark.parametrize("text", ["a A\nb B\n\nc A\n", "c A\nd B\n\n"])  # more tokens, other tokens
def test_a_file_that_changes_is_an_error(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changing = tmp_path / "changing.conll"
    changing.write_text("a A\nb B\n\n", encoding="utf-8")
    sample = CorpusFacts.sample

    def change(facts: CorpusFacts) -> Corpus:
        changing.write_text(text, encoding="utf-8")
        os.utime(changing, (0, 0))
        return sample(facts)

    monkeypatch.setattr(CorpusFacts, "sample", change)
    with pytest.raises(InputError, match="the file changed while it was read; train again"):
        CRF("word[0]").fit(LabelledFiles(changing), memory="4G")


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.lists(st.sampled_from([1, 5, 3000, 9000]), min_size=1, max_size=20),
    cuts=st.lists(st.integers(0, 19), max_size=4),
)
def test_chunks_do_not_depend_on_the_blocks(lengths: list[int], cuts: list[int]) -> None:
    sentences = [[f"w{i}"] * length for i, length in enumerate(lengths)]
    gold = np.arange(sum(lengths), dtype=np.int32)
    corpus = Corpus.from_lists(word=sentences)
    encoder = Encoder("word[0]")
    whole = encoder.fit_transform(corpus)
    offsets = corpus.offsets()
    bounds = sorted({0, *(cut % len(sentences) for cut in cuts), len(sentences)})
    spool = Spool()
    for first, last in itertools.pairwise(bounds):
        spool.add(encoder.transform(corpus[first:last]).native, gold[offsets[first] : offsets[last]], None)
    spool.finish()
    numbers = [int(offset) // _native.CHUNK_TOKENS for offset in offsets[:-1]]
    assert [count for count, _ in spool.chunks] == [numbers.count(number) for number in sorted(set(numbers))]
    encoding, labels, history = spool.read(range(len(spool.chunks)))
    assert history is None
    assert labels.tolist() == gold.tolist()
    assert encoding.ids().tolist() == whole.ids.tolist()
    assert encoding.starts().tolist() == whole.starts.tolist()
    assert encoding.sentences().tolist() == whole.sentences.tolist()
    spool.close()


@pytest.mark.parametrize("corpus", [builtin_corpus(80), Corpus.from_lists(word=[["ab", "12"]], label=[["X", "Y"]])])
def test_default_templates_follow_from_the_facts(corpus: Corpus) -> None:
    facts = CorpusFacts()
    for number in range(len(corpus)):
        facts.add(corpus[number : number + 1])
    assert choose_templates(facts.sample()) == choose_templates(corpus)
    assert (facts.sentences, facts.tokens) == (len(corpus), corpus.token_count)
