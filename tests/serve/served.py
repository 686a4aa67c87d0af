"""Models, requests and processes for the tests of the server."""

from __future__ import annotations

import functools
import json
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tagpool import CRF, Corpus, OpinionPool, builtin_corpus
from tagpool.serve.limits import Limits
from tagpool.serve.models import Models, ServedModel
from tagpool.serve.service import Service

GROUPS = "[words]\nlower(word)[-1..1]\n[capitals]\nshape(word)[0]\n"
JSON = {"Content-Type": "application/json"}


@functools.cache
def names_tagger() -> CRF:
    return CRF(GROUPS).fit(builtin_corpus(200))


@functools.cache
def other_tagger() -> CRF:
    return CRF("word[0]").fit(builtin_corpus(50, seed=2))


@functools.cache
def tag_reader() -> CRF:
    """A tagger that reads the column pos, too."""
    corpus = Corpus.from_lists(word=[["the", "cat"]], pos=[["DT", "NN"]], label=[["B-NP", "I-NP"]])
    return CRF("word[0]\npos[0]").fit(corpus)


def served_models() -> list[ServedModel]:
    pool = OpinionPool([names_tagger(), other_tagger()], weights=[0.75, 0.25])
    return [ServedModel("ner", names_tagger()), ServedModel("chunks", tag_reader()), ServedModel("pool", pool)]


@contextmanager
def service(**limits: Any) -> Iterator[Service]:
    one = Service(Models(served_models()), Limits(**limits))
    try:
        yield one
    finally:
        one.close()


class ServerProcess:
    """A server in a process of its own; its messages are read while it runs."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "tagpool", "serve", "--port", "0", "--json", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            raise AssertionError(self.process.stderr.read())
        self.facts = json.loads(line)
        self.port = int(self.facts["url"].rpartition(":")[2])
        self._messages: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._messages.put(line)

    def message(self, seconds: float = 20) -> str:
        """Wait for a line of the log."""
        return self._messages.get(timeout=seconds)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def post(self, path: str, value: Any) -> tuple[int, Any]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("POST", path, json.dumps(value), JSON)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, json.loads(body)

    def get(self, path: str) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def end(self) -> int:
        """Stop the process gracefully; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(20)
        finally:
            self.process.kill()
            self._reader.join(5)
            for stream in (self.process.stdout, self.process.stderr):
                assert stream is not None
                stream.close()


@contextmanager
def running(*arguments: object) -> Iterator[ServerProcess]:
    server = ServerProcess(*arguments)
    try:
        yield server
    finally:
        server.end()


def replace_file(path: Path, tagger: CRF) -> None:
    """Write a model beside a file and move it there, as a deployment does."""
    beside = path.with_suffix(".new")
    tagger.save(beside)
    beside.replace(path)


def wait_until(condition: Any, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timeout"
        time.sleep(0.02)
