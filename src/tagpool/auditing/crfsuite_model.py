"""Labels of a model of python-crfsuite, with the function that computes its features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tagpool.auditing.labellers import Labeller, Rows, TaggerError, call_tagger
from tagpool.compat.pycrfsuite import Tagger
from tagpool.corpus.corpus import Corpus
from tagpool.corpus.files import check_path, name_read_errors
from tagpool.errors import InputError, ModelError
from tagpool.wording import counted


class CrfsuiteLabeller(Labeller):
    """Labels of a CRFsuite model file.

    ``features`` gets a sentence and returns the features of each word, as it did for the training: a list of words, or with
    ``columns`` a list of tuples such as (word, pos).
    """

    has_confidence = True

    def __init__(
        self,
        path: str | Path,
        features: Callable[[Any], Any],
        mapping: Mapping[str, str] | None = None,
        *,
        columns: Sequence[str] = (),
    ) -> None:
        super().__init__(str(path), mapping)
        check_path(path)
        self.features = features
        self.columns = list(columns)
        self._tagger = Tagger()
        with name_read_errors(str(path)):
            self._tagger.open(str(path))

    def _label(self, corpus: Corpus) -> Rows:
        return [self._tag(features) for features in self._features(corpus)]

    def _tag(self, features: Any) -> list[str]:
        try:
            return self._tagger.tag(features)
        except ModelError:
            raise
        except (InputError, TypeError, ValueError) as error:
            raise TaggerError(f"features that CRFsuite does not take ({error})") from error

    def confidences(self, corpus: Corpus) -> list[list[float]]:
        """Return the probability of each predicted label."""
        places = [number for number, sentence in enumerate(corpus) if len(sentence)]
        result: list[list[float]] = [[] for _ in range(len(corpus))]
        for place, features in zip(places, self._features(corpus.drop_empty()), strict=True):
            row = self._tag(features)
            result[place] = [self._tagger.marginal(label, number) for number, label in enumerate(row)]
        return result

    def _features(self, corpus: Corpus) -> list[Any]:
        rows: list[Any] = corpus.words
        if self.columns:
            columns = [corpus.column(name) for name in self.columns]
            rows = [list(zip(*row, strict=True)) for row in zip(*columns, strict=True)]
        return [self._features_of(row) for row in rows]

    def _features_of(self, row: Any) -> Any:
        features = call_tagger(self.features, row)
        if isinstance(features, (str, bytes)) or not hasattr(features, "__len__"):
            raise TaggerError(f"no list of features for each word: {features!r:.80}")
        if len(features) != len(row):
            raise TaggerError(f"features of {counted(len(features), 'word')} for a sentence of {counted(len(row), 'word')}")
        return features
