"""Serves the dashboard to browsers on this machine, apart from the requests of agents.

Pages are made in threads of their own, so that reading the store never holds up the event loop, and a fault in a
page costs nothing but the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import parse_qsl, quote

from prunus.dashboard.dashboard import answer
from prunus.dashboard.overview import SHOWN, live_events
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, Sources, problem, redirect
from prunus.dashboard.sign_in import SignIn
from prunus.proxy.answers import answer_json, answer_with
from prunus.proxy.client_request import ClientRequest
from prunus.proxy.faults import Faults
from prunus.proxy.peer import Receive, Send
from prunus.proxy.security import TOKEN_HEADER, Gate, Refused, is_loopback
from prunus.store.records import Exchange
from prunus.store.store import NoReceipts, StoreError
from prunus.text.numbers import as_number

_ROOT: Final = HOME.rstrip("/")
_THREADS: Final = 2
_WATCHERS: Final = 32
"""Browsers that may watch at the same time."""
_PAUSE: Final = 1.0
"""Seconds between two looks at the store for a browser that watches."""
_SILENCE: Final = 15
"""Looks without news after which a watching browser gets a sign of life."""
_ENTER: Final = "This dashboard needs a token. Run `prunus dashboard` in a terminal: it opens this page signed in."
_USED: Final = "This address was used before, or is too old. Run `prunus dashboard` in a terminal for a new one."


class Pages:
    """The dashboard as a part of the proxy."""

    def __init__(self, sources: Sources, gate: Gate, faults: Faults) -> None:
        self._sources = sources
        self._gate = gate
        self._sign_in = SignIn(gate.tokens)
        self._faults = faults
        self._threads = ThreadPoolExecutor(_THREADS, "prunus-dashboard")
        self._watchers = 0
        self.ending = asyncio.Event()
        """Set once the proxy ends, so that no browser that watches holds it up."""

    def wants(self, request: ClientRequest) -> bool:
        """Return whether a request is for the dashboard, not for a provider."""
        if request.path == "/":
            return request.method == "GET" and "text/html" in request.values.get("accept", "")
        return request.path == _ROOT or request.path.startswith(HOME)

    async def serve(self, request: ClientRequest, receive: Receive, send: Send) -> None:
        """Answer a request that `wants` claimed."""
        try:
            refused = self._refusal(request)
            if refused is not None:
                found = problem(refused.status, refused.reason, signed_in=False)
            elif request.path == f"{HOME}code":
                await self._give_code(request, send)
                return
            elif request.path == f"{HOME}live":
                await self._watch(request.values, receive, send)
                return
            else:
                found = await self._page(request)
        except NoReceipts as error:
            found = problem(404, f"There is nothing to show: {error}.")
        except StoreError as error:
            self._faults.report("dashboard", error)
            found = problem(503, f"The store cannot be read at the moment: {error}.")
        except Exception as error:  # a page that cannot be made must not cost anything else
            self._faults.report("dashboard", error)
            found = problem(500, "This page could not be made. The log of the proxy says more; agents go on.")
        await answer_with(send, found.status, found.headers, found.body)

    def close(self) -> None:
        """Let go of the threads."""
        self.ending.set()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _refusal(self, request: ClientRequest) -> Refused | None:
        """Why nobody gets a page with such a request, whatever token or cookie it has."""
        headers = request.values
        # A socket for both families names IPv4 addresses as ::ffff:127.0.0.1.
        if not is_loopback(request.address.removeprefix("::ffff:")):
            return Refused(403, "The dashboard is for browsers on the machine of the proxy.")
        refused = self._gate.check_browser(headers)
        if refused is not None:
            return refused
        # A form of another page would come without our Origin. Programs, which send none, show the token instead.
        own = headers.get("origin") == f"http://{headers.get('host', '')}"
        if request.method == "POST" and not own and TOKEN_HEADER not in headers:
            return Refused(403, "Only pages of the dashboard may change something.")
        return None if request.method in ("GET", "POST") else Refused(405, "The dashboard knows GET and POST.")

    def _tenant(self, headers: Mapping[str, str]) -> str | None:
        """Whose data a browser may see; None if it has not signed in."""
        if not self._gate.tokens:
            return ""
        admitted = self._gate.admit(headers)
        if isinstance(admitted, str):
            return admitted
        return self._sign_in.signed_in(headers.get("cookie", ""), headers.get("host", ""))

    async def _page(self, request: ClientRequest) -> PageAnswer:
        if request.path in ("/", _ROOT):
            return redirect(HOME)
        headers, query = request.values, dict(parse_qsl(request.query))
        below = request.path.removeprefix(HOME)
        if below == "enter":
            tenant = self._sign_in.redeem(query.get("code", "")) if self._gate.tokens else ""
            if tenant is None:
                return problem(401, _USED, signed_in=False)
            cookie = self._sign_in.cookie(tenant, headers.get("host", "")) if self._gate.tokens else None
            return redirect(HOME, () if cookie is None else ((b"set-cookie", cookie),))
        tenant = self._tenant(headers)
        # Style and script say nothing of anybody, and the page that asks to sign in needs them.
        if tenant is None and not below.startswith("static/"):
            return problem(401, _ENTER, signed_in=False)
        page = PageRequest(request.method, below, query, tenant or "")
        return await asyncio.get_running_loop().run_in_executor(self._threads, answer, page, self._sources)

    async def _give_code(self, request: ClientRequest, send: Send) -> None:
        """Tell a program that shows the token at which address a browser gets in, once."""
        tenant = self._gate.admit(request.values)
        if request.method != "POST" or isinstance(tenant, Refused):
            refused = tenant if isinstance(tenant, Refused) else Refused(405, "ask for a code with POST")
            await answer_json(send, refused.status, {"error": refused.reason})
            return
        code = f"enter?code={quote(self._sign_in.code(tenant), safe='')}" if self._gate.tokens else ""
        await answer_json(send, 200, {"path": f"{HOME}{code}"})

    async def _watch(self, headers: Mapping[str, str], receive: Receive, send: Send) -> None:
        """Send the newest requests as they come, until the browser leaves or the proxy ends."""
        tenant = self._tenant(headers)
        if tenant is None or self._watchers >= _WATCHERS:
            found = problem(401, _ENTER) if tenant is None else problem(503, "Too many browsers watch already.")
            await answer_with(send, found.status, found.headers, found.body)
            return
        last = headers.get("last-event-id", "")
        since = as_number(last) if last.isascii() and last.isdecimal() else None
        gone = asyncio.create_task(_disconnected(receive))
        ending = asyncio.create_task(self.ending.wait())
        self._watchers += 1
        try:
            await self._tell(tenant, since, (gone, ending), send)
        finally:
            self._watchers -= 1
            gone.cancel()
            ending.cancel()
        await send({"type": "http.response.body", "body": b""})

    async def _tell(self, tenant: str, since: int | None, until: tuple[asyncio.Task[Any], ...], send: Send) -> None:
        """Look at the store again and again, and send what is new since the mark."""
        mark = since if since is not None else (await self._look(tenant, None))[0]
        silent = 0
        start = PageAnswer(200, b"", "text/event-stream")
        await send({"type": "http.response.start", "status": 200, "headers": start.headers})
        await send({"type": "http.response.body", "body": b": watching\n\n", "more_body": True})
        while True:
            done, _ = await asyncio.wait(until, timeout=_PAUSE, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return
            mark, found = await self._look(tenant, mark)
            silent = 0 if found else silent + 1
            if found and mark is not None:
                words = live_events(mark, found, self._sources)
            elif silent % _SILENCE == 0:
                words = b": nothing new\n\n"
            else:
                continue
            await send({"type": "http.response.body", "body": words, "more_body": True})

    async def _look(self, tenant: str, mark: int | None) -> tuple[int | None, list[Exchange]]:
        """Return the mark of the newest exchange, and the exchanges since `mark`; without a mark, none is new."""
        loop, store = asyncio.get_running_loop(), self._sources.store
        try:
            newest, found = await loop.run_in_executor(
                self._threads, store.newest_exchanges, tenant, mark or 0, SHOWN
            )
        except NoReceipts:
            raise
        except StoreError as error:  # the store may be back at the next look
            self._faults.report("dashboard", error)
            return mark, []
        return newest, found if mark is not None else []


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
