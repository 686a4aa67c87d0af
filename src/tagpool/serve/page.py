"""The page: its document, its files, and the views that its script requests."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tagpool.corpus.corpus import WORD
from tagpool.serve.bodies import expect_json, read_body
from tagpool.serve.file_tagging import tag_file
from tagpool.serve.fragments import document, explanation_view, tagged_view
from tagpool.serve.limits import RequestError, invalid
from tagpool.serve.requests import ExplainRequest, Item, TagRequest, check_text, parse_json, parse_options, parse_text
from tagpool.serve.service import Service
from tagpool.views.html import read_asset
from tagpool.wording import counted

_PACKAGE = "tagpool.serve.static"
_FILES = {
    "style.css": ("tagpool.views", "text/css"),
    "page.css": (_PACKAGE, "text/css"),
    "page.js": (_PACKAGE, "text/javascript"),
}
_MOST_SIDES = 8


def page_routes(service: Service) -> list[Route]:
    """Return the routes of the page."""
    page = _Page(service)
    return [
        Route("/", page.document, methods=["GET"]),
        Route("/static/{name}", page.file, methods=["GET"]),
        Route("/view/tag", page.tag, methods=["POST"]),
        Route("/view/explain", page.explain, methods=["POST"]),
        Route("/view/file", page.tag_file, methods=["POST"]),
    ]


class _Page:
    """The handlers of the page. A view is JSON with a key ``html``."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._files = {name: (read_asset(name, package).encode(), kind) for name, (package, kind) in _FILES.items()}

    async def document(self, request: Request) -> Response:
        """Answer GET /."""
        return Response(document(), media_type="text/html")

    async def file(self, request: Request) -> Response:
        """Answer GET /static/NAME."""
        name = request.path_params["name"]
        if name not in self._files:
            raise RequestError(404, "not_found", "there is no such file")
        content, kind = self._files[name]
        return Response(content, media_type=kind)

    async def tag(self, request: Request) -> Response:
        """Answer POST /view/tag: the text with coloured spans, once for each model of ``sides``."""
        value = await self._body(request)
        text, threshold, sides = value.get("text"), value.get("threshold", 0), value.get("sides", [{}])
        check_text(text, "text")
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)) or not 0 <= threshold <= 1:
            raise invalid('"threshold": expected a number from 0 to 1')
        if not isinstance(sides, list) or not 1 <= len(sides) <= _MOST_SIDES or not all(isinstance(one, dict) for one in sides):
            raise invalid(f'"sides": expected 1 to {_MOST_SIDES} objects with a model and feature groups')

        def render() -> bytes:
            views = []
            for side in sides:
                options = parse_options(side)
                items = [self._item(str(text), options["model"])]
                tagged = self.service.tag_now(TagRequest(items, **options))[0]
                model, member = self.service.models.find(options["model"])
                form = model.build_form(member, options["without"])
                views.append(tagged_view(tagged, form, threshold) | {"version": model.version})
            return json.dumps({"views": views}, ensure_ascii=False).encode()

        return await self._respond(render)

    async def explain(self, request: Request) -> Response:
        """Answer POST /view/explain: the evidence for the label of a token, and a choice of other labels."""
        value = await self._body(request)
        text, token, instead = value.get("text"), value.get("token"), value.get("instead")
        check_text(text, "text")
        if instead is not None:
            check_text(instead, "instead")

        def render() -> bytes:
            options = parse_options(value)
            item = self._item(str(text), options["model"])
            if type(token) is not int or not 0 <= token < len(item.places):
                raise invalid('"token": expected the number of a token of the text, from 0 on')
            request = ExplainRequest(item, token=token, instead=instead, **options)
            [explained] = self.service.explained_tokens(request)
            model, member = self.service.models.find(options["model"])
            labels = model.build_form(member, options["without"]).labels
            return json.dumps({"html": explanation_view(explained, labels, instead)}, ensure_ascii=False).encode()

        return await self._respond(render)

    async def tag_file(self, request: Request) -> Response:
        """Answer POST /view/file?model=NAME&name=FILE&before=LINES: a part of a file with labels, in its own format."""
        kind = request.headers.get("content-type", "")
        if kind != "application/octet-stream":
            raise RequestError(415, "unsupported_media_type", "expected the header Content-Type: application/octet-stream")
        body = await read_body(request.scope, request.receive, self.service.limits.body)
        query = request.query_params
        before = query.get("before", "0")
        if not (before.isascii() and before.isdigit() and len(before) < 12):
            raise invalid("before: expected a number of lines")
        options = parse_options({"model": query.get("model") or None, "without": query.getlist("without")})

        def work() -> tuple[bytes, str]:
            model, member = self.service.models.find(options["model"])
            return tag_file(model.build_form(member, options["without"]), query.get("name", ""), body, int(before))

        result, suffix = await self.service.in_thread(work)
        return Response(result, media_type="application/octet-stream", headers={"X-Result-Suffix": suffix})

    async def _body(self, request: Request) -> dict[str, Any]:
        expect_json(request.scope)
        return parse_json(await read_body(request.scope, request.receive, self.service.limits.body))

    async def _respond(self, render: Any) -> Response:
        return Response(await self.service.in_thread(render), media_type="application/json")

    def _item(self, text: str, name: str | None) -> Item:
        """Return a text as an item; for a model that reads more columns, its tokens have them after slashes."""
        model, _ = self.service.models.find(name)
        columns = [WORD, *(column for column in model.form.columns if column != WORD)]
        if len(columns) == 1:
            return parse_text(text, self.service.limits.tokens)
        return _slashed_item(text, columns, self.service.limits.tokens)


def _slashed_item(text: str, columns: list[str], most: int) -> Item:
    """Return the item of a text such as ``the/DT cat/NN``."""
    sentences = []
    words: list[str] = []
    for line in text.split("\n"):
        rows = [token.rsplit("/", len(columns) - 1) for token in line.split()]
        for row in rows:
            if len(row) != len(columns) or not all(row):
                pattern = "/".join(columns)
                raise invalid(
                    f"the model reads more than words: write every token as {pattern}, such as cat/NN; got {row[0]!r:.80}"
                )
        if rows:
            sentences.append({name: list(values) for name, values in zip(columns, zip(*rows, strict=True), strict=True)})
            words += sentences[-1][WORD]
    if len(words) > most:
        raise RequestError(413, "too_large", f"expected at most {counted(most, 'token')}, got {len(words):,}; tag less at a time")
    places = []
    begin = 0
    for word in words:
        places.append((begin, begin + len(word)))
        begin += len(word) + 1
    return Item(" ".join(words), places, sentences)
