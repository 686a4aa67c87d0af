"""Kill trainings with SIGKILL at random moments, resume them, and compare the models with those of trainings without a kill.

    python tools/kill_and_resume.py --kills 300

Every learner, trainer and pool is trained on the built-in corpus. A training that was killed is resumed until it ends. The exit
code is 1 if a model differs or a resumed training fails.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tagpool import Corpus, builtin_corpus, write_corpus

TEMPLATES = "word[-1..1]\nshape(word)[-1..1]\nsuffix(word, 1..4)[0]\nprefix(word, 1..4)[0]\n"
BAGS = "word[0]\n[shapes]\nshape(word)[-1..1]\n[endings]\nsuffix(word, 1..3)[-1..1]\n"

# Options of each training; {folder} has the corpora, the templates and the members of the opinion pool.
TRAININGS: dict[str, str] = {
    "sgd": "--set learner.trainer.epochs=25",
    "sgd, dropout, two threads": "--set learner.trainer.epochs=25 --set learner.trainer.dropout=0.3 --threads 2",
    "sgd that diverges": "--set learner.trainer.step=10000 --set learner.trainer.epochs=15",
    "robust": "--robust case,groups --set learner.trainer.epochs=15",
    "maxent": "--learner maxent --set learner.trainer.epochs=25",
    "lbfgs": "--set learner.trainer.kind=lbfgs --set learner.trainer.iterations=60",
    "owlqn": "--set learner.trainer.kind=owlqn --set learner.l1=0.5 --set learner.trainer.iterations=60",
    "fobos": "--set learner.trainer.kind=fobos --set learner.l1=0.5 --set learner.trainer.epochs=15",
    "fobos, group": "--set learner.trainer.kind=fobos --set learner.trainer.penalty=group --set learner.trainer.epochs=15",
    "perceptron": "--set learner.trainer.kind=perceptron --set learner.trainer.epochs=30",
    "inducing": "--learner inducing --set learner.epochs=20",
    "elitist": "--learner elitist --set learner.experts=3 --set learner.epochs=12",
    "elitist, learned": "--learner elitist --set learner.experts=2 --set learner.epochs=12 --set learner.weights=learned",
    "bagging": "--learner bagging --features {folder}/bags.txt --set learner.weights=kfold --set learner.expert.trainer.epochs=8",
    "bagging, auto": "--learner bagging --set learner.bags=auto --set learner.expert.trainer.epochs=4 --threads 2",
    "two-stage": "--learner two-stage --set learner.folds=3 --set learner.first.trainer.epochs=8",
    "two-stage of bagging": "--learner two-stage --set learner.folds=2 --set learner.first.kind=bagging "
    "--features {folder}/bags.txt --set learner.first.expert.trainer.epochs=5",
    "opinion": '--learner opinion --set learner.members=["{folder}/a","{folder}/b"] --set learner.weights=likelihood',
    "from a model": "--from {folder}/a --set learner.trainer.epochs=15",
}
ALWAYS = "--set learner.patience=none"
WITHOUT_PATIENCE = ("bagging", "two-stage", "opinion")  # the pool has no patience of its own


def run(*arguments: str, kill_after: float | None = None) -> tuple[bool, float]:
    """Run a command; return whether it ended by itself, and its time."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "tagpool", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        _, messages = process.communicate(timeout=kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return False, time.perf_counter() - start
    if process.returncode != 0:
        raise RuntimeError(f"tagpool {' '.join(arguments)}\n{messages}")
    return True, time.perf_counter() - start


def prepare(folder: Path, sentences: int) -> None:
    """Write the corpora with documents, the templates, and two members of an opinion pool."""
    for name, corpus in (("train", builtin_corpus(sentences)), ("dev", builtin_corpus(sentences // 5, part="dev"))):
        columns = {"word": corpus.words, "label": corpus.labels}
        write_corpus(Corpus.from_columns(columns, documents=range(0, len(corpus), 10)), folder / f"{name}.conll")
    (folder / "templates.txt").write_text(TEMPLATES)
    (folder / "bags.txt").write_text(BAGS)
    for name, templates in (("a", "word[-1..1]"), ("b", "shape(word)[-1..1]\nsuffix(word, 1..3)[0]")):
        run("train", "--train", f"{folder}/train.conll", "--model", f"{folder}/{name}", "--features", templates)


def command(name: str, folder: Path, model: Path) -> list[str]:
    """Return the arguments of a training."""
    options = [option.format(folder=folder) for option in TRAININGS[name].split()]
    if not any(name.startswith(kind) for kind in WITHOUT_PATIENCE):
        options += ALWAYS.split()
    if name != "opinion" and "--features" not in options and "--from" not in options:
        options += ["--features", f"{folder}/templates.txt"]
    return ["train", "--train", f"{folder}/train.conll", "--dev", f"{folder}/dev.conll", "--model", str(model), *options]


def train_with_kills(arguments: list[str], checkpoint: Path, seconds: float, generator: random.Random) -> int:
    """Train, kill at random moments and resume until the training ends; return the number of kills."""
    kills = 0
    stored = checkpoint / "training.command.checkpoint"
    every = generator.choice(["0", "0", "0.1s"])
    while True:
        resumed = ["train", "--resume", str(checkpoint)] if stored.exists() else None
        ended, _ = run(
            *(resumed or [*arguments, "--checkpoint", str(checkpoint), "--every", every]),
            kill_after=generator.uniform(0.2, 1.0) * seconds * (1 + kills / 20),  # longer after many kills: it must end
        )
        if ended:
            return kills
        kills += 1
        if resumed and not stored.exists():  # killed while the checkpoint was removed: the model is complete
            return kills


def main() -> int:
    """Run all trainings; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=300, help="kills over all trainings")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments")
    parser.add_argument("--sentences", type=int, default=2000, help="sentences of the corpus")
    parser.add_argument("--only", action="append", help="name of a training (repeat for several)")
    options = parser.parse_args()
    names = options.only or list(TRAININGS)
    generator = random.Random(options.seed)
    total = different = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        prepare(folder, options.sentences)
        for name in names:
            expected, model = folder / "expected", folder / "model"
            _, seconds = run(*command(name, folder, expected))
            kills = trainings = 0
            while kills < options.kills / len(names):
                kills += train_with_kills(command(name, folder, model), folder / "checkpoint", seconds, generator)
                trainings += 1
                shutil.rmtree(folder / "checkpoint", ignore_errors=True)  # a kill may have left a part of it
                is_equal = model.read_bytes() == expected.read_bytes()
                different += not is_equal
                if not is_equal:
                    print(f"{name}: training {trainings} gave another model", flush=True)
                model.unlink()
            print(f"{name}: {kills} kills in {trainings} trainings of {seconds:.1f} s", flush=True)
            total += kills
    print(f"{total} kills, {different} models differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
