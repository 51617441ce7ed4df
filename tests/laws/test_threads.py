"""Threads: one pruner serves many conversations at once."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from prunus import Pruner, Settings
from prunus.errors import TooLate
from prunus.schedule.plan import Eager, Plan, RequestState
from tests.generate.build import sessions
from tests.generate.encode import encode, prefixes
from tests.generate.render import FORMATS, render
from tests.laws.cases import PRESETS, every_preset, one_shot


@every_preset
@settings(max_examples=4)
@given(talks=st.lists(sessions(), min_size=8, max_size=8))
def test_eight_threads_give_what_one_gives(preset: str, talks: list[Any]) -> None:
    names = list(FORMATS)
    ways = [[encode(r) for r in prefixes(render(talk, names[i % 5]), names[i % 5])] for i, talk in enumerate(talks)]
    pruner = Pruner(PRESETS[preset])
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda way: [pruner.prune(body) for body in way], ways))
    for way, outs in zip(ways, answers, strict=True):
        for body, out in zip(way, outs, strict=True):
            assert out.error is None
            assert out.body == one_shot(body, preset).body


def reads(count: int) -> bytes:
    """A conversation of so many reads, each of a file of its own."""
    messages: list[Any] = [{"role": "user", "content": "Look at every file."}]
    for n in range(count):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": f"/app/f{n}.py"}}
        text = "\n".join(f"{line}\tline {line} of {n}" for line in range(300))
        messages.append({"role": "assistant", "content": [call]})
        messages.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": text}]}
        )
    body = {"model": "claude-sonnet-4-5", "max_tokens": 10, "tools": [{"name": "Read", "input_schema": {}}]}
    return msgspec.json.encode(body | {"messages": messages})


def test_a_request_that_waits_for_a_longer_one_of_its_conversation_begins_anew() -> None:
    pruner = Pruner(Settings(preset="auto", window=20_000))
    for count in range(1, 8):
        pruner.prune(reads(count))
    begun, may_end = Event(), Event()

    def claim() -> bool:
        begun.set()
        return may_end.wait(30)

    with ThreadPoolExecutor(2) as pool:
        longer = pool.submit(pruner.prune, reads(14), claim=claim)
        assert begun.wait(30)
        shorter = pool.submit(pruner.prune, reads(8))
        # By now it has found its conversation, and waits for the longer request to end.
        sleep(0.2)
        may_end.set()
        assert longer.result().error is None
        assert shorter.result().error is None


def repeats(count: int, last: str = "") -> bytes:
    """A conversation of so many reads of files with the same text; the last file may be another one."""
    body = re.sub(rb" of \d+", b" of all", reads(count))
    return body.replace(f"/app/f{count - 1}.py".encode(), last.encode()) if last else body


def test_a_request_that_was_given_up_leaves_nothing_behind() -> None:
    for follows in (repeats(1), repeats(3), repeats(4, "/app/x.py"), repeats(5), repeats(6)):
        pruner, fresh = (Pruner(Settings(preset="auto")) for _ in range(2))
        for count in range(1, 4):
            pruner.prune(repeats(count))
            fresh.prune(repeats(count))
        given_up = pruner.prune(repeats(5), claim=lambda: False)
        assert isinstance(given_up.fault, TooLate)
        found, wanted = pruner.prune(follows), fresh.prune(follows)
        assert found.error is wanted.error is None
        assert found.body == wanted.body
        assert found.edits == wanted.edits


def test_two_requests_that_part_at_the_same_time_do_not_share_an_engine() -> None:
    """The first one is looked at while the second one, which reads another file, is sent and recorded."""
    looked, sent = Event(), Event()

    class Waiting(Eager):
        def plan(self, state: RequestState) -> Plan:
            if state.requests == 3 and not sent.is_set():
                looked.set()
                assert sent.wait(30)
            return super().plan(state)

    settings = Settings(preset="auto", schedule="eager")
    pruner, fresh = Pruner(settings, schedule=Waiting()), Pruner(settings)
    for one in (pruner, fresh):
        for count in range(1, 4):
            one.prune(repeats(count))
    second, third = repeats(4, "/app/x.py"), repeats(5).replace(b"/app/f3.py", b"/app/x.py")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(pruner.prune, repeats(4))
        assert looked.wait(30)
        assert pruner.prune(second, deadline=0.0).behind
        sent.set()
        assert first.result().error is None
    fresh.prune(second, deadline=0.0)
    found, wanted = pruner.prune(third), fresh.prune(third)
    assert found.error is wanted.error is None
    assert found.edits == wanted.edits
    assert found.body == wanted.body
