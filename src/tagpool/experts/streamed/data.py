"""Training sentences as numbers in a temporary file, and the labels and features that they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool import _native
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.labelled_files import LabelledFiles
from tagpool.errors import InputError
from tagpool.experts.label_scheme import forbidden_by_counts
from tagpool.experts.linear.expert import Expert
from tagpool.experts.states import states_by_counts
from tagpool.experts.streamed.budget import Budget
from tagpool.experts.streamed.facts import CorpusFacts
from tagpool.experts.streamed.needs import predicted_memory
from tagpool.experts.streamed.spool import Sentences, Spool
from tagpool.experts.training_data import UNKNOWN, TrainingData
from tagpool.features.automatic import min_count_for
from tagpool.features.encoder import Encoder, label_ids
from tagpool.optim.trainers import trainer_of
from tagpool.wording import counted

_BLOCK = 1 << 16  # tokens of a corpus in memory that are encoded together


class StreamedData(TrainingData):
    """Training sentences in a spool. They are read twice: for the labels and default templates, and to be encoded."""

    def __init__(self, tagger: Expert, files: LabelledFiles | Corpus, budget: Budget) -> None:
        self.tagger: Expert = tagger
        self.files, self.budget = files, budget
        self.takes_features = False
        state = self._state()
        facts = CorpusFacts()
        for block in self._blocks(by_document=False):
            facts.add(block)
        self.corpus = facts.sample()
        self.source = facts.source
        self.sentence_count, self.token_count = facts.sentences, facts.tokens
        self.min_count = tagger.min_count or min_count_for(tagger.templates, facts.tokens)
        self.encoder: Encoder = Encoder(
            tagger._templates(self.corpus),
            resources=tagger.resources,
            min_count=self.min_count,
            history=tagger.chain,
            dimensions=True,
        )
        self.encoder.begin(self.corpus)
        not_learned = (UNKNOWN, tagger.unknown_label)
        labels = tuple(label for label in self.encoder.labels_ if label not in not_learned)
        if len(labels) < 2:
            got = f"only {labels[0]!r}" if labels else "none"
            raise InputError(f"expected at least two different labels to learn, got {got}", source=self.source)
        self.encoder.labels_ = self.scored_labels = labels
        self.occurrences = 0  # of all features, also of those that are removed
        self.spool = Spool()
        try:
            self._encode(labels, state)
        except BaseException:
            self.spool.close()
            raise

    def _encode(self, labels: tuple[str, ...], state: object) -> None:
        """Encode all sentences with provisional numbers, then with the final ones; ``state`` is that of the files before."""
        encoder = self.encoder
        reads_documents = encoder.fitted_native.looks_at_documents
        bigrams: NDArray[np.int64] = np.zeros((len(labels) + 1) ** 2, np.int64)
        has_unknown = False
        read = 0
        for block in self._blocks(by_document=reads_documents):
            numbers = label_ids(block, labels)
            assert numbers is not None
            gold = np.asarray(numbers)
            encoding, history = encoder.fit_next(block)
            self.spool.add(encoding, gold, history)
            bigrams += _native.count_bigrams(gold, encoding.sentences(), len(labels))
            has_unknown = has_unknown or bool((gold < 0).any())
            self.occurrences += encoding.occurrence_count
            read += block.token_count
            self._check_budget(read, len(labels))
        self.spool.finish()
        if read != self.token_count or self._state() != state:
            raise InputError("the file changed while it was read; train again", source=self.source)
        self.states = states_by_counts(self.tagger.inner_scheme, labels, bigrams.tolist(), has_unknown=has_unknown)
        self.labels = self.states.names
        ids, history_ids = encoder.finish()
        self.feature_count = encoder.feature_count
        history_encoder = encoder.fitted_history
        self.history_feature_count = 0 if history_encoder is None else history_encoder.feature_count
        if self.feature_count == 0:
            raise InputError(
                f"no feature is left: none occurs {counted(self.min_count, 'time')}; use a smaller min_count, or more sentences",
                source=self.source,
            )
        if self.min_count > 1 or self.states.merged:
            bigrams = self._renumber(ids, history_ids)
        self.forbidden_edges = forbidden_by_counts(self.states.scheme_names, bigrams.tolist())

    def _check_budget(self, read: int, labels: int) -> None:
        """Raise an error if the features of the tokens so far are too many; the message expects as many of the others."""
        known = self.encoder.feature_count
        features = known * self.token_count // max(read, 1)
        occurrences = self.occurrences * self.token_count // max(read, 1)
        full_batch = trainer_of(self.tagger.trainer).full_batch
        later = predicted_memory(features, labels, self.token_count, occurrences, full_batch=full_batch)
        self.budget.demand(0, later)

    def _renumber(self, ids: NDArray[np.uint32], history_ids: NDArray[np.uint32] | None) -> NDArray[np.int64]:
        """Give every chunk the final numbers of features and states; return the counts of their bigrams."""
        count = len(self.labels)
        bigrams: NDArray[np.int64] = np.zeros((count + 1) ** 2, np.int64)
        for number in range(len(self.spool.chunks)):
            encoding, gold, history = self.spool.read([number])
            if self.states.merged:
                gold = np.asarray(self.states.refine(gold, encoding.sentences()))
            if self.min_count > 1:
                encoding = encoding.renumbered(ids)
                history = None if history is None or history_ids is None else history.renumbered(history_ids)
            self.spool.replace(number, (encoding, gold, history))
            bigrams += _native.count_bigrams(gold, encoding.sentences(), count)
        return bigrams

    def _state(self) -> object:
        return self.files.state() if isinstance(self.files, LabelledFiles) else None

    def _blocks(self, *, by_document: bool) -> Iterator[Corpus]:
        if isinstance(self.files, LabelledFiles):
            yield from self.files.blocks(by_document=by_document)
            return
        if by_document:
            yield self.files
            return
        offsets = self.files.offsets()
        first = 0
        while first < len(self.files):
            last = int(np.searchsorted(offsets, offsets[first] + _BLOCK))
            last = min(max(last, first + 1), len(self.files))
            yield self.files[first:last]
            first = last

    def pieces(self) -> Iterator[tuple[int, Sentences]]:
        """Yield all sentences in order, some chunks at a time, with the number of tokens before them."""
        begin = 0
        for number, (_, tokens) in enumerate(self.spool.chunks):
            yield begin, self.spool.read([number])
            begin += tokens

    def content(self) -> list[Any]:
        """The numbers of the training sentences, for a checksum."""
        checksum = 0
        for _, (encoding, gold, history) in self.pieces():
            for one in (encoding, history):
                for array in () if one is None else (one.ids(), one.starts(), one.values(), one.sentences()):
                    checksum = _native.combine(checksum, _native.xxh64(np.ascontiguousarray(array).tobytes()))
            checksum = _native.combine(checksum, _native.xxh64(np.ascontiguousarray(gold).tobytes()))
        return [checksum.to_bytes(8, "little")]
