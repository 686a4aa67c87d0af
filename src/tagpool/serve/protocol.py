"""Protocol of connections: closes those that do not send the head of a request in time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    _Base = asyncio.Protocol
else:
    _Base = AutoHTTPProtocol


class PatientProtocol(_Base):
    """The protocol of uvicorn with a time limit for the head of each request.

    uvicorn limits the time between requests, but a client that sends its head letter by letter would stay for ever.
    """

    head_seconds = 30.0
    cycle: Any
    transport: Any
    loop: Any
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the limit of the first request."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(self.head_seconds, self._close_slow)

    def data_received(self, data: bytes) -> None:
        """Receive data; the limit holds until the head is complete."""
        super().data_received(data)
        if self._is_answering():
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        elif self._timer is None and not self.transport.is_closing():
            self._timer = self.loop.call_later(self.head_seconds, self._close_slow)

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
