"""Arguments of context_prune, in the many ways that models write them."""

from typing import Any

import pytest

from prunus.requested.request import is_info, is_prune, parse

ONE = (("3fa9c2",),)
TWO = (("3fa9c2",), ("0b1c2d",))


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ([["3fa9c2"]], ONE),
        (["3fa9c2"], ONE),
        ("3fa9c2", ONE),
        ("[3fa9c2]", ONE),
        ("[id 3fa9c2]", ONE),
        ("3FA9C2", ONE),
        ("#3fa9c2.", ONE),
        ('[["3fa9c2"]]', ONE),
        ('["3fa9c2"]', ONE),
        ([[["3fa9c2"]]], ONE),
        (['["3fa9c2"]'], ONE),
        ([{"id": "3fa9c2"}], ONE),
        ({"id": "3fa9c2"}, ONE),
        ([["3fa9c2"], ["3fa9c2"]], ONE),
        ([["3fa9c2"], ["0b1c2d"]], TWO),
        ([["3fa9c2", "0b1c2d"]], TWO),
        (["3fa9c2", "0b1c2d"], TWO),
        ("3fa9c2, 0b1c2d", TWO),
        ("3fa9c2 0b1c2d", TWO),
        ([["tools"]], (("tools",),)),
        (["[Tools]"], (("tools",),)),
        ("all", (("*",),)),
        ("[old]", (("old",),)),
        ([["disposable"]], (("old",),)),
        ("*", (("*",),)),
        (["[*]"], (("*",),)),
        ([["reasoning"], ["messages"]], (("thinking",), ("messages",))),
        ([["0123456789abcdef"]], (("0123456789abcdef",),)),
    ],
)
def test_arguments_with_only_one_meaning_are_understood(targets: Any, expected: Any) -> None:
    found = parse({"action": "discard", "targets": targets})
    assert (found.targets, found.problems) == (expected, ())


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ([["3fa9c2", "It reads the config."]], (("3fa9c2", "It reads the config."),)),
        (["3fa9c2", "It reads the config."], (("3fa9c2", "It reads the config."),)),
        ("3fa9c2: it reads", (("3fa9c2", "it reads"),)),
        ([{"id": "3fa9c2", "summary": "x"}], (("3fa9c2", "x"),)),
        ([["3fa9c2", "a"], ["0b1c2d", "b"]], (("3fa9c2", "a"), ("0b1c2d", "b"))),
        (["3fa9c2", "a", "0b1c2d", "b"], (("3fa9c2", "a"), ("0b1c2d", "b"))),
        ([["3fa9c2", 'Größe: "5" 🎉\n]'], ["tools", "all"]], (("3fa9c2", 'Größe: "5" 🎉\n]'), ("tools", "all"))),
    ],
)
def test_targets_of_distill_carry_summaries(targets: Any, expected: Any) -> None:
    found = parse({"action": "distill", "targets": targets})
    assert (found.targets, found.problems) == (expected, ())


@pytest.mark.parametrize("named", ["discard", "Discard ", "PRUNE", "delete"])
def test_the_action_discard_has_synonyms(named: str) -> None:
    assert parse({"action": named, "targets": ["3fa9c2"]}).action == "discard"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"action": "discard"}, "no targets"),
        ({"action": "discard", "targets": []}, "no targets"),
        ({"action": "discard", "targets": [["xyz"]]}, "'xyz' is no id"),
        ({"action": "discard", "targets": [["3fa9"]]}, "'3fa9' is no id"),
        ({"action": "discard", "targets": [[5]]}, "'5' is no id"),
        ({"action": "discard", "targets": [None, 5.5]}, "5.5 is no target"),
        ({"action": "distill", "targets": [["3fa9c2"]]}, "summary is missing"),
        ({"action": "distill", "targets": [["3fa9c2", "  "]]}, "summary is missing"),
        ({"action": "distill", "targets": [["3fa9c2", "0b1c2d", "b"]]}, "summary is missing"),
        ({"action": "replace", "targets": [["a", "b"]]}, "[start, end, replacement]"),
        ({"action": "replace", "targets": "a"}, "[start, end, replacement]"),
        ({"action": "burn", "targets": "3fa9c2"}, "no action 'burn'"),
        ({"targets": "3fa9c2"}, "no action given"),
        ({"action": 3}, "no action 3"),
        ("nonsense", "expected an object"),
        ("[]", "expected an object"),
    ],
)
def test_arguments_that_are_not_understood_are_named(arguments: Any, words: str) -> None:
    found = parse(arguments)
    assert any(words in problem for problem in found.problems)


def test_arguments_that_travel_as_text() -> None:
    assert parse('{"action": "discard", "targets": [["3fa9c2"]]}').targets == ONE


def test_valid_targets_survive_the_others() -> None:
    found = parse({"action": "discard", "targets": [["3fa9c2"], ["bad id"], ["0b1c2d"]]})
    assert found.targets == TWO and len(found.problems) == 1


@pytest.mark.parametrize(
    "tool",
    ["context_prune", "mcp__prunus__context_prune", "prunus_context_prune", "mcp_prunus_context_prune",
     "prunus.context_prune", "Context_Prune"],
)  # fmt: skip
def test_the_tool_is_known_by_every_clients_name(tool: str) -> None:
    assert is_prune(tool) and not is_info(tool)


@pytest.mark.parametrize("tool", ["context_pruner", "mycontext_prune", "context_info", "prune"])
def test_other_tools_are_not_context_prune(tool: str) -> None:
    assert not is_prune(tool)
