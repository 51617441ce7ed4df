"""The notes of Prunus and of the ACP plugin, and how Prunus recognises them."""

from __future__ import annotations

from typing import Any

import pytest

from prunus import Settings
from prunus.notes import (
    code_note,
    edits_note,
    file_note,
    is_file_note,
    is_note,
    kept_summary,
    reread_note,
    superseded_note,
    without_views,
)
from tests.seeds.conversations import every_format, send

READS = "user: Go.\n1 read a.py -> <40 lines>\n2 read a.py -> <40 lines>\n3 ..."
SEEDS = [
    superseded_note("read of a.py", "the same call was made again later", "seeds"),
    *(reread_note("a.py", where, "seeds") for where in ("first", "earlier", "later", "")),
]


@pytest.mark.parametrize("text", SEEDS)
def test_the_words_of_the_seeds_are_known_as_notes(text: str) -> None:
    assert is_note(text)
    assert not is_note(f"{text}\nand more")
    assert not is_note(f"before {text}")


@pytest.mark.parametrize(
    "text",
    [
        "[auto-superseded",
        "[Re-read of a.py]",
        "[Re-read of a.py - see chapter 2]",
        f"[auto-superseded: {'x' * 700}]",
    ],
)
def test_text_that_only_looks_like_a_note_is_none(text: str) -> None:
    assert not is_note(text)


def test_the_words_for_code_and_edits_are_those_of_the_seeds() -> None:
    assert code_note("typescript", 15, "seeds") == "[Code block: typescript, 15 lines - truncated to save context]"
    assert code_note("typescript", 15, "prunus") == "[Code block: typescript, 15 lines]"
    edits = edits_note("config.py", 12, 10, 50, ["- Added AGENT_CONFIG"], "seeds")
    assert edits.split("\n") == [
        "[Edits to config.py: 12 changes between turns 10-50]",
        "- Added AGENT_CONFIG",
        "[Full diff available in ground truth]",
    ]
    assert without_views(f"ok\n\n{edits}") == "ok"


@pytest.mark.parametrize("summary", ["", "A red button", "It says [File: b.png, 3KB]\nand more"])
def test_the_text_in_place_of_a_file_is_recognised(summary: str) -> None:
    text = file_note("a.png", 40_960, summary)
    assert text.startswith("[File: a.png, 40KB") and is_file_note(text)
    assert kept_summary(text) == summary


@every_format
@pytest.mark.parametrize("preset", ["acp", "auto"])
def test_the_setting_wins_over_the_preset(preset: str, format: str) -> None:
    assert Settings.preset(preset).words == ("seeds" if preset == "acp" else "prunus")
    values: dict[str, Any] = {"schedule": "eager", "strategies": {"duplicate_calls": {"point_back": False}}}
    seeds = send(READS, format, preset, words="seeds", **values)
    assert seeds.result("1") == "[auto-superseded: the same call was made again later]"
    ours = send(READS, format, preset, words="prunus", **values)
    assert ours.result("1") == "[Prunus: older read of a.py removed; the same call was made again later.]"
