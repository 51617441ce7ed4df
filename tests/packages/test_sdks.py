"""The SDKs of Claude Code and Codex behind a proxy, by the programs that the pages show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e import story
from tests.e2e.install import NotInstalled, install
from tests.e2e.proxy import Proxy
from tests.e2e.session import play
from tests.e2e.stage import Played
from tests.packages import long_story
from tests.packages.sdks import ClaudeAgentSdk, CodexSdk
from tests.upstream import Upstream

pytestmark = pytest.mark.packages

SDKS: dict[str, ClaudeAgentSdk | CodexSdk] = {sdk.name: sdk for sdk in (ClaudeAgentSdk(), CodexSdk())}


def run(client: ClaudeAgentSdk | CodexSdk, folder: Path, *, behind: bool) -> Played:
    """One run of a program, straight to the provider or behind a proxy."""
    home, project = folder / "home", folder / "project"
    for each in (home, project):
        each.mkdir(parents=True)
    story.lay_out(project)
    with Upstream(long_story.script(project)) as up:
        if not behind:
            return Played(play(client, up.url, long_story.PROMPTS, home, project), up)
        with Proxy(up.url, folder, "--set", f"proxy.token={client.token}") as proxy:
            ended = play(client, proxy.url, long_story.PROMPTS, home, project)
    return Played(ended, up, store=proxy.store, log=proxy.log.read_text())


@pytest.mark.parametrize("name", SDKS)
def test_program_sends_less_and_ends_the_same(name: str, tmp_path: Path, node: str) -> None:
    try:
        install(name)
    except NotInstalled as reason:
        pytest.skip(f"{name} cannot be installed: {reason}")
    alone, pruned = (run(SDKS[name], tmp_path / str(behind), behind=behind) for behind in (False, True))
    for played in (alone, pruned):
        assert played.result[0] == 0, played.told
        assert json.loads(played.result[1][0]) == list(long_story.ANSWERS), played.told
        assert long_story.ends_well(played.files)
        assert played.up.problems == []
    sent, whole = pruned.by_step(), alone.by_step()
    assert sent.keys() == whole.keys()
    assert sent[max(sent)].results().keys() == whole[max(whole)].results().keys()
    assert pruned.up.tokens.input < 0.8 * alone.up.tokens.input
    assert pruned.undeclared() == []
