"""Every public function that takes sentences or labels gives equal results for every kind of iterable.

The functions are found by their annotations: a new one without a case here fails the first test.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import tagpool
from tagpool import (
    CRF,
    BaggingPool,
    Corpus,
    ElitistPool,
    GivenEncoder,
    InducingTagger,
    MaxEnt,
    OpinionPool,
    StackedPool,
    TwoStageTagger,
    UnsupervisedPool,
    VotePool,
)
from tagpool.compat import sklearn_crfsuite

# Parts of annotations of parameters that are sentences, labels or predictions.
MARKS = ("Sentences", "Labels", "LabelRows", "Predictions", "LabelSequences", "Iterable[Iterable", "Iterable[Any]")
TEMPLATES = "[a]\nword[-1..0]\n[b]\nword[1]\nshape[0]"
TRAIN = tagpool.builtin_corpus(40)
TEST = tagpool.builtin_corpus(10, part="test")
DOCUMENTS = Corpus.from_columns({"word": TRAIN.words, "label": TRAIN.labels}, documents=range(0, 40, 4))
FEATURES = [[[f"w={word}"] for word in words] for words in TRAIN.words]
EXPERTS = {"a": TRAIN.labels, "b": [["O"] * len(row) for row in TRAIN.labels], "c": [row[::-1] for row in TRAIN.labels]}


def object_array(rows: list[Any]) -> np.ndarray:
    array = np.empty(len(rows), dtype=object)
    array[:] = [np.array(row, dtype=object) if all(isinstance(item, str) for item in row) else row for row in rows]
    return array


def generate(rows: list[Any]) -> Iterator[Any]:
    yield from rows


KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "generator": generate,
    "map": lambda rows: map(list, rows),
    "map of tuples": lambda rows: map(tuple, rows),
    "iterators of iterators": lambda rows: map(iter, rows),
    "array": object_array,
}
Make = Callable[[list[Any]], Any]


def save(tagger: Any) -> Any:
    return [lattice.nodes.tolist() for lattice in tagger.lattices(TEST)] if tagger.has_probabilities else tagger.predict(TEST)


def fit_cases(learner: Callable[[], Any], *, weights: bool = True) -> Callable[[Make], Any]:
    def fit(make: Make) -> Any:
        more = {"sample_weight": generate([1.0] * len(TRAIN)) if make is not list else [1.0] * len(TRAIN)} if weights else {}
        dev = (make(TEST.words), make(TEST.labels))
        return save(learner().fit(make(TRAIN.words), make(TRAIN.labels), dev=dev, **more))

    return fit


FITTED: dict[str, Any] = {}


def quick_stack() -> StackedPool:
    return StackedPool(l2=1.0, folds=2, unsupervised=False)


def fitted(name: str) -> Any:
    if not FITTED:
        FITTED["CRF"] = CRF("word[-1..1]").fit(TRAIN)
        FITTED["MaxEnt"] = MaxEnt("word[0]").fit(TRAIN)
        FITTED["InducingTagger"] = InducingTagger("word[-1..1]").fit(TRAIN)
        FITTED["OpinionPool"] = OpinionPool([FITTED["CRF"], FITTED["MaxEnt"]])
        FITTED["BaggingPool"] = BaggingPool(CRF(TEMPLATES)).fit(TRAIN)
        FITTED["ElitistPool"] = ElitistPool("word[-1..1]", epochs=2).fit(TRAIN)
        FITTED["TwoStageTagger"] = TwoStageTagger(CRF("word[0]")).fit(DOCUMENTS)
        FITTED["VotePool"] = VotePool().fit(EXPERTS, TRAIN)
        FITTED["StackedPool"] = quick_stack().fit(EXPERTS, TRAIN)
        FITTED["UnsupervisedPool"] = UnsupervisedPool("dawid-skene").fit(EXPERTS)
    return FITTED[name]


TAGGERS = ("CRF", "MaxEnt", "InducingTagger", "OpinionPool", "BaggingPool", "ElitistPool", "TwoStageTagger")
CASES: dict[str, Callable[[Make], Any]] = {}
for _name in TAGGERS:
    for _method in ("predict", "predict_proba", "predict_marginals", "lattices"):
        if _name != "InducingTagger" or _method == "predict":
            CASES[f"{_name}.{_method}"] = lambda make, n=_name, m=_method: [
                getattr(row, "nodes", row) for row in getattr(fitted(n), m)(make(TEST.words))
            ]
    CASES[f"{_name}.score"] = lambda make, n=_name: fitted(n).score(make(TEST.words), make(TEST.labels))
CASES |= {
    "CRF.fit": fit_cases(lambda: CRF("word[-1..1]")),
    "MaxEnt.fit": fit_cases(lambda: MaxEnt("word[0]")),
    "InducingTagger.fit": fit_cases(lambda: InducingTagger("word[-1..1]")),
    "ElitistPool.fit": fit_cases(lambda: ElitistPool("word[-1..1]", epochs=2), weights=False),
    "BaggingPool.fit": fit_cases(lambda: BaggingPool(CRF(TEMPLATES))),
    "TwoStageTagger.fit": lambda make: (
        TwoStageTagger(CRF("word[0]")).fit(DOCUMENTS.with_labels(make(TRAIN.labels))).predict(TEST)
    ),
    "OpinionPool.fit": lambda make: (
        OpinionPool([fitted("CRF"), fitted("MaxEnt")], weights="likelihood")
        .fit(make(TEST.words), make(TEST.labels), dev=(make(TEST.words), make(TEST.labels)))
        .weights_
    ),
    "CRF.partial_fit": lambda make: save(CRF("word[0]").fit(TRAIN).partial_fit(make(TEST.words), make(TEST.labels))),
    "MaxEnt.partial_fit": lambda make: save(MaxEnt("word[0]").fit(TRAIN).partial_fit(make(TEST.words), make(TEST.labels))),
    "InducingTagger.partial_fit": lambda make: save(
        InducingTagger("word[0]").fit(TRAIN).partial_fit(make(TEST.words), make(TEST.labels))
    ),
    "CRF.scored": lambda make: fitted("CRF").scored(make(TEST.words)).nodes,
    "MaxEnt.scored": lambda make: fitted("MaxEnt").scored(make(TEST.words)).nodes,
    "TwoStageTagger.second_input": lambda make: fitted("TwoStageTagger").second_input(make(TEST.words)).columns,
    "Corpus.from_lists": lambda make: Corpus.from_lists(word=make(TEST.words), label=make(TEST.labels)).labels,
    "Corpus.from_columns": lambda make: Corpus.from_columns({"word": make(TEST.words)}, documents=iter([0, 2])).words,
    "Corpus.with_column": lambda make: TEST.with_column("copy", make(TEST.words)).column("copy"),
    "Corpus.with_labels": lambda make: TEST.with_labels(make(TEST.words)).labels,
    "GivenEncoder.fit": lambda make: GivenEncoder().fit(make(FEATURES), make(TRAIN.labels)).feature_names,
    "GivenEncoder.fit_transform": lambda make: GivenEncoder().fit_transform(make(FEATURES), make(TRAIN.labels)).labels,
    "GivenEncoder.transform": lambda make: GivenEncoder().fit(FEATURES).transform(make(FEATURES), make(TRAIN.labels)).ids,
    "partial_scores": lambda make: tagpool.partial_scores(make(TRAIN.labels), make(EXPERTS["b"]))["type"].f1,
    "span_confusion": lambda make: tagpool.span_confusion(make(TRAIN.labels), make(EXPERTS["b"])).rows(),
    "score": lambda make: tagpool.score(make(TRAIN.labels), make(EXPERTS["b"])).to_dict(),
    "VotePool.fit": lambda make: VotePool().fit(experts(make), make(TRAIN.labels), words=make(TRAIN.words)).weights_,
    "VotePool.predict": lambda make: fitted("VotePool").predict(experts(make), words=make(TRAIN.words)),
    "VotePool.predict_confidence": lambda make: fitted("VotePool").predict_confidence(experts(make), words=make(TRAIN.words)),
    "VotePool.predict_with_confidence": lambda make: fitted("VotePool").predict_with_confidence(experts(make))[0],
    "VotePool.mean_loss": lambda make: fitted("VotePool").mean_loss(experts(make), make(TRAIN.labels)),
    "VotePool.score": lambda make: fitted("VotePool").score(experts(make), make(TRAIN.labels)),
    "StackedPool.fit": lambda make: (
        quick_stack().fit(experts(make), make(TRAIN.labels), words=make(TRAIN.words), documents=[0, 1] * 20).fitted.f1
    ),
    "StackedPool.new_sentences": lambda make: fitted("StackedPool").new_sentences(experts(make), make(TRAIN.words), None).words,
    "UnsupervisedPool.fit": lambda make: (
        UnsupervisedPool(rounds=1, folds=2).fit(experts(make), words=make(TRAIN.words)).accuracy_
    ),
    "UnsupervisedPool.ballots": lambda make: fitted("UnsupervisedPool").ballots(experts(make), make(TRAIN.words)).votes,
    "choose_pool": lambda make: tagpool.choose_pool(
        experts(make), make(TRAIN.labels), words=make(TRAIN.words), l2=1.0, folds=2, unsupervised=False
    ).reason(),
    "distill": lambda make: save(
        tagpool.distill(
            fitted("UnsupervisedPool"), experts(make), make(TRAIN.words), gold=make(TRAIN.labels), tagger=CRF("word[0]")
        )
    ),
    "predictions_of": lambda make: tagpool.predictions_of({"crf": fitted("CRF"), "o": len_labels}, make(TEST.words)),
    "estimate_reliability": lambda make: tagpool.estimate_reliability(experts(make)).labels,
    "given features": lambda make: CRF().fit(make(FEATURES), make(TRAIN.labels)).predict(make(FEATURES)),
    "sklearn_crfsuite": lambda make: list(
        sklearn_crfsuite.CRF(max_iterations=5).fit(make(FEATURES), make(TRAIN.labels)).predict(make(FEATURES))
    ),
}

for _name in ("StackedPool", "UnsupervisedPool"):
    for _method in ("predict", "predict_with_confidence", "predict_spans", "lattices", "explain"):
        if hasattr(getattr(tagpool, _name), _method):
            CASES[f"{_name}.{_method}"] = lambda make, n=_name, m=_method: pooled(n, m, make)


def pooled(name: str, method: str, make: Make) -> Any:
    result = getattr(fitted(name), method)(experts(make), words=make(TRAIN.words))
    return [getattr(row, "nodes", row) for row in result] if isinstance(result, list) else str(result)


def experts(make: Make) -> dict[str, Any]:
    return {name: make(rows) for name, rows in EXPERTS.items()}


def len_labels(sentences: Iterable[list[str]]) -> list[list[str]]:
    return [["O"] * len(words) for words in sentences]


def public_functions() -> set[str]:
    """Names of public functions and methods with a parameter that is sentences, labels or predictions."""
    names = set()
    for name in tagpool.__all__:
        item = getattr(tagpool, name)
        members = {name: item} if inspect.isfunction(item) else {}
        if inspect.isclass(item):
            members = {f"{name}.{key}": getattr(item, key) for key in dir(item) if not key.startswith("_")}
        for full_name, member in members.items():
            function = inspect.unwrap(getattr(member, "__func__", member))
            if not inspect.isfunction(function):
                continue
            annotations = [str(one.annotation) for one in inspect.signature(function).parameters.values()]
            if any(mark in annotation for annotation in annotations for mark in MARKS):
                names.add(full_name)
    return names


def test_every_public_function_has_a_case() -> None:
    without = {"InducingTagger.lattices", "InducingTagger.predict_proba", "InducingTagger.predict_marginals"}  # errors
    without.add("StackedPool.fit_sentences")  # takes objects of its own
    functions = public_functions()
    assert len(functions) > 50
    assert sorted(functions - set(CASES) - without) == []


def as_plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [as_plain(item) for item in value]
    return value


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_iterable_gives_the_same_result(name: str) -> None:
    expected = as_plain(CASES[name](list))
    for kind, make in KINDS.items():
        assert as_plain(CASES[name](make)) == expected, kind


@pytest.mark.parametrize("name", TAGGERS)
def test_a_corpus_gives_the_same_result(name: str) -> None:
    tagger = fitted(name)
    for kind in (list, tuple, iter, generate):
        assert tagger.predict(TEST) == tagger.predict(kind(list(TEST))) == tagger.predict(TEST.words)
        assert tagger.score(TEST) == tagger.score(kind(list(TEST))) == tagger.score(TEST.words, TEST.labels)
