"""Linear time: what reads four times as much takes at most six times as long, whatever it reads.

Measured in CPU time of the thread, the least of several runs, so that it does not matter how fast the machine is or
what else it does. What is quick at the larger size is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from prunus import Pruner, Settings
from tests.hostile.clock import MOST, TIMES, measure
from tests.hostile.patterns import compiled, modules, shapes
from tests.hostile.readers import READERS
from tests.hostile.requests import CROWDS, PLACES, anthropic, chat, within
from tests.hostile.shapes import MARKED, PIECES, Shape

_SHORT: Final[Mapping[str, str]] = {
    "prunus.files.signs._CHANGES": "the name of a tool, of at most 256 characters",
    "prunus.notes._POINTER": "a note, of at most 600 characters",
}
"""Patterns that never read a long text, and what they read."""
_PRESETS: Final = ("auto", "acp", "smart")
_FORMATS: Final = (anthropic, chat)


def slow(name: object, read: Callable[[Any], object], make: Callable[[int], Any], size: int, floor: float) -> str:
    """What to say of a reader whose time grows faster than what it reads; empty where it does not."""
    growth = measure(read, make, size, floor)
    if growth is None or growth.ratio <= MOST:
        return ""
    return f"{name}: {growth.ratio:.1f} times as long for {TIMES} times as much ({growth.large:.3f} s)"


@pytest.mark.parametrize("part", range(4))
def test_every_pattern_reads_in_linear_time(part: int) -> None:
    found = []
    for each in compiled()[part::4]:
        for method in each.methods if each.name not in _SHORT else ():
            texts = shapes(each.pattern)
            said = (slow(f"{each.name}.{method} {s}", each.reader(method), s.text, 2_000, 0.0015) for s in texts)
            found += [next(filter(None, said), "")]
    assert not any(found), "\n".join(filter(None, found))


def test_the_patterns_that_read_short_texts_exist() -> None:
    assert _SHORT.keys() <= {each.name for each in compiled()}


def test_patterns_are_found_in_every_package() -> None:
    packages = {each.name.split(".")[1].split(":")[0] for each in compiled()}
    assert {
        "shell",
        "calls",
        "files",
        "strategies",
        "view",
        "notes",
        "json",
        "changelog",
        "clients",
    } <= packages
    assert len(modules()) > 200


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_of_text_takes_linear_time(reader: str) -> None:
    texts = [(Shape(piece), 1_200) for piece in PIECES] + [(shape, 2_500) for shape in MARKED]
    found = [slow(shape, READERS[reader], shape.text, size, 0.02) for shape, size in texts]
    assert not any(found), "\n".join(filter(None, found))


@pytest.mark.parametrize("place", PLACES)
def test_a_request_with_a_hostile_text_takes_linear_time(place: str) -> None:
    found = []
    for at, shape in enumerate(MARKED):
        preset, write = _PRESETS[at % len(_PRESETS)], _FORMATS[at % len(_FORMATS)]
        found += [
            slow(
                f"{preset}: {shape}",
                pruning(preset),
                lambda n, s=shape, w=write: w(within(place, s.text(n))),
                1_200,
                0.02,
            )
        ]
    assert not any(found), "\n".join(filter(None, found))


@pytest.mark.parametrize("crowd", CROWDS)
def test_a_request_of_very_many_things_takes_linear_time(crowd: str) -> None:
    count, make = CROWDS[crowd]
    found = slow(crowd, pruning("auto"), make, count, 0.02)
    assert not found


def pruning(preset: str) -> Callable[[bytes], object]:
    """What prunes a request that was not seen before; it must not fail."""

    def prune(body: bytes) -> object:
        out = Pruner(Settings(preset=preset, schedule="eager")).prune(body)
        assert out.error is None
        return out

    return prune
