"""Configuration of a training: TOML files, ``--set KEY=VALUE``, and objects created from the declared parameters.

The keys follow from the declarations of parameters: ``learner.trainer.epochs`` is the parameter ``epochs`` of the learner's
trainer. A nested object has a table of its own with the key ``kind``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tagpool.config_keys import FEATURES, KIND, SECTIONS, Key, all_keys, default_kind, nearest_key, object_keys
from tagpool.errors import InputError
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.parameters import Parameter, Parameters

if not TYPE_CHECKING:
    difflib, tomllib = LazyModule("difflib"), LazyModule("tomllib" if sys.version_info >= (3, 11) else "tomli")
elif sys.version_info >= (3, 11):
    import difflib

    import tomllib
else:
    import difflib

    import tomli as tomllib

Table = dict[str, Any]
NONE = "none"
HIDDEN = ("threads", "warm_start")
"""Parameters that a stored configuration omits: the model does not depend on them, or ``--from`` implies them."""


Convert = Callable[[Any, Mapping[str, Any]], Any]
"""A function from the value of a key, and the other arguments, to the constructor's argument."""


class Settings:
    """Configuration values from several sources; a later source has priority over an earlier one.

    ``learners`` are the classes by kind; ``convert`` has functions for keys whose values are not the constructor's arguments.
    ``keys`` are all keys of a configuration without learners.

    >>> settings = Settings({}, {})
    >>> settings.add("run.toml", {"learner": {"l2": 0.5, "seed": 2}})
    >>> settings.add("--set", parse_setting("learner.l2=0.1"))
    >>> settings.table(("learner",)), settings.origin(("learner", "seed"))
    ({'l2': 0.1, 'seed': 2}, 'run.toml')
    """

    def __init__(
        self, learners: Mapping[str, type[Parameters]], convert: Mapping[str, Convert], keys: Collection[Key] = ()
    ) -> None:
        self.learners = learners
        self.keys = keys
        self.convert = convert
        self._sources: list[tuple[str, Table]] = []

    def add(self, origin: str, table: Table) -> None:
        """Add a source; ``origin`` names it in error messages."""
        self._sources.append((origin, table))

    def add_assignments(self, texts: Iterable[str], sections: Mapping[str, str] = SECTIONS) -> None:
        """Add ``--set KEY=VALUE`` options; a key that is given twice is an error."""
        assigned: dict[str, str] = {}
        for text in texts:
            key = ".".join(part.strip() for part in text.partition("=")[0].split("."))
            if key in assigned:
                raise InputError(f"--set {key} is given twice, as {assigned[key]!r} and as {text!r}; give it once")
            assigned[key] = text
            self.add("--set", parse_setting(text, sections))

    def add_first(self, origin: str, table: Table) -> None:
        """Add a source without priority over any other."""
        self._sources.insert(0, (origin, table))

    def table(self, path: Key) -> Table:
        """Return the merged values below a path."""
        merged: Table = {}
        for origin, source in self._sources:
            value = _find(source, path)
            if value is not None and not isinstance(value, dict):
                advice = f"set {'.'.join(path)}.kind" if path[0] == "learner" else "set its keys"
                raise InputError(f"{'.'.join(path)} = {value!r}: expected a table; {advice}", source=origin)
            _merge(merged, value or {})
        return merged

    def origin(self, path: Key) -> str | None:
        """Return the last source that sets a key."""
        return next((origin for origin, source in reversed(self._sources) if _find(source, path) is not None), None)

    def error(self, path: Key, problem: str) -> InputError:
        """Return an error about a key, with the source that sets it."""
        value = _find(self.table(path[:-1]), path[-1:])
        shown = "" if value is None or isinstance(value, dict) else f" = {value!r}"
        return InputError(f"{'.'.join(path)}{shown}: {problem}", source=self.origin(path))

    def options(self, section: str, declared: type[Parameters], also: Sequence[str] = ()) -> Any:
        """Return the values of a section; keys in ``also`` belong to another class."""
        self.check_keys((section,), [*declared.parameters(), *also])
        values = {key: value for key, value in self.table((section,)).items() if key not in also}
        for key, value in values.items():
            self.check_value((section, key), declared.parameters()[key], value)
        return declared(**values)

    def check_value(self, path: Key, declared: Parameter, value: Any) -> None:
        """Raise an error for an invalid value of a key, in terms of TOML."""
        if declared.problem(value) is not None:
            no_default = declared.required or declared.default is None
            default = "" if no_default else f"; the default is {declared.default!r}"
            raise self.error(path, declared.native_problem(value) or f"expected {_expected(declared)}{default}")

    def check_keys(self, path: Key, keys: Collection[str]) -> None:
        """Raise an error for a key below a path that does not exist."""
        for key in self.table(path):
            if key not in keys:
                raise self.error((*path, key), self._advice((*path, key), [(*path, name) for name in keys]))

    def kind(self, path: Key, kinds: Mapping[str, Any], default: str) -> str:
        """Return the kind of the object at a path."""
        kind = self.table(path).get(KIND, default)
        if not isinstance(kind, str) or kind not in kinds:
            raise self.error((*path, KIND), f"expected one of {', '.join(kinds)}")
        return kind

    def values(self, path: Key, declared: type[Parameters], inherited: Mapping[str, Any]) -> Table:
        """Return the constructor's arguments of the class at a path, with nested objects created.

        ``inherited`` are values that apply unless the table sets them, such as the seed and the templates.
        """
        parameters = declared.parameters()
        values: Table = {name: value for name, value in inherited.items() if name in parameters}
        table = self.table(path)
        nested = {name for name, parameter in parameters.items() if parameter.kinds is not None}
        for key in (*table, *(name for name in nested if name not in table and parameters[name].required)):
            if key == KIND:
                continue
            if key not in parameters or key in FEATURES:
                raise self.error((*path, key), self._advice((*path, key), [*object_keys(path, declared, table)]))
            if key in nested:
                values[key] = self._nested((*path, key), parameters[key], {**inherited, **values})
                continue
            value = None if table[key] == NONE and "str" not in parameters[key].types else table[key]
            if key in self.convert:
                value = self.convert[key](value, {**inherited, **values, **table})
            self.check_value((*path, key), parameters[key], value)
            values[key] = value
        return values

    def _advice(self, path: Key, own: Sequence[Key]) -> str:
        """Return advice for an unknown key: the nearest of the keys ``own`` of its table and of all others."""
        table, name = path[:-1], path[-1]
        if not table and (section := difflib.get_close_matches(name, [key[0] for key in own], 1, cutoff=0.8)):
            return f"unknown key; did you mean {section[0]!r}?"
        others = [key for key in self._keys() if key[: len(table)] != table or not table]
        keys = [*own, *others] if table else others
        kinds = [kind for kind, learner in self.learners.items() if name in learner.parameters()]
        near = nearest_key(path, keys, 0.8 if kinds else 0.6)
        if near is not None:
            return f"unknown key; did you mean {'.'.join(near)}?"
        if kinds:
            return f"unknown key of this learner; {' and '.join(kinds)} {'has' if len(kinds) == 1 else 'have'} it"
        return f"unknown key; expected one of {', '.join(dict.fromkeys(key[len(table)] for key in own))}"

    def _keys(self) -> list[Key]:
        """Return the keys of all sections."""
        if not self.learners:
            return [*self.keys]
        table = self.table(("learner",))
        kind = str(table.get(KIND))
        return all_keys(self.learners[kind if kind in self.learners else next(iter(self.learners))], table)

    def _nested(self, path: Key, declared: Parameter, inherited: Mapping[str, Any]) -> Any:
        assert declared.kinds is not None
        kinds = declared.kinds()
        chosen = kinds[self.kind(path, kinds, default_kind(declared, kinds))]
        return chosen(**self.values(path, chosen, inherited))


