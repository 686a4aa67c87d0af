"""tagpool: train robust sequence taggers on a CPU in seconds, and pool any taggers into a better one.

Everything public is a name of this package; each is imported when first used, so that ``import tagpool`` costs next to nothing.
"""

from tagpool.lazy import attach

__version__ = "0.1.0"

_PUBLIC = {
    "Corpus": "tagpool.corpus.corpus",
    "Sentence": "tagpool.corpus.corpus",
    "read_corpus": "tagpool.corpus.formats",
    "write_corpus": "tagpool.corpus.formats",
    "Scheme": "tagpool.corpus.schemes",
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
    "TagCounts": "tagpool.features.tag_counts",
    "Lattice": "tagpool.chain.lattice",
    "score": "tagpool.evaluation.scores",
    "CRF": "tagpool.experts.linear.crf",
    "MaxEnt": "tagpool.experts.linear.maxent",
    "InducingTagger": "tagpool.experts.inducing.tagger",
    "induced_templates": "tagpool.experts.inducing.templates",
    "load": "tagpool.pools.loading",
    "OpinionPool": "tagpool.pools.opinion.pool",
    "BaggingPool": "tagpool.pools.bagging.pool",
    "RandomParts": "tagpool.pools.bagging.partitions",
    "SequentialParts": "tagpool.pools.bagging.partitions",
    "Positions": "tagpool.pools.bagging.partitions",
    "LabelWise": "tagpool.pools.bagging.partitions",
    "ElitistPool": "tagpool.pools.elitist.pool",
    "TwoStageTagger": "tagpool.pools.two_stage.pool",
    "VotePool": "tagpool.pools.votes.pool",
    "Automaton": "tagpool.pools.votes.automaton",
    "Place": "tagpool.pools.votes.keys",
    "cross_val_predict": "tagpool.pools.votes.predictions",
    "from_spacy": "tagpool.pools.votes.predictions",
    "predictions_of": "tagpool.pools.votes.predictions",
    "read_predictions": "tagpool.pools.votes.prediction_files",
    "estimate_reliability": "tagpool.pools.votes.reliability",
    "SGD": "tagpool.optim.sgd",
    "LBFGS": "tagpool.optim.lbfgs",
    "OWLQN": "tagpool.optim.lbfgs",
    "FOBOS": "tagpool.optim.fobos",
    "Perceptron": "tagpool.optim.perceptron",
    "Epoch": "tagpool.optim.watch",
    "TagpoolError": "tagpool.errors",
    "InputError": "tagpool.errors",
    "TemplateError": "tagpool.errors",
    "ResourceError": "tagpool.errors",
    "SchemeError": "tagpool.errors",
    "OutputError": "tagpool.errors",
    "ModelError": "tagpool.errors",
    "TrainingError": "tagpool.errors",
    "NotFittedError": "tagpool.errors",
}

__all__ = ["__version__", *_PUBLIC]

__getattr__ = attach(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
