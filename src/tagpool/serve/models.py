"""Served models by name: loading, reloading, members and copies without feature groups."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tagpool.corpus.files import name_read_errors
from tagpool.errors import InputError, TagpoolError
from tagpool.experts.inside.removal import group_keys
from tagpool.experts.saving import fitted_templates, has_names
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.serve.forms import Form
from tagpool.serve.limits import RequestError, invalid
from tagpool.tagging.models import load_model

_FORMS = 8  # copies of a model that are in memory
MEMBER = "/"  # between the name of a pool and that of a member


class FileState(NamedTuple):
    """Facts that change with the content of a file."""

    modified: int
    size: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> FileState:
        """Return the state of a file."""
        with name_read_errors(str(path)):
            facts = path.stat()
        return cls(facts.st_mtime_ns, facts.st_size, facts.st_ino)


class ServedModel:
    """One version of a model. It does not change: a reload replaces it, and requests that use it are not disturbed."""

    def __init__(self, name: str, tagger: SequenceTagger, *, version: int = 1, path: Path | None = None) -> None:
        self.name = name
        self.tagger = tagger
        self.version = version
        self.path = path
        self.loaded = time.time()
        self.form = Form(tagger)
        self.members = _members(tagger)
        self.groups = _groups(tagger)
        self._forms: OrderedDict[tuple[str | None, tuple[str, ...]], Form] = OrderedDict()
        self._lock = threading.Lock()

    def ready_form(self, member: str | None, without: tuple[str, ...]) -> Form | None:
        """Return a form that is in memory; None if it must be built."""
        if member is None and not without:
            return self.form
        with self._lock:
            form = self._forms.get((member, without))
            if form is not None:
                self._forms.move_to_end((member, without))
            return form

    def build_form(self, member: str | None, without: tuple[str, ...]) -> Form:
        """Return a form; build it if it is not in memory, which may take a second for a large model."""
        form = self.ready_form(member, without)
        if form is not None:
            return form
        self.check(member, without)
        tagger = self.tagger if member is None else self.members[member]
        try:
            form = Form(tagger.without(*without) if without else tagger)
        except InputError as error:
            raise invalid(f'"without": {error.message}') from None
        with self._lock:
            self._forms[member, without] = form
            while len(self._forms) > _FORMS:
                self._forms.popitem(last=False)
        return form

    def check(self, member: str | None, without: Iterable[str]) -> None:
        """Raise an error for a member or groups that the model does not have."""
        if member is not None and member not in self.members:
            known = ", ".join(f"{self.name}{MEMBER}{one}" for one in self.members) or "none"
            raise RequestError(404, "unknown_model", f"the model {self.name} has no member {member!r:.80}; its members: {known}")
        for group in without:
            if group not in self.groups:
                known = ", ".join(self.groups) or "none that can be switched off"
                raise invalid(f'"without": the model {self.name} has no feature group {group!r:.80}; its groups: {known}')

    def to_dict(self) -> dict[str, Any]:
        """Return facts about the model as a JSON value."""
        return {
            "name": self.name,
            "version": self.version,
            "kind": self.tagger.kind,
            "labels": list(self.form.labels),
            "columns": list(self.form.columns),
            "confidence": self.form.has_probabilities,
            "members": [f"{self.name}{MEMBER}{member}" for member in self.members],
            "groups": self.groups,
            "loaded": round(self.loaded, 3),
        }


class Models:
    """The served models. Look-ups are safe in any thread: a reload replaces one entry of a dict."""

    def __init__(
        self,
        models: Iterable[ServedModel],
        resources: Mapping[str, Any] | None = None,
        states: Mapping[str, FileState] | None = None,
    ) -> None:
        self._models = {model.name: model for model in models}
        self._resources = resources
        self._states = dict(states or {})
        self._changing: dict[str, FileState] = {}
        self._reloading = threading.Lock()

    @classmethod
    def load(
        cls,
        paths: Mapping[str, Path],
        resources: Mapping[str, Any] | None = None,
        others: Iterable[ServedModel] = (),
    ) -> Models:
        """Load model files by name; ``others`` are models without a file."""
        others = list(others)
        for model in others:
            if model.name in paths:
                raise InputError(f"two models have the name {model.name!r}; name the file, such as other={paths[model.name]}")
        states = {name: FileState.of(path) for name, path in paths.items()}  # before: a change while loading is seen later
        served = [ServedModel(name, _load(path, resources), path=path) for name, path in paths.items()]
        return cls([*served, *others], resources, states)

    def __iter__(self) -> Any:
        return iter(list(self._models.values()))

    def __len__(self) -> int:
        return len(self._models)

    @property
    def default(self) -> ServedModel:
        """The first model."""
        model: ServedModel = next(iter(self))
        return model

    def find(self, name: str | None) -> tuple[ServedModel, str | None]:
        """Return the model of a name, and the name of a member (after a slash); the first model without a name."""
        if name is None:
            return self.default, None
        model, slash, member = name.partition(MEMBER)
        if model not in self._models:
            known = ", ".join(self._models)
            raise RequestError(404, "unknown_model", f"there is no model {model!r:.80}; the models are {known}")
        return self._models[model], member if slash else None

    def reload(self, *, changed_only: bool = False) -> list[tuple[str, str | None]]:
        """Load the files again; return the name of each reloaded model, with the reason if it failed.

        A model that fails to load stays as it is. With ``changed_only``, only files are loaded that changed since the last load
        and did not change since the last call, so that a file is read after it was written.
        """
        with self._reloading:
            results: list[tuple[str, str | None]] = []
            for model in self:
                if model.path is None:
                    continue
                try:
                    state = FileState.of(model.path)
                except TagpoolError as error:
                    if not changed_only:
                        results.append((model.name, str(error)))
                    continue
                if changed_only and (state == self._states[model.name] or self._is_changing(model.name, state)):
                    continue
                self._states[model.name] = state
                results.append((model.name, self._reload_one(model)))
            return results

    def _is_changing(self, name: str, state: FileState) -> bool:
        before = self._changing.get(name)
        self._changing[name] = state
        return before != state

    def _reload_one(self, model: ServedModel) -> str | None:
        assert model.path is not None
        try:
            tagger = _load(model.path, self._resources)
            self._models[model.name] = ServedModel(model.name, tagger, version=model.version + 1, path=model.path)
        except TagpoolError as error:
            return str(error)
        return None


def name_models(arguments: Iterable[str]) -> dict[str, Path]:
    """Return the paths of models by name; an argument is a path, named by its file, or NAME=PATH.

    >>> name_models(["models/ner.tagpool", "news=b.tagpool"])
    {'ner': PosixPath('models/ner.tagpool'), 'news': PosixPath('b.tagpool')}
    """
    paths: dict[str, Path] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals or Path(argument).exists():
            name, path = Path(argument).stem, argument
        if not name or not path or MEMBER in name or not name.isprintable():
            raise InputError(f"{argument}: expected a model file or NAME=FILE, with a name of visible characters without /")
        if name in paths:
            raise InputError(f"{argument}: two models have the name {name!r}; name one of them, such as other={path}")
        paths[name] = Path(path)
    return paths


def _load(path: Path, resources: Mapping[str, Any] | None) -> SequenceTagger:
    tagger: SequenceTagger = load_model(path, templates=True, resources=resources)
    return tagger


def _members(tagger: SequenceTagger) -> dict[str, SequenceTagger]:
    """Return the members of a pool by name, without those that read the labels of others."""
    names = getattr(tagger, "names_", ())
    columns = set(tagger.columns) | {"word"}
    return {name: member for name, member in zip(names, tagger.members_, strict=False) if set(member.columns) <= columns}


def _groups(tagger: SequenceTagger) -> list[str]:
    """Return the feature groups (bags of the templates) that can be switched off."""
    taggers = tagger.single_taggers()
    try:
        bags = dict.fromkeys(bag for one in taggers for template in fitted_templates(one) for bag in template.bags)
        group_keys(taggers, list(bags))
    except InputError:
        return []
    return list(bags) if all(_allows_removal(one) for one in taggers) else []


def _allows_removal(tagger: Any) -> bool:
    return bool(tagger.has_probabilities) and has_names(tagger) and not getattr(tagger._fitted(), "has_history", False)
