"""Pool: the base class of pools of taggers with lattices. A pool is a tagger, and can be a member of another pool."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import write_bytes
from tagpool.errors import InputError
from tagpool.evaluation.scores import score
from tagpool.experts.inputs import labels_of, one_sentence
from tagpool.experts.inside.removal import group_keys, remove_templates
from tagpool.experts.linear.lattices import Scored
from tagpool.experts.model_file import ModelFile
from tagpool.experts.saving import SaveOptions
from tagpool.parameters import Parameters
from tagpool.pools.combination import SEQUENCE_PRODUCT
from tagpool.pools.description import describe_pool
from tagpool.pools.explanation import explain_pool
from tagpool.pools.member_votes import TokenVotes, token_votes
from tagpool.pools.members import Member, as_sentences, member_lattices, member_scores
from tagpool.pools.merging import merge
from tagpool.pools.pool_reader import read_pool
from tagpool.pools.pool_writer import pool_to_bytes
from tagpool.pools.weight_learning import decode_scores, pool_lattices, weight_scores

if TYPE_CHECKING:
    from tagpool import _native
    from tagpool.experts.inside.description import Description
    from tagpool.experts.inside.explanation import Explanation, TokenExplanation
    from tagpool.experts.inside.inspection import TopFeatures
    from tagpool.experts.linear.expert import Expert
    from tagpool.experts.tagger import Tagger

Self = TypeVar("Self", bound="Pool")


class Pool(Parameters):
    """Taggers whose lattices are combined with weights."""

    kind = ""
    configuration_: str | None = None  # TOML that the model file stores instead of the parameters alone
    has_probabilities = True
    weights: str | Sequence[float] | FloatArray
    threads: int

    # Members ------------------------------------------------------------------------------------------------------------

    def _members_and_weights(self) -> tuple[tuple[Any, ...], FloatArray]:
        """Return the fitted members and their weights; raise a NotFittedError before fit."""
        raise NotImplementedError

    def _with_members(self: Self, members: tuple[Any, ...]) -> Self:
        """Return a fitted copy with other members and the same weights."""
        raise NotImplementedError

    @property
    def combination(self) -> str:
        """Name of the combination of the members."""
        return SEQUENCE_PRODUCT

    @property
    def is_fitted(self) -> bool:
        """Whether the pool is fitted."""
        raise NotImplementedError

    @property
    def members_(self) -> tuple[Any, ...]:
        """The fitted members."""
        return self._members_and_weights()[0]

    @property
    def weights_(self) -> FloatArray:
        """Weights of the members."""
        return np.array(self._members_and_weights()[1])

    @property
    def names_(self) -> tuple[str, ...]:
        """Names of the members.

        >>> from tagpool import CRF, OpinionPool, builtin_corpus
        >>> OpinionPool([CRF("word[0]").fit(builtin_corpus(20))]).names_
        ('member 1',)
        """
        return tuple(f"member {number}" for number in range(1, len(self) + 1))

    def __len__(self) -> int:
        return len(self.members_)

    def __bool__(self) -> bool:
        return True  # also without members

    def __iter__(self) -> Iterator[Any]:
        return iter(self.members_)

    def __getitem__(self, number: int) -> Any:
        return self.members_[number]

    def single_taggers(self) -> list[Tagger]:
        """Return the single taggers in the pool, also those of pools in it."""
        return [tagger for member in self for tagger in member.single_taggers()]

    # Properties ---------------------------------------------------------------------------------------------------------

    @property
    def labels_(self) -> tuple[str, ...]:
        """Labels, in the order of their numbers."""
        labels: tuple[str, ...] = self.members_[0].labels_
        return labels

    classes_ = labels_

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the corpus columns that the templates read."""
        return tuple(dict.fromkeys(column for member in self for column in member.columns))

    @property
    def reads_documents(self) -> bool:
        """True if the labels of a sentence depend on the rest of its document."""
        return any(member.reads_documents for member in self)

    @property
    def takes_features(self) -> bool:
        """True if a member was trained on given features instead of templates."""
        return any(member.takes_features for member in self)

    # Tagging ------------------------------------------------------------------------------------------------------------

    def predict(self, sentences: Corpus | Sequence[Any]) -> list[list[str]]:
        """Return the best label sequence of every sentence."""
        members, weights = self._members_and_weights()
        rows = as_sentences(sentences)
        if not len(rows):
            return []
        if (only := _only_member(members, weights)) is not None:
            return only.predict(rows)
        labels = self.labels_
        scores = self.scored(rows)
        if scores is not None and scores.edges.ndim == 2:
            numbers, offsets = decode_scores(scores).tolist(), scores.offsets.tolist()
            return [[labels[n] for n in numbers[a:b]] for a, b in pairwise(offsets)]
        return [[labels[n] for n in lattice.best().labels.tolist()] for lattice in self.lattices(rows)]

    def tag_columns(self, columns: _native.Columns) -> list[list[str]]:
        """Return the best label sequences of a corpus in native form."""
        return self.predict(Corpus(columns))

    def predict_proba(self, sentences: Corpus | Sequence[Any]) -> list[FloatArray]:
        """Return the probability of every label at every token: for each sentence a [T][L] array."""
        return [lattice.marginals() for lattice in self.lattices(sentences)]

    def predict_marginals(self, sentences: Corpus | Sequence[Any]) -> list[FloatArray]:
        """Return the result of :meth:`predict_proba`."""
        return self.predict_proba(sentences)

    def lattices(self, sentences: Corpus | Sequence[Any]) -> list[Lattice]:
        """Return the scores of every sentence."""
        members, weights = self._members_and_weights()
        rows = as_sentences(sentences)
        if not len(rows):
            return []
        if (only := _only_member(members, weights)) is not None:
            return member_lattices(only, rows, self.labels_)
        scores = self.scored(rows)
        if scores is not None:
            return list(scores.lattices())
        by_member = [member_lattices(member, rows, self.labels_) for member in members]
        return [pool_lattices(lattices, weights, self.combination) for lattices in zip(*by_member, strict=True)]

    def score(self, sentences: Corpus | Sequence[Any], labels: Sequence[Sequence[str]] | None = None) -> float:
        """Return the F1 of the predicted labels as conlleval counts it (accuracy for plain labels), from 0 to 1."""
        return float(score(labels_of(sentences, labels), self.predict(sentences)).f1)

    def scored(self, sentences: Any) -> Scored | None:
        """Return the scores of many sentences at once; None if sentences must be scored one by one."""
        members, weights = self._members_and_weights()
        if self.combination != SEQUENCE_PRODUCT:
            return None
        scores = []
        for member in members:
            one = member_scores(member, sentences, self.labels_)
            if one is None:
                return None
            scores.append(one)
        return weight_scores(scores, weights)

    # Looking inside -----------------------------------------------------------------------------------------------------

    def member_inputs(self, corpus: Corpus) -> list[Corpus]:
        """Return the corpus that each member tags."""
        return [corpus] * len(self)

    def votes(self, sentence: Any, number: int = 0) -> list[TokenVotes]:
        """Return the labels of the members beside those of the pool, token by token.

        ``sentence`` is a list of words, a mapping of columns, or a corpus; of a corpus, sentence ``number``.

        >>> from tagpool import CRF, MaxEnt, OpinionPool, builtin_corpus
        >>> train = builtin_corpus(100)
        >>> pool = OpinionPool([CRF("word[0]").fit(train), MaxEnt("shape[0]").fit(train)], weights=[0.75, 0.25])
        >>> [(vote.member, vote.weight) for vote in pool.votes(["Ann", "left"])[0].votes]
        [('member 1', 0.75), ('member 2', 0.25)]
        """
        return token_votes(self, *one_sentence(sentence, number))

    def explain(self, sentence: Any, number: int = 0) -> Explanation:
        """Return the votes of the members for each label, and the features if the pool merges into one model."""
        return explain_pool(self, *one_sentence(sentence, number))

    def _feature_explanations(self, corpus: Corpus, number: int) -> Sequence[TokenExplanation] | None:
        """Return the explanation of the merged model; None if the pool does not merge."""
        try:
            return self.merge().explain(corpus, number).tokens
        except InputError:
            return None

    def describe(self, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
        """Return facts about the pool and its members, and the ``top`` features if it merges into one model."""
        return describe_pool(self, top=top, labels=labels, template=template)

    def top_features(self, label: str, n: int = 10, *, template: str | None = None) -> TopFeatures:
        """Return the ``n`` features of the merged model with the largest positive and negative weights for a label."""
        return self.merge().top_features(label, n, template=template)

    def without(self: Self, *groups: str, templates: str = "") -> Self:
        """Return a copy whose members ignore the features of these groups (bags), and of further ``templates``."""
        return self._without_keys(group_keys(self.single_taggers(), groups, templates))

    def _without_keys(self: Self, keys: set[str]) -> Self:
        members = (
            member._without_keys(keys) if isinstance(member, Pool) else remove_templates(member, keys) for member in self.members_
        )
        return self._with_members(tuple(members))

    # Merging and saving -------------------------------------------------------------------------------------------------

    def merge(self) -> Expert:
        """Merge the members into one model: same labels, the speed of one.

        Only a sequence-product of CRFs and MaxEnts merges; otherwise an InputError names the reason.
        """
        members, weights = self._members_and_weights()
        if self.combination != SEQUENCE_PRODUCT:
            raise InputError(f"only a {SEQUENCE_PRODUCT} merges into one model, not a {self.combination}")
        return merge(members, weights, self.labels_)

    def save(self, path: str | Path, *, size: str = "full", names: bool = True, resources: bool = True) -> None:
        """Write the pool with its members to one file, atomically; the options are those of :meth:`tagpool.CRF.save`."""
        write_bytes(path, self.to_bytes(SaveOptions.of(path, size, names, resources)))

    @classmethod
    def from_file(cls: type[Self], file: ModelFile) -> Self:
        """Return the pool of an open model file; :func:`tagpool.load` calls it for the kind of the file."""
        pool: Self = read_pool(cls, file)
        return pool

    def to_bytes(self, options: SaveOptions) -> bytes:
        """Return the content of a file."""
        return pool_to_bytes(self, options)

    def record(self) -> dict[str, Any]:
        """Return the JSON values that a file contains beside the members."""
        weights = self.weights if isinstance(self.weights, str) else np.asarray(self.weights).tolist()
        return {"weights": weights, "member_weights": self._members_and_weights()[1].tolist()}

    def description_facts(self) -> dict[str, Any]:
        """Return further facts for :meth:`describe`."""
        return {}

    def _copy(self: Self, **attributes: Any) -> Self:
        """Return a copy with other attributes."""
        other = copy.copy(self)
        other.__dict__.update(attributes)
        return other


def _only_member(members: Sequence[Member], weights: FloatArray) -> Member | None:
    """Return the member with weight 1 if all others have weight 0: the pool then equals it bit by bit."""
    return next(
        (member for member, weight in zip(members, weights, strict=True) if weight == 1 and np.count_nonzero(weights) == 1), None
    )
