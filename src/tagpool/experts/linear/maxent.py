"""MaxEnt: multinomial logistic regression over tokens."""

from __future__ import annotations

from tagpool.experts.linear.expert import Expert


class MaxEnt(Expert):
    """A maximum entropy classifier of tokens: p(y_t = v|x) = softmax_v(Σ_k W[k, v] f_k(t)); every token is labelled alone.

    The parameters are those of :class:`CRF`, except that ``class_weight`` weights each token by its label.

    >>> from tagpool import builtin_corpus
    >>> maxent = MaxEnt("ner").fit(builtin_corpus(300))
    >>> maxent.predict([["She", "moved", "to", "Oslo", "."]])[0][0]
    'O'
    """

    kind = "maxent"
    chain = False
