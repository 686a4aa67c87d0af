"""The experiments, each run completely on small corpora in the format of the real ones; and the pages they write."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from tagpool import Corpus, builtin_corpus
from tagpool.corpus.concatenation import concatenate
from tagpool.errors import InputError
from tagpool.experiments.catalogue import EXPERIMENTS, experiment
from tagpool.experiments.corpora import (
    conll2000,
    conll2003,
    in_scheme,
    journal,
    lowered,
    newswire_clusters,
    only_type,
    read_resources,
)
from tagpool.experiments.elitist import by_epochs
from tagpool.experiments.fits import Makers, Model, refit, tune
from tagpool.experiments.paths_study import METHODS
from tagpool.experiments.printed.elitist import figures_of
from tagpool.experiments.study import Row, Setting, Study, Table
from tagpool.experiments.users_corpora import SOURCES, read_split
from tagpool.experts.linear.maxent import MaxEnt
from tagpool.pools.bagging.partitions import RandomParts


def packed(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))


def columns(corpus: object, *names: str) -> list[str]:
    lines: list[str] = []
    for sentence in corpus:  # type: ignore[attr-defined]
        lines += [" ".join(row) for row in zip(*(sentence[name] for name in names), strict=True)]
        lines.append("")
    return lines


def in_documents(lines: list[str], length: int = 5) -> list[str]:
    """Add a line that begins a document before every n-th sentence."""
    ends = [number for number, line in enumerate(lines) if not line]
    starts = [0, *(end + 1 for end in ends[:-1])][::length]
    return [
        item for number, line in enumerate(lines) for item in ((["-DOCSTART- -X- O O", ""] if number in starts else []) + [line])
    ]


def handwriting() -> list[str]:
    """Words of three and four letters, in ten folds: each letter is a stroke of its own, with some pixels wrong."""
    random = np.random.default_rng(1)
    lines: list[str] = []
    for word in range(160):
        for position, letter in enumerate(random.choice(["abc", "bcaa", "cabb", "aab"])):
            pixels = np.where(random.random(128) < 0.1, 1, np.arange(128) // 40 == "abc".index(letter))
            cells = [len(lines) + 1, letter, -1, word + 1, position + 1, word // 4 % 10, *pixels.astype(int).tolist()]
            lines.append("\t".join(map(str, cells)))
    return lines


def dictionary(count: int) -> list[str]:
    """Made-up words: X is said K S, H is silent."""
    random = np.random.default_rng(2)
    sounds = {"A": "AE1", "O": "OW0", "T": "T", "X": "K S", "H": "", "N": "N"}
    words = sorted({"".join(random.choice(list("AOTXHN"), random.integers(2, 9))) for _ in range(count)})
    messages = {word: " ".join(filter(None, (sounds[letter] for letter in word))) for word in words}
    lines = [f"{word} {variant} {phones}" for word, phones in messages.items() if phones for variant in (1, 2)]
    return [*lines, "TA'N 1 T AE1 N"]


def cited_names(count: int) -> list[str]:
    """Authors as GROBID's feature rows: the word, features, and a label that marks where a field begins."""
    random = np.random.default_rng(4)
    lines: list[str] = []
    for _ in range(count):
        for _ in range(random.integers(1, 4)):
            lines += [
                f"{random.choice(['Ann', 'Jo', 'Kim'])} x 0 I-<forename>",
                f"{random.choice(['Smith', 'Roe'])} x 0 I-<surname>",
            ]
            lines += [", x 1 I-<other>"] if random.random() < 0.5 else ["- x 1 <surname>", "Poe x 0 <surname>", ", x 1 <other>"]
        lines.append("")
    return lines


def noisy_experts(folder: Path, corpus: Corpus) -> None:
    """Files of sources and crowd workers: every source labels some spans as O, and every worker leaves out some sentences."""
    random = np.random.default_rng(3)
    lines: list[str] = []
    rows: list[dict[str, object]] = []
    for number, (words, labels) in enumerate(zip(corpus.words, corpus.labels, strict=True)):
        lines += ["-DOCSTART-" + 7 * " O", ""] if number % 5 == 0 else []
        sources = [labels, *([("O" if random.random() < 0.05 * miss else label) for label in labels] for miss in range(1, 7))]
        lines += [*(" ".join(cells) for cells in zip(words, *sources, strict=True)), ""]
        workers = {f"w{worker}": row for worker, row in enumerate(sources[1:]) if worker != number % 6 and number != 7}
        rows.append({"document": f"d{number // 5}", "tokens": words, "labels": labels, "workers": workers})
    packed(folder / "noisebench" / "noisebench.conll.gz", lines)
    for part, chosen in (("val", rows[:40]), ("test", rows)):
        packed(folder / "mturk-conll2003" / f"{part}.jsonl.gz", [json.dumps(row) for row in chosen])


