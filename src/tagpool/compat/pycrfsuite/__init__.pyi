from tagpool.compat.pycrfsuite.errors import CRFSuiteError as CRFSuiteError
from tagpool.compat.pycrfsuite.items import ItemSequence as ItemSequence
from tagpool.compat.pycrfsuite.tagger import Tagger as Tagger
from tagpool.compat.pycrfsuite.trainer import BaseTrainer as BaseTrainer
from tagpool.compat.pycrfsuite.trainer import Trainer as Trainer

CRFSUITE_VERSION: str
