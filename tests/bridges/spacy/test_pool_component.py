"""The component tagpool_pool: pipelines and earlier components as experts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from tagpool import Corpus, InputError, StackedPool, UnsupervisedPool, VotePool, load
from tagpool.corpus.schemes import spans

Labels = list[list[str]]


def patterns(gold: Corpus, step: int, label: str | None = None) -> list[dict[str, Any]]:
    """Names of the gold spans of every few sentences."""
    return [
        {"label": label or span.type, "pattern": [{"ORTH": word} for word in words[span.start : span.end]]}
        for words, row in list(zip(gold.words, gold.labels, strict=True))[::step]
        for span in spans(row)
    ]


def ruler(names: list[dict[str, Any]]) -> spacy.Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(names)
    return nlp


@pytest.fixture(scope="session")
def lists(gold: Corpus, test_set: Corpus) -> dict[str, list[dict[str, Any]]]:
    return {"one": patterns(gold, 2) + patterns(test_set, 3), "two": patterns(gold, 3) + patterns(test_set, 2)}


def votes(names: list[dict[str, Any]], words: list[list[str]]) -> Labels:
    """Labels of a ruler, computed without the bridge."""
    nlp = ruler(names)
    rows = []
    for row in words:
        labels = ["O"] * len(row)
        for entity in nlp(Doc(nlp.vocab, row)).ents:
            labels[entity.start : entity.end] = [f"B-{entity.label_}"] + [f"I-{entity.label_}"] * (len(entity) - 1)
        rows.append(labels)
    return rows


@pytest.fixture(scope="session")
def pools(tmp_path_factory: pytest.TempPathFactory, gold: Corpus, lists: dict[str, Any]) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pools")
    predictions = {name: votes(names, gold.words) for name, names in lists.items()}
    labels = {label for row in gold.labels for label in row}
    fitted = {
        "stacked": StackedPool(l2=0.1).fit(predictions, gold),
        "unsupervised": UnsupervisedPool("dawid-skene").fit(predictions, words=gold, labels=labels),
        "votes": VotePool("majority", scheme="bio2").fit(predictions, gold),
    }
    for name, pool in fitted.items():
        pool.save(folder / f"{name}.pool")
    return {name: str(folder / f"{name}.pool") for name in fitted}


def pipeline(pool: str | None, lists: dict[str, Any], folder: Path, **config: Any) -> spacy.Language:
    """A pipeline in which one expert is an earlier component, and the other a pipeline in a folder."""
    nlp = ruler(lists["one"])
    ruler(lists["two"]).to_disk(folder / "two")
    experts = {"one": "doc.ents", "two": str(folder / "two")}
    nlp.add_pipe("tagpool_pool", config={"model": pool, "experts": experts, **config})
    return nlp


def entities(document: Doc) -> list[tuple[int, int, str]]:
    return [(one.start, one.end, one.label_) for one in document.ents]


@pytest.mark.parametrize("kind", ["stacked", "unsupervised", "votes"])
def test_labels_are_those_of_the_pool(kind: str, pools: dict[str, str], lists: dict[str, Any], test_set: Corpus, tmp_path: Path):
    nlp = pipeline(pools[kind], lists, tmp_path)
    documents = list(nlp.pipe(Doc(nlp.vocab, words) for words in test_set.words))
    predictions = {name: votes(names, test_set.words) for name, names in lists.items()}
    pool: Any = load(pools[kind])
    expected = pool.predict(predictions, words=test_set.words)
    assert [entities(document) for document in documents] == [spans(row) for row in expected]
    assert nlp.get_pipe("tagpool_pool").labels == ("LOC", "MISC", "ORG", "PER")
    scores = [one._.tagpool_score for document in documents for one in document.ents]
    assert len(scores) > 10
    assert all(0 <= score <= 1 for score in scores)
    if kind == "stacked":
        assert scores == [value for row in pool.predict_spans(predictions, words=test_set.words) for _, value in row]


def test_the_saved_pipeline_contains_pool_and_experts(
    pools: dict[str, str], lists: dict[str, Any], test_set: Corpus, tmp_path: Path
):
    (tmp_path / "x.pool").write_bytes(Path(pools["stacked"]).read_bytes())
    nlp = pipeline(str(tmp_path / "x.pool"), lists, tmp_path)
    texts = [" ".join(words) for words in test_set.words]
    expected = [entities(document) for document in nlp.pipe(texts)]
    nlp.to_disk(tmp_path / "saved")
    data, config = nlp.to_bytes(), nlp.config
    assert [entities(one) for one in nlp.pipe(texts, n_process=2, batch_size=9)] == expected
    shutil.rmtree(tmp_path / "two")
    (tmp_path / "x.pool").unlink()
    assert [entities(one) for one in spacy.load(tmp_path / "saved").pipe(texts)] == expected
    assert [entities(one) for one in spacy.blank("en").from_config(config).from_bytes(data).pipe(texts)] == expected


def test_types_are_renamed(pools: dict[str, str], gold: Corpus, lists: dict[str, Any], test_set: Corpus, tmp_path: Path):
    renamed = [{**one, "label": f"X{one['label']}"} for one in lists["one"]]
    mapping = {"one": {f"X{kind}": kind for kind in ("PER", "LOC", "ORG", "MISC")}}
    words = test_set.words
    plain = pipeline(pools["stacked"], lists, tmp_path)
    mapped = pipeline(pools["stacked"], {**lists, "one": renamed}, tmp_path, mapping=mapping)
    assert [entities(mapped(Doc(mapped.vocab, row))) for row in words] == [
        entities(plain(Doc(plain.vocab, row))) for row in words
    ]


def test_an_expert_must_be_set_before_the_pool(pools: dict[str, str], lists: dict[str, Any], tmp_path: Path):
    nlp = pipeline(pools["stacked"], lists, tmp_path)
    nlp.remove_pipe("entity_ruler")
    with pytest.raises(
        InputError, match=r"the expert 'one' reads doc\.ents, which a component before component 'tagpool_pool' does"
    ):
        nlp("Ann left")
    ruler([]).to_disk(tmp_path / "two")
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "tagpool_pool", config={"model": pools["stacked"], "experts": {"one": "doc.spans.k", "two": str(tmp_path / "two")}}
    )
    with pytest.raises(InputError, match=r"the expert 'one' reads doc\.spans\['k'\]"):
        nlp("Ann left")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"experts": {}}, "expected experts, got an empty table"),
        ({"experts": {"other": "doc.ents"}}, r"expected the experts of the pool \(one, two\), got other"),
        ({"mapping": {"three": {}}}, "mapping: there is no expert 'three'; the experts are one, two"),
        ({"annotates": "tag"}, "expected a model of tags"),
    ],
)
def test_errors_of_the_configuration(
    pools: dict[str, str], lists: dict[str, Any], tmp_path: Path, config: dict[str, Any], message: str
):
    with pytest.raises(InputError, match=message):
        pipeline(pools["stacked"], lists, tmp_path, **config)


def test_errors_of_files(models: dict[str, str], pools: dict[str, str], lists: dict[str, Any], tmp_path: Path):
    with pytest.raises(InputError, match=r"expected a pool of labels \(tagpool pool fit\), got a crf"):
        pipeline(models["ner"], lists, tmp_path)
    nlp = spacy.blank("en")
    nlp.add_pipe("tagpool_pool", config={"model": pools["stacked"], "experts": {"one": "no_such_pipeline"}})
    with pytest.raises(InputError, match="no_such_pipeline: spaCy cannot load this pipeline"):
        nlp("Ann left")
    with pytest.raises(InputError, match="component 'tagpool_pool': it has no model; name its file"):
        pipeline(None, lists, tmp_path)("Ann left")
