"""Prunes request bodies that a framework holds as a provider gets them: JSON bytes, or the objects of it."""

from __future__ import annotations

from typing import TypeVar

from prunus.errors import FormatError
from prunus.integrations.integration import Integration
from prunus.providers import APIS
from prunus.proxy.envelope import read_envelope

T = TypeVar("T")


def prune_body(
    integration: Integration, body: T, *, format: str | None = None, model: str = "", key: str = ""
) -> T:
    """The body to send, in the type in which it was given; a body that cannot be pruned is the given object."""
    return integration.prune(body, format=format, model=model, key=key).body


def prune_request(integration: Integration, path: str, body: bytes, key: str = "") -> bytes:
    """The bytes to send for an HTTP request to this path.

    Only a path that asks a model for an answer is looked at. A request without tools, or for a summary of the
    history, gets no new edits, but goes out with those that its conversation has: so it finds the cached prefix.
    """
    found = ((api, api.endpoint(path)) for api in APIS)
    api, endpoint = next(((api, endpoint) for api, endpoint in found if endpoint is not None), (None, None))
    if api is None or endpoint is None:
        return body
    try:
        hold = bool(read_envelope(body, api.name).hold)
    except FormatError as error:
        return integration.failed(body, error).body
    return integration.prune(body, format=api.name, model=endpoint.model, key=key, hold=hold).body
