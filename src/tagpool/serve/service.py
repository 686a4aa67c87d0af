"""The work behind the routes, outside the event loop: tagging in micro-batches, explanations, reloads."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from tagpool.errors import InputError
from tagpool.serve.batching import Batcher
from tagpool.serve.forms import Form
from tagpool.serve.limits import Limits, RequestError, invalid
from tagpool.serve.metrics import Metrics
from tagpool.serve.models import MEMBER, Models, ServedModel
from tagpool.serve.requests import ExplainRequest, TagRequest, parse_explain_request, parse_tag_request
from tagpool.serve.results import TaggedItem, build_corpus, check_columns, tag_items
from tagpool.wording import counted

Value = TypeVar("Value")
_LARGE = 1_000  # tokens of a request that is tagged apart, so that short ones do not wait for it
_SHORT = 2_048  # bytes of a body that is parsed in the event loop, which takes at most about 0.1 ms
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


class _LongWorkError(Exception):
    """A request that is processed in another thread: it is large, or its form must be built first."""

    def __init__(self, request: TagRequest) -> None:
        super().__init__()
        self.request = request


class Service:
    """Models with the threads that tag; every method may be called in the event loop and does not block it."""

    def __init__(self, models: Models, limits: Limits | None = None, *, threads: int = 1) -> None:
        self.models = models
        self.limits = limits or Limits()
        self.metrics = Metrics()
        self.is_ready = True
        for model in models:
            self.metrics.versions.set_to(model.version, model.name)
        self._batcher: Batcher[bytes | TagRequest, bytes] = Batcher(self._tag_batch, threads=threads, estimate=self.estimate)
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="long")

    def close(self) -> None:
        """End the threads."""
        self._batcher.close()
        self._threads.shutdown(cancel_futures=True)

    async def tag(self, body: bytes) -> bytes:
        """Return the response to ``POST /v1/tag`` with this body."""
        task = parse_tag_request(body, self.limits) if len(body) <= _SHORT else body
        try:
            return await self._batcher.run(task)
        except _LongWorkError as error:
            request = error.request
        return await self.in_thread(lambda: self._tag_alone(request))

    def estimate(self, task: bytes | TagRequest) -> float:
        """Return the seconds that a task takes; infinity if that is not known, or if it has to wait for something."""
        if isinstance(task, bytes):
            return math.inf
        try:
            model, member = self.models.find(task.model)
        except RequestError:
            return 0.0
        form = model.ready_form(member, task.without)
        return math.inf if form is None else form.pace(confidence=task.confidence).seconds(task.token_count)

    async def explain(self, body: bytes) -> bytes:
        """Return the response to ``POST /v1/explain`` with this body."""
        return await self.in_thread(lambda: to_json(self.explain_now(parse_explain_request(body, self.limits))))

    async def reload(self, *, changed_only: bool = False) -> list[tuple[str, str | None]]:
        """Load model files again; return the name of each, with the reason if it failed."""
        results = await self.in_thread(lambda: self.models.reload(changed_only=changed_only))
        for name, failure in results:
            if failure is None:
                self.metrics.versions.set_to(self.models.find(name)[0].version, name)
            else:
                self.metrics.failures.add(1, name)
        return results

    async def in_thread(self, work: Callable[[], Value]) -> Value:
        """Return the result of work in another thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    # In threads ---------------------------------------------------------------------------------------------------------

    def tag_now(self, request: TagRequest) -> list[TaggedItem]:
        """Tag a request in this thread."""
        model, member = self.models.find(request.model)
        form = model.build_form(member, request.without)
        items = _tag(form, request)
        self._count(model, [request])
        return items

    def explain_now(self, request: ExplainRequest) -> dict[str, Any]:
        """Return the explanation of a request as a JSON value."""
        model, member = self.models.find(request.model)
        tokens = [token.to_dict() for token in self.explained_tokens(request)]
        numbers = range(len(tokens)) if request.token is None else [request.token]
        return {"model": _full_name(model, member), "version": model.version} | {
            "tokens": [{"number": number} | token for number, token in zip(numbers, tokens, strict=True)]
        }

    def explained_tokens(self, request: ExplainRequest) -> list[Any]:
        """Return the explanations of the tokens of a request."""
        model, member = self.models.find(request.model)
        form = model.build_form(member, request.without)
        item = request.item
        check_columns(form, item)
        if request.instead is not None and request.instead not in form.labels:
            known = ", ".join(form.labels[:20]) + (", ..." if len(form.labels) > 20 else "")
            raise invalid(f'"instead": the model has no label {request.instead!r:.80}; its labels: {known}')
        if not item.sentences:
            return []
        corpus = build_corpus(form, [item])
        explained: list[Any] = []
        first = 0
        for number, sentence in enumerate(item.sentences):
            count = len(sentence["word"])
            place = None if request.token is None else request.token - first
            first += count
            if place is not None and not 0 <= place < count:
                continue
            if count > self.limits.explained:
                message = (
                    f"expected a sentence of at most {counted(self.limits.explained, 'token')}, got {count:,}; send a shorter one"
                )
                raise RequestError(413, "too_large", message)
            try:
                explanation = form.tagger.explain(corpus, number, instead=request.instead)
            except InputError as error:
                raise invalid(error.message) from None
            explained += list(explanation) if place is None else [explanation[place]]
        return explained

    def _tag_batch(self, tasks: Sequence[bytes | TagRequest]) -> list[bytes | BaseException]:
        """Tag a batch of bodies and parsed requests: all sentences for the same form are tagged with one call."""
        results: list[bytes | BaseException] = [RequestError(500, "internal_error", "internal error")] * len(tasks)
        groups: dict[tuple[Form, bool], list[tuple[int, TagRequest, ServedModel, str | None]]] = {}
        for number, task in enumerate(tasks):
            try:
                request = parse_tag_request(task, self.limits) if isinstance(task, bytes) else task
                model, member = self.models.find(request.model)
                form = model.ready_form(member, request.without)
                if form is None or request.token_count > _LARGE:
                    raise _LongWorkError(request)
                groups.setdefault((form, request.confidence), []).append((number, request, model, member))
            except (RequestError, _LongWorkError) as error:
                results[number] = error
        self.metrics.batches.observe(len(tasks))
        for (form, confidence), group in groups.items():
            requests = [request for _, request, _, _ in group]
            begin = time.perf_counter()
            tagged = _tag_together(form, requests, confidence)
            seconds = time.perf_counter() - begin
            form.pace(confidence=confidence).add(sum(request.token_count for request in requests), seconds)
            for (number, request, model, member), items in zip(group, tagged, strict=True):
                results[number] = items if isinstance(items, BaseException) else _response(items, request, model, member)
            self._count(group[0][2], requests)
        return results

    def _tag_alone(self, request: TagRequest) -> bytes:
        model, member = self.models.find(request.model)
        items = _tag(model.build_form(member, request.without), request)
        self._count(model, [request])
        return _response(items, request, model, member)

    def _count(self, model: ServedModel, requests: Sequence[TagRequest]) -> None:
        self.metrics.sentences.add(sum(len(item.sentences) for request in requests for item in request.items), model.name)
        self.metrics.tokens.add(sum(request.token_count for request in requests), model.name)


