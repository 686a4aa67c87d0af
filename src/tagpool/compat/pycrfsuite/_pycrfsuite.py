"""The name under which python-crfsuite has its native module."""

from tagpool.compat.pycrfsuite import CRFSUITE_VERSION
from tagpool.compat.pycrfsuite.errors import CRFSuiteError
from tagpool.compat.pycrfsuite.items import ItemSequence
from tagpool.compat.pycrfsuite.tagger import Tagger
from tagpool.compat.pycrfsuite.trainer import BaseTrainer, Trainer

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]
