"""Tagging of .spacy files."""

from __future__ import annotations

from pathlib import Path

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from tagpool import CRF, Corpus, InputError, builtin_corpus, read_corpus, write_corpus
from tagpool.tagging.files import create_tagger
from tagpool.tagging.labeller import Labeller

GOLD = builtin_corpus(60)
TEMPLATES = "word[0]\nshape[0]"


def tag(model: CRF, path: Path, **options: bool) -> Path:
    output = path.with_name("tagged.spacy")
    output.write_bytes(b"".join(create_tagger(Labeller(model, **options), path)))
    return output


def test_entities_are_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    nothing = [["O"] * len(row) for row in GOLD.words]
    columns = {"word": GOLD.words, "tag": GOLD.column("pos"), "spans.k": GOLD.labels, "label": nothing}
    write_corpus(Corpus.from_columns(columns, documents=range(0, 60, 4)), tmp_path / "x.spacy")
    model = CRF(TEMPLATES).fit(GOLD)
    tagged = read_corpus(tag(model, tmp_path / "x.spacy"))
    assert tagged.labels == model.predict(GOLD)
    assert (tagged.words, tagged.column("tag"), tagged.column("spans.k")) == (GOLD.words, GOLD.column("pos"), GOLD.labels)
    assert tagged.document_starts == list(range(0, 60, 4))


def test_plain_labels_become_tags_and_columns_are_read(tmp_path: Path) -> None:
    tags = Corpus.from_columns({"word": GOLD.words, "lemma": GOLD.column("chunk"), "label": GOLD.column("pos")})
    model = CRF("word[0]\nlemma[-1..1]").fit(tags)
    write_corpus(tags.with_columns(["word", "lemma"]), tmp_path / "x.spacy")
    path = tag(model, tmp_path / "x.spacy")
    documents = DocBin().from_disk(path).get_docs(Vocab())
    assert [[token.tag_ for token in document] for document in documents] == model.predict(tags)
    write_corpus(tags.with_columns(["word"]), tmp_path / "x.spacy")
    with pytest.raises(InputError, match=r"reads the column lemma, and token\.lemma is not set"):
        tag(model, tmp_path / "x.spacy")


def test_errors(tmp_path: Path) -> None:
    model = CRF(TEMPLATES).fit(GOLD)
    DocBin().to_disk(tmp_path / "x.spacy")
    with pytest.raises(InputError, match="expected documents with words, got none"):
        tag(model, tmp_path / "x.spacy")
    with pytest.raises(InputError, match=r"--nbest and --probabilities are not for \.spacy files"):
        tag(model, tmp_path / "x.spacy", probabilities=True)
