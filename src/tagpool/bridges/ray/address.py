"""Address of a Ray cluster: its check before Ray connects, since Ray waits for minutes if nothing answers."""

from __future__ import annotations

import os
import socket

from tagpool.errors import InputError

AUTO = "auto"
_SECONDS = 5.0  # for the answer
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)  # of a client of gRPC: no settings
_SETTINGS = 4  # type of the first frame of the answer


def check_address(address: str) -> None:
    """Raise an InputError unless a gRPC server answers at the address, as a Ray cluster does.

    >>> check_address("localhost")
    Traceback (most recent call last):
    ...
    tagpool.errors.InputError: --address localhost: expected auto or host:port, such as 10.0.0.1:6379
    """
    if address == AUTO:
        return
    if "://" in address:
        raise InputError(f"--address {address}: expected auto or host:port; run the command on a machine of the cluster")
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise InputError(f"--address {address}: expected auto or host:port, such as 10.0.0.1:6379")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS) as connection:
            is_ray = os.environ.get("RAY_USE_TLS") == "1" or _answers(connection)
    except OSError as error:
        raise no_cluster(address, error.strerror or str(error)) from None
    if not is_ray:
        raise no_cluster(address, "another program answers")


def no_cluster(address: str, reason: str) -> InputError:
    """Return the error for an address without Ray."""
    advice = "start one with ray start --head, or drop --address to use this machine"
    return InputError(f"--address {address}: no Ray cluster answers there ({reason}); {advice}")


def _answers(connection: socket.socket) -> bool:
    connection.sendall(_GREETING)
    head = b""
    while len(head) < 9:  # length (3 bytes), type, flags, stream
        block = connection.recv(9 - len(head))
        if not block:
            return False
        head += block
    return head[3] == _SETTINGS and head[5:] == bytes(4)
