"""UIMA CAS of INCEpTION as XMI, read and written with dkpro-cassis: a text with sentences, tokens and layers of spans.

INCEpTION exports and imports an archive (``.zip``) of the file ``.xmi`` and its type system. Outside of an archive, the type
system is the file ``TypeSystem.xml`` next to the file ``.xmi``.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tagpool.corpus.annotations.annotation import DEFAULT_LAYER, Annotation, CharSpan, Layer, Place
from tagpool.corpus.annotations.json_values import read_type
from tagpool.corpus.annotations.losses import ATTRIBUTES, METADATA, OTHER_LAYERS, RELATIONS, Losses
from tagpool.corpus.annotations.span_layers import ENTITY_LAYER, LINGUISTIC, choose_feature, choose_layer, layer_title
from tagpool.corpus.annotations.text_documents import UNKNOWN_LABELS, make_documents
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import STANDARD_STREAM, open_output, read_bytes, source_name, write_bytes
from tagpool.errors import InputError

TYPE_SYSTEM = "TypeSystem.xml"
_XMI, _ARCHIVE = ".xmi", ".zip"
_SENTENCE = f"{LINGUISTIC}segmentation.type.Sentence"
_TOKEN = f"{LINGUISTIC}segmentation.type.Token"
_UIMA = "uima."
_METADATA = f"{LINGUISTIC}metadata."
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_CONTROLS = "control characters, written as U+FFFD"


def _import_cassis(purpose: str) -> Any:
    """Return the module cassis; raise an error that names the extra if it is missing."""
    try:
        import cassis
    except ImportError:
        raise InputError(f"{purpose}: dkpro-cassis is missing; pip install 'tagpool[inception]'") from None
    return cassis


def read_inception(path: str | Path) -> list[Annotation]:
    """Read a file ``.xmi``, or an archive with files of this kind."""
    source = source_name(path)
    cassis = _import_cassis(source)
    annotations = []
    for data, types in _files(read_bytes(path), path):
        try:
            system = cassis.load_typesystem(io.BytesIO(types))
            cas = cassis.load_cas_from_xmi(io.BytesIO(data), typesystem=system, lenient=True)
        except MemoryError:
            raise
        except Exception as error:  # lxml, toposort and cassis have errors of their own
            reason = str(error).split("\n")[0] or type(error).__name__
            raise InputError(f"expected a UIMA CAS as XMI, got something else: {reason}", source=source) from None
        annotations.append(_annotation(cas, source))
    return annotations


def _files(data: bytes, path: str | Path) -> Iterator[tuple[bytes, bytes]]:
    """Yield the files of CAS with their type systems."""
    source = source_name(path)
    if not data.startswith(b"PK"):
        types = Path(path).with_name(TYPE_SYSTEM)
        if not types.exists():
            advice = f"expected the file {types}; or read the archive of the export"
            raise InputError(f"the type system of this file is missing; {advice}", source=source)
        yield data, read_bytes(types)
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            systems = [name for name in names if Path(name).name.lower() == TYPE_SYSTEM.lower()]
            files = sorted(name for name in names if name.endswith(_XMI))
            if not files or not systems:
                raise InputError(f"expected an archive with a file {_XMI} and {TYPE_SYSTEM}", source=source)
            for name in files:
                yield archive.read(name), archive.read(systems[0])
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise InputError(f"the archive is damaged or encrypted: {error}", source=source) from None


def _annotation(cas: Any, source: str) -> Annotation:
    text = cas.sofa_string
    if not text:
        raise InputError("the CAS has no text", source=source)
    losses = Losses()
    by_type: dict[str, list[Any]] = {}
    for item in cas.select_all_annotations():
        by_type.setdefault(item.type.name, []).append(item)
    places = _places(by_type, _TOKEN, text)
    spans_of = {name: items for name, items in by_type.items() if _is_layer(name, items)}
    chosen = choose_layer({name: len(items) for name, items in spans_of.items()} or {ENTITY_LAYER: 0})
    spans: list[CharSpan] = []
    for name, items in by_type.items():
        if name.startswith(_METADATA):
            losses[METADATA] += len(items)
        elif name != chosen and name in spans_of:
            losses[OTHER_LAYERS] += len(items)
        elif name != chosen and _is_relation(items[0]):
            losses[RELATIONS] += len(items)
        elif name == chosen:
            spans = _spans(items, text, source, losses)
    layer = Layer(spans=sorted(spans, key=lambda span: span[:3]))
    parts = {"places": places or None, "sentences": _places(by_type, _SENTENCE, text), "losses": losses}
    return Annotation(source, 1, {DEFAULT_LAYER: layer}, text=text, document=None, **parts)  # type: ignore[arg-type]


def _is_layer(name: str, items: list[Any]) -> bool:
    """Return whether a type is a layer of spans; not that of tokens, of sentences, or of UIMA."""
    return (
        not name.startswith((_UIMA, _METADATA))
        and name not in (_TOKEN, _SENTENCE)
        and _has_place(items[0])
        and not _is_relation(items[0])
    )


def _has_place(item: Any) -> bool:
    return isinstance(getattr(item, "begin", None), int) and isinstance(getattr(item, "end", None), int)


def _is_relation(item: Any) -> bool:
    names = {feature.name for feature in item.type.all_features}
    return {"Governor", "Dependent"} <= names or {"source", "target"} <= names


def _places(by_type: dict[str, list[Any]], name: str, text: str) -> list[Place]:
    """Return the places of tokens or sentences, in their order; those of blanks are left out."""
    places = sorted({(item.begin, item.end) for item in by_type.get(name, ()) if _has_place(item)})
    result: list[Place] = []
    for start, end in places:
        if 0 <= start < end <= len(text) and (not result or start >= result[-1][1]):
            result.append((start, end))
    return result


def _spans(items: list[Any], text: str, source: str, losses: Losses) -> list[CharSpan]:
    names = [feature.name for feature in items[0].type.all_features if feature.name not in ("sofa", "begin", "end")]
    values = {name: [getattr(item, name, None) for item in items] for name in names}
    sizes = {name: sum(isinstance(value, str) and bool(value.strip()) for value in column) for name, column in values.items()}
    feature = choose_feature(sizes)
    spans = []
    for number, item in enumerate(items):
        if not 0 <= item.begin <= item.end <= len(text):
            raise InputError(f"an annotation at {item.begin}-{item.end} is outside the text", source=source)
        value = values[feature][number] if feature else None
        losses[ATTRIBUTES] += sum(values[name][number] not in (None, "", value) for name in names)
        title = value if isinstance(value, str) and value.strip() else layer_title(item.type.name)
        spans.append(CharSpan(item.begin, item.end, read_type(title, lambda message: InputError(message, source=source))))
    return spans


def write_inception(corpus: Corpus, path: str | Path, losses: Losses) -> None:
    """Write a corpus as one text, with named entities: an archive ``.zip``, or a file ``.xmi`` with its type system."""
    if str(path) == STANDARD_STREAM:
        raise InputError("inception has two files; name an archive, such as -o names.zip, or a file such as -o names.xmi")
    cassis = _import_cassis(source_name(path))
    (document,) = make_documents(corpus, losses, whole=True, lines=False)
    losses[UNKNOWN_LABELS] += len(document.unknown)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of its use of importlib.resources
        system = cassis.load_dkpro_core_typesystem()
    cas = cassis.Cas(typesystem=system)
    text = _NOT_IN_XML.sub("\ufffd", document.text)
    losses[_CONTROLS] += sum(one != other for one, other in zip(text, document.text, strict=True))
    cas.sofa_string, cas.sofa_mime = text, "text/plain"
    for name, places in ((_SENTENCE, document.sentences), (_TOKEN, document.tokens)):
        make = system.get_type(name)
        cas.add_all([make(begin=start, end=end) for start, end in places])
    entity = system.get_type(ENTITY_LAYER)
    cas.add_all([entity(begin=span.start, end=span.end, value=span.type) for span in document.spans])
    data, types = cas.to_xmi().encode(), system.to_xml().encode()
    if Path(path).suffix != _ARCHIVE:
        _write_with_types(path, data, types)
        return
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in ((f"{Path(path).stem}{_XMI}", data), (TYPE_SYSTEM, types)):
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # without a time: equal corpora, equal bytes
    write_bytes(path, archive.getvalue())


def _write_with_types(path: str | Path, data: bytes, types: bytes) -> None:
    """Write both files, or none. The type system must not replace another one, which other files of the folder need."""
    system = Path(path).with_name(TYPE_SYSTEM)
    if system.exists() and system.read_bytes() != types:
        advice = "write an archive, such as -o names.zip, or into another folder"
        raise InputError(f"this type system belongs to other files; {advice}", source=str(system))
    with open_output(system) as write_system, open_output(path) as write:
        write_system(types)
        write(data)
