"""Averaged stochastic gradient descent, the default trainer: as accurate as L-BFGS and many times faster."""

from __future__ import annotations

from tagpool import _native
from tagpool.optim.problem import Problem
from tagpool.optim.stochastic import LossRule, descend
from tagpool.optim.trainer import Trainer, refuse_l1
from tagpool.optim.watch import Watch, Weights
from tagpool.parameters import Exclusive, declare_parameters, parameter
from tagpool.wording import counted

_BATCH, _STEPS, _TOKENS = 8, 100, 1000  # see choose_batch
_FEW_STEPS = 10  # of an epoch; L-BFGS is better then
_LEAST_STEPS = 50  # before the loss may end a training
_LARGE = 100_000  # tokens


@declare_parameters
class SGD(Trainer):
    """Averaged stochastic gradient descent (Bottou 2010; Xu 2011) with the step sizes of AdaGrad (Duchi et al. 2011) and lazy ℓ2.

    Steps of a feature become smaller with its squared gradients, so frequent and rare features learn at their own pace. A token
    that the model labels correctly with certainty is updated at random, with a larger step in return: the mean step is the same.

    Dropout removes a share of the features at random in each step and scales the others up, so that the model does not depend on
    single ones. The unit is a feature, or all features of a template or bag in a sentence; the shared base stays. Tagging uses
    all features.

    >>> from tagpool import CRF, builtin_corpus
    >>> CRF("word[-1..1]", trainer=SGD(epochs=3)).fit(builtin_corpus(50)).log_[-1].number
    3
    """

    kind = "sgd"
    only_stochastic = True

    epochs: int = parameter(default=30, minimum=1, help="Maximum number of passes over the sentences.")
    tolerance: float | None = parameter(
        default=None,
        minimum=0,
        maximum=1,
        help="Training stops when an epoch lowers the loss by less than this share, and the dev F1 rises no more; 0: never "
        "(default: 0.2 from 100,000 tokens on, else 0.1).",
    )
    step: float | None = parameter(
        default=None, minimum=Exclusive(0), help="First step size of every weight (default: 12 / features of a token)."
    )
    batch: int | None = parameter(
        default=None, minimum=1, help="Sentences per step (default: up to 8; fewer if there are few, or long ones)."
    )
    average_from: int = parameter(default=1, minimum=0, help="Epochs before averaging begins.")
    dropout: float = parameter(
        default=0.0, minimum=0, maximum=Exclusive(1), tune=(0.0, 0.5), help="Share of features removed at random in each step."
    )
    drop: str = parameter(
        default="features", choices=("features", "templates", "bags"), help="Unit of dropout: single features, templates or bags."
    )

    @property
    def groups_by(self) -> str | None:  # noqa: D102
        return self.drop if self.dropout and self.drop != "features" else None

    @property
    def needs_rows(self) -> bool:  # noqa: D102
        return bool(self.dropout)

    def _run(self, problem: Problem, watch: Watch) -> Weights:
        refuse_l1(problem, "sgd")
        sentences = problem.training.sentence_count
        batch = self.batch or choose_batch(sentences, problem.training.token_count)
        steps = -(-sentences // batch)
        if steps < _FEW_STEPS:
            number = counted(steps, "step")
            watch.note(f"SGD has only {number} per epoch; divide long sentences, or use --set learner.trainer.kind=lbfgs")

        def begin(step: float) -> _native.Sgd:
            options = _native.SgdOptions(
                l2=problem.l2,
                step=step,
                average_from=self.average_from,
                seed=problem.seed,
                batch=batch,
                threads=problem.threads,
                dropout=float(self.dropout),
            )
            options.set_trained_on(problem.trained_on)
            groups = problem.groups if self.groups_by else None
            learner = _native.Sgd(problem.training, problem.chain, options, problem.example_weights, groups)
            if problem.start is not None:
                learner.start_from(problem.start)
            return learner

        tolerance = choose_tolerance(problem.training.token_count) if self.tolerance is None else self.tolerance
        watch.prefers_latest = tolerance > 0  # differences of the dev score below chance are no reason to stop early
        return descend(begin, self.step or 0.0, self.epochs, watch, rule=LossRule(tolerance, -(-_LEAST_STEPS // steps)))


def choose_batch(sentences: int, tokens: int) -> int:
    """Return the number of sentences per step.

    Large batches are faster. But an epoch needs a hundred steps to learn from a small corpus, and a step over more than a
    thousand tokens learns no more than one over fewer.

    >>> choose_batch(5000, 100_000), choose_batch(250, 5000), choose_batch(5000, 5_000_000)
    (8, 2, 1)
    """
    return max(1, min(_BATCH, sentences // _STEPS, _TOKENS * sentences // max(tokens, 1)))


def choose_tolerance(tokens: int) -> float:
    """Return the fall of the loss, as a share of it, below which training ends.

    An epoch over a large corpus has many steps: their average is close to its limit long before the loss is. Epochs over a small
    corpus cost little.

    >>> choose_tolerance(10_000), choose_tolerance(200_000)
    (0.1, 0.2)
    """
    return 0.2 if tokens >= _LARGE else 0.1