@pytest.fixture(scope="session")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    parts = {part: builtin_corpus(count, part=part) for part, count in (("train", 150), ("dev", 40), ("test", 40))}
    names = ("word", "pos", "chunk", "label")
    for part, file in (("train", "eng.train"), ("dev", "eng.testa"), ("test", "eng.testb")):
        packed(folder / "conll2003" / f"{file}.gz", in_documents(columns(parts[part], *names)))
        packed(folder / "wnut17" / f"{part}.tsv.gz", columns(parts[part], "word", "label"))
        packed(folder / "bc2gm" / f"{'devel' if part == 'dev' else part}.tsv.gz", columns(parts[part], "word", "label"))
        for language in ("esp", "ned"):
            packed(folder / "conll2002" / f"{file.replace('eng', language)}.gz", columns(parts[part], "word", "pos", "label"))
        packed(folder / "ud-ewt" / f"en_ewt-ud-{part}.tsv.gz", columns(parts[part], "word", "pos", "pos"))
    for part in ("train", "test"):
        packed(folder / "conll2000" / f"{part}.txt.gz", columns(parts[part], "word", "pos", "chunk"))
    packed(folder / "gazetteers" / "made" / "places.gz", ["Oslo", "New York", "Paris"])
    packed(folder / "brown-clusters" / "spacy_en_c1000.txt.gz", ["0010\tthe", "0110\tOslo", "0111\tParis"])
    packed(folder / "brown-clusters" / "twitter_50mpaths2.txt.gz", ["0010\tthe\t3", "0110\toslo\t2"])
    phrases = folder / "nlp4j-lexica" / "en-named-entity-gazetteers-simplified-lowercase.tsv.gz"
    packed(phrases, ["new york\t6", "ann smith\t14"])
    for capitals in ("", "-lowercase"):
        classes = f"en-ambiguity-classes-simplified{capitals}.tsv.gz"
        packed(folder / "nlp4j-lexica" / classes, ["the\tDT", "Oslo\tNNP NN", "oslo\tNNP", "0\tCD"])
    (folder / "glove").mkdir()
    np.savez(folder / "glove" / "glove.6B.100d.subset.f16.npz", vectors=np.eye(3, dtype=np.float16))
    packed(folder / "glove" / "words.txt.gz", ["the", "oslo", "paris"])
    for part, file in (("train", "train_00-18"), ("dev", "dev_19-21"), ("test", "test_22-24")):
        packed(folder / "wsj-pos" / f"{file}.tsv.gz", columns(parts[part], "word", "pos"))
    packed(folder / "ocr-letters" / "letter.data.gz", handwriting())
    packed(folder / "cmudict" / "cmudict-0.7a.txt.gz", dictionary(700))
    sections = ["00\t100\t0", "15\t50\t0", "19\t30\t0", "20\t10\t0", "22\t40\t0"]
    packed(folder / "reuters21578" / "sentences.txt.gz", [" ".join(words) for words in builtin_corpus(200).words])
    packed(folder / "wsj-pos" / "sections.tsv.gz", ["section\tsentences\ttokens", *sections])
    packed(folder / "grobid" / "name-citation-1.train.gz", cited_names(60))
    noisy_experts(folder, parts["train"])
    return folder


