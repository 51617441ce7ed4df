"""Files and images have ids as other parts have, and can be discarded, distilled and restored."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from prunus import Settings, prune
from prunus.agent.answer import execute
from prunus.history import Attachment
from prunus.providers import read
from tests.seeds.conversations import every_format
from tests.strategies.agents import Unspoken, localise
from tests.strategies.notation import parse_case
from tests.strategies.wire import build

SETTINGS = Settings(preset="acp", agent={"offer": "library"})
ASKED = (
    "user: What is wrong here? <image shot.png 40KB>\n"
    "1 read src/app.py -> <40 lines>\n2 read src/b.py -> <40 lines>"
)
INSIDE = "user: Look.\n1 read shot.png -> <40 lines> <image shot.png 40KB>\n2 read src/b.py -> <40 lines>"


def body(text: str, format: str) -> bytes:
    case = parse_case("files", "", f"{text}\n=> nothing changes\n")
    return json.dumps(build(localise(case.story, format), format).json).encode()


def sent(text: str, format: str) -> bytes:
    outcome = prune(body(text, format), SETTINGS, format=format)
    assert outcome.error is None
    assert prune(outcome.body, SETTINGS, format=format).body == outcome.body
    return outcome.body


def file_id(text: str, format: str) -> str:
    [id] = re.findall(r"\[id [0-9a-f]{6}, file ([0-9a-f]{6})\]", sent(text, format).decode())
    return str(id)


def decided(text: str, format: str, *decisions: dict[str, Any]) -> bytes:
    calls = [f"{n} call context_prune {json.dumps(given)} -> ok" for n, given in enumerate(decisions, 3)]
    return sent("\n".join([text, *calls, f"{len(calls) + 3} ..."]), format)


def files(raw: bytes, format: str) -> list[Attachment]:
    return [
        part for message in read(raw, format).messages for part in message.parts if isinstance(part, Attachment)
    ]


@every_format
def test_the_next_result_tells_the_id_of_a_file_of_the_user(format: str) -> None:
    assert file_id(ASKED, format)


@every_format
@pytest.mark.parametrize("target", ["id", "files", "images"])
def test_a_file_can_be_discarded(format: str, target: str) -> None:
    target = file_id(ASKED, format) if target == "id" else target
    raw = decided(ASKED, format, {"action": "discard", "targets": [[target]]})
    assert files(raw, format) == []
    assert "40KB]" in raw.decode()


@every_format
def test_a_file_can_be_distilled(format: str) -> None:
    summary = {"action": "distill", "targets": [[file_id(ASKED, format), "A red button, too far left"]]}
    raw = decided(ASKED, format, summary)
    assert files(raw, format) == []
    assert "40KB; what you kept of it: A red button, too far left]" in raw.decode()


@every_format
def test_a_file_comes_back_exactly(format: str) -> None:
    id = file_id(ASKED, format)
    discard, restore = {"action": "discard", "targets": [[id]]}, {"action": "restore", "targets": [[id]]}
    raw = decided(ASKED, format, discard, restore)
    assert read(raw, format).messages[0] == read(body(ASKED, format), format).messages[0]


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat", "openai_responses", "opencode"])
def test_the_id_of_a_file_inside_a_result_stands_behind_that_result(format: str) -> None:
    id = file_id(INSIDE, format)
    assert f", file {id}]" in sent(INSIDE.partition("\n2 ")[0], format).decode()
    raw = decided(INSIDE, format, {"action": "discard", "targets": [[id]]})
    assert files(raw, format) == []
    discard, restore = {"action": "discard", "targets": [[id]]}, {"action": "restore", "targets": [[id]]}
    assert files(decided(INSIDE, format, discard, restore), format) == files(body(INSIDE, format), format)


def test_the_answer_names_the_file() -> None:
    request = body(ASKED, "anthropic_messages")
    id = file_id(ASKED, "anthropic_messages")
    said = execute(request, {"action": "discard", "targets": [[id]]}, SETTINGS)
    assert said.startswith("Discarded file image: 1 file, about ")
    assert f"[{id}] file image: " in execute(request, {}, SETTINGS, tool="context_info")


def test_a_file_that_travels_as_an_address_has_no_id() -> None:
    assert b", file " not in sent(ASKED.replace("<image shot.png 40KB>", "<link shot.png>"), "anthropic_messages")


@every_format
@pytest.mark.parametrize("text", [ASKED, INSIDE], ids=["of the user", "inside a result"])
def test_the_original_of_a_discarded_file_is_its_json(format: str, text: str) -> None:
    try:
        given = {"action": "discard", "targets": [[file_id(text, format)]]}
    except Unspoken:
        return
    called = body(f"{text}\n3 call context_prune {json.dumps(given)} -> ok\n4 ...", format)
    [receipt] = [one for one in prune(called, SETTINGS, format=format).receipts if one.edit.when.requested_by]
    assert "QUJD" * 9_000 in receipt.original and receipt.original in called.decode()
    json.loads(receipt.original)
