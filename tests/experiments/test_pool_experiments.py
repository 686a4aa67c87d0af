"""The experiments of pools: samples of gold sentences, shared beliefs, missing libraries, and interrupts."""

from __future__ import annotations

import pytest

from tagpool import StackedPool, builtin_corpus
from tagpool.errors import InputError
from tagpool.experiments import pool_bench, pool_peers, pools_noisebench
from tagpool.experiments.pool_bench import AUTO, MAJORITY, STACKING, PoolBench
from tagpool.experiments.pool_data import PoolData, draw_gold
from tagpool.experiments.study import Row, Study, sample_row
from tagpool.experts.saving import SaveOptions


def pool_data(count: int = 60) -> PoolData:
    corpus = builtin_corpus(count)
    labels = corpus.labels
    experts = {
        f"e{miss}": [[("O" if (i + j) % miss == 0 else label) for j, label in enumerate(row)] for i, row in enumerate(labels)]
        for miss in (2, 3, 5)
    }
    return PoolData(corpus.words, labels, experts, [number // 5 for number in range(count)])


@pytest.fixture(scope="module")
def bench() -> PoolBench:
    return PoolBench.of(pool_data(), lambda _: None, peers=False)


@pytest.mark.parametrize("by_document", [True, False])
def test_gold_and_test_sentences_are_disjoint(by_document: bool) -> None:
    data = pool_data()
    sample = draw_gold(data, 12, seed=3, by_document=by_document)
    assert len(set(sample.gold)) == 12
    assert not set(sample.gold) & set(sample.test)
    documents = [{data.documents[number] for number in part} for part in (sample.gold, sample.test)]
    assert bool(documents[0] & documents[1]) != by_document
    assert len(sample.gold) + len(sample.test) == (57 if by_document else 60)  # three sentences of the document that was cut
    assert sample == draw_gold(data, 12, seed=3, by_document=by_document)
    assert sample != draw_gold(data, 12, seed=4, by_document=by_document)
    rows = sample.rows(data)
    assert [number for number, row in enumerate(rows) if row is not None] == sample.gold


def test_a_stack_on_shared_beliefs_is_the_one_that_fit_returns(bench: PoolBench) -> None:
    data = bench.data
    sample = draw_gold(data, 20, seed=1, by_document=True)
    alone = StackedPool().fit(data.experts, sample.rows(data), words=data.words, documents=data.documents)
    shared = bench.fit_stack(sample)
    assert shared.fitted.stack.to_bytes(SaveOptions()) == alone.fitted.stack.to_bytes(SaveOptions())
    assert shared.missing_ == alone.missing_


def test_a_trial_scores_every_method_on_the_same_sentences(bench: PoolBench) -> None:
    sample = draw_gold(bench.data, 20, seed=1, by_document=True)
    trial = bench.run(sample)
    assert {MAJORITY, STACKING, AUTO, *pool_bench.VOTES} <= set(trial.labels)
    assert all(len(rows) == len(bench.data) for rows in trial.labels.values())
    assert any(trial.labels[AUTO] == rows for name, rows in trial.labels.items() if name != AUTO)
    lost = bench.f1_without(trial)
    test = bench.data.select(sample.test)
    without = {name: rows for name, rows in test.experts.items() if name != "e5"}
    expected = bench.data.f1(trial.labels[STACKING], sample.test) - test.f1(trial.stack.predict(without, words=test.words))
    assert lost["e5"] == pytest.approx(expected)


def test_the_share_above_a_threshold_is_measured_on_test_sentences(bench: PoolBench) -> None:
    trial = bench.run(draw_gold(bench.data, 40, seed=1, by_document=False), votes=False)
    result = bench.precision(trial, 0.5)
    assert result is not None
    precision, share = result
    assert 50 <= precision <= 100
    assert 0 < share <= 100
    assert bench.precision(trial, 0.9999) is None


def test_a_library_that_is_not_installed_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, package: str) -> object:
        raise InputError(f"{package} is not installed")

    with pytest.raises(InputError, match=r"nothing is not installed .*install tagpool\[peers\]"):
        pool_peers.require("no_such_module", "nothing")
    monkeypatch.setattr(pool_peers, "require", missing)
    bench = pool_bench.PoolBench.of(pool_data(10), lambda _: None)
    assert set(bench.labels) == {pool_bench.MAJORITY, pool_bench.DAWID_SKENE, pool_bench.CRF_EM}
    assert len(bench.notes) == 3
    assert bench.regression is None


def test_logistic_regression_learns_from_votes() -> None:
    pytest.importorskip("sklearn")
    data = pool_data()
    labels = pool_peers.VoteRegression(data).predict(range(40))
    worst = min(data.f1(rows, range(40, 60)) for rows in data.experts.values())  # type: ignore[arg-type]
    assert data.f1(labels, range(40, 60)) > worst + 20


def test_an_interrupt_keeps_finished_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[pools_noisebench.Job] = []
    original = pools_noisebench._run_job

    def run_job(job: pools_noisebench.Job, *rest: object) -> None:
        if len(jobs) == 2:
            raise KeyboardInterrupt
        jobs.append(job)
        original(job, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(pools_noisebench, "_run_job", run_job)
    monkeypatch.setattr(pools_noisebench, "noisebench", lambda *_: pool_data())
    monkeypatch.setattr(pools_noisebench, "_SIZES", (10, 20))
    monkeypatch.setattr(pools_noisebench, "conll2003", None)
    study = pools_noisebench.run(pools_noisebench.Setting(seeds=2))
    assert study.notes[-1] == "The run was interrupted."
    assert {row.metric: row.samples for row in study.rows} == {"0": 1, "10 by document": 1, "10 by sentence": 1}


def test_rows_of_samples_have_their_spread() -> None:
    row = sample_row("a", "30", [80.0, 82.0, 84.0])
    assert (row.ours, row.spread, row.samples) == (82.0, 2.0, 3)
    assert row.to_dict() == {
        "row": "a", "metric": "30", "ours": 82.0, "low": None, "high": None, "paper": None, "spread": 2.0, "samples": 3,
    }  # fmt: skip
    assert "| a | 82.0 ± 2.0 | 1.00 |" in Study("x", "X", [row, Row("a", "other", 1.0)]).markdown("x")
