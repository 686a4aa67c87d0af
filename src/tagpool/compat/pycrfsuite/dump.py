"""Contents of a model: as dictionaries, and as the text that CRFsuite prints."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tagpool import _native
from tagpool.corpus.whole_file import WholeFile


@dataclass
class ParsedDump:
    """Contents of a model.

    ``transitions`` maps (label, next label) to weights, ``state_features`` (attribute, label). ``labels`` and ``attributes`` map
    names to their numbers as text. ``header`` has the fields of the file header as text.
    """

    header: dict[str, str]
    labels: dict[str, str]
    attributes: dict[str, str]
    transitions: dict[tuple[str, str], float]
    state_features: dict[tuple[str, str], float]


def parse_model(model: _native.CrfsuiteTagger) -> ParsedDump:
    """Return the contents of a model."""
    labels, attributes = model.labels(), model.attributes()
    return ParsedDump(
        dict(_header(model)),
        {label: str(number) for number, label in enumerate(labels)},
        {attribute: str(number) for number, attribute in enumerate(attributes)},
        {(labels[one], labels[two]): weight for one, two, weight in model.transitions()},
        {(attributes[one], labels[two]): weight for one, two, weight in model.states()},
    )


def write_dump(model: _native.CrfsuiteTagger, filename: str | None) -> None:
    """Write the text to a file (default: standard output)."""
    text = "".join(_lines(model))
    if filename is None:
        sys.stdout.write(text)
        return
    with WholeFile(filename) as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def _header(model: _native.CrfsuiteTagger) -> Iterator[tuple[str, str]]:
    fields = model.head()
    yield "magic", "lCRF"
    yield "size", str(fields["size"])
    yield "type", "FOMC"
    for name, value in list(fields.items())[1:]:
        yield name, f"0x{value:X}" if name.startswith("off_") else str(value)


def _lines(model: _native.CrfsuiteTagger) -> Iterator[str]:
    labels, attributes = model.labels(), model.attributes()
    yield "FILEHEADER = {\n"
    yield from (f"  {name}: {value}\n" for name, value in _header(model))
    yield "}\n\nLABELS = {\n"
    yield from (f"  {number:>5}: {label}\n" for number, label in enumerate(labels))
    yield "}\n\nATTRIBUTES = {\n"
    yield from (f"  {number:>5}: {attribute}\n" for number, attribute in enumerate(attributes))
    yield "}\n\nTRANSITIONS = {\n"
    yield from (f"  (1) {labels[one]} --> {labels[two]}: {weight:f}\n" for one, two, weight in model.transitions())
    yield "}\n\nSTATE_FEATURES = {\n"
    yield from (f"  (0) {attributes[one]} --> {labels[two]}: {weight:f}\n" for one, two, weight in model.states())
    yield "}\n\n"
