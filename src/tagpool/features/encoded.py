"""EncodedCorpus: a corpus as feature ids, the input of models. FeatureEncoder: the base of encoders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from tagpool import _native
from tagpool.errors import InputError, NotFittedError
from tagpool.lazy import TYPE_CHECKING, LazyModule
from tagpool.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")


_Native = TypeVar("_Native", _native.Encoder, _native.GivenFeatures)


class FeatureEncoder(Generic[_Native]):
    """Base of encoders: an index of features in native memory."""

    def __init__(self, min_count: int) -> None:
        self.min_count = min_count
        self._native: _Native | None = None

    @property
    def fitted_native(self) -> _Native:
        """Native index; an error before fitting."""
        if self._native is None:
            raise NotFittedError("the encoder is not fitted; call fit first")
        return self._native

    @property
    def feature_count(self) -> int:
        """Number of features."""
        return self.fitted_native.feature_count

    @property
    def feature_names(self) -> list[str]:
        """Features by id, as ``template=value``; given features by their name."""
        return self.fitted_native.names()

    def _check_min_count(self) -> None:
        if type(self.min_count) is not int or not 1 <= self.min_count < 1 << 32:
            raise InputError(f"min_count={self.min_count!r}: expected a whole number from 1 to 2^32 - 1")


@dataclass(frozen=True)
class DenseBlock:
    """An embedding template over a corpus: token t has the row ``rows[t + offset]`` of ``vectors``; -1 means no vector.

    Blocks of one embedding share ``rows`` and ``vectors``.
    """

    key: str
    offset: int
    rows: NDArray[np.int32]
    vectors: NDArray[np.float32]


Restriction = Callable[[tuple[str, ...]], tuple[bytes, bytes | None, set[str]]]


@dataclass(frozen=True, repr=False)
class EncodedCorpus:
    """Rows of feature ids, one per token, divided into sentences.

    Row t is ``ids[starts[t]:starts[t + 1]]``, with ``values`` unless all are 1. The values of an id that occurs twice in a row
    add up. ``label_numbers`` has one number per token (-1 for unknown labels), as an array or a memoryview; None without labels.
    ``history`` has the features that are combined with previous labels.
    """

    native: _native.Encoding
    feature_count: int
    label_numbers: Any = None
    history: _native.Encoding | None = None
    history_feature_count: int = 0
    dense: tuple[DenseBlock, ...] = ()
    restriction: Restriction | None = None

    def __len__(self) -> int:
        return self.native.sentence_count

    def __repr__(self) -> str:
        return (
            f"<EncodedCorpus: {counted(len(self), 'sentence')}, {counted(self.token_count, 'token')}, "
            f"{counted(self.occurrence_count, 'occurrence')} of {counted(self.feature_count, 'feature')}>"
        )

    @property
    def token_count(self) -> int:
        """Number of tokens."""
        return self.native.token_count

    @property
    def occurrence_count(self) -> int:
        """Number of feature occurrences: the length of ``ids``."""
        return self.native.occurrence_count

    @property
    def bounds(self) -> Any:
        """First token of each sentence, and the number of tokens, as a memoryview."""
        return self.native.bounds()

    @property
    def starts(self) -> NDArray[np.uint64]:
        """Offsets of the rows in ``ids``; their number is that of tokens plus one."""
        return self.native.starts()

    @property
    def ids(self) -> NDArray[np.uint32]:
        """Feature ids, row after row."""
        return self.native.ids()

    @property
    def values(self) -> NDArray[np.float32] | None:
        """Values of the features; None if all are 1."""
        return self.native.values() if self.native.has_values else None

    @property
    def labels(self) -> NDArray[np.int32] | None:
        """Number of each token's label, -1 for unknown labels; None without labels."""
        return None if self.label_numbers is None else np.asarray(self.label_numbers)

    @property
    def sentences(self) -> NDArray[np.uint32]:
        """Offsets of sentences: sentence i is the rows sentences[i] to sentences[i + 1]."""
        return self.native.sentences()

    def arrays(self) -> list[Any]:
        """Return all arrays, for a checksum.

        >>> from tagpool import Corpus, Encoder
        >>> [len(array) for array in Encoder("word[0]").fit_transform(Corpus.from_lists(word=[["Ann"]])).arrays()]
        [2, 1, 0, 2]
        """
        labels = [] if self.labels is None else [self.labels]
        encodings = [one for one in (self.native, self.history) if one is not None]
        return [*labels, *(array() for one in encodings for array in (one.starts, one.ids, one.values, one.sentences))]

    def restrict(self, *bags: str) -> EncodedCorpus:
        """Return the corpus with only the features of the base and of these bags; ids do not change.

        >>> from tagpool import Corpus, Encoder
        >>> corpus = Corpus.from_lists(word=[["Ann", "left"]], pos=[["NNP", "VBD"]])
        >>> encoded = Encoder("word[0]\\n[tags]\\npos[0]").fit_transform(corpus)
        >>> encoded.occurrence_count, encoded.restrict("base").occurrence_count
        (4, 2)
        """
        if self.restriction is None:
            raise InputError("given features have no bags; use templates")
        keep, keep_history, dense = self.restriction(bags)
        return replace(
            self,
            native=self.native.restricted(keep),
            history=self.history.restricted(keep_history) if self.history is not None and keep_history is not None else None,
            dense=tuple(block for block in self.dense if block.key in dense),
        )
