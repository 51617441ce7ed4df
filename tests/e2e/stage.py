"""The sessions of one client that the tests look at, each played once and only when it is asked for."""

from __future__ import annotations

import urllib.request
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Final

from prunus.cli.store import tenant_of
from prunus.store.url import open_store
from tests.e2e import story
from tests.e2e.clients import Client
from tests.e2e.proxy import Proxy
from tests.e2e.session import Ended, play
from tests.e2e.tap import Passed, Tap
from tests.upstream import Prune, Request, Upstream
from tests.upstream.bill import alone
from tests.upstream.server import decoded

__all__ = ["KILL_AT", "OFF", "Played", "Stage"]

KILL_AT: Final = 8
"""The request of the client before which the proxy is killed: some time after the hidden call."""
OFF: Final = ("--agent", "off")
HIDDEN: Final = ("--agent", "hidden")


@dataclass(frozen=True, slots=True)
class Played:
    """A session, and what passed on both sides of the proxy."""

    ended: tuple[Ended, ...]
    up: Upstream
    passed: tuple[Passed, ...] = ()
    store: str = ""
    log: str = ""
    home: Path = Path()
    """The client's home."""

    @property
    def result(self) -> tuple[int, tuple[str, ...]]:
        """The worst exit code and the answers."""
        return max(abs(ended.code) for ended in self.ended), tuple(ended.answer for ended in self.ended)

    @property
    def files(self) -> dict[str, str]:
        """The files at the end."""
        return self.ended[-1].files

    @property
    def told(self) -> str:
        """What the client and the proxy wrote, for a failed test."""
        return "\n".join([*map(str, self.ended), self.log, *self.up.problems])

    @property
    def posts(self) -> list[Passed]:
        """What the client asked of a model."""
        return [passed for passed in self.passed if passed.method == "POST"]

    def by_step(self) -> dict[int, Request]:
        """The requests of the main conversation."""
        return {request.step: request for request in self.up.requests if request.step >= 0}

    @property
    def compaction(self) -> Request:
        """The request with which the client compacted its history."""
        [found] = [request for request in self.up.requests if request.wants_summary]
        return found

    @property
    def compaction_alone(self) -> Request:
        """The same as the client sent it, with what the provider would have counted without Prunus."""
        [found] = [request for request in alone(self.compaction.format, self.bodies()) if request.wants_summary]
        return found

    @property
    def before_compaction(self) -> Request:
        """The last request before it; calls of the hidden tool are part of it, though the client never saw them."""
        asked = self.up.requests[: self.compaction.number]
        return [request for request in asked if request.conversation == self.compaction.conversation][-1]

    @property
    def seen_before_compaction(self) -> Request:
        """The last request of the client before it, without what calls of the hidden tool added."""
        steps = self.up.model.script.steps
        asked = self.up.requests[: self.compaction.number]
        made = [request for request in asked if request.conversation == self.compaction.conversation]
        last = made.pop()
        while made and (calls := steps[made[-1].step].calls) and all(isinstance(call, Prune) for call in calls):
            last = made.pop()
        return last

    def conversations(self) -> dict[str, list[bytes]]:
        """What the upstream saw of each conversation; some clients have two of them side by side."""
        found: dict[str, list[bytes]] = defaultdict(list)
        for request in self.up.requests:
            found[request.conversation].append(request.bytes)
        return dict(found)

    def difference(self, other: Played) -> str:
        """The first bytes in which two sessions differ."""
        mine, theirs = self.conversations(), other.conversations()
        if mine.keys() != theirs.keys():
            return f"conversations {sorted(mine)} and {sorted(theirs)}"
        for tag, requests in mine.items():
            for number, (a, b) in enumerate(zip_longest(requests, theirs[tag], fillvalue=b"")):
                if a != b:
                    same = (x == y for x, y in zip(a, b, strict=False))
                    at = sum(1 for _ in takewhile(bool, same))
                    here = slice(max(0, at - 60), at + 120)
                    return f"request {number} of {tag} at byte {at}: {a[here]!r} and {b[here]!r}"
        return ""

    def bodies(self) -> list[bytes]:
        """What the client asked of a model, without content encoding."""
        models = {request.path for request in self.up.requests}
        asked = [passed for passed in self.posts if passed.path in models]
        headers = [{name.lower(): value for name, value in passed.headers.items()} for passed in asked]
        return [decoded(a.body, h.get("content-encoding", "")) for a, h in zip(asked, headers, strict=True)]

    def undeclared(self) -> list[str]:
        """Breaks at requests for which the ledger holds no flush.

        The ledger is saved before a request is sent. Exchanges are recorded later, so a kill may lose one.
        """
        store = open_store(self.store, existing=True)
        try:
            tenant = tenant_of(store, None)
            memos = [store.memory(tenant).load(session.id) for session in store.sessions(tenant)]
        finally:
            store.close()
        longest = max((memo for memo in memos if memo is not None), key=lambda memo: memo.requests)
        flushed = {flush.request for flush in longest.ledger.flushes}
        # Calls that the proxy makes itself count too.
        numbers = (request.number for request in self.up.requests if request.step >= 0)
        asked = {number: count for count, number in enumerate(numbers, 1)}
        return [str(b) for b in self.up.breaks if asked.get(b.request) not in flushed]


