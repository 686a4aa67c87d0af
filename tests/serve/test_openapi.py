"""The OpenAPI document is valid, complete, and true for the responses."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from serve.served import JSON, service
from starlette.testclient import TestClient

from tagpool.serve.api import create_app
from tagpool.serve.limits import Limits
from tagpool.serve.openapi import PATHS, SCHEMAS, document
from tagpool.serve.requests import EXPLAIN_KEYS, TAG_KEYS

REQUESTS: list[tuple[str, str, Any]] = [
    ("post", "/v1/tag", {"text": "Ann Smith left.\nOslo"}),
    ("post", "/v1/tag", {"text": ""}),
    ("post", "/v1/tag", {"tokens": [], "confidence": False}),
    ("post", "/v1/tag", {"batch": [{"text": "Ann"}, {"tokens": ["Oslo", "<script>"]}], "model": "pool"}),
    ("post", "/v1/tag", {"batch": []}),
    ("post", "/v1/tag", {"tokens": ["the"], "columns": {"pos": ["DT"]}, "model": "chunks"}),
    ("post", "/v1/tag", {}),
    ("post", "/v1/tag", {"text": "a", "model": "x"}),
    ("post", "/v1/tag", {"text": "a " * 10_001}),
    ("post", "/v1/explain", {"text": "Ann left"}),
    ("post", "/v1/explain", {"text": "Ann left", "model": "pool", "token": 1, "instead": "O"}),
    ("post", "/v1/explain", {"text": "Ann left", "token": 7}),
    ("get", "/v1/models", None),
    ("get", "/health", None),
    ("get", "/ready", None),
    ("get", "/openapi.json", None),
]


def schema_of(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}", "components": {"schemas": SCHEMAS}}


def test_the_document_is_valid() -> None:
    validate(document())


def test_the_document_has_the_routes() -> None:
    with service() as one:
        routes = {
            (route.path, method.lower())
            for route in create_app(one).app.routes  # type: ignore[attr-defined]
            for method in route.methods - {"HEAD"}
            if not route.path.startswith(("/view/", "/static/")) and route.path != "/"
        }
    assert routes == {(path, method) for path, methods in PATHS.items() for method in methods}


def test_the_document_has_the_keys_and_limits_of_requests() -> None:
    assert set(SCHEMAS["TagRequest"]["properties"]) == set(TAG_KEYS)
    assert set(SCHEMAS["ExplainRequest"]["properties"]) == set(EXPLAIN_KEYS)
    assert SCHEMAS["TagRequest"]["properties"]["batch"]["maxItems"] == Limits().items


@pytest.mark.parametrize(("method", "path", "value"), REQUESTS)
def test_requests_and_responses_have_their_schemas(method: str, path: str, value: Any) -> None:
    with service() as one:
        response = TestClient(create_app(one)).request(method, path, json=value)
    operation = PATHS[path][method]
    documented = operation["responses"][str(response.status_code)]["content"][response.headers["content-type"]]["schema"]
    validator = Draft202012Validator(documented | {"components": {"schemas": SCHEMAS}})
    assert [error.message for error in validator.iter_errors(response.json())] == []
    if response.status_code == 200 and value is not None:
        body = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert [error.message for error in Draft202012Validator(schema_of(body)).iter_errors(value)] == []


def test_schemas_refuse_what_the_server_refuses() -> None:
    validator = Draft202012Validator(schema_of("TagRequest"))
    with service() as one:
        client = TestClient(create_app(one))
        for value in (
            {},
            {"text": "a", "tokens": []},
            {"text": 1},
            {"x": 1, "text": "a"},
            {"tokens": [""]},
            {"text": "\0"},
            {"batch": [{}]},
        ):
            assert not validator.is_valid(value)
            assert client.post("/v1/tag", json=value, headers=JSON).status_code == 422
