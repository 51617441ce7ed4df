"""What keeps a conversation on one replica."""

from __future__ import annotations

import json

import pytest

from prunus.clients.client import ALL
from prunus.proxy.routing import conversation_key, routing_headers, routing_key
from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import BODIES, body, steps

NAMES = [name for name, _ in routing_headers()]


@pytest.mark.parametrize("name", NAMES)
def test_each_routing_header_names_the_conversation(name: str) -> None:
    assert conversation_key({name: "a"}) == "a"


def test_the_header_of_ours_goes_before_those_of_clients() -> None:
    assert conversation_key(dict.fromkeys(NAMES, "b") | {"x-prunus-session": "a"}) == "a"


def test_a_sub_agent_of_claude_code_has_a_key_of_its_own() -> None:
    main = {"x-claude-code-session-id": "s"}
    assert conversation_key(main) != conversation_key(main | {"x-claude-code-agent-id": "explore"})


def test_each_client_of_a_header_is_known() -> None:
    assert {client for _, client in routing_headers()} <= {"", *(client.name for client in ALL)}


def test_a_cache_key_in_the_body_counts_if_no_header_does() -> None:
    given = {"prompt_cache_key": "k", "messages": []}
    assert routing_key({}, given) == "k"
    assert routing_key({"thread-id": "t"}, given) == "t"


@pytest.mark.parametrize("format", BODIES)
def test_a_growing_conversation_keeps_its_key(format: str) -> None:
    keys = {routing_key({}, BODIES[format](steps(count))) for count in range(1, 5)}
    assert len(keys) == 1


@pytest.mark.parametrize("format", BODIES)
def test_another_first_message_is_another_conversation(format: str) -> None:
    text = json.dumps(BODIES[format](steps(1)))
    assert routing_key({}, json.loads(text)) != routing_key({}, json.loads(text.replace("Go on.", "Go back.")))


def test_another_system_text_is_another_conversation() -> None:
    given = BODIES["anthropic_messages"](steps(1))
    assert routing_key({}, given) != routing_key({}, given | {"system": "Be long."})


def test_cache_markers_and_the_model_do_not_change_the_key() -> None:
    given = BODIES["anthropic_messages"](steps(1))
    block = {"type": "text", "text": "Hi.", "cache_control": {"type": "ephemeral"}}
    marked = given | {"model": "claude-haiku-4-5", "messages": [{"role": "user", "content": [block]}]}
    plain = given | {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi."}]}]}
    assert routing_key({}, marked) == routing_key({}, plain)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"messages": None},
        {"messages": []},
        {"input": "Go on."},
        {"input": "half a pair: \ud83d"},
        {"messages": [3]},
    ],
)
def test_any_body_has_a_key(given: dict[str, object]) -> None:
    assert routing_key({}, given)


def test_the_header_of_ours_stays_with_the_proxy(provider: Provider) -> None:
    with behind(provider) as proxy:
        call(proxy.url, "POST", "/v1/messages", body("anthropic_messages"), [("x-prunus-session", "s")])
    assert provider.asked[0].header("x-prunus-session") is None
