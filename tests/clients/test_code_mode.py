"""Codex code mode."""

from __future__ import annotations

import pytest

from prunus.clients.codex import inner_call


@pytest.mark.parametrize(
    "script",
    [
        'const r = await tools.exec_command({cmd: "cat a.py"}); text(r.output);',
        'const r = await tools.exec_command({"cmd":"cat a.py","workdir":"/w"});\ntext(r.output);',
        "const r = await tools.exec_command({cmd: \"cat a.py\"}); text(r.output); text('exit ' + r.exit_code);",
    ],
)
def test_a_single_literal_call_is_found(script: str) -> None:
    inner = inner_call(script)
    assert inner is not None
    assert inner.name == "exec_command"
    assert isinstance(inner.arguments, dict)
    assert inner.arguments["cmd"] == "cat a.py"
    assert inner.shows_all


def test_a_literal_may_mention_braces_keys_and_tools() -> None:
    inner = inner_call('const r = await tools.exec_command({cmd: "grep {a, b: tools. x"}); text(r.output);')
    assert inner is not None
    assert inner.arguments == {"cmd": "grep {a, b: tools. x"}


def test_a_script_that_cuts_the_output_does_not_show_it_all() -> None:
    inner = inner_call('const r = await tools.exec_command({cmd: "cat a"}); text(r.output.slice(0, 9));')
    assert inner is not None
    assert not inner.shows_all


@pytest.mark.parametrize(
    "script",
    [
        'await tools.exec_command({cmd: "a"}); await tools.exec_command({cmd: "b"});',
        "await tools.exec_command({cmd: `cat ${name}`});",
        "await tools.exec_command({cmd: name});",
        "text('hello')",
    ],
)
def test_other_scripts_stay_closed(script: str) -> None:
    assert inner_call(script) is None


def test_arguments_that_are_nested_too_deeply_are_no_call() -> None:
    assert inner_call("await tools.exec_command({cmd: " + "[" * 50_000) is None


def test_strings_keep_their_places_when_keys_get_quotes() -> None:
    inner = inner_call('await tools.exec_command({cmd: "a", workdir: "b"})')
    assert inner is not None
    assert inner.arguments == {"cmd": "a", "workdir": "b"}
