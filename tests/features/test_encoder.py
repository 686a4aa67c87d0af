"""The native encoder against the one in plain Python (tests/oracles/encoder.py), over random templates and corpora."""

from __future__ import annotations

import itertools
import pickle
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import encoder as oracle
from strategies import corpora, loaded, plain_resources, template_sets

from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, NotFittedError, TemplateError
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.features.parser import parse
from tagpool.features.resources import Gazetteer
from tagpool.features.template import Call, Field, Range, Template, TemplateSet, Term

Sentences = list[dict[str, list[str]]]


def as_corpus(sentences: Sentences, **options: Any) -> Corpus:
    return Corpus.from_columns({name: [s[name] for s in sentences] for name in sentences[0]}, **options)


def rows_of(encoded: EncodedCorpus, names: list[str]) -> list[Counter[oracle.Feature]]:
    """The rows as names with values."""
    values = encoded.values.tolist() if encoded.values is not None else [1.0] * encoded.occurrence_count
    ids, starts = encoded.ids.tolist(), encoded.starts.tolist()
    assert len(ids) == len(values) == starts[-1]
    return [Counter((names[ids[i]], values[i]) for i in range(begin, end)) for begin, end in itertools.pairwise(starts)]


def counted(rows: list[list[oracle.Feature]]) -> list[Counter[oracle.Feature]]:
    return [Counter(row) for row in rows]


@st.composite
def cases(draw: st.DrawFn, *, history: bool = False) -> tuple[TemplateSet, Sentences, dict[str, Any]]:
    sentences = draw(corpora())
    pool = sorted({word for sentence in sentences for word in sentence["word"]})
    return draw(template_sets(history=history)), sentences, draw(plain_resources(pool))


def check(templates: TemplateSet, sentences: Sentences, plain: dict[str, Any]) -> None:
    """Fits, and compares rows, names, counts and descriptions with the oracle."""
    expected = oracle.encode(templates, sentences, plain)
    corpus = as_corpus(sentences)
    encoder = Encoder(templates, resources=loaded(plain, templates))
    encoded = encoder.fit_transform(corpus)
    names = encoder.feature_names
    assert len(set(names)) == len(names) == encoded.feature_count == encoder.feature_count
    assert rows_of(encoded, names) == counted(expected)
    assert Counter(dict(zip(names, encoder.feature_counts.tolist(), strict=True))) == oracle.counts(expected)
    described = [row for i in range(len(corpus)) for row in encoder.describe(corpus, i)]
    assert counted(described) == counted(expected)
    assert encoded.sentences.tolist() == np.cumsum([0] + [len(s["word"]) for s in sentences]).tolist()
    again = encoder.transform(corpus)
    assert np.array_equal(again.ids, encoded.ids)
    assert np.array_equal(again.starts, encoded.starts)
    assert (again.values is None) == (encoded.values is None)
    assert again.values is None or np.array_equal(again.values, encoded.values)


# The rows -----------------------------------------------------------------------------------------------------------------


@given(cases())
def test_features_are_those_of_the_oracle(case):
    check(*case)


@pytest.mark.parametrize(
    "text",
    [
        "word[-2..2]",
        "bias\nposition[-1..1]",
        "T: word[-1..1]\nT: pos[0]",  # shared: a word that is also a tag is one feature
        "T: word[0]\nT: word[0] & pos[0]",  # the word "a|NN" is not the words a and NN
        "capitals(word, -2..2)[-1..1]",
        "disjunction(lower(word), -50..50)[0]",
        "disjunction(prefix(word, 1..2), -1..1)[-1..1] & shape(word)[0]",
        "gazetteer(lists, lower(word))[-1..1] & gazetteer(lists, plain)[0]",
        "gazetteer(lists, prefix(word, 2))[0]",  # words of one letter have no value, in the text and in the phrase
        "lower(cluster(brown, 2..3))[0] & disjunction(cluster(brown), -1..1)[0]",
        "gazetteer(lists, cluster(brown))[0]",
        "number(score)[-1..1]\nnumber(score)[0] & number(score)[1] & word[0]\nword[0]",
        "word[-50] & word[50]\nword[50]\nprefix(word, 1)[-50]",
        "boundary off\nword[-1..1]\nword[-1] & word[0]\nshape(word)[1] & pos[-1]",
        "ngrams(word, 1..512)[0]\nngrams(word, 1..3, edges)[0]",
        "prefix(word, 1, 1..2)[0]\nprefix(word, 2)[0]",  # the same feature three times is one
        "orthography(word)[0] & orthography(word, dfi)[1]",
    ],
)
def test_chosen_templates(text):
    sentences = [
        {"word": ["New", "York", "a", "City", "new", "york", "a", "b"], "pos": ["NN", "a", "New", "NN", "|", "x", "x", "x"]},
        {"word": ["a|NN"], "pos": ["NN"]},
        {"word": ["a", "a", "A", "É1x9", "x" * 70 + "yx" * 20], "pos": ["NN", "NN", "NN", "|", "\\"]},
    ]
    for sentence in sentences:
        sentence["score"] = ["0.5", "0", "-2", "1", "3", "1e-3", "7", "1"][: len(sentence["word"])]
    plain = {
        "lists": {"cities": ["New York", "New York City", "york", "a b"], "letters": ["a", "b\tc", "x a b", ""]},
        "brown": {"New": "0110", "York": "0111", "a": "10", "b": "10"},
    }
    check(parse(text), sentences, plain)


