"""Drop-in replacement for sklearn-crfsuite: ``from tagpool.compat import sklearn_crfsuite``.

``CRF``, and the modules ``metrics`` and ``scorers``.

>>> from tagpool.compat import sklearn_crfsuite
>>> crf = sklearn_crfsuite.CRF(c2=0.1).fit([[{"w": "the"}, {"w": "dog"}]] * 3, [["D", "N"]] * 3)
>>> crf.predict_single([{"w": "the"}, {"w": "cat"}])
['D', 'N']
"""

import sys

from tagpool.lazy import attach

_MODULES = ("metrics", "scorers", "estimator", "trainer", "utils")
_find = attach(__name__, {"CRF": "tagpool.compat.sklearn_crfsuite.estimator"})

__all__ = ["CRF", "metrics", "scorers"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def __getattr__(name: str) -> "Any":
    if name in _MODULES:
        __import__(f"{__name__}.{name}")
        return sys.modules[f"{__name__}.{name}"]
    return _find(name)
