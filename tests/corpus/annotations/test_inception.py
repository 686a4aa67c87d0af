"""UIMA CAS as INCEpTION exports it, made with dkpro-cassis: layers of a project, relations, archives, and damaged files."""

from __future__ import annotations

import zipfile
from collections import Counter
from pathlib import Path

import cassis
import pytest

from tagpool import Corpus, InputError, read_corpus, write_corpus
from tagpool.corpus.annotations.inception import TYPE_SYSTEM

SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type"
TEXT = "\U0001f600 Ann Lee left. In Oslo."


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """The folder of an export: a CAS with sentences, tokens, a layer and a relation of the project."""
    system = cassis.TypeSystem()
    sentence, token = (system.create_type(f"{SEGMENTATION}.{name}") for name in ("Sentence", "Token"))
    term = system.create_type("webanno.custom.Term")
    system.create_feature(term, "kind", cassis.typesystem.TYPE_NAME_STRING)
    system.create_feature(term, "note", cassis.typesystem.TYPE_NAME_STRING)
    metadata = system.create_type("de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData")
    relation = system.create_type("webanno.custom.Relation")
    for name in ("Governor", "Dependent"):
        system.create_feature(relation, name, term)
    cas = cassis.Cas(typesystem=system)
    cas.sofa_string, cas.sofa_mime = TEXT, "text/plain"
    cas.add(metadata(begin=0, end=24))
    cas.add_all([sentence(begin=0, end=15), sentence(begin=16, end=24)])
    cas.add_all(
        [token(begin=begin, end=end) for begin, end in [(0, 1), (2, 5), (6, 9), (10, 14), (14, 15), (16, 18), (19, 23), (23, 24)]]
    )
    person, place = term(begin=2, end=9, kind="PER", note="x"), term(begin=19, end=23, kind="LOC")
    cas.add_all([person, place, term(begin=2, end=5), relation(begin=2, end=9, Governor=person, Dependent=place)])
    (tmp_path / "doc.xmi").write_text(cas.to_xmi())
    (tmp_path / TYPE_SYSTEM).write_text(system.to_xml())
    return tmp_path


def test_a_layer_of_the_project(export):
    losses = Counter[str]()
    corpus = read_corpus(export / "doc.xmi", losses=losses)
    assert corpus.words == [["\U0001f600", "Ann", "Lee", "left", "."], ["In", "Oslo", "."]]
    assert corpus.labels == [["O", "B-PER", "I-PER", "O", "O"], ["O", "B-LOC", "O"]]
    assert losses == {"relations": 1, "attributes": 1, "overlapping spans": 1, "fields of metadata": 1}


def test_an_archive(export):
    with zipfile.ZipFile(export / "export.zip", "w") as archive:
        for name in ("doc.xmi", TYPE_SYSTEM):
            archive.write(export / name, name)
    assert read_corpus(export / "export.zip", losses=Counter()) == read_corpus(export / "doc.xmi", losses=Counter())


def test_written_files_are_read_by_cassis(tmp_path):
    corpus = Corpus.from_lists(word=[["\U0001f600", "Ann", "\x01"]], label=[["O", "B-PER", "O"]])
    losses = Counter[str]()
    write_corpus(corpus, tmp_path / "a.xmi", losses=losses)
    assert losses == {"control characters, written as U+FFFD": 1}
    system = cassis.load_typesystem(tmp_path / TYPE_SYSTEM)
    cas = cassis.load_cas_from_xmi(tmp_path / "a.xmi", typesystem=system)
    (entity,) = cas.select("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity")
    assert (entity.begin, entity.end, entity.value, entity.get_covered_text()) == (2, 5, "PER", "Ann")
    write_corpus(corpus, tmp_path / "a.zip", losses=losses)
    first = (tmp_path / "a.zip").read_bytes()
    write_corpus(corpus, tmp_path / "a.zip", losses=losses)
    assert (tmp_path / "a.zip").read_bytes() == first


def test_another_type_system_is_not_replaced(export):
    before = (export / TYPE_SYSTEM).read_bytes()
    corpus = Corpus.from_lists(word=[["Ann"]], label=[["B-PER"]])
    with pytest.raises(InputError, match=r"TypeSystem\.xml: this type system belongs to other files; write an archive"):
        write_corpus(corpus, export / "b.xmi")
    assert ((export / TYPE_SYSTEM).read_bytes(), (export / "b.xmi").exists()) == (before, False)


def test_damaged_files(export):
    (export / "doc.xmi").write_text("<xml")
    with pytest.raises(InputError, match=r"doc\.xmi: expected a UIMA CAS as XMI, got something else"):
        read_corpus(export / "doc.xmi")
    (export / TYPE_SYSTEM).unlink()
    with pytest.raises(InputError, match="the type system of this file is missing; expected the file"):
        read_corpus(export / "doc.xmi")
    (export / "a.zip").write_bytes(b"PK\x03\x04 damaged")
    with pytest.raises(InputError, match=r"a\.zip: the archive is damaged or encrypted"):
        read_corpus(export / "a.zip")
    with zipfile.ZipFile(export / "b.zip", "w") as archive:
        archive.writestr("readme", "")
    with pytest.raises(InputError, match=r"expected an archive with a file \.xmi and TypeSystem\.xml"):
        read_corpus(export / "b.zip")
