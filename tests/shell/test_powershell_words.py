"""Taking a PowerShell command apart."""

from __future__ import annotations

import pytest

from prunus.shell.powershell_words import pipes, tokens


def test_strings_blocks_and_words_are_separate_tokens() -> None:
    found = tokens("Get-Content 'it''s' \"b\" | % { $_; (1) } # end")
    assert found is not None
    assert [token.text for token in found] == ["Get-Content", "it's", "b", "|", "%", "{ $_; (1) }"]


def test_a_here_string_is_one_token() -> None:
    found = tokens("@'\nlet a = '|'; }\n'@ | Set-Content a.ts")
    assert found is not None
    assert [token.kind for token in found] == ["here", "operator", "plain", "plain"]


def test_pipelines_know_how_they_are_joined() -> None:
    found = tokens("a | b; c && d")
    assert found is not None
    assert [(joint, len(stages)) for joint, stages in pipes(found)] == [(";", 2), (";", 1), ("&&", 1)]


@pytest.mark.parametrize("command", ["{ a", "a }", "'a"])
def test_a_command_that_does_not_end_is_not_followed(command: str) -> None:
    assert tokens(command) is None
