"""Long tests, run by ``make browser``: requests that Schemathesis generates from the OpenAPI document, and load with a reload."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from serve.served import ServerProcess, names_tagger, other_tagger, replace_file, running, tag_reader

pytestmark = pytest.mark.skipif(not os.environ.get("TAGPOOL_LONG"), reason="run it with make browser")
REQUESTS, CONNECTIONS = 10_000, 50
WORDS = ["Ann", "Smith", "left", "Oslo", "."]
LARGE = [*WORDS] * 300  # in 1 of 100 requests


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("models")
    names_tagger().save(folder / "ner.tagpool")
    tag_reader().save(folder / "chunks.tagpool")
    with running(folder / "ner.tagpool", folder / "chunks.tagpool") as one:
        yield one


def test_generated_requests_have_the_responses_of_the_document(server: ServerProcess) -> None:
    """Schemathesis sends valid and invalid requests; responses must be documented, valid, and no 5xx."""
    schemathesis = pytest.importorskip("schemathesis")

    schema = schemathesis.openapi.from_url(f"{server.facts['url']}/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) == 6  # all but that of the document itself
    modes = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
    for operation in operations:
        for mode in modes if operation.body else modes[:1]:
            strategy = operation.as_strategy(generation_mode=mode)

            @settings(
                max_examples=300, phases=[Phase.generate], database=None, deadline=None, suppress_health_check=list(HealthCheck)
            )
            @given(case=strategy)
            def check(case: Any) -> None:
                # A schema has neither the groups of a model nor the number of tokens, on which values depend.
                excluded = ["positive_data_acceptance"]
                response = case.call()
                if response.status_code == 413:  # a refusal, which Schemathesis does not count as one
                    excluded.append("negative_data_rejection")
                case.validate_response(response, excluded_checks=list(map(schemathesis.checks.CHECKS.get_one, excluded)))

            check()


def test_10_000_requests_over_50_connections_with_a_reload(tmp_path: Path) -> None:
    """No request fails, and each has the labels of the version that it names."""
    path = tmp_path / "ner.tagpool"
    names_tagger().save(path)
    expected = {
        version: {len(words): tagger.predict([words])[0] for words in (WORDS, LARGE)}
        for version, tagger in ((1, names_tagger()), (2, other_tagger()))
    }
    numbers = iter(range(REQUESTS))
    versions: list[int] = []

    async def work(port: int, reload: Any) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in numbers:
            if number == REQUESTS // 2:
                reload()
            words = LARGE if number % 100 == 0 else WORDS
            status, value = await post(reader, writer, {"tokens": words})
            assert status == 200, value
            assert value["labels"] == expected[value["version"]][len(words)]
            versions.append(value["version"])
        writer.close()
        await writer.wait_closed()

    async def load(server: ServerProcess) -> None:
        def reload() -> None:
            replace_file(path, other_tagger())
            server.signal(signal.SIGHUP)

        await asyncio.gather(*(work(server.port, reload) for _ in range(CONNECTIONS)))

    with running(path) as server:
        asyncio.run(load(server))
        metrics = server.get("/metrics")[1]
    assert len(versions) == REQUESTS
    assert set(versions) == {1, 2}
    assert f'tagpool_requests_total{{route="/v1/tag",status="200"}} {REQUESTS}\n'.encode() in metrics
    assert b'status="5' not in metrics


async def post(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, value: Any) -> tuple[int, Any]:
    body = json.dumps(value).encode()
    head = f"POST /v1/tag HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    answer = await reader.readuntil(b"\r\n\r\n")
    lines = answer.decode().lower().split("\r\n")
    length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
    return int(lines[0].split()[1]), json.loads(await reader.readexactly(length))
