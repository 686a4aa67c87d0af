"""A server in its own process: signals, reloads, slow clients and broken requests."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest
from serve.served import JSON, ServerProcess, names_tagger, other_tagger, replace_file, running, wait_until

WORDS = ["Ann", "Smith", "left", "Oslo", "."]
TAG = b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
OTHER = {"tokens": WORDS}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "ner.tagpool"
    names_tagger().save(path)
    return path


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[ServerProcess]:
    with running(model, "--timeout", 1) as one:
        yield one


def receive_all(connection: socket.socket) -> bytes:
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def send(server: ServerProcess, *parts: bytes, pause: float = 0.0) -> bytes:
    """Return all that a server sends until it closes the connection."""
    with server.connect() as connection:
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)
        return receive_all(connection)


def test_loopback_by_default(server: ServerProcess) -> None:
    assert server.facts["url"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (TAG + b"Content-Length: 3\r\nConnection: close\r\n\r\n{\0}", b"400"),
        (TAG + b"Content-Length: 100000\r\nConnection: close\r\n\r\n" + b"[" * 100_000, b"400"),
        (TAG + b"Content-Length: 2\r\nConnection: close\r\n\r\n[]", b"422"),
        (TAG + b"Content-Length: -1\r\n\r\n", b"400"),
        (b"\x00\x01\x02\r\n\r\n", b"400"),
        (b"GET / HTTP/9.9\r\n\r\n", b"400"),
        (b"POST /v1/tag HTTP/1.1\r\n" + b"a: b\r\n" * 100_000 + b"\r\n", b"4"),
    ],
    ids=["nul", "deep", "list", "length", "binary", "version", "headers"],
)
def test_broken_requests(server: ServerProcess, request_bytes: bytes, status: bytes) -> None:
    try:
        answer = send(server, request_bytes)
    except (BrokenPipeError, ConnectionResetError):  # the server closed the connection before the end
        answer = b""
    assert answer == b"" or answer.startswith(b"HTTP/1.1 " + status)
    assert server.post("/v1/tag", OTHER)[0] == 200


def test_a_long_head_is_refused(server: ServerProcess) -> None:
    for begin in (b"GET /", b"GET / HTTP/1.1\r\nHost: x\r\nA: ", b"GET / HTTP/1.1\r\n"):
        with server.connect() as connection:
            sent = 0
            try:
                connection.sendall(begin)
                while sent < 100 << 20:
                    part = b"a: b\r\n" * 1000 if begin.endswith(b"\n") else b"a" * 6000
                    connection.sendall(part)
                    sent += len(part)
            except OSError:  # the server closed the connection
                pass
            assert sent < 20 << 20


def test_bytes_that_are_no_request_have_an_error_as_json(server: ServerProcess) -> None:
    for sent, status, code in (
        (b"\x16\x03\x01\x02\r\n\r\n", b"400", "invalid_http"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 70_000, b"431", "head_too_large"),
    ):
        head, _, body = send(server, sent).partition(b"\r\n\r\n")
        assert head.split()[1] == status
        assert json.loads(body)["code"] == code


def test_a_refused_body_is_no_head(server: ServerProcess) -> None:
    """The rest of a body after an early answer does not count as the head of the next request."""
    body = b" " * 200_000
    request = b"POST /v1/models HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
    answers = send(server, request, body, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", pause=0.3)
    assert answers.count(b"HTTP/1.1 405") == 1
    assert answers.count(b"HTTP/1.1 200") == 1


def test_a_body_of_10_mb_is_refused(server: ServerProcess) -> None:
    for head in (b"Content-Length: 10000000\r\n\r\n", b"Connection: close\r\nContent-Length: 10000000\r\n\r\n"):
        with server.connect() as connection:
            connection.sendall(TAG + head + b"x" * 10_000_000)
            answer = connection.recv(1 << 16)
        assert b" 413 " in answer.split(b"\r\n")[0]


def test_a_client_that_asks_first_need_not_send_a_large_body(server: ServerProcess) -> None:
    answer = send(server, TAG + b"Expect: 100-continue\r\nContent-Length: 10000000\r\n\r\n")
    assert b" 413 " in answer.split(b"\r\n")[0]
    assert b"100 Continue" not in answer


def test_a_truncated_body_harms_nobody(server: ServerProcess) -> None:
    with server.connect() as connection:
        connection.sendall(TAG + b'Content-Length: 100\r\n\r\n{"text": "An')
    assert server.post("/v1/tag", OTHER)[0] == 200
    wait_until(lambda: b'route="/v1/tag",status="499"' in server.get("/metrics")[1])


def test_a_slow_body_ends_with_an_error(server: ServerProcess) -> None:
    begin = time.monotonic()
    answer = send(server, TAG + b"Content-Length: 100\r\n\r\n", *[b" "] * 4, pause=0.1)
    assert b" 408 " in answer.split(b"\r\n")[0]
    assert time.monotonic() - begin < 10


def test_a_slow_head_ends_the_connection(server: ServerProcess) -> None:
    begin = time.monotonic()
    assert send(server, b"POST /v1/t", pause=0.1) == b""
    with server.connect() as connection:
        assert receive_all(connection) == b""  # a client that sends nothing
    assert time.monotonic() - begin < 10


def test_the_second_head_of_a_connection_may_not_be_slow_either(server: ServerProcess) -> None:
    body = json.dumps(OTHER).encode()
    request = TAG + f"Content-Length: {len(body)}\r\n\r\n".encode() + body
    begin = time.monotonic()
    answer = send(server, request, b"POST /v1/", pause=0.3)
    assert answer.startswith(b"HTTP/1.1 200")
    assert time.monotonic() - begin < 10


def test_pipelined_requests_are_answered_in_order(server: ServerProcess) -> None:
    texts = ["Ann", "left", "Oslo"]
    bodies = [json.dumps({"text": text}).encode() for text in texts]
    heads = [TAG + f"Content-Length: {len(body)}\r\n".encode() for body in bodies]
    closing = [b"", b"", b"Connection: close\r\n"]
    whole = b"".join(head + close + b"\r\n" + body for head, close, body in zip(heads, closing, bodies, strict=True))
    answer = send(server, whole)
    positions = [answer.index(json.dumps([text]).encode()) for text in texts]
    assert positions == sorted(positions)


def test_a_stream_answers_before_its_end(server: ServerProcess) -> None:
    head = b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/jsonl\r\nTransfer-Encoding: chunked\r\n\r\n"
    line = json.dumps(OTHER).encode() + b"\n"
    chunk = f"{len(line):x}\r\n".encode() + line + b"\r\n"
    with server.connect() as connection:
        connection.sendall(head + chunk)
        answer = b""
        while b'"tokens"' not in answer:
            answer += connection.recv(1 << 16)
        for _ in range(4):  # longer than the time limit, which holds for each line
            time.sleep(0.4)
            connection.sendall(chunk)
        connection.sendall(b"0\r\n\r\n")
        while not answer.endswith(b"0\r\n\r\n"):
            answer += connection.recv(1 << 16)
    assert answer.count(b'"tokens"') == 5


def test_sigterm_finishes_requests_and_succeeds(model: Path) -> None:
    with running(model) as server, server.connect() as connection:
        body = json.dumps(OTHER).encode()
        connection.sendall(TAG + f"Content-Length: {len(body)}\r\n\r\n".encode() + body[:10])
        wait_until(lambda: b"tagpool_active_requests 1" in server.get("/metrics")[1])
        server.signal(signal.SIGTERM)
        time.sleep(0.3)
        connection.sendall(body[10:])
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        assert server.process.wait(20) == 0
        server._reader.join(10)
        assert "leaked" not in str(list(server._messages.queue))


def test_requests_that_do_not_end_are_ended_without_a_traceback(model: Path) -> None:
    with running(model, "--grace", "1") as server:
        stream = b"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/jsonl\r\nTransfer-Encoding: chunked\r\n\r\n"
        line = b'{"text":"Ann"}\n'
        with server.connect() as begun, server.connect() as waiting:
            begun.sendall(stream + b"%x\r\n%s\r\n" % (len(line), line))
            assert b" 200 " in begun.recv(1 << 16)
            waiting.sendall(TAG + b"Content-Length: 100\r\n\r\n{")
            wait_until(lambda: b"tagpool_active_requests 2" in server.get("/metrics")[1])
            server.signal(signal.SIGTERM)
            assert b'"shutting_down"' in receive_all(waiting)
        assert server.process.wait(20) == 0
        server._reader.join(10)
        log = ""
        while not server._messages.empty():
            log += server.message()
        assert "Traceback" not in log


def test_ctrl_c_ends_the_server_and_a_second_one_ends_it_at_once(model: Path) -> None:
    with running(model) as server, server.connect() as connection:
        connection.sendall(TAG + b"Content-Length: 100\r\n\r\n")
        wait_until(lambda: b"tagpool_active_requests 1" in server.get("/metrics")[1])
        begin = time.monotonic()
        server.signal(signal.SIGINT)
        time.sleep(0.3)
        server.signal(signal.SIGINT)
        assert server.process.wait(20) == 0
        assert time.monotonic() - begin < 10


def test_sighup_reloads_without_failed_requests(tmp_path: Path) -> None:
    path = tmp_path / "ner.tagpool"
    names_tagger().save(path)
    expected = {1: names_tagger().predict([WORDS])[0], 2: other_tagger().predict([WORDS])[0]}
    results: list[tuple[int, int, list[str]]] = []
    ending = threading.Event()

    def work() -> None:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
        while not ending.is_set():
            connection.request("POST", "/v1/tag", json.dumps(OTHER), JSON)
            response = connection.getresponse()
            value = json.loads(response.read())
            results.append((response.status, value["version"], value["labels"]))
        connection.close()

    with running(path) as server, ThreadPoolExecutor(4) as threads:
        workers = [threads.submit(work) for _ in range(4)]
        try:
            wait_until(lambda: len(results) > 20)
            replace_file(path, other_tagger())
            server.signal(signal.SIGHUP)
            assert server.message() == "reloaded ner (version 2)\n"
            after = len(results)
            wait_until(lambda: len(results) > after + 20)
        finally:
            ending.set()
        for worker in workers:
            worker.result()
    assert {status for status, _, _ in results} == {200}
    assert {version for _, version, _ in results} == {1, 2}
    assert all(labels == expected[version] for _, version, labels in results)


def test_a_damaged_file_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ner.tagpool"
    names_tagger().save(path)
    with running(path) as server:
        path.write_bytes(path.read_bytes()[:-100])
        server.signal(signal.SIGHUP)
        assert server.message().startswith("reload of ner failed, so version 1 is served: ")
        assert server.post("/v1/tag", OTHER)[1]["labels"] == names_tagger().predict([WORDS])[0]
        assert b'tagpool_reload_failures_total{model="ner"} 1' in server.get("/metrics")[1]
        path.unlink()
        server.signal(signal.SIGHUP)
        assert "reload of ner failed" in server.message()
        assert server.post("/v1/tag", OTHER)[0] == 200


def test_watch_reloads_a_changed_file(tmp_path: Path) -> None:
    path = tmp_path / "ner.tagpool"
    names_tagger().save(path)
    with running(path, "--watch") as server:
        replace_file(path, other_tagger())
        assert server.message() == "reloaded ner (version 2)\n"
        assert server.post("/v1/tag", OTHER)[1]["labels"] == other_tagger().predict([WORDS])[0]


def test_the_demo_shows_undertraining() -> None:
    with running("--demo") as server:
        assert [model["name"] for model in server.facts["models"]] == ["usual", "robust", "pool"]
        text = "Ann Smith from Oslo visited France on Monday."
        labels = {
            (model, *without): server.post("/v1/tag", {"text": text, "model": model, "without": without})[1]["labels"][:2]
            for model in ("usual", "robust")
            for without in ([], ["lists"])
        }
    assert labels["usual",] == labels["robust",] == labels["robust", "lists"] == ["B-PER", "I-PER"]
    assert labels["usual", "lists"] == ["O", "O"]
