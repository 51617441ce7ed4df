"""How many tokens models can take, by family."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

__all__ = ["DEFAULT", "WINDOWS", "window_of"]

DEFAULT: Final = 200_000
"""For a model that no row knows."""

WINDOWS: Final[tuple[tuple[str, int], ...]] = (
    ("*gemini*", 1_000_000),
    ("*gpt-4.1*", 1_000_000),
    ("*gpt-5*", 272_000),
    ("*gpt-6*", 272_000),
    ("*gpt-4o*", 128_000),
    ("*deepseek*", 128_000),
    ("*kimi*", 256_000),
    ("*qwen*", 256_000),
    ("*claude*", 200_000),
)
"""Input tokens, as the providers state them in 2026-11; the smaller figure where there are tiers."""


def window_of(model: str) -> int:
    """The window of a model by its name."""
    return next((size for pattern, size in WINDOWS if fnmatchcase(model.lower(), pattern)), DEFAULT)
