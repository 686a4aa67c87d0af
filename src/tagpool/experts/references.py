"""Model files without their resources: they have references by name and checksum instead.

The arrays of lexicons are left out of such a file, and restored when it is loaded with the resources, which the user supplies.
The loader opens no path that a model file contains. A lexicon is identified by its checksum, also after the model was pruned,
trained further or merged with others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from tagpool import _native
from tagpool.errors import InputError, ModelError, ResourceError
from tagpool.experts.metadata import DAMAGED, read_object
from tagpool.experts.tagger import Tagger
from tagpool.features.encoder import Encoder
from tagpool.features.resource_files import read_resource
from tagpool.features.resources import Lexicon
from tagpool.lazy import TYPE_CHECKING, LazyModule

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = LazyModule("hashlib")

REFERENCES = "resources"
"""The key of the references in the texts of a model file."""

LEXICONS = tuple(f"{program}.{kind}." for program in ("program", "history") for kind in ("words", "phrases", "vectors"))
"""Prefixes of the names of lexicon arrays."""

_LEXICON = re.compile(r"((?:program|history)\.(?:words|phrases|vectors)\.\d+)(\..+)")
_PREFIX = re.compile(r"(?:program|history)\.(?:words|phrases|vectors)\.[0-9]{1,6}")
_KINDS = ("gazetteer", "cluster", "ambiguity", "embedding")


class Reference(NamedTuple):
    """A resource outside the model file: the template function that uses it, its name in the templates, its checksum."""

    kind: str
    name: str
    sha256: str

    def __str__(self) -> str:
        return f"the {self.kind} {self.name!r} (sha256 {self.sha256})"


def references_in(tagger: Tagger) -> dict[str, Reference]:
    """References to a tagger's lexicons by checksum; lexicons that do not come from files are not included."""
    references = dict(tagger._references or {})
    resources = tagger._encoder.resources_ if isinstance(tagger._encoder, Encoder) else {}
    for name, resource in resources.items():
        if getattr(resource, "from_file", False):
            for checksum in (_checksum(_native.lexicon_arrays(lexicon)) for lexicon in resource.lexicons):
                references[checksum] = Reference(resource.kind, name, checksum)
    return references


def references_of(model: _native.Model | _native.OnlineModel, references: Mapping[str, Reference]) -> dict[str, dict[str, str]]:
    """References of a model file, by the prefixes of the arrays that they replace."""
    checksums = _checksums(model)
    return {prefix: references[checksum]._asdict() for prefix, checksum in checksums.items() if checksum in references}