class Stage:
    """One client, and the sessions it plays."""

    def __init__(self, client: Client, folder: Callable[[], Path]) -> None:
        self.client = client
        self._folder = folder

    @cached_property
    def alone(self) -> Played:
        """Without Prunus."""
        home, project, _ = self._places()
        with Upstream(story.script(project)) as up:
            return Played(play(self.client, up.url, story.PROMPTS, home, project), up, home=home)

    @cached_property
    def pruned(self) -> Played:
        """Behind Prunus as it comes."""
        return self._behind(OFF)

    @cached_property
    def hidden(self) -> Played:
        """With the hidden tool, and a proxy that is killed in the middle and started again."""
        return self._behind(HIDDEN, kill_at=KILL_AT)

    @cached_property
    def acp(self) -> Played:
        """By the rules of the ACP plugin, at once and with the hidden tool."""
        return self._behind(("--preset", "acp"))

    @cached_property
    def compacted(self) -> Played:
        """As `pruned`, with a client that compacts its history between the two prompts."""
        return self._behind(OFF, compacting=True)

    @cached_property
    def compacted_hidden(self) -> Played:
        """The same with the hidden tool."""
        return self._behind(HIDDEN, compacting=True)

    def replayed(self, played: Played, options: tuple[str, ...] = HIDDEN, kills: tuple[int, ...] = ()) -> Played:
        """The requests of a session once more, to a fresh proxy that is killed before some of them."""
        folder = self._places()[2]
        with Upstream(played.up.model.script) as up, Proxy(up.url, folder, *options) as proxy:
            for number, passed in enumerate(played.posts):
                if number in kills:
                    proxy.restart()
                request = urllib.request.Request(
                    proxy.url + passed.path, passed.body, passed.headers, method="POST"
                )
                with urllib.request.urlopen(request, timeout=60) as response:
                    response.read()
        return Played(played.ended, up, played.passed, proxy.store, proxy.log.read_text())

    def _behind(self, options: tuple[str, ...], kill_at: int = -1, *, compacting: bool = False) -> Played:
        home, project, aside = self._places()
        with Upstream(story.script(project)) as up, Proxy(up.url, aside, *options) as proxy:

            def before(number: int) -> None:
                if number == kill_at:
                    proxy.restart()

            with Tap(proxy.url, before) as tap:
                ended = play(self.client, tap.url, story.PROMPTS, home, project, compacting=compacting)
        return Played(ended, up, tuple(tap.passed), proxy.store, proxy.log.read_text())

    def _places(self) -> tuple[Path, Path, Path]:
        folder = self._folder()
        home, project, aside = folder / "home", folder / "project", folder / "proxy"
        for each in (home, project, aside):
            each.mkdir()
        story.lay_out(project)
        return home, project, aside
