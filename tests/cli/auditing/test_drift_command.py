"""The table, the JSON and the plot of ``tagpool audit --drift``, and the texts that it compares."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import typer

from tagpool import CRF, SGD, Corpus, InputError, builtin_corpus, load, write_corpus
from tagpool.auditing.labellers import labeller_of
from tagpool.cli.auditing.drift import DriftOptions, show_drift
from tagpool.cli.auditing.taggers import TaggerOptions
from tagpool.cli.auditing.texts import TextReader, day_of, read_texts
from tagpool.corpus.formats import Format

NEW = builtin_corpus(150, part="test")
LOWER = Corpus.from_lists(word=[[word.lower() for word in row] for row in NEW.words], label=NEW.labels)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a model, a dev set and new files."""
    monkeypatch.chdir(tmp_path)
    CRF("word[-1..1]\nsuffix(word, 1..3)[0]\nshape(word)[0]", trainer=SGD(epochs=5)).fit(builtin_corpus(200)).save("ner.tagpool")
    write_corpus(builtin_corpus(300, part="dev"), "dev.conll", columns="word,label")
    write_corpus(Corpus.from_lists(word=NEW.words), "monday.conll")
    write_corpus(LOWER, "tuesday.conll")
    return tmp_path


def drift(*new: str, tagger: TaggerOptions | None = None, **options: Any) -> None:
    model = "ner.tagpool" if tagger is None else None
    show_drift(model, new, tagger or TaggerOptions(), DriftOptions(**{"reference": ["dev.conll"]} | options))


def test_the_table_has_the_strongest_alarm_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drift("monday.conll", "tuesday.conll")
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[0].split() == ["text", "measure", "words", "value", "%", "usual", "%", "alarm", "level", "%", "strength"]
    assert lines[1].startswith("tuesday.conll")
    rows = [line for line in lines if line.startswith(("monday", "tuesday"))]
    assert sum(line.startswith("monday") for line in rows) == 1  # no alarm: its strongest measure
    assert rows[-1].startswith("monday")
    assert all(("alarm" in line) == line.startswith("tuesday") for line in rows)
    assert "1 text of 2 with an alarm" in lines
    assert any(line.startswith("labels: other labels than usual") for line in lines)
    assert "17 runs of about 18 sentences" in lines[-1]
    assert shown.err == "comparing 2 texts with the reference\n"


def test_the_format_of_running_text_is_not_that_of_dev(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "monday.txt").write_text("".join(" ".join(words) + "\n" for words in NEW.words))
    (folder / "dev.txt").write_bytes((folder / "dev.conll").read_bytes())
    known = []
    for options in ({"dev": ["dev.conll"]}, {"dev": ["dev.txt"]}):
        drift("monday.txt", format=Format.TEXT, reference=[], json=True, **options)
        known.append(json.loads(capsys.readouterr().out)["rows"])
    drift("monday.conll", json=True)
    assert known[0] == known[1]
    usual = [[(row["measure"], row["usual"]) for row in rows] for rows in (known[0], json.loads(capsys.readouterr().out)["rows"])]
    assert sorted(usual[0]) == sorted(usual[1])


def test_json_has_all_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drift("monday.conll", "tuesday.conll", json=True, seed=3)
    first = capsys.readouterr().out
    result = json.loads(first)
    assert len(result["rows"]) == 2 * 5
    assert {row["text"] for row in result["rows"] if row["alarm"]} == {"tuesday.conll"}
    assert result["alarms"] == sum(row["alarm"] for row in result["rows"])
    drift("monday.conll", "tuesday.conll", json=True, seed=3)
    assert capsys.readouterr().out == first


def test_an_alarm_fails_only_if_that_is_wanted(folder: Path) -> None:
    drift("tuesday.conll")
    drift("monday.conll", fail_on_alarm=True)
    with pytest.raises(typer.Exit) as exit_:
        drift("tuesday.conll", fail_on_alarm=True)
    assert exit_.value.exit_code == 1


