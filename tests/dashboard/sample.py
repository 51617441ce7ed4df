"""A store as some days with agents would leave it, made up: for pages, pictures and measurements."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from hashlib import blake2b
from typing import Final

from prunus.conversations.context import Context
from prunus.conversations.memory import ConversationRecord
from prunus.edits import Gone, Note, Proposal, Shorter
from prunus.history import Ref
from prunus.outcome import Receipt
from prunus.reuse.asked_again import Ask
from prunus.schedule.ledger import Flush, Ledger
from prunus.store import Exchange, Store, Usage
from prunus.tally import Tally

NOW: Final = time.time()
"""About the time of the newest request. A store forgets what is old, so this is no fixed date."""
AGENTS: Final = (("claude-cli", "claude-opus-5"), ("codex_cli_rs", "gpt-6-sol"), ("claude-cli", "claude-haiku-4-5"))
CODE: Final = "\n".join(
    f"    def step_{n}(self, value: int) -> int:\n        return value * {n} + self.offset" for n in range(40)
)
SHORTER: Final = "\n".join([*CODE.splitlines()[:6], "[Prunus: lines 7-74 removed]", *CODE.splitlines()[-6:]])
PATH: Final = "src/ledger/accounts.py"
CUTS: Final = (
    ("stale_reads", "Read", f"{PATH} was written later", Note(f"[Prunus: read of {PATH} removed; it changed.]")),
    ("finished_results", "Bash", "the tests passed and the task is over", Shorter(SHORTER)),
    ("duplicate_calls", "Grep", "the same call was made again later", Note("[Prunus: the search stands below.]")),
    ("old_thinking", "", "reasoning of an earlier task", Gone()),
)


def name_of(n: int) -> str:
    """The id of a conversation."""
    return blake2b(f"conversation {n}".encode(), digest_size=8).hexdigest()


def receipts(conversation: int, request: int, first: int, rng: random.Random) -> list[Receipt]:
    """Some of what one request cuts, from this part of a message on."""
    found = []
    for n in range(first, first + rng.randint(3, 5)):
        strategy, tool, reason, replacement = CUTS[(request + n) % len(CUTS)]
        counts = {"tokens_before": rng.randint(900, 4_000), "tokens_after": rng.randint(10, 60)}
        edit = Proposal(Ref(2 * request, n), replacement, strategy, reason, **counts)
        id = blake2b(f"{conversation} {request} {n}".encode(), digest_size=3).hexdigest()
        found.append(Receipt(id, edit, CODE, tool, request // 2, kind="read" if tool else None))
    return found


def fill_conversation(store: Store, n: int, requests: int, begun: float, tenant: str = "") -> None:
    """Write one conversation: it grows, is cut every now and then, and pauses once."""
    rng = random.Random(n)
    client, model = AGENTS[n % len(AGENTS)]
    id, at = name_of(n), begun
    whole, sent, cached, held = 18_000, 18_000, 0, 0
    """`cached` is what the provider has of the pruned requests, `held` what it would have of the others."""
    edits: list[Proposal] = []
    flushes: list[Flush] = []
    for request in range(1, requests + 1):
        pause = 1_500.0 if request == requests // 2 else rng.uniform(4, 40)
        at += pause
        more = rng.randint(400, 4_500)
        whole, sent = whole + more, sent + more
        flush, cut = None, []
        if request % 13 == 0:
            cut = [cut for at in range(3) for cut in receipts(n, request, 10 * at, rng)]
            edits += (receipt.edit for receipt in cut if isinstance(receipt.edit, Proposal))
            saved = sum(receipt.edit.saved for receipt in cut)
            sent -= saved
            again = min(cached, round(0.3 * sent))
            flush = Flush(request, at, 2 * request, "the edits save more than the break costs", saved, again)
            flushes.append(flush)
            cached = sent - again
        if pause > 600:
            cached = held = 0
        usage = Usage(rng.randint(3, 12), max(0, min(cached, sent - more)), 0, rng.randint(60, 900))
        usage = replace(usage, cache_write=sent - usage.cache_read - usage.input)
        cost = usage.input + 0.1 * usage.cache_read + 1.25 * usage.cache_write
        unpruned = 10 + 0.1 * held + 1.25 * (whole - held)
        why = "first" if request == 1 else "expired" if pause > 600 else "cut" if flush else ""
        asks = ()
        if request % 39 == 0:
            asks = (Ask(edits[0].target, edits[0].strategy, "read", 900, Ref(2 * request + 1, 0)),)
        exchange = Exchange(
            id, request, at, client, "anthropic_messages", model, whole, sent, usage, cost, unpruned,
            0.9 * flush.rewritten if flush else 0.0, flush, 200, rng.uniform(900, 9_000), asks=asks,
            context=context(whole, sent) if request == requests else None, project="/home/me/ledger",
            missed=sent - usage.cache_read if why else 0, missed_for=why,
        )  # fmt: skip
        store.record(tenant, exchange, cut)
        cached, held = sent, whole
    links = [blake2b(f"{id} {depth}".encode(), digest_size=16).digest() for depth in range(2)]
    ledger = Ledger(tuple(sorted(edits, key=lambda edit: edit.target)), tuple(flushes))
    store.memory(tenant).keep(ConversationRecord(id, ledger, 2, requests, at, b"prompt"), links, {})


def context(whole: int, sent: int) -> Context:
    """What fills a request."""
    return Context(
        whole,
        sent,
        {name: Tally(2, (whole - sent) // 3) for name in ("stale_reads", "asked", "finished_results")},
        {
            "system": 9_400,
            "todos": 320,
            "current files": sent // 4,
            "recent results": sent // 5,
            "working memory": 2_400,
            "historical": sent // 3,
        },
        {"critical": 11_000, "important": sent // 3, "ephemeral": sent // 4, "temporary": sent // 12},
        {"keep": sent // 2, "discard": sent // 3},
    )


def fill(store: Store, conversations: int = 6, requests: int = 60, tenant: str = "", now: float = NOW) -> list[str]:
    """Write some conversations, of which the first is the longest and the newest; return their ids."""
    for n in range(conversations):
        fill_conversation(store, n, max(1, requests - 4 * n), now - 86_400 * 1.7 * n - 3_600, tenant)
    return [name_of(n) for n in range(conversations)]
