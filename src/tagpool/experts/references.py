"""Model files without their resources: they have references by path and checksum instead.

The arrays of lexicons are left out of such a file, and restored when it is loaded. A lexicon is identified by its checksum, also
after the model was pruned, trained further or merged with others.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tagpool import _native
from tagpool.errors import ModelError, ResourceError
from tagpool.experts.tagger import Tagger
from tagpool.features.encoder import Encoder
from tagpool.features.resource_files import read_resource
from tagpool.features.resources import Lexicon, Origin

REFERENCES = "resources"
"""The key of the references in the texts of a model file."""

LEXICONS = tuple(f"{program}.{kind}." for program in ("program", "history") for kind in ("words", "phrases", "vectors"))
"""Prefixes of the names of lexicon arrays."""

_LEXICON = re.compile(r"((?:program|history)\.(?:words|phrases|vectors)\.\d+)(\..+)")


def origins_of(tagger: Tagger) -> dict[str, Origin]:
    """The files of a tagger's lexicons by checksum; lexicons that do not come from files are not included."""
    origins = dict(tagger._origins or {})
    resources = tagger._encoder.resources_.values() if isinstance(tagger._encoder, Encoder) else ()
    for resource in resources:
        if (origin := getattr(resource, "origin", None)) is not None:
            origins |= {_checksum(_native.lexicon_arrays(lexicon)): origin for lexicon in resource.lexicons}
    return origins


def references_of(
    model: _native.Model | _native.OnlineModel, origins: dict[str, Origin], folder: Path
) -> dict[str, dict[str, str]]:
    """References to a model's lexicons for a file in this folder, by the prefixes of their arrays.

    Paths inside the folder are relative, so that the folder can be moved.
    """
    references: dict[str, dict[str, str]] = {}
    folder = folder.absolute()
    for prefix, checksum in _checksums(model).items():
        if (origin := origins.get(checksum)) is not None:
            path = origin.path.relative_to(folder) if origin.path.is_relative_to(folder) else origin.path
            references[prefix] = {"kind": origin.kind, "path": str(path), "checksum": checksum}
    return references


class Referred:
    """Reads the resources that the models of one file refer to, each once."""

    def __init__(self, source: str | Path) -> None:
        self.source = source
        self.folder = Path(source).parent.absolute()
        self._read: dict[Origin, Any] = {}

    def model(self, native: Any, block: bytes, text: str) -> tuple[Any, dict[str, Origin]]:
        """A model with the lexicons that it refers to, and their files; ``text`` has the references as JSON."""
        try:
            references = {
                str(name): (Origin(str(entry["kind"]), self.folder / str(entry["path"])), str(entry["checksum"]))
                for name, entry in json.loads(text).items()
            }
            programs = {name: json.loads(_native.Container.read(block).text(name) or "{}") for name in ("program", "history")}
            lexicons: dict[str, Lexicon] = {}
            for name, (origin, _) in references.items():
                resource = self._resource(origin)
                lexicons[name] = _phrases(resource, name, programs) if origin.kind == "gazetteer" else resource.native
        except (ResourceError, _native.InputFault):
            raise
        except (AttributeError, KeyError, StopIteration, TypeError, ValueError):
            raise ModelError("damaged model: the references to resources are not valid", source=self.source) from None
        for name, (origin, checksum) in references.items():
            if _checksum(_native.lexicon_arrays(lexicons[name])) != checksum:
                message = f"the {origin.kind} file {origin.path} has changed since training; restore it, or train again"
                raise ResourceError(message, source=self.source)
        model = native.read(_native.with_lexicons(block, lexicons, REFERENCES))
        return model, {checksum: origin for origin, checksum in references.values()}

    def _resource(self, origin: Origin) -> Any:
        if origin not in self._read:
            try:
                self._read[origin] = read_resource(*origin)
            except ResourceError as error:
                message = f"the model needs the {origin.kind} file {error}; restore it, or train again"
                raise ResourceError(message, source=self.source) from None
        return self._read[origin]


def _checksums(model: _native.Model | _native.OnlineModel) -> dict[str, str]:
    """Checksums of a model's lexicons, by the prefixes of their arrays."""
    arrays: dict[str, dict[str, bytes]] = {}
    for name in model.sizes():
        if match := _LEXICON.fullmatch(name):
            arrays.setdefault(match[1], {})[match[2]] = model.array(name) or b""
    return {prefix: _checksum(item) for prefix, item in arrays.items()}


def _checksum(arrays: dict[str, bytes]) -> str:
    checksum = 0
    for name in sorted(arrays):
        checksum = _native.combine(_native.combine(checksum, _native.xxh64(name.encode())), _native.xxh64(arrays[name]))
    return f"{checksum:016x}"


def _phrases(gazetteer: Any, name: str, programs: dict[str, Any]) -> _native.PhraseLexicon:
    """The phrases of a gazetteer after the word function of the template that uses them."""
    program, _, number = name.split(".")
    atoms = [atom for outer in programs[program]["atoms"] for atom in (outer, outer.get("inner", {}))]
    atom = next(one for one in atoms if one.get("phrases") == int(number))
    steps = [_native.Step(function, a, b) for function, a, b in atom["steps"]]
    phrases: _native.PhraseLexicon = gazetteer.phrases(json.dumps(atom["steps"]), _native.WordFunction(steps))
    return phrases
