"""What python-crfsuite offers, by tagpool: ``from tagpool.compat import pycrfsuite`` instead of ``import pycrfsuite``.

Models are files of CRFsuite's, in both directions. What differs is said in docs/moving.md.

>>> from tagpool.compat import pycrfsuite
>>> trainer = pycrfsuite.Trainer("lbfgs", {"c2": 0.1}, verbose=False)
>>> trainer.append([["walk"], ["the"], ["dog"]], ["V", "D", "N"])
>>> trainer.append([["see"], ["the"], ["cat"]], ["V", "D", "N"])
>>> import tempfile, pathlib
>>> path = str(pathlib.Path(tempfile.mkdtemp()) / "model.crfsuite")
>>> trainer.train(path)
>>> tagger = pycrfsuite.Tagger()
>>> with tagger.open(path):
...     tagger.tag([["see"], ["the"], ["dog"]])
['V', 'D', 'N']
"""

from tagpool.lazy import attach

_PUBLIC = {
    "BaseTrainer": "tagpool.compat.pycrfsuite.trainer",
    "CRFSuiteError": "tagpool.compat.pycrfsuite.errors",
    "ItemSequence": "tagpool.compat.pycrfsuite.items",
    "Tagger": "tagpool.compat.pycrfsuite.tagger",
    "Trainer": "tagpool.compat.pycrfsuite.trainer",
}

CRFSUITE_VERSION = "0.12.2"  # whose behaviour and files these are

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]

__getattr__ = attach(__name__, _PUBLIC)
