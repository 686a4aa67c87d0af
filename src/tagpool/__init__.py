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
    "TagCounts": "tagpool.features.tag_counts",
    "brown_clusters": "tagpool.features.brown",
    "BrownClusters": "tagpool.features.brown",
    "Lattice": "tagpool.chain.lattice",
    "scheme_rules": "tagpool.chain.rules",
    "score": "tagpool.evaluation.scores",
    "CRF": "tagpool.experts.crf",
    "MaxEnt": "tagpool.experts.maxent",
    "InducingTagger": "tagpool.experts.inducing",
    "induced_templates": "tagpool.experts.induced_templates",
    "load": "tagpool.pools.files",
    "OpinionPool": "tagpool.pools.opinion",
    "FeatureBagging": "tagpool.pools.bagging",
    "RandomParts": "tagpool.pools.schemes",
    "SequentialParts": "tagpool.pools.schemes",
    "Positions": "tagpool.pools.schemes",
    "LabelWise": "tagpool.pools.schemes",
    "ElitistPool": "tagpool.pools.elitist",
    "TwoStage": "tagpool.pools.two_stage",
    "PathPool": "tagpool.pools.paths.pool",
    "Automaton": "tagpool.pools.paths.automaton",
    "Place": "tagpool.pools.paths.keys",
    "cross_fit": "tagpool.pools.paths.experts",
    "from_spacy": "tagpool.pools.paths.experts",
    "predictions_of": "tagpool.pools.paths.experts",
    "read_predictions": "tagpool.pools.paths.prediction_files",
    "estimate_reliability": "tagpool.pools.paths.reliability",
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
