"""Likely annotation errors: precision of the first rows on noisy variants of the same sentences (NoiseBench)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tagpool.auditing.mistakes import Mistake, find_mistakes, rank
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.schemes import Span, spans
from tagpool.experiments.corpora import folder, require_file
from tagpool.experiments.pool_bench import with_time_left
from tagpool.experiments.pool_data import SOURCES, noisebench_corpus
from tagpool.experiments.study import Setting, Study, Table, mean_row

_TOP = 100
_DEPTHS = (20, 50, 100, 200, 500)
_TURNS = {"missed": ("missed",), "spurious": ("spurious",), "changed": ("type", "boundary", "both")}
