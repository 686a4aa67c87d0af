"""Model files that refer to their resources, by path and checksum, instead of holding them.

What such a file lacks are the arrays of lexicons that were read from files. They are put back when it is loaded, so that nobody
else sees a difference. A lexicon is known by its checksum: so it is recognised in whatever a model becomes (pruned, trained
further, collapsed with others).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tagpool import _native
from tagpool.errors import ModelError, ResourceError
from tagpool.experts.tagger import Tagger
from tagpool.features.encoder import Encoder
from tagpool.features.resource_files import read_resource
from tagpool.features.resources import Lexicon, Origin

REFERENCES = "resources"
"""The text of a model file that has them."""

LEXICONS = tuple(f"{program}.{kind}." for program in ("program", "history") for kind in ("words", "phrases", "vectors"))
"""What the names of the arrays of lexicons begin with."""

_LEXICON = re.compile(r"((?:program|history)\.(?:words|phrases|vectors)\.\d+)(\..+)")


def origins_of(tagger: Tagger) -> dict[str, Origin]:
    """Where a tagger's lexicons were read from, by their checksums; those made otherwise are not there."""
    found = dict(tagger._origins or {})
    resources = tagger._encoder.resources_.values() if isinstance(tagger._encoder, Encoder) else ()
    for resource in resources:
        if (origin := getattr(resource, "origin", None)) is not None:
            found |= {_checksum(_native.lexicon_arrays(lexicon)): origin for lexicon in resource.lexicons}
    return found


def origins_of_all(taggers: Iterable[Tagger]) -> dict[str, Origin]:
    """Those of several taggers."""
    return {checksum: origin for tagger in taggers for checksum, origin in origins_of(tagger).items()}


def references_of(
    model: _native.Model | _native.OnlineModel, origins: dict[str, Origin], folder: Path
) -> dict[str, dict[str, str]]:
    """What a file in this folder says of a model's lexicons, by the names that their arrays begin with.

    Resources in the folder, or below it, are found again when all of it is moved.
    """
    found: dict[str, dict[str, str]] = {}
    for beginning, checksum in _checksums(model).items():
        if (origin := origins.get(checksum)) is not None:
            inside = origin.path.is_relative_to(folder.absolute())
            path = origin.path.relative_to(folder.absolute()) if inside else origin.path
            found[beginning] = {"kind": origin.kind, "path": str(path), "checksum": checksum}
    return found


class Referred:
    """Reads what the models of one file refer to, each resource once."""

    def __init__(self, source: str | Path) -> None:
        self.source = source
        self.folder = Path(source).parent
        self._read: dict[Origin, Any] = {}

    def model(self, native: Any, block: bytes, text: str) -> tuple[Any, dict[str, Origin]]:
        """A model with the lexicons that it refers to, and where they come from; ``text`` is what it says of them."""
        try:
            references = {
                str(name): (Origin(str(of["kind"]), self.folder.absolute() / str(of["path"])), str(of["checksum"]))
                for name, of in json.loads(text).items()
            }
            programs = {name: json.loads(_native.Container.read(block).text(name) or "{}") for name in ("program", "history")}
            lexicons: dict[str, Lexicon] = {}
            for name, (origin, _) in references.items():
                resource = self._resource(origin)
                lexicons[name] = _phrases(resource, name, programs) if origin.kind == "gazetteer" else resource.native
        except (ResourceError, _native.InputFault):
            raise
        except (AttributeError, KeyError, StopIteration, TypeError, ValueError):
            raise ModelError("what it says of its resources is damaged", source=self.source) from None
        for name, (origin, checksum) in references.items():
            if _checksum(_native.lexicon_arrays(lexicons[name])) != checksum:
                message = f"the {origin.kind} file {origin.path} is not what the model was trained with"
                raise ResourceError(f"{message}; put it back as it was, or train again", source=self.source)
        found = native.read(_native.with_lexicons(block, lexicons, REFERENCES))
        return found, {checksum: origin for origin, checksum in references.values()}

    def _resource(self, origin: Origin) -> Any:
        if origin not in self._read:
            try:
                self._read[origin] = read_resource(*origin)
            except ResourceError as error:
                message = f"the model needs the {origin.kind} file {error}"
                advice = "put it back as it was, or train with --keep-resources yes"
                raise ResourceError(f"{message}; {advice}", source=self.source) from None
        return self._read[origin]


def _checksums(model: _native.Model | _native.OnlineModel) -> dict[str, str]:
    """Of a model's lexicons, by the names that their arrays begin with."""
    arrays: dict[str, dict[str, bytes]] = {}
    for name in model.sizes():
        if match := _LEXICON.fullmatch(name):
            arrays.setdefault(match[1], {})[match[2]] = model.array(name) or b""
    return {beginning: _checksum(each) for beginning, each in arrays.items()}


def _checksum(arrays: dict[str, bytes]) -> str:
    found = 0
    for name in sorted(arrays):
        found = _native.combine(_native.combine(found, _native.xxh64(name.encode())), _native.xxh64(arrays[name]))
    return f"{found:016x}"


def _phrases(gazetteer: Any, name: str, programs: dict[str, Any]) -> _native.PhraseLexicon:
    """The phrases as the template had them that looks for them: passed through its function."""
    program, _, number = name.split(".")
    atoms = [atom for outer in programs[program]["atoms"] for atom in (outer, outer.get("inner", {}))]
    atom = next(each for each in atoms if each.get("phrases") == int(number))
    steps = [_native.Step(function, a, b) for function, a, b in atom["steps"]]
    phrases: _native.PhraseLexicon = gazetteer.phrases(json.dumps(atom["steps"]), _native.WordFunction(steps))
    return phrases
