"""Files of spaCy: what is written is read again, by this reader and by spaCy itself."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span

from tagpool import Corpus, InputError, read_corpus, write_corpus
from tagpool.corpus.schemes import Scheme, to_labels
from tagpool.corpus.spacy.files import lost_in_docbin, read_documents

NLP = spacy.blank("en")


def write(folder: Path, *documents: Doc) -> Path:
    path = folder / "x.spacy"
    DocBin(docs=documents, store_user_data=True).to_disk(path)
    return path


def document(*sentences: str, **options) -> Doc:
    words = [sentence.split() for sentence in sentences]
    starts = [number == 0 for row in words for number in range(len(row))]
    return Doc(NLP.vocab, [word for row in words for word in row], sent_starts=starts, **options)


def test_documents_sentences_and_entities(tmp_path: Path):
    first, second = document("Ann Lee left", "Rain in Oslo"), document("Bea slept")
    first.ents = [Span(first, 0, 2, "PER"), Span(first, 5, 6, "LOC")]
    second.set_ents([], default="outside")
    corpus = read_corpus(write(tmp_path, first, second))
    assert corpus.words == [["Ann", "Lee", "left"], ["Rain", "in", "Oslo"], ["Bea", "slept"]]
    assert corpus.labels == [["B-PER", "I-PER", "O"], ["O", "O", "B-LOC"], ["O", "O"]]
    assert corpus.document_starts == [0, 2]


def test_a_document_without_sentences_is_one_sentence(tmp_path: Path):
    corpus = read_corpus(write(tmp_path, NLP("Ann left. Bea slept.")))
    assert corpus.words == [["Ann", "left", ".", "Bea", "slept", "."]]
    assert corpus.document_starts == []
    assert corpus.label_column is None


def test_an_entity_over_a_boundary_joins_the_sentences(tmp_path: Path):
    one = document("the St.", "Louis Post", "ended")
    one.set_ents([Span(one, 1, 4, "ORG")])
    corpus = read_corpus(write(tmp_path, one))
    assert corpus.words == [["the", "St.", "Louis", "Post"], ["ended"]]
    assert corpus.labels == [["O", "B-ORG", "I-ORG", "I-ORG"], ["O"]]


def test_tokens_of_blanks_are_left_out_and_stay_in_the_text(tmp_path: Path):
    text = "Ann  Lee\n\nleft"
    one = NLP(text)
    one.set_ents([Span(one, 0, 3, "PER")])
    corpus = read_corpus(write(tmp_path, one))
    assert corpus.words == [["Ann", "Lee", "left"]]
    assert corpus.labels == [["B-PER", "I-PER", "O"]]
    assert "".join(map(str.__add__, corpus.words[0], corpus.column("space")[0])) == text


def test_unknown_labels_survive(tmp_path: Path):
    one = document("Ann met Bea")
    one.set_ents([Span(one, 0, 1, "PER")], missing=[one[2:3]], default="outside")
    path = write(tmp_path, one)
    corpus = read_corpus(path)
    assert corpus.labels == [["B-PER", "O", "?"]]
    write_corpus(corpus, tmp_path / "y.spacy")
    assert [token.ent_iob_ for token in read_documents(tmp_path / "y.spacy")[0]] == ["B", "O", ""]


def test_attributes_and_span_groups_are_columns(tmp_path: Path):
    one = document("Ann left", tags=["NNP", "VBD"], pos=["PROPN", "VERB"], lemmas=["Ann", "leave"])
    one.spans["flat"] = [Span(one, 0, 1, "X")]
    one.spans["nested"] = [Span(one, 0, 1, "X"), Span(one, 0, 2, "Y")]
    corpus = read_corpus(write(tmp_path, one), label="spans.flat")
    assert set(corpus.columns) == {"word", "tag", "pos", "lemma", "spans.flat"}
    assert corpus.labels == [["B-X", "O"]]
    assert [corpus.column(name) for name in ("tag", "pos", "lemma")] == [
        [["NNP", "VBD"]],
        [["PROPN", "VERB"]],
        [["Ann", "leave"]],
    ]


def test_a_file_that_spacy_reads(tmp_path: Path):
    corpus = Corpus.from_columns(
        {
            "word": [["Ann", "left"], ["Rain"], ["Bea"]],
            "pos": [["NNP", "VBD"], ["NN"], ["NNP"]],
            "spans.sc": [["B-A", "I-A"], ["O"], ["B-B"]],
            "label": [["I-PER", "O"], ["O"], ["I-LOC"]],
        },
        documents=[0, 2],
    )
    write_corpus(corpus, tmp_path / "x.spacy")
    documents = list(DocBin().from_disk(tmp_path / "x.spacy").get_docs(NLP.vocab))
    assert [[sentence.text.strip() for sentence in one.sents] for one in documents] == [["Ann left", "Rain"], ["Bea"]]
    assert [[(one.text, one.label_) for one in document.ents] for document in documents] == [[("Ann", "PER")], [("Bea", "LOC")]]
    assert [[(one.text, one.label_) for one in document.spans["sc"]] for document in documents] == [
        [("Ann left", "A")],
        [("Bea", "B")],
    ]
    assert [token.tag_ for token in documents[0]] == ["NNP", "VBD", "NN"]  # these are no universal parts of speech


def test_plain_labels_are_tags(tmp_path: Path):
    corpus = Corpus.from_lists(word=[["Ann", "left"]], label=[["PROPN", "VERB"]])
    write_corpus(corpus, tmp_path / "x.spacy")
    assert read_corpus(tmp_path / "x.spacy", label="tag").labels == corpus.labels


def test_attributes_have_their_columns_in_conllu(tmp_path: Path):
    attributes = {
        "tag": [["NNP", "VBD"]],
        "pos": [["PROPN", "VERB"]],
        "lemma": [["Ann", "leave"]],
        "morph": [["_", "Tense=Past"]],
    }
    corpus = Corpus.from_columns({"word": [["Ann", "left"]], **attributes})
    write_corpus(corpus, tmp_path / "x.spacy")
    write_corpus(read_corpus(tmp_path / "x.spacy"), tmp_path / "x.conllu")
    tree = read_corpus(tmp_path / "x.conllu")
    assert [tree.column(name) for name in ("xpos", "upos", "lemma", "feats")] == list(attributes.values())
    write_corpus(tree, tmp_path / "y.spacy")
    again = read_corpus(tmp_path / "y.spacy")
    assert [again.column(name) for name in attributes] == list(attributes.values())


def test_lost_columns():
    corpus = Corpus.from_columns({"word": [["a"]], "chunk": [["x"]], "tag": [["y"]], "spans.k": [["O"]], "label": [["B-Z"]]})
    assert lost_in_docbin(corpus) == ["chunk"]


@st.composite
def corpora(draw) -> Corpus:
    word = st.sampled_from(["Ann", "left", "l'", "«", "東京", "-", "co.uk"])
    words = draw(st.lists(st.lists(word, min_size=1, max_size=5), min_size=1, max_size=6))
    rows = []
    for row in words:
        cuts = sorted(draw(st.sets(st.integers(0, len(row)), max_size=4)))
        ends = list(pairwise(cuts))
        chosen = [(begin, end, draw(st.sampled_from(["PER", "a b", "B-X"]))) for begin, end in ends if draw(st.booleans())]
        rows.append(to_labels(chosen, len(row), Scheme.BIO2))
    starts = sorted({0, *draw(st.sets(st.integers(0, len(words) - 1)))})
    has_long = len(starts) < len(words)
    return Corpus.from_columns({"word": words, "label": rows}, documents=starts if has_long else [])


@settings(max_examples=60, deadline=None)
@given(corpus=corpora())
def test_round_trip(corpus: Corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("docbin") / "x.spacy"
    write_corpus(corpus, path)
    again = read_corpus(path)
    assert (again.words, again.labels, again.document_starts) == (corpus.words, corpus.labels, corpus.document_starts)


@pytest.mark.parametrize("content", [b"", b"no DocBin", b"PK\x03\x04"])
def test_other_files_are_errors(tmp_path: Path, content: bytes):
    (tmp_path / "x.spacy").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.spacy: expected a \.spacy file, got something else or a damaged file"):
        read_corpus(tmp_path / "x.spacy")


def test_a_file_that_is_cut_off_is_an_error(tmp_path: Path):
    data = write(tmp_path, document("Ann left")).read_bytes()
    (tmp_path / "x.spacy").write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="damaged file"):
        read_corpus(tmp_path / "x.spacy")


def test_missing_and_empty_files_are_errors(tmp_path: Path):
    with pytest.raises(InputError, match="there is no such file"):
        read_corpus(tmp_path / "none.spacy")
    with pytest.raises(InputError, match="expected documents with words, got none"):
        read_corpus(write(tmp_path, Doc(NLP.vocab)))


def test_the_error_without_spacy_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = write(tmp_path, document("Ann left"))
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(InputError, match=r"spaCy is missing; pip install 'tagpool\[spacy\]'"):
        read_corpus(path)
