"""Real clients, alone and behind Prunus: the same work, fewer tokens, nothing a provider would refuse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from prunus.clients.sessions import find
from prunus.lab.measuring import measure
from prunus.schedule.prices import DEFAULT, price_of
from prunus.store.url import open_store
from tests.e2e import story
from tests.e2e.clients import CLIENTS, asked_for
from tests.e2e.install import NotInstalled, install
from tests.e2e.stage import KILL_AT, OFF, Played, Stage
from tests.upstream import Request
from tests.upstream.bill import billed, unpruned
from tests.upstream.prefix import Link, chain
from tests.upstream.wires import WIRES

pytestmark = pytest.mark.e2e

TOOL = "context_prune"


@pytest.fixture(scope="session")
def stages() -> dict[str, Stage]:
    """The clients that have played so far."""
    return {}


@pytest.fixture(params=asked_for())
def stage(
    request: pytest.FixtureRequest, stages: dict[str, Stage], tmp_path_factory: pytest.TempPathFactory
) -> Stage:
    """Each client in turn, installed if that is possible here."""
    client = CLIENTS[request.param]
    try:
        install(client.package)
    except NotInstalled as reason:
        pytest.skip(f"{client.name} cannot be installed: {reason}")
    return stages.setdefault(client.name, Stage(client, lambda: tmp_path_factory.mktemp("session")))


def test_client_plays_the_script_alone(stage: Stage) -> None:
    alone = stage.alone
    assert alone.result == (0, story.ANSWERS[: len(alone.ended)]), alone.told
    assert story.ends_well(alone.files)
    assert (alone.up.problems, [str(b) for b in alone.up.breaks]) == ([], [])


def test_client_ends_the_same_behind_prunus(stage: Stage) -> None:
    assert stage.pruned.result == stage.alone.result, stage.pruned.told
    assert stage.pruned.files == stage.alone.files
    assert stage.pruned.up.problems == []


def test_every_answer_is_whole_and_upgrades_are_refused(stage: Stage) -> None:
    for passed in stage.pruned.passed:
        upgrade = "upgrade" in {name.lower() for name in passed.headers}
        assert passed.status == (426 if upgrade else 200), (passed.method, passed.path)


def test_upstream_sees_fewer_tokens(stage: Stage) -> None:
    alone, pruned = stage.alone.by_step(), stage.pruned.by_step()
    assert stage.pruned.up.tokens.input < stage.alone.up.tokens.input
    assert alone.keys() == pruned.keys()
    assert pruned[max(pruned)].usage.input < alone[max(alone)].usage.input


def test_every_break_was_declared(stage: Stage) -> None:
    assert stage.pruned.undeclared() == []


def test_restarts_change_no_byte(stage: Stage) -> None:
    steady, stopped = stage.replayed(stage.pruned, OFF), stage.replayed(stage.pruned, OFF, kills=(4, 9))
    assert steady.conversations() == stopped.conversations(), steady.difference(stopped)
    assert steady.up.problems == []
    assert steady.undeclared() == []


def test_hidden_tool_took_effect(stage: Stage) -> None:
    if stage.client.upstream == "gemini":
        pytest.skip("the hidden tool is not offered on the Gemini API")
    steps = stage.hidden.by_step()
    assert all(TOOL in request.tools for request in steps.values()), stage.hidden.told
    sent = {step: request.bytes.decode() for step, request in steps.items()}
    unasked = stage.pruned.by_step()[story.RESTORE - 1].bytes.decode()
    assert story.NOTE in unasked
    assert story.NOTE in sent[story.DISCARD]
    assert story.NOTE not in sent[story.RESTORE - 1]


def test_distilled_and_restored_results_are_in_the_context(stage: Stage) -> None:
    if stage.client.upstream == "gemini" or not stage.client.resumes:
        pytest.skip("needs the hidden tool and a second turn")
    steps = stage.hidden.by_step()
    before, after = steps[story.RESTORE].results(), steps[story.RESTORE + 1].results()
    assert story.DISTILLED in before[story.LONG, 0]
    assert story.NOTE not in before[story.NOTES]
    assert story.NOTE in after[story.NOTES]


def test_client_never_saw_the_hidden_tool(stage: Stage) -> None:
    for passed in stage.hidden.passed:
        assert TOOL.encode() not in passed.body
        assert TOOL.encode() not in passed.answer
    assert all(TOOL not in ended.output for ended in stage.hidden.ended)


def test_client_ends_the_same_with_the_hidden_tool_and_a_restart(stage: Stage) -> None:
    code, answers = stage.hidden.result
    assert code == 0, stage.hidden.told
    # What the model says beside a hidden call and after it is one message for the client.
    expected = stage.alone.result[1]
    assert all(a.endswith(b) for a, b in zip(answers, expected, strict=True)), stage.hidden.told
    assert stage.hidden.files == stage.alone.files
    assert stage.hidden.up.problems == []
    assert stage.hidden.undeclared() == []


def test_client_ends_the_same_by_the_rules_of_acp(stage: Stage) -> None:
    code, answers = stage.acp.result
    assert code == 0, stage.acp.told
    assert all(a.endswith(b) for a, b in zip(answers, stage.alone.result[1], strict=True)), stage.acp.told
    assert stage.acp.files == stage.alone.files
    assert stage.acp.up.problems == []
    assert stage.acp.undeclared() == []


def test_restart_in_mid_session_changes_no_byte(stage: Stage) -> None:
    assert len(stage.hidden.posts) > KILL_AT
    steady = stage.replayed(stage.hidden)
    assert steady.conversations() == stage.hidden.conversations(), steady.difference(stage.hidden)


def test_client_that_compacts_ends_the_same(stage: Stage) -> None:
    for played in compacted(stage):
        code, answers = played.result
        assert code == 0, played.told
        # What the model says beside a hidden call and after it is one message for the client.
        ends = zip((answers[0], answers[-1]), story.ANSWERS, strict=True)
        assert all(answer.endswith(expected) for answer, expected in ends), played.told
        assert played.files == stage.alone.files
        assert played.up.problems == []


def test_compaction_extends_the_pruned_history(stage: Stage) -> None:
    for played in compacted(stage):
        compaction, before, unpruned = played.compaction, played.before_compaction, played.compaction_alone
        sent, shared = links(compaction), links(before)[: len(links(played.seen_before_compaction))]
        assert [link.text for link in sent[: len(shared)]] == [link.text for link in shared]
        assert sent[-1].text == links(unpruned)[-1].text
        assert compaction.usage.input < unpruned.usage.input
        # Codex on a provider of its own leaves out its tools, and finds nothing in the cache either way.
        behind = sum(link.tokens for link in links(before)[len(shared) :])
        assert compaction.usage.read >= (before.usage.input - behind if compaction.tools else unpruned.usage.read)
        fresh, fresh_alone = (one.usage.input - one.usage.read for one in (compaction, unpruned))
        assert fresh <= fresh_alone


def test_compaction_can_be_sent_whole(stage: Stage) -> None:
    played = next(compacted(stage))
    whole = stage.replayed(played, (*OFF, "--set", "compaction=whole"))
    assert whole.compaction.bytes == whole.compaction_alone.bytes
    assert not whole.compaction.tools or whole.compaction.usage.read < whole.before_compaction.usage.input
    check_figures(whole)


def test_figures_of_a_client_that_compacts_are_those_of_the_provider(stage: Stage) -> None:
    for played in compacted(stage):
        check_figures(played)


def compacted(stage: Stage) -> Iterator[Played]:
    """The sessions in which the client compacts its history, without the hidden tool and with it."""
    if stage.client.compacts is None:
        pytest.skip(f"nothing makes {stage.client.name} compact its history here")
    yield stage.compacted
    yield stage.compacted_hidden


def links(request: Request) -> list[Link]:
    """The parts of the messages."""
    return [link for link in chain(WIRES[request.format], request.body).links if link.message >= 0]


def test_figures_are_those_of_the_provider(stage: Stage) -> None:
    check_figures(stage.pruned)
    check_figures(stage.acp)
    # Without the kill: what waits to be recorded at that moment is lost.
    check_figures(stage.replayed(stage.hidden))


def check_figures(played: Played) -> None:
    """What the store says is within one hundredth of what the provider has charged, and would have."""
    store = open_store(played.store, existing=True)
    totals, [model] = store.totals(""), {session.model for session in store.sessions("")}
    store.close()
    price, format = price_of(model), played.up.requests[0].format
    sent, came = billed(played.up.requests, price), unpruned(format, played.bodies(), price)
    assert totals.tokens_after == sent.tokens
    assert totals.cost == pytest.approx(sent.cost)
    assert totals.tokens_before == pytest.approx(came.tokens, rel=0.01)
    assert totals.cost_unpruned == pytest.approx(came.cost, rel=0.01)
    assert totals.saved == pytest.approx(came.cost - sent.cost, abs=0.01 * came.cost)


def test_analyze_finds_what_the_provider_charged(stage: Stage) -> None:
    played = stage.alone
    rows = [row for file in find(played.home, {}) for row in measure(file.path).rows]
    if not rows or not all(row.billed for row in rows):
        pytest.skip(f"{stage.client.name} does not record what the provider counts")
    [model] = {row.model for row in rows}
    price = price_of(model)
    charged = billed(played.up.requests, price, writes=price == DEFAULT)
    assert sum(row.unpruned for row in rows) == pytest.approx(charged.cost, rel=0.02)
