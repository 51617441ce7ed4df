"""Replica: one pruner that sees a conversation grow and one that sees it at once give the same bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prunus import Outcome, Pruner
from prunus.reuse.asked_again import AskedAgain
from tests.generate.build import sessions
from tests.generate.encode import SPELLINGS, encode, marked, prefixes
from tests.generate.render import FORMATS, render
from tests.laws.cases import PRESETS, every_case, one_shot
from tests.validity import FIELDS


def same(seen: Outcome, body: Any, preset: str) -> None:
    fresh = one_shot(body, preset)
    assert seen.error is None
    assert seen.edits == fresh.edits
    assert seen.body == fresh.body
    # Whoever sees a conversation for the first time has cut nothing in it that could be asked for again.
    assert replace(seen.report, asked_again=AskedAgain()) == fresh.report


@every_case
@given(session=sessions(), spelling=SPELLINGS)
def test_growing_requests_equal_fresh_ones(format: str, preset: str, session: Any, spelling: str) -> None:
    pruner = Pruner(PRESETS[preset])
    for request in prefixes(render(session, format), format):
        body = encode(request, spelling)
        same(pruner.prune(body), body, preset)


@every_case
@given(session=sessions())
def test_growing_objects_equal_fresh_ones(format: str, preset: str, session: Any) -> None:
    pruner = Pruner(PRESETS[preset])
    for request in prefixes(render(session, format), format):
        same(pruner.prune(request), request, preset)


@every_case
@given(session=sessions())
def test_new_objects_with_the_same_content_equal_fresh_ones(format: str, preset: str, session: Any) -> None:
    pruner = Pruner(PRESETS[preset])
    for request in prefixes(render(session, format), format):
        same(pruner.prune(json.loads(json.dumps(request))), request, preset)


@every_case
@given(session=sessions())
def test_objects_and_bytes_by_turns_equal_fresh_ones(format: str, preset: str, session: Any) -> None:
    pruner = Pruner(PRESETS[preset])
    for i, request in enumerate(prefixes(render(session, format), format)):
        body = encode(request) if i % 2 else request
        same(pruner.prune(body), body, preset)


@every_case
@given(session=sessions())
def test_any_cut_of_the_messages_equals_a_fresh_one(format: str, preset: str, session: Any) -> None:
    whole = render(session, format)
    messages = whole if isinstance(whole, list) else whole[FIELDS[format]]
    pruner = Pruner(PRESETS[preset])
    for end in range(1, len(messages) + 1):
        body = encode(messages[:end] if isinstance(whole, list) else {**whole, FIELDS[format]: messages[:end]})
        same(pruner.prune(body, format=format), body, preset)


@given(session=sessions(), preset=st.sampled_from(list(PRESETS)), spelling=SPELLINGS)
def test_cache_markers_that_move_change_nothing_else(session: Any, preset: str, spelling: str) -> None:
    pruner = Pruner(PRESETS[preset])
    for request in prefixes(render(session, "anthropic_messages"), "anthropic_messages"):
        body = encode(marked(request), spelling)
        same(pruner.prune(body), body, preset)


@given(session=sessions(), preset=st.sampled_from(list(PRESETS)), data=st.data())
def test_text_that_flips_to_a_list_and_back_changes_nothing_else(session: Any, preset: str, data: Any) -> None:
    pruner = Pruner(PRESETS[preset])
    for request in prefixes(render(session, "openai_chat"), "openai_chat"):
        flips = data.draw(st.sets(st.integers(0, len(request["messages"]) - 1), max_size=3))
        messages = [_flipped(m) if i in flips else m for i, m in enumerate(request["messages"])]
        body = encode({**request, "messages": messages})
        same(pruner.prune(body, format="openai_chat"), body, preset)


def _flipped(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    return {**message, "content": [{"type": "text", "text": content}]} if isinstance(content, str) else message


@given(
    session=sessions(), format=st.sampled_from(list(FORMATS)), preset=st.sampled_from(list(PRESETS)), data=st.data()
)
def test_retries_undo_and_forks_equal_fresh_ones(session: Any, format: str, preset: str, data: Any) -> None:
    requests = prefixes(render(session, format), format)
    other = prefixes(render(data.draw(sessions()), format), format)
    pruner = Pruner(PRESETS[preset])
    for i in data.draw(st.lists(st.integers(0, len(requests) - 1), min_size=2, max_size=8)):
        request = _forked(requests[i], other[0], format) if data.draw(st.booleans()) else requests[i]
        body = encode(request) if data.draw(st.booleans()) else request
        same(pruner.prune(body), body, preset)


def _forked(request: Any, other: Any, format: str) -> Any:
    """The request with another last message."""
    if isinstance(request, list):
        return [*request[:-1], {**other[-1], "info": {**other[-1]["info"], "id": "msg_fork"}}]
    field = FIELDS[format]
    return {**request, field: [*request[field][:-1], other[field][-1]]}


@given(
    first=sessions(),
    second=sessions(),
    format=st.sampled_from(list(FORMATS)),
    preset=st.sampled_from(list(PRESETS)),
)
def test_conversations_side_by_side_do_not_mix(first: Any, second: Any, format: str, preset: str) -> None:
    pruner = Pruner(PRESETS[preset])
    ways = [prefixes(render(session, format), format) for session in (first, second)]
    for i in range(max(map(len, ways))):
        for way in ways:
            body = encode(way[min(i, len(way) - 1)])
            same(pruner.prune(body), body, preset)


@given(first=sessions(), format=st.sampled_from(list(FORMATS)), preset=st.sampled_from(list(PRESETS)))
def test_fields_around_the_messages_may_change(first: Any, format: str, preset: str) -> None:
    pruner = Pruner(PRESETS[preset])
    for i, request in enumerate(prefixes(render(first, format), format)):
        if isinstance(request, list):
            return
        body = encode({**request, "metadata": {"n": i}} if i % 2 else {"metadata": {"n": i}, **request})
        same(pruner.prune(body), body, preset)
