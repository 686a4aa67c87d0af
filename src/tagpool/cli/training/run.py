"""Run: one training, followed, and what became of it."""

from __future__ import annotations

import signal
import time
import warnings
from pathlib import Path
from typing import Any

from tagpool.cli.progress import Follower
from tagpool.cli.training.ending import Ending
from tagpool.cli.training.log import TrainingLog
from tagpool.cli.training.options import NO, Options
from tagpool.cli.training.reader import Reader
from tagpool.cli.training.summary import expert_summary, pool_summary
from tagpool.corpus.corpus import Corpus
from tagpool.experts.tagger import Tagger
from tagpool.optim.watch import Epoch
from tagpool.pools.bagging.pool import BaggingPool
from tagpool.pools.elitist.pool import ElitistPool
from tagpool.pools.opinion.pool import OpinionPool
from tagpool.pools.two_stage.pool import TwoStageTagger

Learner = Tagger | BaggingPool | ElitistPool | OpinionPool | TwoStageTagger
_NOTHING = "no epoch was finished, and nothing was kept"


class Run:
    """Trains a learner and writes it."""

    def __init__(self, learner: Learner, options: Options, followed: Follower, log: TrainingLog) -> None:
        self.learner = learner
        self.options = options
        self.followed = followed
        self.log = log
        self.interrupted = False
        self._held_out: Corpus | None = None
        self._begun = time.perf_counter()

    # Training -----------------------------------------------------------------------------------------------------------

    def fit(self, reader: Reader, train: Path | None, dev: Path | None) -> None:
        """Trains; an interruption after the first epoch only ends it."""
        sentences = self._read(reader, train)
        self._held_out = self._read(reader, dev)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a step that diverged is told as the note of an epoch
            if isinstance(self.learner, OpinionPool):
                self._find_shares(self.learner, sentences)
                return
            assert sentences is not None
            self.followed.step(f"encoding {len(sentences):,} sentences, {sentences.token_count:,} tokens")
            if isinstance(self.learner, (BaggingPool, TwoStageTagger)):
                self._fit_members(self.learner, sentences)
            else:
                self._fit_expert(self.learner, sentences)

    def _read(self, reader: Reader, path: Path | None) -> Corpus | None:
        if path is None:
            return None
        self.followed.step(f"reading {path}")
        return reader.corpus(path)

    def _fit_expert(self, expert: Tagger | ElitistPool, sentences: Corpus) -> None:
        def model() -> Any:
            return expert.merge()._model if expert.is_fitted else None

        before = model()

        def follow(epoch: Epoch) -> None:
            self.followed.epoch(epoch)
            self.log.add(epoch)

        try:
            expert.fit(sentences, dev=self._held_out, on_epoch=follow)
        except KeyboardInterrupt:
            if model() is before or not self.followed.epochs:
                raise KeyboardInterrupt(_NOTHING) from None
            self.interrupted = True

    def _fit_members(self, pool: BaggingPool | TwoStageTagger, sentences: Corpus) -> None:
        with Ending(self.followed) as ending:

            def follow(name: str, epoch: Epoch) -> bool:
                self.followed.epoch(epoch, name)
                self.log.add(epoch, name)
                return not ending.asked

            try:
                pool.fit(sentences, dev=self._held_out, on_epoch=follow)
            except KeyboardInterrupt:
                raise KeyboardInterrupt("nothing was kept" if self.followed.epochs else _NOTHING) from None
            self.interrupted = ending.asked

    def _find_shares(self, pool: OpinionPool, sentences: Corpus | None) -> None:
        self._held_out = self._held_out or sentences
        if self._held_out is not None:
            self.followed.step(f"looking at {len(self._held_out):,} sentences, {self._held_out.token_count:,} tokens")
        pool.fit(self._held_out or [])

    # Keeping ------------------------------------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Writes the model. Ctrl-C has no say in this: nobody wants to lose it in the last second."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.seconds = time.perf_counter() - self._begun
        written: Any = self.learner.merge() if self.options.collapse else self.learner
        options = self.options
        written.save(
            path,
            half=options.half,
            prune=options.prune or 0.0,
            names=not options.no_names,
            resources=options.keep_resources != NO,
        )

    def kept(self) -> str:
        """What an interrupted training had to show."""
        if not isinstance(self.learner, (Tagger, ElitistPool)):
            return "the pool as its members stood"
        found = self.learner.summary_
        score = "" if found["dev"] is None else f" with a dev F1 of {100 * found['dev']:.2f}"
        what = "the model as it stood" if found["dev"] is None else "the best model so far"
        return f"{what}{score}, after {found['epochs']} of {self.learner.log_[-1].total} epochs,"

    def summary(self, path: Path) -> dict[str, Any]:
        """What is told in the end."""
        if isinstance(self.learner, (Tagger, ElitistPool)):
            found = expert_summary(self.learner.merge())
        else:
            score = None if self._held_out is None else 100 * self.learner.score(self._held_out)
            found = {"best_dev_f1": score}
        if isinstance(self.learner, (ElitistPool, BaggingPool, OpinionPool, TwoStageTagger)):
            found |= pool_summary(self.learner) | {"collapsed": self.options.collapse}
        return {"model": str(path)} | found | {"seconds": round(self.seconds, 3), "bytes": path.stat().st_size}
