"""Factories of the components, which spaCy finds by their entry points.

spaCy imports this with every pipeline, so models are imported inside the functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional  # noqa: UP035 - spaCy evaluates the annotations

from spacy.language import Language

from tagpool.bridges.spacy.extensions import register

if TYPE_CHECKING:
    from tagpool.bridges.spacy.pool_component import PoolComponent
    from tagpool.bridges.spacy.tagger_component import TaggerComponent

register()
_ASSIGNS = ["doc.ents", "doc.spans", "token.ent_iob", "token.ent_type"]


def create_tagger(
    nlp: Language,
    name: str,
    model: Optional[str],  # noqa: UP045
    annotates: str,
    spans_key: Optional[str],  # noqa: UP045
    overwrite: bool,
    templates: str,
    learner: Dict[str, Any],  # noqa: UP006
    calibration_folds: int,
    threads: int,
) -> TaggerComponent:
    """Return a component with a tagger or a pool of taggers.

    Args:
        nlp: The pipeline.
        name: Name of the component.
        model: Model file; None if the component is trained.
        annotates: ``entities``, ``spans``, ``tag`` or ``pos``.
        spans_key: Key of the span group with the probabilities (default: the name of the component).
        overwrite: Whether entities and tags of earlier components are replaced; if not, entities that overlap them are left out.
        templates: Feature templates of a training: a preset, a file or their text.
        learner: Learner of a training: ``kind`` (crf, maxent or inducing) and its parameters.
        calibration_folds: Folds of the cross-validation that calibrates the probabilities of a trained model; 0 for none.
        threads: Threads of the tagger.
    """
    from tagpool.bridges.spacy.tagger_component import TaggerComponent
    from tagpool.bridges.spacy.training import TrainingSettings

    settings = TrainingSettings(templates, learner, calibration_folds)
    options = {"annotates": annotates, "spans_key": spans_key, "overwrite": overwrite}
    return TaggerComponent(name, model=model, training=settings, threads=threads, **options)


def create_pool(
    nlp: Language,
    name: str,
    model: Optional[str],  # noqa: UP045
    experts: Dict[str, str],  # noqa: UP006
    mapping: Dict[str, Dict[str, str]],  # noqa: UP006
    annotates: str,
    spans_key: Optional[str],  # noqa: UP045
    overwrite: bool,
) -> PoolComponent:
    """Return a component with a pool of experts that are known by their labels.

    Args:
        nlp: The pipeline.
        name: Name of the component.
        model: File of a StackedPool, an UnsupervisedPool or a VotePool.
        experts: The experts by their names in the pool: an installed pipeline or its folder; or annotations of earlier
            components, ``doc.ents``, ``doc.spans.KEY``, ``token.tag`` or ``token.pos``.
        mapping: New names of the labels of experts; an empty name drops a type.
        annotates: ``entities``, ``spans``, ``tag`` or ``pos``.
        spans_key: Key of the span group with the probabilities (default: the name of the component).
        overwrite: Whether entities and tags of earlier components are replaced.
    """
    from tagpool.bridges.spacy.pool_component import PoolComponent

    options = {"annotates": annotates, "spans_key": spans_key, "overwrite": overwrite}
    return PoolComponent(name, model=model, experts=experts, mapping=mapping, **options)


_COMMON = {"model": None, "annotates": "entities", "spans_key": None, "overwrite": True}
_SCORES: dict[str, float | None] = {"tagpool_score": 1.0}
_TRAINING: dict[str, Any] = {"templates": "auto", "learner": {"kind": "crf"}, "calibration_folds": 3, "threads": 1}
Language.factory(
    "tagpool", assigns=_ASSIGNS, default_config={**_COMMON, **_TRAINING}, default_score_weights=_SCORES, func=create_tagger
)
Language.factory(
    "tagpool_pool",
    assigns=_ASSIGNS,
    default_config={**_COMMON, "experts": {}, "mapping": {}},
    default_score_weights=_SCORES,
    func=create_pool,
)
