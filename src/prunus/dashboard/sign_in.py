"""How a browser shows that it belongs to somebody who knows a token of the proxy.

A browser cannot send the token's header, and a token in an address would end up in histories and logs. So
`prunus dashboard`, which knows the token, asks for a code and opens an address with this code. The code works once,
within a minute, and the browser gets a cookie for it. Codes and cookies are signed with a key that is derived from
the token: workers and restarted proxies accept the same cookie, and a new token makes all of them worthless.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from hashlib import blake2b
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from secrets import token_hex
from threading import Lock
from typing import Final

_CODE: Final = 60.0
"""Seconds within which a code works."""
_COOKIE: Final = 12 * 3600.0
"""Seconds for which a browser stays signed in."""


class SignIn:
    """Makes and checks codes and cookies."""

    def __init__(self, tokens: Mapping[str, bytes], clock: Callable[[], float] = time.time) -> None:
        """Serve the tenants with these tokens."""
        self._keys = {
            tenant: blake2b(token, digest_size=32, person=b"prunus dashboard").digest()
            for tenant, token in tokens.items()
        }
        self._clock = clock
        self._used: dict[str, float] = {}
        """The codes that were used in this process, and when they end."""
        self._lock = Lock()

    def code(self, tenant: str) -> str:
        """Return a new code for a tenant."""
        return self._signed("code", tenant, _CODE)

    def redeem(self, code: str) -> str | None:
        """Return the tenant of a code, the first time that it is shown in time."""
        tenant = self._checked("code", code)
        if tenant is None:
            return None
        now = self._clock()
        with self._lock:
            if code in self._used:
                return None
            self._used = {one: end for one, end in self._used.items() if end > now}
            self._used[code] = now + _CODE
        return tenant

    def cookie(self, tenant: str, host: str) -> bytes:
        """Return the header value that signs a browser in; the browser shows the cookie to the dashboard only."""
        value = self._signed("cookie", tenant, _COOKIE)
        kept = f"Max-Age={_COOKIE:.0f}; Path=/dashboard; HttpOnly; SameSite=Strict"
        return f"{_name(host)}={value}; {kept}".encode("ascii")

    def signed_in(self, header: str, host: str) -> str | None:
        """Return the tenant of the cookie in a Cookie header."""
        try:
            cookies = SimpleCookie(header)
        except CookieError:
            return None
        found = cookies.get(_name(host))
        return self._checked("cookie", found.value) if found is not None else None

    def _signed(self, kind: str, tenant: str, seconds: float) -> str:
        said = f"{tenant}.{self._clock() + seconds:.0f}.{token_hex(16)}"
        return f"{said}.{self._signature(kind, tenant, said)}"

    def _checked(self, kind: str, value: str) -> str | None:
        said, _, signature = value.rpartition(".")
        tenant, _, rest = said.partition(".")
        end = rest.partition(".")[0]
        if tenant not in self._keys or not (value.isascii() and end.isdecimal() and len(end) < 16):
            return None
        if not compare_digest(signature, self._signature(kind, tenant, said)) or int(end) < self._clock():
            return None
        return tenant

    def _signature(self, kind: str, tenant: str, said: str) -> str:
        return blake2b(f"{kind} {said}".encode(), key=self._keys[tenant], digest_size=16).hexdigest()


def _name(host: str) -> str:
    """Return the name of the cookie: browsers share cookies between the ports of one machine."""
    port = host.rpartition(":")[2]
    return f"prunus-{port}" if port.isascii() and port.isdecimal() else "prunus"