@pytest.mark.parametrize("name", ["drift.svg", "drift.png"])
def test_the_plot(folder: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    drift("monday.conll", "tuesday.conll", plot=Path(name))
    first = Path(name).read_bytes()
    drift("monday.conll", "tuesday.conll", plot=Path(name))
    assert Path(name).read_bytes() == first
    if name.endswith("svg"):
        assert ET.fromstring(first).tag.endswith("svg")


def test_a_function_is_compared_by_words_and_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.py").write_text("def label(rows):\n    return [['B-PER' if w.istitle() else 'O' for w in row] for row in rows]\n")
    drift("monday.conll", "tuesday.conll", tagger=TaggerOptions(tagger="mine:label"))
    shown = capsys.readouterr()
    assert "1 text of 2 with an alarm" in shown.out
    assert "note: confidence per token: not applicable (the tagger has no probabilities)" in shown.err
    assert "note: the words that the tagger knows are not known" in shown.err


def test_texts_by_day_and_by_key(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, rows in (
        ("log-2024-03-02.jsonl", NEW.words[:90]),
        ("b_20240301.jsonl", NEW.words[90:]),
        ("a_20240301.jsonl", [["x"]]),
    ):
        lines = [
            json.dumps(
                {"tokens": row, "site": "ab"[number % 2], "time": f"2024-05-0{number % 2 + 1}T10:00:00Z", "number": number}
            )
            for number, row in enumerate(rows)
        ]
        Path(name).write_text("\n".join(lines))
    files = sorted(str(path) for path in Path().glob("*.jsonl"))
    reader = TextReader(labeller_of(load("ner.tagpool")))
    sizes = {by: {name: len(text) for name, text in read_texts(files, reader.read, by).items()} for by in ("day", "site", "time")}
    assert sizes == {
        "day": {"2024-03-01": 61, "2024-03-02": 90},
        "site": {"a": 76, "b": 75},
        "time": {"2024-05-01": 76, "2024-05-02": 75},
    }
    assert {name: len(text) for name, text in read_texts(files, reader.read, None).items()} == dict(
        zip(files, (1, 60, 90), strict=True)
    )
    drift(*files, by="site")
    assert "2 texts of 2" not in capsys.readouterr().out
    with pytest.raises(InputError, match=r"a_20240301.jsonl:1: --by shop: expected a text .* the keys are 'tokens', 'site'"):
        drift(*files, by="shop")


def test_texts_by_column(folder: Path) -> None:
    text = NEW.with_column("day", [[f"day{number % 3}" for _ in row] for number, row in enumerate(NEW.words)])
    write_corpus(text.with_columns(["word", "day"]), "c.conll")
    reader = TextReader(labeller_of(load("ner.tagpool")), columns="word,day")
    assert {name: len(part) for name, part in read_texts(["c.conll"], reader.read, "day").items()} == {
        f"day{n}": 50 for n in range(3)
    }
    with pytest.raises(InputError, match="--by site: no such column; the columns are word, day"):
        read_texts(["c.conll"], reader.read, "site")


def test_dates_in_names() -> None:
    assert day_of("x/2023/ner_1999.12.31_v2.txt") == "1999-12-31"
    for name in ("a.txt", "2024-13-01.txt", "120240301.txt", "2024-3-1.txt", "2024-03_01.txt"):
        with pytest.raises(InputError, match="--by day: the name has no date such as 2024-03-01"):
            day_of(name)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_columns_of_files_for_other_taggers(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.conll"
    path.write_text("".join(" ".join(["word", *"xyz"][:count]) + "\n" for _ in range(2)))
    corpus = TextReader(labeller_of(lambda rows: rows)).read(str(path))
    assert corpus.words == [["word", "word"]]


@pytest.mark.parametrize(
    ("new", "options", "message"),
    [
        ((), {}, "--drift: expected new files after the model, got none"),
        (("monday.conll",), {"reference": []}, r"give it with --dev FILE"),
        (("none.conll",), {}, "none.conll: there is no such file"),
        (("monday.conll", "monday.conll"), {}, "monday.conll: the file is given twice"),
        (("monday.conll",), {"by": "day"}, "the name has no date"),
        (("monday.conll",), {"level": 2.0}, "level=2.0: expected a number from 0.5"),
        (("monday.conll",), {"plot": Path("drift.pdf")}, "expected the name of a picture"),
        (("monday.conll",), {"plot": Path("monday.conll")}, "expected the name of a picture"),
        (("monday.conll",), {"reference": ["small.conll"]}, "small.conll: expected at least 100 sentences"),
    ],
)
def test_mistakes(folder: Path, new: tuple[str, ...], options: dict[str, Any], message: str) -> None:
    write_corpus(NEW[:50], "small.conll", columns="word,label")
    with pytest.raises(InputError, match=message):
        drift(*new, **options)
