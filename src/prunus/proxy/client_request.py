"""The head of a client's request: its method, path, query and headers, and what they say about the client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from prunus.proxy.headers import Headers, caller_of
from prunus.proxy.routing import conversation_key
from prunus.store.records import new_exchange_id


@dataclass(frozen=True)
class ClientRequest:
    """One request, without its body; the headers and the query may hold credentials."""

    method: str
    path: str
    query: str = field(repr=False)
    headers: Headers = field(repr=False)
    """The headers as they came."""
    values: Mapping[str, str] = field(repr=False)
    """The values of the headers by their names in lower case."""
    time: float
    address: str = ""
    """The address of the client; empty if it is not known."""
    id: str = field(default_factory=new_exchange_id)
    """The id under which the exchange is recorded."""

    @classmethod
    def of(cls, scope: Mapping[str, Any], time: float) -> ClientRequest:
        """The request that an ASGI scope describes; bytes that a URL must not hold are escaped in its path."""
        raw_path = scope["raw_path"].decode("latin-1")
        client = scope.get("client")
        return cls(
            scope["method"],
            quote(raw_path, safe="/%:@!$&'()*+,;=~-._[]|^{}\"<>\\`", encoding="latin-1"),
            scope["query_string"].decode("latin-1"),
            scope["headers"],
            {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]},
            time,
            client[0] if client is not None else "",
        )

    @cached_property
    def client(self) -> str:
        """The name of the client by its user agent."""
        name = self.values.get("user-agent", "").partition("/")[0].strip().lower()[:32]
        return "".join(letter for letter in name if letter.isalnum() or letter in "-_. ")

    @cached_property
    def caller(self) -> str:
        """Whose credentials the request carries, as a hash."""
        return caller_of(self.headers, self.query)

    @cached_property
    def session(self) -> str:
        """The client's name for the conversation; empty if it sends no header for that."""
        return conversation_key(self.values)

    @property
    def encoding(self) -> str:
        """The content encoding of the body."""
        return self.values.get("content-encoding", "")

    @property
    def length(self) -> int | None:
        """The bytes of the body, if the client names their number."""
        length = self.values.get("content-length", "")
        return int(length) if length.isdecimal() else None
