"""Files of spaCy (``.spacy``, DocBin): corpora of documents with their sentences, entities, span groups and tags."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from tagpool.corpus.corpus import LABEL, WORD, Corpus
from tagpool.corpus.files import open_output, read_bytes, source_name
from tagpool.corpus.schemes import spans
from tagpool.corpus.spacy.annotations import ENTITIES, SPANS, Annotation
from tagpool.corpus.spacy.attributes import ATTRIBUTES, EMPTY, READ, WRITTEN
from tagpool.corpus.spacy.library import import_spacy
from tagpool.corpus.spacy.sentences import make_document, sentence_tokens
from tagpool.corpus.spacy.spans import number_tokens, place_spans
from tagpool.corpus.text import SPACE
from tagpool.corpus.unknown_labels import UNKNOWN, has_span_labels
from tagpool.errors import InputError

GROUP = "spans."  # before the name of a span group, in the name of its column


def read_docbin(path: str | Path) -> Corpus:
    """Read a .spacy file.

    Sentences are those of the documents. The columns are the words, the attributes that are set, each span group whose spans do
    not overlap (``spans.KEY``), and the entities as the labels. A label is ``?`` if a token may be in an entity. Documents
    are marked if one has several sentences.
    """
    source = source_name(path)
    documents = [document for document in read_documents(path) if sentence_tokens(document)]
    if not documents:
        raise InputError("expected documents with words, got none", source=source)
    entities = Annotation(ENTITIES)
    groups = _flat_groups(documents)
    whole = [[span for one in (entities, *groups) for span in one.spans(document)] for document in documents]
    sentences = [sentence_tokens(document, unbroken) for document, unbroken in zip(documents, whole, strict=True)]
    columns: dict[str, list[list[str]]] = {WORD: [], SPACE: []}
    attributes = [name for name in READ if any(document.has_annotation(ATTRIBUTES[name].name) for document in documents)]
    columns |= {name: [] for name in attributes}
    columns |= {f"{GROUP}{group.key}": [] for group in groups}
    if any(map(entities.is_set, documents)):
        columns[LABEL] = []
    for document, numbers in zip(documents, sentences, strict=True):
        tokens = [[document[number] for number in sentence] for sentence in numbers]
        columns[WORD] += [[token.text for token in sentence] for sentence in tokens]
        columns[SPACE] += _blanks(document.text, tokens)
        for name in attributes:
            columns[name] += [[ATTRIBUTES[name].value(token) or EMPTY for token in sentence] for sentence in tokens]
        for group in groups:
            columns[f"{GROUP}{group.key}"] += group.labels(document, numbers)
        if LABEL in columns:
            columns[LABEL] += entities.labels(document, numbers, unknown=UNKNOWN)
    if any(document.has_unknown_spaces for document in documents):
        del columns[SPACE]
    starts = [sum(map(len, sentences[:number])) for number in range(len(sentences))] if max(map(len, sentences)) > 1 else []
    return Corpus.from_columns(columns, documents=starts, source=source)


def _blanks(text: str, sentences: list[list[Any]]) -> list[list[str]]:
    """Return the blanks after each token, with tokens of blanks."""
    starts = iter([*[token.idx for sentence in sentences for token in sentence][1:], len(text)])
    return [[text[token.idx + len(token.text) : next(starts)] for token in sentence] for sentence in sentences]


def read_documents(path: str | Path, vocab: Any = None) -> list[Any]:
    """Return the documents of a .spacy file."""
    spacy = import_spacy(source_name(path))
    data = read_bytes(path)
    try:
        return list(spacy.tokens.DocBin().from_bytes(data).get_docs(vocab or spacy.vocab.Vocab()))
    except MemoryError:
        raise
    except Exception as error:  # zlib, msgpack and NumPy have errors of their own
        reason = str(error).split("\n")[0] or type(error).__name__
        message = f"expected a .spacy file, got something else or a damaged file: {reason}"
        raise InputError(message, source=source_name(path)) from None


def _flat_groups(documents: list[Any]) -> list[Annotation]:
    """Return the span groups of which no spans overlap."""
    groups = []
    for key in sorted({key for document in documents for key in document.spans}):
        group = Annotation(SPANS, key)
        try:
            for document in documents:
                group.spans(document)
        except InputError:
            continue
        groups.append(group)
    return groups


def write_docbin(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus: documents as they are marked, or one per sentence.

    Labels of spans are entities, other labels tags. Columns ``spans.KEY`` are span groups; tag, pos, lemma and morph are
    attributes.
    """
    import_spacy(source_name(path))
    data = docbin_bytes(make_documents(corpus))
    with open_output(path) as write:
        write(data)


