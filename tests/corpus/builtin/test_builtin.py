"""The built-in corpus: its contents, its options, and names that only the context tells apart."""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections import Counter, defaultdict

import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from tagpool import CRF, LBFGS, InducingTagger, MaxEnt, builtin_corpus
from tagpool.corpus.builtin import frames, generate, names, shapes
from tagpool.corpus.builtin.generate import draw_sentences
from tagpool.errors import InputError

PARTS = ("train", "dev", "test")
PINNED = "79b16577a2ca1a09e39347a5eb1939053b5a3180da04454be2ae509c68afb2a3"
TYPES = {"PER", "LOC", "ORG", "MISC"}

PENN_TAGS = frozenset([
    "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP", "NNPS", "PDT", "POS",
    "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP",
    "WP$", "WRB", "#", "$", ".", ",", ":", "(", ")", "``", "''",
])  # fmt: skip
CHUNKS = frozenset(["NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "INTJ"])


def words(sentence):
    return tuple(row[0] for row in sentence)


def spans(labels):
    """The entities of BIO2 labels as (start, end, type); a stray I- opens one."""
    result, start, kind = set(), None, None
    for place, label in enumerate([*labels, "O"]):
        if kind is not None and label != f"I-{kind}":
            result.add((start, place, kind))
            kind = None
        if label != "O" and kind is None:
            start, kind = place, label[2:]
    return result


def entities(sentences):
    for sentence in sentences:
        for start, end, kind in spans([row[3] for row in sentence]):
            yield tuple(row[0].lower() for row in sentence[start:end]), kind


def bio2_errors(tags):
    return [
        (before, tag)
        for before, tag in itertools.pairwise(["O", *tags])
        if tag.startswith("I-") and before not in {f"B-{tag[2:]}", tag}
    ]


@pytest.fixture(scope="module")
def drawn():
    return {part: draw_sentences(20_000, part=part) for part in PARTS}


@pytest.mark.parametrize("part", PARTS)
def test_twenty_thousand_distinct_sentences(drawn, part):
    assert len(drawn[part]) == 20_000
    assert len({words(sentence) for sentence in drawn[part]}) == 20_000


def test_parts_share_no_sentence_whatever_the_seed(drawn):
    keys = {part: {" ".join(words(sentence)).lower() for sentence in drawn[part]} for part in PARTS}
    keys["test"] |= {" ".join(words(s)).lower() for s in draw_sentences(20_000, part="test", seed=2, unseen=0, lowercase=1)}
    for left, right in itertools.combinations(PARTS, 2):
        assert not keys[left] & keys[right]
    # Drawn from the same names, the parts would share some sentences if nothing kept them apart.
    again = {" ".join(words(s)).lower() for s in draw_sentences(20_000, part="test", seed=3, unseen=0)}
    assert again & keys["test"]


def test_columns_are_well_formed(drawn):
    for sentence in itertools.chain.from_iterable(drawn.values()):
        assert all(len(row) == 4 and all(row) and not any(c.isspace() for c in row[0]) for row in sentence), sentence
        assert {row[1] for row in sentence} <= PENN_TAGS, sentence
        assert {row[2][2:] for row in sentence if row[2] != "O"} <= CHUNKS, sentence
        assert {row[3][2:] for row in sentence if row[3] != "O"} <= TYPES, sentence
        assert not bio2_errors([row[2] for row in sentence]), sentence
        assert not bio2_errors([row[3] for row in sentence]), sentence


def test_bio2_check_finds_errors():
    assert bio2_errors(["O", "I-NP"]) == [("O", "I-NP")]
    assert bio2_errors(["B-VP", "I-NP"]) == [("B-VP", "I-NP")]
    assert bio2_errors(["B-NP", "I-NP", "I-NP", "B-NP"]) == []


def test_sentences_vary(drawn):
    lengths = Counter(len(sentence) for sentence in drawn["train"])
    assert min(lengths) <= 4
    assert 30 <= max(lengths) <= 45
    assert len(frames.frames()) >= 350
    assert len({frame.source for frame in frames.frames()}) == len(frames.frames())
    kinds = Counter(kind for _, kind in entities(drawn["train"]))
    assert set(kinds) == TYPES
    assert min(kinds.values()) > 0.1 * sum(kinds.values())
    multi = sum(len(name) > 1 for name, _ in entities(drawn["train"]))
    assert multi > 0.3 * sum(kinds.values())


def test_indefinite_article_fits_its_word(drawn):
    for sentence in itertools.chain.from_iterable(drawn.values()):
        for word, following in itertools.pairwise(words(sentence)):
            if word.lower() in {"a", "an"}:
                needs_n = following == "hour" or following[0].lower() in "aeiou"
                assert (word.lower() == "an") == needs_n, sentence


def test_no_name_twice_in_a_sentence(drawn):
    for sentence in drawn["test"]:
        result = list(entities([sentence]))
        assert len(result) == len(set(result)), sentence


def test_quotes_are_balanced(drawn):
    for sentence in drawn["dev"]:
        assert [row[1] for row in sentence if row[0] == '"'] in ([], ["``", "''"]), sentence


def test_draw_is_pinned():
    text = "\n\n".join(
        "\n".join(" ".join(row) for row in sentence)
        for part, unseen, lowercase in (("train", 0.4, 0.0), ("dev", 0.2, 0.5), ("test", 0.7, 0.1))
        for sentence in draw_sentences(200, seed=7, part=part, unseen=unseen, lowercase=lowercase)
    )
    assert hashlib.sha256(text.encode("utf-8")).hexdigest() == PINNED


def test_same_arguments_same_rows_other_seed_others():
    assert draw_sentences(50, seed=5) == draw_sentences(50, seed=5)
    assert draw_sentences(50, seed=5) != draw_sentences(50, seed=6)
    assert draw_sentences(50, seed=5) == draw_sentences(80, seed=5)[:50]
    assert draw_sentences(50, seed=5) != draw_sentences(50, seed=-5)


def test_training_ignores_unseen():
    assert draw_sentences(50, unseen=0.0) == draw_sentences(50, unseen=1.0)


def test_training_has_no_unseen_words(drawn):
    unseen = {
        word.lower()
        for listed in names.lists().values()
        for entry in listed.unseen
        for word, _ in entry
        if word[0].isupper() and names.is_unseen_word(word)
    }
    assert len(unseen) > 300
    assert not unseen & {row[0].lower() for sentence in drawn["train"] for row in sentence}


@pytest.mark.parametrize("share", [0.0, 0.25, 0.4, 1.0])
@pytest.mark.parametrize("part", ["dev", "test"])
def test_unseen_share_is_kept(drawn, part, share):
    known = {word for name, _ in entities(drawn["train"]) for word in name}
    drawn_names = [name for name, _ in entities(draw_sentences(4000, part=part, unseen=share))]
    new = sum(any(word not in known for word in name) for name in drawn_names) / len(drawn_names)
    assert new == pytest.approx(share, abs=0.02 if 0 < share < 1 else 0.0)


def test_lists_have_seen_and_unseen_names():
    for listed in names.lists().values():
        if not listed.closed:
            assert len(listed.seen) >= 10, listed.name
            assert len(listed.unseen) >= 5, listed.name
            assert len({*listed.seen, *listed.unseen}) == len(listed.seen) + len(listed.unseen), listed.name
    total = [(len(listed.seen), len(listed.unseen)) for listed in names.lists().values() if not listed.closed]
    assert 0.3 < sum(b for _, b in total) / sum(a + b for a, b in total) < 0.5


def test_lowercase_changes_words_only():
    plain = draw_sentences(3000, part="test")
    small = draw_sentences(3000, part="test", lowercase=1)
    assert [[(w.lower(), *rest) for w, *rest in sentence] for sentence in plain] == small
    mixed = draw_sentences(3000, part="test", lowercase=0.3)
    assert sum(a != b for a, b in zip(plain, mixed, strict=True)) / 3000 == pytest.approx(0.3, abs=0.03)
    assert all(a in (b, c) for a, b, c in zip(mixed, plain, small, strict=True))


def test_training_has_capitals(drawn):
    name_words = [row for sentence in drawn["train"] for row in sentence if row[3] != "O" and row[1].startswith("NNP")]
    other_words = [row for sentence in drawn["train"] for row in sentence[1:] if row[3] == "O" and row[0].isalpha()]
    assert sum(row[0][0].isupper() for row in name_words) > 0.99 * len(name_words)
    assert sum(row[0][0].isupper() for row in other_words) < 0.15 * len(other_words)


def test_many_names_have_several_types(drawn):
    kinds = defaultdict(set)
    for name, kind in entities(drawn["train"] + drawn["test"]):
        kinds[" ".join(name)].add(kind)
    several = {name for name, result in kinds.items() if len(result) >= 2}
    assert {"jordan", "paris", "lincoln", "chelsea", "madison", "florence", "ford", "orlando", "hamilton"} <= several
    assert len(several) > 150
    assert sum(len(result) >= 3 for result in kinds.values()) > 20


def test_everyday_words_are_names_too(drawn):
    both = defaultdict(set)
    for sentence in drawn["train"] + drawn["test"]:
        for word, _, _, label in sentence:
            both[word].add(label == "O")
    assert {w for w, result in both.items() if len(result) == 2} >= {
        "May", "Will", "Rose", "Hope", "Reading", "Hunter", "Bill", "Mark", "Nice", "Shell", "Turkey", "Orange",
    }  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        {"count": 0},
        {"count": -1},
        {"count": 1.5},
        {"count": True},
        {"count": 10**9},
        {"count": 1, "seed": "x"},
        {"count": 1, "part": "valid"},
        {"count": 1, "part": "test", "unseen": -0.1},
        {"count": 1, "part": "test", "unseen": 1.1},
        {"count": 1, "part": "test", "unseen": float("nan")},
        {"count": 1, "part": "test", "lowercase": 2},
        {"count": 1, "part": "test", "lowercase": "1"},
        {"count": 1, "lowercase": 0.5},
    ],
)
def test_bad_arguments(arguments):
    with pytest.raises(InputError):
        draw_sentences(**arguments)


