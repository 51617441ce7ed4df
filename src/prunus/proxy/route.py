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

__all__ = ["Route", "join", "route"]

_NAMED: Final = re.compile(r"/@([\w.-]+)(?=/|$)")
_GEMINI: Final = re.compile(r".*/models/([^/:]+):(generateContent|streamGenerateContent)")
_MESSAGES: Final = re.compile(r"(?!.*/threads/).*/messages")
"""OpenAI has messages too, in threads."""
_UNVERSIONED: Final = re.compile(r"/(messages|complete|chat|responses|models|completions|embeddings)(?=[/:]|$)")
_VERSION: Final = re.compile(r"/v\d\w*+(?=/|$)")
_ENDS_IN_VERSION: Final = re.compile(r".*/v\d\w*+")
_GEMINI_HEADERS: Final = ("x-goog-api-key",)
_ANTHROPIC_HEADERS: Final = ("anthropic-version", "anthropic-beta", "x-api-key")


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
    format, model, streaming = _format(path) if method == "POST" else ("", "", False)
    upstream = named[1] if named is not None else _upstream(path, format, headers, fallback)
    if named is None and _UNVERSIONED.match(path):
        path = ("/v1beta" if upstream == "gemini" else "/v1") + path
    return Route(upstream, path, format, model, streaming)


def join(address: str, path: str) -> str:
    """The URL of a path at an upstream; a version that both name is named once."""
    address = address.rstrip("/")
    version = _VERSION.match(path)
    if version is not None and _ENDS_IN_VERSION.fullmatch(address):
        path = path[version.end() :]
    return address + path


def _format(path: str) -> tuple[str, str, bool]:
    if path.endswith("/chat/completions"):
        return "openai_chat", "", False
    if path.endswith("/responses"):
        return "openai_responses", "", False
    if _MESSAGES.fullmatch(path):
        return "anthropic_messages", "", False
    found = _GEMINI.fullmatch(path)
    if found is not None:
        return "gemini", found[1], found[2] == "streamGenerateContent"
    return "", "", False


def _upstream(path: str, format: str, headers: Container[str], fallback: str) -> str:
    if path.startswith("/v1beta") or format == "gemini":
        return "gemini"
    if format:
        return "anthropic" if format == "anthropic_messages" else "openai"
    if any(name in headers for name in _GEMINI_HEADERS):
        return "gemini"
    told = any(name in headers for name in _ANTHROPIC_HEADERS)
    if told or path.startswith(("/v1/messages", "/messages/", "/v1/complete", "/api/")):
        return "anthropic" if not path.startswith("/v1/completions") or told else fallback
    return fallback
