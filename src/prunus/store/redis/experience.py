"""What agents made of the cuts: sums for each agent, which outlive the conversations."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from prunus.reuse.asked_again import Experience, Tried
from prunus.store.records import Exchange
from prunus.store.redis.connections import RedisConnections
from prunus.store.redis.keys import TENANTS, TenantKeys
from prunus.store.redis.scripts import Script

_REMEMBERED: Final = 3_600
"""The seconds in which recording an exchange again does not count it again."""

_RECORD: Final = Script(
    """
-- KEYS: exchange, cuts of the conversation, requests, tenants
-- ARGV: the exchange as JSON, the prefix of experience, seconds to keep, seconds to remember the exchange, tenant
local new = cjson.decode(ARGV[1])
local agent = new.shadow .. ' ' .. new.client
local function add(strategy, kind, values)
    for name, value in pairs(values) do
        redis.call('HINCRBYFLOAT', ARGV[2] .. agent, cjson.encode({strategy, kind, name}), value)
    end
end

redis.call('SADD', KEYS[4], ARGV[5])
if redis.call('SET', KEYS[1], '1', 'NX', 'EX', ARGV[4]) then
    redis.call('HINCRBY', KEYS[3], agent, new.requests)
end

for _, cut in ipairs(new.cuts) do
    local row = {strategy = cut.strategy, kind = cut.kind, made = new.request, expected = cut.expected,
        shadow = new.shadow, asked = 0, tokens = 0}
    if redis.call('HSETNX', KEYS[2], cut.place .. ' ' .. cut.strategy, cjson.encode(row)) == 1 then
        add(cut.strategy, cut.kind, {cut = 1, expected = cut.expected})
    end
end
for _, ask in ipairs(new.asks) do
    local field = ask.place .. ' ' .. ask.strategy
    local held = redis.call('HGET', KEYS[2], field)
    -- A conversation that left another one took over edits for which it has no rows.
    local row = held and cjson.decode(held) or {strategy = ask.strategy, kind = ask.kind, made = 0, expected = 0,
        shadow = new.shadow, asked = 0, tokens = 0}
    if row.asked == 0 then
        row.asked, row.tokens = new.request, ask.tokens
        redis.call('HSET', KEYS[2], field, cjson.encode(row))
        add(ask.strategy, row.kind, {asked = 1, tokens = ask.tokens})
    end
end
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 'counted'
"""
)


def count_exchanges(server: RedisConnections, exchanges: Sequence[tuple[str, Exchange]], seconds: int) -> None:
    """Count exchanges, each with its tenant, in one round trip."""
    calls = []
    for tenant, exchange in exchanges:
        keys = TenantKeys(tenant)
        names = [keys.of("exchange", exchange.id), keys.of("cuts", exchange.conversation), keys.requests, TENANTS]
        values = [_counted(exchange), f"{keys.experience}:", seconds, _REMEMBERED, tenant]
        calls.append((_RECORD, names, values))
    if calls:
        server.call(*calls)


def experience_with(server: RedisConnections, keys: TenantKeys, client: str) -> Experience:
    """Return the experience with one agent; shadow runs do not count."""
    name = f"0 {client}"
    requests, flat = server.run(("HGET", keys.requests, name), ("HGETALL", f"{keys.experience}:{name}"))
    return Experience(int(requests), _tried(flat)) if requests is not None else Experience()


def experiences(server: RedisConnections, keys: TenantKeys, *, shadow: bool) -> Mapping[str, Experience]:
    """Return the experience with each agent, by its name."""
    [flat] = server.run(("HGETALL", keys.requests), report=True)
    agents = {
        name.decode().partition(" ")[2]: int(count)
        for name, count in zip(flat[::2], flat[1::2], strict=True)
        if name.decode().partition(" ")[0] == str(int(shadow)) and int(count) > 0
    }
    rows = server.run(*(("HGETALL", f"{keys.experience}:{int(shadow)} {name}") for name in agents), report=True)
    found = zip(agents.items(), rows, strict=True)
    return {name: Experience(count, _tried(row)) for (name, count), row in sorted(found, key=lambda one: one[0])}


def _counted(exchange: Exchange) -> str:
    """Return what the script counts of an exchange."""
    cuts = [
        {"place": "{} {}".format(*cut.target), "strategy": cut.strategy, "kind": cut.kind, "expected": cut.expected}
        for cut in exchange.cuts
    ]
    asks = [
        {"place": "{} {}".format(*ask.target), "strategy": ask.strategy, "kind": ask.kind, "tokens": ask.tokens}
        for ask in exchange.asks
    ]
    about = {"client": exchange.client, "shadow": int(exchange.shadow), "requests": int(not exchange.keep_alive)}
    return json.dumps({**about, "request": exchange.request, "cuts": cuts, "asks": asks})


def _tried(flat: Sequence[bytes]) -> Mapping[tuple[str, str], Tried]:
    """Return the sums of a hash whose fields are strategy, kind and name of a sum, as JSON."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for field, value in zip(flat[::2], flat[1::2], strict=True):
        strategy, kind, name = json.loads(field)
        found[strategy, kind][name] = float(value)
    counted = {key: (sums["cut"], sums["expected"], sums["asked"], sums["tokens"]) for key, sums in found.items()}
    return {
        key: Tried(round(cut), expected, round(asked), round(tokens))
        for key, (cut, expected, asked, tokens) in counted.items()
        if round(cut) > 0
    }
