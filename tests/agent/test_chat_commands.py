"""Which messages are commands, and the answers to unusual ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prunus import Settings, prune
from prunus.agent.chat_commands import command_of, respond
from prunus.providers import frame
from prunus.requested.commands import ANSWER, COMMANDS, Command
from tests.formats import FIELDS, call_and_result

TEXT = "line of a file\n" * 60
SETTINGS = Settings(strategies={"asked": {"enabled": True}})


def body(*messages: Any, **more: Any) -> bytes:
    return json.dumps({"model": "claude-x", "messages": list(messages), **more}).encode()


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def reads(count: int) -> list[Any]:
    made = [
        call_and_result("openai_chat", f"c{n}", "read", {"path": f"/{n}"}, f"{n}\n{TEXT}") for n in range(count)
    ]
    return [message for pair in made for message in pair]


def told(name: str, *words: str, count: int = 0) -> str:
    typed = user(f"/prunus {' '.join((name, *words))}")
    return respond(Command(name, words), body(user("Hi"), *reads(count), typed), "openai_chat", SETTINGS)


def test_a_command_is_found_wherever_the_messages_stand_in_the_body() -> None:
    long = [{"name": f"t{n}", "description": "x" * 1000, "input_schema": {}} for n in range(200)]
    for raw in (body(user("/prunus stats"), tools=long), body(user("/acp"), system="x" * 200_000)):
        assert command_of(frame(raw, "anthropic_messages")) == Command("stats")


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [user("no command")],
        [user("/prunus stats"), user("Go on.")],
        [{"role": "assistant", "content": "/prunus stats"}],
        [user("See src/acp/main.py")],
        [user(7)],
        [user(None)],
        [user([{"type": "image", "source": {"data": "/acp"}}])],
    ],
)
def test_other_messages_are_no_commands(messages: list[Any]) -> None:
    assert command_of(frame(body(*messages, note="/acp"), "anthropic_messages")) is None


@pytest.mark.parametrize("format", FIELDS)
def test_a_request_without_messages_has_no_command(format: str) -> None:
    assert command_of(frame(json.dumps({FIELDS[format]: [], "note": "/prunus"}).encode(), format)) is None


def test_a_text_in_place_of_the_messages_is_one_message() -> None:
    assert command_of(frame(b'{"input": "/prunus stats"}', "openai_responses")) == Command("stats", ())
    assert command_of(frame(b'{"input": "what is /prunus stats"}', "openai_responses")) is None


@pytest.mark.parametrize("name", ["stats", "context", "sweep", "manual", "restore", "help", "nonsense"])
def test_every_answer_is_known_as_one_also_in_an_empty_conversation(name: str) -> None:
    assert told(name).startswith(ANSWER)


@pytest.mark.parametrize(("name", "words"), [("nonsense", ()), ("manual", ("perhaps",)), ("restore", ())])
def test_an_unknown_command_is_answered_with_the_list_of_commands(name: str, words: tuple[str, ...]) -> None:
    text = told(name, *words)
    assert all(known in text for known in COMMANDS)
    assert f"No command '{name}'" in text


def test_a_sweep_says_how_many_went() -> None:
    assert "Nothing to sweep" in told("sweep")
    assert "Swept 1 result," in told("sweep", "1", count=3)
    assert "Swept 3 results," in told("sweep", "99", count=3)
    assert "and 2 more" in told("sweep", "8", count=8)


def test_a_sweep_names_only_what_goes() -> None:
    given = [("/a", TEXT), ("/.env", TEXT), ("/short", "ok"), ("/a", TEXT), ("/b", TEXT)]
    messages = [user("Hi")]
    for n, (path, text) in enumerate(given):
        messages += call_and_result("openai_chat", f"c{n}", "read", {"path": path}, text)
    settings = Settings(preset="acp")
    text = respond(Command("sweep"), body(*messages, user("/acp sweep")), "openai_chat", settings)
    assert text.startswith(f"{ANSWER}Swept 2 results, about ") and text.endswith(" tokens: read of /b, read of /a.")
    after = prune(
        json.loads(body(*messages, user("/acp sweep"), {"role": "assistant", "content": text}, user("Go."))),
        settings,
    )
    swept = [edit for edit in after.edits if edit.reason == "the user swept it away"]
    assert len(swept) == 2
    assert f"about {sum(edit.saved for edit in swept):,} tokens" in text


@pytest.mark.parametrize("word", ["0", "-1", "many"])
def test_a_sweep_of_no_number_does_no_harm(word: str) -> None:
    assert told("sweep", word, count=3).startswith(ANSWER)


def test_an_unknown_id_is_named() -> None:
    text = told("restore", "[ffffff]", "#eeeeee,", count=1)
    assert "nothing with the id ffffff" in text and "nothing with the id eeeeee" in text


def test_a_context_of_nothing_is_not_divided() -> None:
    assert "0% full" in told("context")
    assert "0 parts with 0 tokens could go." in told("context")
