"""Cost of training by the size of the corpus, in memory and with a memory budget: ``docs/results/scale.md``.

Every row is measured in an own process, on text that the built-in generator writes to a temporary folder. Rows of earlier calls
stay in the table, so that single rows can be measured again:

    python benchmarks/scale.py --tokens 1e5 1e6 1e7
    python benchmarks/scale.py --tokens 1e8 --ways 2G --texts FOLDER
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tagpool import CRF, SGD, LabelledFiles, read_corpus
from tagpool.corpus.builtin.generate import draw_sentences

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "scale.md"
IN_MEMORY = "memory"
EPOCHS = 3
_SENTENCES = 20_000  # of a part of the text
_BEGIN, _END = "<!-- rows\n", "\n-->"


def write_text(path: Path, tokens: int) -> int:
    """Write sentences with this number of tokens or a few more, some at a time, unless the file exists; return their number."""
    if path.exists():
        with path.open("rb") as file:
            return sum(line != b"\n" for line in file)
    count, seed = 0, 0
    unfinished = path.with_suffix(".part")
    with unfinished.open("w", encoding="utf-8") as file:
        while count < tokens:
            seed += 1
            for sentence in draw_sentences(min(_SENTENCES, tokens // 8 + 1), seed=seed):
                file.writelines(" ".join(row) + "\n" for row in sentence)
                file.write("\n")
                count += len(sentence)
                if count >= tokens:
                    break
    unfinished.rename(path)
    return count


def train(path: str, way: str) -> dict[str, Any]:
    """Train in this process; return the measurements."""
    wall, cpu = time.perf_counter(), time.process_time()
    tagger = CRF(trainer=SGD(epochs=EPOCHS, tolerance=0.0))
    if way == IN_MEMORY:
        tagger.fit(read_corpus(path))
    else:
        tagger.fit(LabelledFiles(path), memory=way)
    tagger.save(path + ".tagpool")
    return {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "features": tagger.feature_count,
        "bytes": Path(path + ".tagpool").stat().st_size,
    }


def measure(tokens: int, ways: list[str], texts: Path | None) -> list[dict[str, Any]]:
    """Return one row for each way of training on a text of this size, which stays in the folder ``texts`` if there is one."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(texts or folder, f"{tokens}.conll")
        count = write_text(path, tokens)
        for way in ways:
            command = [sys.executable, __file__, "--child", str(path), way]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{tokens:,} tokens, {way}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
                continue
            rows.append({"tokens": count, "way": way} | json.loads(done.stdout))
            print(rows[-1], flush=True)
    return rows


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of the table that are already measured."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return json.loads(text.partition(_BEGIN)[2].partition(_END)[0]) if _BEGIN in text else []


def write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write the table, the plot, and the rows as a comment."""
    lines = [
        "# Cost by the size of the corpus",
        "",
        f"A CRF with default features on text of the built-in generator: {EPOCHS} epochs of SGD with one thread.",
        "Reading and saving are included. `python benchmarks/scale.py` measures the rows ([budgets](../reference/scale.md)).",
        "",
        "| tokens | sentences | features | CPU, µs per token | wall, s | peak, MB |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        where = "in memory" if row["way"] == IN_MEMORY else f"with a budget of {row['way']}"
        cost = 1e6 * row["cpu"] / row["tokens"]
        lines.append(
            f"| {row['tokens']:,} | {where} | {row['features']:,} | {cost:.2f} | {row['wall']:.1f} | {row['peak']:,.0f} |"
        )
    if draw(path.with_suffix(".svg"), rows):
        lines += ["", "![CPU time and peak memory by the number of tokens](scale.svg)"]
    data = ",\n".join(json.dumps(row) for row in rows)
    path.write_text("\n".join(lines) + f"\n\n{_BEGIN}[{data}]{_END}\n", encoding="utf-8")


def draw(path: Path, rows: list[dict[str, Any]]) -> bool:
    """Draw CPU time and peak memory; return False without matplotlib."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional
    except ImportError:
        return False
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    for axes, field, title in zip(figure.subplots(1, 2), ("cpu", "peak"), ("CPU time, s", "peak memory, MB"), strict=True):
        for way in sorted({row["way"] for row in rows}, reverse=True):
            points = [(row["tokens"], row[field]) for row in rows if row["way"] == way]
            axes.plot(*zip(*points, strict=True), marker="o", label="in memory" if way == IN_MEMORY else f"budget {way}")
        axes.set(xscale="log", yscale="log", xlabel="tokens", title=title)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, metadata={"Date": None})
    return True


def main() -> None:
    """Measure rows and write the table."""
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(train(*sys.argv[2:])))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", nargs="+", type=float, default=[1e5, 1e6])
    parser.add_argument("--ways", nargs="+", default=[IN_MEMORY, "2G"], help="memory, or budgets such as 2G")
    parser.add_argument("--texts", type=Path, help="folder of texts: they are written once (1e8 tokens take minutes)")
    parser.add_argument("--write", type=Path, default=RESULTS)
    options = parser.parse_args()
    for tokens in options.tokens:
        new = measure(int(tokens), options.ways, options.texts)
        old = [row for row in read_rows(options.write) if not any(_same(row, one) for one in new)]
        write_table(options.write, sorted([*old, *new], key=lambda row: (row["tokens"], row["way"] != IN_MEMORY, row["way"])))


def _same(row: dict[str, Any], other: dict[str, Any]) -> bool:
    return row["way"] == other["way"] and 0.9 < row["tokens"] / other["tokens"] < 1.1


if __name__ == "__main__":
    main()
