"""Conversion of model files between tagpool, CRFsuite, Wapiti and CRF++, for ``tagpool convert``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tagpool import _native
from tagpool.cli.console import errors, notes, print_json
from tagpool.compat.conversion import ChainWeights, from_crfsuite, from_expert, from_text_model
from tagpool.compat.wapiti.text_models import read_text_model
from tagpool.corpus.files import STANDARD_STREAM, name_read_errors, write_bytes
from tagpool.errors import InputError, ModelError
from tagpool.tagging.models import load_model
from tagpool.wording import counted

MODEL_FORMATS = ("crfsuite", "wapiti", "tagpool")
_BEGINNINGS = {b"lCRF": "CRFsuite", b"#mdl#": "Wapiti", b"version:": "CRF++"}


def model_origin(path: Path) -> str | None:
    """Return the tool whose model a file holds, by its first bytes; None for other files."""
    if str(path) == STANDARD_STREAM or not path.is_file():
        return None
    with name_read_errors(str(path)), path.open("rb") as file:
        beginning = file.read(9)
    if len(beginning) == 9 and beginning[8:] == b"{" and b"\0" in beginning[:8]:
        return "tagpool"
    return next((name for mark, name in _BEGINNINGS.items() if beginning.startswith(mark)), None)


def convert_model(source: Path, origin: str, target: Path, to: str | None, *, resources: Mapping[str, Path], json: bool) -> None:
    """Write a model in another format, and print what that format cannot hold."""
    wanted = _format_of(target, to)
    if resources and origin != "tagpool":
        raise InputError(f"--use is for models of tagpool, and this is one of {origin}; drop it", source=source)
    if origin == wanted == "tagpool":  # conversion would lose the templates
        raise InputError("the file is a tagpool model already; copy it", source=source)
    weights = read_model(source, origin, resources)
    lost = []
    if wanted != "tagpool" and weights.has_end_weights:
        lost.append("the weights of first and last labels, so that some labels may differ")
    if wanted == "tagpool":
        weights.to_expert(origin).save(target)
    elif wanted == "crfsuite":
        write_bytes(target, weights.to_crfsuite())
    else:
        write_bytes(target, weights.to_wapiti().encode("utf-8", "surrogateescape"))
    counts = {"labels": len(weights.labels), "attributes": len(weights.attributes), "weights": weights.count}
    if json:
        print_json({"from": origin, "to": wanted, **counts, "lost": lost})
        return
    for part in lost:
        errors.print_line(f"not kept, since {wanted} has no place for it: {part}")
    numbers = ", ".join(counted(count, name.removesuffix("s")) for name, count in counts.items())
    notes.print_line(f"{origin} → {wanted}: {numbers} written to {target}")


def _format_of(target: Path, to: str | None) -> str:
    name = target.suffix.lower().removeprefix(".") if to is None else to
    if name in MODEL_FORMATS:
        return name
    if to is not None:
        raise InputError(f"--to {to}: expected a format of models, {', '.join(MODEL_FORMATS)}")
    raise InputError(f"{target}: unknown model format; end the name with .crfsuite, .wapiti or .tagpool, or use --to")


def read_model(source: Path, origin: str, resources: Mapping[str, Path] | None = None) -> ChainWeights:
    """Return the weights of a model of this origin."""
    try:
        if origin == "CRFsuite":
            return from_crfsuite(_native.CrfsuiteTagger.open(str(source)))
        if origin == "tagpool":
            return from_expert(load_model(source, resources=resources).merge())
        return from_text_model(read_text_model(source))
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=source) from None
