"""All benchmarks, printed as one table of ratios: ``make bench``. The real corpora are used where TAGPOOL_DATA says they are.

python benchmarks/run.py [--write FILE]
"""

from __future__ import annotations

import argparse
import gzip
import platform
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import rivals
from measure import Seconds, data_folder, in_fresh_process, least, least_of_processes

import tagpool
from tagpool.corpus.conll import format_conll

TEMPLATE = Path(__file__).parent / "templates" / "crfsuite.txt"
Row = tuple[str, str, str]  # what, figure, asked for

MEMORY = """
import json, sys, tagpool, numpy
corpus = tagpool.read_corpus(sys.argv[1]) if len(sys.argv) > 1 else tagpool.builtin_corpus(15000)
def status(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # forget the peak so far
before = status("VmRSS")
encoded = tagpool.Encoder("ner").fit_transform(corpus)
print(json.dumps({"bytes": status("VmHWM") - before, "occurrences": encoded.occurrence_count}))
"""


def corpora() -> tuple[str, tagpool.Corpus, str, tagpool.Corpus]:
    folder = data_folder()
    if folder is None:
        built_in = tagpool.builtin_corpus(15000)
        return "built-in", built_in, "built-in", built_in
    chunks = tagpool.read_corpus(folder / "conll2000" / "train.txt.gz")
    return "CoNLL-2000", chunks, "CoNLL-2003", tagpool.read_corpus(folder / "conll2003" / "eng.train.gz")


def rate(tokens: int, seconds: Seconds) -> str:
    return f"{tokens / seconds.cpu / 1e6:.2f}M tokens/s"


def encoding() -> list[Row]:
    chunk_name, chunks, ner_name, names = corpora()
    words, tags = chunks.column("word"), chunks.column("pos")
    by_hand, _ = rivals.crfsuite_by_hand(words, tags)
    by_templates, _ = rivals.crfsuite_by_templates(words, tags)
    ours = tagpool.Encoder(TEMPLATE)
    ours.fit(chunks)
    if not len(by_hand) == len(by_templates) == ours.feature_count:
        raise SystemExit(f"not the same features: {len(by_hand)}, {len(by_templates)}, {ours.feature_count}")
    best = least(
        {
            "tagpool": lambda: tagpool.Encoder(TEMPLATE).fit_transform(chunks),
            "frozen": lambda: ours.transform(chunks),
            "templates": lambda: rivals.crfsuite_by_templates(words, tags),
            "hand": lambda: rivals.crfsuite_by_hand(words, tags),
        }
    )
    tokens = chunks.token_count
    what = f"encode {chunk_name} train, CRFsuite's template ({ours.feature_count:,} features)"
    rows = [
        (f"{what}: tagpool, fitting", rate(tokens, best["tagpool"]), ""),
        (f"{what}: tagpool, frozen index", rate(tokens, best["frozen"]), ""),
        ("… Python strings, by a list of templates", rate(tokens, best["templates"]), ""),
        ("… Python strings, written out by hand", rate(tokens, best["hand"]), ""),
        ("… tagpool / list of templates", f"{best['templates'].cpu / best['tagpool'].cpu:.1f}×", "≥ 30×"),
        ("… tagpool / written out by hand", f"{best['hand'].cpu / best['tagpool'].cpu:.1f}×", "≥ 30×"),
    ]
    words = names.column("word")
    preset = tagpool.Encoder("ner")
    preset.fit(names)
    index, _ = rivals.ner_by_hand(words)
    best = least({"tagpool": lambda: tagpool.Encoder("ner").fit_transform(names), "hand": lambda: rivals.ner_by_hand(words)}, 3)
    tokens = names.token_count
    return [
        *rows,
        (
            f"encode {ner_name} train, preset ner ({preset.feature_count:,} features): tagpool",
            rate(tokens, best["tagpool"]),
            "state",
        ),
        (f"… Python strings, by hand ({len(index):,} features)", rate(tokens, best["hand"]), "state"),
        ("… ratio", f"{best['hand'].cpu / best['tagpool'].cpu:.1f}×", ""),
    ]


def reading() -> list[Row]:
    folder = data_folder()
    if folder is None:
        corpus = tagpool.builtin_corpus(15000)
        data, columns = format_conll(corpus).encode(), 4
    else:
        data, columns = gzip.decompress((folder / "conll2003" / "eng.train.gz").read_bytes()), 4
        corpus = tagpool.read_corpus(folder / "conll2003" / "eng.train.gz")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "train.conll"
        path.write_bytes(data)
        best = least(
            {
                "tagpool": lambda: tagpool.read_corpus(path, columns="word,pos,chunk,label"),
                "hand": lambda: rivals.read_by_hand(path.read_text(), columns),
            }
        )
    return [
        ("read CoNLL columns (4), one core: tagpool", rate(corpus.token_count, best["tagpool"]), "≥ 2M tokens/s"),
        ("… plain Python", rate(corpus.token_count, best["hand"]), ""),
        ("… ratio", f"{best['hand'].cpu / best['tagpool'].cpu:.1f}×", ""),
    ]


def starting() -> list[Row]:
    commands = {name: [sys.executable, "-c", code] for name, code in (
        ("bare", "pass"),
        ("tagpool", "import tagpool"),
        ("pycrfsuite", "import pycrfsuite"),
        ("core", "from tagpool import Corpus, Encoder"),
    )}  # fmt: skip
    best = least_of_processes(commands)
    return [
        (f"python -c '{code}'", f"{best[name].wall * 1e3:.0f} ms wall, {best[name].cpu * 1e3:.0f} ms CPU", "")
        for name, code in (("bare", "pass"), ("tagpool", "import tagpool"), ("pycrfsuite", "import pycrfsuite"))
    ] + [
        ("import tagpool / import pycrfsuite", f"{best['tagpool'].wall / best['pycrfsuite'].wall:.2f}×", "≤ 1.5×"),
        ("… with the native core loaded (Corpus, Encoder)", f"{best['core'].wall / best['pycrfsuite'].wall:.2f}×", ""),
    ]


def memory() -> list[Row]:
    folder = data_folder()
    found = in_fresh_process(MEMORY, *([str(folder / "conll2003" / "eng.train.gz")] if folder else []))
    return [
        (
            f"encode with preset ner, {found['occurrences']:,} occurrences: peak memory beyond the corpus",
            f"{found['bytes'] / 2**20:.0f} MB, {found['bytes'] / found['occurrences']:.1f} bytes an occurrence",
            "≤ 12 bytes",
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="also write the table to this Markdown file")
    chosen = parser.parse_args()
    lines = ["| what | figure | asked for |", "|---|---|---|"]
    print(*lines, sep="\n", flush=True)
    for part in (reading, encoding, starting, memory):
        for row in part():
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
            print(lines[-1], flush=True)
    if chosen.write:
        where = "the corpora under TAGPOOL_DATA" if data_folder() else "the built-in corpus"
        head = (
            "# Speed and memory\n\n"
            f"`python benchmarks/run.py --write FILE` on {where}; {platform.machine()}, Python {platform.python_version()}.\n"
            "CPU time, the least of several runs in which all rivals take turns, one thread. Absolute figures depend on the\n"
            "machine and its load: read the ratios.\n\n"
        )
        chosen.write.write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
