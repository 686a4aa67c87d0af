"""Fitting of experts: sample weights, unknown labels, dev sets, continued training, interruptions."""

from __future__ import annotations

import numpy as np
import pytest

import tagpool
from tagpool import CRF, FOBOS, LBFGS, OWLQN, SGD, Corpus, Epoch, InputError, MaxEnt, Perceptron
from tagpool.corpus.schemes import Scheme
from tagpool.evaluation.scores import score
from tagpool.experts.saving import to_bytes

TEMPLATES = "word[-1..1]\nsuffix(word, 1..3)[0]\nshape(word)[0]"
EXACT = LBFGS(tolerance=1e-12, iterations=2000, warm_up=0)
KINDS = [CRF, MaxEnt]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return tagpool.builtin_corpus(150, seed=4)


@pytest.fixture(scope="module")
def dev() -> Corpus:
    return tagpool.builtin_corpus(60, seed=4, part="dev")


def probabilities(expert: CRF | MaxEnt, corpus: Corpus) -> np.ndarray:
    return np.concatenate(expert.predict_marginals(corpus))


@pytest.mark.parametrize("kind", KINDS)
def test_all_forms_of_the_same_sentences(kind, corpus):
    expert = kind(TEMPLATES).fit(corpus)
    words, labels = corpus.words, corpus.labels
    expected = expert.predict(corpus)
    assert kind(TEMPLATES).fit(words, labels).predict(words) == expected
    assert expert.predict(list(corpus)) == expected
    assert expert.predict([{"word": sentence} for sentence in words]) == expected
    assert expert.predict([tuple(sentence) for sentence in words]) == expected
    assert expert.predict([]) == []
    assert 0.9 < expert.score(corpus) == expert.score(words, labels) == expert.score(list(corpus)) <= 1
    columns = [{"word": sentence.words} for sentence in corpus]
    assert kind(TEMPLATES).fit(columns, labels).predict(columns) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_marginals_and_lattices_agree_with_the_labels(kind, corpus):
    expert = kind(TEMPLATES).fit(corpus)
    rules = Scheme.of("bio2").constraints(expert.labels_)
    for lattice, labels in zip(expert.lattices(corpus[:20]), expert.predict(corpus[:20]), strict=True):
        assert [expert.labels_[number] for number in rules.constrain(lattice).best().labels] == labels
        assert np.allclose(lattice.marginals().sum(axis=1), 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_two_is_the_sentence_twice(kind, corpus):
    few = corpus[:12]
    weights = [2.0 if number % 3 == 0 else 1.0 for number in range(12)]
    doubled = few.select([number for number in range(12) for _ in range(int(weights[number]))])
    weighted = kind(TEMPLATES, trainer=EXACT).fit(few, sample_weight=weights)
    assert np.allclose(probabilities(weighted, few), probabilities(kind(TEMPLATES, trainer=EXACT).fit(doubled), few), atol=1e-4)


def test_class_weights_are_token_weights(corpus):
    few = corpus[:12]
    heavy = "B-PER"
    alone = Corpus.from_lists(
        word=[[word] for words in few.words for word in words], label=[[y] for ys in few.labels for y in ys]
    )
    twice = alone.select([n for n, labels in enumerate(alone.labels) for _ in range(2 if labels[0] == heavy else 1)])
    result = MaxEnt("word[0]", class_weight={heavy: 2.0}, trainer=EXACT).fit(alone)
    assert np.allclose(probabilities(result, alone), probabilities(MaxEnt("word[0]", trainer=EXACT).fit(twice), alone), atol=1e-4)


def test_class_weights_of_a_chain_are_means_over_its_tokens(corpus):
    few = corpus[:12]
    means = [np.mean([3.0 if label != "O" else 1.0 for label in labels]) for labels in few.labels]
    classes = {label: 3.0 for labels in few.labels for label in labels if label != "O"}
    by_class = CRF(TEMPLATES, class_weight=classes, trainer=EXACT).fit(few)
    by_sentence = CRF(TEMPLATES, trainer=EXACT).fit(few, sample_weight=means)
    assert np.allclose(probabilities(by_class, few), probabilities(by_sentence, few), atol=1e-4)


def test_balanced_classes_raise_the_recall_of_rare_labels(corpus, dev):
    def found(expert: MaxEnt) -> int:
        return sum(label != "O" for labels in expert.predict(dev) for label in labels)

    assert found(MaxEnt("shape(word)[0]", class_weight="balanced").fit(corpus)) > found(MaxEnt("shape(word)[0]").fit(corpus))


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_labels(kind, corpus):
    """An unknown label is None or a name; a sentence without known labels has no effect."""
    random = np.random.default_rng(1)
    hidden = [[None if random.random() < 0.3 else label for label in labels] for labels in corpus.labels]
    named = [["?" if label is None else label for label in labels] for labels in hidden]
    by_none = kind(TEMPLATES).fit(corpus.words, hidden)
    by_name = kind(TEMPLATES, unknown_label="?").fit(corpus.with_labels(named))
    assert by_none.labels_ == by_name.labels_
    assert "?" not in by_none.labels_
    assert by_none.predict(corpus) == by_name.predict(corpus)
    assert by_none.score(corpus) > 0.7
    exact = kind(TEMPLATES, trainer=EXACT).fit(corpus[:10])
    more = kind(TEMPLATES, trainer=EXACT).fit([*corpus[:10].words, ["nothing", "known"]], [*corpus[:10].labels, [None, None]])
    assert np.allclose(probabilities(exact, corpus[:10]), probabilities(more, corpus[:10]), atol=1e-4)


def test_given_features_with_unknown_labels():
    features = [[["a"], ["b"]], [["a"], ["b"]], [["a"], ["b"]]]
    crf = CRF().fit(features, [["X", "Y"], ["X", None], [None, "Y"]])
    assert crf.labels_ == ("X", "Y")
    assert crf.predict([[["a"], ["b"]]]) == [["X", "Y"]]


@pytest.mark.parametrize(
    "trainer",
    [SGD(epochs=30, tolerance=0), Perceptron(epochs=30), FOBOS(epochs=30), LBFGS(iterations=100), OWLQN(iterations=100)],
)
def test_a_dev_set_ends_training_and_keeps_the_best(trainer, corpus, dev):
    reported: list[Epoch] = []
    crf = CRF(TEMPLATES, trainer=trainer, patience=2).fit(corpus, dev=dev, on_epoch=reported.append)
    assert reported == crf.log_
    scored = [epoch for epoch in reported if epoch.score is not None]
    best = max(epoch.score for epoch in scored)
    assert crf.score(dev) == pytest.approx(best)
    assert [epoch.best for epoch in scored] == [
        epoch.score > max((other.score for other in scored[:number]), default=-1) for number, epoch in enumerate(scored)
    ]
    last_best = max(number for number, epoch in enumerate(scored) if epoch.best)
    assert len(scored) - 1 - last_best <= 2


def test_dev_scores_use_transition_features(corpus, dev):
    """Without other features the model depends on them: scores without their weights are lower."""
    crf = CRF("shape(word)[0]\nlabel[-1] & word[0]\nlabel[-1] & word[-1]", trainer=SGD(epochs=5)).fit(corpus, dev=dev)
    assert crf.score(dev) == pytest.approx(crf.summary_["dev"])
    assert crf.summary_["dev"] in [epoch.score for epoch in crf.log_]


def test_sgd_keeps_the_latest_weights_within_chance_of_the_best(corpus, dev):
    """Scores of a dev set with few spans differ by chance; averages of more steps are better on other text."""
    crf = CRF("suffix(word, 1..2)[0]", trainer=SGD(epochs=12)).fit(corpus, dev=dev)
    scores = [epoch.score for epoch in crf.log_]
    best, gold = max(scores), score(dev.labels, dev.labels).gold
    margin = 0.5 * (best * (1 - best) / gold) ** 0.5
    latest = max(number for number, value in enumerate(scores) if value >= best - margin)
    assert scores[latest] == crf.summary_["dev"] == pytest.approx(crf.score(dev))
    assert latest > scores.index(best)


def test_dev_scores_follow_the_scheme(corpus, dev):
    expert = MaxEnt("shape(word)[-1..1]", trainer=SGD(epochs=3)).fit(corpus, dev=dev)
    rules = Scheme.of("bio2").constraints(expert.labels_)

    def f1(lattices):
        best = [[expert.labels_[number] for number in lattice.best().labels] for lattice in lattices]
        return score(dev.labels, best).f1

    lattices = expert.lattices(dev)
    assert expert.summary_["dev"] == pytest.approx(f1([rules.constrain(lattice) for lattice in lattices]))
    assert expert.summary_["dev"] != f1(lattices)


def test_dev_sets_of_given_features():
    features, labels = [[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]]
    crf = CRF().fit(features, labels, dev=(features, labels))
    assert crf.log_[-1].score == 1.0
    with pytest.raises(InputError, match="like those of training"):
        CRF().fit(features, labels, dev=([["a", "b"]], [["X", "Y"]]))


@pytest.mark.parametrize("trainer", ["sgd", "lbfgs", "owlqn", "fobos", "perceptron"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_model_does_not_depend_on_the_threads(trainer, kind, corpus):
    def trained(threads: int, seed: int = 1) -> bytes:
        return to_bytes(kind(TEMPLATES, trainer=trainer, threads=threads, seed=seed).fit(corpus[:60]))

    one = trained(1)
    assert trained(1) == one
    assert trained(3) == one


@pytest.mark.parametrize("trainer", ["sgd", "lbfgs", "owlqn", "fobos", "perceptron"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pairs", ["all", "observed"])
def test_every_trainer_learns(trainer, kind, pairs, corpus):
    assert kind(TEMPLATES, trainer=trainer, pairs=pairs, l2=0.5).fit(corpus).score(corpus) > 0.9


@pytest.mark.parametrize("trainer", ["owlqn", "fobos"])
def test_l1_makes_weights_zero(trainer, corpus):
    sparse = CRF(TEMPLATES, l1=1.0, l2=0.1, trainer=trainer).fit(corpus)
    assert sparse.weight_count < 0.2 * CRF(TEMPLATES).fit(corpus).weight_count
    assert sparse.score(corpus) > 0.8
    for other in ("sgd", "lbfgs", "perceptron"):
        with pytest.raises(InputError, match="no l1 penalty"):
            CRF(TEMPLATES, l1=1.0, trainer=other).fit(corpus)


@pytest.mark.parametrize("penalty", ["group", "elitist"])
def test_other_penalties(penalty, corpus):
    crf = CRF(TEMPLATES, l2=0.1, trainer=FOBOS(penalty=penalty, strength=0.3)).fit(corpus)
    assert crf.score(corpus) > 0.8
    assert crf.feature_count < CRF(TEMPLATES).fit(corpus).feature_count or penalty == "elitist"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pairs", ["all", "observed"])
@pytest.mark.parametrize("from_file", [True, False])
def test_continuing_with_new_labels_and_features(kind, pairs, from_file, corpus, tmp_path):
    first = kind(TEMPLATES, pairs=pairs).fit(corpus)
    expected = first.predict(corpus)
    if from_file:
        first.save(tmp_path / "model")
        first = tagpool.load(tmp_path / "model").set_params(pairs=pairs)
    more = Corpus.from_lists(word=[["zyx", "wvu"]] * 20, label=[["B-NEW", "O"]] * 20)
    first.set_params(warm_start=True, trainer=SGD(epochs=5), l2=0.001).fit(more)
    assert "B-NEW" in first.labels_
    assert first.predict([["zyx", "wvu"]]) == [["B-NEW", "O"]]
    agree = np.mean(np.concatenate([np.array(a) == np.array(b) for a, b in zip(first.predict(corpus), expected, strict=True)]))
    assert agree > 0.95


def test_training_continued_from_the_optimum_stays_there(corpus):
    crf = CRF(TEMPLATES, trainer=EXACT).fit(corpus[:40])
    before = probabilities(crf, corpus[:40])
    iterations = len(crf.log_)
    crf.set_params(warm_start=True).fit(corpus[:40])
    assert len(crf.log_) < iterations / 3
    assert np.allclose(probabilities(crf, corpus[:40]), before, atol=1e-4)


def test_streams(corpus, dev):
    crf = CRF(TEMPLATES)
    scores = []
    for first in range(0, 150, 30):
        crf.partial_fit(corpus[first : first + 30])
        scores.append(crf.score(dev))
    assert scores[-1] > scores[0]
    assert crf.summary_["sentences"] == 150
    # A few sentences that were seen before do not change a well trained model.
    trained = CRF(TEMPLATES).fit(corpus)
    before = trained.score(dev)
    assert trained.partial_fit(corpus[:20]).score(dev) > before - 0.05


def test_stopping_and_interrupting(corpus):
    crf = CRF(TEMPLATES).fit(corpus, on_epoch=lambda epoch: epoch.number < 3)
    assert len(crf.log_) == 3

    def interrupt(epoch: Epoch) -> None:
        if epoch.number == 2:
            raise KeyboardInterrupt

    for trainer in ("sgd", "lbfgs", "owlqn", "fobos", "perceptron"):
        crf = CRF(TEMPLATES, trainer=trainer)
        with pytest.raises(KeyboardInterrupt):
            crf.fit(corpus, on_epoch=interrupt)
        assert crf.is_fitted
        assert len(crf.log_) == 2
        assert trainer == "owlqn" or crf.score(corpus) > 0.5  # it has made little progress by then


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("step", [None, 100.0, 10000.0])
def test_a_large_step_does_not_diverge(step, corpus):
    assert CRF(TEMPLATES, trainer=SGD(step=step, batch=8)).fit(corpus).score(corpus) > 0.8


def test_small_corpora_have_small_batches(corpus):
    """The default is that of a batch by the rule; a hundred steps at least, and a thousand tokens at most."""
    few = corpus[:50]
    default, one = (CRF(TEMPLATES, trainer=SGD(batch=batch)).fit(few) for batch in (None, 1))
    assert default.predict(few) == one.predict(few)
    assert to_bytes(default)[-1000:] != to_bytes(CRF(TEMPLATES, trainer=SGD(batch=8)).fit(few))[-1000:]


def test_few_steps_are_noted(corpus):
    words, labels = ([one for row in rows for one in row] for rows in (corpus.words, corpus.labels))
    long = Corpus.from_lists(word=[words], label=[labels])
    crf = CRF(TEMPLATES).fit(long)
    assert "SGD has only 1 step per epoch" in crf.log_[0].note
    assert crf.log_[-1].number == 30
    assert crf.score(long) > 0.7
