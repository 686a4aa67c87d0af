"""The OpenAPI document: one declaration of the paths, bodies and errors. A test compares it with the routes and the responses."""

from __future__ import annotations

from typing import Any

import tagpool
from tagpool.serve.limits import Limits

JsonObject = dict[str, Any]

_LIMITS = Limits()
_EXAMPLE = {"text": "Ann Smith moved to Oslo."}


def _object(properties: JsonObject, required: list[str], **more: Any) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required, **more}


def _array(items: JsonObject, description: str = "", **more: Any) -> JsonObject:
    return {"type": "array", "items": items, **({"description": description} if description else {}), **more}


def _string(description: str, **more: Any) -> JsonObject:
    return {"type": "string", "description": description, **more}


def _ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


# Without NUL characters; no field of a request may have them.
_WORD = {"type": "string", "minLength": 1, "maxLength": 10_000, "pattern": "^[^\\u0000]*$"}
_PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
_ITEM = {
    "text": _string("Text; every line is a sentence.", pattern="^[^\\u0000]*$"),
    "tokens": _array(_WORD, f"The words of one sentence; by default at most {_LIMITS.tokens:,} in a request."),
    "columns": {
        "type": "object",
        "description": 'Columns that the model reads besides the words: one value per token, such as {"pos": [...]}.',
        "additionalProperties": _array(_WORD),
    },
}
_OPTIONS = {
    "model": _string("Name of a model, or of a member of a pool: pool/member 1. Default: the first model."),
    "without": _array({"type": "string"}, "Feature groups to ignore; GET /v1/models lists them."),
}
_EITHER = [{"required": ["text"], "properties": {"columns": False}}, {"required": ["tokens"]}]

SCHEMAS: JsonObject = {
    "Item": _object(_ITEM, [], oneOf=_EITHER, additionalProperties=False),
    "TagRequest": _object(
        _ITEM
        | _OPTIONS
        | {
            "batch": _array(_ref("Item"), "Texts and sentences that are tagged together.", maxItems=_LIMITS.items),
            "confidence": {"type": "boolean", "default": True, "description": "Whether to return confidences; false is faster."},
        },
        [],
        oneOf=[*_EITHER, {"required": ["batch"], "properties": {"columns": False}}],
        additionalProperties=False,
        example=_EXAMPLE,
    ),
    "ExplainRequest": _object(
        _ITEM
        | _OPTIONS
        | {
            "token": {"type": "integer", "minimum": 0, "description": "Number of a token, from 0 on. Default: all tokens."},
            "instead": _string("Label to compare with. Default: the next one."),
        },
        [],
        oneOf=_EITHER,
        dependentRequired={"instead": ["token"]},
        additionalProperties=False,
        example=_EXAMPLE | {"token": 0, "instead": "B-ORG"},
    ),
    "Span": _object(
        {
            "start": {"type": "integer", "description": "First character (a Unicode code point), from 0 on."},
            "end": {"type": "integer", "description": "Character after the last one."},
            "type": {"type": "string"},
            "text": {"type": "string"},
            "first_token": {"type": "integer"},
            "last_token": {"type": "integer"},
            "confidence": {"description": "The smallest confidence of the tokens.", "anyOf": [_PROBABILITY, {"type": "null"}]},
        },
        ["start", "end", "type", "text", "first_token", "last_token", "confidence"],
    ),
    "Result": _object(
        {
            "tokens": _array({"type": "string"}),
            "offsets": _array(
                _array({"type": "integer"}, minItems=2, maxItems=2),
                "First character of each token and the character after it; tokens of a request count as joined by blanks.",
            ),
            "labels": _array({"type": "string"}),
            "confidences": {
                "description": "Probability of each label; null if not wanted, or if the model has none.",
                "anyOf": [_array(_PROBABILITY), {"type": "null"}],
            },
            "spans": _array(_ref("Span")),
        },
        ["tokens", "offsets", "labels", "confidences", "spans"],
    ),
    "TagResponse": {
        "type": "object",
        "properties": {"model": {"type": "string"}, "version": {"type": "integer"}},
        "required": ["model", "version"],
        "oneOf": [_ref("Result"), _object({"results": _array(_ref("Result"))}, ["results"])],
    },
    "ExplainResponse": _object(
        {
            "model": {"type": "string"},
            "version": {"type": "integer"},
            "tokens": _array(
                _object(
                    {"number": {"type": "integer"}, "word": {"type": "string"}, "label": {"type": "string"}},
                    ["number", "word", "label"],
                    description="The evidence for a label; the further fields depend on the kind of model.",
                )
            ),
        },
        ["model", "version", "tokens"],
    ),
    "Model": _object(
        {
            "name": {"type": "string"},
            "version": {"type": "integer", "description": "1 at the start; a reload adds 1."},
            "kind": {"type": "string"},
            "labels": _array({"type": "string"}),
            "columns": _array({"type": "string"}, "The columns that the model reads."),
            "confidence": {"type": "boolean", "description": "Whether the model has confidences."},
            "members": _array({"type": "string"}, "Names of the members of a pool."),
            "groups": _array({"type": "string"}, "Feature groups that can be switched off."),
            "loaded": {"type": "number", "description": "Time of loading, in seconds since 1970."},
        },
        ["name", "version", "kind", "labels", "columns", "confidence", "members", "groups", "loaded"],
    ),
    "Models": _object({"models": _array(_ref("Model"))}, ["models"]),
    "Status": _object({"status": {"type": "string"}}, ["status"]),
    "Error": _object(
        {"code": _string("A word for programs."), "message": _string("A sentence for people.")},
        ["code", "message"],
        additionalProperties=False,
    ),
}