def test_the_example_of_the_class_by_hand():
    corpus = Corpus.from_lists(word=[["in", "New", "York"]])
    encoder = Encoder("gazetteer(g)[0..1]\nprefix(word, 1)[0] & word[1]", resources={"g": Gazetteer({"c": ["New York"]})})
    encoder.fit(corpus)
    assert encoder.describe(corpus, 0) == [
        [("gazetteer(g)[1]=c/B", 1.0), ("prefix(word, 1)[0]&word[1]=i|New", 1.0)],
        [("gazetteer(g)[0]=c/B", 1.0), ("gazetteer(g)[1]=c/L", 1.0), ("prefix(word, 1)[0]&word[1]=N|York", 1.0)],
        [("gazetteer(g)[0]=c/L", 1.0), ("prefix(word, 1)[0]&word[1]=Y|_B+1", 1.0)],
    ]


@pytest.mark.parametrize("distinct", [3, 400])
def test_conjunctions_by_table_and_by_hash(distinct):
    """Few combinations of values are looked up in a table, many are hashed: both are the oracle's, also for unseen words."""
    random_numbers = random.Random(distinct)

    def sentences(count: int, extra: int) -> Sentences:
        lengths = [random_numbers.randint(1, 12) for _ in range(count)]
        word = lambda: f"W{random_numbers.randrange(distinct + extra)}"  # noqa: E731
        return [{"word": [word() for _ in range(n)], "pos": [word().lower() for _ in range(n)]} for n in lengths]

    train, test = sentences(200, 0), sentences(50, 2)
    templates = parse("word[-1] & word[0]\npos[-2] & lower(word)[0] & pos[1]\npos[0] & shape(pos)[0]\nword[0] & pos[-1]")
    tokens = sum(len(s["word"]) for s in train)
    assert (distinct**2 <= tokens) == (distinct == 3)  # the rule by which the core chooses
    check(templates, train, {})
    encoder = Encoder(templates).fit(as_corpus(train))
    known = set(encoder.feature_names)
    expected = [[f for f in row if f[0] in known] for row in oracle.encode(templates, test, {})]
    assert rows_of(encoder.transform(as_corpus(test)), encoder.feature_names) == counted(expected)
    small = sentences(3, 1)  # too small for a table
    expected = [[f for f in row if f[0] in known] for row in oracle.encode(templates, small, {})]
    assert rows_of(encoder.transform(as_corpus(small)), encoder.feature_names) == counted(expected)


@given(cases(), corpora(), st.data())
def test_transform_drops_what_was_not_met(case, other, data):
    templates, sentences, plain = case
    # some words in common, so that not everything is dropped
    shared = [dict(s) for s in data.draw(st.lists(st.sampled_from(sentences), max_size=2))]
    other = other + shared
    encoder = Encoder(templates, resources=loaded(plain, templates)).fit(as_corpus(sentences))
    encoded = encoder.transform(as_corpus(other))
    known = oracle.counts(oracle.encode(templates, sentences, plain))
    expected = [[feature for feature in row if feature[0] in known] for row in oracle.encode(templates, other, plain)]
    assert rows_of(encoded, encoder.feature_names) == counted(expected)
    # describe keeps what is not in the index
    described = [row for i in range(len(other)) for row in encoder.describe(as_corpus(other), i)]
    assert counted(described) == counted(oracle.encode(templates, other, plain))


