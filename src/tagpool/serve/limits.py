"""Limits of the server, and errors of requests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """The most that a request may take; more is refused with a clear error."""

    body: int = 1 << 20
    """Bytes of a body, or of one line of a stream."""
    tokens: int = 10_000
    """Tokens of a request, or of one line of a stream."""
    requests: int = 128
    """Requests at the same time."""
    seconds: float = 30.0
    """Time until a request has its response. A stream has this time for each line."""
    explained: int = 500
    """Tokens of a sentence that is explained."""
    items: int = 1_000
    """Texts or sentences of a batch."""


class RequestError(Exception):
    """An error of a request: the status, a code for programs and a message for people.

    >>> RequestError(404, "unknown_model", "there is no model 'x'").body
    b'{"code": "unknown_model", "message": "there is no model \\'x\\'"}'
    """

    def __init__(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers or {}

    @property
    def value(self) -> dict[str, Any]:
        """The error as a JSON value."""
        return {"code": self.code, "message": self.message}

    @property
    def body(self) -> bytes:
        """The error as JSON."""
        return json.dumps(self.value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def invalid(message: str) -> RequestError:
    """Return the error of a request whose JSON is valid, but whose values are not."""
    return RequestError(422, "invalid_request", message)
