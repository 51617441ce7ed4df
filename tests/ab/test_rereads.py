"""A read is repeated if its lines were read before and the file was not changed since."""

from __future__ import annotations

import json
from typing import Any

from prunus.ab.exchanges import CallCounts, RelayedExchange, count_calls
from prunus.providers.usage import Usage

USED = Usage()


def request(
    *calls: tuple[str, dict[str, Any]], opening: str = "Go.", usage: Usage | None = USED
) -> RelayedExchange:
    messages: list[dict[str, Any]] = [{"role": "user", "content": opening}]
    for number, (tool, given) in enumerate(calls):
        id = f"{opening}-{number}"
        messages.append(
            {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": given}]}
        )
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "x"}]})
    body = json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages})
    return RelayedExchange(0, 0.0, 0.0, "POST", "/v1/messages", 200, body, "", "claude-sonnet-4-5", usage)


READ = ("Read", {"file_path": "/a.py"})
PART = ("Read", {"file_path": "/a.py", "offset": 10, "limit": 5})
OTHER = ("Bash", {"command": "cat /b.py"})
EDIT = ("Edit", {"file_path": "/a.py", "old_string": "x", "new_string": "y"})


def test_calls_count_once_though_every_request_shows_them() -> None:
    grown = [request(*[READ, OTHER, PART][:n]) for n in range(4)]
    assert count_calls(grown) == CallCounts(3, 1)


def test_a_part_is_read_again_and_the_whole_is_not() -> None:
    assert count_calls([request(READ, PART)]).rereads == 1
    assert count_calls([request(PART, READ)]).rereads == 0


def test_a_changed_file_is_new() -> None:
    assert count_calls([request(READ, EDIT, READ)]).rereads == 0
    assert count_calls([request(READ, EDIT, READ, READ)]).rereads == 1
    assert count_calls([request(OTHER, EDIT, OTHER)]).rereads == 1


def test_sub_agents_read_for_themselves() -> None:
    assert count_calls([request(READ), request(READ, opening="Look around.")]) == CallCounts(2, 0)


def test_requests_without_an_answer_do_not_count() -> None:
    assert count_calls([request(READ, usage=None)]) == CallCounts()
