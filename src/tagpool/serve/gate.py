"""Gate: the outermost layer of the application. It limits time and concurrent requests, checks the token and counts requests."""

from __future__ import annotations

import asyncio
import hmac
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, TypeAlias

from tagpool.serve.limits import RequestError
from tagpool.serve.service import Service

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

DEADLINE = "tagpool.deadline"  # key of the scope
_OPEN = ("/", "/health", "/ready", "/openapi.json")  # paths without a token
_STATIC = "/static/"
_WORKING = ("/v1/tag", "/v1/explain", "/view/")  # paths that count as concurrent requests
_OTHER = "other"
_SECURITY = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
]


class Deadline:
    """A time limit for the current task: it is cancelled at the end, and the gate turns that into an error."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_over = False
        self._task = asyncio.current_task()
        self._timer = self._start()

    def _start(self) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(self.seconds, self._end)

    def _end(self) -> None:
        self.is_over = True
        if self._task is not None:
            self._task.cancel()

    def extend(self) -> None:
        """Start again: the request made progress."""
        self._timer.cancel()
        self._timer = self._start()

    def stop(self) -> None:
        """Remove the limit."""
        self._timer.cancel()

    def clear(self) -> None:
        """Mark the cancellation as handled, so that the task continues."""
        if sys.version_info >= (3, 11) and self._task is not None:
            self._task.uncancel()


class Gate:
    """An application around another one.

    ``routes`` are the paths that have counters of their own. ``direct`` are applications for a method and a path that are called
    without the other one: its layers take as long as a short request.
    """

    def __init__(
        self,
        app: Application,
        service: Service,
        routes: frozenset[str],
        token: str | None = None,
        *,
        direct: Mapping[tuple[str, str], Application] | None = None,
    ) -> None:
        self.app = app
        self.direct = direct or {}
        self.service = service
        self.routes = routes
        self._authorization = None if token is None else f"Bearer {token}".encode()
        self._active = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"]
        begin = time.perf_counter()
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *_SECURITY]
            await send(message)

        try:
            await self._answer(path, scope, receive, send_with_headers, lambda: status != 0)
        finally:
            # 499, as other servers count it: the client closed the connection before the response.
            route = path if path in self.routes else _OTHER
            self.service.metrics.requests.add(1, route, str(status or 499))
            self.service.metrics.seconds.observe(time.perf_counter() - begin, route)

    async def _answer(self, path: str, scope: Scope, receive: Receive, send: Send, is_begun: Callable[[], bool]) -> None:
        is_work = path.startswith(_WORKING)
        if refusal := self._refusal(path, scope, is_work):
            await send_error(send, refusal)
            return
        limits = self.service.limits
        deadline = scope[DEADLINE] = Deadline(limits.seconds)
        if is_work:
            self._active += 1
            self.service.metrics.active.set_to(self._active)
        try:
            await self.direct.get((scope["method"], path), self.app)(scope, receive, send)
        except asyncio.CancelledError:
            if deadline.is_over:
                error = _too_slow(scope, limits.seconds)
            elif not self.service.is_ready:  # uvicorn ends the requests that are left after the time of --grace
                error = RequestError(503, "shutting_down", "the server shuts down; use another one", {"Connection": "close"})
            else:
                raise
            deadline.clear()
            if not is_begun():
                await send_error(send, error)
        except Exception:
            if not is_begun():
                await send_error(send, internal_error())
            raise  # uvicorn writes it to the log
        finally:
            deadline.stop()
            if is_work:
                self._active -= 1
                self.service.metrics.active.set_to(self._active)

    def _refusal(self, path: str, scope: Scope, is_work: bool) -> RequestError | None:
        """Return an error for a request that is not let in."""
        if self._authorization is not None and path not in _OPEN and not path.startswith(_STATIC):
            sent = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if scope["method"] != "OPTIONS" and not hmac.compare_digest(sent, self._authorization):
                headers = {"WWW-Authenticate": "Bearer"}
                return RequestError(401, "unauthorized", "send the header Authorization: Bearer TOKEN with the token", headers)
        if is_work and self._active >= self.service.limits.requests:
            self.service.metrics.refused.add(1)
            message = f"the limit of concurrent requests, {self.service.limits.requests}, is reached; try again in a second"
            return RequestError(429, "too_many_requests", message, {"Retry-After": "1"})
        return None


def _too_slow(scope: Scope, seconds: float) -> RequestError:
    if scope.get("tagpool.reading"):
        return RequestError(408, "slow_request", f"the body did not arrive within {seconds:g} s", {"Connection": "close"})
    return RequestError(503, "timeout", f"not finished within {seconds:g} s; send less text", {"Retry-After": "1"})


def internal_error() -> RequestError:
    """Return the error for a bug: clients see no details."""
    return RequestError(500, "internal_error", "internal error; the log of the server has it")


async def send_error(send: Send, error: RequestError) -> None:
    """Send an error as JSON."""
    await send_bytes(send, error.body, status=error.status, headers=error.headers)


async def send_bytes(
    send: Send,
    body: bytes,
    *,
    status: int = 200,
    kind: bytes = b"application/json",
    headers: MutableMapping[str, str] | None = None,
) -> None:
    """Send a response at once."""
    lines = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    lines += [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})
