"""Forms of a model: the tagger itself, a member of a pool, or a copy without some feature groups, ready to tag."""

from __future__ import annotations

import math
from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import is_plain
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.serve.chain_probabilities import ChainProbabilities
from tagpool.tagging.labeller import Labeller
from tagpool.tagging.models import fastest

_FIXED = 16  # tokens that take as long as a call without tokens
_FEW = 1_000  # sentences whose scores are in memory together
_SCORES = 1 << 25  # edge scores of a lattice whose edges depend on the token; 256 MB


class Pace:
    """The time of the last calls per token, from which that of the next one is estimated.

    A call that was interrupted takes longer than its work, so a slow call counts little by little, and a quick one at once.

    >>> pace = Pace()
    >>> pace.seconds(10)
    inf
    >>> pace.add(4, 0.0005)
    >>> pace.seconds(24)
    0.001
    """

    def __init__(self) -> None:
        self._per_token = math.inf

    def add(self, tokens: int, seconds: float) -> None:
        """Count a call."""
        now, before = seconds / (tokens + _FIXED), self._per_token
        self._per_token = now if now < before else before + 0.1 * (min(now, 4 * before) - before)

    def seconds(self, tokens: int) -> float:
        """Return the estimated time of a call; infinity before the first one."""
        return self._per_token * (tokens + _FIXED)


class Form:
    """A tagger that is ready to tag in any thread; ``tagger`` explains, and the merged form of a pool tags.

    >>> from tagpool import CRF
    >>> form = Form(CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["PER", "O"]])))
    >>> form.tag(Corpus.from_lists(word=[["left"]]), confidence=False)
    ([['O']], None)
    """

    def __init__(self, tagger: SequenceTagger) -> None:
        self.tagger = tagger
        self.fast: Any = fastest(tagger, 1)
        self.has_probabilities = bool(self.fast.has_probabilities)
        self.columns = tuple(tagger.columns)
        self.labels = tuple(tagger.labels_)
        self.by_document = bool(tagger.reads_documents)
        self.is_plain = is_plain(dict.fromkeys(self.labels, 1))
        self._paces = (Pace(), Pace())
        self._chain = ChainProbabilities(self.fast) if self.has_probabilities and ChainProbabilities.suits(self.fast) else None
        self._labeller = Labeller(self.fast, probabilities=True) if self.has_probabilities else None

    def pace(self, *, confidence: bool) -> Pace:
        """Return the pace of calls with or without probabilities."""
        return self._paces[confidence]

    def tag(self, corpus: Corpus, *, confidence: bool) -> tuple[list[list[str]], list[list[float]] | None]:
        """Return the labels of every sentence, with their probabilities if wanted and if the model has them.

        The probabilities are None if a lattice of a sentence would not fit into memory.
        """
        if not confidence or self._labeller is None or self._is_too_long(corpus):
            return self.fast.tag_columns(corpus.native), None
        if self._chain is not None and len(corpus) <= _FEW:
            labels = self.fast.tag_columns(corpus.native)
            probabilities = self._chain.of(corpus, labels)
            if probabilities is not None:
                return labels, probabilities
        readings = [best for best, *_ in self._labeller.readings(corpus.native)]
        return [reading.labels for reading in readings], [reading.probabilities or [] for reading in readings]

    def _is_too_long(self, corpus: Corpus) -> bool:
        assert self._labeller is not None
        if not self._labeller.varying_edges:
            return False
        offsets = corpus.offsets()
        return int((offsets[1:] - offsets[:-1]).max()) * len(self._labeller.names) ** 2 > _SCORES
