"""Bodies of requests, read with a limit, and streams of JSON Lines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TypeAlias

from tagpool.serve.gate import DEADLINE, Receive, Scope
from tagpool.serve.limits import RequestError
from tagpool.wording import counted

JSON = "application/json"
JSON_LINES = ("application/jsonl", "application/x-ndjson", "application/ndjson", "application/jsonlines")
_DISCARDED = 64  # limits of a body that are read and discarded, so that the client receives the error


class DisconnectError(Exception):
    """The client closed the connection before the end of the body."""


def header(scope: Scope, name: bytes) -> str:
    """Return a header of a request, or an empty text."""
    for key, value in scope["headers"]:
        if key == name:
            text: str = value.decode("latin-1")
            return text
    return ""


def media_type(scope: Scope) -> str:
    """Return the type of the body, without its parameters."""
    return header(scope, b"content-type").partition(";")[0].strip().lower()


def expect_json(scope: Scope) -> None:
    """Raise an error unless the body is declared as JSON.

    A page of another site can send text, but not JSON, without permission (CORS).
    """
    kind = media_type(scope)
    refuse_encoding(scope)
    if kind != JSON:
        got = f"got {kind}" if kind else "there is no such header"
        raise RequestError(415, "unsupported_media_type", f"expected the header Content-Type: {JSON}, {got}")


def refuse_encoding(scope: Scope) -> None:
    """Raise an error for a compressed body: a short one may become very long."""
    encoding = header(scope, b"content-encoding").strip().lower()
    if encoding not in ("", "identity"):
        message = f"expected a body without Content-Encoding, got {encoding:.40}; send it as it is"
        raise RequestError(415, "unsupported_media_type", message)


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """Return the body of a request; raise an error if it is longer than the limit."""
    announced = header(scope, b"content-length")
    expects_continue = header(scope, b"expect").lower() == "100-continue"
    too_long = announced.isdigit() and int(announced) > limit
    if too_long and expects_continue:  # the client has not sent the body yet
        raise _too_large(limit, close=True)
    scope["tagpool.reading"] = True
    body = b""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectError
        part = message.get("body", b"")
        size += len(part)
        is_last = not message.get("more_body", False)
        if size > limit or too_long:
            parts.clear()
            if is_last or size > _DISCARDED * limit:
                raise _too_large(limit, close=not is_last)
            continue
        if is_last and not parts:
            body = part
            break
        parts.append(part)
        if is_last:
            body = b"".join(parts)
            break
    scope["tagpool.reading"] = False
    return body


NumberedLine: TypeAlias = tuple[int, "bytes | RequestError"]


async def read_lines(scope: Scope, receive: Receive, limit: int) -> AsyncIterator[list[NumberedLine]]:
    """Yield the lines of a body that are not blank, as they arrive, with their numbers.

    A line that is too long is replaced by its error.
    """
    rest = b""
    number = 0
    skipping = False  # the rest of a line that is too long
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectError
        scope[DEADLINE].extend()
        more = message.get("more_body", False)
        *lines, rest = (rest + message.get("body", b"")).split(b"\n")
        if not more and rest:
            lines, rest = [*lines, rest], b""
        numbered: list[NumberedLine] = []
        for line in lines:
            number += 1
            if skipping:
                skipping = False
            elif len(line) > limit:
                numbered.append((number, _too_large(limit, close=False)))
            elif line.strip():
                numbered.append((number, line))
        if len(rest) > limit and not skipping:
            skipping = True
            numbered.append((number + 1, _too_large(limit, close=False)))
        if skipping:
            rest = b""
        if numbered:
            yield numbered


def _too_large(limit: int, *, close: bool) -> RequestError:
    message = f"expected at most {counted(limit, 'byte')}; send several requests, or JSON Lines"
    return RequestError(413, "too_large", message, {"Connection": "close"} if close else None)
