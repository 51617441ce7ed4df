"""OpenCode and pi with our packages in them: they ask a proxy what to send, and send it to the provider."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e import story
from tests.e2e.clients import Client
from tests.e2e.clients.opencode import OpenCode
from tests.e2e.clients.pi import Pi
from tests.e2e.install import NotInstalled, install
from tests.e2e.proxy import Proxy
from tests.e2e.session import play
from tests.e2e.stage import Played
from tests.packages import long_story
from tests.packages.clients import OpenCodePlugin, PiExtension, stored_results
from tests.upstream import Upstream

pytestmark = pytest.mark.packages

NOTE = b"[Prunus: "
PAIRS: dict[str, tuple[Client, OpenCodePlugin | PiExtension]] = {
    # The plugin sees OpenCode's own messages, whatever the API. A session takes long, so two APIs are enough.
    **{f"opencode-{wire}": (OpenCode(wire), OpenCodePlugin(wire)) for wire in ("anthropic", "responses")},
    **{f"pi-{wire}": (Pi(wire), PiExtension(wire)) for wire in ("anthropic", "chat", "responses")},
}
FOLDERS = {"opencode": "opencode-prunus", "pi": "pi-prunus"}


class Session:
    """One session of a client: how it ended, and the results of tools that it has stored and sent in the end."""

    def __init__(self, client: Client, folder: Path, proxy: Proxy | None = None) -> None:
        home, project = folder / "home", folder / "project"
        for each in (home, project):
            each.mkdir(parents=True)
        story.lay_out(project)
        with Upstream(long_story.script(project)) as up:
            ended = play(client, up.url, long_story.PROMPTS, home, project)
        self.played = Played(ended, up, store=proxy.store if proxy else "")
        self.stored = stored_results(client, home, project)
        steps = self.played.by_step()
        self.sent = [text.replace(str(project).lstrip("/"), "") for text in steps[max(steps)].results().values()]


@pytest.fixture(params=PAIRS)
def sessions(request: pytest.FixtureRequest, packed: dict[str, Path], tmp_path: Path) -> Callable[[str], Session]:
    """Plays a session: "alone", "pruned", or with a proxy that is "gone"."""
    alone, with_package = PAIRS[request.param]
    try:
        install(alone.package)
    except NotInstalled as reason:
        pytest.skip(f"{request.param} cannot be installed: {reason}")

    def session(how: str) -> Session:
        folder = tmp_path / how
        folder.mkdir()
        if how == "alone":
            return Session(alone, folder)
        proxy = Proxy("http://127.0.0.1:9", folder)
        client = replace(with_package, folder=packed[FOLDERS[alone.package]], proxy=proxy.url)
        if how == "gone":
            return Session(client, folder)
        with proxy:
            return Session(client, folder, proxy)

    return session


def test_client_sends_less_and_ends_the_same(sessions: Callable[[str], Session]) -> None:
    assert long_story.CALLS >= 30
    alone, pruned, gone = sessions("alone"), sessions("pruned"), sessions("gone")
    for session in (alone, pruned, gone):
        played = session.played
        assert played.result == (0, long_story.ANSWERS), played.told
        assert long_story.ends_well(played.files)
        # Pairs, ids, order, signatures: what the provider would refuse.
        assert played.up.problems == []
        assert played.files == alone.played.files
        assert session.stored == alone.stored
    assert len(alone.stored) == long_story.CALLS
    sent, whole = pruned.played.by_step(), alone.played.by_step()
    assert sent.keys() == whole.keys() == gone.played.by_step().keys()
    assert [request.results().keys() for request in sent.values()] == [
        request.results().keys() for request in whole.values()
    ]
    assert sum(map(len, pruned.sent)) < 0.6 * sum(map(len, alone.sent))
    assert pruned.played.up.tokens.input < alone.played.up.tokens.input
    assert pruned.played.undeclared() == []
    # Without a proxy the client sends what it would send without the package.
    assert gone.sent == alone.sent
    assert not any(NOTE in request.bytes for request in gone.played.up.requests)
