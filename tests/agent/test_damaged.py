"""Requests that are not what their format says go through the agent layer without a fault of ours."""

from __future__ import annotations

import random

import pytest

from prunus import Pruner, Settings
from prunus.agent.layer import AgentLayer
from prunus.errors import FormatError
from prunus.proxy.envelope import read_envelope
from tests.proxy.talk import BODIES, steps
from tests.proxy.test_mutations import mutated

SETTINGS = Settings(preset="acp", agent={"offer": "hidden", "intent": True, "commands": True})


@pytest.mark.parametrize("format", BODIES)
@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
def test_a_mutated_request_is_prepared_or_refused_by_its_format(format: str, streaming: bool) -> None:
    dice = random.Random(4)
    layer, pruner = AgentLayer(SETTINGS), Pruner(SETTINGS)
    body = {**BODIES[format](steps()), "note": "/prunus"}
    prepared = 0
    for _ in range(80):
        raw = mutated(body, dice)
        try:
            if read_envelope(raw, format).skip:
                continue
            exchange = layer.open(raw, format, streaming=streaming, tenant="", caller="")
            assert exchange is not None
            if exchange.reply() is not None:
                continue
            outcome = pruner.prune(exchange.before(), format=format)
        except FormatError:
            continue
        assert outcome.error is None or outcome.error.startswith("FormatError")
        if outcome.error is None:
            exchange.after(outcome)
            prepared += 1
    assert prepared > 20


@pytest.mark.parametrize("tools", [b'"a text"', b"{}", b"7", b"[7,null]", b'[{"name":"\xff"}]', b'[{"name":7}]'])
def test_tools_of_another_shape_are_left_alone(tools: bytes) -> None:
    raw = b'{"model": "m", "tools": %b, "messages": [{"role": "user", "content": "Hi"}]}' % tools
    exchange = AgentLayer(SETTINGS).open(raw, "anthropic_messages", streaming=True, tenant="", caller="")
    assert exchange is not None
    # What is no list gets no more tools, and in one those that were there stay.
    assert tools.rstrip(b"]") in exchange.before()