@given(cases(), st.integers(2, 4))
def test_min_count_is_by_the_oracles_counts(case, minimum):
    templates, sentences, plain = case
    encoder = Encoder(templates, resources=loaded(plain, templates), min_count=minimum)
    encoded = encoder.fit_transform(as_corpus(sentences))
    rows = oracle.encode(templates, sentences, plain)
    stored = {name: count for name, count in oracle.counts(rows).items() if count >= minimum}
    assert dict(zip(encoder.feature_names, encoder.feature_counts.tolist(), strict=True)) == stored
    expected = counted([[feature for feature in row if feature[0] in stored] for row in rows])
    assert rows_of(encoded, encoder.feature_names) == expected
    assert rows_of(encoder.transform(as_corpus(sentences)), encoder.feature_names) == expected
    templates_of = [template.key for template in encoder.feature_templates]
    assert templates_of == [name.split("=", 1)[0] for name in encoder.feature_names]


# Bags ---------------------------------------------------------------------------------------------------------------------


@given(cases(), st.sets(st.sampled_from(["one", "two", "three-3"])))
def test_restrict_keeps_the_features_of_base_and_bags(case, wanted):
    templates, sentences, plain = case
    wanted &= set(templates.bags)
    encoder = Encoder(templates, resources=loaded(plain, templates))
    encoded = encoder.fit_transform(as_corpus(sentences))
    restricted = encoded.restrict(*wanted)
    assert rows_of(restricted, encoder.feature_names) == counted(oracle.encode(templates, sentences, plain, bags=sorted(wanted)))
    assert restricted.feature_count == encoded.feature_count
    blocks = oracle.embedded(templates, sentences[0], plain, sorted(wanted))
    assert [block.key for block in restricted.dense] == list(blocks)
    # restricting the templates beforehand gives the same features under other numbers
    if not any(not template.bags or set(template.bags) & wanted for template in templates):
        with pytest.raises(TemplateError, match="no template is left"):
            templates.restrict(*wanted)
        return
    stored = templates.restrict(*wanted)
    fresh = Encoder(stored, resources=loaded(plain, stored))
    assert rows_of(fresh.fit_transform(as_corpus(sentences)), fresh.feature_names) == rows_of(restricted, encoder.feature_names)


def test_restrict_knows_the_bags():
    encoded = Encoder("word[0]\n[a]\nlower(word)[0]").fit_transform(Corpus.from_lists(word=[["x"]]))
    with pytest.raises(TemplateError, match=r"no bag 'b'; the bags are base, a"):
        encoded.restrict("b")


def test_a_feature_of_two_bags_is_one_feature():
    encoder = Encoder("[a]\nword[-1..0]\n[b]\nword[0..1]")
    encoded = encoder.fit_transform(Corpus.from_lists(word=[["x", "y"]]))
    assert encoded.occurrence_count == 6
    assert encoded.restrict("a").occurrence_count == encoded.restrict("b").occurrence_count == 4
    assert encoded.restrict("base").occurrence_count == 0
    assert encoded.restrict("a", "b").occurrence_count == 6


# Numbers ------------------------------------------------------------------------------------------------------------------


def test_number_values():
    corpus = Corpus.from_lists(word=[["a", "b", "c"]], score=[["2.5", "0", "-1e2"]])
    encoder = Encoder("number(score)[0]\nnumber(score)[0] & word[0]\nnumber(score)[0] & number(score)[-2]").fit(corpus)
    assert encoder.describe(corpus, 0) == [
        [("number(score)[0]=1", 2.5), ("number(score)[0]&word[0]=1|a", 2.5)],
        [],
        [
            ("number(score)[0]=1", -100.0),
            ("number(score)[0]&word[0]=1|c", -100.0),
            ("number(score)[0]&number(score)[-2]=1|1", -250.0),
        ],
    ]


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_numbers_are_read_as_python_reads_them(numbers):
    corpus = Corpus.from_lists(word=[["x"] * len(numbers)], score=[[repr(n) for n in numbers]])
    encoded = Encoder("bias\nnumber(score)[0]").fit_transform(corpus)
    values = [v for row in rows_of(encoded, ["bias", "score"]) for (name, v) in row if name == "score"]
    assert values == [n for n in numbers if n != 0]


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-inf", "1,5", "1 ", " 1", "0x10", "1e39", "1e999", "--1", "1_000", "١"])
def test_what_is_no_number_is_an_error_that_names_the_token(text):
    sentences = [{"word": ["a"], "score": ["1"]}, {"word": ["b", "c"], "score": ["1", text]}]
    corpus = as_corpus(sentences, source="train.conll")
    for template in ("number(score)[0]", "word[0] & number(score)[-1..1]"):
        with pytest.raises(InputError, match=r'^train.conll: column "score": expected a number.*\(sentence 2, token 2\)'):
            Encoder(template).fit(corpus)
    fitted = Encoder("number(score)[0]").fit(as_corpus(sentences[:1]))
    with pytest.raises(InputError, match="sentence 2, token 2"):
        fitted.transform(corpus)
    with pytest.raises(InputError, match="sentence 2, token 2"):
        fitted.describe(corpus, 1)
    with pytest.raises(InputError, match="sentence 2, token 2"):
        Encoder("word[0]\nlabel[-1] & number(score)[0]", history=True).fit(corpus)