@pytest.mark.parametrize("name", [item for item in EXPERIMENTS if item not in ("undertraining", "users")])
def test_an_experiment_runs_whole_and_the_same_again(name: str, corpora: Path) -> None:
    messages: list[str] = []
    study = experiment(name).run(Setting(data=corpora, quick=True, report=messages.append))
    assert study.name == name
    assert messages
    least = -100 if name == "pools-order" else 0  # gains may be negative
    assert all(least <= row.ours <= 100 for row in study.rows)
    assert all(row.low is None or row.high is None or row.low <= row.high for row in study.rows)
    if name == "elitist-ner":
        lexicons, strengths, epochs = study.tables
        assert len(lexicons.lines) == 10
        assert {len(line) for line in lexicons.lines} == {9}
        check_elitist(study)
        assert [line[0] for line in strengths.lines] == [line[0] for line in epochs.lines]
        assert len(strengths.lines) == 6
        assert all(len(line) == 5 and all(": " in cell for cell in line[1:]) for line in strengths.lines)
        assert epochs.header == ["", "1", "3", "10"]
    if name == "robustness":
        assert len(study.tables) == 4  # corpora
        for table in study.tables:
            rows = [line[0] for line in table.lines]
            assert rows.index("one CRF") < rows.index("robust CRF")
            assert len({len(line) for line in table.lines}) == 1
            assert {"lower", "typos"} <= {header.partition(" ")[0] for header in table.header}
    if name.startswith("dfi"):
        others = {row.row for row in study.rows} - {line[0] for line in study.tables[0].lines}
        assert others
        assert all(name.endswith(("pooled", "greedy", "right to left", "CRF with dropout")) for name in others)
        joined = {line[0]: line[3] for line in study.tables[0].lines}
        assert joined["M0: baseline"] == "0%"
        assert [share for row, share in joined.items() if row.startswith("M4")] != ["0%"]
    if name in ("paths-artificial", "paths-pos", "paths-ocr", "paths-pron"):
        result = {(row.row, row.metric): row for row in study.rows}
        assert {row for row, _ in result} >= {"mvote", "best", "majority", "espboost"}
        assert any("MVote" in note for note in study.notes) or study.tables
    if name in ("paths-pos", "paths-pron"):
        printed = result["best", "TR1" if name == "paths-pos" else "PDS2, edits"].paper
        assert printed == (10.32 if name == "paths-pos" else 1.2883)
    if name == "paths-nbest":
        check_lists(study)
    if name == "paths-ner":
        rows = [row.row for row in study.rows]
        assert {rows.count(row) for row in rows} == {2}  # dev and test
        assert next(row for row in rows if row.startswith(("mean", "VotePool"))) == "mean of the probabilities"
        assert study.notes[0].startswith("Chosen on dev: ")
    if name == "pools-order":
        assert [row.row for row in study.rows if row.row.startswith("crowd")] == [
            "crowd, as suggested",
            "crowd, by expected errors",
        ]
    elif name.startswith("pools"):
        last = [row.row for row in study.rows if row.metric == study.rows[-1].metric]
        assert {"majority", "CRF-EM, no gold", "stacking", "auto"} <= set(last)
        assert all(row.samples == 1 and row.spread is None for row in study.rows)
        assert "1 further sentences have no worker" in " ".join(study.notes) or name == "pools-noisebench"
    if name in ("paths-ocr", "paths-pron", "paths-nbest", "pools-crowd"):
        again = experiment(name).run(Setting(data=corpora, quick=True))
        assert again.to_dict() == study.to_dict()
    if name == "bagging-ner":
        again = experiment(name).run(Setting(data=corpora, quick=True, threads=2))
        assert again.to_dict() == study.to_dict()
        papers = {row.row: row.paper for row in study.rows if row.metric == "test F1"}
        assert papers["one CRF, all features"] == 85.45
        assert papers["bagged, sequence-product"] == 86.61


def check_elitist(study: Study) -> None:
    """Every printed figure of the paper has ours, on the page as in the list, and every row has every metric."""
    shown = {(row.row, row.metric): row.paper for row in study.rows if row.paper is not None}
    assert shown == figures_of("elitist-ner")
    metrics = [metric for section in study.sections.values() for metric in section]
    rows = {row.row for row in study.rows}
    assert {(row, metric) for row in rows for metric in metrics} == {(row.row, row.metric) for row in study.rows}
    assert len(rows) == 6 + 3 + 8 + 3 * 6
    assert {row.partition(":")[0] for row in rows} == {"CoNLL-2003", "WNUT-17", "Genes", "Spanish"}


