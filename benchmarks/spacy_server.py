"""A blank spaCy pipeline with an entity ruler over HTTP, for comparison: python spacy_server.py PATTERNS KIND

KIND ``same`` has the route of tagpool serve, with the same limits and batches; ``plain`` is a route of Starlette as its
documentation shows it. Prints the port, and serves until it is stopped.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import spacy
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tagpool import CRF, Corpus
from tagpool.serve.forms import Pace
from tagpool.serve.limits import RequestError
from tagpool.serve.models import Models, ServedModel
from tagpool.serve.requests import TagRequest, parse_tag_request
from tagpool.serve.server import ServerOptions, open_socket, run_server
from tagpool.serve.service import Service, to_json


def result_of(doc: Any) -> dict[str, Any]:
    """Return what tagpool serve returns without confidences."""
    return {
        "tokens": [token.text for token in doc],
        "offsets": [(token.idx, token.idx + len(token)) for token in doc],
        "labels": [f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "O" for token in doc],
        "confidences": None,
        "spans": [
            {
                "start": span.start_char,
                "end": span.end_char,
                "type": span.label_,
                "text": span.text,
                "first_token": span.start,
                "last_token": span.end - 1,
                "confidence": None,
            }
            for span in doc.ents
        ],
    }


class SpacyService(Service):
    """The service of tagpool serve, with spaCy in place of a model."""

    nlp: Any

    def __init__(self, models: Models) -> None:
        self.pace = Pace()
        super().__init__(models)

    def estimate(self, task: bytes | TagRequest) -> float:
        return math.inf if isinstance(task, bytes) else self.pace.seconds(task.token_count)

    def _tag_batch(self, tasks: Sequence[bytes | TagRequest]) -> list[bytes | BaseException]:
        results: list[bytes | BaseException] = []
        for task in tasks:
            try:
                request = parse_tag_request(task, self.limits) if isinstance(task, bytes) else task
            except RequestError as error:
                results.append(error)
                continue
            begin = time.perf_counter()
            head = {"model": "spacy", "version": 1}
            results.append(to_json(head | result_of(self.nlp(request.items[0].text))))
            self.pace.add(request.token_count, time.perf_counter() - begin)
        return results


def plain_app(nlp: Any) -> Starlette:
    async def tag(request: Request) -> JSONResponse:
        value = await request.json()
        return JSONResponse(result_of(await run_in_threadpool(nlp, value["text"])))

    return Starlette(routes=[Route("/v1/tag", tag, methods=["POST"])])


def main(patterns: str, kind: str) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(json.loads(Path(patterns).read_text()))
    listener = open_socket("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    if kind == "plain":
        config = uvicorn.Config(plain_app(nlp), access_log=False, log_level="warning", lifespan="off")
        uvicorn.Server(config).run([listener])
        return
    unused = CRF("word[0]").fit(Corpus.from_lists(word=[["a", "b"]], label=[["X", "Y"]]))
    service = SpacyService(Models([ServedModel("spacy", unused)]))
    service.nlp = nlp
    run_server(service, listener, ServerOptions(), print, lambda: None)


if __name__ == "__main__":
    main(*sys.argv[1:])