def _find(table: Any, path: Key) -> Any:
    for key in path:
        if not isinstance(table, dict) or key not in table:
            return None
        table = table[key]
    return table


def _merge(into: Table, table: Table) -> None:
    if KIND in table and into.get(KIND, table[KIND]) != table[KIND]:
        into.clear()  # the keys of another kind do not apply
    for key, value in table.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = dict(value) if isinstance(value, dict) else value


_TOML_WORDS = {
    "bool": "true or false",
    "Sequence[str]": "a list of text",
    "Sequence[float]": "a list of numbers",
    "Sequence[Any]": "a list of model files",
    "Mapping[str, str]": "a table of text",
    "Mapping[str, float]": "a table of numbers",
    "Mapping[str, Sequence[str]]": "a table of lists",
    "BagScheme": "a scheme such as 'random:3'",
    "TemplateSet": "",
    "Path": "",
}


def _expected(declared: Parameter) -> str:
    settable = declared.default is not None and "str" not in declared.types
    return declared.expected({**_TOML_WORDS, "None": repr(NONE) if settable else ""})


def read_config(path: str | Path) -> Table:
    """Read a TOML file."""
    try:
        return parse_config(Path(path).read_text(encoding="utf-8"), path)
    except FileNotFoundError:
        raise InputError("there is no such file", source=path) from None
    except OSError as error:
        raise InputError(f"unreadable: {error.strerror}", source=path) from None
    except UnicodeDecodeError as error:
        raise InputError(f"not TOML: {error}", source=path) from None


