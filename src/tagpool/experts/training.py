"""Training: the steps that the trainings of all taggers have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

from tagpool import _native
from tagpool.corpus.text import SPACE
from tagpool.evaluation.dev_sets import chance_margin
from tagpool.evaluation.numbered_labels import count_spans
from tagpool.experts.fingerprint import training_facts
from tagpool.experts.tagger import Tagger
from tagpool.experts.training_data import PreviousModel, TrainingData
from tagpool.features.encoded import EncodedCorpus
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.optim.checkpoint import Checkpoint, TrainingState, pack_weights, unpack_weights
from tagpool.optim.watch import Epoch, Watch

if TYPE_CHECKING:
    import numpy as np
else:
    np = LazyModule("numpy")


class Training:
    """One training of a tagger; ``resume`` continues from its weights, ``epochs`` replaces the number of epochs.

    Subclasses create the native data in ``__init__``, and find the weights in ``learn``.
    """

    previous_model: ClassVar[type[PreviousModel]]  # the model that training continues from
    trainer_name: str  # for the summary

    def __init__(
        self,
        tagger: Tagger,
        sentences: Any,
        labels: Any,
        *,
        dev: Any = None,
        sample_weight: Any = None,
        checkpoint: Checkpoint | None = None,
        resume: bool = False,
        epochs: int | None = None,
    ) -> None:
        self.tagger = tagger
        self.sample_weight = sample_weight
        self.epochs = epochs
        self.previous = self.previous_model(tagger) if resume and tagger.is_fitted else None
        self.data = self._data(sentences, labels)
        self.held_out = None if dev is None else self.data.encode_dev(dev)
        self.checkpoint = checkpoint
        self.facts = {} if checkpoint is None else training_facts(self)
        # Sentences that the weights were trained on before; partial_fit adds to them.
        self.seen_before = 0
        if self.previous is not None and epochs is not None:
            self.seen_before = int(self.previous.summary.get("sentences", 0))

    def _data(self, sentences: Any, labels: Any) -> TrainingData:
        return TrainingData(self.tagger, sentences, labels, self.previous)

    def run(self, on_epoch: Callable[[Epoch], object] | None = None) -> None:
        """Train, and set the model of the tagger; after Ctrl-C, that of the finished epochs."""
        evaluate = None if self.held_out is None else self.dev_score
        state = None if self.checkpoint is None else TrainingState(self.checkpoint, self.facts, self.pack, self.unpack)
        watch = Watch(evaluate=evaluate, margin=self.dev_margin, patience=self.tagger.patience, on_epoch=on_epoch, state=state)
        try:
            learned = watch.restore_result()
            if learned is None:
                learned = self.learn(watch)
                watch.store_result(learned)
        except KeyboardInterrupt:
            learned = watch.best_or_latest()
            if learned is not None and (not isinstance(learned, (np.ndarray, memoryview)) or np.isfinite(learned).all()):
                self.install(learned, watch)
            raise
        except _native.InputFault as fault:
            if state is None or not watch.is_restored:
                raise
            raise state.checkpoint.damaged(fault) from None
        watch.release()
        self.install(learned, watch)

    def dev_score(self, learned: Any) -> float:
        """The score of learned weights on the dev set: F1 from 0 to 1, or accuracy for plain labels."""
        assert self.held_out is not None
        return self.score_of(self.dev_labels(learned, self.held_out), self.held_out)

    def score_of(self, states: Any, dev: EncodedCorpus) -> float:
        """The score of predicted states of encoded sentences."""
        predicted = _native.renumber_labels(states, self.data.states.label_numbers)
        counts = count_spans(self.data.scored_labels, dev.label_numbers, predicted, dev.bounds)
        return counts.f1

    @cached_property
    def dev_size(self) -> int:
        """The number of spans of the dev set; of tokens for plain labels."""
        assert self.held_out is not None
        return self.size_of(self.held_out)

    def size_of(self, dev: EncodedCorpus) -> int:
        """The number of spans of encoded sentences; of tokens for plain labels."""
        gold = dev.label_numbers
        return count_spans(self.data.scored_labels, gold, gold, dev.bounds).gold

    def dev_margin(self, score: float) -> float:
        """The difference of a dev score that is due to chance."""
        return chance_margin(score, self.dev_size)

    def dev_labels(self, learned: Any, dev: EncodedCorpus) -> Any:
        """The numbers of the states of the dev set by learned weights."""
        tagger = self.tagger
        return self.dev_model(learned).tag_encoding(dev.native, tagger.threads, *tagger._search(), dev.history)

    def install(self, learned: Any, watch: Watch) -> None:
        """Set the model of the tagger, with the encoder, the summary and the log of its training."""
        tagger, model, summary = self.tagger, self.model(learned), self.summary(watch)
        # After an error the tagger is unchanged, so nothing here may fail.
        tagger._model, tagger._encoder, tagger._names = model, self.data.encoder, None
        tagger._summary, tagger.log_, tagger.configuration_ = summary, watch.log, None

    def summary(self, watch: Watch) -> dict[str, Any]:
        """Facts about the training, without times: equal seeds give equal files."""
        corpus = self.data.corpus
        return {
            "sentences": self.seen_before + self.data.sentence_count,
            "tokens": self.data.token_count,
            "columns": [] if corpus is None else [name for name in corpus.columns if name != SPACE],
            "label": None if corpus is None else corpus.label_column,
            "trainer": self.trainer_name,
            "epochs": watch.log[-1].number if watch.log else 0,
            "loss": watch.log[-1].loss if watch.log else None,
            "dev": None if watch.best is None else watch.best_score,
        }

    def pack(self, learned: Any) -> bytes:
        """Learned weights as bytes, for a checkpoint."""
        return pack_weights(learned)

    def unpack(self, block: bytes) -> Any:
        """Learned weights from the bytes of a checkpoint; an error if they do not fit the training."""
        return unpack_weights(block)

    def learn(self, watch: Watch) -> Any:
        """Run the epochs; return the learned weights."""
        raise NotImplementedError

    def dev_model(self, learned: Any) -> Any:
        """A native model that tags encoded sentences."""
        raise NotImplementedError

    def model(self, learned: Any) -> Any:
        """The native model of the tagger. The training set is freed first: memory peaks here."""
        raise NotImplementedError
