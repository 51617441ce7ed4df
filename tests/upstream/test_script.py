"""The script finds its place in any history, and speaks in the tools of the client."""

from __future__ import annotations

import pytest

from tests.upstream import Edit, Prune, Read, Run, Script, Shown, Step, Write
from tests.upstream.intents import Intent, as_call
from tests.upstream.signing import call_id, sign, signed_step
from tests.upstream.values import Past, Tool

NOTHING = Past((), (), (), {})
STEPS = (
    Step((Read("a.py"),)),
    Step(text="The first half is done."),
    Step((Run("make"),)),
    Step(text="All is done."),
)
CLAUDE = (
    Tool("Read", frozenset({"file_path"})),
    Tool("Edit", frozenset({"file_path", "old_string", "new_string"})),
    Tool("Write", frozenset({"file_path", "content"})),
    Tool("Bash", frozenset({"command", "description"})),
)
CODEX = (Tool("exec_command", frozenset({"cmd"})), Tool("apply_patch", custom=True))
OPENCODE = (
    Tool("read", frozenset({"filePath"})),
    Tool("edit", frozenset({"filePath", "oldString", "newString"})),
    Tool("apply_patch", frozenset({"patchText"})),
)
PI = (Tool("read", frozenset({"path"})), Tool("edit", frozenset({"path", "edits"})))
MINI = (Tool("bash", frozenset({"command"})),)
UPDATE = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch"
EDIT = Edit("a.py", "x = 1\n", "x = 2\n")


def _step(past: Past, tools: tuple[Tool, ...] = CLAUDE) -> int:
    return Script(STEPS).turn(past, tools, "0" * 8, thinking=False).step


def test_empty_history_is_at_the_first_step() -> None:
    assert _step(NOTHING) == 0


def test_ids_of_calls_tell_the_step() -> None:
    assert _step(Past((f"toolu_{call_id('0' * 8, 0, 0)}",), (), (), {})) == 1


def test_last_words_of_a_turn_tell_the_step() -> None:
    assert _step(Past((), ("The first half is done.",), (), {})) == 2


def test_summary_of_a_compacted_history_tells_the_step() -> None:
    asked = Past((call_id("0" * 8, 2, 0),), (), ("Your task is to create a detailed summary of all this.",), {})
    summary = Script(STEPS).turn(asked, CLAUDE, "0" * 8, thinking=False)
    assert not summary.calls
    assert _step(Past((), (), (f"This session is being continued. {summary.text}",), {})) == 3


def test_call_of_a_tool_that_is_not_declared_is_left_out() -> None:
    steps = (Step((Prune("discard", (("[*]",),)),)), Step((Read("a.py"),)))
    assert Script(steps).turn(NOTHING, CLAUDE, "0" * 8, thinking=False).step == 1


@pytest.mark.parametrize(
    ("intent", "tools", "call"),
    [
        (Read("a.py"), CLAUDE, ("Read", {"file_path": "/p/a.py"})),
        (Read("a.py"), CODEX, ("exec_command", {"cmd": "cat a.py"})),
        (Read("a.py"), OPENCODE, ("read", {"filePath": "/p/a.py"})),
        (Read("a.py"), PI, ("read", {"path": "/p/a.py"})),
        (EDIT, CLAUDE, ("Edit", {"file_path": "/p/a.py", "old_string": "x = 1\n", "new_string": "x = 2\n"})),
        (EDIT, CODEX, ("apply_patch", UPDATE)),
        (EDIT, PI, ("edit", {"path": "/p/a.py", "edits": [{"oldText": "x = 1\n", "newText": "x = 2\n"}]})),
        (EDIT, OPENCODE[2:], ("apply_patch", {"patchText": UPDATE})),
        (EDIT, MINI, ("bash", {"command": "sed -i 's/^x = 1$/x = 2/' a.py"})),
        (Write("b.py", "x\n"), MINI, ("bash", {"command": "cat > b.py <<'END'\nx\nEND"})),
        (Run("ls"), CLAUDE, ("Bash", {"command": "ls", "description": "Run it."})),
    ],
)
def test_a_scripted_intent_becomes_a_call_of_the_clients_tool(
    intent: Intent, tools: tuple[Tool, ...], call: tuple[str, object]
) -> None:
    assert as_call(intent, tools, "/p", NOTHING, {}) == call


@pytest.mark.parametrize(
    "tag", ['<acp:tool prunable_hash="abc123"/>', "[id abc123]", "[id abc123, thinking 4d5e6f]"]
)
def test_id_behind_a_result_is_found(tag: str) -> None:
    past = Past(("call_x",), (), (), {"call_x": f"some <b>text</b>\n{tag}\n"})
    prune = Prune("discard", ((Shown(0),),))
    called = as_call(prune, (Tool("context_prune"),), "/p", past, {(0, 0): "call_x"})
    assert called == ("context_prune", {"action": "discard", "targets": [["abc123"]]})


def test_signature_holds_for_its_text_alone() -> None:
    signature = sign("a thought", "0" * 8, 7)
    assert signed_step(signature, "a thought") == 7
    assert signed_step(signature, "a thought!") is None
    assert signed_step("no signature", "a thought") is None
