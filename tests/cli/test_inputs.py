"""Input files: folders, patterns and repeated options use all files; an option is never silently ignored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli.commands import fail, run, succeed, write
from typer.main import get_command

from tagpool.cli.inputs import expand_files
from tagpool.cli.main import COMMANDS, app
from tagpool.errors import InputError

PARTS = ["Ann B-PER\nleft O\n\n", "Oslo B-LOC\nwins O\n\n", "Rain O\n\nBo B-PER\n\n"]
OPTIONS = ["--features", "word[0]", "--set", "learner.trainer.epochs=2"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    for number, part in enumerate(PARTS):
        write(tmp_path / "parts", f"{number}.conll", part)
    write(tmp_path / "parts", ".hidden", "bad\n")
    write(tmp_path, "all.conll", "".join(PARTS))
    return tmp_path


def test_training_reads_all_files(folder: Path) -> None:
    parts = folder / "parts"
    repeated = [item for number in range(3) for item in ("--train", parts / f"{number}.conll")]
    shown = {}
    for name, options in {
        "one": ["--train", folder / "all.conll", "--dev", folder / "all.conll"],
        "repeated": [*repeated, *("--dev" if item == "--train" else item for item in repeated)],
        "folder": ["--train", parts, "--dev", parts],
        "pattern": ["--train", f"{parts}/*.conll", "--dev", f"{folder}/**/[0-9].conll"],
    }.items():
        model = folder / f"{name}.tagpool"
        succeed("train", *options, *OPTIONS, "--model", model)
        shown[name] = succeed("tag", model, folder / "all.conll", "--probabilities", "--columns", "word,label")
    assert len(set(shown.values())) == 1


def test_no_files(folder: Path) -> None:
    (folder / "empty").mkdir()
    for path, message in ((folder / "empty", "the folder has no files"), (folder / "*.jsonl", "no file matches this pattern")):
        assert f"{path}: {message}" in fail("train", "--train", path, "--model", folder / "m")
        assert f"{path}: {message}" in fail("train", "--train", folder / "all.conll", "--dev", path, "--model", folder / "m")
    with pytest.raises(InputError, match="no file matches"):
        expand_files([f"{folder}/x[12]"])
    strange = write(folder, "x[12]", PARTS[0])
    assert expand_files(str(strange)) == [str(strange)]


def test_outputs_do_not_replace_expanded_inputs(folder: Path) -> None:
    for option in (folder / "parts", f"{folder}/parts/*.conll"):
        log = ["--set", f"output.log={folder}/parts/1.conll"]
        for output in (["--model", folder / "parts" / "1.conll"], ["--model", folder / "m", *log]):
            assert "this is an input file" in fail("train", "--train", option, *OPTIONS, *output)
    assert (folder / "parts" / "1.conll").read_text() == PARTS[1]


MISTAKES = {"one": ("B-PER", "O"), "two": ("B-LOC", "O"), "three": ("left O", "left B-LOC")}


@pytest.fixture
def experts(folder: Path) -> Path:
    """Predictions in folders, and the same as single files."""
    for name, mistake in MISTAKES.items():
        (folder / name).mkdir()
        for number, part in enumerate(PARTS):
            write(folder / name, f"{number}.conll", part.replace(*mistake))
        write(folder, f"{name}.conll", "".join(PARTS).replace(*mistake))
    succeed("train", "--train", folder / "all.conll", *OPTIONS, "--model", folder / "m.tagpool")
    return folder


EXPERTS = ["1={one}", "2={two}", "3={three}"]
# A command with the places of inputs in braces: with files, folders and patterns it prints the same.
SAME = {
    "score": ["score", "{parts}", "{one}", "--compare", "{two}", "--train", "{parts}"],
    "convert": ["convert", "{parts}", "-o", "-", "--keep", "word,label"],
    "features": ["features", "{parts}", "--features", "word[0]", "--summary"],
    "explain": ["explain", "m.tagpool", "--file", "{parts}", "--sentence", "3"],
    "clusters": ["resources", "clusters", "{parts}", "--k", "2", "-o", "-"],
    "ambiguity": ["resources", "ambiguity", "{parts}", "--model", "m.tagpool", "--train", "{parts}", "-o", "-"],
    "fit": ["pool", "fit", "--method", "mvote", "--gold", "{parts}", *EXPERTS, "--model", "out.pool", "--json"],
    "compare": ["pool", "compare", "--gold", "{parts}", *EXPERTS, "--folds", "3", "--draws", "100"],
    "estimate": ["pool", "estimate", *EXPERTS, "--output", "-"],
    "apply": ["pool", "apply", "names.pool", *EXPERTS],
}
FORMS = {
    "files": {"parts": "all.conll", "one": "one.conll", "two": "two.conll", "three": "three.conll"},
    "folders": {"parts": "parts", "one": "one", "two": "two", "three": "three"},
    "patterns": {"parts": "parts/*.conll", "one": "one/[0-9].conll", "two": "two/*", "three": "th*e/*"},
}


@pytest.mark.parametrize("name", SAME)
def test_every_command_reads_folders_and_patterns(experts: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(experts)
    experts = [part.format(**FORMS["files"]) for part in EXPERTS]
    succeed("pool", "fit", "--method", "mvote", "--gold", "all.conll", *experts, "--model", "names.pool")
    shown = {}
    for form, paths in FORMS.items():
        text = succeed(*(part.format(**paths) for part in SAME[name]))
        shown[form] = text.replace(f"against {paths['two']} ", "against two ")
    assert shown["files"].strip()
    assert shown["folders"] == shown["patterns"] == shown["files"]


def test_several_files_become_one_corpus(experts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(experts)
    files = [f"parts/{number}.conll" for number in range(3)]
    assert succeed("convert", *files) == succeed("convert", "all.conll")
    assert succeed("features", *files, "--features", "word[0]", "--summary") == succeed(
        "features", "all.conll", "--features", "word[0]", "--summary"
    )
    for number in range(3):
        write(experts / "one", f"{number}.conll", PARTS[number].replace(" ", " X "))
    message = fail("convert", "all.conll", "one")
    assert "one/0.conll: the columns are word, pos, label, those of all.conll are word, label" in message
    both = [part.replace(" O", " O O").replace("B-PER", "B-PER O") for part in ("Ann B-PER\nleft O\n\n", "Bo B-PER\n\n")]
    (experts / "both").mkdir()
    for number, part in enumerate(both):
        write(experts / "both", str(number), part)
    write(experts, "both.conll", "".join(both))
    assert succeed("score", "both") == succeed("score", "both.conll")


def test_comments_and_documents_of_several_files_are_kept(tmp_path: Path) -> None:
    for number, part in enumerate(("# id = 1\na X\n\n", "-DOCSTART- O\n\n# id = 2\nb Y\n\n")):
        write(tmp_path, f"{number}.conll", part)
    text = succeed("convert", tmp_path / "0.conll", tmp_path / "1.conll", "--columns", "word,label")
    assert [line for line in text.split("\n") if line.startswith("#")] == ["# id = 1", "# id = 2"]
    assert text.count("-DOCSTART-") == 2


def test_folders_where_one_file_is_expected(experts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(experts)
    assert "parts: several files: name a folder for the labelled files with --output FOLDER" in fail("tag", "m.tagpool", "parts")
    assert "*.conl[l]: several files: name a folder" in fail("tag", "m.tagpool", "*.conl[l]")
    assert succeed("tag", "m.tagpool", "al*.conll") == succeed("tag", "m.tagpool", "all.conll")
    for command in (["inspect", "parts"], ["config", "parts"], ["tag", "parts", "all.conll"]):
        assert "folder" in fail(*command)
    assert "convert models one by one" in fail("convert", "m.tagpool", "all.conll")


def test_numbers_of_files_that_differ(experts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(experts)
    (experts / "two" / "2.conll").unlink()
    assert "two: expected 3 files, as parts has, got 2" in fail("score", "parts", "two")
    common = ("pool", "fit", "--method", "mvote", "--gold", "parts", "one", "two", "--model", "x.pool")
    assert "note: two: 2 of 4 sentences of gold have no labels here: the expert is missing for them" in run(*common).stderr
    write(experts / "two", "2.conll", "Rain O\n\nBo B-PER\nleft O\n")
    assert "two/2.conll: sentence 2: expected 1 predicted label, as in gold, got 2" in fail("score", "parts", "two")
    assert "note: two: 1 of 4 sentences of gold have no labels here" in run(*common).stderr
    write(experts / "two", "2.conll", "Rain O\n\nBo NEW\n")
    assert "two/2.conll:3: unknown label 'NEW'" in fail("pool", "fit", "--gold", "parts", "one", "two", "--model", "x.pool")


def test_score_with_one_file_takes_no_names_of_columns(experts: Path) -> None:
    message = fail("score", experts / "all.conll", "--columns", "word,label")
    assert "--columns word,label is for two files; the last two columns of one file are gold and predicted" in message
    assert "--label label is for two files" in fail("score", experts / "all.conll", "--label", "label")


def test_score_notes_gold_labels_that_training_does_not_have(experts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(experts)
    done = run("score", "all.conll", "all.conll", "--train", "parts/0.conll")
    assert "note: all.conll has 1 token (1 span) with labels that parts/0.conll does not have, such as 'B-LOC'\n" in done.stderr


def test_a_pool_is_not_written_over_a_file_of_a_pattern(experts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(experts)
    for gold, expert, output in (("parts", "two/*", "two/1.conll"), ("parts/*", "two", "parts/1.conll")):
        assert "this is an input file" in fail("pool", "fit", "--gold", gold, "one", expert, "--model", output)


def all_commands() -> list[tuple[list[str], Any]]:
    root: Any = get_command(app)
    commands = []
    for name in COMMANDS:
        command = root.get_command(None, name)
        inner = getattr(command, "commands", None)
        commands += [([name, key], value) for key, value in inner.items()] if inner else [([name], command)]
    return commands


def test_a_repeated_option_is_used_or_an_error() -> None:
    count = 0
    for words, command in all_commands():
        for parameter in command.params:
            if parameter.param_type_name != "option" or parameter.is_flag or parameter.multiple or parameter.name == "help":
                continue
            option = parameter.opts[0]
            assert f"Option {option} is given 2 times; give it once." in fail(*words, option, "1", option, "2")
            count += 1
    assert count > 50


def test_a_key_that_is_set_twice_is_an_error(folder: Path) -> None:
    twice = ("--set", "learner.l2=1", "--set", "learner . l2=2")
    message = fail("train", "--train", folder / "all.conll", "--model", folder / "m", *twice)
    assert "--set learner.l2 is given twice, as 'learner.l2=1' and as 'learner . l2=2'; give it once" in message
    pool = ("pool", "fit", "--method", "mvote", "--gold", "g", "a", "b", "--model", folder / "m")
    twice = ("--set", "pool.beta=0.9", "--set", "pool.beta=0.8")
    assert "--set pool.beta is given twice" in fail(*pool, *twice)


def test_score_names_the_commands_for_a_model(data: Path, tmp_path: Path) -> None:
    model, test = data / "ner.tagpool", data / "test.conll"
    for arguments in ((model, test), (test, model)):
        result = run("score", *arguments)
        assert result.returncode == 2
        assert f"{model}: expected labels, got a model" in result.stderr
        assert f"tagpool tag {model} {test} -o predicted; tagpool score {test} predicted" in result.stderr
    predicted = tmp_path / "predicted"
    assert run("tag", model, test, "-o", predicted).returncode == 0
    assert run("score", test, predicted).returncode == 0