class SuppliedResources:
    """Resources that the user supplies for the models of one file, by name or checksum. Each is read once."""

    def __init__(self, resources: Mapping[str, Any], source: str | Path) -> None:
        self.resources = resources
        self.source = source
        self._used: set[str] = set()
        self._needed: list[Reference] = []
        self._read: dict[tuple[str, str], Any] = {}

    def model(self, native: Any, container: _native.Container, text: str) -> tuple[Any, dict[str, Reference]]:
        """A model with the lexicons that it refers to, and the references; ``text`` has the references as JSON."""
        references = self._references(text)
        self._needed += references.values()
        try:
            programs = {name: read_object(container.text(name), name) for name in ("program", "history")}
            lexicons: dict[str, Lexicon] = {}
            for prefix, reference in references.items():
                resource = self._resource(reference)
                lexicons[prefix] = _phrases(resource, prefix, programs) if reference.kind == "gazetteer" else resource.native
        except (ModelError, ResourceError):
            raise
        except (*DAMAGED, StopIteration):
            raise ModelError("damaged model: the references to resources are not valid", source=self.source) from None
        by_checksum: dict[str, Reference] = {}
        for prefix, reference in references.items():
            arrays = _native.lexicon_arrays(lexicons[prefix])
            checksum = _checksum(arrays)
            if reference.sha256 not in (checksum, _old_checksum(arrays)):
                message = f"the model needs {reference}; the supplied resource has the checksum {checksum}"
                raise ResourceError(f"{message}: supply the one of the training, or train again", source=self.source)
            by_checksum[checksum] = reference._replace(sha256=checksum)
        return native.of(container.with_lexicons(lexicons, REFERENCES)), by_checksum

    def check_used(self) -> None:
        """Raise an InputError for a resource that no model refers to."""
        unused = sorted(set(self.resources) - self._used)
        if unused:
            names = ", ".join(sorted({reference.name for reference in self._needed}))
            known = f"it needs {names}" if names else "it contains all its resources"
            raise InputError(f"the model refers to no resource {unused[0]!r}; {known}", source=self.source)

    def _references(self, text: str) -> dict[str, Reference]:
        references = {}
        for prefix, entry in read_object(text, REFERENCES).items():
            if not (_PREFIX.fullmatch(prefix) and isinstance(entry, dict)):
                raise ModelError("damaged model: the references to resources are not valid", source=self.source)
            if "path" in entry:  # files of version 0.1; the path gives only the name
                entry = {"kind": entry.get("kind"), "name": PurePath(str(entry["path"])).stem, "sha256": entry.get("checksum")}
            fields = [entry.get(field) for field in Reference._fields]
            if fields[0] not in _KINDS or not all(isinstance(value, str) and 0 < len(value) < 1000 for value in fields):
                raise ModelError("damaged model: the references to resources are not valid", source=self.source)
            references[prefix] = Reference(*map(str, fields))
        return references

    def _resource(self, reference: Reference) -> Any:
        key = next((key for key in (reference.sha256, reference.name) if key in self.resources), None)
        if key is None:
            raise ResourceError(
                f"the model needs {reference}, which its file does not contain; supply it with --use {reference.name}=PATH "
                f"(tagpool train: --set features.use.{reference.name}=PATH; Python: resources={{{reference.name!r}: PATH}})",
                source=self.source,
            )
        self._used.add(key)
        resource = self.resources[key]
        if not isinstance(resource, (str, Path)):
            if getattr(resource, "kind", None) != reference.kind:
                raise ResourceError(f"the model needs {reference}; got a {type(resource).__name__}", source=self.source)
            return resource
        if (key, reference.kind) not in self._read:
            try:
                self._read[key, reference.kind] = read_resource(reference.kind, resource)
            except ResourceError as error:
                raise ResourceError(f"the model needs {reference}: {error}", source=self.source) from None
        return self._read[key, reference.kind]


def _checksums(model: _native.Model | _native.OnlineModel) -> dict[str, str]:
    """Checksums of a model's lexicons, by the prefixes of their arrays."""
    arrays: dict[str, dict[str, bytes]] = {}
    for name in model.sizes():
        if match := _LEXICON.fullmatch(name):
            arrays.setdefault(match[1], {})[match[2]] = model.array(name) or b""
    return {prefix: _checksum(item) for prefix, item in arrays.items()}


def _checksum(arrays: dict[str, bytes]) -> str:
    """SHA-256 of the arrays of a lexicon in the order of their names: each name, its size in 8 bytes, and the content."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode() + len(arrays[name]).to_bytes(8, "little") + arrays[name])
    return digest.hexdigest()


def _old_checksum(arrays: dict[str, bytes]) -> str:
    """Checksum in files of version 0.1."""
    checksum = 0
    for name in sorted(arrays):
        checksum = _native.combine(_native.combine(checksum, _native.xxh64(name.encode())), _native.xxh64(arrays[name]))
    return f"{checksum:016x}"


def _phrases(gazetteer: Any, prefix: str, programs: dict[str, Any]) -> _native.PhraseLexicon:
    """The phrases of a gazetteer after the word function of the template that uses them."""
    program, _, number = prefix.split(".")
    atoms = [atom for outer in programs[program]["atoms"] for atom in (outer, outer.get("inner", {}))]
    atom = next(one for one in atoms if one.get("phrases") == int(number))
    steps = [_native.Step(function, a, b) for function, a, b in atom["steps"]]
    phrases: _native.PhraseLexicon = gazetteer.phrases(str(atom["steps"]), _native.WordFunction(steps))
    return phrases
