"""A value of a wrong type ends with an error of the package that says what is expected, for everything public."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tagpool
from tagpool import CRF, BaggingPool, ElitistPool, InducingTagger, MaxEnt, OpinionPool, TagpoolError, TwoStageTagger, VotePool

WRONG: list[Any] = [
    *(None, True, 7, 3.5, b"a", "no such", "", object(), int),
    *([], ["a"], [1], [None], [["a"]], [[1]], [None, []], (1, 2), {1}),
    *({}, {"a": 1}, {1: 2}, {"a": ["b"]}, {"a": [1]}, {"a": None}),
]
# Parts of files, which their readers check.
INTERNAL = {"restore", "from_file", "from_json", "from_dict", "continued"}
HELPFUL = re.compile(r"expected|unknown|there is no such|needs|neither|got|must|not fitted|no |continue with|failed|has", re.I)


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield public functions, constructors and class methods that take a value."""
    for name in tagpool.__all__:
        thing = getattr(tagpool, name)
        if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
            continue
        yield name, thing
        if inspect.isclass(thing):
            for inner, member in vars(thing).items():
                if isinstance(member, (classmethod, staticmethod)) and not inner.startswith("_") and inner not in INTERNAL:
                    yield f"{name}.{inner}", getattr(thing, inner)


def check(function: Callable[..., Any], value: Any) -> None:
    """Call a function with a value for all its arguments; it may accept the value."""
    parameters = inspect.signature(function).parameters.values()
    needed = [one for one in parameters if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if not positional:
        return
    message = None
    try:
        function(value, **{one.name: value for one in needed if one is not positional[0]})
    except TagpoolError as error:
        message = str(error)
    assert message is None or (HELPFUL.search(message) and "object has no attribute" not in message), message


@pytest.mark.parametrize(("name", "function"), [*public_functions()], ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.filterwarnings("ignore")
def test_functions_and_constructors(name: str, function: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some values are names of files to write
    for value in WRONG:
        check(function, value)


def fitted() -> Iterator[Any]:
    corpus = tagpool.builtin_corpus(30)
    corpus = tagpool.Corpus.from_columns({"word": corpus.words, "label": corpus.labels}, documents=range(0, 30, 5))
    few = tagpool.SGD(epochs=1)
    yield CRF("word[0]", trainer=few).fit(corpus)
    yield MaxEnt("word[0]", trainer=few).fit(corpus)
    yield InducingTagger("word[0]", epochs=1).fit(corpus)
    yield OpinionPool([CRF("word[0]", trainer=few).fit(corpus)] * 2, weights="dev").fit(corpus)
    yield BaggingPool(CRF("word[0]\n[a]\nword[1]", trainer=few)).fit(corpus)
    yield ElitistPool("word[0]", experts=2, epochs=1).fit(corpus)
    yield TwoStageTagger(CRF("word[0]", trainer=few)).fit(corpus)
    yield VotePool().fit({"a": corpus.labels, "b": [["O"] * len(row) for row in corpus.labels]}, corpus.labels)
    yield tagpool.Encoder("word[0]").fit(corpus)
    yield tagpool.GivenEncoder().fit([[["a"]]], [["X"]])
    yield corpus
    yield tagpool.TagCounts()


METHODS = """
fit partial_fit predict predict_proba score lattices explain top_features without save transform fit_transform
predict_with_confidence mean_loss select split fold_numbers with_labels with_columns column add add_training write
"""


@pytest.mark.parametrize("thing", [*fitted()], ids=lambda thing: type(thing).__name__)
@pytest.mark.filterwarnings("ignore")
def test_methods(thing: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for method in (getattr(thing, name) for name in re.findall(r"\w+", METHODS) if hasattr(thing, name)):
        for value in WRONG:
            check(method, value)


def test_a_list_in_place_of_a_gazetteer() -> None:
    with pytest.raises(
        tagpool.ResourceError, match=r"expected a dict of lists of phrases, got list; give each list a name, such as"
    ):
        tagpool.Gazetteer(["Oslo"])  # type: ignore[arg-type]
    with pytest.raises(
        tagpool.ResourceError, match=r"expected a dict of words and their classes, got list; .*Clusters.read\(path\)"
    ):
        tagpool.Clusters(["Oslo"])  # type: ignore[arg-type]
