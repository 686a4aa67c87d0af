"""The name under which sklearn-crfsuite has its model files."""

from tagpool.compat.sklearn_crfsuite.model_file import ModelFile as FileResource

__all__ = ["FileResource"]