@pytest.mark.parametrize("text", ["+1.5", "1.5", "15e-1", ".15e1", "1.50"])
def test_spellings_of_a_number(text):
    encoded = Encoder("number(score)[0]").fit_transform(Corpus.from_lists(word=[["a"]], score=[[text]]))
    assert encoded.values.tolist() == [1.5]


def test_a_product_of_numbers_that_is_not_finite_is_an_error():
    corpus = Corpus.from_lists(word=[["a"]], score=[["1e30"]])
    with pytest.raises(InputError, match="sentence 1, token 1"):
        Encoder("number(score)[0] & number(score)[0]").fit(corpus)


# Embeddings ---------------------------------------------------------------------------------------------------------------


@given(cases())
def test_dense_blocks(case):
    templates, sentences, plain = case
    encoder = Encoder(templates, resources=loaded(plain, templates))
    encoded = encoder.fit_transform(as_corpus(sentences))
    expected: dict[str, list[tuple[float, ...] | None]] = {}
    for sentence in sentences:
        for key, block in oracle.embedded(templates, sentence, plain).items():
            expected.setdefault(key, []).extend(block)
    result = {}
    bounds = encoded.sentences.tolist()
    for block in encoded.dense:
        result[block.key] = []
        for begin, end in itertools.pairwise(bounds):
            for at in range(begin + block.offset, end + block.offset):
                row = block.rows[at] if begin <= at < end else -1
                result[block.key].append(tuple(block.vectors[row].tolist()) if row >= 0 else None)
    assert len(result) == len(encoded.dense)
    assert result == expected


def test_blocks_of_one_embedding_share_their_rows():
    templates = parse("embedding(glove, lower(word))[-1..1]\nembedding(glove)[0]")
    resources = loaded({"glove": {"a": (1, 2), "b": (3, 4)}}, templates)
    encoded = Encoder(templates, resources=resources).fit_transform(Corpus.from_lists(word=[["A", "b"]]))
    assert [(block.key, block.offset, block.rows.tolist()) for block in encoded.dense] == [
        ("embedding(glove, lower(word))[-1]", -1, [0, 1]),
        ("embedding(glove, lower(word))[0]", 0, [0, 1]),
        ("embedding(glove, lower(word))[1]", 1, [0, 1]),
        ("embedding(glove)[0]", 0, [-1, 1]),
    ]
    assert encoded.dense[0].rows is encoded.dense[2].rows
    assert encoded.occurrence_count == 0


# History ------------------------------------------------------------------------------------------------------------------


@given(cases(history=True))
def test_history_encoding(case):
    templates, sentences, plain = case
    resources = loaded(plain, templates)
    corpus = as_corpus(sentences)
    if any(template.is_history for template in templates):
        with pytest.raises(TemplateError, match="previous labels"):
            Encoder(templates, resources=resources).fit(corpus)
    encoder = Encoder(templates, resources=resources, history=True)
    encoded = encoder.fit_transform(corpus)
    assert rows_of(encoded, encoder.feature_names) == counted(oracle.encode(templates, sentences, plain))
    expected = counted(oracle.encode(templates, sentences, plain, history=True))
    if encoded.history is None:
        assert not any(expected)
        assert encoder.history_names == []
        return
    names = encoder.history_names
    assert encoded.history_feature_count == len(names)
    for item in (encoded, encoder.transform(corpus)):
        assert rows_of(EncodedCorpus(item.history, len(names)), names) == expected
    bags = templates.bags[:1]
    restricted = encoded.restrict(*bags)
    stored = counted(oracle.encode(templates, sentences, plain, history=True, bags=bags))
    assert rows_of(EncodedCorpus(restricted.history, len(names)), names) == stored


