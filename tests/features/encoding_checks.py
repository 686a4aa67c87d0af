"""Random encodings, and their comparison with the slow encoder of tests/oracles."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
from hypothesis import strategies as st
from oracles import encoder as oracle
from strategies import corpora, loaded, plain_resources, template_sets

from tagpool.corpus.corpus import Corpus
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.features.template import TemplateSet

Sentences = list[dict[str, list[str]]]


def as_corpus(sentences: Sentences, **options: Any) -> Corpus:
    return Corpus.from_columns({name: [s[name] for s in sentences] for name in sentences[0]}, **options)


def rows_of(encoded: EncodedCorpus, names: list[str]) -> list[Counter[oracle.Feature]]:
    """The rows as names with values."""
    values = encoded.values.tolist() if encoded.values is not None else [1.0] * encoded.occurrence_count
    ids, starts = encoded.ids.tolist(), encoded.starts.tolist()
    assert len(ids) == len(values) == starts[-1]
    return [Counter((names[ids[i]], values[i]) for i in range(begin, end)) for begin, end in itertools.pairwise(starts)]


def counted(rows: list[list[oracle.Feature]]) -> list[Counter[oracle.Feature]]:
    return [Counter(row) for row in rows]


@st.composite
def cases(draw: st.DrawFn, *, history: bool = False) -> tuple[TemplateSet, Sentences, dict[str, Any]]:
    sentences = draw(corpora())
    pool = sorted({word for sentence in sentences for word in sentence["word"]})
    return draw(template_sets(history=history)), sentences, draw(plain_resources(pool))


def check_encoding(templates: TemplateSet, sentences: Sentences, plain: dict[str, Any]) -> None:
    """Fits, and compares rows, names, counts and descriptions with the oracle."""
    expected = oracle.encode(templates, sentences, plain)
    corpus = as_corpus(sentences)
    encoder = Encoder(templates, resources=loaded(plain, templates))
    encoded = encoder.fit_transform(corpus)
    names = encoder.feature_names
    assert len(set(names)) == len(names) == encoded.feature_count == encoder.feature_count
    assert rows_of(encoded, names) == counted(expected)
    assert Counter(dict(zip(names, encoder.feature_counts.tolist(), strict=True))) == oracle.counts(expected)
    described = [row for i in range(len(corpus)) for row in encoder.describe(corpus, i)]
    assert counted(described) == counted(expected)
    assert encoded.sentences.tolist() == np.cumsum([0] + [len(s["word"]) for s in sentences]).tolist()
    again = encoder.transform(corpus)
    assert np.array_equal(again.ids, encoded.ids)
    assert np.array_equal(again.starts, encoded.starts)
    assert (again.values is None) == (encoded.values is None)
    assert again.values is None or np.array_equal(again.values, encoded.values)
