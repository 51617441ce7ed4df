"""Projections: functions from messages to messages."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from prunus import prune
from prunus.errors import FormatError, SettingsError
from prunus.projections import Pruning, compose, projection, smart_tool_retention
from prunus.settings import Settings
from prunus.strategies import ALL

TEXT = "\n".join(f"line {n} of a file that is read often" for n in range(60))
Step = tuple[str, dict[str, Any], str]


def chat(*steps: Step) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Please see to it."}]
    for n, (tool, given, answer) in enumerate(steps):
        function = {"name": tool, "arguments": json.dumps(given)}
        call = {"id": f"c{n}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": answer})
    return messages


def anthropic(*steps: Step) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Please see to it."}]
    for n, (tool, given, answer) in enumerate(steps):
        call = {"type": "tool_use", "id": f"c{n}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": answer}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return messages


def reads(count: int) -> list[Step]:
    return [("read_file", {"path": "config.py"}, TEXT)] * count


def answers(messages: list[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        if message["role"] == "tool":
            yield message["content"]
        elif message["role"] == "user" and isinstance(message["content"], list):
            yield message["content"][0]["content"]


def whole(messages: list[dict[str, Any]]) -> list[int]:
    """The reads that still show the file, counted from 1."""
    return [n for n, text in enumerate(answers(messages), 1) if text == TEXT]


@pytest.mark.parametrize("write", [chat, anthropic])
@pytest.mark.parametrize(
    ("count", "kept"), [(1, [1]), (2, [1, 2]), (3, [1, 3]), (5, [1, 5]), (6, [1, 2, 3, 4, 6]), (9, [1, 2, 4, 6, 9])]
)
def test_reads_stay_as_the_table_says(write: Any, count: int, kept: list[int]) -> None:
    assert whole(smart_tool_retention()(write(*reads(count)))) == kept


@pytest.mark.parametrize(("most", "kept"), [(2, 2), (3, 3), (5, 5), (7, 7)])
def test_max_file_reads_is_how_many_of_many_reads_stay(most: int, kept: int) -> None:
    assert len(whole(smart_tool_retention(max_file_reads=most)(chat(*reads(12))))) == kept


def test_order_and_pairs_stay_and_the_given_list_is_unchanged() -> None:
    given = chat(*reads(4), ("bash", {"command": "make"}, "word " * 5_000), *reads(3))
    before = deepcopy(given)
    out = smart_tool_retention()(given)
    assert given == before
    assert out is not given
    assert len(out) == len(given)
    for old, new in zip(given, out, strict=True):
        assert {key: old[key] for key in old if key != "content"} == {
            key: new[key] for key in new if key != "content"
        }


def test_long_shell_output_keeps_head_and_tail_even_the_newest() -> None:
    text = "".join(f"{n:05}\n" for n in range(5_000))
    [cut] = answers(smart_tool_retention()(chat(("bash", {"command": "npm test"}, text))))
    assert cut.startswith(text[:2_000])
    assert cut.endswith(text[-2_000:])
    assert "30,000" in cut
    assert len(cut) < 4_200


def test_bash_truncate_is_the_length_from_which_output_is_cut() -> None:
    history = chat(("bash", {"command": "make"}, "word " * 1_000))
    assert smart_tool_retention()(history) == history
    [cut] = answers(smart_tool_retention(bash_truncate=4_000)(history))
    assert len(cut) < 2_000


@pytest.mark.parametrize("keep", [True, False])
def test_edits_stay_unless_keep_all_edits_is_off(keep: bool) -> None:
    edit = {"path": "a.py", "old_string": "old words " * 60, "new_string": "new words " * 60}
    others = [("bash", {"command": f"run {n}"}, "done") for n in range(40)]
    out = smart_tool_retention(keep_all_edits=keep)(chat(("edit", edit, "Edit applied"), *others))
    assert (json.loads(out[1]["tool_calls"][0]["function"]["arguments"]) == edit) is keep


def test_a_note_does_not_claim_that_a_changed_file_shows_the_same_text() -> None:
    other = TEXT.replace("often", "seldom")
    steps = [("read_file", {"path": "config.py"}, text) for text in (TEXT, other, TEXT)]
    middle = list(answers(smart_tool_retention()(chat(*steps))))[1]
    assert "changed since" in middle


def test_seeing_a_history_step_by_step_gives_the_same_as_at_once() -> None:
    history = chat(*reads(7), ("bash", {"command": "make"}, "word " * 5_000), *reads(2))
    seen = smart_tool_retention()
    for end in range(1, len(history) + 1, 2):
        assert seen(history[:end]) == smart_tool_retention()(history[:end])


def test_an_earlier_history_is_seen_as_if_for_the_first_time() -> None:
    history = chat(*reads(7))
    seen = smart_tool_retention()
    seen(history)
    assert seen(history[:7]) == smart_tool_retention()(history[:7])


@pytest.mark.parametrize("wrong", [{"max_file_reads": 1}, {"bash_truncate": -1}])
def test_numbers_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        smart_tool_retention(**wrong)


def test_user_defined_tools_are_read_from_the_settings() -> None:
    own = Settings(tools=[{"name": "peek", "kind": "read", "path": "where"}])
    history = chat(*[("peek", {"where": "config.py"}, TEXT)] * 4)
    assert smart_tool_retention()(history) == history
    assert whole(smart_tool_retention(settings=own)(history)) == [1, 4]


@pytest.mark.parametrize("name", [strategy.name for strategy in ALL])
def test_every_strategy_is_a_projection(name: str) -> None:
    history = chat(*reads(3))
    assert len(projection(name)(history)) == len(history)


def test_a_projection_runs_only_its_strategy() -> None:
    history = chat(*reads(3), ("bash", {"command": "make"}, "word " * 5_000), ("bash", {"command": "ls"}, "a"))
    out = projection("duplicate_calls")(history)
    assert whole(out) == [3]
    assert list(answers(out))[3] == "word " * 5_000


def test_fields_of_a_strategy_change_what_it_does() -> None:
    history = chat(("bash", {"command": "make"}, "word " * 600), ("bash", {"command": "ls"}, "a"))
    assert projection("long_outputs")(history) == history
    assert projection("long_outputs", over=2_000, head=100, tail=100)(history) != history


def test_an_unknown_strategy_is_an_error_with_close_names() -> None:
    with pytest.raises(SettingsError, match="did you mean duplicate_calls"):
        projection("duplicate_call")


def test_an_unknown_field_is_an_error_with_close_names() -> None:
    with pytest.raises(SettingsError, match="no field 'turn'; did you mean turns"):
        projection("old_errors", turn=3)


def test_a_field_of_the_wrong_type_is_an_error() -> None:
    with pytest.raises(SettingsError, match="whole number"):
        projection("old_errors", turns="three")


@pytest.mark.parametrize("wrong", ["messages", b"[]", 7, {"messages": []}])
def test_a_projection_of_no_list_is_an_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="list of messages"):
        smart_tool_retention()(wrong)


class HumanMessage(BaseModel):
    """As langchain has it: what it is stands in a field that is left out of what it was given."""

    content: str
    type: Literal["human"] = "human"


class Answer(BaseModel):
    """As a provider's SDK has it."""

    role: Literal["assistant"]
    content: str


