import pytest

from prunus.clients.sessions import Session
from prunus.errors import FormatError

CALL = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
CHAT = (
    {"role": "user", "content": "Look"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "a.py"},
    {"role": "assistant", "content": "One file"},
)
OBJECT = {"type": "object", "properties": {}}


def test_a_body_carries_what_its_request_carried():
    session = Session("talk", "x", "openai_chat", "m", CHAT, (1, 3), (None, None))
    assert session.body()["messages"] == list(CHAT[:3])
    assert session.body(0)["messages"] == [CHAT[0]]
    assert session.body(0)["model"] == "m"


def test_tools_are_the_same_in_each_request():
    session = Session("talk", "x", "openai_chat", "", CHAT, (1, 3), (None, None))
    assert session.body(0)["tools"] == [{"type": "function", "function": {"name": "ls", "parameters": OBJECT}}]
    assert session.body(0)["tools"] == session.body(1)["tools"]
    assert "model" not in session.body()


def test_anthropic_tools_have_an_input_schema():
    use = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
    messages = ({"role": "user", "content": "Go"}, {"role": "assistant", "content": [use, use | {"id": "u"}]})
    body = Session("talk", "x", "anthropic_messages", "m", messages, (1,), (None,)).body()
    assert body["tools"] == [{"name": "Read", "input_schema": OBJECT}]
    assert body["max_tokens"] > 0


def test_responses_tools_tell_functions_from_custom_tools():
    items = (
        {"type": "message", "role": "user", "content": "Go"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "a"},
        {"type": "custom_tool_call", "name": "apply_patch", "input": "", "call_id": "b"},
    )
    body = Session("talk", "x", "openai_responses", "m", items, (1,), (None,)).body()
    assert body["input"] == [items[0]]
    assert [(tool["type"], tool["name"]) for tool in body["tools"]] == [
        ("function", "shell"),
        ("custom", "apply_patch"),
    ]


def test_gemini_bodies_declare_functions_and_no_model():
    call = {"functionCall": {"id": "1", "name": "read_file", "args": {}}}
    contents = ({"role": "user", "parts": [{"text": "Go"}]}, {"role": "model", "parts": [call]})
    body = Session("talk", "x", "gemini", "gemini-pro", contents, (1,), (None,)).body()
    assert body == {
        "tools": [{"functionDeclarations": [{"name": "read_file", "parametersJsonSchema": OBJECT}]}],
        "contents": [contents[0]],
    }


def test_opencode_bodies_are_bare_lists():
    messages = ({"info": {"role": "user"}, "parts": []}, {"info": {"role": "assistant"}, "parts": []})
    assert Session("talk", "x", "opencode", "", messages, (1,), (None,)).body() == [messages[0]]


def test_recorded_tools_and_system_prompt_win():
    envelope = {"tools": [{"name": "real"}], "system": "Be short"}
    body = Session("talk", "x", "openai_chat", "m", CHAT, (1, 3), (None, None), envelope=envelope).body()
    assert body["tools"] == [{"name": "real"}]
    assert body["system"] == "Be short"


def test_an_unknown_format_has_no_body():
    with pytest.raises(FormatError, match="telegraph"):
        Session("talk", "x", "telegraph", "", CHAT, (1,), (None,)).body()
