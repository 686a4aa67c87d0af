"""The files that a module uses, against what Python imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tagpool.experiments.catalogue import EXPERIMENTS
from tagpool.experiments.used_code import PACKAGE, used_files

_RUN = """
import sys
from tagpool.experiments.catalogue import experiment
from tagpool.experiments.study import Setting
experiment(sys.argv[1]).run(Setting(quick=True))
files = [getattr(module, "__file__", None) for name, module in sys.modules.items() if name.split(".")[0] == "tagpool"]
print("\\n".join(file for file in files if file))
"""


def test_a_run_imports_no_other_files() -> None:
    done = subprocess.run([sys.executable, "-c", _RUN, "undertraining"], capture_output=True, text=True, check=True)
    imported = {Path(line) for line in done.stdout.split()}
    finds_experiments = {PACKAGE / "experiments" / "catalogue.py"}
    assert len(imported) > 50
    assert imported - finds_experiments <= set(used_files("experiments.undertraining"))


@pytest.mark.parametrize("name", ["bagging-ner", "mistakes"])
def test_files_of_other_parts_are_not_used(name: str) -> None:
    used = {path.relative_to(PACKAGE).as_posix() for path in used_files(f"experiments.{EXPERIMENTS[name].module}")}
    assert {"experiments/study.py", "experts/linear/crf.py", "experiments/templates/names.txt"} <= used
    assert not any(path.startswith(("cli/", "serve/")) for path in used)
    others = {f"experiments/{one.module}.py" for one in EXPERIMENTS.values()} - {f"experiments/{EXPERIMENTS[name].module}.py"}
    assert not others & used


def test_module_names_in_strings_are_imports() -> None:
    learners = {path.relative_to(PACKAGE).as_posix() for path in used_files("cli.training.learners")}
    assert "experts/inducing/training.py" in learners
