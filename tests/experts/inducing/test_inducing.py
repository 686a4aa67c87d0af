"""InducingTagger: learning, continued training, files, inspection, invalid input."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from oracles.tampering import resigned, with_byte

import tagpool
from tagpool import Corpus, Embeddings, InducingTagger, InputError, NotFittedError, OpinionPool, builtin_corpus
from tagpool.experts.inducing.explanation import ScoreExplanation, explain
from tagpool.experts.inducing.inspection import top_conjunctions, top_label_features
from tagpool.experts.inducing.names import NamedFeatures
from tagpool.experts.inside.inspection import features_by_template, top_features

TEMPLATES = "word[-1..1]\nshape(word, short)[-1..1]\nlabel[-1]\nlabel[-2] & label[-1]\nlabel[-1] & word[0]"


@pytest.fixture(scope="module")
def corpora() -> tuple[Corpus, Corpus]:
    corpus = builtin_corpus(300, seed=3)
    return corpus[:220], corpus[220:]


@pytest.fixture(scope="module")
def tagger(corpora) -> InducingTagger:
    return InducingTagger(TEMPLATES).fit(corpora[0])


def crossed(count: int, seed: int = 1) -> Corpus:
    """Words whose label follows from two features together, and from neither alone: only conjunctions learn it."""
    random = np.random.default_rng(seed)
    ones, others = random.integers(0, 4, count), random.integers(0, 4, count)
    words = [[f"a{a}", f"b{b}", "?"] for a, b in zip(ones, others, strict=True)]
    labels = [["x", "x", "even" if (a + b) % 2 == 0 else "odd"] for a, b in zip(ones, others, strict=True)]
    return Corpus.from_lists(word=words, label=labels)


# Learning ----------------------------------------------------------------------------------------------------------------


def test_conjunctions_learn_more_than_single_features():
    train, test = crossed(400), crossed(200, seed=2)
    joined = InducingTagger("word[-2..0]", epochs=100, average_from=None).fit(train)
    alone = InducingTagger("word[-2..0]", epochs=100, average_from=None, induce=False).fit(train)
    assert joined.score(test) == 1
    assert alone.score(test) < 0.9
    assert joined.conjunction_count > 0 == alone.conjunction_count
    names = {name for one in top_conjunctions(joined, top=20) for name in one.feature.split(" & ")}
    assert any(name.startswith("word[-2]=a") for name in names)
    assert any(name.startswith("word[-1]=b") for name in names)


def test_previous_labels_are_features():
    random = np.random.default_rng(0)
    firsts = random.choice(["a", "b"], 200).tolist()
    words = [[first, "?", "?"] for first in firsts]
    labels = [[first.upper()] * 3 for first in firsts]
    train = Corpus.from_lists(word=words, label=labels)
    assert InducingTagger("word[0]\nlabel[-1]").fit(train).score(train) == 1
    assert InducingTagger("word[0]").fit(train).score(train) < 0.9


def test_the_file_depends_only_on_the_seed(corpora, tmp_path):
    files = []
    for number, seed in enumerate((5, 5, 6)):
        InducingTagger(TEMPLATES, seed=seed, epochs=3).fit(corpora[0]).save(tmp_path / f"{number}")
        files.append((tmp_path / f"{number}").read_bytes())
    assert files[0] == files[1] != files[2]


def test_threads_that_share_word_rows_change_no_label(corpora):
    """Rows are shared from 10,000 tokens; templates have one value per word, several values, or no value."""
    templates = "lower(word)[-1..1]\nshape(word)[0]\nsuffix(word, 2..3)[0]\nword[0]\nlower(word)[-1] & shape(word)[0]\nlabel[-1]"
    tagger = tagpool.InducingTagger(templates, epochs=2).fit(corpora[0])
    long = tagpool.builtin_corpus(1500, seed=5)
    assert long.token_count > 10_000
    one = tagger.predict(long)
    assert one == [labels for sentence in long.words for labels in tagger.predict([sentence])]
    assert all(tagger.set_params(threads=threads).predict(long.words) == one for threads in (2, 3))


def test_the_order_of_sentences_and_threads_change_no_label(tagger, corpora):
    words = corpora[1].words
    expected = tagger.predict(words)
    assert tagger.predict(words[::-1]) == expected[::-1]
    tagger.set_params(threads=2)
    try:
        assert tagger.predict(words) == expected == tagger.predict(corpora[1])
    finally:
        tagger.set_params(threads=1)


def test_a_dev_set_ends_training_and_the_best_weights_are_kept(corpora):
    train, dev = corpora
    tagger = InducingTagger(TEMPLATES, epochs=40, patience=2).fit(train, dev=dev)
    scores = [epoch.score for epoch in tagger.log_]
    assert len(scores) < 40
    best = int(np.argmax(scores))
    assert best == len(scores) - 3
    assert tagger.summary_["dev"] == scores[best] == pytest.approx(tagger.score(dev))


@pytest.mark.parametrize("changes", [{"dual_averaging": False}, {"l1": 1e-4}, {"average_from": None}, {"batch": 1}, {"beam": 4}])
def test_other_settings_learn_as_well(corpora, changes):
    train, dev = corpora
    usual, other = (InducingTagger(TEMPLATES, **item).fit(train) for item in ({}, changes))
    assert other.score(dev) > usual.score(dev) - 0.1
    if "beam" not in changes:
        assert not np.array_equal(NamedFeatures(usual).single_weights()[:50], NamedFeatures(other).single_weights()[:50])


def test_a_penalty_leaves_fewer_weights(corpora):
    few, many = (InducingTagger(TEMPLATES, l1=l1, average_from=None).fit(corpora[0]).weight_count for l1 in (1e-4, 0.0))
    assert few < 0.8 * many


def test_embeddings_are_scored_but_not_joined():
    words = [f"w{i}" for i in range(40)]
    vectors = np.random.default_rng(0).normal(size=(40, 3))
    labels = ["P" if vector[0] > 0 else "N" for vector in vectors]
    train = Corpus.from_lists(word=[[word] for word in words[:30]] * 10, label=[[label] for label in labels[:30]] * 10)
    templates = "embedding(e, word)[0]\nshape(word)[0]\nbias"
    tagger = InducingTagger(templates, resources={"e": Embeddings(words, vectors)}, epochs=20).fit(train)
    predicted = tagger.predict([[word] for word in words[30:]])
    assert np.mean([one[0] == label for one, label in zip(predicted, labels[30:], strict=True)]) >= 0.8
    assert not any("embedding" in one.feature for one in top_conjunctions(tagger, top=1000))


def test_labels_that_are_not_known_and_weights_of_sentences():
    words = [["a"], ["a"], ["b"]]
    tagger = InducingTagger("word[0]").fit(words, [["X"], ["Y"], [None]], sample_weight=[5.0, 0.0, 1.0])
    assert tagger.predict([["a"]]) == [["X"]]
    assert tagger.labels_ == ("X", "Y")
    hidden = InducingTagger("word[0]", unknown_label="-").fit(words, [["X"], ["Y"], ["-"]])
    assert hidden.labels_ == ("X", "Y")


def test_given_features(corpora):
    train, dev = corpora

    def given(corpus: Corpus) -> list[list[list[str]]]:
        return [[[f"word={word}", f"ends={word[-2:]}", f"case={word.istitle()}"] for word in words] for words in corpus.words]

    tagger = InducingTagger().fit(given(train), train.labels)
    assert tagger.conjunction_count > 0
    before = tagger.score(given(dev), dev.labels)
    # As good as the same features from templates.
    columns = [
        Corpus.from_lists(
            word=corpus.words,
            ends=[[word[-2:] for word in words] for words in corpus.words],
            case=[[str(word.istitle()) for word in words] for words in corpus.words],
            label=corpus.labels,
        )
        for corpus in corpora
    ]
    assert before == pytest.approx(InducingTagger("word[0]\nends[0]\ncase[0]").fit(columns[0]).score(columns[1]), abs=0.02)
    assert tagger.partial_fit(given(dev), dev.labels).score(given(dev), dev.labels) > before


# Continued training ------------------------------------------------------------------------------------------------------


def test_continued_training_keeps_the_weights(corpora):
    train = corpora[0]
    tagger = InducingTagger(TEMPLATES).fit(train)
    before, known = (
        tagger.predict(train),
        dict(zip(NamedFeatures(tagger).names, NamedFeatures(tagger).single_weights(), strict=False)),
    )
    more = Corpus.from_lists(word=[["Zyx", "beeps"]] * 5, label=[["B-NEW", "O"]] * 5)
    tagger.partial_fit(more)
    assert tagger.predict([["Zyx", "beeps"]])[0] == ["B-NEW", "O"]
    assert "B-NEW" in tagger.labels_
    changed = [
        new for pair in zip(before, tagger.predict(train), strict=True) for old, new in zip(*pair, strict=True) if new != old
    ]
    assert len(changed) < 0.1 * train.token_count
    assert len([label for label in changed if label != "B-NEW"]) < 0.01 * train.token_count
    assert tagger.summary_["sentences"] == len(train) + 5
    # Features that the new sentences lack have the same weights as before.
    result = NamedFeatures(tagger)
    stored = [
        name
        for name in result.names
        if name in known and name.startswith("word[1]=") and "beeps" not in name and "_B" not in name
    ]
    rows = result.model.weights_of(stored).reshape(len(stored), -1)
    np.testing.assert_allclose(rows[:, : len(known[stored[0]])], np.stack([known[name] for name in stored]), atol=1e-6)


def test_a_loaded_model_continues_as_the_one_in_memory(tagger, corpora, tmp_path):
    train, dev = corpora
    tagger.save(tmp_path / "m")
    in_memory = pickle.loads(pickle.dumps(tagger))
    loaded = tagger_of(tmp_path / "m")
    fresh = InducingTagger(TEMPLATES).fit(train)
    results = [item.partial_fit(dev).predict(dev) for item in (in_memory, loaded, fresh)]
    assert results[0] == results[1] == results[2]


def tagger_of(path) -> InducingTagger:
    result = tagpool.load(path)
    assert isinstance(result, InducingTagger)
    return result


def test_warm_start_continues(corpora):
    train = corpora[0]
    tagger = InducingTagger(TEMPLATES, epochs=1, warm_start=True).fit(train)
    losses = [tagger.fit(train).summary_["loss"] for _ in range(3)]
    assert losses[2] < losses[0]


# Files -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"size": "small"}, {"names": False}])
def test_files(tagger, corpora, tmp_path, options):
    tagger.save(tmp_path / "m", **options)
    loaded = tagger_of(tmp_path / "m")
    if "size" not in options:
        assert loaded.predict(corpora[1]) == tagger.predict(corpora[1])
    else:
        assert loaded.score(corpora[1]) == pytest.approx(tagger.score(corpora[1]), abs=0.02)
    assert (loaded.labels_, loaded.conjunction_count, loaded.feature_count) == (
        tagger.labels_,
        tagger.conjunction_count,
        tagger.feature_count,
    )
    if options.get("names", True):
        if not options:
            assert top_conjunctions(loaded) == top_conjunctions(tagger)
            assert top_label_features(loaded) == top_label_features(tagger)
        loaded.save(tmp_path / "again")
        if not options:
            assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    else:
        with pytest.raises(InputError, match="without names"):
            top_conjunctions(loaded)
        with pytest.raises(InputError, match="without names"):
            loaded.partial_fit(corpora[1])


def test_the_beam_is_remembered(corpora, tmp_path):
    InducingTagger(TEMPLATES, beam=3, epochs=1).fit(corpora[0]).save(tmp_path / "m")
    assert tagger_of(tmp_path / "m").beam == 3


def test_damaged_files_are_refused_or_tag(tagger, tmp_path):
    """Changes bytes of the arrays and digits of the header, with a correct checksum: no crash."""
    tagger.save(tmp_path / "m")
    block = (tmp_path / "m").read_bytes()
    random = np.random.default_rng(0)
    changed = [with_byte(block, where, by) for where, by in zip(random.random(300), random.integers(1, 256, 300), strict=True)]
    changed.append(resigned(block, '\\"backs\\":[[1]', '\\"backs\\":[[9]'))
    changed.append(resigned(block, '"inducing.beam":"1"', '"inducing.beam":"-"'))
    refused = 0
    for item in changed:
        (tmp_path / "m").write_bytes(item)
        try:
            result = tagpool.load(tmp_path / "m")
            result.predict([["Ann", "moved", "to", "New", "York"]])
            top_conjunctions(result)
        except tagpool.TagpoolError:
            refused += 1
    assert 2 <= refused < len(changed)


def test_loading_imports_few_modules(tagger, tmp_path):
    tagger.save(tmp_path / "m")
    code = (
        f"import sys, tagpool; print(tagpool.load({str(tmp_path / 'm')!r}).predict([['Ann']]), "
        "'numpy' in sys.modules, 'json' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-2:] == ["False", "False"]


# Looking inside ----------------------------------------------------------------------------------------------------------


def test_contributions_add_up_to_the_lead(tagger, corpora):
    for sentence in range(5):
        for token, label in zip(explain(tagger, corpora[1], sentence), tagger.predict(corpora[1])[sentence], strict=True):
            assert token.label == label
            assert token.lead >= -1e-4
            assert sum(item.difference for item in token.contributions) == pytest.approx(token.lead, abs=1e-4)
    assert any(" & " in item.feature for item in token.contributions)


def test_contributions_add_up_to_the_lead_over_a_chosen_label(tagger, corpora):
    for token in explain(tagger, corpora[1], 0, "B-PER"):
        assert token.chosen == (token.label != "B-PER")
        assert token.runner_up == "B-PER" or not token.chosen
        assert sum(item.difference for item in token.contributions) == pytest.approx(token.lead, abs=1e-4)


def test_strongest_single_features_and_counts(tagger):
    counts = features_by_template(tagger)
    assert counts["word[0]"] > 100
    assert counts["label[-1]&word[0]"] > 100
    result = top_features(tagger, top=3)["B-PER"].positive
    assert len(result) == 3
    assert result[0][1] >= result[2][1] > 0
    with pytest.raises(InputError, match="unknown label 'B-NOPE'"):
        top_conjunctions(tagger, labels=["B-NOPE"])
    assert {one.label for one in top_conjunctions(tagger, labels=["B-PER"])} == {"B-PER"}


# Invalid input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"slots": 10}, "slots=10: expected at least one slot per feature"),
        ({"slots": 0}, r"slots=0\): expected a whole number from 1"),
        ({"slots": 2**33}, "expected a whole number from 1 to"),
        ({"strongest": 1}, r"strongest=1\): expected a whole number from 2"),
        ({"beam": 0}, r"beam=0\): expected a whole number from 1"),
        ({"batch": True}, r"batch=True\): expected a whole number from 1"),
        ({"epochs": 0}, r"epochs=0\): expected a whole number from 1"),
        ({"l1": -1.0}, r"l1=-1.0\): expected a number from 0"),
        ({"l1": float("nan")}, r"l1=nan\): expected a number from 0"),
        ({"gold": 1.5}, r"gold=1.5\): expected a number from 0 to 1"),
        ({"step": 0}, r"step=0\): expected a number above 0"),
        ({"average_from": -1}, r"average_from=-1\): expected a whole number from 0"),
        ({"seed": -1}, r"seed=-1\): expected a whole number from 0"),
        ({"templates": "word[0]\nlabel[0]"}, "label"),
    ],
)
def test_bad_parameters(corpora, parameters, message):
    with pytest.raises(InputError, match=message):
        InducingTagger(**({"templates": TEMPLATES} | parameters)).fit(corpora[0])


def test_other_bad_input(tagger, corpora, tmp_path):
    with pytest.raises(NotFittedError):
        InducingTagger().predict([["a"]])
    with pytest.raises(InputError, match="a tagger with lattices"):
        OpinionPool([tagger]).fit(corpora[1])
    with pytest.raises(InputError, match="one string; split it with tokenize"):
        tagger.predict(["Ann left"])
    with pytest.raises(InputError, match="two different labels"):
        InducingTagger("word[0]").fit([["a"]], [["X"]])


def test_a_runner_up_with_a_higher_score_is_ahead() -> None:
    for lead, text in ((0.25, "behind by 0.250"), (-0.1, "ahead by 0.100")):
        assert ScoreExplanation("Ann", "B-PER", "O", lead, 1, []).heading == f"B-PER  (next: O, {text})"
