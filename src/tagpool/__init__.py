"""tagpool: train robust sequence taggers on a CPU in seconds, and pool any taggers into a better one.

Everything public is a name of this package; each is imported when first used, so that ``import tagpool`` costs next to nothing.
"""

from typing import TYPE_CHECKING

from tagpool.lazy import attach

__version__ = "0.1.0"

_PUBLIC = {
    "Corpus": "tagpool.corpus.corpus",
    "Sentence": "tagpool.corpus.corpus",
    "read_corpus": "tagpool.corpus.formats",
    "write_corpus": "tagpool.corpus.formats",
    "Scheme": "tagpool.corpus.schemes",
    "hold_out": "tagpool.corpus.splits",
    "k_fold": "tagpool.corpus.splits",
    "by_documents": "tagpool.corpus.splits",
    "tokenize": "tagpool.corpus.text",
    "builtin_corpus": "tagpool.corpus.builtin.corpus",
    "TemplateSet": "tagpool.features.template",
    "load_templates": "tagpool.features.presets",
    "Encoder": "tagpool.features.encoder",
    "EncodedCorpus": "tagpool.features.encoded",
    "GivenEncoder": "tagpool.features.given",
    "Gazetteer": "tagpool.features.resources",
    "Clusters": "tagpool.features.resources",
    "AmbiguityClasses": "tagpool.features.resources",
    "Embeddings": "tagpool.features.embeddings",
    "score": "tagpool.evaluation.scores",
    "TagpoolError": "tagpool.errors",
    "InputError": "tagpool.errors",
    "TemplateError": "tagpool.errors",
    "ResourceError": "tagpool.errors",
    "SchemeError": "tagpool.errors",
    "OutputError": "tagpool.errors",
    "NotFittedError": "tagpool.errors",
}

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604 - names only

__getattr__ = attach(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from tagpool.corpus.builtin.corpus import builtin_corpus as builtin_corpus
    from tagpool.corpus.corpus import Corpus as Corpus
    from tagpool.corpus.corpus import Sentence as Sentence
    from tagpool.corpus.formats import read_corpus as read_corpus
    from tagpool.corpus.formats import write_corpus as write_corpus
    from tagpool.corpus.schemes import Scheme as Scheme
    from tagpool.corpus.splits import by_documents as by_documents
    from tagpool.corpus.splits import hold_out as hold_out
    from tagpool.corpus.splits import k_fold as k_fold
    from tagpool.corpus.text import tokenize as tokenize
    from tagpool.errors import InputError as InputError
    from tagpool.errors import NotFittedError as NotFittedError
    from tagpool.errors import OutputError as OutputError
    from tagpool.errors import ResourceError as ResourceError
    from tagpool.errors import SchemeError as SchemeError
    from tagpool.errors import TagpoolError as TagpoolError
    from tagpool.errors import TemplateError as TemplateError
    from tagpool.evaluation.scores import score as score
    from tagpool.features.embeddings import Embeddings as Embeddings
    from tagpool.features.encoded import EncodedCorpus as EncodedCorpus
    from tagpool.features.encoder import Encoder as Encoder
    from tagpool.features.given import GivenEncoder as GivenEncoder
    from tagpool.features.presets import load_templates as load_templates
    from tagpool.features.resources import AmbiguityClasses as AmbiguityClasses
    from tagpool.features.resources import Clusters as Clusters
    from tagpool.features.resources import Gazetteer as Gazetteer
    from tagpool.features.template import TemplateSet as TemplateSet
