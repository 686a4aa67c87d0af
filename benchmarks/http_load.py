"""Load on a server of this machine, bounded: requests as fast as possible, or at a rate, over some connections."""

from __future__ import annotations

import selectors
import socket
import time
from dataclasses import dataclass

_MOST = 200_000  # requests of one call


@dataclass
class Connection:
    socket: socket.socket
    sent: float = 0.0  # time at which the request was due
    data: bytes = b""

    def receive(self) -> bool:
        """Read; return whether the response is complete. Raise an error if it is no success."""
        part = self.socket.recv(1 << 16)
        if not part:
            raise ConnectionError("the server closed a connection")
        self.data += part
        head, separator, body = self.data.partition(b"\r\n\r\n")
        if not separator:
            return False
        if not head.startswith(b"HTTP/1.1 200"):
            raise ConnectionError(head.decode())
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        return len(body) >= int(length)


def request_bytes(body: bytes) -> bytes:
    head = f"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def run_load(port: int, body: bytes, *, connections: int, seconds: float, rate: float | None = None) -> list[float]:
    """Return the latency of every request in seconds.

    Without a ``rate``, each connection sends the next request when it has a response. With a rate, requests are due at fixed
    times; the latency counts from then on, also while all connections are busy.
    """
    request = request_bytes(body)
    selector = selectors.DefaultSelector()
    idle: list[Connection] = []
    for _ in range(connections):
        one = Connection(socket.create_connection(("127.0.0.1", port), timeout=20))
        one.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(one.socket, selectors.EVENT_READ, one)
        idle.append(one)
    latencies: list[float] = []
    begin = time.perf_counter()
    sent = 0
    while True:
        now = time.perf_counter()
        ends = now - begin >= seconds or sent >= _MOST
        while idle and not ends and (rate is None or begin + sent / rate <= now):
            one = idle.pop()
            one.sent = now if rate is None else begin + sent / rate
            one.data = b""
            one.socket.sendall(request)
            sent += 1
        if ends and len(idle) == connections:
            break
        wait = 20.0 if rate is None or ends or not idle else max(0.0, begin + sent / rate - time.perf_counter())
        for key, _ in selector.select(wait if wait > 0.0002 else 0):
            if key.data.receive():
                latencies.append(time.perf_counter() - key.data.sent)
                idle.append(key.data)
    selector.close()
    for one in idle:
        one.socket.close()
    return latencies