def check_lists(study: Study) -> None:
    """Every section has every method, with the paper's figures where it has them; lists get worse rank by rank."""
    result = {(row.row, row.metric): row for row in study.rows}
    metrics = [metric for section in study.sections.values() for metric in section]
    assert len(study.sections) == 3
    assert {metric for _, metric in result} == set(metrics)
    assert {(method, metric) for method in METHODS for metric in metrics} <= set(result)
    assert (result["best", "PDS2, edits"].paper, result["best", "PDS2, edits"].paper_spread) == (1.2883, 0.00219)
    assert (result["mvote", "handwriting, p = 50"].paper, result["mvote", "handwriting, p = 50"].paper_spread) == (32.17, 0.375)
    assert all(row.samples == 2 for row in study.rows if row.row in METHODS)
    tables = {table.title: table.lines for table in study.tables}
    assert [line[0] for line in tables["Gain of MVote: the loss of the other minus its own"]] == metrics
    for title in ("Loss by rank: pronunciations", "Loss by rank: handwriting"):
        best = [float(line[3]) for line in tables[title]]
        assert best == sorted(best, reverse=True)
        assert float(tables[title][0][2]) < float(tables[title][3][2])
    lengths = {line[0] for line in tables["Gain of MVote by length"]}
    assert lengths >= {"PDS2", "pronunciations, p = 10", "handwriting, p = 20"}


def test_undertraining_the_pool_stays_where_one_model_falls() -> None:
    study = experiment("undertraining").run(Setting(quick=True))
    result = {(row.row, row.metric): row.ours for row in study.rows}
    assert result["one model, strong feature missing", "a = 8"] < result["one model", "a = 8"] - 10
    assert result["pool, strong feature missing", "a = 8"] > result["pool", "a = 8"] - 3
    assert abs(result["one model", "a = 0"] - result["pool", "a = 0"]) < 3


