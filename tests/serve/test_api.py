"""Routes, statuses and headers of the interface, without a process."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from serve.served import JSON, names_tagger, service
from starlette.testclient import TestClient

from tagpool.serve.api import create_app
from tagpool.serve.service import Service

TEXT = {"text": "Ann Smith left Oslo."}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with service() as one:
        yield TestClient(create_app(one))


def test_tag(client: TestClient) -> None:
    response = client.post("/v1/tag", json=TEXT)
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")
    value = response.json()
    assert (value["model"], value["version"], value["tokens"]) == ("ner", 1, ["Ann", "Smith", "left", "Oslo", "."])
    assert [value["labels"]] == names_tagger().predict([value["tokens"]])


def test_models_by_name_members_and_groups(client: TestClient) -> None:
    words = ["Ann", "Smith", "LEFT"]
    for model, expected in {
        "ner": names_tagger(),
        "pool/member 1": names_tagger(),
    }.items():
        value = client.post("/v1/tag", json={"tokens": words, "model": model}).json()
        assert (value["model"], [value["labels"]]) == (model, expected.predict([words]))
    value = client.post("/v1/tag", json={"tokens": words, "without": ["capitals"]}).json()
    assert [value["labels"]] == names_tagger().without("capitals").predict([words])


@pytest.mark.parametrize(
    ("value", "status", "message"),
    [
        ({"text": "a", "model": "x"}, 404, "there is no model 'x'; the models are ner, chunks, pool"),
        ({"text": "a", "model": "ner/x"}, 404, "has no member 'x'; its members: none"),
        ({"text": "a", "model": "pool/x"}, 404, "its members: pool/member 1, pool/member 2"),
        ({"text": "a", "without": ["x"]}, 422, "no feature group 'x'; its groups: words, capitals"),
        ({"text": "a", "model": "chunks", "without": ["x"]}, 422, "its groups: none that can be switched off"),
        ({"text": "a", "model": "chunks"}, 422, 'send "tokens" with "columns"'),
    ],
)
def test_unknown_names(client: TestClient, value: dict[str, Any], status: int, message: str) -> None:
    for path in ("/v1/tag", "/v1/explain"):
        response = client.post(path, json=value)
        assert response.status_code == status
        assert message in response.json()["message"]


def test_explain(client: TestClient) -> None:
    response = client.post("/v1/explain", json=TEXT | {"token": 0, "instead": "B-ORG"}).json()
    expected = names_tagger().explain(["Ann", "Smith", "left", "Oslo", "."], instead="B-ORG")[0]
    [token] = response["tokens"]
    assert token == json.loads(json.dumps({"number": 0} | expected.to_dict()))
    assert token["runner_up"] == "B-ORG"
    every = client.post("/v1/explain", json={"text": "Ann left.\nShe did."}).json()
    assert [token["number"] for token in every["tokens"]] == list(range(6))
    second = client.post("/v1/explain", json={"text": "Ann left.\nShe did.", "token": 4}).json()
    assert second["tokens"] == [every["tokens"][4]]
    assert client.post("/v1/explain", json={"text": ""}).json()["tokens"] == []


def test_explain_refuses_an_unknown_label_and_a_long_sentence(client: TestClient) -> None:
    response = client.post("/v1/explain", json=TEXT | {"token": 0, "instead": "<script>"})
    assert (response.status_code, "no label '<script>'; its labels: " in response.json()["message"]) == (422, True)
    response = client.post("/v1/explain", json={"text": "a " * 501})
    assert (response.status_code, response.json()["code"]) == (413, "too_large")


def test_a_stream_has_a_line_for_each_line(client: TestClient) -> None:
    lines = [json.dumps(TEXT), "", "{", json.dumps({"tokens": ["Oslo"]}), json.dumps({"text": "x" * (1 << 20)}), json.dumps(TEXT)]
    response = client.post("/v1/tag", content="\n".join(lines), headers={"Content-Type": "application/x-ndjson; charset=utf-8"})
    assert (response.status_code, response.headers["content-type"]) == (200, "application/jsonl")
    results = [json.loads(line) for line in response.text.splitlines()]
    assert results[0] == results[-1] == client.post("/v1/tag", json=TEXT).json()
    assert [(one["line"], one["error"]["code"]) for one in (results[1], results[3])] == [(3, "invalid_json"), (5, "too_large")]
    assert results[2]["tokens"] == ["Oslo"]
    assert len(results) == 5


def test_long_requests_are_tagged_apart(client: TestClient) -> None:
    words = ["Ann", "left", "Oslo", "."] * 500
    value = client.post("/v1/tag", json={"tokens": words}).json()
    assert [value["labels"]] == names_tagger().predict([words])


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/v1/tag", 405), ("DELETE", "/health", 405), ("GET", "/v1/", 404)]
)
def test_other_paths_and_methods(client: TestClient, method: str, path: str, status: int) -> None:
    response = client.request(method, path)
    assert (response.status_code, "openapi.json" in response.json()["message"]) == (status, True)
    assert ("allow" in response.headers) == (status == 405)


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_other_types_of_bodies(client: TestClient, kind: str) -> None:
    """A page of another site can send these types without asking, so they are refused."""
    for path in ("/v1/tag", "/v1/explain", "/view/tag", "/view/explain", "/view/file"):
        response = client.post(path, content=json.dumps(TEXT), headers={"Content-Type": kind})
        assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


def test_large_bodies(client: TestClient) -> None:
    for size in ((1 << 20) + 1, 10_000_000):
        for content in (b"x" * size, iter([b"x" * size])):
            response = client.post("/v1/tag", content=content, headers=JSON)
            assert (response.status_code, response.json()["code"]) == (413, "too_large")


def test_health_readiness_and_description() -> None:
    with service() as one:
        client = TestClient(create_app(one))
        assert client.get("/health").json() == {"status": "ok"}
        assert client.get("/ready").status_code == 200
        one.is_ready = False
        assert (client.get("/ready").status_code, client.get("/health").status_code) == (503, 200)
        assert client.get("/openapi.json").json()["openapi"] == "3.1.0"
        model = client.get("/v1/models").json()["models"][1]
        assert (model["name"], model["columns"]) == ("chunks", ["word", "pos"])


def test_compressed_bodies_are_refused(client: TestClient) -> None:
    body = gzip.compress(json.dumps(TEXT).encode())
    for path, kind in (("/v1/tag", "application/json"), ("/v1/tag", "application/jsonl"), ("/v1/explain", "application/json")):
        response = client.post(path, content=body, headers={"content-type": kind, "content-encoding": "gzip"})
        assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")
        assert "without Content-Encoding" in response.json()["message"]


def test_every_response_has_the_security_headers(client: TestClient) -> None:
    for path in ("/", "/health", "/nothing", "/static/page.js", "/v1/tag"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "access-control-allow-origin" not in headers


def test_the_token() -> None:
    with service() as one:
        client = TestClient(create_app(one, token="secret"))
        for headers in ({}, {"Authorization": "Bearer secre"}, {"Authorization": "Bearer secrets"}, {"Authorization": "secret"}):
            for path in ("/v1/models", "/metrics", "/view/tag"):
                response = client.get(path, headers=headers)
                assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
                assert response.json()["code"] == "unauthorized"
        assert client.post("/v1/tag", json=TEXT, headers={"Authorization": "Bearer secret"}).status_code == 200
        for path in ("/", "/health", "/ready", "/openapi.json", "/static/page.js"):
            assert client.get(path).status_code == 200


def test_cors_only_for_chosen_origins() -> None:
    preflight = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    with service() as one:
        closed, opened = TestClient(create_app(one)), TestClient(create_app(one, token="t", origins=["https://a.example"]))
        good, bad = {"Origin": "https://a.example"}, {"Origin": "https://b.example"}
        assert closed.options("/v1/tag", headers=good | preflight).status_code == 405
        assert opened.options("/v1/tag", headers=good | preflight).headers["access-control-allow-origin"] == "https://a.example"
        assert "access-control-allow-origin" not in opened.options("/v1/tag", headers=bad | preflight).headers
        response = opened.post("/v1/tag", json=TEXT, headers=good | {"Authorization": "Bearer t"})
        assert response.headers["access-control-allow-origin"] == "https://a.example"


def test_metrics_are_valid_and_count() -> None:
    with service() as one:
        client = TestClient(create_app(one))
        for _ in range(3):
            client.post("/v1/tag", json=TEXT)
        client.post("/v1/tag", content="{", headers=JSON)
        client.get("/x" * 50)
        samples = {
            (sample.name, *sorted(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(client.get("/metrics").text)
            for sample in family.samples
        }
    assert samples["tagpool_requests_total", ("route", "/v1/tag"), ("status", "200")] == 3
    assert samples["tagpool_requests_total", ("route", "/v1/tag"), ("status", "400")] == 1
    assert samples["tagpool_requests_total", ("route", "other"), ("status", "404")] == 1
    assert samples["tagpool_tokens_total", ("model", "ner")] == 15
    assert samples["tagpool_sentences_total", ("model", "ner")] == 3
    assert samples["tagpool_request_seconds_count", ("route", "/v1/tag")] == 4
    assert samples["tagpool_batch_requests_count",] == 3  # a short request is parsed before
    assert samples["tagpool_model_version", ("model", "pool")] == 1
    assert samples["tagpool_active_requests",] == 0


class Slow(Service):
    """A service whose explanations wait for an event."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.continuing = threading.Event()

    def explain_now(self, request: Any) -> dict[str, Any]:
        self.continuing.wait(20)
        return super().explain_now(request)


