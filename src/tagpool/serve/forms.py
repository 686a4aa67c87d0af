"""Forms of a model: the tagger itself, a member of a pool, or a copy without some feature groups, ready to tag."""

from __future__ import annotations

from typing import Any

from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import is_plain
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.tagging.labeller import Labeller
from tagpool.tagging.models import fastest

_SCORES = 1 << 25  # edge scores of a lattice whose edges depend on the token; 256 MB


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
        self._labeller = Labeller(self.fast, probabilities=True) if self.has_probabilities else None

    def tag(self, corpus: Corpus, *, confidence: bool) -> tuple[list[list[str]], list[list[float]] | None]:
        """Return the labels of every sentence, with their probabilities if wanted and if the model has them.

        The probabilities are None if a lattice of a sentence would not fit into memory.
        """
        if not confidence or self._labeller is None or self._is_too_long(corpus):
            return self.fast.tag_columns(corpus.native), None
        readings = [best for best, *_ in self._labeller.readings(corpus.native)]
        return [reading.labels for reading in readings], [reading.probabilities or [] for reading in readings]

    def _is_too_long(self, corpus: Corpus) -> bool:
        assert self._labeller is not None
        if not self._labeller.varying_edges:
            return False
        offsets = corpus.offsets()
        return int((offsets[1:] - offsets[:-1]).max()) * len(self._labeller.names) ** 2 > _SCORES
