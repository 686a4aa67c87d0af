"""Redirection of imports to the drop-ins."""

from __future__ import annotations

import subprocess
import sys


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_modules_have_one_copy_under_both_names() -> None:
    code = """
import tagpool.compat
tagpool.compat.install()
tagpool.compat.install()
import pycrfsuite, pycrfsuite._logparser, pycrfsuite._dumpparser, pycrfsuite._pycrfsuite
import sklearn_crfsuite, sklearn_crfsuite.metrics
from sklearn_crfsuite.estimator import CRF
import tagpool.compat.sklearn_crfsuite.estimator as ours
from tagpool.compat.pycrfsuite.log import TrainLogParser
assert pycrfsuite.__name__ == "tagpool.compat.pycrfsuite"
assert pycrfsuite._pycrfsuite.Trainer is pycrfsuite.Trainer
assert pycrfsuite._logparser.TrainLogParser is TrainLogParser
assert CRF is sklearn_crfsuite.CRF is ours.CRF
assert ours.__spec__.name == ours.__name__ == CRF.__module__
try:
    import pycrfsuite.nothing
except ModuleNotFoundError as error:
    print(error)
"""
    assert run(code) == "No module named 'pycrfsuite.nothing'\n"


def test_a_late_call_is_refused() -> None:
    code = "import pycrfsuite, tagpool.compat\ntagpool.compat.install()"
    assert "pycrfsuite is imported already: call tagpool.compat.install() before" in run(code)


def test_only_what_is_used_is_imported() -> None:
    code = "import sys, tagpool.compat\ntagpool.compat.install()\nimport pycrfsuite\npycrfsuite.Tagger()\n"
    code += "print('numpy' in sys.modules)"
    assert run(code) == "False\n"
