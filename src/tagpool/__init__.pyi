"""The public names, for type checkers; __init__.py imports each when it is first used."""

from tagpool.chain.lattice import Lattice as Lattice
from tagpool.chain.rules import scheme_rules as scheme_rules
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
from tagpool.errors import ModelError as ModelError
from tagpool.errors import NotFittedError as NotFittedError
from tagpool.errors import OutputError as OutputError
from tagpool.errors import ResourceError as ResourceError
from tagpool.errors import SchemeError as SchemeError
from tagpool.errors import TagpoolError as TagpoolError
from tagpool.errors import TemplateError as TemplateError
from tagpool.errors import TrainingError as TrainingError
from tagpool.evaluation.scores import score as score
from tagpool.experts.crf import CRF as CRF
from tagpool.experts.files import load as load
from tagpool.experts.maxent import MaxEnt as MaxEnt
from tagpool.features.embeddings import Embeddings as Embeddings
from tagpool.features.encoded import EncodedCorpus as EncodedCorpus
from tagpool.features.encoder import Encoder as Encoder
from tagpool.features.given import GivenEncoder as GivenEncoder
from tagpool.features.presets import load_templates as load_templates
from tagpool.features.resources import AmbiguityClasses as AmbiguityClasses
from tagpool.features.resources import Clusters as Clusters
from tagpool.features.resources import Gazetteer as Gazetteer
from tagpool.features.template import TemplateSet as TemplateSet
from tagpool.optim.fobos import FOBOS as FOBOS
from tagpool.optim.lbfgs import LBFGS as LBFGS
from tagpool.optim.lbfgs import OWLQN as OWLQN
from tagpool.optim.perceptron import Perceptron as Perceptron
from tagpool.optim.sgd import SGD as SGD
from tagpool.optim.watch import Epoch as Epoch
from tagpool.pools.elitist import ElitistPool as ElitistPool

__version__: str