async def call(app: Any, path: str, value: Any) -> tuple[int, dict[str, str], Any]:
    """Send a request to an application, without a server between."""
    body = json.dumps(value).encode()
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return next(messages)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "headers": [(b"content-type", b"application/json")]}
    await app(scope | {"query_string": b"", "root_path": "", "raw_path": path.encode()}, receive, send)
    headers = {name.decode(): text.decode() for name, text in sent[0]["headers"]}
    return sent[0]["status"], headers, json.loads(b"".join(message.get("body", b"") for message in sent[1:]))


def slow_service(**limits: Any) -> Slow:
    with service(**limits) as one:
        return Slow(one.models, one.limits)


def test_too_many_requests_are_refused_and_later_ones_are_not() -> None:
    slow = slow_service(requests=2)
    app = create_app(slow)

    async def check() -> None:
        waiting = [asyncio.create_task(call(app, "/v1/explain", TEXT | {"token": 0})) for _ in range(2)]
        await asyncio.sleep(0.05)
        status, headers, value = await call(app, "/v1/tag", TEXT)
        assert (status, headers["retry-after"], value["code"]) == (429, "1", "too_many_requests")
        slow.continuing.set()
        assert [status for status, _, _ in await asyncio.gather(*waiting)] == [200, 200]
        assert (await call(app, "/v1/tag", TEXT))[0] == 200

    asyncio.run(check())
    slow.close()


