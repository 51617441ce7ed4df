"""The laws hold with tags behind the results and with decisions of the agent in the history."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prunus import Outcome, Pruner, Settings, providers
from prunus.providers import frame
from prunus.requested.targets import ACKNOWLEDGED
from tests.formats import FIELDS, call_and_result
from tests.generate.build import sessions
from tests.generate.encode import encode, prefixes
from tests.generate.render import render
from tests.generate.session import Session
from tests.laws.cases import PRESETS
from tests.validity import new_problems

FORMATS: Final = list(FIELDS)
every_format = pytest.mark.parametrize("format", FORMATS)
EVERYTHING: Final = PRESETS["everything"].dump()


def offered(**more: Any) -> Settings:
    return Settings(**{**EVERYTHING, "agent": {"offer": "mcp"}, **more})


fewer = settings(max_examples=4)
DECISIONS = st.lists(
    st.tuples(
        st.integers(0, 30),
        st.sampled_from(("discard", "distill", "restore")),
        st.lists(st.integers(0, 40), min_size=1, max_size=3),
    ),
    max_size=4,
)


def ids(body: bytes) -> list[str]:
    found = re.findall(rb"\[id ([0-9a-f]+)((?:, \w+ [0-9a-f]+)*)\]", body)
    return [id.decode() for first, more in found for id in (first, *re.findall(rb" ([0-9a-f]{6,})", more))]


def conversed(
    session: Session, format: str, decisions: Sequence[tuple[int, str, list[int]]], settings: Settings
) -> Iterator[tuple[bytes, Outcome, Pruner]]:
    """A conversation in which the agent asks for parts by the ids that it was shown."""
    pruner = Pruner(settings)
    field = FIELDS[format]
    requests = prefixes(render(session, format), format)
    put: list[tuple[int, list[Any]]] = []
    last = b""
    for i, request in enumerate(requests):
        for number, (_, action, picks) in enumerate(d for d in decisions if d[0] % len(requests) == i):
            known = ids(last)
            targets = [known[pick % len(known)] for pick in picks] if known and i % 3 else ["old"]
            rows = [[id, "what matters"] if action == "distill" else [id] for id in targets]
            given_ = {"action": action, "targets": rows}
            reply = ACKNOWLEDGED if number % 2 else "ok"
            pair = call_and_result(format, f"p{i}_{number}", "context_prune", given_, reply)
            put.append((len(request[field]), pair))
        messages = list(request[field])
        for at, pair in reversed(put):
            messages[at:at] = pair
        body = encode({**request, field: messages})
        outcome = pruner.prune(body, 5.0 * i, format=format)
        assert outcome.error is None
        last = outcome.body
        yield body, outcome, pruner


@every_format
@fewer
@given(session=sessions(), decisions=DECISIONS)
def test_pruning_again_changes_nothing(format: str, session: Session, decisions: Any) -> None:
    *_, (body, _, _) = conversed(session, format, decisions, offered())
    once = Pruner(offered()).prune(body, 0.0, format=format)
    twice = Pruner(offered()).prune(once.body, 0.0, format=format)
    assert twice.error is None
    assert twice.body == once.body


@every_format
@fewer
@given(session=sessions(), decisions=DECISIONS)
def test_at_once_and_step_by_step_end_in_the_same_bytes(format: str, session: Session, decisions: Any) -> None:
    *_, (body, outcome, _) = conversed(session, format, decisions, offered())
    assert Pruner(offered()).prune(body, 0.0, format=format).body == outcome.body


@every_format
@fewer
@given(session=sessions(), decisions=DECISIONS)
def test_requests_stay_valid(format: str, session: Session, decisions: Any) -> None:
    *_, (body, outcome, _) = conversed(session, format, decisions, offered())
    assert new_problems(body, outcome.body, format) == []


@every_format
@fewer
@given(session=sessions())
def test_tags_are_behind_the_text_and_nothing_else_changes(format: str, session: Session) -> None:
    plain, tagged = Settings(preset="off"), Settings(preset="off", agent={"offer": "mcp"})
    for request in prefixes(render(session, format), format)[-1:]:
        body = encode(request)
        before = providers.read(Pruner(plain).prune(body, 0.0, format=format).body, format)
        after = providers.read(Pruner(tagged).prune(body, 0.0, format=format).body, format)
        for one, other in zip(before.messages, after.messages, strict=True):
            for old, new in zip(one.parts, other.parts, strict=True):
                shown = getattr(new, "text", "")
                assert shown.startswith(getattr(old, "text", ""))
                assert old == new or re.fullmatch(
                    r"\n\[id [0-9a-f]{6,}(?:, (?:text|thinking|file) [0-9a-f]{6,})*\]", shown[len(old.text) :]
                )


@every_format
@pytest.mark.parametrize("schedule", ["cache", "pressure", "manual"])
@fewer
@given(session=sessions(), decisions=DECISIONS)
def test_a_request_extends_the_one_before_up_to_a_declared_flush(
    format: str, schedule: str, session: Session, decisions: Any
) -> None:
    before: list[bytes] = []
    for body, outcome, _ in conversed(session, format, decisions, offered(schedule=schedule)):
        cut = frame(outcome.body, format)
        given_ = len(frame(body, format))
        after = [cut.raw(i) for i in range(len(cut))]
        if len(after) == given_:
            limit = outcome.flush.cut if outcome.flush is not None else len(before)
            assert after[: min(limit, len(before))] == before[:limit]
            before = after
        else:
            before = []


@every_format
@fewer
@given(session=sessions(), decisions=DECISIONS)
def test_manual_makes_only_what_was_asked_for(format: str, session: Session, decisions: Any) -> None:
    for _, outcome, _ in conversed(session, format, decisions, offered(schedule="manual")):
        assert all(edit.when.requested_by or edit.cause is not None for edit in outcome.edits)
        if not decisions:
            assert outcome.edits == ()


def test_a_session_has_tags() -> None:
    body = {
        "messages": [
            {"role": "user", "content": "x"},
            *call_and_result("openai_chat", "1", "bash", {}, "y\n" * 300),
        ]
    }
    assert ids(json.dumps(Pruner(offered()).prune(body).body).encode())
