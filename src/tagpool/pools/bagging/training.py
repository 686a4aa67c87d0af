"""Training of a bagging pool: one job per bag, further jobs per fold, then the weights of the members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tagpool.chain.checks import FloatArray
from tagpool.corpus.corpus import Corpus
from tagpool.errors import InputError
from tagpool.experts.label_scheme import forbidden_edges
from tagpool.experts.linear.expert import Expert
from tagpool.experts.training_data import UNKNOWN
from tagpool.features.automatic import templates_for
from tagpool.features.encoder import label_ids, load_resources
from tagpool.optim.checkpoint import Checkpoint
from tagpool.pools.bagging.auto_bags import find_bags
from tagpool.pools.bagging.bags import BagInputs, Bags, bags_of, resources_for
from tagpool.pools.bagging.label_wise import merge_labels
from tagpool.pools.bagging.partitions import BagScheme, View
from tagpool.pools.member_weights import check_weights, uniform
from tagpool.pools.parallel_fits import Job, OnEpoch, TrainingCorpora, fit_all, same_scheme, variant
from tagpool.pools.weight_learning import HeldOut, fit_mixture_weights, maximise_f1, maximise_likelihood

if TYPE_CHECKING:
    from tagpool.pools.bagging.pool import BaggingPool


def train_members(
    pool: BaggingPool, corpora: TrainingCorpora, on_epoch: OnEpoch | None, checkpoint: Checkpoint | None
) -> tuple[Bags, tuple[Expert, ...], FloatArray]:
    """Train a member per bag, and learn the weights."""
    templates = templates_for(pool.expert.templates, corpora.train)
    resources = load_resources(templates, pool.expert.resources or {})
    bags = choose_bags(BagInputs(pool, templates, resources, corpora, checkpoint))
    if pool.weight_method is None:
        check_weights(pool.weights, len(bags.views))
    jobs = _jobs(pool, bags.views, resources, corpora)
    fold_jobs = _fold_jobs(pool, bags.views, resources, corpora) if _needs_folds(pool, corpora.dev) else []
    fit_all([*jobs, *(job for fold, _ in fold_jobs for job in fold)], pool.threads, on_epoch, checkpoint)
    members = tuple(job.expert for job in jobs)
    for member in members:
        member.threads = pool.threads
    held_out = [([job.expert for job in fold], corpus) for fold, corpus in fold_jobs]
    if corpora.dev is not None and not held_out:
        held_out = [(list(members), corpora.dev)]
    return bags, members, _learn_weights(pool, len(members), held_out)


def choose_bags(inputs: BagInputs) -> Bags:
    """Return the bags of the members, from the templates, a scheme, or automatic."""
    pool, templates = inputs.pool, inputs.templates
    if (isinstance(pool.bags, str) and pool.bags == "auto") or (pool.bags is None and not templates.bags):
        return find_bags(inputs)
    if isinstance(pool.bags, BagScheme):
        views = pool.bags.views(templates, _labels(pool.expert, inputs.corpora.train))
        if not views:
            raise InputError(f"bags={pool.bags!r}: no template fits the scheme")
        return Bags(views, {name: view.labels or tuple(map(str, view.templates)) for name, view in views.items()})
    named = bags_of(templates, pool.bags)
    return Bags({name: View(templates.restrict(*bags)) for name, bags in named.items()}, named)


def _labels(expert: Expert, corpus: Corpus) -> list[str]:
    """Return the known labels in the order of their first occurrence."""
    labels = dict.fromkeys(label for row in corpus.labels for label in row)
    return [label for label in labels if label not in (UNKNOWN, expert.unknown_label)]


def _jobs(
    pool: BaggingPool, views: Mapping[str, View], resources: Mapping[str, Any], corpora: TrainingCorpora, suffix: str = ""
) -> list[Job]:
    """Return a training job per member."""
    threads = max(1, pool.threads // len(views))
    jobs = []
    for name, view in views.items():
        used = resources_for(view.templates, resources)
        member = variant(
            same_scheme(pool.expert), templates=str(view.templates), resources=used, threads=threads, warm_start=False
        )
        member._part = view.part
        if view.labels is None:
            jobs.append(Job(name + suffix, member, corpora))
            continue
        labels = (*view.labels, UNKNOWN, *filter(None, [pool.expert.unknown_label]))
        dev = None if corpora.dev is None else merge_labels(corpora.dev, labels)
        merged = replace(corpora, train=merge_labels(corpora.train, labels), dev=dev)
        known = _labels(pool.expert, corpora.train)
        gold = label_ids(corpora.train, known)
        assert gold is not None
        jobs.append(Job(name + suffix, member, merged, known, forbidden_edges(known, gold, corpora.train.native.bounds())))
    return jobs


def _needs_folds(pool: BaggingPool, dev: Corpus | None) -> bool:
    return pool.weight_method == "kfold" or (pool.weight_method in ("em", "likelihood") and dev is None)


def _fold_jobs(
    pool: BaggingPool, views: Mapping[str, View], resources: Mapping[str, Any], corpora: TrainingCorpora
) -> list[tuple[list[Job], Corpus]]:
    """Return for every fold the jobs that train on the other sentences, and the sentences of the fold."""
    fold_jobs = []
    for number, (rest, held_out) in enumerate(corpora.train.fold_numbers(pool.folds, seed=pool.seed), 1):
        others = replace(corpora.select(rest), dev=None)
        fold_jobs.append((_jobs(pool, views, resources, others, f", fold {number}"), corpora.train.select(held_out)))
    return fold_jobs


def _learn_weights(pool: BaggingPool, count: int, parts: Sequence[tuple[Sequence[Expert], Corpus]]) -> FloatArray:
    """Return the weights; ``parts`` are members with sentences that they were not trained on."""
    if pool.weight_method is None:
        return check_weights(pool.weights, count)
    if pool.weights == "uniform" or count == 1:
        return uniform(count)
    unknown = {UNKNOWN, pool.expert.unknown_label}
    held_out = []
    for experts, corpus in parts:
        labelled = [index for index, labels in enumerate(corpus.labels) if unknown.isdisjoint(labels)]
        if labelled:
            sentences = corpus.select(labelled)
            held_out.append(HeldOut(experts, sentences, sentences.labels))
    if not held_out:
        raise InputError(f"weights={pool.weights!r}: no held-out sentence has labels for all its tokens")
    if pool.weights == "em":
        return fit_mixture_weights(held_out, pool.combine)
    if pool.weights == "likelihood":
        return maximise_likelihood(held_out, pool.combine, threads=pool.threads)
    return maximise_f1(held_out, pool.combine)
