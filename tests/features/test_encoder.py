"""The native encoder against the one in plain Python (tests/oracles/encoder.py), over random templates and corpora."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import numpy as np
import pytest
from encoding_checks import Sentences, as_corpus, cases, check_encoding, counted, rows_of
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import encoder as oracle
from strategies import corpora, loaded

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, NotFittedError, TemplateError
from tagpool.features.encoded import EncodedCorpus
from tagpool.features.encoder import Encoder
from tagpool.features.parser import parse
from tagpool.features.resources import Gazetteer
from tagpool.features.template import Call, Field, Range, Template, TemplateSet, Term

# The rows -----------------------------------------------------------------------------------------------------------------


@given(cases())
def test_features_are_those_of_the_oracle(case):
    check_encoding(*case)


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
    check_encoding(parse(text), sentences, plain)


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
    check_encoding(templates, train, {})
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


@given(cases(), corpora(), st.integers(1, 3))
def test_a_further_corpus_adds_features(case, other, minimum):
    templates, sentences, plain = case
    resources = loaded(plain, templates)
    encoder = Encoder(templates, resources=resources, min_count=minimum)
    first, counts = encoder.fit_transform(as_corpus(sentences)), encoder.feature_counts.tolist()
    further = encoder.extend(as_corpus(other))
    old = Encoder(templates, resources=resources, min_count=minimum).fit(as_corpus(sentences)).feature_names
    rows, other_rows = (oracle.encode(templates, one, plain) for one in (sentences, other))
    occurrences = oracle.counts(other_rows)
    stored = set(old) | {name for name, count in occurrences.items() if count >= minimum}
    names = encoder.feature_names
    assert names[: len(old)] == old
    assert set(names) == stored
    assert further.feature_count == len(names) == len(stored)
    assert rows_of(first, names) == counted([[feature for feature in row if feature[0] in old] for row in rows])
    assert rows_of(further, names) == counted([[feature for feature in row if feature[0] in stored] for row in other_rows])
    before = dict(zip(old, counts, strict=True))
    expected = [before.get(name, 0) + occurrences.get(name, 0) for name in names]
    assert encoder.feature_counts.tolist() == expected
    assert rows_of(encoder.transform(as_corpus(other)), names) == rows_of(further, names)


def test_no_corpus_is_added_after_the_names():
    encoder = Encoder("word[0]").fit(Corpus.from_lists(word=[["a"]]))
    assert encoder.feature_names == ["word[0]=a"]
    with pytest.raises(InputError, match="directly after fitting"):
        encoder.extend(Corpus.from_lists(word=[["b"]]))


@given(cases(), corpora(), st.data())
def test_gathered_sentences_have_their_features(case, other, data):
    templates, sentences, plain = case
    encoder = Encoder(templates, resources=loaded(plain, templates))
    parts = [encoder.fit_transform(as_corpus(sentences)), encoder.extend(as_corpus(other))]
    names, expected, chosen = encoder.feature_names, [], []
    for part in parts:
        numbers = data.draw(st.lists(st.sampled_from(range(len(part))), max_size=4))
        marks = data.draw(st.none() | st.binary(min_size=len(names), max_size=len(names)))
        rows = rows_of(part, names)
        left = names if marks is None else {name for name, mark in zip(names, marks, strict=True) if mark}
        for number in numbers:
            begin, end = part.sentences[number : number + 2].tolist()
            expected += [Counter({one: times for one, times in row.items() if one[0] in left}) for row in rows[begin:end]]
        chosen.append((part.native, np.array(numbers, np.uint32), marks))
    gathered = _native.Encoding.gather(chosen)
    assert rows_of(EncodedCorpus(gathered, len(names)), names) == expected
    assert len(gathered.sentences()) == 1 + sum(len(numbers) for _, numbers, _ in chosen)


def test_faults_of_gathering():
    encoded = Encoder("word[0]").fit_transform(Corpus.from_lists(word=[["a", "b"]]))
    with pytest.raises(_native.InputFault, match="no sentence with this number"):
        _native.Encoding.gather([(encoded.native, np.array([1], np.uint32), None)])
    with pytest.raises(_native.InputFault, match="a mark for every feature"):
        _native.Encoding.gather([(encoded.native, np.array([0], np.uint32), b"\1")])


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
    # The order of the embeddings is that of all templates, also of those in other bags.
    blocks = oracle.embedded(templates, sentences[0], plain, sorted(wanted))
    everything = oracle.embedded(templates, sentences[0], plain)
    assert [block.key for block in restricted.dense] == [key for key in everything if key in blocks]
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


def test_a_failed_fit_leaves_the_encoder_unchanged():
    corpus = Corpus.from_lists(word=[["a"]], score=[["1"]], label=[["O"]])
    encoder = Encoder("number(score)[0]").fit(corpus)
    before = encoder.labels_, encoder.feature_names, encoder.transform(corpus).labels.tolist()
    encoder.templates = "number(score)[0]\nword[0]"
    with pytest.raises(InputError):
        encoder.fit(Corpus.from_lists(word=[["a"]], score=[["x"]], label=[["B"]]))
    assert (encoder.labels_, encoder.feature_names, encoder.transform(corpus).labels.tolist()) == before
    assert str(encoder.templates_) == "number(score)[0]\n"


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
    check_encoding(templates, [{"word": ["a"]}], {"brown": {"a": "éü"}})


@example([["a b"]], "a b")
@given(
    st.lists(st.lists(st.text("ab |\\", max_size=3), min_size=1, max_size=3), min_size=1, max_size=3), st.text("ab |", max_size=4)
)
def test_names_of_different_features_differ(sentences, extra):
    """Escaping: whatever bars the values have, a name means one feature."""
    corpus = Corpus.from_lists(word=[[*sentence, extra] for sentence in sentences])
    encoder = Encoder("U: word[0]\nU: word[0] & word[1]\nU: word[-1] & word[0] & word[1]\nword[0] & word[1]").fit(corpus)
    assert len(set(encoder.feature_names)) == encoder.feature_count
