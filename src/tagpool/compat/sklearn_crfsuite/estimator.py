"""CRF: the estimator of sklearn-crfsuite, with the model file in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagpool.compat.pycrfsuite.dump import ParsedDump
from tagpool.compat.pycrfsuite.log import TrainLogParser
from tagpool.compat.pycrfsuite.tagger import Tagger
from tagpool.compat.pycrfsuite.trainer import Trainer
from tagpool.compat.sklearn_crfsuite.metrics import flat_accuracy_score
from tagpool.compat.sklearn_crfsuite.model_file import ModelFile
from tagpool.compat.sklearn_crfsuite.trainer import LinePerIterationTrainer
from tagpool.corpus.whole_file import WholeFile
from tagpool.errors import InputError, NotFittedError
from tagpool.parameters import Parameters, declare_parameters, parameter

# Names of sklearn-crfsuite for parameters of the trainer.
_NAMES = {
    "min_freq": "feature.minfreq",
    "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions",
    "pa_type": "type",
    **{f"calibration_{name}": f"calibration.{name}" for name in ("eta", "rate", "samples", "candidates", "max_trials")},
}
_SAME = ("c1", "c2", "max_iterations", "num_memories", "epsilon", "period", "delta", "linesearch", "max_linesearch")
_ONLINE = ("c", "error_sensitive", "averaging", "variance", "gamma")


def _zip_instances(features: Iterable[Any], labels: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield sequences with their labels; raise an error if their numbers differ."""
    nothing = object()
    for number, (sequence, its_labels) in enumerate(zip_longest(features, labels, fillvalue=nothing), 1):
        if sequence is nothing or its_labels is nothing:
            missing = "labels" if its_labels is nothing else "sequence"
            raise InputError(f"expected as many sequences as lists of labels; number {number} has no {missing}")
        yield sequence, its_labels


