"""Who may use the proxy.

A browser can be made to call any address on this machine. So the Host header must be a name of ours: a page that
rebinds its own name to 127.0.0.1 still sends its own name. A request from a page of another origin is refused:
browsers send Origin, or Sec-Fetch-Site where they send no Origin (images, forms, scripts); other clients send
neither. A token says who the caller is, and then the name does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from ipaddress import ip_address
from typing import Final

from prunus.errors import SettingsError

TOKEN_HEADER: Final = "x-prunus-token"
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_OWN_PAGE: Final = ("same-origin", "none")
"""Values of Sec-Fetch-Site for a page of ours, and for an address that the user typed."""
_PAGE: Final = "web pages may not use the proxy"


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a request is turned away, and with which status."""

    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets requests in, and says whose they are."""

    tokens: Mapping[str, bytes]
    """The tokens by the name of their tenant."""
    names: frozenset[str]
    """The hosts that requests without a token may name."""

    @classmethod
    def build(cls, token: str, host: str, names: tuple[str, ...] = ()) -> Gate:
        """A gate for these tokens, separated by commas, and the address that the proxy listens on."""
        given = [one for one in map(str.strip, token.split(",")) if one]
        tokens = {blake2b(one.encode(), digest_size=8).hexdigest(): one.encode() for one in given}
        return cls(tokens, _LOCAL | {host.lower(), *(name.lower() for name in names)})

    def admit(self, headers: Mapping[str, str], *, bearer: bool = False) -> str | Refused:
        """The tenant of a request, or why it is refused; header names are in lower case.

        With `bearer`, the token may come as `Authorization: Bearer` too. A request that is passed on has the
        provider's key there.
        """
        refused = self.check_page(headers)
        if refused is not None:
            return refused
        if self.tokens:
            shown = headers.get(TOKEN_HEADER) or (_bearer(headers.get("authorization", "")) if bearer else "")
            return self._tenant(shown)
        return ""

    def check_page(self, headers: Mapping[str, str]) -> Refused | None:
        """Why a request is refused whatever token it has: a web page made it."""
        if headers.get("sec-fetch-site", "none").lower() not in _OWN_PAGE:
            return Refused(403, _PAGE)
        return None if self.tokens else self._check_names(headers)

    def check_browser(self, headers: Mapping[str, str]) -> Refused | None:
        """Why a request for a page of ours is refused: here a token is no excuse for a name that is not ours."""
        return self.check_page(headers) or self._check_names(headers)

    def _check_names(self, headers: Mapping[str, str]) -> Refused | None:
        host = headers.get("host", "")
        if _name(host) not in self.names:
            return Refused(403, "this Host is not a name of the proxy; see the setting proxy.names")
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return Refused(403, _PAGE)
        return None

    def _tenant(self, shown: str) -> str | Refused:
        found: str | Refused = Refused(401, f"the header {TOKEN_HEADER} is missing or wrong")
        # Header values are read as Latin-1. Programs send letters beyond ASCII in UTF-8 or in Latin-1.
        forms = [shown.encode(coding, "backslashreplace") for coding in ("latin-1", "utf-8")]
        for tenant, token in self.tokens.items():
            if any(compare_digest(token, form) for form in forms):
                found = tenant
        return found


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(host: str, token: str) -> None:
    """Refuse to listen where others can reach us, unless they need a token."""
    if not is_loopback(host) and not token.replace(",", "").strip():
        raise SettingsError(
            f"proxy.host = {host!r}: other machines could use it; set proxy.token, or listen on 127.0.0.1"
        )


def _bearer(value: str) -> str:
    """The token in an Authorization header; empty where it has another form."""
    scheme, _, token = value.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
