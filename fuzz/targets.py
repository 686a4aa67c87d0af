"""Fuzz targets: their programs, the longest inputs and the sources whose line coverage is reported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Target:
    """A program of libFuzzer: native, or a Python script with atheris."""

    name: str
    max_size: int  # bytes of an input
    sources: tuple[str, ...]  # files or folders below the root
    dictionary: str | None = None
    share: float = 1.0  # of the time, relative to the other targets

    @property
    def script(self) -> Path | None:
        """The script of a Python target."""
        path = FOLDER / "readers" / f"{self.name}.py"
        return path if path.exists() else None

    @property
    def dictionary_path(self) -> Path | None:
        """The file of the dictionary."""
        return None if self.dictionary is None else FOLDER / "dictionaries" / f"{self.dictionary}.dict"


_CORPUS = "src/tagpool/corpus"
_WAPITI = "src/tagpool/compat/wapiti"

TARGETS = (
    Target("model", 9000, ("native/model", "native/features", "native/base/tensors.cpp"), share=2),
    Target("online_model", 9000, ("native/online", "native/features"), share=2),
    Target("program", 9000, ("native/features",)),
    Target("tensors", 6000, ("native/base/tensors.cpp", "native/base/json.cpp")),
    Target("json", 400, ("native/base/json.cpp",), "json", share=3),
    Target("conll", 600, ("native/text/conll.cpp", "native/text/columns.cpp"), "conll", share=2),
    Target("words", 120, ("native/text/tokenize.cpp", "native/text/unicode.cpp", "native/features/functions"), "words"),
    Target("crfsuite", 6000, ("native/crfsuite",), "crfsuite", share=3),
    Target("load", 9000, ("src/tagpool/pools", "src/tagpool/experts"), share=2),
    Target("conll_files", 600, (f"{_CORPUS}/conll.py",), "conll"),
    Target("jsonl", 500, (f"{_CORPUS}/jsonl.py",), "jsonl"),
    Target("annotations", 500, (f"{_CORPUS}/annotations", "src/tagpool/pools/expert_files"), "jsonl"),
    Target("templates", 300, ("src/tagpool/features/parser.py", "src/tagpool/features/template.py"), "templates"),
    Target("crfpp_templates", 200, ("src/tagpool/features/crfpp.py", f"{_WAPITI}/patterns.py"), "templates"),
    Target("configuration", 300, ("src/tagpool/config.py", "src/tagpool/config_keys.py"), "configuration"),
    Target("text_models", 800, (f"{_WAPITI}/text_models.py", "src/tagpool/compat/conversion.py"), "text_models"),
    Target("expressions", 100, (f"{_WAPITI}/expressions.py", f"{_WAPITI}/patterns.py"), "text_models"),
    Target("crfsuite_files", 6000, ("src/tagpool/compat/pycrfsuite/dump.py", "src/tagpool/compat/conversion.py"), "crfsuite"),
)
