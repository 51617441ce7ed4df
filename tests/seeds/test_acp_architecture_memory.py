"""The seed acp-architecture.md: Memory Retention Hierarchy, Decision Tree with its guide and colours, Budgeting."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus import Settings
from prunus.agent import execute
from prunus.explain import explain
from prunus.report.request_report import rows
from prunus.schedule.budget import Budget
from prunus.schedule.pressure import ADVICE, Pressure
from prunus.schedule.priorities import MARKS
from tests.seeds.conversations import Sent, in_formats, send

READS = range(3, 13)
STORY = "\n".join(
    (
        "user: Make it green.",
        "1 read src/edited.py -> <60 lines of edited>",
        "2 todo Look; Build -> ok",
        *(f"{n} read src/f{n}.py -> <60 lines of {n}>" for n in READS),
    )
)
some_formats = in_formats("anthropic_messages", "openai_chat", "gemini", "opencode")


def at(share: float, format: str, story: str = STORY, **more: Any) -> Sent:
    """The story in a window of which it fills this share before anything goes under pressure."""
    roomy = send(story, format, "acp", window=10**9, **more)
    return send(story, format, "acp", window=round(roomy.outcome.report.tokens_after / share), **more)


def gone(sent: Sent) -> list[int]:
    """The reads that were cut."""
    return [n for n in (1, *READS) if not sent.stays(str(n))]


# Memory Retention Hierarchy


@some_formats
def test_priorities_and_their_colours(format: str) -> None:
    story = f"{STORY}\n13 read src/f3.py -> <60 lines of new>\n14 ..."
    sent = send(story, format, "off")
    body = json.dumps(sent.body.json).encode()
    shown = {
        row.title: row.priority for row in rows(explain(body, Settings.preset("acp"), format), everything=True)
    }
    assert shown["Make it green."] == "🔴 critical"
    assert any(mark == "🔴 critical" for title, mark in shown.items() if "todo" in title.lower())
    assert shown["read of src/f12.py"] == "🟡 important"
    assert shown["read of src/f4.py"] == "🟢 ephemeral"
    assert MARKS == {"critical": "🔴", "important": "🟡", "ephemeral": "🟢", "temporary": "⚫"}
    first = next(row for row in explain(body, Settings.preset("acp"), format) if row.edit is not None)
    assert first.priority == "temporary" and first.advice.action == "auto"


# Decision Tree


@some_formats
@pytest.mark.parametrize(
    ("share", "cut"),
    [(0.45, []), (0.6, []), (0.8, [1, *range(3, 8)]), (0.95, [1, *range(3, 8)]), (1.6, [1, *range(3, 12)])],
)
def test_the_four_levels(format: str, share: float, cut: list[int]) -> None:
    """Below half nothing goes; then what is temporary; then what is disposable; important parts last."""
    assert gone(at(share, format)) == cut


@pytest.mark.parametrize(
    ("used", "level"), [(49_999, "light"), (50_000, "moderate"), (75_000, "high"), (90_001, "critical")]
)
def test_the_advice_of_each_level(used: int, level: Any) -> None:
    assert Pressure().level(used, 100_000) == level
    words = {
        "light": "Nothing has to go",
        "moderate": "Discard old results and messages that you no longer need, and distill long reasoning",
        "high": "write it into the todo list first, then discard",
        "critical": "If you can finish the task without the history, discard all of it and focus; if not",
    }
    assert words[level] in ADVICE[level]


@in_formats("anthropic_messages", "openai_chat", "gemini")
@pytest.mark.parametrize(("share", "word"), [(0.45, "light"), (0.6, "moderate"), (0.8, "high"), (0.95, "critical")])
def test_context_info_tells_the_agent(format: str, share: float, word: str) -> None:
    sent = send(STORY, format, "off")
    settings = Settings(preset="acp", window=round(sent.outcome.report.tokens_before / share))
    said = execute(sent.body.json, {}, settings, (), tool="context_info", format=format)
    assert f"pressure is {word}. " in said
    assert "src/f3.py" in said and "discard: can re-read" in said


# Content Type Guide


@in_formats("anthropic_messages", "openai_chat", "gemini")
def test_old_takes_what_can_be_read_again(format: str) -> None:
    sent = send(STORY, format, "off")
    said = execute(
        sent.body.json, {"action": "discard", "targets": [["old"]]}, Settings.preset("acp"), format=format
    )
    assert "7 results" in said and "src/f12.py" not in said


# Color-Coded Priority System


@some_formats
@pytest.mark.parametrize(
    ("item", "cut"),
    [
        ("🔴 CRITICAL: src/f4.py must support dark mode", [1, 3, 5, 6, 7]),
        ("🟡 IMPORTANT: src/f4.py uses the Strategy pattern", [1, 3, 5, 6, 7]),
        ("🟢 NORMAL: Research notes in src/f4.py", [1, *range(3, 8)]),
        ("🔵 EPHEMERAL: src/f4.py was only for debugging", [1, *range(3, 8)]),
    ],
)
def test_what_an_item_names_has_its_priority_at_a_high_level(format: str, item: str, cut: list[int]) -> None:
    assert gone(at(0.8, format, STORY.replace("2 todo Look", f"2 todo {item}; Look"))) == cut


@some_formats
def test_what_is_critical_never_goes_and_what_is_ephemeral_goes_first(format: str) -> None:
    red = STORY.replace("2 todo Look", "2 todo 🔴 CRITICAL: src/f4.py; Look")
    assert 4 not in gone(at(1.6, format, red)) and 5 in gone(at(1.6, format, red))
    blue = STORY.replace("2 todo Look", "2 todo 🔵 EPHEMERAL: src/f11.py; Look")
    assert gone(at(0.6, format, blue)) == [11]


# Context Budgeting


def test_the_token_allocation() -> None:
    assert Budget().allowed(128_000) == {
        "system": 5_000, "todos": 2_000, "current files": 10_000, "recent results": 15_000,
        "working memory": 20_000, "historical": 76_000,
    }  # fmt: skip


@in_formats("anthropic_messages", "openai_chat")
@pytest.mark.parametrize(("lines", "cut"), [(700, False), (800, True), (1_200, True)])
def test_more_than_80k_or_100k_tokens_of_historical_context(format: str, lines: int, cut: bool) -> None:
    """Old results go, though the window is far from full; what is recent stays."""
    story = "\n".join(
        ("user: Go.", *(f"{n} task look {n} -> <{lines} lines of {n}>" for n in range(1, 13)), "13-18 ...")
    )
    guards = {"protected_tools": {"victims": []}}
    sent = send(story, format, "acp", window=10_000_000, guards=guards)
    assert any(edit.strategy == "under_pressure" for edit in sent.outcome.edits) is cut
    assert sent.outcome.report.tokens_after < 80_000


@in_formats("anthropic_messages", "openai_chat", "gemini")
@pytest.mark.parametrize(("words", "cut"), [(1_500, False), (3_000, True)])
def test_more_than_20k_tokens_of_thinking(format: str, words: int, cut: bool) -> None:
    """Short blocks stay in `acp`; together they are too much, so those of earlier loops go."""
    story = "\n".join(
        line for n in range(1, 13) for line in ("user: Go.", f"{n} thinks <{words} words>", f"{n} says Done {n}.")
    )
    strategies = {"old_thinking": {"over": 1_000_000}}
    sent = send(f"{story}\nuser: Go.\n13 ...", format, "acp", window=10_000_000, strategies=strategies)
    assert any(edit.strategy == "under_pressure" for edit in sent.outcome.edits) is cut
