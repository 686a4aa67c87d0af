"""Requests of metadata, such as ``sample_weight``, as the tools of scikit-learn route them. Needs scikit-learn."""

from __future__ import annotations

import copy
import inspect
from typing import Any

from tagpool.errors import InputError

_ATTRIBUTE = "_metadata_request"  # copied by sklearn.base.clone


def request_metadata(tagger: Any, requests: dict[str, bool | str | None]) -> None:
    """Store the requests of ``fit``; an InputError for arguments that it does not have."""
    from sklearn import get_config  # noqa: PLC0415 - optional

    if not get_config().get("enable_metadata_routing"):
        raise InputError("set_fit_request: first call sklearn.set_config(enable_metadata_routing=True)")
    known = _arguments(tagger)
    for name in requests:
        if name not in known:
            raise InputError(f"set_fit_request: fit has no argument {name!r}; expected one of {', '.join(known)}")
    request = routing_of(tagger)
    for name, value in requests.items():
        request.fit.add_request(param=name, alias=value)
    setattr(tagger, _ATTRIBUTE, request)


def routing_of(tagger: Any) -> Any:
    """Return a copy of the requests; passing an argument that was not mentioned is an error."""
    from sklearn.utils.metadata_routing import MetadataRequest  # noqa: PLC0415 - optional

    stored = getattr(tagger, _ATTRIBUTE, None)
    if stored is not None:
        return copy.deepcopy(stored)
    request = MetadataRequest(owner=type(tagger).__name__)
    for name in _arguments(tagger):
        request.fit.add_request(param=name, alias=None)
    return request


def _arguments(tagger: Any) -> list[str]:
    """Return the arguments of ``fit`` besides the sentences and labels."""
    parameters = inspect.signature(type(tagger).fit).parameters.values()
    return [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
