"""The real corpora have the published numbers of sentences, tokens and documents (TAGPOOL_DATA; see the README there)."""

from __future__ import annotations

import pytest

from tagpool.corpus.formats import read_corpus
from tagpool.corpus.schemes import spans

# file: sentences, tokens, documents, entities or chunks (None where the labels mark none)
COUNTS = {
    "conll2003/eng.train.gz": (14_041, 203_621, 946, 23_499),
    "conll2003/eng.testa.gz": (3_250, 51_362, 216, 5_942),
    "conll2003/eng.testb.gz": (3_453, 46_435, 231, 5_648),
    "conll2000/train.txt.gz": (8_936, 211_727, 0, 106_978),
    "conll2000/test.txt.gz": (2_012, 47_377, 0, 23_852),
    "conll2002/esp.train.gz": (8_323, 264_715, 0, 18_798),
    "conll2002/esp.testa.gz": (1_915, 52_923, 0, 4_352),
    "conll2002/esp.testb.gz": (1_517, 51_533, 0, 3_559),
    "conll2002/ned.train.gz": (15_806, 202_644, 287, 13_344),
    "conll2002/ned.testa.gz": (2_895, 37_687, 74, 2_616),
    "conll2002/ned.testb.gz": (5_195, 68_875, 119, 3_941),
    "wnut17/train.tsv.gz": (3_394, 62_730, 0, 1_975),
    "wnut17/dev.tsv.gz": (1_009, 15_733, 0, 836),
    "wnut17/test.tsv.gz": (1_287, 23_394, 0, 1_079),
    "wsj-pos/train_00-18.tsv.gz": (38_219, 912_344, 0, None),
    "wsj-pos/dev_19-21.tsv.gz": (5_527, 131_768, 0, None),
    "wsj-pos/test_22-24.tsv.gz": (5_462, 129_654, 0, None),
    "ptb-sample/treebank_sample.tsv.gz": (3_914, 94_084, 0, None),
    "ud-ewt/en_ewt-ud-train.tsv.gz": (12_544, 204_577, 0, None),
    "ud-ewt/en_ewt-ud-dev.tsv.gz": (2_001, 25_147, 0, None),
    "ud-ewt/en_ewt-ud-test.tsv.gz": (2_077, 25_094, 0, None),
    "ud-ewt/en_ewt-ud-train.conllu.gz": (12_544, 204_577, None, None),
    "ud-ewt/en_ewt-ud-dev.conllu.gz": (2_001, 25_147, None, None),
    "ud-ewt/en_ewt-ud-test.conllu.gz": (2_077, 25_094, None, None),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(real_data, name):
    corpus = read_corpus(real_data / name)
    sentences, tokens, documents, chunks = COUNTS[name]
    assert (len(corpus), corpus.token_count) == (sentences, tokens)
    if documents is not None:
        assert len(corpus.document_starts) == documents
    if chunks is not None:
        assert sum(len(spans(labels)) for labels in corpus.labels) == chunks


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_both_forms_of_the_treebank_agree(real_data, part):
    full = read_corpus(real_data / f"ud-ewt/en_ewt-ud-{part}.conllu.gz")
    short = read_corpus(real_data / f"ud-ewt/en_ewt-ud-{part}.tsv.gz", columns="word,xpos,upos", label="upos")
    assert full.words == short.words
    assert full.labels == short.labels
    assert full.column("xpos") == short.column("xpos")
    assert len(full.document_starts) > 100
