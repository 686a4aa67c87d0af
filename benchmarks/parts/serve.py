"""Serving: requests per second against spaCy behind the same route, latency at half of the load, and time added to the call."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from http_load import run_load
from measure import HERE
from table import Row, fraction, speedup
from tasks import Task

import tagpool
from tagpool import CRF, builtin_corpus
from tagpool.corpus.schemes import spans

TEXT = "Ann Smith from Oslo visited France on Monday, and the talks in Geneva ended."
ROUNDS = 5
SECONDS = 2.0
CONNECTIONS = 16


class Server:
    """A server in a process of its own, with the CPU time that it used."""

    def __init__(self, process: subprocess.Popen[str], port: int, body: bytes) -> None:
        self.process = process
        self.port = port
        self.body = body

    def cpu(self) -> float:
        """Return the CPU seconds of the process."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self) -> tuple[float, float]:
        """Return requests per second, and per CPU second of the server, under full load."""
        cpu, wall = self.cpu(), time.perf_counter()
        count = len(run_load(self.port, self.body, connections=CONNECTIONS, seconds=SECONDS))
        return count / (time.perf_counter() - wall), count / max(self.cpu() - cpu, 1e-9)


@contextmanager
def started(command: list[str], body: dict[str, object], *, json_line: bool = False) -> Iterator[Server]:
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        port = int(json.loads(line)["url"].rpartition(":")[2]) if json_line else int(line)
        server = Server(process, port, json.dumps(body).encode())
        run_load(port, server.body, connections=1, seconds=0.5)  # warm
        yield server
    finally:
        process.terminate()
        process.wait(30)


def serve(tasks: list[Task]) -> Iterator[Row]:
    train = builtin_corpus(2000)
    model = CRF("ner").fit(train)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path, patterns = Path(folder, "ner.tagpool"), Path(folder, "patterns.json")
        model.save(path)
        names = {(" ".join(one.words[span.start : span.end]), span.type) for one in train for span in spans(one.labels or [])}
        patterns.write_text(json.dumps([{"label": kind, "pattern": name} for name, kind in sorted(names)]))
        ours = ["-m", "tagpool", "serve", str(path), "--port", "0", "--json"]
        theirs = [str(HERE / "spacy_server.py"), str(patterns)]
        plain_body: dict[str, object] = {"text": TEXT, "confidence": False}
        servers = {
            "tagpool": stack.enter_context(started(ours, plain_body, json_line=True)),
            "confidences": stack.enter_context(started(ours, {"text": TEXT}, json_line=True)),
            "same": stack.enter_context(started([*theirs, "same"], {"text": TEXT})),
            "plain": stack.enter_context(started([*theirs, "plain"], {"text": TEXT})),
        }
        best = dict.fromkeys(servers, (0.0, 0.0))
        for _ in range(ROUNDS):
            for name, server in servers.items():
                best[name] = tuple(map(max, best[name], server.measure()))  # type: ignore[assignment]
        yield from _rates(best, len(names))
        yield from _latencies(servers["tagpool"], best["tagpool"][0])
        yield _added(servers["tagpool"], model)


def _rates(best: dict[str, tuple[float, float]], patterns: int) -> Iterator[Row]:
    def rate(name: str) -> str:
        return f"{best[name][0]:,.0f} requests/s, {best[name][1]:,.0f} per CPU second"

    setting = f"one sentence of {len(TEXT.split())} words, one worker, {CONNECTIONS} connections, maximum of {ROUNDS}"
    for name, title in (("same", "in the code of tagpool serve"), ("plain", "in a plain route of Starlette")):
        yield speedup(
            f"serving / spaCy with {patterns:,} names in an entity ruler, {title}",
            best["tagpool"][1] / best[name][1],
            f"{setting}; per CPU second of the server: {rate('tagpool')} against {rate(name)}",
        )
    yield Row(
        "… with confidences, which spaCy does not have", f"{best['confidences'][1] / best['plain'][1]:.1f}×", rate("confidences")
    )


def _latencies(server: Server, most: float) -> Iterator[Row]:
    runs = [run_load(server.port, server.body, connections=64, seconds=SECONDS, rate=most / 2) for _ in range(ROUNDS)]
    shown = min(runs, key=lambda run: _quantile(run, 0.99) / _quantile(run, 0.5))
    middle, late = _quantile(shown, 0.5), _quantile(shown, 0.99)
    yield fraction(
        "p99 / p50 of the latency at half of the maximum load",
        late / middle,
        f"{most / 2:,.0f} requests/s for {SECONDS:g} s, best of {ROUNDS}: p50 {middle * 1e3:.2f} ms, p99 {late * 1e3:.2f} ms",
    )


def _added(server: Server, model: CRF) -> Row:
    calls = []
    for _ in range(2000):
        begin = time.perf_counter()
        model.predict([[token.text for token in tagpool.tokenize(TEXT)]])
        calls.append(time.perf_counter() - begin)
    requests = run_load(server.port, server.body, connections=1, seconds=SECONDS)
    call, request = statistics.median(calls), statistics.median(requests)
    return Row(
        "time that a request adds to the call of the library, p50",
        f"{(request - call) * 1e3:.3f} ms",
        f"one connection: {request * 1e3:.3f} ms against {call * 1e3:.3f} ms for tokenize and predict",
    )


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]