def _tag(form: Form, request: TagRequest) -> list[TaggedItem]:
    try:
        return tag_items(form, request.items, confidence=request.confidence)
    except InputError as error:
        raise invalid(error.message) from None


def _tag_together(form: Form, requests: Sequence[TagRequest], confidence: bool) -> Sequence[list[TaggedItem] | BaseException]:
    """Tag requests with one call; if one is refused, tag each alone, so that it does not disturb the others."""
    every = requests[0]
    if len(requests) > 1:
        every = replace(every, items=[item for request in requests for item in request.items])
    try:
        items = iter(_tag(form, every))
        return [[next(items) for _ in request.items] for request in requests]
    except Exception as error:
        if len(requests) == 1:
            return [error]
        return [one for request in requests for one in _tag_together(form, [request], confidence)]


def _response(items: Sequence[TaggedItem], request: TagRequest, model: ServedModel, member: str | None) -> bytes:
    head = {"model": _full_name(model, member), "version": model.version}
    if request.is_batch:
        return to_json(head | {"results": [item.to_dict() for item in items]})
    return to_json(head | items[0].to_dict())


def _full_name(model: ServedModel, member: str | None) -> str:
    return model.name if member is None else f"{model.name}{MEMBER}{member}"


def to_json(value: Any) -> bytes:
    """Return a value as JSON without blanks."""
    return _ENCODER.encode(value).encode()
