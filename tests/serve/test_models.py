"""Served models: names, members, copies without feature groups, and reloads."""

from __future__ import annotations

from pathlib import Path

import pytest
from serve.served import names_tagger, other_tagger, replace_file, served_models

from tagpool import CRF, InducingTagger, InputError, StackedPool, builtin_corpus, predictions_of
from tagpool.serve.limits import RequestError
from tagpool.serve.models import Models, ServedModel, name_models

WORDS = [["Ann", "Smith", "LEFT"]]


def test_names_of_models() -> None:
    for arguments in (["=a"], ["a="], ["a/b=c"], ["a\n=c"], ["x/a.tagpool", "y/a.tagpool"]):
        with pytest.raises(InputError):
            name_models(arguments)


def test_a_file_whose_name_has_an_equals_sign(tmp_path: Path) -> None:
    path = tmp_path / "l2=1.tagpool"
    names_tagger().save(path)
    assert name_models([str(path)]) == {"l2=1": path}


def test_copies_without_groups_are_stored_and_the_oldest_is_dropped() -> None:
    bags = "".join(f"[g{number}]\nword[{number}]\n" for number in range(10))
    model = ServedModel("many", CRF(bags).fit(builtin_corpus(20)))
    first = model.build_form(None, ("g0",))
    assert model.ready_form(None, ("g0",)) is first
    assert model.ready_form(None, ("g1",)) is None
    for number in range(1, 9):
        model.build_form(None, (f"g{number}",))
    assert model.ready_form(None, ("g0",)) is None
    assert model.ready_form(None, ("g8",)) is not None


def test_groups_that_cannot_be_switched_off_are_not_offered() -> None:
    inducing = InducingTagger("[a]\nword[0]").fit(builtin_corpus(30))
    assert ServedModel("x", inducing).groups == []
    history = CRF("[a]\nword[0]\nlabel[-1] & word[0]").fit(builtin_corpus(30))
    assert ServedModel("x", history).groups == []
    with pytest.raises(RequestError, match="none that can be switched off"):
        ServedModel("x", inducing).build_form(None, ("a",))


def test_a_model_without_names_of_features_has_no_groups(tmp_path: Path) -> None:
    names_tagger().save(tmp_path / "a.tagpool", names=False)
    assert Models.load({"a": tmp_path / "a.tagpool"}).default.groups == []


def test_members_tag_alone() -> None:
    pool = served_models()[2]
    for number, tagger in enumerate((names_tagger(), other_tagger()), 1):
        form = pool.build_form(f"member {number}", ())
        assert form.fast.predict(WORDS) == tagger.predict(WORDS)


def test_a_pool_of_experts_is_refused(tmp_path: Path) -> None:
    gold = builtin_corpus(60)
    pool = StackedPool().fit(predictions_of({"a": other_tagger()}, gold), gold)
    pool.save(tmp_path / "a.tagpool")
    with pytest.raises(InputError, match="tagpool pool apply"):
        Models.load({"a": tmp_path / "a.tagpool"})


def test_reload_of_changed_files_only(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.tagpool" for name in ("a", "b")}
    for path in paths.values():
        names_tagger().save(path)
    models = Models.load(paths)
    before = {model.name: model for model in models}
    assert models.reload(changed_only=True) == []
    replace_file(paths["b"], other_tagger())
    assert models.reload(changed_only=True) == []  # the file may still be written
    assert models.reload(changed_only=True) == [("b", None)]
    assert models.reload(changed_only=True) == []
    assert models.find("a")[0] is before["a"]
    assert models.find("b")[0].version == 2
    assert models.find("b")[0].form.fast.predict(WORDS) == other_tagger().predict(WORDS)
    assert before["b"].form.fast.predict(WORDS) == names_tagger().predict(WORDS)  # for requests that run
    assert models.reload() == [("a", None), ("b", None)]


def test_a_model_without_a_file_is_not_reloaded() -> None:
    models = Models([ServedModel("a", names_tagger())])
    assert models.reload() == []