_ERRORS = {
    "400": "The body is not valid JSON.",
    "401": "The token is missing or wrong.",
    "404": "There is no such model.",
    "408": "The body arrived too slowly.",
    "413": "The body is too large, or has too many tokens.",
    "415": "The body has another type than JSON.",
    "422": "A value is wrong; the message names its key.",
    "429": "Too many requests at the same time; see Retry-After.",
    "500": "An error of the server.",
    "503": "The request took too long, or the server shuts down.",
}
_WORK = ("400", "401", "404", "408", "413", "415", "422", "429", "500", "503")


def _body(schema: str, *, lines: bool = False) -> JsonObject:
    content: JsonObject = {"application/json": {"schema": _ref(schema)}}
    if lines:
        content["application/jsonl"] = {"schema": {"type": "string", "description": f"One {schema} per line."}}
    return {"required": True, "content": content}


def _operation(
    summary: str, name: str, schema: str, *, errors: tuple[str, ...] = (), body: JsonObject | None = None
) -> JsonObject:
    """Return an operation whose response has a schema; an empty name of a schema means text."""
    content: JsonObject = (
        {"application/json": {"schema": _ref(schema)}} if schema else {"text/plain": {"schema": {"type": "string"}}}
    )
    if body is not None and "application/jsonl" in body["content"]:
        content["application/jsonl"] = {"schema": {"type": "string", "description": f"One {schema} or error per line."}}
    responses: JsonObject = {"200": {"description": "Success.", "content": content}}
    for status in errors:
        error: JsonObject = {"description": _ERRORS[status], "content": {"application/json": {"schema": _ref("Error")}}}
        if status == "429":
            error["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "required": True}}
        responses[status] = error
    operation: JsonObject = {"summary": summary, "operationId": name, "responses": responses}
    return operation if body is None else operation | {"requestBody": body}


PATHS: JsonObject = {
    "/v1/tag": {
        "post": _operation("Label texts", "tag", "TagResponse", errors=_WORK, body=_body("TagRequest", lines=True)),
    },
    "/v1/explain": {
        "post": _operation("Explain labels", "explain", "ExplainResponse", errors=_WORK, body=_body("ExplainRequest")),
    },
    "/v1/models": {"get": _operation("List the models", "models", "Models", errors=("401",))},
    "/health": {"get": _operation("Say that the process works", "health", "Status") | {"security": []}},
    "/ready": {"get": _operation("Say whether requests are accepted", "ready", "Status", errors=("503",)) | {"security": []}},
    "/metrics": {"get": _operation("Return counters for Prometheus", "metrics", "", errors=("401",))},
    "/openapi.json": {
        "get": {
            "summary": "Return this document",
            "operationId": "openapi",
            "security": [],
            "responses": {"200": {"description": "Success.", "content": {"application/json": {"schema": {"type": "object"}}}}},
        }
    },
}


def document() -> JsonObject:
    """Return the OpenAPI document.

    >>> sorted(document()["paths"])[:3]
    ['/health', '/metrics', '/openapi.json']
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tagpool",
            "version": tagpool.__version__,
            "description": "Sequence labelling: labels and spans with confidences, and explanations.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": PATHS,
        "components": {"schemas": SCHEMAS, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
    }
