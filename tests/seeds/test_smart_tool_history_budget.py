"""The seed smart-tool-history.md: what is marked for truncation, the token budget, and compressed diffs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from prunus import Settings
from prunus.cli.main import main
from prunus.schedule.budget import headroom
from tests.seeds.conversations import every_format, in_formats, send

STORY = "\n".join(("user: Go.", *(f"{n} shell make {n} -> <{900 * n} chars>" for n in range(1, 12)), "12 ..."))


@every_format
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_outputs_of_1k_to_10k_are_marked_and_truncated_where_room_is_short(format: str, share: float) -> None:
    roomy = send(STORY, format, "smart", window=10**9)
    assert roomy.stays(*(str(n) for n in range(1, 12)))
    sent = send(STORY, format, "smart", window=round(roomy.outcome.report.tokens_after / share))
    cut = [n for n in range(1, 12) if not sent.stays(str(n))]
    # The first is shorter than 1k; recent ones stay at this level.
    assert cut == ([] if share == 0.5 else [2, 3, 4, 5, 6, 7])
    assert all(f"[truncated: {900 * n:,} chars total" in sent.result(str(n)) for n in cut)


def test_the_budget_is_70_percent_of_the_window() -> None:
    budget = Settings.preset("smart").active_budget()
    assert budget.total(200_000) == 140_000
    for working, left in ((60_000, 80_000), (80_000, 60_000)):
        assert f"{left:,} left before a summary" in headroom(working, 200_000, budget)


@in_formats("anthropic_messages", "openai_chat", "gemini")
def test_the_headroom_is_shown(format: str, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(send(STORY, format, "smart").body.json))
    options = ["context", str(path), "--format", format, "--preset", "smart", "--set", "window=200000"]
    found = json.loads(CliRunner().invoke(main, [*options, "--json"]).output)
    assert (found["budget"], found["headroom"]) == (140_000, 140_000 - found["used"])
    assert "Budget: 140,000 tokens (70% of the window), " in CliRunner().invoke(main, options).output


@in_formats("anthropic_messages", "opencode")
@pytest.mark.parametrize(("later", "compressed"), [(40, False), (60, True)])
def test_very_long_sessions_compress_runs_of_edits(format: str, later: int, compressed: bool) -> None:
    edits = "\n".join(f"{n} edit config.py <30 lines of {n}> -> ok" for n in range(1, 13))
    sent = send(f"user: Go.\n{edits}\n13-{13 + later} ...", format, "smart")
    assert ("[Edits to config.py: 12 changes between turns 1-12]" in sent.result("12")) is compressed
