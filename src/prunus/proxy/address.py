"""The address of an upstream, and how requests to it are addressed."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from prunus.errors import SettingsError
from prunus.proxy.headers import Headers
from prunus.proxy.route import join

_PORTS: Final = {"http": 80, "https": 443}
_PATH: Final = "/%:@!$&'()*+,;=~-._"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a server."""

    scheme: str
    host: str
    port: int
    authority: str
    """As in the Host header."""
    base: str
    """The path of the URL, below which requests go."""
    query: str
    """The query of the URL, which each request gets."""
    login: bytes
    """User and password of the URL, as in an Authorization header."""
    through: ServerAddress | None = None
    """The proxy that the environment wants between us and the server."""

    @classmethod
    def parse(cls, address: str, setting: str) -> ServerAddress:
        """The place that a setting names, behind the proxy that the environment wants."""
        place = _place(address, setting)
        proxies = getproxies()
        kind = place.scheme if proxies.get(place.scheme) else "all"
        proxy = proxies.get(kind, "")
        if not proxy.startswith("http") or proxy_bypass(place.host):
            return place
        return replace(place, through=_place(proxy, f"{kind}_proxy"))

    def target(self, path: str, query: str) -> str:
        """What a request asks for."""
        queries = "&".join(part for part in (self.query, query) if part)
        target = join(self.base, path) + (f"?{queries}" if queries else "")
        return f"http://{self.authority}{target}" if self.through is not None and not self.tunnels else target

    def headers(self, given: Headers, length: int | None, chunked: bool) -> Headers:
        """The headers of a request: those `given`, and what belongs to the way to the upstream."""
        headers = [(b"Host", self.authority.encode()), *given]
        if self.login:
            headers = [(name, value) for name, value in headers if name.lower() != b"authorization"]
            headers.append((b"Authorization", self.login))
        if self.through is not None and not self.tunnels and self.through.login:
            headers.append((b"Proxy-Authorization", self.through.login))
        if length is not None:
            headers.append((b"Content-Length", b"%d" % length))
        elif chunked:
            headers.append((b"Transfer-Encoding", b"chunked"))
        return headers

    @property
    def tunnels(self) -> bool:
        """Whether the proxy in between must not read what passes."""
        return self.through is not None and self.scheme == "https"


def credential_notes(addresses: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each upstream whose URL holds a user or a password."""
    return tuple(
        f"upstream {name}: the user and password of its URL are sent as Authorization, "
        "in place of the Authorization that a client sends"
        for name, address in addresses.items()
        if _place(address, f"upstreams.{name}").login
    )


def _place(address: str, setting: str) -> ServerAddress:
    try:
        parts = urlsplit(address)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError("expected http://HOST or https://HOST")
        host = parts.hostname if parts.hostname.isascii() else parts.hostname.encode("idna").decode()
        port = parts.port or _PORTS[parts.scheme]
    except ValueError as error:
        # The address is not repeated: it may hold a password.
        raise SettingsError(f"{setting}: {error}") from error
    shown = f"[{host}]" if ":" in host else host
    authority = shown if port == _PORTS[parts.scheme] else f"{shown}:{port}"
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    login = b"Basic " + b64encode(f"{user}:{password}".encode()) if user or password else b""
    return ServerAddress(parts.scheme, host, port, authority, quote(parts.path, safe=_PATH), parts.query, login)
