"""Seeds: first inputs of every fuzz target, from the built-in corpus and models that are trained on it.

Models are as small as possible, so that most mutations change something that matters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tagpool import (
    CRF,
    AmbiguityClasses,
    BaggingPool,
    Clusters,
    Corpus,
    ElitistPool,
    Embeddings,
    Gazetteer,
    InducingTagger,
    MaxEnt,
    OpinionPool,
    TwoStageTagger,
    VotePool,
    builtin_corpus,
    write_corpus,
)
from tagpool.compat import pycrfsuite
from tagpool.compat.conversion import from_crfsuite
from tagpool.corpus.conll import CONLLU_COLUMNS
from tagpool.experts.tagger import Tagger
from tagpool.features.presets import preset_names, preset_text

_RECORDS = (  # of experts of pools, one per dialect
    '{"text": "Ann Lee left.", "ents": [{"start": 0, "end": 7, "label": "PER"}], "tokens": [{"start": 0, "end": 3}]}',
    '{"text": "Ann Lee left.", "entities": [{"text": "Ann Lee", "type": "PER"}], "answer": "accept"}',
    '{"text": "Ann Lee left.\\nRain", "entities": {"PER": ["Lee"]}, "sents": [{"start": 0, "end": 13}]}',
    '{"data": {"text": "Rain"}, "annotations": [{"result": [{"value": {"start": 0, "end": 4, "labels": ["X"]}}]}]}',
    '{"tokenized_text": ["Ann", "Lee", "left", "."], "ner": [[0, 1, "PER"]]}',
    '[{"entity": "B-PER", "start": 0, "end": 3, "score": 0.5, "word": "Ann"}]\n[]',
    '{"tokens": ["Rain"], "labels": ["O"], "workers": {"w": ["?"]}, "scores": [0.5]}',
    '["Ann Lee left.", {"entities": [[0, 7, "PER"]]}]',
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Term|value\n\n#Text=Ann Lee\n1-1\t0-3\tAnn\tPER[1]\t\n1-2\t4-7\tLee\tPER[1]|X\t",
    "# global.columns = ID FORM TAGPOOL:LABEL\n1\tAnn\tB-PER\n2\tleft\tO\n",
)
TEMPLATES = """\
word[-1..1]
lower(word)[0] & shape(word, short)[1]
prefix(word, 1..2)[0]
suffix(lower(word), 3)[0]
ngrams(word, 2..3, edges)[0]
digits(word)[0]
orthography(word)[0]
capitals(word, -1..1)[0]
disjunction(word, -2..-1)[0]
headline[0]
casing[0]
run[0]
position[0]
bias[0]
number(size)[0]
gazetteer(towns)[0]
gazetteer(towns, lower(word), plain)[0]
cluster(brown, 2, 4)[0]
ambiguity(classes)[0]
embedding(vectors, lower(word))[0]
elsewhere(casing(word))[0]
elsewhere(lower(word), -1..1, most)[0]
elsewhere(gazetteer(towns), joined)[0]
"""
SENTENCES = [["Ann", "Smith", "left"], ["the", "University", "of", "Oslo"], ["Smith", "in", "1998"]]
LABELS = [["B-PER", "I-PER", "O"], ["O", "B-ORG", "I-ORG", "I-ORG"], ["B-PER", "O", "O"]]
GIVEN = [[["word=Ann", "bias"], ["word=left", "bias"]], [["word=left"], ["bias"]]]
GIVEN_LABELS = [["B-PER", "O"], ["O", "O"]]
EXPRESSIONS = ("^\\u\\l*$", "\\d\\d?\\d?$", ".*b", "\\w*\\p", "a?a?a?aaa", "^.?.?.?", "\\S\\A*\\.$", "")


def _corpus() -> Corpus:
    sizes = [["1.5"] * len(sentence) for sentence in SENTENCES]
    return Corpus.from_columns({"word": SENTENCES, "size": sizes, "label": LABELS}, documents=[0, 2])


def _resources(templates: str) -> dict[str, object]:
    resources = {
        "towns": Gazetteer({"towns": ["Oslo", "New York"], "people": ["Ann Smith"]}),
        "brown": Clusters({"Ann": "00", "Smith": "0110", "Oslo": "10"}),
        "classes": AmbiguityClasses({"left": "VBD_JJ", "in": "IN"}),
        "vectors": Embeddings(["ann", "oslo"], np.array([[0.5, -1.0], [0.25, 2.0]], np.float32)),
    }
    return {name: resource for name, resource in resources.items() if f"({name}" in templates}


def _file_of(model: Any) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.tagpool")
        model.save(path)
        return path.read_bytes()


def _fit(learner: type[Tagger], templates: str, **parameters: object) -> bytes:
    return _file_of(learner(templates, resources=_resources(templates), **parameters).fit(_corpus()))


def models() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the file of taggers with one native model."""
    for number, line in enumerate(TEMPLATES.splitlines()):
        yield f"crf-{number:02}", _fit(CRF, f"bias[0]\n{line}")
    yield "crf-all", _fit(CRF, TEMPLATES)
    yield "crf-history", _fit(CRF, "word[0]\nlabel[-1] & lower(word)[0]")
    yield "maxent", _fit(MaxEnt, "word[-1..1]\nshape[0]")
    yield "crf-given", _file_of(CRF().fit(GIVEN, GIVEN_LABELS))
    yield "online", _fit(InducingTagger, "word[-1..1]\nsuffix(word, 2)[0]", slots=256)
    yield "online-history", _fit(InducingTagger, "word[0]\nshape[0]\nlabel[-1]\nlabel[-2] & word[0]", beam=2, slots=256)
    yield "online-all", _fit(InducingTagger, TEMPLATES.replace("embedding(vectors, lower(word))[0]\n", ""), slots=256)
    yield "online-given", _file_of(InducingTagger(slots=256).fit(GIVEN, GIVEN_LABELS))


