"""Inputs of ``tagpool audit``: the model and its files, further names, and perturbations of the user."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tagpool import _native
from tagpool.auditing.importing import import_object
from tagpool.auditing.labellers import Labeller
from tagpool.cli.auditing.options import AuditOptions
from tagpool.cli.inputs import expand_files, is_model, read_files
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import read_bytes, source_name
from tagpool.corpus.formats import Format, format_of, read_corpus, read_labelled
from tagpool.errors import InputError
from tagpool.perturbations.perturbation import Perturbation
from tagpool.perturbations.registry import register
from tagpool.tagging.conll import guess_columns


def split_files(files: Sequence[str], *, is_set: bool) -> tuple[str | None, list[str]]:
    """Return the model and the texts of the arguments; without a model if an option chooses the tagger."""
    if is_set:
        if is_model(files[0]):
            raise InputError("this is a model, and an option chooses another tagger; give one of them", source=files[0])
        return None, list(files)
    if Path(files[0]).exists() and not is_model(files[0]):
        advice = "give a model of tagpool first, or choose a tagger with --tagger, --spacy, --crfsuite or --command"
        raise InputError(f"expected a model, got another file; {advice}", source=files[0])
    if len(files) < 2:
        raise InputError("expected a model and a file of sentences: tagpool audit MODEL TEST", source=files[0])
    return files[0], list(files[1:])


class AuditReader:
    """Reads labelled sentences: without --columns, a CoNLL file has the columns of the model's training."""

    def __init__(self, labeller: Labeller, options: AuditOptions) -> None:
        self.model, self.options = labeller.model, options

    def read(self, path: str) -> Corpus:
        """Read a file."""
        options = self.options
        plain = options.columns is None and options.label is None
        if plain and self.model is not None and (options.format or format_of(path)) is Format.CONLL:
            summary = self.model.single_taggers()[0].summary_
            count = max(1, _native.count_columns(read_bytes(path, encoding=options.encoding), False))
            columns = guess_columns(count, self.model.columns, summary, source_name(path))
            label = summary.get("label") if summary.get("label") in columns else None
            corpus = read_corpus(path, columns=columns, label=label, format=Format.CONLL, encoding=options.encoding)
            return corpus.require_labels()
        return read_labelled(path, columns=options.columns, label=options.label, format=options.format, encoding=options.encoding)


def load_names(options: AuditOptions) -> dict[str, Corpus]:
    """Return the corpora of --names by the names of their files; their first column is the word, the last one the label."""

    def read(path: str) -> Corpus:
        return read_labelled(path, format=options.format, encoding=options.encoding)

    return {Path(source_name(file)).name: read_files(file, read) for file in expand_files(options.names)}


def read_perturbations(names: Sequence[str]) -> None:
    """Register perturbations of the user's modules."""
    for name in names:
        value = import_object(name, "--perturbation")
        if not isinstance(value, Perturbation):
            raise InputError(f"expected a Perturbation, got {type(value).__name__}", source=f"--perturbation {name}")
        register(value)
