"""Keys of a configuration: the sections, the keys of a learner, and the nearest key to an unknown one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.parameters import Parameter, Parameters, declare_parameters, parameter

if TYPE_CHECKING:
    import difflib
else:
    difflib = LazyModule("difflib")

Key = tuple[str, ...]
KIND = "kind"
SECTIONS = {
    "learner": "learner.trainer.epochs=20",
    "data": "data.encoding=latin-1",
    "features": "features.min_count=2",
    "output": "output.size=small",
}
"""The sections of a configuration, each with an example of a key."""

FEATURES = ("templates", "min_count", "resources")
"""Parameters of learners whose keys are in the section ``features``."""

OTHER_NAMES: dict[str, Key] = {
    "from": ("data", "start"),
    "features": ("features", "templates"),
    "learner": ("learner", KIND),
    "resources": ("features", "use"),
}
"""Options and parameters whose key has another name."""


@declare_parameters
class DataOptions(Parameters):
    """The section ``data``: the files to learn from and their format."""

    train: Sequence[str] | str | None = parameter(default=None, help="Files, folders or patterns to learn from, as one corpus.")
    dev: Sequence[str] | str | None = parameter(
        default=None, help="Held-out sentences: training stops when their F1 stops rising."
    )
    start: str | None = parameter(default=None, help="Model to continue from; new labels and features are added to it.")
    columns: str | None = parameter(default=None, help="Names of the columns of a CoNLL file, such as word,pos,chunk,label.")
    label: str | None = parameter(default=None, help="Column that holds the labels.")
    format: str | None = parameter(default=None, help="Format of the files; guessed from their names if not given.")
    encoding: str = parameter(default="utf-8", help="Encoding of the files.")
    memory: str | None = parameter(
        default=None, help="Memory budget of the training, such as 2G: encoded sentences are in a temporary file."
    )


@declare_parameters
class FeatureOptions(Parameters):
    """The keys of the section ``features`` that are not parameters of the learner."""

    use: Mapping[str, str] | None = parameter(
        default=None, help="File or folder of each resource that the templates use, by name."
    )
    without: Sequence[str] | str | None = parameter(default=None, help="Resources whose templates are removed.")


@declare_parameters
class OutputOptions(Parameters):
    """The section ``output``: the model file and its content."""

    model: str | None = parameter(default=None, help="File of the model.")
    log: str | None = parameter(default=None, help="File that receives every epoch as one line of JSON.")
    merge: bool = parameter(default=False, help="Merge the members of a pool into one model: same labels, the speed of one.")
    size: str = parameter(default="full", choices=("full", "small"), help="small: half precision, no weights up to 0.01.")
    names: bool = parameter(default=True, help="Store the names of features, which inspection and continued training need.")
    resources: bool = parameter(default=True, help="Store resources in the model; otherwise their names and checksums.")


def nested_sections(path: Key, kind: str, declared: type[Parameters]) -> Iterator[tuple[Key, str, type[Parameters]]]:
    """Yield the path, kind and class of an object and of its nested objects with their default kinds, outermost first."""
    yield path, kind, declared
    for name, nested in declared.parameters().items():
        if nested.kinds is not None:
            kinds = nested.kinds()
            inner = default_kind(nested, kinds)
            yield from nested_sections((*path, name), inner, kinds[inner])


def template_owner(declared: type[Parameters]) -> type[Parameters] | None:
    """Return the class that has the templates: the learner, or one nested in it."""
    classes = (nested for _, _, nested in nested_sections((), "", declared))
    return next((owner for owner in classes if "templates" in owner.parameters()), None)


def default_kind(declared: Parameter, kinds: Mapping[str, Any]) -> str:
    """Return the kind of a nested object that is not configured."""
    return declared.default if isinstance(declared.default, str) else next(iter(kinds))


def all_keys(declared: type[Parameters], table: Mapping[str, Any]) -> list[Key]:
    """Return every key of a configuration with this learner; ``table`` has its values, such as the kind of its trainer."""
    features = [] if template_owner(declared) is None else ["templates", "min_count", *FeatureOptions.parameters()]
    sections = {"data": DataOptions.parameters(), "features": features, "output": OutputOptions.parameters()}
    return [*object_keys(("learner",), declared, table), *((name, key) for name, keys in sections.items() for key in keys)]


def object_keys(path: Key, declared: type[Parameters], table: Mapping[str, Any]) -> Iterator[Key]:
    """Yield the keys of an object and of its nested objects, which have the kinds of ``table``."""
    yield (*path, KIND)
    for name, nested in declared.parameters().items():
        if nested.kinds is None:
            if name not in FEATURES:
                yield (*path, name)
            continue
        kinds, inner = nested.kinds(), table.get(name)
        values = inner if isinstance(inner, Mapping) else {}
        kind = str(values.get(KIND))
        yield from object_keys((*path, name), kinds[kind if kind in kinds else default_kind(nested, kinds)], values)


def nearest_key(path: Key, keys: Collection[Key], least: float = 0.6) -> Key | None:
    """Return the key whose name is nearest to that of an unknown key; one of the same table has priority.

    >>> keys = [("data", "train"), ("data", "start"), ("learner", "kind"), ("learner", "trainer", "epochs")]
    >>> nearest_key(("learner", "epoch"), keys), nearest_key(("data", "from"), keys), nearest_key(("learner", "speed"), keys)
    (('learner', 'trainer', 'epochs'), ('data', 'start'), None)
    """
    if OTHER_NAMES.get(path[-1]) in keys:
        return OTHER_NAMES[path[-1]]

    def likeness(key: Key) -> float:
        names = key[-2:] if key[-1] == KIND and len(key) > 2 else key[-1:]  # learner.trainer is learner.trainer.kind
        return max(difflib.SequenceMatcher(None, name, path[-1]).ratio() for name in names)

    near = [key for key in keys if likeness(key) >= (least if key[:-1] == path[:-1] else max(least, 0.8))]
    return max(near, key=lambda key: (likeness(key) == 1, key[:-1] == path[:-1], likeness(key), -len(key)), default=None)
