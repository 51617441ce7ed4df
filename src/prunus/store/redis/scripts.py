"""Lua scripts: the server runs each as one transaction, in one round trip.

A server without memory refuses commands that need some. A script therefore makes such a change before it removes
anything, so that a refused script has changed nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha1
from typing import Any, Final


class Script:
    """A Lua script and the hash by which the server knows it."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._hash = sha1(source.encode(), usedforsecurity=False).hexdigest()

    def command(self, keys: Sequence[str | bytes], values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the command that runs the script."""
        return ("EVALSHA", self._hash, len(keys), *keys, *values)

    def source_command(self, keys: Sequence[str | bytes], values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the command for a server that does not know the script."""
        return ("EVAL", self._source, len(keys), *keys, *values)


FIND: Final = Script(
    """
-- KEYS: links; ARGV: the prefixes of conversations and of their commands.
-- Returns {conversation, its depth, its requests, depth of the link, 1 if commands wait} for each known link.
local found = {}
for _, value in ipairs(redis.call('MGET', unpack(KEYS))) do
    if value then
        local depth, id = string.match(value, '^(%d+) (.*)$')
        local state = redis.call('HMGET', ARGV[1] .. id, 'depth', 'requests')
        if state[1] then
            local commands = redis.call('EXISTS', ARGV[2] .. id)
            found[#found + 1] = {id, tonumber(state[1]), tonumber(state[2]), tonumber(depth), commands}
        end
    end
end
return found
"""
)

KEEP: Final = Script(
    """
-- KEYS: conversation, written, links of the conversation, newest, lives, tenants, commands, the link before,
--       links...
-- ARGV: known stamp, requests, whole (1 or 0), seconds to keep, id, tenant, seen, has a life (1 or 0),
--       depth of the first link, link size, checks the link before (1 or 0), then four counted lists: fields and
--       values to set, fields to remove, messages and texts to set, messages to remove
-- Returns 'older' if a state with as many requests is stored, or more; 'unexpected' if the conversation was not the
-- last to send the deepest known link, or commands wait for it; 'stale' if the stored ledger is not the known one;
-- else 'kept'.
local state = redis.call('HMGET', KEYS[1], 'stamp', 'requests', 'last')
local stamp = state[1] or ''
if state[2] and tonumber(state[2]) >= tonumber(ARGV[2]) then
    return 'older'
end
if ARGV[11] == '1' then
    if redis.call('GET', KEYS[8]) ~= (tonumber(ARGV[9]) - 1) .. ' ' .. ARGV[5] then
        return 'unexpected'
    end
    for n = 7, #KEYS do
        if n ~= 8 and redis.call('EXISTS', KEYS[n]) == 1 then
            return 'unexpected'
        end
    end
end
if stamp ~= ARGV[1] and ARGV[3] == '0' then
    return 'stale'
end

local at = 12
local function list()
    local count = tonumber(ARGV[at])
    local items = {}
    for n = 1, count do
        items[n] = ARGV[at + n]
    end
    at = at + count + 1
    return items
end
local function each(command, key, items)
    for first = 1, #items, 1000 do
        redis.call(command, key, unpack(items, first, math.min(first + 999, #items)))
    end
end

local fields, gone, texts, whole_again = list(), list(), list(), list()
local kept = {}
for n = 1, #fields, 2 do
    kept[fields[n]] = true
end
each('HSET', KEYS[1], fields)
local seen = ARGV[7]
if state[3] and tonumber(state[3]) > tonumber(seen) then
    seen = state[3]
end
redis.call('HSET', KEYS[1], 'last', seen)
if ARGV[3] == '1' then
    for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
        if string.sub(field, 1, 2) == 'e ' and not kept[field] then
            gone[#gone + 1] = field
        end
    end
end
each('HDEL', KEYS[1], gone)
each('HSET', KEYS[2], texts)
each('HDEL', KEYS[2], whole_again)

local size = tonumber(ARGV[10])
for n = 9, #KEYS do
    local value = (tonumber(ARGV[9]) + n - 9) .. ' ' .. ARGV[5]
    if redis.call('GET', KEYS[n]) ~= value then
        redis.call('APPEND', KEYS[3], string.sub(KEYS[n], -size))
    end
    redis.call('SET', KEYS[n], value, 'EX', ARGV[4])
end
for n = 1, 3 do
    redis.call('EXPIRE', KEYS[n], ARGV[4])
end
redis.call('ZADD', KEYS[4], seen, ARGV[5])
if ARGV[8] == '1' then
    redis.call('ZADD', KEYS[5], seen, ARGV[5])
end
redis.call('SADD', KEYS[6], ARGV[6])
return 'kept'
"""
)

REFRESH: Final = Script(
    """
-- KEYS: conversation; ARGV: requests, time. Saves the time of a keep-alive request unless another request came.
if redis.call('HGET', KEYS[1], 'requests') ~= ARGV[1] then
    return 0
end
redis.call('HSET', KEYS[1], 'kept', ARGV[2])
return 1
"""
)

LIVES: Final = Script(
    """
-- KEYS: lives; ARGV: the prefix of conversations, how many. Returns what the newest ones know of the cache.
local found = {}
for _, id in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, tonumber(ARGV[2]) - 1)) do
    local life = redis.call('HGET', ARGV[1] .. id, 'life')
    if life then
        found[#found + 1] = life
    end
end
return found
"""
)

HIDDEN: Final = Script(
    """
-- KEYS: index, hidden exchanges...; ARGV: seconds to keep, now, names... Returns them, and keeps them longer.
local found = redis.call('MGET', unpack(KEYS, 2))
for n = 1, #KEYS - 1 do
    if found[n] then
        redis.call('EXPIRE', KEYS[n + 1], ARGV[1])
        redis.pcall('ZADD', KEYS[1], 'XX', ARGV[2], ARGV[n + 2])  -- a full server refuses this
    end
end
return found
"""
)

TAKE: Final = Script(
    """
-- KEYS: asked. Returns the commands and removes them; in MULTI a full server would refuse this.
local found = redis.call('LRANGE', KEYS[1], 0, -1)
redis.call('DEL', KEYS[1])
return found
"""
)

FORGET: Final = Script(
    """
-- KEYS: conversation, written, links of the conversation, cuts, asked, newest, lives
-- ARGV: id, the prefix of links, link size. Returns 1 if there was something to remove.
local links, size = redis.call('GET', KEYS[3]) or '', tonumber(ARGV[3])
for n = 1, #links, size do
    local key = ARGV[2] .. string.sub(links, n, n + size - 1)
    local value = redis.call('GET', key)
    if value and string.match(value, '^%d+ (.*)$') == ARGV[1] then
        redis.call('DEL', key)
    end
end
local gone = redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5])
redis.call('ZREM', KEYS[6], ARGV[1])
redis.call('ZREM', KEYS[7], ARGV[1])
return gone > 0 and 1 or 0
"""
)
