"""What every provider has to offer, and that nobody outside of `prunus.providers` asks which one it is."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from prunus import Settings
from prunus.history import Call, Result
from prunus.intent import offer_intent
from prunus.providers import ALL, APIS, Api, Provider, frame, provider_named, read, read_objects
from prunus.providers.filters import IntentFilter
from prunus.providers.provider import ToolDefinition, ToolResult
from prunus.providers.rewriting import extended, rewritten
from prunus.proxy.envelope import read_envelope
from prunus.proxy.route import route
from tests.sources import python_files

SOURCE: Final = Path(__file__).parents[2] / "src" / "prunus"
PATHS: Final = {
    "anthropic_messages": "/v1/messages",
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-2.5-pro:streamGenerateContent",
}
ARGUMENTS: Final = {"file_path": "/a.py", "intent": "why", "new_string": "é"}
SCHEMA: Final = {"type": "object", "properties": {"file_path": {"type": "string"}, "new_string": {}}}

every_provider = pytest.mark.parametrize("provider", ALL, ids=lambda one: one.name)
every_api = pytest.mark.parametrize("api", APIS, ids=lambda one: one.name)
either_way = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])


def request(api: Api, *messages: Any, **more: Any) -> bytes:
    return json.dumps({"model": "m", **more, api.field: list(messages)}).encode()


def exchange(api: Api) -> list[Any]:
    """A call and its result, as a client sends them."""
    return api.call_messages("call_1", "Edit", ARGUMENTS, "done")


@every_provider
def test_a_provider_is_found_by_its_name(provider: Provider) -> None:
    assert provider_named(provider.name) is provider
    assert [one.name for one in ALL].count(provider.name) == 1
    assert provider.field


@every_provider
@pytest.mark.parametrize("message", [{}, {"role": "user"}, {"role": ["odd"], "content": 7, "parts": 7, "type": []}])
def test_any_object_is_read_as_a_message(provider: Provider, message: dict[str, Any]) -> None:
    raw = json.dumps(message).encode()
    assert provider.parse(message, raw).raw == raw


@every_provider
@pytest.mark.parametrize("value", ["r1", "", {"id": "c1"}, None])
def test_bytes_objects_and_the_proxy_agree_who_holds_the_history(provider: Provider, value: Any) -> None:
    for key in ("previous_response_id", "conversation"):
        body = {"model": "m", key: value, provider.field: []}
        held = provider.history_held(body)
        assert bool(held) is (key in provider.held_by and value is not None)
        raw = json.dumps(body).encode()
        assert frame(raw, provider.name).closed == held
        first = read_objects(body, None, 0, provider.name)
        assert first.closed == read_objects(body, first, 0, provider.name).closed == held
        assert read_envelope(raw, provider.name).skip == held


@every_api
def test_a_path_leads_to_its_format_and_to_an_upstream_of_the_settings(api: Api) -> None:
    found = route("POST", PATHS[api.name], ())
    assert (found.format, found.upstream) == (api.name, api.upstream)
    assert api.upstream in Settings().upstreams.addresses()
    assert [one.name for one in APIS if one.endpoint(PATHS[api.name])] == [api.name]


@every_api
def test_a_call_that_is_written_is_read_again(api: Api) -> None:
    said, *results = exchange(api)
    assert api.by_model(said) and not any(map(api.by_model, results))
    parts = [part for message in read(request(api, said, *results), api.name).messages for part in message.parts]
    [call] = [part for part in parts if isinstance(part, Call)]
    [result] = [part for part in parts if isinstance(part, Result)]
    assert (call.tool, call.input, result.text) == ("Edit", ARGUMENTS, "done") and call.id == result.id
    [site] = api.calls_of(said)
    assert (site.tool, json.loads(site.text)) == ("Edit", ARGUMENTS)
    assert [name for name, _ in api.called_tools(said)] == ["Edit"]
    assert api.other_parts(said) == [] and api.ids_and_words(said)[1] == ""


@every_api
def test_a_body_is_extended_by_results(api: Api) -> None:
    said, *_ = exchange(api)
    more = api.result_messages([ToolResult("call_1", "Edit", "done")])
    assert len(read(extended(request(api, said), api, more), api.name).messages) == 1 + len(more)


@every_api
def test_tools_are_declared_so_that_an_edit_gets_an_intent(api: Api) -> None:
    tools = api.define_tools([ToolDefinition("Edit", "Edits a file.", SCHEMA), ToolDefinition("Other")])
    assert offer_intent(tools)[1] == {"Edit"}
    assert "Edits a file." in json.dumps(tools)


@every_api
def test_system_text_is_placed_once_and_leaves_the_messages_alone(api: Api) -> None:
    cut = frame(request(api, {"role": "user", "content": "Go."}, tools=[]), api.name)
    body = rewritten(cut.body, api.place_system_text(cut, "Be brief."))
    assert body.count(b"Be brief.") == 1 and b'"Go."' in body
    again = frame(body, api.name)
    assert api.place_system_text(again, "Be brief.") == []


@every_api
@either_way
def test_a_reply_passes_the_reader_of_its_own_format_as_it_is(api: Api, streaming: bool) -> None:
    raw = api.reply("One [id 3fa9c2] word.", "m", streaming=streaming)
    intents = IntentFilter({"Edit"}, lambda *_: None)
    reader = api.stream(streaming=streaming, tools={"context_prune"}, intents=intents)
    assert reader.feed(raw) + reader.finish() + reader.close() == raw
    assert reader.hidden == [] and reader.visible == []


@every_api
def test_errors_keep_the_message_of_the_provider(api: Api) -> None:
    assert b"Overloaded" in api.failure({"type": "overloaded_error", "message": "Overloaded"})
    assert "no such model" in json.dumps(api.refusal(404, "not_found_error", "no such model"))


NAMES: Final = frozenset(provider.name for provider in ALL)
ALLOWED: Final = {
    "clients/gemini_cli/launch.py": "the upstream of Gemini CLI",
    "clients/gemini_cli/sessions.py": "the type of a record in a session of Gemini CLI",
    "settings/tables.py": "the names of the upstreams, which are keys of the settings",
    "shell/side_effects.py": "programs that may change any file",
}
"""Modules that may compare with a word that happens to name a format, and what the word means there."""


def branches(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of each format that a module compares with, matches, or looks up in a table."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                found: list[ast.expr | None] = [node.left, *node.comparators]
            case ast.MatchValue():
                found = [node.value]
            case ast.Dict():
                found = [*node.keys]
            case ast.Subscript():
                found = [node.slice]
            case _:
                continue
        for one in found:
            inner = one.elts if isinstance(one, ast.Tuple | ast.List | ast.Set) else [one]
            for value in inner:
                if isinstance(value, ast.Constant) and value.value in NAMES:
                    yield node.lineno if isinstance(node, ast.expr) else value.lineno, str(value.value)


def test_only_providers_branch_on_a_format() -> None:
    found = [
        f"{path.relative_to(SOURCE).as_posix()}:{line}: {name}"
        for path in python_files(SOURCE)
        if path.relative_to(SOURCE).parts[0] != "providers" and path.relative_to(SOURCE).as_posix() not in ALLOWED
        for line, name in branches(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, "ask the provider instead:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        'if format == "gemini": pass',
        'if format in ("openai_chat", "gemini"): pass',
        'match format:\n    case "openai_chat":\n        pass',
        'TABLE = {"anthropic_messages": 1}',
        'TABLE["opencode"]',
    ],
)
def test_a_branch_on_a_format_is_seen(code: str) -> None:
    assert list(branches(ast.parse(code)))


def test_a_format_may_be_named() -> None:
    assert not list(branches(ast.parse('session("openai_chat", messages)')))
