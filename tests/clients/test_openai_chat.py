CALL = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
MESSAGES = [
    {"role": "system", "content": "Be brief"},
    {"role": "user", "content": "Look"},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "cost": 3, "function_call": None},
    {"role": "tool", "tool_call_id": "c", "content": "a.py"},
    {"role": "assistant", "content": "One file"},
]
SENT = (*MESSAGES[:2], {"role": "assistant", "content": None, "tool_calls": [CALL]}, *MESSAGES[3:])


def test_a_bare_list_and_a_document_load_alike(document):
    (bare,) = document(MESSAGES)
    (wrapped,) = document({"model": "m", "messages": MESSAGES})
    assert bare.messages == wrapped.messages == SENT
    assert bare.requests == (2, 4)
    assert bare.times == (None, None)
    assert (wrapped.agent, wrapped.format, wrapped.model) == ("openai-chat", "openai_chat", "m")


def test_a_line_holds_a_message_or_a_conversation(lines):
    assert lines(*MESSAGES)[0].messages == SENT
    assert [s.messages for s in lines({"messages": MESSAGES}, {"messages": MESSAGES})] == [SENT, SENT]


def test_a_late_result_follows_its_call(document):
    (session,) = document([*MESSAGES[1:3], {"role": "user", "content": "Well?"}, *MESSAGES[3:]])
    assert [m["role"] for m in session.messages] == ["user", "assistant", "tool", "user", "assistant"]


def test_an_id_used_again_belongs_to_the_latest_call(document):
    lost = MESSAGES[2] | {"content": "First try"}
    (session,) = document([*MESSAGES[:2], lost, *MESSAGES[1:4]])
    assert [m.get("content") for m in session.messages[2:]] == ["First try", "Look", None, "a.py"]
    assert "tool_calls" not in session.messages[2]