@pytest.mark.parametrize("wrong", [HumanMessage(content="Hello."), ("user", "Hello."), "Hello.", object(), None])
def test_messages_of_no_format_are_an_error_that_says_what_is_expected(wrong: Any) -> None:
    known = {"role": "user", "content": "Hello."}
    for messages in ([wrong], [known, wrong], [known, Answer(role="assistant", content="Hello."), wrong]):
        expected = f"message {len(messages) - 1} is a {type(wrong).__name__}; expected a dict with a role"
        with pytest.raises(FormatError, match=expected):
            smart_tool_retention()(messages)
        for body in (messages, {"messages": messages}):
            out = prune(body)
            assert out.body is body
            assert expected in (out.error or "")


def test_an_unknown_object_is_an_error_also_in_a_conversation_that_is_known() -> None:
    shorten = smart_tool_retention()
    history = chat(*reads(3))
    shorten(history)
    with pytest.raises(FormatError, match=rf"message {len(history)} is a HumanMessage"):
        shorten([*history, HumanMessage(content="Hello.")])


def test_objects_of_a_provider_are_messages() -> None:
    answer = Answer(role="assistant", content="Hello.")
    assert smart_tool_retention()([{"role": "user", "content": "Hello."}, answer])[1] is answer


def test_no_messages_are_no_messages() -> None:
    assert smart_tool_retention()([]) == []


def test_composed_projections_do_what_each_of_them_does() -> None:
    history = chat(*reads(3), ("bash", {"command": "make"}, "word " * 5_000), ("bash", {"command": "ls"}, "a"))
    out = compose(projection("duplicate_calls"), projection("long_outputs"))(history)
    assert whole(out) == [3]
    assert len(list(answers(out))[3]) < 5_000


def test_adjacent_projections_run_as_one_so_that_spent_inputs_acts() -> None:
    write = {"path": "a.py", "content": "words " * 200}
    history = chat(("write", write, "Wrote a.py"), ("write", write, "Wrote a.py"), ("bash", {"command": "ls"}, "a"))
    both = compose(projection("stale_reads"), projection("duplicate_calls"), projection("spent_inputs"))
    assert isinstance(both, Pruning)
    assert projection("spent_inputs")(history) == history
    assert "content" not in both(history)[1]["tool_calls"][0]["function"]["arguments"]


def test_the_same_strategy_with_other_fields_runs_twice() -> None:
    history = chat(("bash", {"command": "make"}, "word " * 1_000), ("bash", {"command": "ls"}, "a"))
    twice = compose(projection("long_outputs", over=9_000), projection("long_outputs", over=1_000, head=9, tail=9))
    assert not isinstance(twice, Pruning)
    assert len(next(answers(twice(history)))) < 200


def test_user_functions_can_be_composed_with_projections() -> None:
    def newest_only(messages: Any) -> list[Any]:
        return list(messages)[-2:]

    history = chat(*reads(3))
    assert compose(newest_only, projection("duplicate_calls"))(history) == history[-2:]
    assert compose()(history) == history


def test_composing_something_uncallable_is_an_error() -> None:
    with pytest.raises(TypeError, match="functions"):
        compose("duplicate_calls")  # type: ignore[arg-type]


def test_a_projection_refuses_a_schedule_that_waits() -> None:
    with pytest.raises(SettingsError, match="eager"):
        Pruning(Settings.preset("auto"))