def test_a_request_that_takes_too_long_ends_and_others_do_not() -> None:
    slow = slow_service(seconds=2.0)  # enough for the others on a busy machine
    app = create_app(slow)

    async def check() -> None:
        waiting = asyncio.create_task(call(app, "/v1/explain", TEXT | {"token": 0}))
        await asyncio.sleep(0.05)
        assert (await call(app, "/v1/tag", TEXT))[0] == 200
        status, headers, value = await waiting
        assert (status, value["code"], headers["retry-after"]) == (503, "timeout", "1")
        slow.continuing.set()
        assert (await call(app, "/v1/explain", TEXT | {"token": 0}))[0] == 200

    asyncio.run(check())
    slow.close()


def test_an_error_of_the_program_has_no_details(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("internal secret")

    with service() as one:
        monkeypatch.setattr(one, "explain_now", fail)
        client = TestClient(create_app(one), raise_server_exceptions=False)
        response = client.post("/v1/explain", json=TEXT)
        assert (response.status_code, response.json()["code"]) == (500, "internal_error")
        assert "secret" not in response.text


def test_an_error_of_the_program_in_the_direct_route(monkeypatch: pytest.MonkeyPatch) -> None:
    with service() as one:
        monkeypatch.setattr("tagpool.serve.service.tag_items", lambda *_, **__: 1 / 0)
        client = TestClient(create_app(one), raise_server_exceptions=False)
        response = client.post("/v1/tag", json=TEXT)
        assert (response.status_code, response.json()["code"]) == (500, "internal_error")
        assert "division" not in response.text
        with pytest.raises(ZeroDivisionError):  # for the log
            TestClient(create_app(one)).post("/v1/tag", json=TEXT)
