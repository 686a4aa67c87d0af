"""Models of the demo: trained on the built-in corpus, with feature groups that a reader can switch off."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tagpool.corpus.builtin.corpus import builtin_corpus
from tagpool.corpus.builtin.names import lists
from tagpool.experts.linear.crf import CRF
from tagpool.features.resources import Gazetteer
from tagpool.optim.sgd import SGD
from tagpool.pools.opinion.pool import OpinionPool
from tagpool.serve.models import ServedModel
from tagpool.wording import counted

TEMPLATES = """\
bias
[words]
lower(word)[-2..2]
lower(word)[-1] & lower(word)[0]
[endings]
suffix(lower(word), 1..4)[0]
prefix(lower(word), 1..3)[0]
[capitals]
shape(word)[-1..1]
[lists]
gazetteer(names, lower(word))[-1..1]
"""
_LISTS = ("first_names", "last_names", "cities", "countries")


def train_demo(report: Callable[[str], None], *, sentences: int = 2000, seed: int = 1) -> Iterator[ServedModel]:
    """Yield the models of the demo: one trained as usual, one with dropout of feature groups, and a pool of both.

    The lists have all names of people and places, so the usual training relies on them, and fails without them.
    """
    train, dev = builtin_corpus(sentences, seed=seed), builtin_corpus(sentences // 4, seed=seed, part="dev")
    resources = {"names": Gazetteer({name: list(_phrases(name)) for name in _LISTS})}
    report(f"training two taggers and a pool on {counted(sentences, 'sentence')} of the built-in corpus")
    usual = CRF(TEMPLATES, resources=resources, seed=seed).fit(train, dev=dev)
    yield ServedModel("usual", usual)
    robust = CRF(TEMPLATES, resources=resources, trainer=SGD(dropout=0.3, drop="bags"), seed=seed).fit(train, dev=dev)
    yield ServedModel("robust", robust)
    yield ServedModel("pool", OpinionPool([usual, robust], weights=[0.5, 0.5]))


def _phrases(name: str) -> Iterator[str]:
    names = lists()[name]
    for entry in (*names.seen, *names.unseen):
        yield " ".join(word for word, _ in entry)
