"""The presets shipped with the package, and what may be given as templates."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest
from injection import run_with_faults
from oracles import encoder as oracle

from tagpool.corpus.conll import read_conll
from tagpool.corpus.corpus import Corpus
from tagpool.errors import TemplateError
from tagpool.features.encoder import Encoder
from tagpool.features.parser import parse
from tagpool.features.presets import load_templates, preset_names, preset_text, read_templates
from tagpool.features.template_resources import load_resources

PRESETS = {
    # name: bags, resources that must be given, whether it depends on previous labels
    "auto": ((), set(), False),
    "auto-tags": ((), set(), False),
    "chunk": ((), set(), False),
    "chunk-bagging": (("pos", "lexicons"), {"lexicons", "classes"}, False),
    "ner": ((), set(), False),
    "ner-bagging": (("ngrams", "lexicons"), {"lexicons"}, False),
    "ner-dfi": ((), {"clusters", "embeddings", "names"}, True),
    "pos": ((), set(), True),
    "pos-dfi": ((), {"classes", "clusters"}, True),
}


def test_all_presets_are_known_here():
    assert preset_names() == tuple(sorted(PRESETS))


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_read_and_written(name):
    bags, needed, history = PRESETS[name]
    result = load_templates(name)
    assert parse(str(result)) == result
    assert result == parse(preset_text(name))
    assert result.bags == bags
    assert set(result.resources) - set(load_resources(result, {})) == needed
    assert any(template.is_history for template in result) == history
    assert preset_text(name).startswith("# ")
    lines = [(str(template), template.bags) for template in result]
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_without_their_resources(name):
    _, needed, history = PRESETS[name]
    corpus = Corpus.from_lists(word=[["Mr.", "Smith", "left", "1999"]], pos=[["NNP", "NNP", "VBD", "CD"]], label=[["O"] * 4])
    templates = load_templates(name).without(*needed)
    encoder = Encoder(templates, history=history)
    encoded = encoder.fit_transform(corpus)
    assert encoded.token_count == 4
    rows = oracle.encode(templates, [{"word": corpus.words[0], "pos": corpus.column("pos")[0]}], {"titles": {"titles": ["Mr."]}})
    assert Counter(encoder.feature_names) == Counter({name for row in rows for name, _ in row})
    if needed:
        with pytest.raises(TemplateError, match=rf"preset {name}:\d+: the \w+ '\w+' is missing"):
            Encoder(name, history=history).fit(corpus)
    if history:
        with pytest.raises(TemplateError, match=rf"preset {name}:\d+: label\[-1\] depends on previous labels"):
            Encoder(templates).fit(corpus)


def test_what_may_be_templates(tmp_path, monkeypatch):
    file = tmp_path / "mine.txt"
    file.write_text("word[0]\n")
    monkeypatch.chdir(tmp_path)
    expected = parse("word[0]")
    for what in (expected, file, str(file), "mine.txt", "word[0]", "word[0]\n", "word\n"):
        assert load_templates(what) == expected
    assert read_templates(file).source == str(file)
    file.write_text("word[0]\nword[\n")
    with pytest.raises(TemplateError, match=r"mine.txt:2: expected an offset"):
        load_templates(file)
    file.write_bytes(b"word[0]\n\xff\n")
    with pytest.raises(TemplateError, match=r"mine.txt:2: expected UTF-8"):
        load_templates(file)
    with pytest.raises(TemplateError, match="'nre' is neither a file nor a preset; the presets are auto, "):
        load_templates("nre")
    with pytest.raises(TemplateError, match="there is no preset 'nre'; the presets are"):
        preset_text("nre")
    with pytest.raises(TemplateError, match="unexpected"):
        load_templates("word[0]\0")


def test_a_long_line_is_a_template_and_not_the_name_of_a_file():
    line = " & ".join(f"word[{offset}]" for offset in range(-40, 41))
    assert len(line) > 500
    assert len(load_templates(line).templates[0].terms) == 81


@pytest.mark.parametrize(
    ("preset", "folder", "file", "columns"),
    [
        ("ner", "conll2003", "eng.testa.gz", ("word", "pos", "chunk", "label")),
        ("ner", "wnut17", "dev.tsv.gz", ("word", "label")),
        ("ner", "conll2002", "esp.testa.gz", ("word", "pos", "label")),
        ("chunk", "conll2000", "test.txt.gz", ("word", "pos", "label")),
    ],
)
def test_presets_on_real_data(real_data, preset, folder, file, columns):
    corpus = read_conll(real_data / folder / file, columns=columns)[:150]
    encoder = Encoder(preset)
    encoded = encoder.fit_transform(corpus)
    titles = [line for line in _titles().splitlines() if line and not line.startswith("#")]
    expected = oracle.encode(encoder.templates_, [dict(s.columns) for s in corpus], {"titles": {"titles": titles}})
    names, starts, ids = encoder.feature_names, encoded.starts.tolist(), encoded.ids.tolist()
    for row, begin, end in zip(expected, starts, starts[1:], strict=False):
        assert Counter(names[i] for i in ids[begin:end]) == Counter(name for name, _ in row)
    assert encoded.labels.min() == 0


def _titles() -> str:
    return (Path(load_templates.__code__.co_filename).parent / "lists" / "titles.txt").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD")
@pytest.mark.parametrize("kind", ["open", "read", "stat"])
def test_a_file_that_cannot_be_read_is_not_taken_for_text_or_for_missing(tmp_path, kind):
    path = tmp_path / "[templates].txt"  # such a text is parsed as templates if there is no file
    path.write_text("word[0]\n")
    program = """
        from tagpool import CRF
        from tagpool.experts.configuration import feature_table

        def read():
            assert feature_table(CRF({path!r}))["templates"] == "word[0]\\n"
    """
    *failed, last = run_with_faults(
        tmp_path, f"{textwrap.dedent(program).format(path=str(path))}\noutcomes(read, {kind!r}, errno.EIO)"
    )
    assert last == "end no error"
    # Python itself tolerates some failures, such as that of asking for the size before reading.
    assert f"TemplateError: {path}: reading failed: Input/output error" in failed
    assert set(failed) <= {f"TemplateError: {path}: reading failed: Input/output error", "no error"}
