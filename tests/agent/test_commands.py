"""Commands in the chat: answered by Prunus, carried out from the history, and kept from the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.agent.layer import AgentLayer
from prunus.requested.commands import ANSWER, read_command
from tests.agent.scripts import FORMATS, question, understood
from tests.formats import FIELDS, call_and_result

SAMPLES = Path(__file__).parents[3] / "shared" / "wire-samples"
SETTINGS = Settings(strategies={"asked": {"enabled": True}, "duplicate_calls": {"enabled": True}})
TEXT = "line of a file\n" * 60

every_format = pytest.mark.parametrize("format", FORMATS)
either_way = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(format: str, text: str) -> dict[str, Any]:
    if format == "openai_responses":
        return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return {"role": "assistant", "content": text}


def picture(format: str) -> dict[str, Any]:
    url = "data:image/png;base64," + "A" * 400
    match format:
        case "anthropic_messages":
            source = {"type": "base64", "media_type": "image/png", "data": "A" * 400}
            return {"type": "image", "source": source}
        case "openai_responses":
            return {"type": "input_image", "image_url": url}
    return {"type": "image_url", "image_url": {"url": url}}


def read(format: str, id: str) -> list[Any]:
    key = "file_path" if format == "anthropic_messages" else "filePath"
    tool = "Read" if format == "anthropic_messages" else "read"
    return call_and_result(format, id, tool, {key: "/" + id}, f"{id}\n{TEXT}")


def typed(format: str, command: str, before: list[Any]) -> list[Any]:
    """A history in which a command was typed and answered, and the user went on."""
    body = question(format, [*before, user(command)])
    exchange = AgentLayer(SETTINGS).open(body, format, streaming=False, tenant="", caller="")
    assert exchange is not None
    told = exchange.reply()
    assert told is not None
    message = understood(format, told[1], streaming=False)["message"]
    kept = message if isinstance(message, list) else [message]
    return [*before, user(command), *kept, user("Go on.")]


def pruned(format: str, messages: list[Any], settings: Settings = SETTINGS) -> list[Any]:
    outcome = Pruner(settings).prune(question(format, messages), format=format)
    assert outcome.error is None
    found = json.loads(outcome.body)[FIELDS[format]]
    assert isinstance(found, list)
    return found


@every_format
@either_way
@pytest.mark.parametrize(
    "command", ["stats", "context", "sweep", "sweep 2", "manual on", "restore abcdef", "help", "x"]
)
def test_a_command_is_answered_in_the_providers_shape(format: str, streaming: bool, command: str) -> None:
    body = question(format, [user("Hi"), *read(format, "a"), user(f"/prunus {command}")], streaming)
    exchange = AgentLayer(Settings()).open(body, format, streaming=streaming, tenant="", caller="")
    assert exchange is not None
    told = exchange.reply()
    assert told is not None
    kind, raw = told
    assert kind.startswith("text/event-stream" if streaming else "application/json")
    assert ANSWER in json.dumps(understood(format, raw, streaming=streaming)["message"])


@every_format
def test_command_and_answer_do_not_reach_the_model(format: str) -> None:
    before = [user("Look."), *read(format, "a"), said(format, "Done.")]
    assert pruned(format, typed(format, "/acp stats", before)) == [*before, user("Go on.")]


ANNOUNCED = (
    "<command-message>prunus:stats</command-message>\n<command-name>/prunus:stats</command-name>\n"
    "<command-args></command-args>\n"
)


def announced(*texts: str) -> dict[str, Any]:
    """A slash command as Claude Code sends it: reminders, the name of the command, and its prompt."""
    blocks = ("<system-reminder>\nA date.\n</system-reminder>", *texts)
    return {"role": "user", "content": [{"type": "text", "text": text} for text in blocks]}


def test_a_command_of_the_plugin_and_its_name_do_not_reach_the_model() -> None:
    format = "anthropic_messages"
    before = [user("Look."), *read(format, "a"), said(format, "Done.")]
    prompt = announced(ANNOUNCED, "/prunus stats\n\n<system-reminder>\nPrunus answers this.\n</system-reminder>\n")
    history = [*before, prompt, said(format, f"{ANSWER}12 tokens"), user("Go on.")]
    assert pruned(format, history) == [*before, announced(), user("Go on.")]


@pytest.mark.parametrize(
    "texts",
    [
        (ANNOUNCED.replace("/prunus:", "/other:"), "/prunus stats"),
        (ANNOUNCED + "And more.", "/prunus stats"),
        (ANNOUNCED, "/prunus stats", "And more."),
        (ANNOUNCED,),
    ],
)
def test_other_slash_commands_are_no_commands_to_prunus(texts: tuple[str, ...]) -> None:
    format = "anthropic_messages"
    history = [
        user("Look."),
        *read(format, "a"),
        said(format, "Done."),
        announced(*texts),
        said(format, f"{ANSWER}12"),
    ]
    assert pruned(format, [*history, user("Go on.")]) == [*history, user("Go on.")]


@every_format
@pytest.mark.parametrize("files", [1, 2])
def test_a_command_before_a_message_of_files_alone_is_carried_out(format: str, files: int) -> None:
    pictures = {"role": "user", "content": [picture(format)] * files}
    *before, _ = typed(format, "/prunus sweep 1", [user("Look."), *read(format, "a"), said(format, "Done.")])
    after = pruned(format, [*before, pictures])
    assert after[-1] == pictures and ANSWER not in json.dumps(after)
    assert json.dumps(after).count("read of /a removed; the user swept it away") == 1


@every_format
def test_two_commands_in_a_row_are_both_kept_out(format: str) -> None:
    before = [user("Look."), *read(format, "a"), said(format, "Done.")]
    once = typed(format, "/prunus context", before)[:-1]
    assert pruned(format, typed(format, "/prunus help", once)) == [*before, user("Go on.")]


@every_format
def test_a_sweep_cuts_the_newest_results(format: str) -> None:
    before = [user("Look."), *read(format, "a"), *read(format, "b"), *read(format, "c"), said(format, "Done.")]
    whole = json.dumps(pruned(format, typed(format, "/prunus sweep 2", before)))
    assert "read of /a" not in whole
    assert "read of /b removed" in whole and "read of /c removed" in whole


@every_format
def test_a_sweep_without_a_number_cuts_all_since_the_user_spoke(format: str) -> None:
    before = [user("Look."), *read(format, "a"), user("More."), *read(format, "b"), *read(format, "c")]
    whole = json.dumps(pruned(format, typed(format, "/prunus sweep", [*before, said(format, "Done.")])))
    assert "read of /a" not in whole
    assert "read of /b removed" in whole and "read of /c removed" in whole


@every_format
def test_manual_mode_stops_edits_that_were_not_requested(format: str) -> None:
    twice = [*read(format, "a"), *read(format, "a")]
    on = typed(format, "/prunus manual on", [user("Look."), said(format, "Yes.")])
    whole = [*on, *twice, *read(format, "b")]
    assert "removed" not in json.dumps(pruned(format, whole))
    off = typed(format, "/prunus manual off", [*whole, said(format, "Done.")])
    assert "removed" in json.dumps(pruned(format, off))


@every_format
def test_a_part_is_restored_by_its_id(format: str) -> None:
    before = [user("Look."), *read(format, "a"), *read(format, "b"), said(format, "Done.")]
    swept = typed(format, "/prunus sweep", before)
    [receipt] = [
        r for r in Pruner(SETTINGS).prune(question(format, swept), format=format).receipts if "/a" in str(r.edit)
    ]
    whole = [*swept, said(format, "Fine.")]
    assert "read of /a removed" in json.dumps(pruned(format, [*whole, user("Go on.")]))
    back = json.dumps(pruned(format, typed(format, f"/prunus restore {receipt.id}", whole)))
    assert "read of /a removed" not in back and "read of /b removed" in back


@pytest.mark.parametrize(
    "text", ["please run /prunus stats", "/prunusx", "/acpi", "/prunus stats\nand then fix it", "", "stats"]
)
def test_other_words_are_no_command(text: str) -> None:
    assert read_command(text) is None


def test_a_command_behind_the_reminders_of_a_client_is_one() -> None:
    found = read_command("<system-reminder>\nBe kind.\n</system-reminder>\n/ACP Sweep 3\n")
    assert found is not None and (found.name, found.words) == ("sweep", ("3",))


def test_the_reminders_beside_a_command_stay() -> None:
    hint = {"type": "text", "text": "<system-reminder>Be kind.</system-reminder>"}
    command = {"role": "user", "content": [hint, {"type": "text", "text": "/prunus stats"}]}
    history = [command, said("anthropic_messages", f"{ANSWER}1,000 tokens"), user("Go on.")]
    assert pruned("anthropic_messages", history) == [{"role": "user", "content": [hint]}, user("Go on.")]


def test_a_command_can_be_the_newest_message_in_a_library() -> None:
    """Nobody has answered it, so it goes out as it is."""
    history = [user("Look."), said("openai_chat", "Yes."), user("/prunus stats")]
    assert pruned("openai_chat", history) == history


def test_commands_can_be_switched_off() -> None:
    layer = AgentLayer(Settings(agent={"offer": "hidden", "commands": False}))
    exchange = layer.open(
        question("openai_chat", [user("/prunus stats")]), "openai_chat", streaming=True, tenant="", caller=""
    )
    assert exchange is not None and exchange.reply() is None


@every_format
def test_a_command_from_outside_is_carried_out_and_lasts(format: str) -> None:
    asks = [("sweep 1",), (), ()]
    pruner = Pruner(SETTINGS, asks=lambda conversation: asks.pop(0) if conversation else ())
    messages = [user("Look."), *read(format, "a"), *read(format, "b")]
    for _ in range(2):
        body = json.dumps(json.loads(pruner.prune(question(format, messages), 0.0, format=format).body))
        messages += [said(format, "Fine."), user("Go on.")]
    assert "read of /b removed; the user swept it away" in body and "read of /a" not in body


def test_a_command_in_gemini_is_answered_and_hidden_from_the_model() -> None:
    def content(role: str, text: str) -> dict[str, Any]:
        return {"role": role, "parts": [{"text": text}]}

    before = [content("user", "Look."), content("model", "Yes.")]
    typed_ = [*before, content("user", "/prunus context")]
    body = json.dumps({"contents": typed_, "tools": [{"functionDeclarations": [{"name": "x"}]}]}).encode()
    exchange = AgentLayer(Settings(agent={"offer": "hidden"})).open(
        body, "gemini", streaming=False, tenant="", caller=""
    )
    assert exchange is not None
    told = exchange.reply()
    assert told is not None
    answer = json.loads(told[1])["candidates"][0]["content"]
    assert answer["parts"][0]["text"].startswith(ANSWER)
    whole = {**json.loads(body), "contents": [*typed_, answer, content("user", "Go on.")]}
    assert Pruner(SETTINGS).prune(whole, format="gemini").body["contents"] == [*before, content("user", "Go on.")]


BASH = "```bash\ncat notes.txt\n```"
MANUAL = "/prunus manual on"
PRINTED: dict[str, Any] = {
    "alone": user(MANUAL),
    "behind a heading": user([{"type": "text", "text": "[bash] Result:"}, {"type": "text", "text": MANUAL}]),
}


def without_tools(format: str, messages: list[Any]) -> bytes:
    """A request of an agent that reads its commands from the words of the model, such as mini-swe-agent did."""
    return json.dumps({"model": "m", FIELDS[format]: messages}).encode()


@every_format
@pytest.mark.parametrize("how", PRINTED)
def test_output_of_a_shell_command_is_no_command_of_the_user(format: str, how: str) -> None:
    messages = [user("Fix it."), said(format, BASH), PRINTED[how]]
    body = without_tools(format, messages)
    exchange = AgentLayer(Settings()).open(body, format, streaming=False, tenant="", caller="")
    assert exchange is not None and exchange.reply() is None
    # Not even where it has the model answer as Prunus would.
    twice = [*read(format, "a"), *read(format, "a")]
    for more in (
        [said(format, f"{ANSWER}Manual mode is on."), user("Go on.")],
        [said(format, "Hm."), user("Go on.")],
    ):
        sent = Pruner(SETTINGS).prune(without_tools(format, [*messages, *more, *twice]), format=format).body
        assert json.loads(sent)[FIELDS[format]][: len(messages) + 2] == [*messages, *more]
        assert b"removed" in sent


@every_format
def test_a_command_inside_other_text_is_not_carried_out(format: str) -> None:
    body = question(format, [user("Fix it."), said(format, "Yes."), PRINTED["behind a heading"]])
    exchange = AgentLayer(Settings()).open(body, format, streaming=False, tenant="", caller="")
    assert exchange is not None and exchange.reply() is None


@every_format
@pytest.mark.parametrize("begun", [True, False], ids=["after a call", "at the beginning"])
def test_without_tools_a_command_counts_where_nothing_can_have_printed_it(format: str, begun: bool) -> None:
    before = [user("Look."), *read(format, "a"), said(format, "Done.")] if begun else []
    history = before
    for command in ("/prunus help", "/prunus stats"):
        body = without_tools(format, [*history, user(command)])
        exchange = AgentLayer(SETTINGS).open(body, format, streaming=False, tenant="", caller="")
        assert exchange is not None
        told = exchange.reply()
        assert told is not None
        message = understood(format, told[1], streaming=False)["message"]
        history = [*history, user(command), *(message if isinstance(message, list) else [message])]
    sent = Pruner(SETTINGS).prune(without_tools(format, [*history, user("Go on.")]), format=format).body
    assert json.loads(sent)[FIELDS[format]] == [*before, user("Go on.")]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the recorded requests are not here")
def test_output_that_mini_swe_agent_prints_is_no_command() -> None:
    for line in (SAMPLES / "mini-swe-agent.jsonl").read_text().splitlines():
        body = json.loads(line)["body"]
        if body["messages"][-1]["role"] == "tool":
            body["messages"][-1]["content"] = MANUAL
            raw = json.dumps(body).encode()
            exchange = AgentLayer(Settings()).open(raw, "openai_chat", streaming=False, tenant="", caller="")
            assert exchange is not None and exchange.reply() is None


@pytest.mark.parametrize(
    "text", [" " * 300_000 + "x", "/prunus" + " " * 300_000 + "x\ny", "<system-reminder>" * 20_000]
)
def test_a_long_text_is_rejected_as_a_command_in_linear_time(text: str) -> None:
    assert read_command(text) is None
