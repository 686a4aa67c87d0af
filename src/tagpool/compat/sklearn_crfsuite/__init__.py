"""Drop-in replacement for sklearn-crfsuite: ``from tagpool.compat import sklearn_crfsuite``.

``CRF``, ``load`` for pickles of sklearn-crfsuite, and the modules ``metrics`` and ``scorers``.

>>> from tagpool.compat import sklearn_crfsuite
>>> crf = sklearn_crfsuite.CRF(c2=0.1).fit([[{"w": "the"}, {"w": "dog"}]] * 3, [["D", "N"]] * 3)
>>> crf.predict_single([{"w": "the"}, {"w": "cat"}])
['D', 'N']
"""

import sys

from tagpool.lazy import attach

_MODULES = ("metrics", "scorers", "estimator", "trainer", "utils")
_PUBLIC = {"CRF": "tagpool.compat.sklearn_crfsuite.estimator", "load": "tagpool.compat.sklearn_crfsuite.pickles"}
_find = attach(__name__, _PUBLIC)

__all__ = ["CRF", "load", "metrics", "scorers"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> "Any":
    if name in _MODULES:
        __import__(f"{__name__}.{name}")
        return sys.modules[f"{__name__}.{name}"]
    return _find(name)
