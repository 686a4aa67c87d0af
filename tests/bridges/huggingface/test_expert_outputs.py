"""Pipelines and GLiNER models as experts: real outputs of a small random model, and outputs in their recorded forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tagpool import InputError, StackedPool, builtin_corpus, predictions_of
from tagpool.bridges.huggingface import from_gliner, from_pipeline

SENTENCES = [["Ann", "Lee", "left", "Oslo", "."], [], ["It", "rains"]]


def entity(kind: str, start: int, end: int, word: str, score: Any = 0.9) -> dict[str, Any]:
    return {"entity_group": kind, "score": score, "word": word, "start": start, "end": end}


def test_aggregated_and_single_pieces() -> None:
    groups = [[entity("PER", 0, 7, "Ann Lee", np.float32(0.9)), entity("LOC", 13, 17, "Oslo")], []]
    assert from_pipeline(lambda texts: groups)(SENTENCES) == [["B-PER", "I-PER", "O", "B-LOC", "O"], [], ["O", "O"]]
    names = [
        ("B-PER", "Ann", 0, 3),
        ("I-PER", "Le", 4, 6),
        ("I-PER", "##e", 6, 7),
        ("O", "left", 8, 12),
        ("B-LOC", "Oslo", 13, 17),
    ]
    pieces = [
        {"entity": kind, "index": index, "score": 0.5, "word": word, "start": start, "end": end}
        for index, (kind, word, start, end) in enumerate([*names, ("B-LOC", "Oslo", 13, 17)])
    ]
    assert from_pipeline(lambda texts: [pieces, []])(SENTENCES)[0] == ["B-PER", "I-PER", "O", "B-LOC", "O"]


def test_texts_and_options_are_passed() -> None:
    calls: list[Any] = []

    def pipeline(texts: list[str], **options: Any) -> list[list[Any]]:
        calls.append((texts, options))
        return [[] for _ in texts]

    assert from_pipeline(pipeline, batch_size=4)(SENTENCES)[2] == ["O", "O"]
    assert calls == [(["Ann Lee left Oslo .", "It rains"], {"batch_size": 4})]
    assert from_pipeline(pipeline)([[]]) == [[]]
    assert len(calls) == 1


class Gliner:
    """The interface of a GLiNER model."""

    def predict_entities(self, text: str, labels: list[str], threshold: float = 0.5) -> list[dict[str, Any]]:
        start = text.find("Oslo")
        if start < 0:
            return []
        return [{"start": start, "end": start + 4, "text": "Oslo", "label": labels[0], "score": threshold}]


def test_gliner() -> None:
    assert from_gliner(Gliner(), ["city"], threshold=0.3)(SENTENCES) == [["O", "O", "O", "B-city", "O"], [], ["O", "O"]]
    assert from_gliner(Gliner(), "city")(SENTENCES)[0][3] == "B-city"


def test_a_pool_of_pipelines() -> None:
    corpus = builtin_corpus(60)

    def titles(texts: list[str]) -> list[list[dict[str, Any]]]:
        return [[entity("PER", 0, len(text.split()[0]), text.split()[0])] if text[0].isupper() else [] for text in texts]

    experts = predictions_of({"titles": from_pipeline(titles), "cities": from_gliner(Gliner(), ["LOC"])}, corpus)
    assert len(StackedPool().fit(experts, corpus).predict(experts, words=corpus)) == 60


@pytest.mark.parametrize("output", [{}, [[]], None])
def test_a_wrong_number_of_outputs(output: Any) -> None:
    with pytest.raises(InputError, match="expected a list of entities for 2 sentences"):
        from_pipeline(lambda texts: output)(SENTENCES)


def test_refusals() -> None:
    with pytest.raises(InputError, match="expected a pipeline"):
        from_pipeline("dslim/bert")
    with pytest.raises(InputError, match="predict_entities"):
        from_gliner(object(), ["city"])
    with pytest.raises(InputError, match=r"outside the text|within the text"):
        from_pipeline(lambda texts: [[entity("PER", 0, 99, "Ann")], []])(SENTENCES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("strategy", ["none", "simple", "first"])
def test_a_pipeline_of_transformers(strategy: str, tmp_path: Any) -> None:
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    words = sorted({word.lower() for row in SENTENCES for word in row} - {"rains"} | {"ra", "##ins"})
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]))
    tokenizer = transformers.BertTokenizerFast(str(tmp_path / "vocab.txt"))
    torch.manual_seed(3)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    names = dict(enumerate(["O", "B-PER", "I-PER", "B-LOC"]))
    config = transformers.BertConfig(vocab_size=len(words) + 5, id2label=names, **size)
    model = transformers.BertForTokenClassification(config).eval()
    pipeline = transformers.pipeline("token-classification", model=model, tokenizer=tokenizer, aggregation_strategy=strategy)
    labels = from_pipeline(pipeline, batch_size=2)(SENTENCES)
    assert [len(row) for row in labels] == [5, 0, 2]
    entities = pipeline("Ann Lee left Oslo .")
    kinds = {one.get("entity_group", one.get("entity", "")[2:]) for one in entities}
    assert {label[2:] for label in labels[0] if label != "O"} == kinds != set()