def test_history_names_leave_the_labels_values_open():
    corpus = Corpus.from_lists(word=[["a", "b"]], label=[["X", "Y"]])
    encoder = Encoder("word[0]\nlabel[-2..-1]\nlabel[-1] & word[0] & word[1]", history=True).fit(corpus)
    assert encoder.feature_names == ["word[0]=a", "word[0]=b"]
    assert sorted(encoder.history_names) == [
        "label[-1]&word[0]&word[1]=a|b",
        "label[-1]&word[0]&word[1]=b|_B+1",
        "label[-1]=1",
        "label[-2]=1",
    ]


def test_the_labels_are_no_feature():
    corpus = Corpus.from_columns({"word": [["a"]], "tag": [["X"]]}, label_column="tag")
    with pytest.raises(TemplateError, match="'tag' is the column of the labels") as caught:
        Encoder("word[0] & lower(tag)[0]").fit(corpus)
    assert caught.value.column == 10
    with pytest.raises(TemplateError, match="unknown field 'tags'; the columns are word, tag"):
        Encoder("word[0] & tags[0]").fit(corpus)


def test_a_column_that_is_missing_later_is_an_error():
    for template in ("word[0] & pos[0]", "word[0]\nlabel[-1] & pos[0]"):
        encoder = Encoder(template, history=True).fit(Corpus.from_lists(word=[["a"]], pos=[["b"]]))
        with pytest.raises(TemplateError, match="unknown field 'pos'; the columns are word"):
            encoder.transform(Corpus.from_lists(word=[["a"]]))


# Labels -------------------------------------------------------------------------------------------------------------------


def test_label_ids():
    train = Corpus.from_lists(word=[["a", "b"], ["c"]], label=[["O", "B"], ["O"]])
    encoder = Encoder("word[0]")
    assert encoder.fit_transform(train).labels.tolist() == [0, 1, 0]
    assert encoder.labels_ == ("O", "B")
    other = Corpus.from_lists(word=[["a", "b", "c"]], label=[["B", "I", "O"]])
    assert encoder.transform(other).labels.tolist() == [1, -1, 0]
    assert encoder.transform(Corpus.from_lists(word=[["a"]])).labels is None
    # labels that only other sentences of the same table have are not the selection's
    picked = Encoder("word[0]")
    assert picked.fit_transform(train.select([1])).labels.tolist() == [0]
    assert picked.labels_ == ("O",)
    assert picked.transform(train).labels.tolist() == [0, -1, 0]


# Corpora ------------------------------------------------------------------------------------------------------------------


@given(cases(), st.data())
def test_sub_corpora_encode_like_fresh_ones(case, data):
    templates, sentences, plain = case
    chosen = data.draw(st.lists(st.sampled_from(range(len(sentences))), min_size=1, max_size=5))
    resources = loaded(plain, templates)
    selected = as_corpus(sentences).select(chosen)
    fresh = as_corpus([sentences[i] for i in chosen])
    ours, theirs = Encoder(templates, resources=resources), Encoder(templates, resources=resources)
    encoded, expected = ours.fit_transform(selected), theirs.fit_transform(fresh)
    assert rows_of(encoded, ours.feature_names) == rows_of(expected, theirs.feature_names)
    assert ours.feature_names == theirs.feature_names
    assert np.array_equal(encoded.ids, expected.ids)
    assert [block.rows.tolist() for block in encoded.dense] == [block.rows.tolist() for block in expected.dense]


@given(corpora())
def test_corpora_survive_pickling(sentences):
    corpus = as_corpus(sentences, documents=[0], label_column="pos", source="here")
    for item in (corpus, corpus.select([len(sentences) - 1, 0])):
        copy = pickle.loads(pickle.dumps(item))
        assert copy == item
        assert (copy.source, copy.label_column, copy.document_starts) == (item.source, "pos", item.document_starts)
        encoded = [Encoder("word[-1..1]\nshape(word)[0]").fit_transform(corpus) for corpus in (item, copy)]
        assert np.array_equal(encoded[0].ids, encoded[1].ids)
        assert np.array_equal(encoded[0].labels, encoded[1].labels)


