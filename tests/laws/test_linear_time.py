"""Linear time: what reads four times the text takes at most six times as long, whatever the text is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest

from tests.hostile.clock import measure
from tests.hostile.patterns import compiled, modules, shapes

_PATTERN: Final = 2_000
"""Characters that a pattern reads first, and then four times as many."""
_QUICK: Final = 0.0015
"""Seconds; what a pattern reads in less is not looked at closer."""
_SHORT: Final[Mapping[str, str]] = {
    "prunus.files.signs._CHANGES": "the name of a tool, of at most 256 characters",
    "prunus.notes._POINTER": "a note, of at most 600 characters",
    "prunus.report.effectiveness._LABEL": "words of our own",
    "prunus.proxy.route._VERSION": "the path of a request, of at most 64 kB",
    "prunus.proxy.route._ENDS_IN_VERSION": "an address in the settings",
}
"""Patterns that never read a long text, and what they read."""


@pytest.mark.parametrize("part", range(8))
def test_every_pattern_reads_in_linear_time(part: int) -> None:
    slow = []
    for each in compiled()[part::8]:
        if each.name in _SHORT:
            continue
        for method in each.methods:
            read = each.reader(method)
            for shape in shapes(each.pattern):
                growth = measure(read, shape.text, _PATTERN, _QUICK)
                if growth is not None and growth.ratio > 6:
                    slow.append(f"{each.name}.{method}({shape}): {growth.ratio:.1f} times for 4 times the text")
                    break
    assert not slow, "\n".join(slow)


def test_the_patterns_that_read_short_texts_exist() -> None:
    assert _SHORT.keys() <= {each.name for each in compiled()}


def test_patterns_are_found_in_every_package() -> None:
    packages = {each.name.split(".")[1].split(":")[0] for each in compiled()}
    assert {"tools", "files", "strategies", "view", "notes", "splice", "changelog", "transcripts"} <= packages
    assert len(modules()) > 300
