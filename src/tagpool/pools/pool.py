"""Pool: the base class of pools of taggers with lattices. A pool is a tagger, and can be a member of another pool."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tagpool.chain.checks import FloatArray
from tagpool.chain.lattice import Lattice
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError, MemoryFor, NotFittedError
from tagpool.experts.forbidden import ForbiddenEdges
from tagpool.experts.inputs import as_sentences, one_sentence
from tagpool.experts.inside.explanation import check_instead
from tagpool.experts.linear.lattices import Scored
from tagpool.experts.model_file import ModelFile
from tagpool.experts.saving import SaveOptions
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.pools.combination import SEQUENCE_PRODUCT
from tagpool.pools.description import describe_pool
from tagpool.pools.explanation import TokenVotes, explain_pool, token_votes
from tagpool.pools.members import member_lattices, member_scores
from tagpool.pools.merging import merge
from tagpool.pools.pool_files import pool_to_bytes, read_pool
from tagpool.pools.weight_learning import decode_scores, pool_lattices, weight_scores

if TYPE_CHECKING:
    from tagpool import _native
    from tagpool.experts.inside.description import Description
    from tagpool.experts.inside.explanation import Explanation, TokenExplanation
    from tagpool.experts.linear.expert import Expert
    from tagpool.experts.sequence_tagger import Instead, Sentences

Self = TypeVar("Self", bound="Pool")


class Pool(SequenceTagger):
    """Taggers whose lattices are combined with weights."""

    weights: str | Sequence[float] | FloatArray

    _members: tuple[Any, ...] = ()
    _weights: FloatArray | None = None  # of the members; None before fit

    # Members ------------------------------------------------------------------------------------------------------------

    def _members_and_weights(self) -> tuple[tuple[Any, ...], FloatArray]:
        """Return the fitted members and their weights; raise a NotFittedError before fit."""
        if self._weights is None:
            raise NotFittedError(f"the {type(self).__name__} is not fitted: call fit(corpus) first, or load a model")
        return self._members, self._weights

    def _with_members(self: Self, members: tuple[Any, ...]) -> Self:
        """Return a fitted copy with other members and the same weights."""
        other = copy.copy(self)
        other._members = members
        return other

    @property
    def weight_method(self) -> str | None:
        """Name of the method that sets the weights; None if they are numbers."""
        return self.weights if isinstance(self.weights, str) else None

    @property
    def combination(self) -> str:
        """Name of the combination of the members."""
        return str(getattr(self, "combine", SEQUENCE_PRODUCT))

    @property
    def is_fitted(self) -> bool:
        """Whether the pool is fitted."""
        return self._weights is not None

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

    @property
    def summary_(self) -> dict[str, Any]:
        """Summary of the training of each member, by name."""
        return {name: member.summary_ for name, member in zip(self.names_, self.members_, strict=True)}

    def __len__(self) -> int:
        return len(self.members_)

    def __bool__(self) -> bool:
        return True  # also without members

    def __iter__(self) -> Iterator[Any]:
        return iter(self.members_)

    def __getitem__(self, number: int) -> Any:
        return self.members_[number]

    @property
    def labels_(self) -> tuple[str, ...]:
        """Labels, in the order of their numbers."""
        labels: tuple[str, ...] = self.members_[0].labels_
        return labels

    # Tagging ------------------------------------------------------------------------------------------------------------

    def _deciding_tagger(self, sentences: Any) -> tuple[Any, Any] | None:
        """Return the tagger that has the scores of the pool, with its input; None if several members decide.

        A member with weight 1 equals the pool bit by bit if all other members have weight 0.
        """
        members, weights = self._members_and_weights()
        if np.count_nonzero(weights) == 1 and weights.max() == 1:
            return members[int(weights.argmax())], sentences
        return None

    @MemoryFor("tag the sentences; pass fewer at a time")
    def predict(self, sentences: Sentences) -> list[list[str]]:
        """Return the best label sequence of every sentence."""
        labels = self.labels_
        rows = as_sentences(sentences, features=self.takes_features)
        if not len(rows):
            return []
        if (deciding := self._deciding_tagger(rows)) is not None:
            tagger, rows = deciding
            predicted: list[list[str]] = tagger.predict(rows)
            return predicted
        scores, forbidden = self.scored(rows), ForbiddenEdges(self)
        if scores is not None and scores.edges.ndim == 2:
            numbers, offsets = decode_scores(forbidden.constrain_scores(scores)).tolist(), scores.offsets.tolist()
            return [[labels[n] for n in numbers[a:b]] for a, b in pairwise(offsets)]
        best = (forbidden.constrain(lattice).best().labels.tolist() for lattice in self._iterate_lattices(rows))
        return [[labels[n] for n in numbers] for numbers in best]

    def tag_columns(self, columns: _native.Columns) -> list[list[str]]:
        """Return the best label sequences of a corpus in native form."""
        return self.predict(Corpus(columns))

    @MemoryFor("score the sentences; pass fewer at a time")
    def lattices(self, sentences: Sentences) -> list[Lattice]:
        """Return the scores of every sentence."""
        return list(self._iterate_lattices(as_sentences(sentences, features=self.takes_features)))

    @MemoryFor("score the sentences; pass fewer at a time")
    def predict_proba(self, sentences: Sentences) -> list[FloatArray]:
        """Return the probability of every label at every token: for each sentence a [T][L] array."""
        return [lattice.marginals() for lattice in self._iterate_lattices(as_sentences(sentences, features=self.takes_features))]

    def _iterate_lattices(self, rows: Any) -> Iterator[Lattice]:
        members, weights = self._members_and_weights()
        if not len(rows):
            return
        if (deciding := self._deciding_tagger(rows)) is not None:
            yield from member_lattices(*deciding, self.labels_)
        elif (scores := self.scored(rows)) is not None:
            yield from scores.lattices()
        else:
            for lattices in zip(*(member_lattices(member, rows, self.labels_) for member in members), strict=True):
                yield pool_lattices(lattices, weights, self.combination)

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

    def _explain(self, corpus: Corpus, number: int, instead: Instead = None) -> Explanation:
        return explain_pool(self, corpus, number, check_instead(instead, self.labels_, len(corpus[number])))

    def _feature_explanations(
        self, corpus: Corpus, number: int, instead: Sequence[str | None]
    ) -> Sequence[TokenExplanation] | None:
        """Return the explanation of the merged model; None if the pool does not merge."""
        try:
            return self.merge().explain(corpus, number, instead=instead).tokens
        except InputError:
            return None

    def describe(self, *, top: int = 10, labels: Sequence[str] | None = None, template: str | None = None) -> Description:
        """Return facts about the pool and its members, and the ``top`` features if it merges into one model."""
        return describe_pool(self, top=top, labels=labels, template=template)

    def description_facts(self) -> dict[str, Any]:
        """Return further facts for :meth:`describe`."""
        return {}

    def _without_keys(self, keys: set[str]) -> Any:
        return self._with_members(tuple(member._without_keys(keys) for member in self.members_))

    # Merging and saving -------------------------------------------------------------------------------------------------

    def merge(self) -> Expert:
        """Merge the members into one model: same labels, the speed of one.

        Only a sequence-product of CRFs and MaxEnts merges; otherwise an InputError names the reason.
        """
        members, weights = self._members_and_weights()
        if self.combination != SEQUENCE_PRODUCT:
            raise InputError(f"only a {SEQUENCE_PRODUCT} merges into one model, not a {self.combination}")
        return merge(members, weights, self.labels_)

    def to_bytes(self, options: SaveOptions) -> bytes:
        """Return the content of a file."""
        return pool_to_bytes(self, options)

    @classmethod
    def from_file(cls: type[Self], file: ModelFile) -> Self:
        """Return the pool of an open model file; :func:`tagpool.load` calls it for the kind of the file."""
        pool: Self = read_pool(cls, file)
        return pool

    def record(self) -> dict[str, Any]:
        """Return the JSON values that a file contains beside the members."""
        weights = self.weight_method or np.asarray(self.weights).tolist()
        return {"weights": weights, "member_weights": self._members_and_weights()[1].tolist()}
