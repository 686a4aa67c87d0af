"""Drop-in replacement for python-crfsuite: ``from tagpool.compat import pycrfsuite`` instead of ``import pycrfsuite``.

It reads and writes model files of CRFsuite. docs/how-to/migrate.md lists the differences.

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

CRFSUITE_VERSION = "0.12.2"  # the version that this module is compatible with

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]

__getattr__ = attach(__name__, _PUBLIC)
