"""Addresses where no Ray cluster answers are errors after a few seconds."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tagpool import InputError
from tagpool.bridges.ray import address
from tagpool.bridges.ray.address import check_address


@contextmanager
def server(answer: bytes | None) -> Iterator[str]:
    """A server that sends an answer and closes the connection; None: it is silent."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(100)
                if answer is None:
                    ended.wait(30)
                else:
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        ended.set()
        thread.join()


def test_a_grpc_server_is_accepted() -> None:
    with server(b"\x00\x00\x06\x04\x00\x00\x00\x00\x00" + bytes(6)) as place:
        check_address(place)
    check_address("auto")


def test_nothing_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = f"127.0.0.1:{listening.getsockname()[1]}"
    with pytest.raises(InputError, match=f"--address {place}: no Ray cluster answers there .*refused.*ray start --head"):
        check_address(place)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\x00\x00\x06\x07\x00\x00\x00\x00\x00", b"SSH"])
def test_another_program_answers(answer: bytes) -> None:
    with server(answer) as place, pytest.raises(InputError, match=r"no Ray cluster answers there \(another program answers\)"):
        check_address(place)


def test_a_silent_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "_SECONDS", 0.1)
    with server(None) as place, pytest.raises(InputError, match=r"no Ray cluster answers there \(timed out\)"):
        check_address(place)


@pytest.mark.parametrize("place", ["localhost", "localhost:", ":6379", "localhost:x", "localhost:0", "localhost:65536", ""])
def test_forms(place: str) -> None:
    with pytest.raises(InputError, match="expected auto or host:port, such as"):
        check_address(place)


def test_clients_of_ray_are_refused() -> None:
    with pytest.raises(InputError, match="run the command on a machine of the cluster"):
        check_address("ray://10.0.0.1:10001")
