"""``tagpool serve``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tagpool.cli.console import errors, notes, output, print_json
from tagpool.cli.option_fields import option
from tagpool.cli.options import JsonOption, UseOption, expand_options, parse_uses
from tagpool.errors import InputError
from tagpool.serve.demo import train_demo
from tagpool.serve.limits import Limits
from tagpool.serve.models import Models, ServedModel, name_models
from tagpool.serve.service import Service
from tagpool.visible import one_line

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_DEFAULTS = Limits()
_LONGEST = 86_400  # seconds, a day


@dataclass
class LimitOptions:
    """Limits of requests, and the time that they have after SIGTERM."""

    max_body: int = option(default=_DEFAULTS.body, min=1, help="Bytes of a request.")
    max_tokens: int = option(default=_DEFAULTS.tokens, min=1, help="Tokens of a request.")
    max_requests: int = option(default=_DEFAULTS.requests, min=1, help="Requests at the same time.")
    timeout: float = option(default=_DEFAULTS.seconds, min=0.1, help="Seconds for a request.")
    grace: float = option(default=30.0, min=1, help="Seconds that requests have to end after SIGTERM.")

    def limits(self) -> Limits:
        """Return the limits of the server; raise an error for times that no timer has."""
        for name, seconds in (("--timeout", self.timeout), ("--grace", self.grace)):
            if not seconds <= _LONGEST:
                raise InputError(f"{name} {seconds:g}: expected at most {_LONGEST:,} seconds")
        return Limits(body=self.max_body, tokens=self.max_tokens, requests=self.max_requests, seconds=self.timeout)


@expand_options(bounds=LimitOptions)
def serve(
    models: Annotated[
        list[str] | None, typer.Argument(metavar="[MODEL]...", help="Model files, named by their files or as NAME=FILE.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address; 0.0.0.0 accepts other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 is any free port.")] = 8080,
    demo: Annotated[bool, typer.Option("--demo", help="Train models on the built-in corpus, and serve them.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Load a model again when its file changes.")] = False,
    token_file: Annotated[Path | None, typer.Option(help="File with a token that requests must have.")] = None,
    allow_origin: Annotated[
        list[str] | None, typer.Option(help="Origin of other pages that may send requests (repeatable).")
    ] = None,
    bounds: LimitOptions = LimitOptions(),  # noqa: B008 - not changed
    threads: Annotated[int, typer.Option(min=1, help="Threads that tag.")] = 1,
    use: UseOption = None,
    json: JsonOption = False,
) -> None:
    """Serve models over HTTP, with a page for trying them.

    The page is at / and the interface at /v1/tag, /v1/explain and /v1/models; /openapi.json describes it. SIGHUP loads the model
    files again. After SIGTERM or Ctrl-C the requests that run are finished. Needs tagpool[serve].

    \b
    Examples:
      tagpool serve --demo                                 (then open http://127.0.0.1:8080)
      tagpool serve ner.tagpool chunks=chunker.tagpool --watch
      tagpool serve ner.tagpool --host 0.0.0.0 --token-file token.txt
      curl -H 'Content-Type: application/json' -d '{"text": "Ann left."}' http://127.0.0.1:8080/v1/tag
    """
    if not models and not demo:
        raise InputError("expected model files, or --demo")
    limits = bounds.limits()
    try:
        from tagpool.serve import server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise InputError(f"tagpool serve needs {error.name}; install it: pip install 'tagpool[serve]'") from None
    token = None if token_file is None else server.read_token(token_file)
    origins = tuple(map(server.check_origin, allow_origin or ()))
    host = host.removeprefix("[").removesuffix("]")  # as in URLs with IPv6
    resources = parse_uses(use)
    paths = name_models(models or [])
    listener = server.open_socket(host, port)
    served: list[ServedModel] = list(train_demo(notes.print_line)) if demo else []
    loaded = Models.load(paths, resources, served)
    options = server.ServerOptions(host, port, token, origins, watch, bounds.grace)
    url = server.address_of(listener, host)
    if host not in _LOOPBACK and token is None:
        errors.print_line("warning: other machines can send requests without a token; give one with --token-file", style="yellow")

    def show_address() -> None:
        if json:
            print_json({"url": url, "models": [model.to_dict() for model in loaded]})
        else:
            output.print_line(f"serving {', '.join(one_line(model.name) for model in loaded)} at {url}")

    server.run_server(Service(loaded, limits, threads=threads), listener, options, errors.print_line, show_address)
