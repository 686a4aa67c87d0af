"""PatternTagger: its text models give its labels, read by tagpool's parser of Wapiti models and by Wapiti itself."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tagpool import CRF, LBFGS, InputError
from tagpool.compat.conversion import from_expert
from tagpool.compat.pattern_tagger import PatternTagger
from tagpool.compat.wapiti.text_models import read_text_model

PATTERNS = """# words
U00:%x[0,0]
U01:%x[-1,0]/%x[0,1]
u:end=%m[0,0,"..$"]   # a comment

B
"""
WAPITI = os.environ.get("WAPITI") or shutil.which("wapiti")
Sentence = list[list[str]]


def sentences(count: int, seed: int) -> tuple[list[Sentence], list[list[str]]]:
    """Rows whose labels depend on the word, on the neighbour, and on the first and last place."""
    chance = random.Random(seed)
    rows, labels = [], []
    for _ in range(count):
        words = [chance.choice(["Ann", "Oslo", "left", "é", "12"]) for _ in range(chance.randint(1, 6))]
        rows.append([[word, "X" if word[0].isupper() else "x"] for word in words])
        kinds = ["I-<a>" if word == "Ann" else "<b>" if chance.random() < 0.7 else "<c>" for word in words]
        kinds[0], kinds[-1] = "I-<first>", chance.choice(["<last>", kinds[-1]])
        labels.append(kinds)
    return rows, labels


@pytest.fixture(scope="module")
def tagger() -> PatternTagger:
    return PatternTagger(PATTERNS, CRF(inner_scheme="same", trainer=LBFGS(iterations=30))).fit(*sentences(120, seed=1))


def test_a_text_model_has_the_same_labels_and_probabilities(tagger: PatternTagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "m.wapiti")
    rows, _ = sentences(80, seed=2)
    model = read_text_model(tmp_path / "m.wapiti")
    assert model.tag(rows) == tagger.predict(rows)
    assert from_expert(tagger.crf).has_end_weights  # which two more patterns have
    order = [model.labels.index(label) for label in tagger.crf.labels_]
    from tagpool.compat.wapiti.patterns import attributes_of  # noqa: PLC0415

    for one, lattice in zip(rows, tagger.crf.lattices([attributes_of(tagger._unary, row) for row in rows]), strict=True):
        assert model.lattice(one).marginals()[:, order] == pytest.approx(lattice.marginals(), abs=1e-5)


@pytest.mark.skipif(WAPITI is None, reason="there is no wapiti (variable WAPITI)")
@pytest.mark.parametrize("last", ["B\n", ""])
def test_wapiti_gives_the_same_labels(tmp_path: Path, last: str) -> None:
    patterns = PATTERNS.removesuffix("B\n") + last
    tagger = PatternTagger(patterns).fit(*sentences(120, seed=1))
    tagger.save(tmp_path / "m.wapiti")
    rows, _ = sentences(80, seed=3)
    text = "".join("".join(" ".join(row) + "\n" for row in one) + "\n" for one in rows)
    (tmp_path / "rows").write_text(text)
    command = [str(WAPITI), "label", "-m", str(tmp_path / "m.wapiti"), str(tmp_path / "rows")]
    blocks = subprocess.run(command, capture_output=True, check=True).stdout.decode().strip("\n").split("\n\n")
    assert [[line.split()[-1] for line in block.splitlines()] for block in blocks] == tagger.predict(rows)


def test_patterns_without_a_place_in_the_model() -> None:
    for line in ("b:x=%x[0,0]", "*:x=%x[0,0]"):
        with pytest.raises(InputError, match="its weights depend on label bigrams"):
            PatternTagger(line)
    with pytest.raises(InputError, match="expected a line that begins with u"):
        PatternTagger("word=%x[0,0]")
    with pytest.raises(InputError, match="expected a column 1"):
        PatternTagger("u:%x[0,1]").fit([[["a"]]], [["X"]])
