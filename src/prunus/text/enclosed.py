"""Stretches of text between two marks, found in time that grows with the text and not with its square.

A pattern such as `A.*?B` looks for `B` again from every `A` where there is none. Here the search ends with the
first `A` that has no `B` behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


def enclosed(
    text: str, opening: re.Pattern[str], closing: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Each opening mark with the first closing mark behind it, from front to back; they do not overlap."""
    at = 0
    while (start := opening.search(text, at)) and (end := closing.search(text, start.end())):
        yield start, end
        at = end.end()