def docbin_bytes(documents: list[Any]) -> bytes:
    """Return the bytes of a .spacy file."""
    data: bytes = import_spacy("a .spacy file").tokens.DocBin(docs=documents, store_user_data=True).to_bytes()
    return data


def make_documents(corpus: Corpus, vocab: Any = None) -> list[Any]:
    """Return the documents of a corpus, by default with a vocabulary of their own."""
    vocab = vocab or import_spacy("documents").vocab.Vocab()
    corpus = corpus.drop_empty()
    columns = _written_columns(corpus)
    is_spans = corpus.label_column is not None and has_span_labels(corpus)
    starts = corpus.document_starts or list(range(len(corpus)))
    if starts and starts[0]:
        starts = [0, *starts]
    lists = {argument: corpus.column(name) for argument, name in columns.items()}
    blanks = corpus.column(SPACE) if SPACE in corpus.columns else None
    groups = {name.removeprefix(GROUP): corpus.column(name) for name in corpus.columns if name.startswith(GROUP)}
    words, documents = corpus.words, []
    for begin, end in pairwise([*starts, len(corpus)]):
        part = slice(begin, end)
        attributes = {argument: _flat(values[part]) for argument, values in lists.items()}
        document = make_document(vocab, words[part], None if blanks is None else blanks[part], **attributes)
        for key, rows in groups.items():
            document.spans[key] = _spans_of(document, rows[part])
        if is_spans:
            _set_entities(document, corpus.labels[part])
        documents.append(document)
    return documents


def _written_columns(corpus: Corpus) -> dict[str, str]:
    """Return the column of each argument of a document; plain labels are tags."""
    columns: dict[str, str] = {}
    for name in corpus.columns:
        if name in WRITTEN and name != corpus.label_column:
            columns.setdefault(_argument(corpus, name), name)
    label = corpus.label_column
    if label is not None and not has_span_labels(corpus):
        columns[_argument(corpus, label)] = label
    return columns


def _argument(corpus: Corpus, name: str) -> str:
    """Return the argument of a new document for a column: coarse parts of speech must be universal ones."""
    argument = WRITTEN.get(name, "tags")
    universal = import_spacy("parts of speech").parts_of_speech.IDS
    is_other = argument == "pos" and any(value not in universal for value in {*corpus.strings(name)} - {EMPTY})
    return "tags" if is_other else argument


def lost_in_docbin(corpus: Corpus) -> list[str]:
    """Return the columns that a .spacy file does not have."""
    written = {WORD, SPACE, corpus.label_column, *_written_columns(corpus).values()}
    return [name for name in corpus.columns if name not in written and not name.startswith(GROUP)]


def _flat(rows: list[list[str]]) -> list[str]:
    return ["" if value == EMPTY else value for row in rows for value in row]


def _spans_of(document: Any, rows: list[list[str]]) -> list[Any]:
    """Return the spans of labels, with their places in the document."""
    return place_spans(document, number_tokens(rows), map(spans, rows))


def _set_entities(document: Any, rows: list[list[str]]) -> None:
    labels = [["O" if label == UNKNOWN else label for label in row] for row in rows]
    unknown = [number for number, label in enumerate(label for row in rows for label in row) if label == UNKNOWN]
    missing = [document[number : number + 1] for number in unknown]
    document.set_ents(_spans_of(document, labels), missing=missing, default="outside")
