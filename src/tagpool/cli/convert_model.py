"""``tagpool convert-model``."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from tagpool import _native
from tagpool.cli.console import errors
from tagpool.compat.conversion import ChainWeights, of_crfsuite, of_expert, of_text_model
from tagpool.compat.wapiti.text_models import read_text_model
from tagpool.corpus.files import write_bytes
from tagpool.errors import InputError, ModelError
from tagpool.tagging.models import as_one, load_model


class ModelFormat(str, Enum):
    """What model files are written as."""

    CRFSUITE = "crfsuite"
    WAPITI = "wapiti"
    TAGPOOL = "tagpool"


_BEGINNINGS = {b"lCRF": "CRFsuite", b"#mdl#": "Wapiti", b"version:": "CRF++"}


def convert_model(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A model of CRFsuite, Wapiti (text), CRF++ (text) or tagpool.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    to: Annotated[
        ModelFormat | None, typer.Option(help="OUT's format; guessed from .crfsuite, .wapiti or .tagpool when not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Say what was converted as JSON.")] = False,
) -> None:
    """Convert a model file to the format of another tool; what has no place there is named.

    \b
    Examples:
      tagpool convert-model names.crfsuite names.tagpool
      tagpool convert-model chunks.wapiti chunks.crfsuite
    """
    wanted = _format_of(target) if to is None else to
    origin, weights = _read(source)
    lost = []
    if wanted is not ModelFormat.TAGPOOL and weights.ends_weigh:
        lost.append("the weights of first and last labels, so that some labels may differ")
    if wanted is ModelFormat.TAGPOOL:
        weights.to_expert(origin).save(target)
    elif wanted is ModelFormat.CRFSUITE:
        write_bytes(target, weights.to_crfsuite())
    else:
        write_bytes(target, weights.to_wapiti().encode("utf-8", "surrogateescape"))
    counts = {"labels": len(weights.labels), "attributes": len(weights.attributes), "weights": weights.count}
    if as_json:
        typer.echo(json.dumps({"from": origin, "to": wanted.value, **counts, "lost": lost}))
        return
    for each in lost:
        errors.print(f"not kept, since {wanted.value} has no place for it: {each}", highlight=False, markup=False)
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    errors.print(f"{origin} → {wanted.value}: {said} written to {target}", highlight=False, markup=False)


def _format_of(target: Path) -> ModelFormat:
    found = target.suffix.lower().removeprefix(".")
    if found not in [each.value for each in ModelFormat]:
        raise InputError(f"{target}: the name does not say which format; end it with .crfsuite, .wapiti or .tagpool, or use --to")
    return ModelFormat(found)


def _read(source: Path) -> tuple[str, ChainWeights]:
    """Where a model comes from, by what its file begins with; and what is in it."""
    try:
        with source.open("rb") as file:
            begin = file.read(8)
    except OSError as error:
        raise ModelError(f"reading failed: {error.strerror or error}", source=source) from None
    origin = next((name for mark, name in _BEGINNINGS.items() if begin.startswith(mark)), "tagpool")
    try:
        if origin == "CRFsuite":
            return origin, of_crfsuite(_native.CrfsuiteTagger.open(str(source)))
        if origin == "tagpool":
            return origin, of_expert(as_one(load_model(source)))
        return origin, of_text_model(read_text_model(source))
    except _native.InputFault as fault:
        raise ModelError(str(fault.args[0]), source=source) from None
