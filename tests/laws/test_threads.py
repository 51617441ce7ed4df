"""Threads: one pruner serves many conversations at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from prunus import Pruner
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
