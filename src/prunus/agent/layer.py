"""What the agent may do about its context, for all requests of a proxy."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from threading import Lock
from typing import Final, Protocol

from prunus.agent.chat_commands import Archive, statistics
from prunus.agent.hidden import HiddenTurn
from prunus.agent.threads import Found, Threads
from prunus.agent.tool import guidance, offer
from prunus.providers.provider import Api
from prunus.providers.recognition import provider_named
from prunus.settings import Settings
from prunus.store.store import NoReceipts, StoreError

_KNOWN: Final = 20_000
"""Records that are kept at hand."""
_OFFERS: Final = 64
"""Lists of tools that are kept at hand as they are offered."""
_SHARE: Final = 6
"""A pruner counts six bytes for each byte of a body; only bodies are held here, so that they stay as long."""


class HiddenStore(Protocol):
    """Where hidden exchanges are kept; a store is one."""

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None: ...

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]: ...


class AgentLayer:
    """Takes part in the exchanges of a proxy, as `proxy.hooks` describes. Does no I/O but the store's."""

    def __init__(
        self,
        settings: Settings,
        store: HiddenStore | None = None,
        trouble: Callable[[Exception], None] | None = None,
    ) -> None:
        """`trouble` is told of a store that cannot be used; the layer goes on with the records at hand."""
        self.settings = settings
        self.offer = lru_cache(_OFFERS)(partial(offer, settings.toolbox(), settings.agent))
        self.threads = Threads(
            settings.limits.conversations, settings.limits.memory // _SHARE, intents=settings.agent.intent
        )
        self.guidance = guidance(settings) if settings.agent.offer != "off" else ""
        self._store = store
        self._trouble = trouble
        self._known: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._lock = Lock()

    def open(
        self, body: bytes, format: str, *, streaming: bool, tenant: str, caller: str, offers: bool = True
    ) -> HiddenTurn | None:
        """Begin an exchange, in which the model is offered tools or not; None where there is nothing to do."""
        agent = self.settings.agent
        api = provider_named(format)
        asleep = agent.offer == "off" and not agent.commands and not agent.intent
        if asleep or not isinstance(api, Api) or body[:1] == b"[":
            return None
        return HiddenTurn(self, body, api, streaming=streaming, tenant=tenant, caller=caller, offers=offers)

    def recall(self, tenant: str, keys: Iterable[str]) -> Found:
        """The records of these keys."""
        wanted = list(keys)
        with self._lock:
            found = {key: raw for key in wanted if (raw := self._known.get((tenant, key))) is not None}
        unknown = [key for key in wanted if key not in found]
        if not unknown or self._store is None:
            return Found(found)
        try:
            return Found(found | self._store.hidden(tenant, unknown))
        except StoreError as error:
            self._report(error)
            return Found(found, whole=False)

    def keep(self, tenant: str, key: str, raw: bytes) -> None:
        """Write a record down before the client can send a request that needs it."""
        with self._lock:
            self._known[tenant, key] = raw
            while len(self._known) > _KNOWN:
                self._known.popitem(last=False)
        if self._store is not None:
            try:
                self._store.save_hidden(tenant, key, raw)
            except StoreError as error:
                self._report(error)

    def statistics(self, tenant: str, body: bytes, format: str) -> str:
        """What was saved so far in the conversation of a request; empty where no store counts it."""
        try:
            return statistics(self._store, tenant, body, format) if isinstance(self._store, Archive) else ""
        except NoReceipts:
            return ""
        except StoreError as error:
            self._report(error)
            return ""

    def _report(self, error: Exception) -> None:
        if self._trouble is not None:
            self._trouble(error)
