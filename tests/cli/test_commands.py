"""The commands as a user runs them: exit codes, what they print, what they write."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.commands import fail, run, succeed, write

GOLD = "Ann NNP B-PER\nlives VBZ O\nin IN O\nNew NNP B-LOC\nYork NNP I-LOC\n\nRain NN O\nfell VBD O\n"
GOOD = "Ann B-PER\nlives O\nin O\nNew B-LOC\nYork I-LOC\n\nRain O\nfell O\n"
POOR = "Ann O\nlives O\nin O\nNew B-LOC\nYork O\n\nRain O\nfell O\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("gold", GOLD), ("good", GOOD), ("poor", POOR)):
        (tmp_path / f"{name}.conll").write_text(text)
    return tmp_path


# score -------------------------------------------------------------------------------------------------------------------


def test_score_two_files_as_json(files: Path) -> None:
    result = json.loads(succeed("score", files / "gold.conll", files / "poor.conll", "--json"))
    assert (result["precision"], result["recall"], result["f1"]) == (0.0, 0.0, 0.0)  # "New" is not "New York"
    assert result["accuracy"] == pytest.approx(100 * 5 / 7)
    assert (result["tokens"], result["sentences"]) == (7, 2)
    assert result["types"]["LOC"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "gold": 1, "predicted": 1, "correct": 0}
    assert set(result["intervals"]) >= {"precision", "recall", "f1", "accuracy"}
    assert result["hamming"] == pytest.approx(2 / 7)


def test_score_one_file_with_both_columns(files: Path) -> None:
    both = files / "both.conll"
    both.write_text("Ann x B-PER B-PER\nleft y O B-LOC\n")
    result = json.loads(succeed("score", both, "--json"))
    assert (result["precision"], result["recall"]) == (50.0, 100.0)
    labels_only = files / "labels.conll"
    labels_only.write_text("B-PER B-PER\nO O\n")
    assert json.loads(succeed("score", labels_only, "--json"))["f1"] == 100.0


def test_score_reads_standard_input(files: Path) -> None:
    result = json.loads(succeed("score", "-", "--json", stdin="Ann x B-PER B-PER\nleft y O B-LOC\n"))
    assert (result["precision"], result["recall"]) == (50.0, 100.0)


def test_score_compares_two_systems(files: Path) -> None:
    shown = succeed("score", files / "gold.conll", files / "good.conll", "--compare", files / "poor.conll")
    assert "+100.00 F1" in shown
    assert "McNemar" in shown
    result = json.loads(succeed("score", files / "gold.conll", files / "good.conll", "--compare", files / "poor.conll", "--json"))
    assert result["compare"]["difference"] == 100.0
    assert result["compare"]["right_only_here"] == 2


def test_plain_tags_have_an_accuracy_and_no_f1(files: Path) -> None:
    (files / "tags.conll").write_text("the DT DT\ncat NN NN\nsat VB NN\nup RB RB\n")
    shown = succeed("score", files / "tags.conll", "--compare", files / "tags.conll")
    lines = [line for line in shown.splitlines() if line.split()[:1] in (["precision"], ["recall"], ["f1"], ["accuracy"])]
    assert [line.split()[:2] for line in lines] == [["accuracy", "75.00"]]
    assert "(accuracy 75.00): +0.00 accuracy" in shown


def test_score_tells_known_words_from_unknown_ones(files: Path) -> None:
    train = files / "train.conll"
    train.write_text("Ann B-PER\nin O\n")
    result = json.loads(succeed("score", files / "gold.conll", files / "poor.conll", "--train", train, "--json"))
    assert result["known_words"]["tokens"] == 2
    assert result["unknown_words"]["tokens"] == 5
    assert "unknown words" in succeed("score", files / "gold.conll", files / "poor.conll", "--train", train)


def test_score_counts_partial_matches(tmp_path: Path) -> None:
    both = tmp_path / "both.conll"
    both.write_text("Ann B-PER B-PER\nSmith I-PER O\nmet O O\nOslo B-LOC B-ORG\n")
    partial = json.loads(succeed("score", both, "--partial", "--json"))["partial"]
    assert {scheme: one["f1"] for scheme, one in partial.items()} == {"strict": 0, "exact": 50, "partial": 75, "type": 50}
    assert re.search(r"partial +75\.00 +75\.00 +75\.00 +1 +1 +0 +0 +0", succeed("score", both, "--partial"))
    tags = tmp_path / "tags.conll"
    tags.write_text("Ann NNP NNP\nleft VBD NN\n")
    assert "need spans" in fail("score", tags, "--partial")


def test_score_reads_plain_labels_and_names_the_scheme(files: Path) -> None:
    tags = files / "tags.conll"
    tags.write_text("a DT DT\ncat NN VB\n")
    shown = succeed("score", tags, "--confused", 5)
    assert "plain" in shown.lower()
    assert "50.00" in shown
    assert "NN" in shown
    assert "BIO2" in succeed("score", files / "gold.conll", files / "good.conll")


def test_score_reports_files_that_do_not_fit(files: Path) -> None:
    short = files / "short.conll"
    short.write_text("Ann O\n\nRain O\nfell O\n")
    assert f"{short}: sentence 1" in fail("score", files / "gold.conll", short)
    other = files / "other.conll"
    other.write_text(GOOD.replace("Rain", "Snow"))
    assert "same sentences" in run("score", files / "gold.conll", other).stderr
    assert "2 columns, got 1" in fail("score", write(files, "one.conll", "Ann\n"))


# features ----------------------------------------------------------------------------------------------------------------


def test_features_shows_what_templates_make(files: Path) -> None:
    shown = succeed("features", files / "gold.conll", "--features", "word[-1] & pos[0]")
    assert "word[-1]&pos[0] = Ann|VBZ" in shown
    result = json.loads(succeed("features", files / "gold.conll", "--features", "shape[0]", "--first", 2, "--json"))
    assert result["sentence"] == 2
    assert result["tokens"][0] == {"word": "Rain", "features": [["shape(word)[0]=Xxxx", 1.0]]}


def test_features_summary_counts_by_template(files: Path) -> None:
    result = json.loads(succeed("features", files / "gold.conll", "--features", "word[0]\npos[0]", "--summary", "--json"))
    assert result["templates"] == {"word[0]": {"features": 7, "occurrences": 7}, "pos[0]": {"features": 5, "occurrences": 7}}
    assert result["labels"] == ["B-PER", "O", "B-LOC", "I-LOC"]


def test_features_takes_resources_bags_and_history(files: Path) -> None:
    (files / "cities.txt").write_text("New York\nOslo\n")
    template = files / "mine.txt"
    template.write_text("word[0]\nlabel[-1]\n[lists]\ngazetteer(cities)[0]\n")
    shown = succeed("features", files / "gold.conll", "--features", template, "--use", f"cities={files / 'cities.txt'}")
    assert "gazetteer(cities)[0] = cities/B" in shown
    assert "combined with previous labels when tagging: label[-1]" in shown
    assert "cities/B" not in succeed(
        "features", files / "gold.conll", "--features", template, "--use", f"cities={files / 'cities.txt'}", "--bag", "base"
    )
    assert "cities" not in succeed("features", files / "gold.conll", "--features", template, "--without", "cities")


def test_features_points_at_mistakes(files: Path) -> None:
    gold = files / "gold.conll"
    message = fail("features", gold, "--features", "word[0] & lemma[0]")
    assert "unknown field 'lemma'; the columns are word, pos, label" in message
    assert "            ^" in message
    assert "offset out of range" in fail("features", gold, "--features", "word[99]")
    assert "mine.txt:2" in fail("features", gold, "--features", write(files, "mine.txt", "word[0]\nword[\n"))
    assert "lists.txt:2" in fail("features", gold, "--features", write(files, "lists.txt", "word[0]\ngazetteer(cities)[0]\n"))
    missing = write(files, "use.txt", "use cities from nowhere.txt\ngazetteer(cities)[0]\n")
    assert "nowhere.txt: there is no such file" in fail("features", gold, "--features", missing)
    assert "no such file or folder" in fail("features", gold, "--features", "gazetteer(a)[0]", "--use", "a=nowhere")
    assert "NAME=PATH" in fail("features", gold, "--features", "gazetteer(a)[0]", "--use", "a")
    assert "neither a file nor a preset" in fail("features", gold, "--features", "nerr")
    assert "there is no bag 'x'" in fail("features", gold, "--features", "word[0]", "--bag", "x")
    assert "--first 9" in fail("features", gold, "--features", "word[0]", "--first", 9)


def test_features_shows_embeddings(files: Path) -> None:
    vectors = write(files, "vectors.txt", "ann 0.5 1\nyork 2 3\n")
    options = ["--features", "embedding(v, lower(word))[0..1]", "--use", f"v={vectors}"]
    result = json.loads(succeed("features", files / "gold.conll", *options, "--json"))
    assert result["tokens"][0]["dense"] == {"embedding(v, lower(word))[0]": [0.5, 1.0]}
    assert result["tokens"][3]["dense"] == {"embedding(v, lower(word))[1]": [2.0, 3.0]}
    assert "embedding(v, lower(word))[0] = 0.5 1 ... (2 numbers)" in succeed("features", files / "gold.conll", *options)
    assert "28.6% of tokens" in succeed("features", files / "gold.conll", *options, "--summary")


# presets -----------------------------------------------------------------------------------------------------------------


def test_presets_lists_and_prints() -> None:
    listing = succeed("features")
    assert "ner-bagging" in listing
    assert "orthography" in listing
    assert "disjunction(word, -4..-1)[0]" in succeed("features", "--preset", "ner")
    lists = json.loads(succeed("features", "--json"))
    assert lists["presets"]["ner-bagging"]["bags"] == ["ngrams", "lexicons"]
    assert lists["functions"]["orthography"]["example"].startswith("orthography(")
    assert "there is no preset 'x'" in fail("features", "--preset", "x")


# convert -----------------------------------------------------------------------------------------------------------------


def test_convert_between_formats_and_schemes(files: Path) -> None:
    done = run("convert", files / "gold.conll", "-o", files / "out.jsonl", "--scheme", "bioes")
    assert done.returncode == 0
    assert "BIO2 (2 types, 4 labels) → BIOES" in done.stderr
    first = json.loads((files / "out.jsonl").read_text().splitlines()[0])
    assert first["labels"] == ["S-PER", "O", "O", "B-LOC", "E-LOC"]
    assert first["pos"][0] == "NNP"
    back = succeed("convert", files / "out.jsonl", "--to", "conll", "--scheme", "bio2")
    assert back == GOLD + "\n"


def test_convert_repairs_only_where_asked(files: Path) -> None:
    bad = write(files, "bad.conll", "a O\nb I-X\nc B-Y\n")
    target = files / "good.out"
    assert "expected" in fail("convert", bad, "-o", target, "--scheme", "bioes", "--from-scheme", "bio2")
    assert not target.exists()
    done = run("convert", bad, "-o", target, "--scheme", "bioes", "--from-scheme", "bio2", "--repair")
    assert done.returncode == 0
    assert "1 label repaired" in done.stderr
    assert target.read_text() == "a O\nb S-X\nc S-Y\n\n"


def test_convert_streams_and_compresses(files: Path) -> None:
    assert succeed("convert", "-", "--to", "jsonl", stdin="a O\n") == '{"tokens": ["a"], "labels": ["O"]}\n'
    succeed("convert", files / "gold.conll", "-o", files / "out.conll.gz", "--keep", "word,label", "--separator", "tab")
    assert gzip.decompress((files / "out.conll.gz").read_bytes()).decode().startswith("Ann\tB-PER\n")
    assert "plain" in fail("convert", write(files, "t.conll", "a DT\nb NN\n"), "-o", files / "x", "--scheme", "bio2").lower()


def test_convert_keeps_the_order_of_columns_and_names_what_is_lost(files: Path) -> None:
    assert succeed("convert", files / "gold.conll", "--columns", "word,label,ner", "--to", "conll") == GOLD + "\n"
    done = run("convert", files / "gold.conll", "-o", files / "out.conllu")
    assert "not kept, since conllu has no place for it: column label" in done.stderr
    assert (files / "out.conllu").read_text().startswith("1\tAnn\t_\t_\tNNP\t")
    assert (
        "has no place for it: column pos" in run("convert", files / "gold.conll", "-o", files / "o.jsonl", "--to", "spans").stderr
    )
    assert "not kept" not in run("convert", files / "gold.conll", "-o", files / "o.jsonl").stderr


def test_convert_writes_text_as_conllu_says_it_was(files: Path) -> None:
    rows = ["1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\tSpaceAfter=No", "2\t,\t,\tPUNCT\t,\t_\t1\tpunct\t_\t_"]
    rows += ["3\tsir\tsir\tNOUN\tNN\t_\t1\tvocative\t_\tX=1|SpaceAfter=No", "4\t.\t.\tPUNCT\t.\t_\t1\tpunct\t_\t_", ""]
    path = write(files, "tiny.conllu", "\n".join(rows) + "\n")
    assert succeed("convert", path, "--to", "text") == "Yes, sir.\n"


def test_convert_keeps_the_permissions_of_a_file_it_replaces(files: Path) -> None:
    target = write(files, "private.conll", "old\n")
    target.chmod(0o600)
    succeed("convert", files / "gold.conll", "-o", target)
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.read_text() == GOLD + "\n"


def test_convert_writes_into_a_pipe_by_its_name(files: Path) -> None:
    command = f"{sys.executable} -m tagpool convert {files / 'gold.conll'} -o /dev/stdout --to conll | cat"
    assert subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout == GOLD + "\n"


# demo --------------------------------------------------------------------------------------------------------------------


def test_demo_tells_its_story_and_draws_it(tmp_path: Path) -> None:
    shown = succeed("demo", "--sentences", 400, "--results", tmp_path / "results")
    lines = shown.splitlines()
    assert len(lines) <= 40
    assert max(len(line) for line in lines if not line.startswith("Picture")) <= 80
    assert "[Oslo LOC]" in shown
    picture = tmp_path / "results" / "demo.png"
    assert f"Picture: {picture}" in lines
    assert picture.read_bytes().startswith(b"\x89PNG")
    outcome = json.loads(succeed("demo", "--results", tmp_path / "results", "--json"))
    assert outcome["picture"] == str(picture)
    f1 = outcome["f1"]
    assert f1["CRF"]["without capitals"] < 20 < f1["robust CRF"]["without capitals"]
    assert f1["CRF"]["with capitals"] - f1["robust CRF"]["with capitals"] < 3
    *noisy, combined = (row["with capitals"] for row in list(f1.values())[2:])
    assert len(noisy) == 5
    assert combined > max(noisy)


def test_demo_writes_its_corpus(tmp_path: Path) -> None:
    assert "40 sentences written to" in succeed("demo", "--sentences", 40, "--write", tmp_path / "data")
    written = json.loads(succeed("demo", "--sentences", 40, "--write", tmp_path / "data", "--json"))
    assert written["files"][str(tmp_path / "data" / "train.conll")] == 40
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["dev.conll", "test.conll", "train.conll"]
    file = write(tmp_path, "file", "")
    assert "creating the folder failed" in fail("demo", "--sentences", 40, "--write", file, code=1)


def test_demo_without_matplotlib_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['matplotlib'] = None; from tagpool.cli.entry import run; run()"
    command = [sys.executable, "-c", hidden, "demo", "--sentences", "100", "--results", str(tmp_path / "results")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 'No picture: plots need matplotlib; pip install "tagpool[plots]"' in done.stdout
    file = write(tmp_path, "file", "")
    assert "writing the picture failed" in run("demo", "--sentences", 100, "--results", file).stderr


# All of them -------------------------------------------------------------------------------------------------------------


BAD_FILES = {
    "missing column": ("a B-PER\nb\n", ":2: expected 2 columns, got 1"),
    "ragged": ("a X O\nb Y O\nc O\n", ":3: expected 3 columns, got 2"),
    "wrong encoding": (b"caf\xe9 O\n", ":1: expected UTF-8"),
    "empty": ("", "the file is empty"),
    "one long line": ("x" * 1_000_000 + " O\n", ":1: expected a token and its columns, got a line of 1000002 bytes"),
    "NUL": (b"a O\nb\0 O\n", ":2: expected text, got a NUL byte"),
    "UTF-16": ("a O\n".encode("utf-16"), ":1: expected"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("command", ["score", "features", "convert"])
def test_bad_files_are_named_with_their_line(tmp_path: Path, command: str, name: str) -> None:
    content, expected = BAD_FILES[name]
    path = write(tmp_path, "bad.conll", content)
    target = tmp_path / "target.conll"
    extra: dict[str, list[object]] = {"score": [path], "features": ["--features", "word[0]"], "convert": ["-o", target]}
    message = fail(command, path, *extra[command])
    assert expected in message
    assert str(path) in message
    assert not target.exists()


def test_windows_line_ends_and_a_missing_last_line_end_do_no_harm(tmp_path: Path) -> None:
    path = write(tmp_path, "windows.conll", "a B-X\r\nb O\r\n\r\nc O")
    assert succeed("convert", path) == "a B-X\nb O\n\nc O\n\n"


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for command in (["score", tmp_path / "no", tmp_path / "no"], ["features", tmp_path / "no", "--features", "word"]):
        assert "there is no such file" in fail(*command)
    assert "the folder has no files" in fail("convert", tmp_path)


def test_a_target_that_cannot_be_written_is_a_failure(files: Path) -> None:
    assert "writing failed" in fail("convert", files / "gold.conll", "-o", files / "no" / "out.conll", code=1)


def test_summaries_fit_into_the_list_of_commands() -> None:
    shown = succeed("--help")
    commands = shown[shown.index("Commands:") :].splitlines()[1:]
    assert len(commands) >= 11
    assert not any(line.endswith("...") for line in commands)
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize(
    "command", ["train", "tune", "tag", "score", "inspect", "explain", "features", "convert", "demo", "reproduce"]
)
def test_help_has_an_example(command: str) -> None:
    shown = succeed(command, "--help")
    assert "Examples:" in shown
    assert f"tagpool {command}" in shown


def test_usage_errors_exit_with_2() -> None:
    assert run("score").returncode == 2
    assert run("nonsense").returncode == 2
    assert run("demo", "--sentences", "2").returncode == 2
    assert run("--version").stdout.startswith("tagpool ")


def test_a_closed_pipe_is_no_error(files: Path) -> None:
    command = f"{sys.executable} -m tagpool demo | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


def test_output_that_cannot_be_written_is_a_failure() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m tagpool features > /dev/full"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "standard output: writing failed" in done.stderr


def test_narrow_terminals_lose_nothing(files: Path) -> None:
    done = run("score", files / "gold.conll", files / "poor.conll", environment={"COLUMNS": "30"})
    assert "LOC" in done.stdout
    assert "…" not in done.stdout


def test_scoring_one_file_without_predictions_gets_a_word(tmp_path: Path) -> None:
    both = write(tmp_path, "both.conll", "Ann B-NP B-PER\nleft B-VP O\n")
    assert "no label in common" in run("score", both).stderr


@pytest.mark.parametrize("text", ["Ann B-PER\nleft O\n", "She PRP\nleft VBD\nus PRP\n, ,\nsad JJ\nand CC\ncold JJ\n"])
def test_scoring_words_and_labels_names_what_is_missing(tmp_path: Path, text: str) -> None:
    message = fail("score", write(tmp_path, "words.conll", text))
    assert "the predicted labels are missing" in message
    assert "words.conll" in message


@pytest.mark.parametrize("text", ["NN NN\nVB NN\nDT NN\nJJ NN\nIN NN\nRB NN\n", "B-PER B-LOC\nI-PER I-LOC\nO O\n"])
def test_scoring_gold_and_predicted_labels_that_differ(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.conll").write_text(text)
    succeed("score", tmp_path / "x.conll")


def test_plain_text_taken_for_columns_gets_a_hint(tmp_path: Path) -> None:
    assert "--format text" in fail("features", write(tmp_path, "t.txt", "Two words\nand three words\n"), "--features", "ner")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="asks the system whether the command is at work yet")
def test_interrupting_says_so() -> None:
    command = [sys.executable, "-m", "tagpool", "demo", "--sentences", "900000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        waited = 0
        while "_native" not in Path(f"/proc/{process.pid}/maps").read_text() and waited < 600:
            time.sleep(0.1)
            waited += 1
        time.sleep(1)  # drawing the sentences takes many times as long
        process.send_signal(signal.SIGINT)
        _, message = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130
    assert "interrupted" in message
    assert "Traceback" not in message