def parse_config(text: str, source: str | Path) -> Table:
    """Parse a configuration in TOML; ``source`` is its name in messages.

    >>> parse_config("[learner]\\nl2 = 0.5", "run.toml")
    {'learner': {'l2': 0.5}}
    """
    try:
        return dict(tomllib.loads(text))
    except RecursionError:
        raise InputError("not TOML: values are nested too deeply", source=source) from None
    except ValueError as error:  # also a number of thousands of digits
        raise InputError(f"not TOML: {error}", source=source) from None


def parse_setting(text: str, sections: Mapping[str, str] = SECTIONS) -> Table:
    """Parse ``SECTION.KEY=VALUE``: the value is TOML, and text that is not TOML is a string.

    >>> parse_setting("learner.trainer.kind=lbfgs"), parse_setting("learner.l2=0.5")
    ({'learner': {'trainer': {'kind': 'lbfgs'}}}, {'learner': {'l2': 0.5}})
    """
    key, equals, value = text.partition("=")
    path = [part.strip() for part in key.split(".")]
    if not equals or not all(path):
        raise InputError(f"--set {text}: expected KEY=VALUE, such as --set {next(iter(sections.values()))}")
    if key in sections:
        raise InputError(f"--set {text}: {key} is a section; set one of its keys, such as --set {sections[key]}")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):  # not TOML, a number of thousands of digits, or nested deeply
        parsed = value
    for part in reversed(path):
        parsed = {part: parsed}
    return dict(parsed)


def to_toml(table: Mapping[str, Any]) -> str:
    """Write nested tables as TOML.

    >>> print(to_toml({"learner": Section(kind="crf", l2=1.0, trainer=Section(kind="sgd"))}), end="")
    [learner]
    kind = "crf"
    l2 = 1.0
    <BLANKLINE>
    [learner.trainer]
    kind = "sgd"
    """
    return "\n".join(_sections(table, ()))


def _sections(table: Mapping[str, Any], path: Key) -> Iterator[str]:
    lines = [f"{_key(key)} = {toml_value(value)}" for key, value in table.items() if not isinstance(value, Section)]
    if path and (lines or not table):
        yield f"[{'.'.join(map(_key, path))}]\n" + "".join(f"{line}\n" for line in lines)
    for key, value in table.items():
        if isinstance(value, Section):
            yield from _sections(value, (*path, key))


class Section(dict[str, Any]):
    """A table that is written with a header of its own."""


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else toml_value(key)


def toml_value(value: Any) -> str:
    """Return a value as TOML.

    >>> toml_value("a\\nb"), toml_value({"O": 0.5}), toml_value([1, 2.0, True])
    ('"a\\\\nb"', '{O = 0.5}', '[1, 2.0, true]')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(str(key))} = {toml_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    text = str(value)
    if text.count("\n") > 1 and "'''" not in text and not any(ord(c) < 32 and c not in "\n\t" for c in text):
        return f"'''\n{text}'''"
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # the strings of JSON, but for this character


def describe(learner: Parameters, kind: str) -> Section:
    """Return all parameters of an object as a table: values that TOML has no form for are omitted."""
    table = Section({KIND: kind})
    for name, declared in learner.parameters().items():
        value = getattr(learner, name)
        if name in (*HIDDEN, *FEATURES):
            continue
        if declared.kinds is not None:
            kinds = declared.kinds()
            nested = kinds[value]() if isinstance(value, str) else value
            if kind_of_value := [kind for kind, nested_class in kinds.items() if type(nested) is nested_class]:
                table[name] = describe(nested, kind_of_value[0])
        elif value is None:
            table |= {} if declared.default is None else {name: NONE}
        elif (plain := _plain(value)) is not None:
            table[name] = plain
    return table


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        inner = {str(key): _plain(item) for key, item in value.items()}
        return None if None in inner.values() else inner
    if isinstance(value, (list, tuple)):
        items = [_plain(item) for item in value]
        return None if None in items else items
    return getattr(value, "text", None)


def commented(section: str, parameters: Mapping[str, Parameter], kind: str | None = None) -> str:
    """Return a section of a configuration file with every key, its help and its default."""
    lines = [f"[{section}]"] + ([] if kind is None else [f"{KIND} = {toml_value(kind)}"])
    for name, declared in parameters.items():
        if declared.kinds is not None or name in HIDDEN:
            continue
        value = None if declared.required else _plain(declared.default)
        lines.append(f"# {declared.help} Expected: {_expected(declared)}.")
        lines.append(f"# {name} =" if value is None else f"{name} = {toml_value(value)}")
    return "\n".join(lines) + "\n"
