"""``tagpool reproduce all``: continues, survives failures, and writes the page of all figures."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

from cli.commands import environment_of_commands, fail, run, succeed

QUICK = ("reproduce", "all", "--quick", "--no-plots")
GENERATED = ("--only", "undertraining,paths-artificial")


def test_a_second_run_uses_the_results_of_the_first(tmp_path: Path) -> None:
    options = [*QUICK, *GENERATED, "--cache", tmp_path / "cache", "-o", tmp_path / "pages"]
    first = run(*options)
    assert first.returncode == 0, first.stderr
    assert "1 of 2, time left unknown: undertraining: strength 0" in first.stderr
    assert "2 of 2, time left unknown: paths-artificial: ADS2" in first.stderr
    page = (tmp_path / "pages" / "README.md").read_text()
    assert "    tagpool reproduce all --quick\n\n**Quick run:**" in page
    assert "| [undertraining](undertraining.md) | `tagpool reproduce undertraining --quick` | run by this code |" in page
    assert "- Sha and Pereira (2003): F1 94.38" in page
    for name in ("undertraining", "paths-artificial"):
        assert "**Quick run:**" in (tmp_path / "pages" / f"{name}.md").read_text()
        (tmp_path / "pages" / f"{name}.md").unlink()
    second = run(*options)
    assert second.stderr == "", "nothing runs"
    assert (tmp_path / "pages" / "README.md").read_text() == page
    assert (tmp_path / "pages" / "undertraining.md").is_file()


def test_one_experiment_writes_the_stored_results_and_reads_them_only_if_asked(tmp_path: Path) -> None:
    options = ["reproduce", "undertraining", "--quick", "--no-plots", "--cache", tmp_path, "--json"]
    assert "no result of undertraining is stored" in fail(*options, "--cached")
    first = run(*options)
    again = run(*options)
    assert first.stdout == again.stdout
    assert "strength 8" in again.stderr, "it ran again"
    stored = run(*options, "--cached")
    assert stored.stdout == first.stdout
    assert stored.stderr == ""
    done = run(*QUICK, *GENERATED, "--cache", tmp_path, "--json")
    assert "undertraining" not in done.stderr
    assert "1 of 1, time left unknown: paths-artificial" in done.stderr
    contents = json.loads(done.stdout)
    assert {contents["experiments"][name]["outcome"] for name in ("bagging-ner", "robustness")} == {"not run"}
    assert contents["experiments"]["undertraining"]["outcome"] == "stored"
    figures = [one for one in contents["figures"] if one["table"] == "Table 2" and one["paper"] == "PATHS"]
    assert len(figures) == 8
    assert all(one["ours"] > 0 and isinstance(one["reached"], bool) for one in figures)


def test_a_failure_does_not_lose_the_others(tmp_path: Path) -> None:
    corpora = tmp_path / "corpora"
    corpora.mkdir()
    names = "bagging-chunk,undertraining"
    done = run(*QUICK, "--only", names, "--data", corpora, "--cache", tmp_path / "cache", "-o", tmp_path / "pages")
    assert done.returncode == 1
    assert done.stderr.count("\n") > 3
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: 1 experiment failed: bagging-chunk: no file")
    page = (tmp_path / "pages" / "README.md").read_text()
    assert "| bagging-chunk | `tagpool reproduce bagging-chunk` | failed: no file" in page
    assert "[undertraining](undertraining.md)" in page
    assert (tmp_path / "pages" / "undertraining.md").is_file()
    assert not (tmp_path / "pages" / "bagging-chunk.md").exists()


def test_ctrl_c_keeps_the_finished_ones(tmp_path: Path) -> None:
    options = [*QUICK, *GENERATED, "--cache", tmp_path]
    command = [sys.executable, "-m", "tagpool", *map(str, options)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment_of_commands()) as process:
        assert process.stderr is not None
        while not (line := process.stderr.readline()).startswith("2 of 2"):
            assert line, "it ended"
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 130
    assert "interrupted; the results of 1 experiment are stored; run the same command to continue" in rest
    assert "1 of 1, time left unknown: paths-artificial" in run(*options).stderr


def test_pages_have_the_figures_of_experiments_that_do_not_run(tmp_path: Path) -> None:
    page = "# Title\n\n    tagpool reproduce bagging-ner\n\n|  | test F1 |\n| --- | --- |\n"
    (tmp_path / "bagging-ner.md").write_text(f"{page}| one CRF, all features | 85.00 (84.00-86.00) |\n")
    (tmp_path / "bagging-chunk.md").write_text("# My own page\n")
    (tmp_path / "paths-pos.md").write_text(
        "# Title\n\n    tagpool reproduce paths-pos --quick\n\n|  | TR1 |\n| --- | --- |\n| cv | 1.00 |\n"
    )
    options = ["reproduce", "all", "--cached", "--cache", tmp_path / "cache", "-o", tmp_path]
    shown = succeed(*options, "--no-plots")
    text = (tmp_path / "README.md").read_text()
    assert "| single CRF, all features | F1 | 85.45 | 85.00 (84.00-86.00) | no, tie |" in text
    assert "| [bagging-ner](bagging-ner.md) | `tagpool reproduce bagging-ner` | page of an earlier run |" in text
    assert "not run, and its page is no result" in text
    assert "| paths-pos | `tagpool reproduce paths-pos` | not run |" in text, "a quick run is no result"
    assert "from its page" in shown


def test_errors(tmp_path: Path) -> None:
    assert "no experiment 'magic'" in fail("reproduce", "all", "--only", "magic")
    assert "--only: works with all" in fail("reproduce", "undertraining", "--only", "undertraining")
    assert "--only: works with all" in fail("reproduce", "--only", "undertraining")
    (tmp_path / "file").write_text("")
    assert "expected a folder" in fail("reproduce", "all", "--cached", "-o", tmp_path / "file")
    assert "making the folder failed" in fail(*QUICK, *GENERATED, "--cache", tmp_path / "file", code=1)
