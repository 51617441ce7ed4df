"""The system text about `context_prune`: what it says, and where a request takes it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from prunus import Pruner, Settings
from prunus.agent import execute, guidance
from prunus.agent.layer import AgentLayer
from prunus.providers import api_named, frame
from prunus.providers.rewriting import rewritten
from prunus.tokens import Counter
from tests.agent.scripts import FORMATS
from tests.agent.test_hidden import PRUNE, Talk
from tests.formats import FIELDS, call_and_result
from tests.validity import problems

ACP = Settings(preset="acp")
TEXT = guidance(ACP)
DOCS = Path(__file__).parents[2] / "docs"
every_format = pytest.mark.parametrize("format", FIELDS)


def placed(body: dict[str, Any], format: str) -> tuple[bytes, dict[str, Any]]:
    raw = json.dumps(body).encode()
    cut = frame(raw, format)
    new = rewritten(cut.body, api_named(cut.format.name).place_system_text(cut, TEXT))
    return new, json.loads(new)


def test_guidance_is_on_in_acp_and_off_elsewhere() -> None:
    assert TEXT
    assert all(guidance(Settings(preset=name)) == "" for name in ("auto", "smart", "off"))
    assert guidance(Settings(agent={"guidance": True}))
    assert guidance() == ""


def test_guidance_gives_rule_levels_guide_and_anchor_first_in_under_400_tokens() -> None:
    assert "Prune the elaborate, anchor the essential." in TEXT
    assert all(f"from {share}%" in TEXT for share in (50, 75, 90))
    assert re.search(r"from 75%: anchor in the todo list .*, then discard", TEXT)
    assert "5 or more turns ago: discard" in TEXT and "distill it to its conclusion" in TEXT
    assert "Failed calls, edits and todo lists cannot be discarded" in TEXT
    assert Counter().count(TEXT) < 400


def test_guidance_names_the_levels_of_the_settings() -> None:
    text = guidance(Settings(preset="acp", pressure={"high": 0.8}, strategies={"asked": {"errors": True}}))
    assert "from 80%: anchor" in text and "Failed calls" not in text


def test_each_format_has_its_own_place() -> None:
    user = {"role": "user", "content": "Go."}
    _, body = placed({"system": "Be brief.", "messages": [user]}, "anthropic_messages")
    assert body["system"] == f"Be brief.\n\n{TEXT}"
    block = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    _, body = placed({"system": [block], "messages": [user]}, "anthropic_messages")
    assert body["system"] == [block, {"type": "text", "text": TEXT}]
    for role in ("system", "developer"):
        _, body = placed({"messages": [{"role": role, "content": "Be brief."}, user]}, "openai_chat")
        assert body["messages"] == [{"role": role, "content": f"Be brief.\n\n{TEXT}"}, user]
    parts = [{"type": "text", "text": "Be brief."}]
    _, body = placed({"messages": [{"role": "system", "content": parts}, user]}, "openai_chat")
    assert body["messages"][0]["content"] == [*parts, {"type": "text", "text": TEXT}]
    _, body = placed({"instructions": "Be brief.", "input": [user]}, "openai_responses")
    assert body["instructions"] == f"Be brief.\n\n{TEXT}"
    for key in ("systemInstruction", "system_instruction"):
        given = {
            key: {"parts": [{"text": "Be brief."}]},
            "contents": [{"role": "user", "parts": [{"text": "Go."}]}],
        }
        _, body = placed(given, "gemini")
        assert body[key]["parts"] == [{"text": "Be brief."}, {"text": TEXT}]


@every_format
@pytest.mark.parametrize("empty", ["missing", "null"])
def test_a_client_without_a_system_text_gets_one(format: str, empty: str) -> None:
    key = {"anthropic_messages": "system", "openai_responses": "instructions", "gemini": "systemInstruction"}
    first: Any = {"role": "user", "content": "Go."}
    if format == "gemini":
        first = {"role": "user", "parts": [{"text": "Go."}]}
    more = {key[format]: None} if empty == "null" and format in key else {}
    raw, body = placed({"model": "m", **more, FIELDS[format]: [first]}, format)
    if format == "openai_chat":
        assert body["messages"] == [{"role": "system", "content": TEXT}, first]
    else:
        assert body[key[format]] == ({"parts": [{"text": TEXT}]} if format == "gemini" else TEXT)
        assert body[FIELDS[format]] == [first]
    assert problems(raw, format) == []
    cut = frame(raw, format)
    assert api_named(cut.format.name).place_system_text(cut, TEXT) == [], "it stands there already"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("bare", [True, False], ids=["no system text", "a system text"])
def test_every_request_of_a_conversation_carries_the_same_bytes(format: str, bare: bool) -> None:
    """From the first one on, with hidden decisions in between and over a restart."""
    talk = Talk(format, streaming=True, settings=ACP)
    if not bare and format != "anthropic_messages":
        talk.messages.insert(0, {"role": "system", "content": "Be brief."})
    talk.begun()
    talk.ask([("text", "Tidy. "), PRUNE], [("text", "Done.")])
    talk.messages.append({"role": "user", "content": "And now?"})
    talk.restart()
    talk.ask([("text", "Done.")])
    around = [{key: body[key] for key in body if key != FIELDS[format]} for body in talk.bodies]
    assert len(around) == 5 and all(one == around[0] for one in around)
    assert all(json.dumps(body).count("anchor the essential") == 1 for body in talk.bodies)
    assert len({sent[0] for sent in talk.sent}) == 1
    assert all(problems(json.dumps(body).encode(), format) == [] for body in talk.bodies)


@every_format
def test_over_mcp_guidance_is_there_before_the_tool_is(format: str) -> None:
    layer = AgentLayer(Settings(preset="acp", agent={"offer": "mcp"}))
    body = json.dumps({"model": "m", FIELDS[format]: call_and_result(format, "1", "read", {}, "x")}).encode()
    exchange = layer.open(body, format, streaming=False, tenant="", caller="")
    assert exchange is not None
    assert b"anchor the essential" in exchange.before()


@pytest.mark.parametrize("format", FORMATS)
def test_no_hint_is_given_if_the_client_has_a_tool_of_that_name(format: str) -> None:
    tools = [{"name": "context_prune"}]
    body = json.dumps({"model": "m", "tools": tools, FIELDS[format]: [{"role": "user", "content": "Go."}]}).encode()
    exchange = AgentLayer(ACP).open(body, format, streaming=False, tenant="", caller="")
    assert exchange is not None
    assert exchange.before() == body


def test_the_loop_of_the_docs_runs_and_the_decision_is_carried_out() -> None:
    page = (DOCS / "agent.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- example: loop -->\n```python\n(.*?)```", page, re.S)
    assert found
    sent: list[Any] = []

    def ask(body: Any) -> dict[str, Any]:
        sent.append(body)
        last = json.dumps(body["messages"][-1])
        match len(sent):
            case 1:
                given = ("read_file", {"path": "/parser.py"})
            case 2:
                id = re.search(r"\[id ([0-9a-f]+)", last)
                assert id, "the result shows its id"
                given = ("context_prune", {"action": "discard", "targets": [[id[1]]]})
            case _:
                return {"role": "assistant", "content": "Done."}
        call = {"name": given[0], "arguments": json.dumps(given[1])}
        calls = [{"id": f"c{len(sent)}", "type": "function", "function": call}]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    exec(found[1], {"ask": ask, "run": lambda name, arguments: "a line\n" * 100, "my_tools": []})
    assert len(sent) == 3
    whole = json.dumps(sent[2]["messages"])
    assert "Discarded read of /parser.py: 1 result" in whole
    assert "a line" not in whole and "read of /parser.py" in whole
    assert sent[0]["messages"][0]["content"].endswith(TEXT)


def test_without_ids_the_answer_says_how_to_get_them() -> None:
    messages = [{"role": "user", "content": "Go."}, *call_and_result("openai_chat", "1", "bash", {}, "y\n" * 300)]
    asked = {"action": "discard", "targets": [["3fa9c2"]]}
    for given in (None, Settings(), Settings(preset="acp")):
        assert "[id " not in json.dumps(Pruner(given).prune({"messages": messages}).body)
        words = execute({"messages": messages}, asked, given)
        assert "Not found: 3fa9c2." in words and 'Settings(agent={"offer": "library"})' in words
    shown = Settings(agent={"offer": "library"})
    assert "[id " in json.dumps(Pruner(shown).prune({"messages": messages}).body)
    assert "offer" not in execute({"messages": messages}, asked, shown)
