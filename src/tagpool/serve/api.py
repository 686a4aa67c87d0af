"""The application: routes of the JSON interface, of files of the page, and of its views."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tagpool.serve.bodies import JSON_LINES, DisconnectError, expect_json, media_type, read_body, read_lines, refuse_encoding
from tagpool.serve.gate import DEADLINE, Gate, Receive, Scope, Send, internal_error, send_bytes, send_error
from tagpool.serve.limits import RequestError
from tagpool.serve.openapi import PATHS, document
from tagpool.serve.page import page_routes
from tagpool.serve.service import Service

_TAG = "/v1/tag"
_AHEAD = 16  # lines of a stream that are tagged together


def create_app(service: Service, *, token: str | None = None, origins: Sequence[str] = ()) -> Gate:
    """Return the application of a service.

    Args:
        service: The models, limits and threads.
        token: The bearer token of requests; None: no token is needed.
        origins: Origins of other pages that may send requests (CORS), such as https://example.com; "*" allows all.
    """
    api = _Api(service)
    routes = [
        Route(_TAG, api.tag, methods=["POST"]),
        Route("/v1/explain", api.explain, methods=["POST"]),
        Route("/v1/models", api.models, methods=["GET"]),
        Route("/health", api.health, methods=["GET"]),
        Route("/ready", api.ready, methods=["GET"]),
        Route("/metrics", api.metrics, methods=["GET"]),
        Route("/openapi.json", api.openapi, methods=["GET"]),
        *page_routes(service),
    ]
    cors = Middleware(
        CORSMiddleware,
        allow_origins=list(origins),
        allow_methods=["GET", "POST"],
        allow_headers=["authorization", "content-type"],
    )
    handlers: dict[Any, Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
        RequestError: _answer_error,
        HTTPException: _answer_http_error,
        DisconnectError: _answer_nobody,
        Exception: _answer_bug,
    }
    app = Starlette(routes=routes, middleware=[cors] if origins else [], exception_handlers=handlers)
    app.router.redirect_slashes = False
    # Answering CORS needs the middleware.
    return Gate(app, service, frozenset((*PATHS, "/")), token, direct={} if origins else {("POST", _TAG): api.tag})


class _Api:
    """The handlers of the JSON interface. Those without a Request are plain ASGI applications, which cost less time."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.tag = _Tag(service)
        self.openapi_document = json.dumps(document(), ensure_ascii=False).encode()

    async def explain(self, request: Request) -> Response:
        """Answer POST /v1/explain."""
        expect_json(request.scope)
        body = await read_body(request.scope, request.receive, self.service.limits.body)
        return _json(await self.service.explain(body))

    async def models(self, request: Request) -> Response:
        """Answer GET /v1/models."""
        models = [model.to_dict() for model in self.service.models]
        return _json(json.dumps({"models": models}, ensure_ascii=False).encode())

    async def health(self, request: Request) -> Response:
        """Answer GET /health: the process works."""
        return _json(b'{"status": "ok"}')

    async def ready(self, request: Request) -> Response:
        """Answer GET /ready: the models are loaded, and the server does not shut down."""
        if not self.service.is_ready:
            raise RequestError(503, "shutting_down", "the server shuts down; use another one", {"Retry-After": "1"})
        return _json(b'{"status": "ready"}')

    async def metrics(self, request: Request) -> Response:
        """Answer GET /metrics."""
        return Response(self.service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def openapi(self, request: Request) -> Response:
        """Answer GET /openapi.json."""
        return _json(self.openapi_document)


class _Tag:
    """POST /v1/tag: one object, or a stream of JSON Lines."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; errors are answered here, which is faster than in Starlette."""
        try:
            if media_type(scope) in JSON_LINES:
                refuse_encoding(scope)
                await self._stream(scope, receive, send)
                return
            expect_json(scope)
            body = await read_body(scope, receive, self.service.limits.body)
            answer = await self.service.tag(body)
        except RequestError as error:
            await send_error(send, error)
        except DisconnectError:
            return
        else:
            await send_bytes(send, answer)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tag line by line; a bad line has an error in its place in the output."""
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/jsonl")]})
        async for lines in read_lines(scope, receive, self.service.limits.body):
            for first in range(0, len(lines), _AHEAD):
                answers = await asyncio.gather(*(self._line(*line) for line in lines[first : first + _AHEAD]))
                await send({"type": "http.response.body", "body": b"".join(answers), "more_body": True})
                scope[DEADLINE].extend()
        await send({"type": "http.response.body", "body": b""})

    async def _line(self, number: int, line: bytes | RequestError) -> bytes:
        try:
            if isinstance(line, RequestError):
                raise line
            return await self.service.tag(line) + b"\n"
        except RequestError as error:
            value = {"line": number, "error": error.value}
            return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


async def _answer_error(request: Request, error: RequestError) -> Response:
    return Response(error.body, error.status, media_type="application/json", headers=error.headers)


async def _answer_http_error(request: Request, error: HTTPException) -> Response:
    """Answer errors of Starlette: unknown paths and methods."""
    codes = {404: "not_found", 405: "method_not_allowed"}
    messages = {
        404: "there is no such path; GET /openapi.json lists all",
        405: "this path has other methods; GET /openapi.json lists them",
    }
    message = messages.get(error.status_code, str(error.detail))
    code = codes.get(error.status_code, "error")
    return await _answer_error(request, RequestError(error.status_code, code, message, dict(error.headers or {})))


async def _answer_nobody(request: Request, error: DisconnectError) -> Response:
    return Response(status_code=400)  # the client has left


async def _answer_bug(request: Request, error: Exception) -> Response:
    """Answer an error of the program without its details, which are logged."""
    return await _answer_error(request, internal_error())