@declare_parameters
class CRF(Parameters):
    """A CRF on given features, with scikit-learn's interface; parameters that are None have the algorithm's defaults.

    ``fit`` writes the model to ``model_filename``; before it, an existing file is used. ``modelfile.name`` creates a temporary
    file without a filename; ``keep_tempfiles`` keeps it. ``trainer_cls`` is a subclass of ``tagpool.compat.pycrfsuite.Trainer``.

    >>> features = [[["the"], ["dog"]], [["a"], ["cat"]]] * 3
    >>> crf = CRF(algorithm="lbfgs", c1=0.01, c2=0.1).fit(features, [["D", "N"]] * 6)
    >>> crf.classes_, crf.score(features, [["D", "N"]] * 6)
    (['D', 'N'], 1.0)
    """

    algorithm: str | None = parameter(default=None, kw_only=False, help="lbfgs (default), l2sgd, ap, pa or arow.")
    min_freq: float | None = parameter(default=None, kw_only=False, help="Minimum frequency of an attribute with a label.")
    all_possible_states: bool | None = parameter(default=None, kw_only=False, help="Weights for all attributes with all labels.")
    all_possible_transitions: bool | None = parameter(default=None, kw_only=False, help="Weights for all label bigrams.")
    c1: float | None = parameter(default=None, kw_only=False, help="L1 penalty of lbfgs.")
    c2: float | None = parameter(default=None, kw_only=False, help="L2 penalty of lbfgs and l2sgd.")
    max_iterations: int | None = parameter(default=None, kw_only=False, help="Maximum number of iterations.")
    num_memories: int | None = parameter(default=None, kw_only=False, help="Steps in the approximation of the curvature.")
    epsilon: float | None = parameter(default=None, kw_only=False, help="Condition of convergence.")
    period: int | None = parameter(default=None, kw_only=False, help="Iterations over which delta is measured.")
    delta: float | None = parameter(default=None, kw_only=False, help="Minimum relative improvement over a period.")
    linesearch: str | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    max_linesearch: int | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    calibration_eta: float | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    calibration_rate: float | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    calibration_samples: float | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    calibration_candidates: int | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    calibration_max_trials: int | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    pa_type: int | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    c: float | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    error_sensitive: bool | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    averaging: bool | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    variance: float | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    gamma: float | None = parameter(default=None, kw_only=False, help="Accepted and not used.")
    verbose: bool = parameter(default=False, kw_only=False, help="Print the training log.")
    model_filename: str | None = parameter(default=None, kw_only=False, help="File of the model.")
    keep_tempfiles: bool | None = parameter(default=False, kw_only=False, help="Keep temporary model files.")
    trainer_cls: type[Trainer] | None = parameter(default=None, kw_only=False, help="Class of the trainer.")

    training_log_: TrainLogParser | None = None
    _model: bytes | None = None
    _tagger: Tagger | None = None
    _dump: ParsedDump | None = None
    _file: ModelFile | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value  # without the checks of parameters: the trainer converts the values

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> CRF:
        """Train; ``X_dev`` and ``y_dev`` are scored after every iteration."""
        if (X_dev is None) != (y_dev is None):
            raise InputError("expected both X_dev and y_dev, or neither")
        if self.model_filename:
            WholeFile.check(self.model_filename)
        trainer = self._trainer()
        for number, (features, labels) in enumerate(((X, y), (X_dev, y_dev))):
            if features is None:
                continue
            for sequence, its_labels in _zip_instances(features, labels):
                trainer.append(sequence, its_labels, number)
            if self.verbose:
                print()
        model = trainer.trained(-1 if X_dev is None else 1)
        self._model, self._tagger, self._dump, self._file = model, None, None, None
        self.training_log_ = trainer.logparser
        if self.model_filename:
            with WholeFile(self.model_filename) as file:
                file.write(model)
        return self

    def predict(self, X: Any) -> NDArray[np.object_]:
        """Return the labels of sequences."""
        return np.array([self.predict_single(sequence) for sequence in X], dtype=object)

    def predict_single(self, xseq: Any) -> list[str]:
        """Return the labels of one sequence."""
        return self._fitted().tag(xseq)

    def predict_marginals(self, X: Any) -> NDArray[np.object_]:
        """Return the probability of each label for every item of sequences."""
        return np.array([self.predict_marginals_single(sequence) for sequence in X], dtype=object)

    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]:
        """Return the probability of each label for every item of one sequence."""
        tagger = self._fitted()
        tagger.set(xseq)
        return tagger.marginals()

    def score(self, X: Any, y: Sequence[Any]) -> float:
        """Return the accuracy over items."""
        return flat_accuracy_score(y, [self.predict_single(sequence) for sequence in X])

    @property
    def tagger_(self) -> Tagger | None:
        """The tagger; None before ``fit``."""
        if self._tagger is None and (self._model is not None or self.model_filename):
            self._tagger = Tagger()
            self._tagger.open(str(self.model_filename)) if self._model is None else self._tagger.open_inmemory(self._model)
        return self._tagger

    @property
    def classes_(self) -> list[str] | None:
        """The labels; None before ``fit``."""
        return None if self.tagger_ is None else self.tagger_.labels()

    @property
    def size_(self) -> int | None:
        """Size of the model file in bytes; None before ``fit``."""
        return None if self._info is None else int(self._info.header["size"])

    @property
    def attributes_(self) -> list[str] | None:
        """Attributes with weights; None before ``fit``."""
        return None if self._info is None else list(self._info.attributes)

    @property
    def num_attributes_(self) -> int | None:
        """Number of attributes with weights; None before ``fit``."""
        return None if self._info is None else len(self._info.attributes)

    @property
    def state_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights of (attribute, label); None before ``fit``."""
        return None if self._info is None else self._info.state_features

    @property
    def transition_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights of (label, next label); None before ``fit``."""
        return None if self._info is None else self._info.transitions

    @property
    def _info(self) -> ParsedDump | None:
        if self._dump is None and self.tagger_ is not None:
            self._dump = self.tagger_.info()
        return self._dump

    @property
    def modelfile(self) -> ModelFile:
        """The model as a file, at ``modelfile.name``."""
        if self._file is None:
            self._file = ModelFile(self._model, self.model_filename, keep=bool(self.keep_tempfiles))
        return self._file

    def _fitted(self) -> Tagger:
        tagger = self.tagger_
        if tagger is None:
            raise NotFittedError("this CRF is not fitted; call fit(X, y) first")
        return tagger

    def _trainer(self) -> Trainer:
        kind = LinePerIterationTrainer if self.trainer_cls is None else self.trainer_cls
        if not (isinstance(kind, type) and issubclass(kind, Trainer)):
            raise InputError(f"trainer_cls={kind!r}: expected a class derived from tagpool.compat.pycrfsuite.Trainer")
        parameters = {_NAMES.get(name, name): getattr(self, name) for name in (*_NAMES, *_SAME, *_ONLINE)}
        return kind(
            self.algorithm, {name: value for name, value in parameters.items() if value is not None}, verbose=self.verbose
        )

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_tagger": None, "_dump": None, "_file": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle; with ``tagpool.compat.install()``, also one of sklearn-crfsuite."""
        attributes = dict(state)
        file = attributes.pop("modelfile", None)
        attributes.pop("_info_cached", None)
        if file is not None:
            name = attributes.get("model_filename") or (None if file.content else file.name)
            attributes |= {"_model": file.content, "model_filename": name}
        self.__dict__.update(CRF().__dict__)  # defaults of parameters that an older version does not have
        self.__dict__.update(attributes)