def test_used_up_corpus_is_an_error(monkeypatch):
    step = shapes.slot_step("day", opens_chunk=True)
    monkeypatch.setattr(generate, "training_frames", lambda: (frames.Frame("{day}", (step,), False),))
    with pytest.raises(InputError, match=r"only [1-6] different"):
        draw_sentences(7)


@pytest.mark.parametrize("line", ["[the bridge", "[the <bridge>]", "<met {city}>", "gladly", "[the {nowhere}]"])
def test_bad_frames_are_refused(line):
    with pytest.raises(InputError, match=r"frames/trial\.txt:3"):
        frames._Reader(line, "trial", 3).frame()


def shape(word):
    return "".join("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word)[:4]


def word_features(sentence, place):
    return {f"word {sentence[place]}": 1}


def context_features(sentence, place):
    word = sentence[place]
    result = {f"word {word}": 1, f"suffix {word[-3:]}": 1, f"shape {shape(word)}": 1}
    for offset in (-2, -1, 1, 2):
        near = sentence[place + offset] if 0 <= place + offset < len(sentence) else "<>"
        result[f"word {offset} {near}"] = 1
        result[f"shape {offset} {shape(near)}"] = 1
    return result


def folded_features(sentence, place):
    return context_features([word.lower() for word in sentence], place)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_context_beats_the_word_and_needs_capitals():
    train = draw_sentences(600)
    tests = {
        (unseen, lowercase): draw_sentences(300, part="test", unseen=unseen, lowercase=lowercase)
        for unseen in (0.0, 0.4, 1.0)
        for lowercase in (0.0, 1.0)
    }
    scores = {}
    for name, features in (("word", word_features), ("context", context_features), ("folded", folded_features)):

        def table(sentences, features=features):
            return [features(words(s), place) for s in sentences for place in range(len(s))]

        vectorizer = DictVectorizer()
        inputs = vectorizer.fit_transform(table(train))
        with threadpool_limits(1):  # many threads only get into each other's way here
            model = LogisticRegression(max_iter=40, C=10).fit(inputs, [row[3] for s in train for row in s])
        for (unseen, lowercase), test in tests.items():
            labels = iter(model.predict(vectorizer.transform(table(test))))
            scores[name, unseen, lowercase] = f1(test, [[next(labels) for _ in sentence] for sentence in test])
    print({key: round(score, 1) for key, score in scores.items()})
    for unseen in (0.0, 0.4, 1.0):
        assert scores["context", unseen, 0.0] >= scores["word", unseen, 0.0] + 8
        assert scores["context", unseen, 1.0] <= scores["context", unseen, 0.0] - 8
        assert scores["folded", unseen, 1.0] == scores["folded", unseen, 0.0] > 45  # context and affixes go a long way
    assert scores["context", 0.0, 0.0] > scores["context", 0.4, 0.0] > scores["context", 1.0, 0.0] > 50


def f1(sentences, predictions):
    gold = [spans([row[3] for row in sentence]) for sentence in sentences]
    result = [spans(labels) for labels in predictions]
    hits = sum(len(a & b) for a, b in zip(gold, result, strict=True))
    return 200 * hits / (sum(map(len, gold)) + sum(map(len, result)))


SIMPLE_SENTENCES = {
    "Ann Smith moved to Oslo .": "B-PER I-PER O O B-LOC O",
    "Maria Lopez lives in Lima .": "B-PER I-PER O O B-LOC O",
    "Mary Jones flew to Tokyo .": "B-PER I-PER O O B-LOC O",
    "Peter Miller was born in Brussels .": "B-PER I-PER O O O B-LOC O",
}


@pytest.mark.parametrize(
    "create",
    [CRF, MaxEnt, InducingTagger, functools.partial(CRF, trainer=LBFGS(iterations=50))],
    ids=["crf", "maxent", "inducing", "crf-lbfgs"],
)
def test_simple_sentences_come_out_right(create):
    """Simple sentences that the corpus does not contain; half of their names are unseen."""
    tagger = create("ner").fit(builtin_corpus(2000))
    labels = tagger.predict([text.split() for text in SIMPLE_SENTENCES])
    assert dict(zip(SIMPLE_SENTENCES, map(" ".join, labels), strict=True)) == SIMPLE_SENTENCES
