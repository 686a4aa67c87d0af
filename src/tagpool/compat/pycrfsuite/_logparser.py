"""The name under which python-crfsuite has its log parser."""

from tagpool.compat.pycrfsuite.log import LabelScore, TrainLogParser

__all__ = ["LabelScore", "TrainLogParser"]
