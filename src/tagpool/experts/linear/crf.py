"""CRF: the linear-chain conditional random field (Lafferty, McCallum and Pereira 2001)."""

from __future__ import annotations

from tagpool.experts.linear.expert import Expert
from tagpool.parameters import declare_parameters, parameter


@declare_parameters
class CRF(Expert):
    """A linear-chain CRF: p(y|x) ∝ exp Σ_t (Σ_k W[k, y_t] f_k(t) + A[y_{t-1}, y_t]), with scores for the first and last label.

    The penalty l2/2·|w|² + l1·|w| is added to the summed loss. Templates such as ``label[-1] & pos[0]`` are transition features,
    with weights for the label bigrams that occur with them. ``class_weight`` weights a sentence by the mean over its labels.

    >>> from tagpool import builtin_corpus
    >>> crf = CRF("ner").fit(builtin_corpus(300))
    >>> crf.predict([["Ann", "Smith", "moved", "to", "Oslo", "."]])[0][0]
    'B-PER'
    """

    kind = "crf"
    chain = True

    inner_scheme: str = parameter(
        default="auto",
        choices=("auto", "same", "bilou"),
        help="Tag scheme inside the model, for BIO2 labels: same, or bilou, which also learns where spans end (B-X and I-X "
        "have two states each). auto: bilou with one span type and 3,000 spans or more. Results always have the labels given.",
    )