def test_plots_are_files_and_the_same_again(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for folder in ("a", "b"):
        study = experiment("undertraining").run(Setting(quick=True, plots=tmp_path / folder))
        assert study.plots == ["undertraining.svg", "undertraining.png"]
    for name in study.plots:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
        assert (tmp_path / "a" / name).stat().st_size > 5000


def test_training_stops_by_what_a_model_is_judged_by(corpora: Path) -> None:
    split = conll2003(Setting(data=corpora))
    for make in (Makers("word[-1..1]", epochs=6).one(MaxEnt), Makers("word[-1..1]", epochs=6).elitist(experts=2)):
        model = Model("legal", make, (0.1,), legal=True, stops=True)
        created = model.fit(0.1, 1, split)
        judged = model.on_dev(created, split)
        assert [epoch for epoch in created.log_ if 100 * (epoch.score or 0.0) == pytest.approx(judged, abs=1e-9)]


def test_curves_by_epochs_are_the_scores_of_models_trained_so_long(corpora: Path) -> None:
    split = conll2003(Setting(data=corpora))
    for name in ("one", "parts"):
        models = {}
        for count in (1, 4):
            makers = Makers("word[-1..1]", epochs=count, patience=None)
            make = makers.one(MaxEnt) if name == "one" else makers.bagged(MaxEnt, bags=RandomParts(2))
            models[count] = Model(name, make, (0.1,), legal=True, stops=True)
        result = by_epochs(models, 0.1, split)
        anew = [(count, model.on_dev(model.make(0.1, 1).fit(split.train), split)) for count, model in models.items()]
        assert result == [(count, pytest.approx(f1, abs=1e-9)) for count, f1 in anew]
        assert result[0][1] != result[1][1]


def test_a_refit_keeps_penalty_and_shares(corpora: Path) -> None:
    setting = Setting(data=corpora, seeds=2)
    split = conll2003(setting)
    makers = Makers("word[0]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[0]", epochs=4)
    model = tune(Model("bagged", makers.bagged(weights="dev"), (0.1, 1.0)), split, setting, only_first=True)
    (first,) = model.fitted
    shares = first.weights_.tolist()
    refit(model, concatenate([split.train, split.dev]), setting)
    assert model.setting == max(model.tried, key=lambda value: model.tried[value])
    assert [(tagger.expert.l2, tagger.expert.seed, tagger.weights_.tolist()) for tagger in model.fitted] == [
        (model.setting, 1, shares),
        (model.setting, 2, shares),
    ]
    assert all(member.summary_["sentences"] == 190 for tagger in model.fitted for member in tagger)


def test_a_table_has_a_column_for_the_paper_only_where_it_has_figures() -> None:
    study = Study(
        "x", "Title", [Row("a", "F1", 1.0, 0.5, 1.5, 2.0, "*"), Row("b", "F1", 3.0), Row("a", "blank", 0.25)], ["a note"]
    )
    study.tables.append(Table("Further", ["", "1"], [["a", "2.00"]]))
    text = study.markdown("tagpool reproduce x")
    assert "## Further\n\n|  | 1 |\n| --- | --- |\n| a | 2.00 |\n" in text
    assert "|  | F1, paper | F1 | blank |" in text
    assert "| a | 2.00 | 1.00* (0.50-1.50) | 0.25 |" in text
    assert "| b |  | 3.00 |  |" in text
    assert "- a note" in text
    assert json.loads(json.dumps(study.to_dict()))["rows"][0] == {
        "row": "a",
        "metric": "F1",
        "paper": 2.0,
        "ours": 1.0,
        "low": 0.5,
        "high": 1.5,
    }


def test_sections_have_their_metrics_and_the_spread_of_the_paper() -> None:
    first = Row("a", "F1", 1.0, paper=2.0, spread=0.25, samples=10, paper_spread=0.5, digits=2)
    study = Study("x", "Title", [first, Row("b", "other", 3.0)], ["a note"], sections={"One": ["F1"], "Two": ["other"]})
    text = study.markdown("tagpool reproduce x")
    assert "## One\n\n|  | F1, paper | F1 |\n| --- | --- | --- |\n| a | 2.00 ± 0.50 | 1.00 ± 0.25 |\n\n## Two" in text
    assert "## Two\n\n|  | other |\n| --- | --- |\n| b | 3.00 |\n\n## Notes\n\n- a note" in text
    assert study.to_dict()["rows"][0]["paper_spread"] == 0.5
    assert "digits" not in study.to_dict()["rows"][0]


def test_corpora_are_read_as_they_are(corpora: Path) -> None:
    setting = Setting(data=corpora)
    split = conll2003(setting)
    assert len(split.train) == 150
    assert {label[0] for sentence in split.train.labels for label in sentence} <= set("OBIES")
    assert all(word == word.lower() for sentence in lowered(split.test).words for word in sentence)
    assert lowered(split.test).labels == split.test.labels
    chunks = conll2000(setting)
    assert (len(chunks.train), len(chunks.dev)) == (135, 15)
    parts = [builtin_corpus(count, part=part).words for part, count in (("train", 150), ("dev", 40), ("test", 40))]
    assert journal(setting, without=(15, 20)).words == [*parts[0][:100], *parts[1][:30], *parts[2]]
    assert concatenate([chunks.train, chunks.dev]).labels == [*chunks.train.labels, *chunks.dev.labels]
    phrases = only_type(chunks.test, "NP")
    assert {label[2:] for sentence in phrases.labels for label in sentence} == {"", "NP"}
    assert {label[0] for sentence in in_scheme(phrases, "bioes").labels for label in sentence} <= set("OBIES")
    assert read_resources(setting, "possible")["possible"].get("Oslo") == "NNP_NN"
    assert newswire_clusters(setting).get("the")


def test_corpora_of_users_have_words_and_labels_only(corpora: Path) -> None:
    splits = {name: read_split(source, Setting(data=corpora)) for name, source in SOURCES.items()}
    assert len(splits) == 8
    for split in splits.values():
        assert all(list(part.columns) == ["word", "label"] and len(part) > 0 for part in (split.train, split.dev, split.test))
    assert splits["Dutch"].train.labels == splits["CoNLL-2003"].train.labels
    assert splits["EWT tags"].train.labels == [list(row) for row in builtin_corpus(150).column("pos")]
    assert {label for row in splits["GROBID"].train.labels for label in row} == {"O", "B-forename", "B-surname", "I-surname"}
    quick = [name for name, source in SOURCES.items() if source.quick]
    assert {SOURCES[name].measure for name in quick} == {"F1", "accuracy"}
    with pytest.raises(InputError, match="no file"):
        read_split(SOURCES["GROBID"], Setting(data=corpora / "glove"))


def test_without_data_an_error_says_what_to_do(tmp_path: Path) -> None:
    for data in (None, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="TAGPOOL_DATA"):
            experiment("bagging-ner").run(Setting(data=data))
    with pytest.raises(InputError, match="no file"):
        experiment("bagging-chunk").run(Setting(data=tmp_path))
    with pytest.raises(InputError, match="there are undertraining"):
        experiment("magic")