def pools() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the file of pools."""
    corpus = _corpus()
    bags = "[one]\nword[0]\n[two]\nshape[0]\n"
    yield "bagging", _file_of(BaggingPool(CRF(bags)).fit(corpus))
    yield "elitist", _file_of(ElitistPool(bags, epochs=3).fit(corpus))
    yield "opinion", _file_of(OpinionPool([learner.fit(corpus) for learner in (CRF("word[0]"), MaxEnt("shape[0]"))]).fit(corpus))
    yield "two-stage", _file_of(TwoStageTagger(CRF("word[0]"), folds=2).fit(corpus))
    gold = [["A", "B"], ["B", "B"], ["A", "A"]] * 4
    votes = {"first": [["A", "A"], ["B", "A"], ["A", "B"]] * 4, "second": [["B", "B"], ["A", "B"], ["B", "A"]] * 4}
    for key in ("position", "shared"):
        yield f"vote-{key}", _file_of(VotePool(key=key).fit(votes, gold))


def crfsuite_model() -> bytes:
    """Return a model file of CRFsuite."""
    with TemporaryDirectory() as folder:
        trainer = pycrfsuite.Trainer(verbose=False)
        for sentence, labels in zip(GIVEN, GIVEN_LABELS, strict=True):
            trainer.append(sentence, labels)
        path = Path(folder, "model.crfsuite")
        trainer.train(str(path))
        return path.read_bytes()


def text_models() -> Iterator[tuple[str, str]]:
    """Yield models of Wapiti and CRF++."""
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(crfsuite_model())
    yield "wapiti-raw", from_crfsuite(tagger._opened()).to_wapiti()
    patterns = ["u:%x[0,0]", 'u%m[-1,0,"\\\\d*"]', '*%T[@1,0,"^\\\\u"]', "b"]
    texts = [f"{len(pattern)}:{pattern}," for pattern in patterns]
    for kind in range(3):
        lines = [f"#mdl#{kind}#2", f"#rdr#{len(patterns)}/0/0", *texts]
        yield f"wapiti-{kind}", "\n".join([*lines, "#qrk#2\n1:A,\n1:B,\n#qrk#3\n5:u:Ann,\n5:*true,\n1:b,\n1=0x1p+0\n3=-0.5\n"])
    head = "version: 100\ncost-factor: 1\nmaxid: 6\nxsize: 1\n\n"
    yield "crfpp", head + "A\nB\n\nU0:%x[0,0]\nB\n\n0 U0:Ann\n2 B\n\n0.5\n1.5\n0\n1\n-1\n2e-1\n"


def corpora() -> Iterator[tuple[str, bytes]]:
    """Yield the format and the bytes of a corpus file in every format."""
    corpus = builtin_corpus(3)
    with TemporaryDirectory() as folder:
        for name in ("conll", "jsonl", "spans", "text"):
            path = Path(folder, name)
            write_corpus(corpus, path, format=name)
            yield name, path.read_bytes()
    empty = "\t_" * (len(CONLLU_COLUMNS) - 1)
    rows = [f"{number}\t{word}{empty}" for number, word in enumerate(corpus[0].words, 1)]
    yield "conllu", "\n".join(["# newdoc id = d1", "# text = a", "1-2\tab" + empty, *rows, "1.1\tx" + empty, "\n"]).encode()


def _configurations() -> Iterator[str]:
    yield '[learner]\nkind = "crf"\nl2 = 0.5\n[learner.trainer]\nkind = "lbfgs"\nepochs = 3\n'
    yield '[data]\ntrain = ["a"]\n[features]\ntemplates = "word[0]"\nmin_count = 2\n[output]\nsize = "small"\n'
    yield '[learner]\nkind = "bagging"\nbags = "positions"\n[learner.expert]\nkind = "maxent"\ndropout = 0.1\n'
    yield '[learner]\nkind = "inducing"\nbeam = 4\nseed = 7\ninduce = false\n'
    yield "\0learner.trainer.epochs=20\nlearner.l2=0.5\nfeatures.templates=word[0]\ndata.train=[1, 'a']\n"


def write_seeds(folder: Path) -> None:
    """Write the seeds of every target, in folders named after the targets."""

    def write(target: str, name: str, content: bytes | str) -> None:
        path = folder / target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)

    for name, block in models():
        write("online_model" if name.startswith("online") else "model", name, block)
        write("program", name, block)
        if len(block) < 3000:
            write("tensors", name, block)
        write("load", name, block)
    for name, block in pools():
        write("load", name, block)
        write("tensors", name, block)
    write("json", "labels", json.dumps({"a": [1, 2.5e-3, True, None, "\u00e9\n\U0001f600"], "b": {}}))
    for name, content in corpora():
        if name.startswith("conll"):
            write("conll", name, (b"\1" if name == "conllu" else b"\0") + content)
            write("conll_files", name, (b"\1" if name == "conllu" else b"\0") + content)
        if name in ("jsonl", "spans"):
            write("jsonl", name, content)
        if name == "text":
            write("words", name, b"\1\4" + content)
    write("jsonl", "doccano", '{"text": "Ann left.", "labels": [[0, 3, "PER"]], "document": 1}\n')
    write("jsonl", "spans-dict", '{"text": "Ann left.", "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER"}]}\n')
    for number, record in enumerate(_RECORDS):
        write("annotations", f"record{number}", f"{record}\n")
    write("jsonl", "columns", '{"tokens": ["Ann"], "pos": ["NNP"], "labels": ["B-PER"]}\n')
    write("crfsuite", "model", crfsuite_model())
    write("crfsuite_files", "model", crfsuite_model())
    for name, text in text_models():
        write("text_models", name, text)
    for name in preset_names():
        write("templates", name, preset_text(name))
    for number, line in enumerate(TEMPLATES.splitlines()):
        write("templates", f"line-{number:02}", line)
    write("templates", "bags", "use towns from lists\nboundary off\nword[0]\n[one, two]\nnear: pos[-1, 1] & label[-1]\n")
    for number, text in enumerate(("U00:%x[-2,0]\nB\n", "# a\nU01:%x[-1,0]/%x[0,1]\nB01:%x[0,1]\n")):
        write("crfpp_templates", str(number), text)
    for number, text in enumerate(_configurations()):
        write("configuration", str(number), text)
    for number, expression in enumerate(EXPRESSIONS):
        write("expressions", str(number), f"{expression}\0Abc 12b.")
        write("expressions", f"pattern-{number}", f'\1u:%x[-1,0]%m[0,1,"{expression}"]/%T[@-2,0,"{expression}"]\n*b\0')


if __name__ == "__main__":
    write_seeds(Path(sys.argv[1]))