@given(cases())
def test_encoding_is_deterministic(case):
    templates, sentences, plain = case
    encoders = [Encoder(templates, resources=loaded(plain, templates)) for _ in range(2)]
    first, second = (encoder.fit_transform(as_corpus(sentences)) for encoder in encoders)
    assert np.array_equal(first.ids, second.ids)
    assert encoders[0].feature_names == encoders[1].feature_names
    # names written late, or fitted again, are the same names
    encoders[1].fit(as_corpus(sentences[:1]))
    again = encoders[1].fit_transform(as_corpus(sentences))
    assert np.array_equal(first.ids, again.ids)
    assert encoders[0].feature_names == encoders[1].feature_names


def test_names_outlive_the_corpus_and_counts_come_after_names():
    encoder = Encoder("word[0]").fit(Corpus.from_lists(word=[["b", "a", "b"]]))
    assert encoder.feature_names == ["word[0]=b", "word[0]=a"]
    assert encoder.feature_names == ["word[0]=b", "word[0]=a"]
    assert encoder.feature_counts.tolist() == [2, 1]


# Parameters ---------------------------------------------------------------------------------------------------------------


def test_before_fitting_there_is_nothing():
    encoder = Encoder("word[0]")
    corpus = Corpus.from_lists(word=[["a"]])
    for use in (lambda: encoder.transform(corpus), lambda: encoder.feature_names, lambda: encoder.describe(corpus, 0)):
        with pytest.raises(NotFittedError, match="call fit"):
            use()


@pytest.mark.parametrize(
    "options",
    [{"min_count": 0}, {"min_count": 1.5}, {"min_count": True}],
)
def test_bad_parameters(options):
    with pytest.raises(InputError, match=next(iter(options)).replace("_", ".")):
        Encoder("word[0]", **options).fit(Corpus.from_lists(word=[["a"]]))


def test_a_failed_fit_leaves_no_half_fitted_encoder():
    encoder = Encoder("number(score)[0]").fit(Corpus.from_lists(word=[["a"]], score=[["1"]], label=[["O"]]))
    with pytest.raises(InputError):
        encoder.fit(Corpus.from_lists(word=[["a"]], score=[["x"]], label=[["B"]]))
    with pytest.raises(NotFittedError):
        encoder.transform(Corpus.from_lists(word=[["a"]], score=[["1"]], label=[["O"]]))


def test_describe_names_a_sentence_that_does_not_exist():
    corpus = Corpus.from_lists(word=[["a"]])
    encoder = Encoder("word[0]").fit(corpus)
    with pytest.raises(InputError, match="sentence 1 does not exist"):
        encoder.describe(corpus, 1)


@pytest.mark.parametrize("text", ["word[-50..50] & word[-50..50] & word[-50..50]", "prefix(word, 1..512)[-50..50] & word[-1..1]"])
def test_too_many_conjunctions_are_an_error_at_once(text):
    with pytest.raises(TemplateError, match="65,535"):
        Encoder(text).fit(Corpus.from_lists(word=[["a"]]))


def test_clusters_of_other_letters_are_cut_at_characters():
    templates = TemplateSet((Template((Term(Call("cluster", Field("word"), "brown", (Range(1, 1),)), (Range(0, 0),)),)),))
    check(templates, [{"word": ["a"]}], {"brown": {"a": "éü"}})


@example([["a b"]], "a b")
@given(
    st.lists(st.lists(st.text("ab |\\", max_size=3), min_size=1, max_size=3), min_size=1, max_size=3), st.text("ab |", max_size=4)
)
def test_names_of_different_features_differ(sentences, extra):
    """Escaping: whatever bars the values have, a name means one feature."""
    corpus = Corpus.from_lists(word=[[*sentence, extra] for sentence in sentences])
    encoder = Encoder("U: word[0]\nU: word[0] & word[1]\nU: word[-1] & word[0] & word[1]\nword[0] & word[1]").fit(corpus)
    assert len(set(encoder.feature_names)) == encoder.feature_count


def test_values_stay_beside_their_features_when_others_are_dropped():
    encoder = Encoder("word[0]\nnumber(score)[0]").fit(Corpus.from_lists(word=[["a"]], score=[["2"]]))
    encoded = encoder.transform(Corpus.from_lists(word=[["unseen", "a"]], score=[["3", "4"]]))
    assert rows_of(encoded, encoder.feature_names) == [
        Counter({("number(score)[0]=1", 3.0): 1}),
        Counter({("word[0]=a", 1.0): 1, ("number(score)[0]=1", 4.0): 1}),
    ]
