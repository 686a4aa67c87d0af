"""tagpool: train robust sequence taggers on a CPU in seconds, and pool any taggers into a better one.

Everything public is a name of this package; each is imported when first used, so that ``import tagpool`` costs next to nothing.
"""

from tagpool.lazy import attach

__version__ = "0.1.0"

# The public names by module.
_MODULES = {
    "corpus.corpus": "Corpus Sentence",
    "corpus.labelled_files": "LabelledFiles",
    "corpus.formats": "read_corpus write_corpus",
    "corpus.schemes": "Scheme",
    "corpus.text": "tokenize",
    "corpus.truecasing": "Truecaser",
    "corpus.builtin.corpus": "builtin_corpus",
    "perturbations.perturb": "perturb",
    "perturbations.perturbation": "Perturbation NotApplicable NewToken",
    "features.template": "TemplateSet",
    "features.presets": "load_templates",
    "features.encoder": "Encoder",
    "features.encoded": "EncodedCorpus",
    "features.given": "GivenEncoder",
    "features.resources": "Gazetteer Clusters AmbiguityClasses",
    "features.embeddings": "Embeddings",
    "features.tag_counts": "TagCounts",
    "chain.lattice": "Lattice",
    "evaluation.agreement": "agreement Agreement PairAgreement TypeAgreement Dispute DisputedSpan",
    "evaluation.span_confusion": "span_confusion SpanConfusion",
    "evaluation.partial_matches": "partial_scores PartialScore",
    "evaluation.scores": "score",
    "experts.linear.crf": "CRF",
    "experts.linear.maxent": "MaxEnt",
    "experts.inducing.tagger": "InducingTagger",
    "experts.inducing.templates": "induced_templates",
    "pools.loading": "load",
    "pools.opinion.pool": "OpinionPool",
    "pools.bagging.pool": "BaggingPool",
    "pools.bagging.partitions": "RandomParts SequentialParts Positions LabelWise",
    "pools.elitist.pool": "ElitistPool",
    "pools.two_stage.pool": "TwoStageTagger",
    "pools.choice.auto": "choose_pool PoolChoice",
    "pools.stacked.pool": "StackedPool",
    "pools.distillation": "distill",
    "pools.unsupervised.pool": "UnsupervisedPool",
    "pools.votes.pool": "VotePool",
    "pools.votes.automaton": "Automaton",
    "pools.votes.keys": "Place",
    "pools.votes.predictions": "cross_val_predict from_spacy predictions_of",
    "pools.votes.prediction_files": "read_predictions",
    "pools.expert_files.expert_labels": "ExpertLabels",
    "pools.expert_files.reading": "read_expert_labels",
    "pools.votes.reliability": "estimate_reliability",
    "optim.checkpoint": "Checkpoint",
    "optim.sgd": "SGD",
    "optim.lbfgs": "LBFGS OWLQN",
    "optim.fobos": "FOBOS",
    "optim.perceptron": "Perceptron",
    "optim.watch": "Epoch",
    "auditing.audit": "audit",
    "auditing.result": "Audit AuditRow",
    "auditing.drift": "measure_drift",
    "auditing.mistakes": "find_mistakes Mistake",
    "auditing.suggestions": "suggest Suggestion",
    "auditing.drift_result": "Drift DriftRow",
    "report.build": "make_report Report",
    "views.sentence": "show SentenceView",
    "tuning.tune": "tune",
    "tuning.result": "Tuning Trial",
    "bridges.huggingface.hub": "from_pretrained save_pretrained push_to_hub",
    "errors": "TagpoolError InputError TemplateError ResourceError SchemeError OutputError ModelError TrainingError "
    "NotFittedError OutOfMemoryError",
}
_PUBLIC = {name: f"tagpool.{module}" for module, names in _MODULES.items() for name in names.split()}

__all__ = ["__version__", *_PUBLIC]

__getattr__ = attach(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
