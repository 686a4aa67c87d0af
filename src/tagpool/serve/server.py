"""The process: a socket, signals, reloads and the graceful end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from tagpool.corpus.files import read_bytes
from tagpool.errors import InputError, OutputError
from tagpool.serve.api import create_app
from tagpool.serve.protocol import PatientProtocol
from tagpool.serve.service import Service

_WATCH = 0.5  # seconds between looks at the files

_SWITCH = 0.001  # seconds that a thread may compute while others wait; the default of Python is 5 ms


@dataclass(frozen=True)
class ServerOptions:
    """Address, token and origins of a server, and the seconds that requests have to end after SIGTERM."""

    host: str = "127.0.0.1"
    port: int = 8080
    token: str | None = None
    origins: tuple[str, ...] = ()
    watch: bool = False
    grace: float = 30.0


def read_token(path: Path) -> str:
    """Return the token of a file: its only line."""
    lines = read_bytes(path).decode("utf-8", "replace").split()
    if len(lines) != 1 or not lines[0].isascii():
        raise InputError("expected one line with a token of ASCII characters without blanks", source=path)
    return lines[0]


def check_origin(origin: str) -> str:
    """Return an origin of CORS; raise an error for a text that no browser sends.

    >>> check_origin("https://example.com:8443")
    'https://example.com:8443'
    """
    if origin != "*" and not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]+)?|https?://\[[0-9a-f:]+\](:[0-9]+)?", origin):
        expected = "expected an origin as browsers send it, such as https://example.com: no path, small letters; or *"
        raise InputError(f"--allow-origin {origin}: {expected}")
    return origin


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any free port."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        reason = f"--host {host}: no such address ({error})"
        raise InputError(f"{reason}; use 127.0.0.1 or 0.0.0.0, and --port for the port") from None
    family, kind, protocol, _, address = addresses[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            advice = "this machine does not have the address; use --host 127.0.0.1 or 0.0.0.0"
        else:
            advice = "choose another --port (0: any)"
        raise OutputError(f"{host}:{port}: listening failed: {error.strerror}; {advice}") from None
    listener.setblocking(False)
    return listener


def address_of(listener: socket.socket, host: str) -> str:
    """Return the URL of a socket."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"


def run_server(
    service: Service,
    listener: socket.socket,
    options: ServerOptions,
    report: Callable[[str], None],
    on_start: Callable[[], None],
) -> None:
    """Serve until SIGTERM or Ctrl-C; requests that run are finished, and a second signal ends at once.

    ``report`` receives lines for the log; ``on_start`` is called when signals and requests are handled.
    """
    app = create_app(service, token=options.token, origins=options.origins)
    protocol = type("Protocol", (PatientProtocol,), {"head_seconds": service.limits.seconds})
    config = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=max(1, round(options.grace)),
        h11_max_incomplete_event_size=1 << 16,
    )
    sys.setswitchinterval(_SWITCH)
    server = _Server(config, service, options, report, on_start)
    try:
        server.run([listener])
    finally:
        gc.unfreeze()
        service.close()


class _Server(uvicorn.Server):
    """A server with the signals of this program, in which the end by a signal is a success."""

    def __init__(
        self,
        config: uvicorn.Config,
        service: Service,
        options: ServerOptions,
        report: Callable[[str], None],
        on_start: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self.service = service
        self.options = options
        self.report = report
        self.on_start = on_start
        self._tasks: set[asyncio.Task[Any]] = set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals in the event loop; uvicorn would raise them again at the end."""
        loop = asyncio.get_running_loop()
        handled = [signal.SIGINT, signal.SIGTERM]
        for number in handled:
            loop.add_signal_handler(number, self._end)
        if hasattr(signal, "SIGHUP"):
            handled.append(signal.SIGHUP)
            loop.add_signal_handler(signal.SIGHUP, self._start, False)
        watching = loop.create_task(self._watch()) if self.options.watch else None
        try:
            yield
        finally:
            if watching is not None:
                watching.cancel()
            for number in handled:
                loop.remove_signal_handler(number)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept requests, and say so."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # collections look at the objects of requests only: without the modules and models, they take no milliseconds
        self.on_start()

    def _end(self) -> None:
        self.service.is_ready = False
        if self.should_exit:
            self.force_exit = True
        self.should_exit = True

    def _start(self, changed_only: bool) -> None:
        task = asyncio.get_running_loop().create_task(self._reload(changed_only))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reload(self, changed_only: bool) -> None:
        for name, failure in await self.service.reload(changed_only=changed_only):
            version = self.service.models.find(name)[0].version
            if failure is None:
                self.report(f"reloaded {name} (version {version})")
            else:
                self.report(f"reload of {name} failed, so version {version} is served: {failure}")

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_WATCH)
            await self._reload(changed_only=True)
