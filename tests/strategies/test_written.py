"""The outline behind the result of a write: where it stands, what it is worth, and what it survives."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from prunus import Outcome, Pruner, Settings
from prunus.edits import Added, Input
from prunus.history import Ref
from tests.conversations.test_memory import Shelf
from tests.strategies.fillers import filler

CODE: Final = "".join(f"def step_{n}(prices):\n    return sum(prices) + {n}\n\n\n" for n in range(20))
EAGER: Final = {"preset": "off", "schedule": "eager"}
IDLE: Final = {"finished_inputs": {"enabled": True, "idle": 2}}
IMAGE: Final = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk=" * 500}}
HEAD: Final = "[Prunus: outline of what was written to /w/app.py; "


def turn(n: int, tool: str, given: dict[str, Any], answer: Any) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"toolu_{n}", "name": tool, "input": given}
    result = {"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": answer}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def session(turns: int = 5, answer: Any = "Done.", text: str = CODE) -> dict[str, Any]:
    """A file was written first, and then other things were done."""
    messages = [{"role": "user", "content": "Write it."}]
    messages += turn(1, "Write", {"file_path": "/w/app.py", "content": text}, answer)
    for n in range(2, turns + 1):
        messages += turn(n, "Bash", {"command": f"make {n}"}, f"made {n}")
    return {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": messages}


def pruned(body: Any, **more: Any) -> Outcome:
    return Pruner(Settings(**{**EAGER, "strategies": IDLE, **more})).prune(body, now=0.0)


def answered(out: Outcome) -> Any:
    """The answer to the write."""
    return out.body["messages"][2]["content"][0]["content"]


def test_the_text_goes_and_its_outline_stands_behind_the_result() -> None:
    out = pruned(session())
    assert out.body["messages"][1]["content"][0]["input"] == {"file_path": "/w/app.py"}
    done, _, outline = answered(out).partition("\n\n")
    assert done == "Done."
    assert outline.startswith(HEAD) and "1: def step_0(prices):" in outline


def test_both_parts_are_among_the_edits_and_add_up() -> None:
    out = pruned(session())
    call, words = out.edits
    assert (call.target, words.target) == (Ref(1, 0), Ref(2, 0))
    assert call.replacement == Input({"file_path": "/w/app.py"}) and isinstance(words.replacement, Added)
    assert call.saved + words.saved == out.report.saved > 0 > words.saved


def test_the_size_of_each_message_is_true() -> None:
    pruner, again = Pruner(Settings(**EAGER, strategies=IDLE)), Pruner(Settings(**EAGER))
    again.prune(pruner.prune(session(), now=0.0).body, now=0.0)
    told, true = (one._conversations[-1].engine.made.sizes for one in (pruner, again))
    assert [told.before(i) for i in range(len(told) + 1)] == [true.before(i) for i in range(len(true) + 1)]


def test_text_that_looks_like_an_outline_counts_its_tokens() -> None:
    for more in range(8):
        answer = f"Done{'.' * more}\n\n{HEAD}1 of 9 lines removed; read the file for what it has now]{'!' * more}"
        out = pruned(session(answer=answer))
        again = Pruner(Settings(**EAGER)).prune(out.body, now=0.0)
        assert again.report.tokens_before == out.report.tokens_after


def test_the_size_in_bytes_counts() -> None:
    """A path in another script has more bytes than characters."""
    body = session(text="x = 1\n" * 35)
    body["messages"][1]["content"][0]["input"]["file_path"] = "/w/" + "資料" * 40 + ".txt"
    given = json.dumps(body, ensure_ascii=False).encode()
    out = pruned(given, strategies={"finished_inputs": {"enabled": True, "idle": 2, "over": 50}})
    assert len(out.body) <= len(given)


def test_a_write_that_failed_leaves_its_path_only() -> None:
    body = session(answer="EACCES: permission denied")
    body["messages"][2]["content"][0]["is_error"] = True
    body["messages"] += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Next."}]
    body["messages"] += turn(9, "Bash", {"command": "make"}, "made")
    out = pruned(body, strategies={"past_tasks": {"enabled": True, "risk": 1.0}})
    assert out.body["messages"][1]["content"][0]["input"] == {"file_path": "/w/app.py"}
    assert answered(out) == "EACCES: permission denied"


def test_no_outline_is_put_behind_a_result_without_text() -> None:
    assert pruned(session(answer=[IMAGE])).edits == ()


def test_no_outline_is_put_behind_a_note_in_place_of_a_picture() -> None:
    cut = {"enabled": True, "keep": 0, "tools": ["Write"]}
    once = pruned(session(answer=[IMAGE]), strategies={**IDLE, "old_results": cut})
    assert answered(once)[0]["text"].startswith("[Prunus: ")
    assert pruned(once.body, strategies={**IDLE, "old_results": cut}).body == once.body


def test_text_that_begins_like_an_outline_does_not_hide_the_real_outline() -> None:
    answer = "Done.\n\n[Prunus: outline of what was written to the disk"
    once = pruned(session(answer=answer))
    assert answered(once).startswith(f"{answer}\n\n{HEAD}")
    results = {"old_results": {"enabled": True, "keep": 0, "tools": ["Write"]}}
    assert pruned(once.body, strategies={**IDLE, **results}).body == once.body


def test_the_outline_of_a_text_without_definitions_is_its_beginning() -> None:
    assert answered(pruned(session(text=filler(60, "lines")))).endswith("it has now]\namber amber row 0")


def test_an_id_stands_behind_everything() -> None:
    answer = "Written. " * 40
    asked = {"enabled": True, "protected": []}
    out = pruned(session(answer=answer), agent={"offer": "mcp"}, strategies={**IDLE, "asked": asked})
    assert answered(out).startswith(f"{answer}\n\n{HEAD}")
    assert answered(out).rpartition("\n")[2].startswith("[id ")


def test_an_id_that_stood_there_already_stands_behind_everything() -> None:
    answer = "Written. " * 40
    asked = {**IDLE, "asked": {"enabled": True, "protected": []}}
    first = pruned(session(2, answer=answer), agent={"offer": "mcp"}, strategies=asked)
    body = {**session(), "messages": [*first.body["messages"], *session()["messages"][5:]]}
    tag = answered(first).rpartition("\n")[2]
    once = pruned(body, agent={"offer": "mcp"}, strategies=asked)
    assert HEAD in answered(once) and answered(once).endswith(f"\n{tag}")
    assert pruned(once.body, agent={"offer": "mcp"}, strategies=asked).body == once.body


def test_an_outline_makes_no_result_long_enough_for_an_id() -> None:
    asked = {**IDLE, "asked": {"enabled": True, "protected": []}}
    once = pruned(session(text=CODE * 3), agent={"offer": "mcp"}, strategies=asked)
    assert HEAD in answered(once) and "[id " not in answered(once) and len(answered(once)) > 200
    assert pruned(once.body, agent={"offer": "mcp"}, strategies=asked).body == once.body


def test_a_result_that_is_cut_keeps_the_outline() -> None:
    log = "".join(f"{n}: warning in rule {n} of the linter\n" for n in range(100))
    out = pruned(
        session(answer=log), strategies={**IDLE, "old_results": {"enabled": True, "keep": 0, "tools": ["Write"]}}
    )
    assert answered(out).startswith("[Prunus: ") and f"\n\n{HEAD}" in answered(out)


@pytest.mark.parametrize("schedule", ["eager", "cache", "manual"])
def test_restored_the_text_comes_back_and_the_outline_goes(schedule: str) -> None:
    strategies = {**IDLE, "asked": {"enabled": True}}
    pruner = Pruner(Settings(preset="off", schedule=schedule, strategies=strategies), asks=lambda _: asks)
    asks: list[str] = []
    assert pruner.prune(session(), now=0.0).edits or schedule == "manual"
    asks.append(f"restore {pruner._conversations[-1].engine.view.names[Ref(2, 0)]}")
    body = session(6)
    assert pruner.prune(body, now=1.0).body == body


@pytest.mark.parametrize("process", ["same", "other"])
def test_undone_between_call_and_answer_the_text_comes_back(process: str) -> None:
    shelf = Shelf()
    settings = Settings(**EAGER, strategies=IDLE)
    pruner = Pruner(settings, memory=shelf)
    assert pruner.prune(session(), now=0.0).edits
    if process == "other":
        pruner = Pruner(settings, memory=shelf)
    body = session()
    del body["messages"][2:]
    body["messages"] += [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "No."},
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Refused."},
            ],
        }
    ]
    out = pruner.prune(json.loads(json.dumps(body)), now=1.0)
    assert out.error is None and out.body == body


@pytest.mark.parametrize("process", ["same", "other"])
@pytest.mark.parametrize("answer", ["Error: no space left", [IMAGE]], ids=["failed", "without text"])
def test_answered_otherwise_the_text_comes_back(process: str, answer: Any) -> None:
    """No outline says of a text that the file has it, and no edit fails for want of a place."""
    shelf = Shelf()
    settings = Settings(preset="off", schedule="cache", strategies=IDLE)
    pruner = Pruner(settings, memory=shelf)
    assert pruner.prune(session(), now=0.0).edits
    if process == "other":
        pruner = Pruner(settings, memory=shelf)
    body = session(1, answer=answer)
    out = pruner.prune(json.loads(json.dumps(body)), now=1.0)
    assert out.error is None and out.body == body
