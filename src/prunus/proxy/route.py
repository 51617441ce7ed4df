"""Where a request goes, and whether Prunus reads it.

The path decides the format; what is not one of the four passes through untouched. The upstream is chosen among
those in the settings, never by a host that the request names:

    /@NAME/...                                        the upstream of that name
    /v1beta/..., x-goog-api-key                       gemini
    .../messages, /v1/complete, /api/...,
    anthropic-version, anthropic-beta, x-api-key      anthropic
    .../chat/completions, .../responses               openai
    anything else                                     openai, or what `prunus run` was started for

A client may leave out the version: `/chat/completions` is asked for as `/v1/chat/completions`, unless the address
of the upstream ends in a version itself.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from prunus.providers import APIS, Api
from prunus.providers.provider import Endpoint

_NAMED: Final = re.compile(r"/@([\w.-]+)(?=/|$)")
_UNVERSIONED: Final = re.compile(r"/(messages|complete|chat|responses|models|completions|embeddings)(?=[/:]|$)")
_VERSION: Final = re.compile(r"/v\d\w*+(?=/|$)")
_ENDS_IN_VERSION: Final = re.compile(r".*/v\d\w*+")


@dataclass(frozen=True, slots=True)
class Route:
    """Where one request goes."""

    upstream: str
    path: str
    """The path to ask the upstream for, below its own address."""
    format: str = ""
    """The format of the request; empty for what passes through untouched."""
    model: str = ""
    """The model, where the path names it."""
    streaming: bool = False
    """Whether the path asks for a stream."""


def route(method: str, path: str, headers: Container[str], fallback: str = "openai") -> Route:
    """Choose the upstream and the format of a request; `headers` are the names that came, in lower case."""
    named = _NAMED.match(path)
    if named is not None:
        path = path[named.end() :] or "/"
    api, endpoint = _endpoint(path) if method == "POST" else (None, Endpoint())
    upstream = named[1] if named is not None else _upstream(path, api, headers, fallback)
    if named is None and _UNVERSIONED.match(path):
        path = next((one.version for one in APIS if one.upstream == upstream), Api.version) + path
    return Route(upstream, path, "" if api is None else api.name, *endpoint)


def join(address: str, path: str) -> str:
    """The URL of a path at an upstream; a version that both name is named once."""
    address = address.rstrip("/")
    version = _VERSION.match(path)
    if version is not None and _ENDS_IN_VERSION.fullmatch(address):
        path = path[version.end() :]
    return address + path


def _endpoint(path: str) -> tuple[Api | None, Endpoint]:
    """The format that a path asks for, and what else the path says."""
    found = ((api, api.endpoint(path)) for api in APIS)
    return next(((api, endpoint) for api, endpoint in found if endpoint is not None), (None, Endpoint()))


def _upstream(path: str, api: Api | None, headers: Container[str], fallback: str) -> str:
    owner = next((one for one in APIS if one.own_prefix and path.startswith(one.own_prefix)), api)
    if owner is not None:
        return owner.upstream
    told = next((one for one in reversed(APIS) if any(name in headers for name in one.own_headers)), None)
    if told is None and not path.startswith("/v1/completions"):
        told = next((one for one in APIS if path.startswith(one.own_paths)), None)
    return fallback if told is None else told.upstream
