"""The store on a Redis server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Final

from prunus.conversations.memory import Memory
from prunus.outcome import Receipt
from prunus.reuse.asked_again import Experience
from prunus.settings.tables import StoreSettings as Limits
from prunus.store.cipher import Cipher
from prunus.store.records import Exchange, Info, KnownConversation, cuts_of
from prunus.store.redis.connections import RedisConnections
from prunus.store.redis.experience import count_exchanges, experiences
from prunus.store.redis.keys import LINK_SIZE, PREFIX, TENANTS, TenantKeys
from prunus.store.redis.memory import RedisMemory
from prunus.store.redis.scripts import FORGET, HIDDEN, TAKE
from prunus.store.store import NoStore, StoreError, WithoutReceipts

_DAY: Final = 86_400
_EVERY: Final = 64
"""The store removes old conversations after this many exchanges."""
_ROUND: Final = 20
"""The most conversations that are removed in one round trip."""
_KEYS: Final = 500
"""The most keys in one command."""


class RedisStore(WithoutReceipts):
    """A store on a Redis server; `Store` documents the methods.

    It has no transactions over several calls. A ledger is one key, so it is never seen half written.
    """

    hurry = staticmethod(nullcontext)

    def __init__(self, server: RedisConnections, limits: Limits, cipher: Cipher, *, existing: bool) -> None:
        self.place = server.place
        self._server = server
        self._limits = limits
        self._seconds = max(1, limits.days * _DAY)
        self._cipher = cipher
        self._existing = existing
        self._recorded = 0

    def memory(self, tenant: str, trouble: Callable[[StoreError], None] | None = None) -> Memory:
        return RedisMemory(self._server, tenant, trouble, self._cipher, self._seconds)

    def record(self, tenant: str, exchange: Exchange, receipts: Sequence[Receipt] = ()) -> None:
        if exchange.status:
            self.record_all([(tenant, replace(exchange, cuts=cuts_of(receipts)))])

    def record_all(self, exchanges: Sequence[tuple[str, Exchange]]) -> None:
        count_exchanges(self._server, exchanges, self._seconds)
        self._housekeep(len(exchanges))

    def save_hidden(self, tenant: str, key: str, value: bytes) -> None:
        keys = TenantKeys(tenant)
        sealed = self._cipher.encrypt(value, tenant, "hidden", key)
        self._server.run(
            ("MULTI",),
            ("SET", keys.of("hidden", key), sealed, "EX", self._seconds),
            ("ZADD", keys.hidden, time.time(), key),
            ("SADD", TENANTS, tenant),
            ("EXEC",),
        )

    def hidden(self, tenant: str, keys: Iterable[str]) -> dict[str, bytes]:
        names, wanted = TenantKeys(tenant), list(dict.fromkeys(keys))
        found = {}
        for at in range(0, len(wanted), _KEYS):
            some = wanted[at : at + _KEYS]
            places = [names.hidden, *(names.of("hidden", key) for key in some)]
            [values] = self._server.call((HIDDEN, places, [self._seconds, time.time(), *some]))
            for key, value in zip(some, values, strict=True):
                if value is not None:
                    found[key] = self._cipher.decrypt(value, tenant, "hidden", key)
        return found

    def ask(self, tenant: str, conversation: str, what: str) -> None:
        key = TenantKeys(tenant).of("asked", conversation)
        self._server.run(
            ("MULTI",),
            ("RPUSH", key, what),
            ("EXPIRE", key, self._seconds),
            ("SADD", TENANTS, tenant),
            ("EXEC",),
        )

    def asked(self, tenant: str, conversation: str) -> tuple[str, ...]:
        [found] = self._server.run(("LRANGE", TenantKeys(tenant).of("asked", conversation), 0, -1))
        return tuple(one.decode() for one in found)

    def take(self, tenant: str, conversation: str) -> tuple[str, ...]:
        [found] = self._server.call((TAKE, [TenantKeys(tenant).of("asked", conversation)], []))
        return tuple(one.decode() for one in found)

    def experiences(self, tenant: str, *, shadow: bool = False) -> Mapping[str, Experience]:
        return experiences(self._server, TenantKeys(tenant), shadow=shadow)

    def conversations(
        self, tenant: str, id: str = "", *, before: float | None = None, limit: int | None = None
    ) -> list[KnownConversation]:
        newest = "+inf" if before is None else f"({before!r}"
        some = () if id or limit is None else ("LIMIT", 0, limit)
        command = "ZREVRANGEBYSCORE", TenantKeys(tenant).newest, newest, "-inf", "WITHSCORES", *some
        [flat] = self._server.run(command, report=True)
        rows = zip(flat[::2], flat[1::2], strict=True)
        found = [KnownConversation(name.decode(), float(last)) for name, last in rows]
        return [one for one in found if one.id.startswith(id)][:limit]

    def forget(self, tenant: str, conversations: Sequence[str]) -> int:
        keys = TenantKeys(tenant)
        gone = 0
        for at in range(0, len(conversations), _ROUND):
            calls = []
            for id in conversations[at : at + _ROUND]:
                own = [keys.of(kind, id) for kind in ("conversation", "written", "links", "cuts", "asked")]
                calls.append((FORGET, [*own, keys.newest, keys.lives], [id, keys.link(b""), LINK_SIZE]))
            gone += sum(self._server.call(*calls, report=True))
        return gone

    def forget_hidden(self, tenant: str, before: float) -> int:
        keys = TenantKeys(tenant)
        [old] = self._server.run(("ZRANGEBYSCORE", keys.hidden, "-inf", f"({before!r}"), report=True)
        for at in range(0, len(old), _KEYS):
            some = [key.decode() for key in old[at : at + _KEYS]]
            names = [keys.of("hidden", key) for key in some]
            self._server.run(("UNLINK", *names), ("ZREM", keys.hidden, *some), report=True)
        return len(old)

    def info(self) -> Info:
        tenants = self._tenants()
        if not tenants and self._existing:
            raise NoStore(f"there is no store at {self.place}")
        keys = [TenantKeys(tenant) for tenant in tenants]
        [memory] = self._server.run(("INFO", "memory"), report=True)
        counts = self._server.run(
            *(command for one in keys for command in (("ZCARD", one.newest), ("ZCARD", one.hidden))), report=True
        )
        times = self._server.run(
            *(("ZRANGE", one.newest, end, end, "WITHSCORES") for one in keys for end in (0, -1)), report=True
        )
        ends = [float(row[1]) for row in times if row]
        return Info(
            self.place,
            version=1,
            size=_used_memory(memory),
            days=self._limits.days,
            tenants=tuple(tenants),
            conversations=sum(counts[::2]),
            hidden=sum(counts[1::2]),
            oldest=min(ends, default=0.0),
            newest=max(ends, default=0.0),
            keeps_receipts=False,
        )

    def vacuum(self) -> None:
        for tenant in self._tenants():
            self._remove_old(tenant, None)

    def clear(self) -> None:
        place = b"0"
        while True:
            [[place, keys]] = self._server.run(("SCAN", place, "MATCH", f"{PREFIX}:*", "COUNT", 1_000), report=True)
            if keys:
                self._server.run(("UNLINK", *keys), report=True)
            if place == b"0":
                return

    def open(self) -> None:
        self._server.run(("PING",))

    def close(self) -> None:
        self._server.close()

    def _tenants(self) -> list[str]:
        [found] = self._server.run(("SMEMBERS", TENANTS), report=True)
        return sorted(name.decode() for name in found)

    def _housekeep(self, recorded: int) -> None:
        """Remove old conversations from time to time. Their keys expire; this removes their names too."""
        self._recorded += recorded
        if self._recorded >= _EVERY:
            self._recorded = 0
            with suppress(StoreError):
                for tenant in self._tenants():
                    self._remove_old(tenant, _ROUND)

    def _remove_old(self, tenant: str, most: int | None) -> None:
        oldest = time.time() - self._seconds
        old = [one.id for one in self.conversations(tenant, before=oldest)]
        self.forget(tenant, old if most is None else old[-most:])
        self.forget_hidden(tenant, oldest)


def _used_memory(lines: bytes) -> int:
    """Return the bytes that the server uses for its data, from the reply of INFO."""
    for line in lines.splitlines():
        name, _, value = line.partition(b":")
        if name == b"used_memory_dataset":
            return int(value)
    return 0
