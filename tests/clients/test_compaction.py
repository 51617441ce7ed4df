"""Pressure acts before an agent compacts its history by itself."""

from __future__ import annotations

import pytest

from prunus.clients.dialect import dialects, window_before_compaction
from prunus.conversations.assembly import Assembly
from prunus.proxy.client_request import ClientRequest
from prunus.schedule.pressure import Pressure
from prunus.settings import Settings


@pytest.mark.parametrize(
    ("user_agent", "window"),
    [
        ("GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)", 600_000),
        ("QwenCode/0.24.4 (linux; x64)", 840_000),
        ("claude-cli/2.1.325 (external, sdk-cli)", 1_000_000),
        ("another/1.0", 1_000_000),
        ("", 1_000_000),
    ],
)
def test_an_agent_that_compacts_early_has_a_smaller_window(user_agent: str, window: int) -> None:
    request = ClientRequest("POST", "/v1/messages", "", (), {"user-agent": user_agent}, 0.0)
    assert window_before_compaction(request.client, 1_000_000) == window


def test_pressure_is_high_before_any_agent_compacts() -> None:
    for dialect in dialects().values():
        if dialect.user_agent:
            tokens = Pressure().high * window_before_compaction(dialect.user_agent, 1_000_000)
            assert tokens < dialect.compacts_at * 1_000_000, dialect.user_agent


def test_a_window_of_the_users_own_counts_as_it_is() -> None:
    whole = Settings().window_of("gemini-2.5-pro")
    assert Assembly(Settings()).terms("gemini-2.5-pro", "")[1] == whole
    assert Assembly(Settings()).terms("gemini-2.5-pro", "geminicli-tui")[1] == round(0.6 * whole)
    assert Assembly(Settings(window=5_000)).terms("gemini-2.5-pro", "geminicli-tui")[1] == 5_000
