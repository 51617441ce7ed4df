from typing import Any

import pytest

from prunus import Settings
from prunus.conversations.assembly import Assembly, shows_ids
from prunus.providers import frame, read_objects

MESSAGES = [{"role": "user", "content": "Go on."}]
TOOL = {"type": "function", "function": {"name": "context_prune"}}


@pytest.mark.parametrize(
    ("offer", "tools", "shown"),
    [
        ("off", [TOOL], False),
        ("mcp", [], True),
        ("library", [], True),
        ("hidden", [], False),
        ("hidden", [TOOL], True),
    ],
)
def test_ids_are_shown_only_to_a_model_with_context_prune(offer: str, tools: list[Any], shown: bool) -> None:
    settings = Settings(agent={"offer": offer})
    body = {"messages": MESSAGES, "tools": tools}
    assert shows_ids(settings, read_objects(body, None, 0, "openai_chat")) is shown


def test_prices_and_windows_of_models_are_those_of_the_settings() -> None:
    settings = Settings(prices=[{"model": "own*", "read": 0.3}], window=5_000)
    price, window = Assembly(settings).terms("own-model", "")
    assert (price.read, window) == (0.3, 5_000)


def test_a_request_whose_history_the_provider_holds_gets_no_strategies() -> None:
    held = b'{"model":"m","previous_response_id":"r","input":[{"role":"user","content":"Go on."}]}'
    engine = Assembly(Settings()).inspector(frame(held, "openai_responses"))
    assert engine.requests is None
    assert Assembly(Settings()).inspector(frame(held.replace(b"previous_response_id", b"other"))).requests
