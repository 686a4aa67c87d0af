"""Errors of ``tagpool serve`` before it serves."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from cli.commands import run

from tagpool import CRF, builtin_corpus


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "ner.tagpool"
    CRF("word[0]").fit(builtin_corpus(20)).save(path)
    return path


def test_bad_arguments(model: Path, tmp_path: Path) -> None:
    two = tmp_path / "token.txt"
    two.write_text("a b\n")
    for arguments, message in {
        (): "expected model files, or --demo",
        (tmp_path / "no.tagpool",): "no such file",
        (two,): "token.txt",
        (model, model): "two models have the name 'ner'",
        (f"a/b={model}",): "without /",
        (model, "--token-file", two): "expected one line with a token",
        (model, "--host", "no.such.host.invalid"): "no such address",
        (model, "--host", "127.0.0.1:80"): "and --port for the port",
        (model, "--allow-origin", "example.com"): "--allow-origin example.com: expected an origin",
        (model, "--allow-origin", "https://example.com/"): "no path",
        (model, "--timeout", "nan"): "expected at most 86,400 seconds",
        (model, "--grace", "inf"): "expected at most 86,400 seconds",
        (model, "--use", "x"): "expected NAME=PATH",
    }.items():
        done = run("serve", *arguments, "--port", "0")
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def test_a_port_that_is_taken(model: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        done = run("serve", model, "--port", listener.getsockname()[1])
    assert done.returncode == 1
    assert "choose another --port" in done.stderr


def test_an_address_of_another_machine(model: Path) -> None:
    done = run("serve", model, "--host", "192.0.2.1", "--port", "0")  # for documentation only (RFC 5737)
    assert done.returncode == 1
    assert "this machine does not have the address; use --host 127.0.0.1" in done.stderr
