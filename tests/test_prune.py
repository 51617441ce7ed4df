"""The pipeline from outside: one request, many requests, and what is remembered between them."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prunus
from prunus import Pruner, Settings
from tests.generate.build import sessions
from tests.generate.encode import encode, prefixes
from tests.generate.render import FORMATS, render
from tests.laws.cases import PRESETS, one_shot
from tests.validity import FIELDS

TEXT = "\n".join(f"{i:6}→line {i} of a file with some words in it" for i in range(1, 60))
OTHER = TEXT.replace("some words", "other words")


def read(id: str, path: str = "/app/a.py", text: str = TEXT) -> list[Any]:
    """A read and its answer, as Claude Code sends them."""
    use = {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": path}}
    result = {"type": "tool_result", "tool_use_id": id, "content": text}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def body(*messages: Any) -> dict[str, Any]:
    first = {"role": "user", "content": "Look at it."}
    return {"model": "claude-sonnet-4-5", "system": "x", "messages": [first, *messages]}


def test_an_older_read_of_the_same_file_goes() -> None:
    out = prunus.prune(body(*read("t1"), *read("t2", text=OTHER)))
    assert [(edit.target.message, edit.strategy) for edit in out.edits] == [(2, "duplicate_calls")]
    assert out.body["messages"][2]["content"][0]["content"].startswith("[Prunus: ")
    assert out.body["messages"][4]["content"][0]["content"] == OTHER
    assert out.report.saved > 0
    assert (out.report.format, out.report.model, out.report.messages) == (
        "anthropic_messages",
        "claude-sonnet-4-5",
        5,
    )


def test_a_read_that_shows_the_same_again_points_back() -> None:
    out = prunus.prune(body(*read("t1"), *read("t2")))
    assert [(edit.target.message, edit.points_to) for edit in out.edits] == [(4, (2, 0))]
    assert out.body["messages"][2]["content"][0]["content"] == TEXT


def test_nothing_to_prune_gives_the_same_object() -> None:
    given_body = body(*read("t1"))
    out = prunus.prune(given_body)
    assert out.body is given_body
    assert out.edits == ()


def test_a_call_without_result_and_a_result_without_call_stay() -> None:
    lonely = [read("t1")[0], *read("t2"), read("t9")[1], *read("t3", text=OTHER)]
    out = prunus.prune(body(*lonely))
    assert {edit.target.message for edit in out.edits} <= {2, 3}


def test_ids_that_repeat_in_each_turn_are_paired_by_place() -> None:
    same = prunus.prune(body(*read("t1"), *read("t1", "/app/b.py"), *read("t1")))
    unique = prunus.prune(body(*read("t1"), *read("t2", "/app/b.py"), *read("t3")))
    assert [edit.target for edit in same.edits] == [edit.target for edit in unique.edits]


def test_an_answer_that_points_back_replaces_nothing() -> None:
    stub = "File unchanged since last read. The content from the earlier Read tool_result is still current."
    assert prunus.prune(body(*read("t1"), *read("t2", text=stub), *read("t3", "/app/b.py", OTHER))).edits == ()


def test_a_format_given_by_name_is_used() -> None:
    messages = body(*read("t1"), *read("t2"))["messages"]
    assert prunus.prune(messages, format="anthropic_messages").edits
    assert prunus.prune(messages, format="openai_chat").edits == ()
    assert "no format" in str(prunus.prune(messages, format="nonsense").error)


def test_edits_come_in_the_order_of_the_messages() -> None:
    first = (*read("t1"), *read("t2", "/app/b.py", OTHER))
    out = prunus.prune(body(*first, *read("t3", "/app/b.py"), *read("t4", text=OTHER)))
    assert len(out.edits) == 2
    assert [edit.target for edit in out.edits] == sorted(edit.target for edit in out.edits)


def test_refusals_name_the_guard() -> None:
    settings = Settings(guards={"protected_paths": {"patterns": ["**/a.py"]}})
    out = prunus.prune(body(*read("t1"), *read("t2")), settings)
    assert out.edits == ()
    assert {refusal.guard for refusal in out.refusals} >= {"protected_paths"}


@pytest.mark.parametrize("limits", [{"conversations": 1}, {"memory": 1}, {"idle": 0}, {"conversations": 0}])
def test_forgetting_never_changes_a_result(limits: dict[str, int]) -> None:
    pruner = Pruner(Settings(limits=limits))
    for clock, path in enumerate(["/app/a.py", "/app/b.py"] * 3):
        request = encode(body(*read("t1", path), *read("t2", path), *read("t3", path)[: clock % 2]))
        assert pruner.prune(request, now=clock * 10.0).body == prunus.prune(request).body


def test_a_body_over_the_limit_is_not_remembered() -> None:
    small, large = encode(body(*read("t1"))), encode(body(*read("t1"), *read("t2"), *read("t3")))
    pruner = Pruner(Settings(limits={"body": len(small) + 10}))
    assert pruner.prune(small).error is None
    assert pruner.prune(large).error
    assert pruner.prune(small).error is None


@given(session=sessions(), format=st.sampled_from(list(FORMATS)), preset=st.sampled_from(list(PRESETS)))
def test_a_list_that_grows_in_place_is_pruned_like_fresh_lists(session: Any, format: str, preset: str) -> None:
    whole = render(session, format)
    live: Any = [] if isinstance(whole, list) else {**whole, FIELDS[format]: []}
    messages = live if isinstance(live, list) else live[FIELDS[format]]
    pruner = Pruner(PRESETS[preset])
    for request in prefixes(whole, format):
        target = request if isinstance(request, list) else request[FIELDS[format]]
        messages += target[len(messages) :]
        out = pruner.prune(live)
        assert out.error is None
        assert out.body == one_shot(request, preset).body


@given(session=sessions(), format=st.sampled_from(list(FORMATS)), data=st.data())
def test_messages_changed_in_place_are_noticed(session: Any, format: str, data: Any) -> None:
    request = deepcopy(prefixes(render(session, format), format)[-1])
    messages = request if isinstance(request, list) else request[FIELDS[format]]
    pruner = Pruner(PRESETS["everything"])
    pruner.prune(request)
    _touch(messages[data.draw(st.integers(0, len(messages) - 1))])
    out = pruner.prune(request)
    assert out.error is None
    assert out.body == one_shot(deepcopy(request), "everything").body


def _touch(value: Any) -> None:
    """Change the first long text somewhere inside, in place."""
    members = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value))
        if isinstance(value, list)
        else []
    )
    for key, inner in members:
        if key in ("content", "text", "output", "error") and isinstance(inner, str):
            value[key] = inner + " and then some more words were added here"
            return
        if isinstance(inner, dict | list):
            _touch(inner)


@given(session=sessions(), format=st.sampled_from(list(FORMATS)), preset=st.sampled_from(list(PRESETS)))
def test_changes_of_the_caller_to_an_outcome_do_not_reach_later_requests(
    session: Any, format: str, preset: str
) -> None:
    pruner = Pruner(PRESETS[preset])
    for request in prefixes(render(session, format), format):
        own = json.loads(json.dumps(request))
        before = deepcopy(own)
        out = pruner.prune(own)
        assert own == before
        assert out.error is None
        assert out.body == one_shot(request, preset).body
        pruned = out.body if isinstance(out.body, list) else out.body[FIELDS[format]]
        for message in pruned:
            message["spoiled"] = [1]
