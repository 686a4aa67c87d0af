"""Train GROBID's models, write them for Wapiti, and compare labels, F1, CPU time and memory with Wapiti.

    python tools/grobid.py FOLDER --output models --wapiti /path/to/wapiti [--only date name-header]

FOLDER has ``NAME*.train`` or ``NAME*.train.gz`` (rows of GROBID: columns with blanks between them, the label last) and
``NAME.template``. Every tenth sentence is held out. Each training runs in a process of its own; the time is CPU time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tagpool import CRF, OWLQN, score
from tagpool.cli.console import notes, print_table
from tagpool.compat.pattern_tagger import PatternTagger

Sentences = list[list[list[str]]]
WAPITI = ("-a", "l-bfgs", "-e", "0.0001", "-w", "20")  # as GROBID calls it
LEARNERS = {
    "sgd": CRF(inner_scheme="same"),
    "owl-qn": CRF(inner_scheme="same", l1=0.5, l2=0.00001, trainer=OWLQN(iterations=300)),  # the penalties of Wapiti
}


def read_rows(path: Path) -> Sentences:
    """Return the rows of each sentence."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        blocks = file.read().split("\n\n")
    return [rows for block in blocks if (rows := [line.split() for line in block.splitlines() if line.strip()])]


def fields(rows: list[str]) -> list[str]:
    """Return GROBID's labels as BIO2: I-<x> begins a field, <x> continues it."""
    return [f"B-{label[3:-1]}" if label.startswith("I-<") else f"I-{label[1:-1]}" for label in rows]


def write_rows(path: Path, sentences: Sentences, *, labelled: bool) -> None:
    """Write sentences as GROBID does."""
    text = "".join("".join(" ".join(row if labelled else row[:-1]) + "\n" for row in rows) + "\n" for rows in sentences)
    path.write_text(text, encoding="utf-8")


def train(template: Path, rows: Path, model: Path, trainer: str) -> None:
    """Train one model; runs in a process of its own."""
    sentences = read_rows(rows)
    tagger = PatternTagger(template.read_text("utf-8"), LEARNERS[trainer])
    tagger.fit([[row[:-1] for row in one] for one in sentences], [[row[-1] for row in one] for one in sentences]).save(model)


def measured(command: list[str]) -> tuple[float, float]:
    """Run a command; return its CPU seconds and its peak memory in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def wapiti_labels(wapiti: str, model: Path, rows: Path) -> list[list[str]]:
    """Return the labels that Wapiti gives."""
    done = subprocess.run([wapiti, "label", "-m", str(model), str(rows)], capture_output=True, check=True)
    blocks = done.stdout.decode("utf-8").strip("\n").split("\n\n")
    return [[line.split()[-1] for line in block.splitlines()] for block in blocks]


def compare(name: str, folder: Path, output: Path, wapiti: str | None) -> Iterator[dict[str, object]]:
    """Yield the figures of each training of one model."""
    sentences = read_rows(next(iter(sorted(folder.glob(f"{name}*.train*")))))
    template = folder / f"{name}.template"
    with tempfile.TemporaryDirectory() as temporary:
        learned, unlabelled = Path(temporary, "train"), Path(temporary, "test")
        write_rows(learned, [rows for number, rows in enumerate(sentences) if number % 10 != 9], labelled=True)
        test = sentences[9::10]
        write_rows(unlabelled, test, labelled=False)
        gold = [fields([row[-1] for row in rows]) for rows in test]
        systems = [*LEARNERS, *([] if wapiti is None else ["wapiti"])]
        for system in systems:
            notes.print_line(f"training {name} with {system}")
            model = output / f"{name}-{system}.wapiti"
            if system in LEARNERS:
                command = [sys.executable, __file__, "--train", str(template), str(learned), str(model), system]
            else:
                command = [str(wapiti), "train", *WAPITI, "-p", str(template), str(learned), str(model)]
            seconds, megabytes = measured(command)
            labels = predict(template, model, test, wapiti)
            f1 = 100 * score(gold, [fields(row) for row in labels[-1]]).f1
            same = "" if len(labels) < 2 else sum(one != other for one, other in zip(*labels, strict=True))
            yield {"model": name, "trained by": system, "F1": f1, "CPU s": seconds, "MB": megabytes, "different": same}


def predict(template: Path, model: Path, test: Sentences, wapiti: str | None) -> list[list[list[str]]]:
    """Return the labels of tagpool for a model file, and those of Wapiti if there is one."""
    from tagpool.compat.wapiti.text_models import read_text_model  # noqa: PLC0415 - not for the trainings

    labels = [read_text_model(model).tag([[row[:-1] for row in rows] for rows in test])]
    if wapiti is not None:
        with tempfile.NamedTemporaryFile("w", suffix=".rows") as file:
            write_rows(Path(file.name), test, labelled=False)
            labels.append(wapiti_labels(wapiti, model, Path(file.name)))
    return labels


def main() -> None:
    """Run the script."""
    if sys.argv[1:2] == ["--train"]:
        train(Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]), sys.argv[5])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, default=Path("models"), help="folder of the models (default: models)")
    parser.add_argument("--wapiti", help="the program wapiti (default: no comparison)")
    parser.add_argument("--only", nargs="+", help="names of models")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = options.only or sorted(path.stem for path in options.folder.glob("*.template"))
    if not names:
        parser.error(f"{options.folder}: expected files such as date.template")
    options.output.mkdir(parents=True, exist_ok=True)
    rows = [row for name in names for row in compare(name, options.folder, options.output, options.wapiti)]
    if options.json:
        sys.stdout.write(json.dumps(rows) + "\n")
        return
    cells = [[f"{value:.1f}" if isinstance(value, float) else value for value in row.values()] for row in rows]
    print_table(list(rows[0]), cells, left=2)


if __name__ == "__main__":
    main()
