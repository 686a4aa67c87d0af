"""Protocol of connections: closes those that do not send the head of a request in time, or a head that is too long."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from tagpool.serve.limits import RequestError

if TYPE_CHECKING:
    _Base = asyncio.Protocol
else:
    _Base = AutoHTTPProtocol

_LONGEST_HEAD = 1 << 16  # bytes
_TOO_LONG = RequestError(431, "head_too_large", f"expected at most {_LONGEST_HEAD:,} bytes before the body")
_NO_HTTP = RequestError(400, "invalid_http", "expected a request in HTTP/1.1; the line of the request or a header is not valid")


class PatientProtocol(_Base):
    """The protocol of uvicorn with limits for the head of each request, and with errors as JSON.

    uvicorn limits the time between requests, but a client that sends its head letter by letter would stay for ever. Its parser
    httptools has no limit of bytes, unlike h11.
    """

    head_seconds = 30.0
    cycle: Any
    transport: Any
    loop: Any
    _timer: asyncio.TimerHandle | None = None
    _is_in_head = False  # of httptools, which calls the methods on_...
    _head_bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the limit of the first request."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(self.head_seconds, self._close_slow)

    def data_received(self, data: bytes) -> None:
        """Receive data; the limit holds until the head is complete."""
        super().data_received(data)
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > _LONGEST_HEAD and not self.transport.is_closing():
                self._refuse(_TOO_LONG)
        if self._is_answering():
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        elif self._timer is None and not self.transport.is_closing():
            self._timer = self.loop.call_later(self.head_seconds, self._close_slow)

    def on_message_begin(self) -> None:
        """Begin to count the bytes of a head."""
        self._is_in_head, self._head_bytes = True, 0
        super().on_message_begin()  # type: ignore[misc]

    def on_headers_complete(self) -> None:
        """End the head."""
        self._is_in_head = False
        super().on_headers_complete()  # type: ignore[misc]

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no request."""
        self._refuse(_NO_HTTP)

    def _refuse(self, error: RequestError) -> None:
        phrase = HTTPStatus(error.status).phrase
        head = f"HTTP/1.1 {error.status} {phrase}\r\ncontent-type: application/json\r\ncontent-length: {len(error.body)}\r\n"
        self.transport.write(head.encode() + b"connection: close\r\n\r\n" + error.body)
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Ignore requests for another protocol: uvicorn would advise to install a library for WebSockets."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the limit."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _close_slow(self) -> None:
        self._timer = None
        if not self._is_answering():
            self.transport.close()
